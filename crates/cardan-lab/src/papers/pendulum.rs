//! The simple pendulum: one angle, or a rod's end with the rod's angle.

use std::f64::consts::FRAC_PI_2;

use cardan::linalg::SparseMatrix;
use cardan::simulation::InitialValues;
use cardan::system::{Derivative, Failure, ForceTangent, Space, StateView, System};

const G: f64 = 9.81;

/// θ̈ = (g/L) cos θ − c θ̇ with θ from the horizontal, downwards; L = m = 1, let go at θ = 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimplePendulum {
    /// c.
    pub damping: f64,
}

impl SimplePendulum {
    /// Horizontal, at rest.
    pub fn initial() -> InitialValues {
        InitialValues::new(&[0.0], &[0.0])
    }
}

impl System for SimplePendulum {
    fn space(&self) -> Space {
        Space::vector(1)
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = G * at.q[0].cos() - self.damping * at.v[0];
        Ok(())
    }

    fn force_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        tangent.stiffness.add(0, 0, G * at.q[0].sin());
        if self.damping != 0.0 {
            tangent.damping.add(0, 0, self.damping);
        }
        Ok(Derivative::Analytic)
    }

    fn has_constant_mass(&self) -> bool {
        true
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(-G * q[0].sin())
    }
}

/// A point mass at the end of a rod of length one: (x, y, θ) with x = sin θ, y = −cos θ, let go at
/// θ = π/2. The paper's has no inertia, which makes M singular and leaves the equations regular.
#[derive(Clone, Copy, Debug, Default)]
pub struct RodPendulum {
    /// The inertia of the angle.
    pub inertia: f64,
}

impl RodPendulum {
    /// Horizontal, at rest.
    pub fn initial() -> InitialValues {
        InitialValues::new(&[1.0, 0.0, FRAC_PI_2], &[0.0; 3])
    }
}

impl System for RodPendulum {
    fn space(&self) -> Space {
        Space::vector(3)
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        mass.add(1, 1, 1.0);
        mass.add(2, 2, self.inertia);
        Ok(())
    }

    fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[1] = -G;
        Ok(())
    }

    fn force_tangent(
        &self,
        _at: &StateView<'_>,
        _tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Analytic)
    }

    fn holonomic_count(&self) -> usize {
        2
    }

    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        (phi[0], phi[1]) = (q[0] - q[2].sin(), q[1] + q[2].cos());
        Ok(())
    }

    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        jacobian.add(0, 0, 1.0);
        jacobian.add(0, 2, -q[2].cos());
        jacobian.add(1, 1, 1.0);
        jacobian.add(1, 2, -q[2].sin());
        Ok(())
    }

    fn constraint_rate(
        &self,
        _at: &StateView<'_>,
        _rate: &mut [f64],
    ) -> Result<Derivative, Failure> {
        Ok(Derivative::Analytic)
    }

    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        let (q, v) = (at.q, at.v);
        let squared = v[2] * v[2];
        (out[0], out[1]) = (q[2].sin() * squared, -q[2].cos() * squared);
        Ok(Derivative::Analytic)
    }

    fn multiplier_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        let (q, multipliers) = (at.q, at.multipliers);
        let curvature = q[2].sin() * multipliers[0] - q[2].cos() * multipliers[1];
        tangent.add(2, 2, curvature);
        Ok(Derivative::Analytic)
    }

    fn velocity_tangent(
        &self,
        at: &StateView<'_>,
        out: &mut SparseMatrix,
    ) -> Result<Derivative, Failure> {
        let (q, v) = (at.q, at.v);
        out.add(0, 2, q[2].sin() * v[2]);
        out.add(1, 2, -q[2].cos() * v[2]);
        Ok(Derivative::Analytic)
    }

    fn has_constant_mass(&self) -> bool {
        true
    }

    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(G * q[1])
    }

    fn coordinate_name(&self, i: usize) -> String {
        ["x", "y", "the rod's angle"][i.min(2)].into()
    }
}
