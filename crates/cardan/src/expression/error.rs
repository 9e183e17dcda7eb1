//! What is wrong with a formula, and where.

use std::ops::Range;

/// A formula that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", help.as_ref().map_or(String::new(), |help| format!("; {help}")))]
pub struct ExpressionError {
    /// What is wrong.
    pub message: String,
    /// What may have been meant, or what to write instead.
    pub help: Option<String>,
    /// The bytes of the text it concerns.
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
