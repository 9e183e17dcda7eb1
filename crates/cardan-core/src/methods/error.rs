//! Settings that no motion can be computed with.

use thiserror::Error;

use super::ParameterError;
use crate::suggestion::remedy_line;

/// Settings that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The method is not in the registry.
    UnknownMethod {
        /// What was asked for.
        name: String,
        /// The nearest name, if one is near.
        nearest: Option<String>,
        /// Those there are.
        known: String,
    },
    /// A parameter is unknown, missing or out of range.
    Parameter(#[from] ParameterError),
    /// The step size is zero, negative or not finite.
    StepSize {
        /// What was given.
        step_size: f64,
    },
    /// A method that cannot change its step.
    FixedStep {
        /// The method.
        method: String,
        /// Methods that can.
        others: String,
    },
    /// A step far beyond what a method can stand.
    Unstable {
        /// The method.
        method: String,
        /// What was given.
        step_size: f64,
        /// The longest stable step.
        stable: f64,
        /// The highest circular frequency.
        frequency: f64,
        /// The coordinate that moves most in it.
        highest: String,
    },
    /// The end of a run is not finite.
    EndTime {
        /// What was given.
        end: f64,
    },
    /// Times that go back.
    TimeOrder {
        /// The earlier time that comes later.
        time: f64,
        /// The time before it.
        before: f64,
    },
    /// Steps whose errors cannot be compared with each other.
    Steps {
        /// What was given.
        steps: Vec<f64>,
        /// Why not.
        reason: &'static str,
    },
    /// The Newton options make no sense.
    Newton {
        /// Which option.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The method does not take this constraint formulation.
    Formulation {
        /// The method.
        method: String,
        /// The formulation.
        formulation: String,
        /// Why not.
        reason: String,
    },
    /// The system has something that the method does not take.
    Feature {
        /// The method.
        method: String,
        /// What the system has.
        feature: String,
        /// Why it is not taken.
        reason: &'static str,
        /// Methods that can.
        others: String,
    },
}

impl SettingsError {
    /// What is wrong, without what to try.
    pub fn fact(&self) -> String {
        match self {
            Self::UnknownMethod { name, .. } => format!("there is no method `{name}`"),
            Self::Parameter(cause) => cause.fact(),
            Self::StepSize { step_size } => format!("the step size is {step_size}"),
            Self::FixedStep { method, .. } => format!("`{method}` takes steps of one size"),
            Self::Unstable { method, step_size, stable, frequency, highest } => format!(
                "a step of {step_size:e} s is far too long for `{method}`, which is stable up to {stable:.1e} s \
                 here: {highest} vibrates with {frequency:.1e} rad/s, and waves of the shortest kind must \
                 be followed even if nobody looks at them"
            ),
            Self::EndTime { end } => format!("the end time is {end}"),
            Self::TimeOrder { time, before } => {
                format!("the time {time} comes after {before}: times must not decrease")
            }
            Self::Steps { steps, reason } => {
                format!("steps of {steps:?} s cannot be compared: {reason}")
            }
            Self::Newton { what, value } => format!("the Newton {what} is {value}"),
            Self::Formulation { method, formulation, reason } => {
                format!("`{method}` does not take constraints = \"{formulation}\": {reason}")
            }
            Self::Feature { method, feature, reason, .. } => {
                format!("`{method}` does not take {feature}: {reason}")
            }
        }
    }

    /// What is worth trying, or what is possible.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            Self::UnknownMethod { nearest: Some(name), .. } => format!("did you mean `{name}`?"),
            Self::UnknownMethod { nearest: None, known, .. } => format!("there are {known}"),
            Self::Parameter(cause) => return cause.remedy(),
            Self::StepSize { .. } => {
                "it must be positive, finite and large enough to move time".into()
            }
            Self::FixedStep { others, .. } => {
                format!("those whose steps may change are {others}")
            }
            Self::Unstable { .. } => {
                "take that step, or an implicit method, which forgets them".into()
            }
            Self::EndTime { .. } => "it must be finite".into(),
            Self::Steps { .. } => "steps that fall from one to the next and divide 0.1 s".into(),
            Self::Newton { .. } => "it must be positive and finite".into(),
            Self::Feature { others, .. } => format!("methods that do: {others}"),
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
            (Self::Steps { .. }, remedy) => write!(out, "{}{}", self.fact(), remedy_line(remedy)),
            (_, Some(remedy)) => write!(out, "{}; {remedy}", self.fact()),
            (_, None) => write!(out, "{}", self.fact()),
        }
    }
}
