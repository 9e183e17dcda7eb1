//! Why a comparison is not possible, and cases that are omitted.

use std::fmt;

use crate::study::history::HistoryError;
use cardan::methods::SettingsError;
use cardan::stage::Formulation;

/// A comparison that is not possible.
#[derive(Debug, thiserror::Error)]
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
    /// A step with which a run would not end.
    #[error(
        "a step of {step:e} takes {steps:.1e} steps; take larger ones, or an earlier end (at most {most:.0e} steps)"
    )]
    TooManySteps {
        /// The step.
        step: f64,
        /// How many it takes.
        steps: f64,
        /// How many are allowed.
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
    /// No method takes what is asked for.
    #[error("there is nothing to compare: no method takes these constraints")]
    Nothing {
        /// What was left out, and why.
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
    /// A reference that would not end.
    #[error(
        "the reference takes {steps:.1e} steps of {step:e}; take larger ones, or another reference"
    )]
    TooManyReferenceSteps {
        /// The step.
        step: f64,
        /// How many it takes.
        steps: f64,
    },
    /// A method or parameter that is not known.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The reference cannot be had.
    #[error(transparent)]
    Reference(#[from] HistoryError),
}

/// Something that a method does not take.
#[derive(Clone, Debug, PartialEq)]
pub struct OmittedCase {
    /// The method.
    pub method: String,
    /// The formulation that it does not take; none if it takes no formulation of the system.
    pub constraints: Option<Formulation>,
    /// Why.
    pub reason: String,
}

impl fmt::Display for OmittedCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, constraints, reason } = self;
        match constraints {
            Some(constraints) => write!(f, "`{method}` does not take {constraints}: {reason}"),
            None => write!(f, "`{method}` is left out: {reason}"),
        }
    }
}
