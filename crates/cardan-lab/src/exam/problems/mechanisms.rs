//! Problems made of bodies and joints.

use super::problem::ExamProblem;
use crate::gallery::{self, Dimension};
use cardan::model::Mechanism;

/// Andrews' squeezer: a planar mechanism with closed loops and 41 unknowns.
pub fn andrews() -> ExamProblem {
    let mechanism = gallery::andrews(Dimension::Plane);
    problem("andrews", "a planar mechanism with closed loops, 41 unknowns", &mechanism)
}

/// The driven spatial pendulum of the exam.
pub fn spatial_pendulum() -> ExamProblem {
    let tests = "a driven spatial mechanism with a revolute joint";
    problem("spatial-double-pendulum", tests, &gallery::spatial_pendulum())
}

fn problem(name: &'static str, tests: &'static str, mechanism: &Mechanism) -> ExamProblem {
    match mechanism.assemble() {
        Ok(start) => ExamProblem {
            name,
            tests,
            system: start.model,
            initial: start.initial,
            conservative: false,
            coarsest: 40.0,
        },
        // nothing a user supplies comes here
        Err(error) => unreachable!("the gallery assembles: {error}"),
    }
}
