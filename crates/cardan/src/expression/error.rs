//! What is wrong with a formula, and where.

use std::ops::Range;

/// A formula that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// What is wrong.
    pub message: String,
    /// The bytes of the text it concerns.
    pub span: Range<usize>,
}

impl ExpressionError {
    pub(super) fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), span }
    }
}
