//! Why a comparison is not possible, and cases that are omitted.

use std::fmt;

use crate::study::history::HistoryError;
use cardan::methods::SettingsError;
use cardan::stage::Formulation;

/// A comparison that is not possible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonError {
    /// The motion has no length.
    #[error("the end, {end}, is not after the start, {start}")]
    End {
        /// The end.
        end: f64,
        /// The start.
        start: f64,
    },
    /// No methods are given.
    #[error("no methods are given")]
    NoMethods,
    /// No steps are given.
    #[error("no steps are given")]
    NoSteps,
    /// A step that is not positive.
    #[error("a step of {step} is not positive")]
    Step {
        /// The step.
        step: f64,
    },
    /// Too many steps.
    #[error(
        "a step of {step:e} s takes {steps:.1e} steps, more than {most:.0e}\n  try: a larger step or an earlier end"
    )]
    TooManySteps {
        /// The step.
        step: f64,
        /// The number of steps.
        steps: f64,
        /// The maximum number of steps.
        most: f64,
    },
    /// A step that is longer than the motion.
    #[error("one step of {step} is longer than the motion, {length}")]
    LongStep {
        /// The step.
        step: f64,
        /// The length of the motion.
        length: f64,
    },
    /// No method supports the constraint formulations.
    #[error("there is nothing to compare: no method supports these constraints")]
    Nothing {
        /// The omitted cases, with their reasons.
        left_out: Vec<OmittedCase>,
    },
    /// A reference whose step does not fit the motion.
    #[error("the step of the reference, {step}, is not between 0 and {length}")]
    ReferenceStep {
        /// The step.
        step: f64,
        /// The length of the motion.
        length: f64,
    },
    /// Too many steps of the reference.
    #[error(
        "the reference takes {steps:.1e} steps of {step:e} s\n  try: larger steps, or another reference"
    )]
    TooManyReferenceSteps {
        /// The step.
        step: f64,
        /// The number of steps.
        steps: f64,
    },
    /// A method or parameter that is not known.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The reference cannot be computed or read.
    #[error(transparent)]
    Reference(#[from] HistoryError),
}

/// A case that is omitted because the method does not support it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OmittedCase {
    /// The method.
    pub method: String,
    /// The formulation that is not supported; `None` if the system is not supported.
    pub constraints: Option<Formulation>,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for OmittedCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, constraints, reason } = self;
        match constraints {
            Some(constraints) => write!(f, "`{method}` does not support {constraints}: {reason}"),
            None => write!(f, "`{method}` is omitted: {reason}"),
        }
    }
}
