//! A mass that swings on a spring, in polar coordinates (Zhang, Zhang and Masarati 2021, equation 84).

use std::sync::Arc;

use super::problem::ExamProblem;
use cardan::linalg::SparseMatrix;
use cardan::simulation::InitialValues;
use cardan::system::{Failure, Space, StateView, System};

const LENGTH: f64 = 0.5;
const GRAVITY: f64 = 9.81;

/// The stretch r and the angle θ from the vertical; m = 1.
pub struct SpringPendulum {
    /// The stiffness.
    pub stiffness: f64,
}

impl SpringPendulum {
    /// From 45° with the spring relaxed and stretching at 1 m/s.
    pub fn problem(stiffness: f64) -> ExamProblem {
        ExamProblem {
            name: "spring-pendulum",
            tests: "an ordinary differential equation with slow and fast motion",
            system: Arc::new(Self { stiffness }),
            initial: InitialValues::new(&[0.0, std::f64::consts::FRAC_PI_4], &[1.0, 0.0]),
            conservative: true,
            coarsest: 40.0,
        }
    }
}

impl System for SpringPendulum {
    fn space(&self) -> Space {
        Space::vector(2)
    }

    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        mass.add(0, 0, 1.0);
        // the equation of the angle as it is printed, over its arm
        mass.add(1, 1, LENGTH + q[0]);
        Ok(())
    }

    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let (r, angle) = (at.q[0], at.q[1]);
        force[0] = (LENGTH + r) * at.v[1] * at.v[1] + GRAVITY * angle.cos() - self.stiffness * r;
        force[1] = -2.0 * at.v[0] * at.v[1] - GRAVITY * angle.sin();
        Ok(())
    }
}
