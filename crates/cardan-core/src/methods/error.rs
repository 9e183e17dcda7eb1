//! Errors of settings.

use thiserror::Error;

use super::ParameterError;
use crate::suggestion::remedy_line;

/// Settings that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The method is not in the registry.
    UnknownMethod {
        /// The name given.
        name: String,
        /// The most similar known name, if any.
        nearest: Option<String>,
        /// All names.
        known: String,
    },
    /// A parameter is unknown, missing or out of range.
    Parameter(#[from] ParameterError),
    /// The step size is zero, negative or not finite.
    StepSize {
        /// The value given.
        step_size: f64,
    },
    /// A method that cannot change its step.
    FixedStep {
        /// The method.
        method: String,
        /// The methods that can.
        others: String,
    },
    /// A step far above the stability limit of a method.
    Unstable {
        /// The method.
        method: String,
        /// The value given.
        step_size: f64,
        /// The longest stable step.
        stable: f64,
        /// The highest circular frequency.
        frequency: f64,
        /// The coordinate that moves most in it.
        highest: String,
    },
    /// A tolerance outside of its range.
    Tolerance {
        /// The value given.
        value: f64,
    },
    /// An option of the error control is not positive, not finite, or contradicts another one.
    StepControl {
        /// Which option.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// The error of the method cannot be controlled.
    NoErrorEstimate {
        /// The method.
        method: String,
        /// The reason.
        reason: &'static str,
        /// The methods whose error can be controlled.
        others: String,
    },
    /// The end of a run is not finite.
    EndTime {
        /// The value given.
        end: f64,
    },
    /// Times that decrease.
    TimeOrder {
        /// The time.
        time: f64,
        /// The previous, larger time.
        before: f64,
    },
    /// Steps whose errors cannot be compared with each other.
    Steps {
        /// The value given.
        steps: Vec<f64>,
        /// The reason.
        reason: &'static str,
    },
    /// A Newton option is not positive or not finite.
    Newton {
        /// Which option.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// The factors of the stage matrix would take more memory than is allowed.
    Memory {
        /// The estimate in bytes.
        needed: u64,
        /// The limit in bytes.
        allowed: u64,
        /// The number of unknowns of a stage.
        unknowns: usize,
    },
    /// The method does not support this constraint formulation.
    Formulation {
        /// The method.
        method: String,
        /// The formulation.
        formulation: String,
        /// The reason.
        reason: String,
    },
    /// The system has a feature that the method does not support.
    Feature {
        /// The method.
        method: String,
        /// The feature.
        feature: String,
        /// The reason.
        reason: &'static str,
        /// The methods that can.
        others: String,
    },
}

impl SettingsError {
    /// The fact, without the remedy.
    pub fn fact(&self) -> String {
        match self {
            Self::UnknownMethod { name, .. } => format!("there is no method `{name}`"),
            Self::Parameter(cause) => cause.fact(),
            Self::StepSize { step_size } => format!("the step size is {step_size}"),
            Self::FixedStep { method, .. } => format!("`{method}` takes steps of one size"),
            Self::Unstable { method, step_size, stable, frequency, highest } => format!(
                "step {step_size:e} s exceeds the stability limit {stable:.1e} s of `{method}`: {highest} \
                 vibrates at {frequency:.1e} rad/s"
            ),
            Self::Tolerance { value } => format!("the tolerance is {value:e}"),
            Self::StepControl { what, value } => {
                format!("the {what} of the error control is {value:e}")
            }
            Self::NoErrorEstimate { method, reason, .. } => {
                format!("`{method}` takes no tolerance: {reason}")
            }
            Self::EndTime { end } => format!("the end time is {end}"),
            Self::TimeOrder { time, before } => {
                format!("the time {time} follows {before}: times must not decrease")
            }
            Self::Steps { steps, reason } => {
                format!("steps of {steps:?} s cannot be compared: {reason}")
            }
            Self::Newton { what, value } => format!("the Newton {what} is {value}"),
            Self::Memory { needed, allowed, unknowns } => format!(
                "the factors of the matrix of {unknowns} unknowns would take about {:.1} MB; {:.1} MB are \
                 allowed",
                *needed as f64 * 1e-6,
                *allowed as f64 * 1e-6
            ),
            Self::Formulation { method, formulation, reason } => {
                format!("`{method}` does not take constraints = \"{formulation}\": {reason}")
            }
            Self::Feature { method, feature, reason, .. } => {
                format!("`{method}` does not take {feature}: {reason}")
            }
        }
    }

    /// What to try, or the values that are possible.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            Self::UnknownMethod { nearest: Some(name), .. } => format!("did you mean `{name}`?"),
            Self::UnknownMethod { nearest: None, known, .. } => format!("there are {known}"),
            Self::Parameter(cause) => return cause.remedy(),
            Self::StepSize { .. } => {
                "it must be positive, finite and above the round-off of t".into()
            }
            Self::FixedStep { others, .. } => {
                format!("methods with variable steps: {others}")
            }
            Self::Tolerance { .. } => "it must be between 1e-13 and 0.1".into(),
            Self::StepControl { .. } => {
                "it must be positive and finite, and the smallest step not above the largest".into()
            }
            Self::NoErrorEstimate { others, .. } => {
                format!("a fixed `step`, or one of the methods with a tolerance: {others}")
            }
            Self::Unstable { stable, .. } => {
                format!("a step below {stable:.1e} s, or an implicit method")
            }
            Self::Memory { .. } => {
                "a larger limit, fewer elements, or constraints = \"position\" if they are stabilized"
                    .into()
            }
            Self::EndTime { .. } => "it must be finite".into(),
            Self::Steps { .. } => "decreasing steps that divide 0.1 s".into(),
            Self::Newton { .. } => "it must be positive and finite".into(),
            Self::Feature { others, .. } => format!("methods that support it: {others}"),
            Self::TimeOrder { .. } | Self::Formulation { .. } => return None,
        })
    }
}

impl std::fmt::Display for SettingsError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self, self.remedy()) {
            // a list of all methods is too long for one line
            (Self::UnknownMethod { nearest: None, .. }, _) => {
                write!(out, "{}; `cardan methods` lists them", self.fact())
            }
            (Self::Steps { .. } | Self::Unstable { .. }, remedy) => {
                write!(out, "{}{}", self.fact(), remedy_line(remedy))
            }
            (_, Some(remedy)) => write!(out, "{}; {remedy}", self.fact()),
            (_, None) => write!(out, "{}", self.fact()),
        }
    }
}
