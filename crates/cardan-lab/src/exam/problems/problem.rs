//! A problem of the exam: equations, initial values and how finely it is computed.

use std::sync::Arc;

use cardan::simulation::InitialValues;
use cardan::system::System;

/// A system with initial values; the motion is smooth on [0, 1].
pub struct ExamProblem {
    /// The name of the problem.
    pub name: &'static str,
    /// What the problem tests.
    pub tests: &'static str,
    /// The equations.
    pub system: Arc<dyn System>,
    /// The initial values.
    pub initial: InitialValues,
    /// Whether energy is conserved.
    pub conservative: bool,
    /// The number of steps per second of the coarsest run; finer runs halve the step size.
    pub coarsest: f64,
}
