//! Errors of a simulation as data: the equation, the time, and what to try.

use thiserror::Error;

use crate::methods::{SettingsError, Stability};
use crate::stage::StageError;
use crate::suggestion::remedy_line;
use crate::system::{Failure, InstantError, StateView, System, SystemError};

/// The reason why a simulation cannot begin or continue.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The system cannot be evaluated.
    #[error("{}", unusable(.0))]
    System(#[from] SystemError),
    /// The settings cannot be used.
    #[error("invalid settings: {0}")]
    Settings(#[from] SettingsError),
    /// The simulation cannot begin.
    #[error("cannot start at t = {time}: {cause}{}", remedy_line(cause.remedy()))]
    Start {
        /// The initial time.
        time: f64,
        /// The reason.
        #[source]
        cause: StartError,
    },
    /// A step failed.
    #[error(
        "step {step} of `{method}` from t = {time} with h = {step_size:e} failed: {cause}{}",
        remedy_line(Some(step_remedy(*stability, *is_below_round_off, cause)))
    )]
    Step {
        /// The method.
        method: String,
        /// Number of the step, counted from one.
        step: u64,
        /// The time at which the step began; the state is not changed.
        time: f64,
        /// The step size.
        step_size: f64,
        /// Whether accelerations change the positions by less than round-off in this step.
        is_below_round_off: bool,
        /// The stability of the method.
        stability: Stability,
        /// The reason.
        #[source]
        cause: StageError,
    },
    /// Under error control, no step was short enough.
    #[error(
        "`{method}` cannot continue at t = {time}: the step size fell to {step_size:.1e} s; {cause}{}{}",
        reading(singular),
        remedy_line(Some(cause.remedy()))
    )]
    StepTooSmall {
        /// The method.
        method: String,
        /// The time that was reached.
        time: f64,
        /// The size of the last attempt, in seconds.
        step_size: f64,
        /// What limits the step.
        cause: StepLimit,
        /// The constraint whose multiplier has grown far above those of earlier steps, and the ratio: the mechanism is near a
        /// singular configuration.
        singular: Option<(String, f64)>,
    },
    /// The function or an action of an event cannot be evaluated.
    #[error("event `{name}` failed at t = {time}: {reason}")]
    Event {
        /// The event.
        name: String,
        /// The time.
        time: f64,
        /// The reason.
        reason: String,
    },
    /// Events follow each other without a step between them.
    #[error(
        "event `{name}` chatters at t = {time}: {count} events within one step since t = {since}{}",
        remedy_line(Some(CHATTERING_REMEDY))
    )]
    Chattering {
        /// The event that happened last.
        name: String,
        /// The time.
        time: f64,
        /// The time of the first of these events.
        since: f64,
        /// Their number.
        count: u64,
    },
    /// An output that cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[source] Failure),
    /// An input that cannot be set.
    #[error("input `{name}` cannot be set: {reason}")]
    Input {
        /// The name.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// An instant that does not belong to the system.
    #[error("the instant does not belong to the system: {0}")]
    Instant(#[from] InstantError),
}

impl SimulationError {
    /// What to try.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Settings(cause) => cause.remedy(),
            Self::Start { cause, .. } => cause.remedy().map(String::from),
            Self::Step { stability, is_below_round_off, cause, .. } => {
                Some(step_remedy(*stability, *is_below_round_off, cause))
            }
            Self::StepTooSmall { cause, .. } => Some(cause.remedy()),
            Self::Chattering { .. } => Some(CHATTERING_REMEDY.into()),
            Self::Event { .. }
            | Self::System(_)
            | Self::Read(_)
            | Self::Instant(_)
            | Self::Input { .. } => None,
        }
    }
}

const CHATTERING_REMEDY: &str = "an event that locks the coordinate or disables the others when the motion is slow; \
                                 two thresholds (hysteresis) instead of one; a larger `event_limit`";

/// The reason why the step size falls without end.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StepLimit {
    /// The estimated error stays above the tolerance.
    #[error("the estimated error of {worst} stays {size:.1e} times the tolerance")]
    Error {
        /// The error over the tolerance in the last attempt.
        size: f64,
        /// The coordinate, velocity or state where it is largest.
        worst: String,
    },
    /// The steps cannot be computed.
    #[error("{}", step_cause(.0))]
    Failed(#[source] Box<SimulationError>),
}

impl StepLimit {
    /// What to try.
    pub fn remedy(&self) -> String {
        match self {
            Self::Error { .. } => "check the model for a force or a drive that jumps there (a law with a corner, a \
                                   table, friction without a transition speed); a larger tolerance; a method with \
                                   more damping, such as bdf2"
                .into(),
            Self::Failed(error) => error.remedy().unwrap_or_default(),
        }
    }
}

/// A multiplier that has grown, as a half sentence.
fn reading(singular: &Option<(String, f64)>) -> String {
    match singular {
        Some((row, ratio)) => format!(
            "; the reaction of {row} has grown to {ratio:.0} times its usual size: the mechanism is near a singular \
             configuration, or is locked"
        ),
        None => String::new(),
    }
}

/// The cause of a failed step, without the step.
fn step_cause(error: &SimulationError) -> String {
    match error {
        SimulationError::Step { cause, .. } => cause.to_string(),
        other => other.to_string(),
    }
}

const LARGER_STEP: &str = "a larger step: in this step accelerations change positions by less than \
                           round-off";

fn step_remedy(stability: Stability, is_below_round_off: bool, cause: &StageError) -> String {
    let remedy = if is_below_round_off { LARGER_STEP } else { cause.remedy() };
    match stability {
        Stability::Conditional => format!(
            "{remedy}; this method is stable for small steps only (`cardan spectrum` gives the limit): for \
             stiff systems use an implicit one"
        ),
        Stability::A | Stability::L => remedy.into(),
    }
}

/// Initial values or saved states from which no simulation can begin.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StartError {
    /// A vector of the wrong length.
    #[error("{what} has length {found}, the system needs {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// The length given.
        found: usize,
        /// The length that the system needs.
        expected: usize,
    },
    /// A value that is infinite or not a number, or a quaternion of length zero.
    #[error("{what} is not finite{}", if *.what == "q" { ", or holds a quaternion of length zero" } else { "" })]
    NotFinite {
        /// Which vector.
        what: &'static str,
    },
    /// The saved state does not match the system or the settings.
    #[error("the saved state does not match the system or settings: {reason}")]
    Foreign {
        /// The reason.
        reason: String,
    },
    /// A motion that is not fully prescribed.
    #[error(
        "the constraints do not determine the motion: {coordinates} coordinates, \
         {constraints} position constraints"
    )]
    NotDriven {
        /// Coordinates.
        coordinates: usize,
        /// Holonomic constraints.
        constraints: usize,
    },
    /// Two branches of a driven mechanism meet.
    #[error("the driven position is not unique: two configurations of the mechanism meet here")]
    Branches,
    /// The initial equations could not be solved.
    #[error("{doing}: {cause}")]
    Unsolvable {
        /// The quantity that was computed.
        doing: &'static str,
        /// The reason.
        #[source]
        cause: StageError,
    },
}

impl StartError {
    /// What to try.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NotDriven { .. } => Some(
                "drive every degree of freedom by its position (a prescribed speed does not determine the \
                 position), or simulate",
            ),
            Self::Branches => Some("a drive that avoids the position where both meet"),
            Self::Unsolvable { cause, .. } => Some(cause.remedy()),
            Self::Length { .. } | Self::NotFinite { .. } | Self::Foreign { .. } => None,
        }
    }
}

fn unusable(error: &SystemError) -> String {
    match error {
        SystemError::Failed { .. } => format!("an evaluation failed: {error}"),
        _ => format!("invalid system: {error}"),
    }
}

/// An error of the initial equations; `doing` names what was being computed.
pub(super) fn unsolvable(time: f64, doing: &'static str, cause: StageError) -> SimulationError {
    SimulationError::Start { time, cause: StartError::Unsolvable { doing, cause } }
}

/// Replaces a value that is not finite by the reason that the system reports for one of the points, if any.
pub(super) fn system_reason(
    system: &dyn System,
    cause: StageError,
    points: &[StateView<'_>],
) -> StageError {
    let StageError::NotFinite { .. } = cause else { return cause };
    let known = points.iter().find_map(|at| Some((at.t, system.reason_not_finite(at)?)));
    match known {
        Some((time, failure)) => SystemError::failed(time, failure).into(),
        None => cause,
    }
}
