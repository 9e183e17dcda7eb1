//! The list of the problems that the exam runs.

use super::bodies::{FreeBody, HeavyTop};
use super::double_pendulum::{DoublePendulum, PlanarDoublePendulum};
use super::mechanisms::spatial_pendulum;
use super::problem::ExamProblem;
use super::servo_pendulum::ServoPendulum;

/// Every problem of the exam.
pub fn all() -> Vec<ExamProblem> {
    vec![
        DoublePendulum::problem(),
        FreeBody::problem(),
        PlanarDoublePendulum::problem(),
        HeavyTop::problem(),
        spatial_pendulum(),
        ServoPendulum::problem(),
    ]
}
