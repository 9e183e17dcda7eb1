//! A problem of the exam: equations, initial values and how finely it is computed.

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
