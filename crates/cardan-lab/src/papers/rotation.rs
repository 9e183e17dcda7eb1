//! A free body under the torque that makes it follow a known rotation vector.

use std::f64::consts::{PI, TAU};

use cardan::linalg::SparseMatrix;
use cardan::math::{Chart, Matrix3, Quaternion, Vector3, hat};
use cardan::simulation::InitialValues;
use cardan::system::{Derivative, Failure, ForceTangent, RotationIndex, Space, StateView, System};

/// The rotation vectors of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadCase {
    /// (t², 0, t/5): the body turns ever faster.
    Quadratic,
    /// (t + sin t, 0, cos t).
    Harmonic,
}

impl LoadCase {
    /// The vector and its first and second derivative.
    fn vector(self, t: f64) -> [Vector3; 3] {
        let v = Vector3::new;
        match self {
            Self::Quadratic => [v(t * t, 0.0, 0.2 * t), v(2.0 * t, 0.0, 0.2), v(2.0, 0.0, 0.0)],
            Self::Harmonic => {
                let (s, c) = t.sin_cos();
                [v(t + s, 0.0, c), v(1.0 + c, 0.0, -s), v(-s, 0.0, -c)]
            }
        }
    }
}

/// J = diag(5, 5, 1) under M(t) in world axes, computed from the exact motion: the numerical rotation
/// turns it into body axes.
#[derive(Clone, Copy, Debug)]
pub struct PrescribedRotation {
    /// Which motion.
    pub case: LoadCase,
}

const INERTIA: Vector3 = Vector3::new(5.0, 5.0, 1.0);
const TURN: RotationIndex = RotationIndex { q: 0, v: 0 };

impl PrescribedRotation {
    /// Where the exact motion begins.
    pub fn initial(&self) -> InitialValues {
        let (q, omega) = (self.exact(0.0), self.velocity(0.0));
        InitialValues::new(&q.to_array(), omega.as_slice())
    }

    /// The exact rotation.
    pub fn exact(&self, t: f64) -> Quaternion {
        Chart::Exponential.retract(&self.case.vector(t)[0])
    }

    /// The exact angular velocity, body axes.
    pub fn velocity(&self, t: f64) -> Vector3 {
        let [theta, rate, _] = self.case.vector(t);
        Chart::Exponential.tangent(&theta) * rate
    }

    /// The torque, world axes.
    pub fn torque(&self, t: f64) -> Vector3 {
        let [theta, rate, second] = self.case.vector(t);
        let chart = Chart::Exponential;
        let omega = chart.tangent(&theta) * rate;
        let spin = chart.tangent(&theta) * second + chart.tangent_derivative(&theta, &rate) * rate;
        let body = INERTIA.component_mul(&spin) + omega.cross(&INERTIA.component_mul(&omega));
        self.exact(t).rotate(&body)
    }
}

impl System for PrescribedRotation {
    fn space(&self) -> Space {
        Space::rotation()
    }

    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add_block(0, 0, &Matrix3::from_diagonal(&INERTIA));
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let omega = TURN.tangent(at.v);
        let torque = TURN.of(at.q).rotate_back(&self.torque(at.t));
        let spin = omega.cross(&INERTIA.component_mul(&omega));
        force.copy_from_slice((torque - spin).as_slice());
        Ok(())
    }

    fn force_tangent(
        &self,
        at: &StateView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<Derivative, Failure> {
        let omega = TURN.tangent(at.v);
        let torque = TURN.of(at.q).rotate_back(&self.torque(at.t));
        let inertia = Matrix3::from_diagonal(&INERTIA);
        let gyroscopic = hat(&omega) * inertia - hat(&INERTIA.component_mul(&omega));
        tangent.stiffness.add_block(0, 0, &-hat(&torque));
        tangent.damping.add_block(0, 0, &gyroscopic);
        Ok(Derivative::Analytic)
    }

    fn has_constant_mass(&self) -> bool {
        true
    }
}

/// The difference of two angles of rotation, each in [0, 2π]: what the paper calls the error.
pub fn angle_error(found: &Quaternion, exact: &Quaternion) -> f64 {
    let angle = |q: &Quaternion| {
        let [w, x, y, z] = q.to_array();
        2.0 * Vector3::new(x, y, z).norm().atan2(w)
    };
    // of the two quaternions of a rotation the one on the exact one's side
    let difference = (angle(found) - angle(exact)).abs();
    let aligned = dot(found, exact) >= 0.0;
    let difference = if aligned { difference } else { (TAU - angle(found) - angle(exact)).abs() };
    difference.min(TAU - difference)
}

/// The angle of the rotation that leads from one to the other: an error that does not depend on what
/// zero is.
pub fn relative_angle(found: &Quaternion, exact: &Quaternion) -> f64 {
    let [w, x, y, z] = (exact.conjugate() * *found).to_array();
    let angle = 2.0 * Vector3::new(x, y, z).norm().atan2(w.abs());
    angle.min(PI)
}

fn dot(a: &Quaternion, b: &Quaternion) -> f64 {
    a.to_array().iter().zip(b.to_array()).map(|(a, b)| a * b).sum()
}
