//! The system with its evaluator, as a stage needs them.

use crate::system::{Evaluator, System};

/// The system with its evaluator.
pub(crate) struct EvaluationContext<'a> {
    pub system: &'a dyn System,
    pub evaluator: &'a mut Evaluator,
}
