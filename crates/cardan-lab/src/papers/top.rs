//! The spinning top of the paper, about its tip: in Euler angles, and as a rotation.
//!
//! Its inertias (5e-5 across, 2e-4 along the axis) are impossible for a body; as equations they are fine.

use std::f64::consts::{FRAC_PI_6, PI};

use cardan::linalg::SparseMatrix;
use cardan::math::{Matrix3, Quaternion, Vector3, hat};
use cardan::simulation::InitialValues;
use cardan::system::{Derivative, Failure, ForceTangent, RotationIndex, Space, StateView, System};

const ACROSS: f64 = 5e-5;
const ALONG: f64 = 2e-4;
/// m g l.
const WEIGHT: f64 = 0.02 * 9.81 * 0.05;
/// Its initial spin; no precession, no nutation.
const SPIN: f64 = 4.0 * PI;
const TILT: f64 = FRAC_PI_6;

/// The top in ZXZ Euler angles (φ, θ, ψ).
#[derive(Clone, Copy, Debug, Default)]
pub struct EulerTop;

impl EulerTop {
    /// Tilted by 30°, spinning.
    pub fn initial() -> InitialValues {
        InitialValues::new(&[0.0, TILT, 0.0], &[0.0, 0.0, SPIN])
    }

    /// Kinetic and potential energy.
    pub fn energy(q: &[f64], v: &[f64]) -> f64 {
        let (s, c) = q[1].sin_cos();
        let across = v[1] * v[1] + s * s * v[0] * v[0];
        let along = v[2] + v[0] * c;
        0.5 * (ACROSS * across + ALONG * along * along) + WEIGHT * c
    }
}

impl System for EulerTop {
    fn space(&self) -> Space {
        Space::vector(3)
    }

    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        let (s, c) = q[1].sin_cos();
        mass.add(0, 0, ACROSS * s * s + ALONG * c * c);
        mass.add(0, 2, ALONG * c);
        mass.add(1, 1, ACROSS);
        mass.add(2, 0, ALONG * c);
        mass.add(2, 2, ALONG);
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let (s, c) = at.q[1].sin_cos();
        let [phi, theta, psi] = [at.v[0], at.v[1], at.v[2]];
        // of the Lagrangian's derivatives what is not M q̈; (J₃ w₃)˙ = 0 splits into ψ̈ + φ̈ c and this
        let axial = ALONG * (psi + phi * c);
        force[0] = -2.0 * ACROSS * s * c * phi * theta
            + ALONG * s * theta * (psi + phi * c)
            + ALONG * c * s * phi * theta;
        force[1] = ACROSS * s * c * phi * phi - axial * s * phi + WEIGHT * s;
        force[2] = ALONG * s * phi * theta;
        Ok(())
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(WEIGHT * q[1].cos())
    }

    fn coordinate_name(&self, i: usize) -> String {
        ["precession", "nutation", "spin"][i.min(2)].into()
    }
}

/// The top as one rotation, its axis being the body's z.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuaternionTop;

const TURN: RotationIndex = RotationIndex { q: 0, v: 0 };

impl QuaternionTop {
    /// Tilted by 30° about x, spinning.
    pub fn initial() -> InitialValues {
        let (s, c) = (0.5 * TILT).sin_cos();
        InitialValues::new(&[c, s, 0.0, 0.0], &[0.0, 0.0, SPIN])
    }

    /// Kinetic and potential energy.
    pub fn energy(q: &[f64], v: &[f64]) -> f64 {
        let omega = TURN.tangent(v);
        0.5 * omega.dot(&Self::inertia().component_mul(&omega)) + WEIGHT * Self::up(q).z
    }

    fn inertia() -> Vector3 {
        Vector3::new(ACROSS, ACROSS, ALONG)
    }

    /// The vertical in body axes.
    fn up(q: &[f64]) -> Vector3 {
        let rotation: Quaternion = TURN.of(q);
        rotation.rotate_back(&Vector3::z())
    }
}

impl System for QuaternionTop {
    fn space(&self) -> Space {
        Space::rotation()
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add_block(0, 0, &Matrix3::from_diagonal(&Self::inertia()));
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let omega = TURN.tangent(at.v);
        let weight = -WEIGHT * Vector3::z().cross(&Self::up(at.q));
        let spin = omega.cross(&Self::inertia().component_mul(&omega));
        force.copy_from_slice((weight - spin).as_slice());
        Ok(())
    }

    fn force_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        let omega = TURN.tangent(at.v);
        let momentum = Self::inertia().component_mul(&omega);
        let inertia = Matrix3::from_diagonal(&Self::inertia());
        // δ(up) = up × δθ
        let stiffness = WEIGHT * hat(&Vector3::z()) * hat(&Self::up(at.q));
        tangent.stiffness.add_block(0, 0, &stiffness);
        tangent.damping.add_block(0, 0, &(hat(&omega) * inertia - hat(&momentum)));
        Ok(Derivative::Analytic)
    }

    fn has_constant_mass(&self) -> bool {
        true
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(WEIGHT * Self::up(q).z)
    }
}
