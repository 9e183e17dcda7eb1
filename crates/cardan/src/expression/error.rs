//! Errors of formulas, with their place.

use std::ops::Range;

/// An error in a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", help.as_ref().map_or(String::new(), |help| format!("; {help}")))]
pub struct ExpressionError {
    /// The error.
    pub message: String,
    /// A suggestion, or what to write instead.
    pub help: Option<String>,
    /// The bytes of the text with the error.
    pub span: Range<usize>,
}

impl ExpressionError {
    pub(crate) fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), help: None, span }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
