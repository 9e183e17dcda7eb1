//! The problems of the exam.

mod bodies;
mod double_pendulum;
mod mechanisms;
mod servo_pendulum;
mod spring_pendulum;

pub use bodies::{FreeBody, HeavyTop, OffsetTop};
pub use double_pendulum::{DoublePendulum, PlanarDoublePendulum};
pub use mechanisms::{andrews, spatial_pendulum};
pub use servo_pendulum::ServoPendulum;
pub use spring_pendulum::SpringPendulum;

use std::sync::Arc;

use cardan::simulation::InitialValues;
use cardan::system::System;

/// A system with initial values; the motion is smooth on [0, 1].
pub struct ExamProblem {
    /// Its name.
    pub name: &'static str,
    /// What it tests.
    pub tests: &'static str,
    /// The equations.
    pub system: Arc<dyn System>,
    /// Where it begins.
    pub initial: InitialValues,
    /// Whether energy is conserved.
    pub conservative: bool,
    /// Steps in one second, from which the exam begins to halve: as few as resolve the motion.
    pub coarsest: f64,
}

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
