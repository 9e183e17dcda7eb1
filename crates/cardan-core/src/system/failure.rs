//! Failures of user code: the reason why an evaluation is not possible.

use std::fmt;
use std::sync::Arc;

/// The reason why an evaluation failed, as its author wrote it, and the part in which it failed.
///
/// ```
/// use cardan_core::Failure;
///
/// let failure = Failure::new("the table ends at 3 m/s");
/// assert_eq!(failure.to_string(), "the table ends at 3 m/s");
/// // any error can be passed on
/// let failure: Failure = "x".parse::<f64>().map_err(Failure::of).unwrap_err();
/// assert_eq!(failure.reason, "invalid float literal");
/// ```
#[derive(Clone, Debug)]
pub struct Failure {
    /// The part: "force `drag`".
    pub part: Option<String>,
    /// The reason.
    pub reason: String,
    /// The error that caused it.
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    /// A failure for a reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { part: None, reason: reason.into(), cause: None }
    }

    /// A failure caused by another error, which is kept as its source.
    pub fn of(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { part: None, reason: error.to_string(), cause: Some(Arc::new(error)) }
    }

    /// Names the part, unless it is named already.
    pub fn in_part(mut self, part: impl FnOnce() -> String) -> Self {
        self.part.get_or_insert_with(part);
        self
    }
}

impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        (&self.part, &self.reason) == (&other.part, &other.reason)
    }
}

impl Eq for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Some(part) => write!(out, "{part}: {}", self.reason),
            None => out.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as _)
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self::new(reason)
    }
}

impl From<&str> for Failure {
    fn from(reason: &str) -> Self {
        Self::new(reason)
    }
}
