//! What can go wrong, as data: which equation, when, and what to try.

use thiserror::Error;

use crate::math::Chart;
use crate::methods::{ParameterError, Stability};

/// Any failure of the library.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Error {
    /// The system contradicts itself.
    #[error("{}", unusable(.0))]
    System(#[from] SystemError),
    /// The mechanism cannot be built or put together.
    #[error(transparent)]
    Model(#[from] crate::model::ModelError),
    /// The settings cannot be used.
    #[error("the settings are not usable: {0}")]
    Settings(#[from] SettingsError),
    /// The motion cannot begin.
    #[error("cannot start at t = {time}: {cause}{}", remedy_line(cause.remedy()))]
    Start {
        /// The initial time.
        time: f64,
        /// The reason.
        #[source]
        cause: StartError,
    },
    /// There are no modes.
    #[error("no modes: {0}")]
    Modes(#[from] crate::modes::ModesError),
    /// There is no linear system.
    #[error("cannot linearize: {0}")]
    StateSpace(#[from] crate::modes::StateSpaceError),
    /// No equilibrium was found.
    #[error(
        "no equilibrium found at {} of the load, t = {time}: {cause}{}",
        percent(*load),
        remedy_line(Some(cause.static_remedy()))
    )]
    Static {
        /// The part of the load.
        load: f64,
        /// The time.
        time: f64,
        /// The reason.
        #[source]
        cause: StageError,
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
        /// The time at which the step began; the state is still the one of this time.
        time: f64,
        /// The step size.
        step_size: f64,
        /// Whether the step is so small that round-off of positions is above what accelerations change.
        is_below_round_off: bool,
        /// For which steps the method is stable.
        stability: Stability,
        /// The reason.
        #[source]
        cause: StageError,
    },
    /// Something that cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[source] crate::system::Failure),
    /// An instant that is not one of the system.
    #[error("the instant does not belong to the system: {0}")]
    Instant(#[from] crate::state::InstantError),
    /// An angular velocity with which a model cannot turn as a whole.
    #[error(
        "a spin of ({}, {}, {}) rad/s cannot be used{}",
        spin[0], spin[1], spin[2],
        remedy_line(Some(spin_remedy(*is_planar)))
    )]
    Spin {
        /// The angular velocity, world axes.
        spin: [f64; 3],
        /// Whether the model is planar.
        is_planar: bool,
    },
}

impl Error {
    /// What is worth trying.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Model(cause) => cause.remedy(),
            Self::Settings(cause) => cause.remedy(),
            Self::Start { cause, .. } => cause.remedy().map(String::from),
            Self::Static { cause, .. } => Some(cause.static_remedy().into()),
            Self::Step { stability, is_below_round_off, cause, .. } => {
                Some(step_remedy(*stability, *is_below_round_off, cause))
            }
            Self::Spin { is_planar, .. } => Some(spin_remedy(*is_planar).into()),
            _ => None,
        }
    }
}

/// The line of a message that says what to try.
pub(crate) fn remedy_line(remedy: Option<impl std::fmt::Display>) -> String {
    remedy.map_or(String::new(), |remedy| format!("\n  try: {remedy}"))
}

fn step_remedy(stability: Stability, is_below_round_off: bool, cause: &StageError) -> String {
    let remedy = if is_below_round_off { LARGER_STEP } else { cause.remedy() };
    match stability {
        Stability::Conditional => format!(
            "{remedy}; this method is stable for small steps at most (`cardan spectrum` tells): where \
             stiffness is, an implicit one"
        ),
        Stability::A | Stability::L => remedy.into(),
    }
}

fn spin_remedy(is_planar: bool) -> &'static str {
    match is_planar {
        true => "give the angular velocity about z alone: a planar model turns about no other axis",
        false => "give finite numbers",
    }
}

const LARGER_STEP: &str = "a larger step: in so short a time accelerations change positions by less \
                           than their round-off";

/// A system whose description contradicts itself, or whose evaluation failed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SystemError {
    /// More unknowns than can be handled.
    #[error("{unknowns} unknowns, more than {most}")]
    TooLarge {
        /// The number of unknowns.
        unknowns: usize,
        /// The limit.
        most: usize,
    },
    /// A matrix entry outside the matrix, or outside the pattern recorded at first.
    #[error(
        "`{written_by}` wrote entry ({row}, {column}), {} (rows: {rows}, columns: {columns})",
        if *outside {
            "which lies outside the matrix"
        } else {
            "which it had left out before; add structural zeros too"
        }
    )]
    Entry {
        /// The method of the system that wrote it.
        written_by: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// Whether the entry lies outside the matrix.
        outside: bool,
    },
    /// A tangent too large to be differenced as a full matrix.
    #[error(
        "`{written_by}` is left to differences, but a full {rows}×{columns} matrix is too large: \
         write it (for ∂f/∂q, ∂f/∂v and ∂(Ma)/∂q a `coupling` helps too)"
    )]
    DenseTangentTooLarge {
        /// The method of the system that would write it.
        written_by: &'static str,
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// An evaluation failed for a reason of its own.
    #[error("{failure} (at t = {time})")]
    Failed {
        /// The time of the evaluation.
        time: f64,
        /// The part and the reason.
        #[source]
        failure: Box<crate::system::Failure>,
    },
    /// The reference integrator of the exam cannot take this system.
    #[error("the reference takes no forces that depend on multipliers")]
    NoReference,
    /// `coupling` names a coordinate that does not exist.
    #[error("`coupling` names a coordinate that does not exist")]
    CouplingOutOfRange,
    /// A vector of the wrong length.
    #[error("`{what}` has length {found}, the system needs {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that the system needs.
        expected: usize,
    },
}

/// Settings that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
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

/// Initial values from which no motion can begin.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StartError {
    /// A vector of the wrong length.
    #[error("{what} has length {found}, the system needs {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// What was given.
        found: usize,
        /// What the system needs.
        expected: usize,
    },
    /// A value that is infinite or not a number, or a quaternion of length zero.
    #[error("{what} is not finite{}", if *.what == "q" { ", or holds a quaternion of length zero" } else { "" })]
    NotFinite {
        /// Which vector.
        what: &'static str,
    },
    /// The state belongs to another run.
    #[error("this state cannot be continued here: {reason}")]
    Foreign {
        /// Why not.
        reason: String,
    },
    /// A motion that is not prescribed in full.
    #[error(
        "the motion is not determined by the constraints alone: {coordinates} coordinates, \
         {constraints} position constraints"
    )]
    NotDriven {
        /// Coordinates.
        coordinates: usize,
        /// Holonomic constraints.
        constraints: usize,
    },
    /// A driven mechanism that can close in two ways came to a place where they meet.
    #[error("the driven position cannot be followed: the mechanism can close in two ways here")]
    Branches,
    /// The initial equations could not be solved.
    #[error("{doing}: {cause}")]
    Unsolvable {
        /// What was being computed.
        doing: &'static str,
        /// The reason.
        #[source]
        cause: StageError,
    },
}

impl StartError {
    /// What is worth trying.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NotDriven { .. } => Some(
                "drive every degree of freedom by its position (a prescribed speed leaves the position \
                 open), or simulate",
            ),
            Self::Branches => {
                Some("drive it so that it stays away from the position where they meet")
            }
            Self::Unsolvable { cause, .. } => Some(cause.remedy()),
            Self::Length { .. } | Self::NotFinite { .. } | Self::Foreign { .. } => None,
        }
    }
}

/// An equation that is not satisfied.
#[derive(Clone, Debug, PartialEq)]
pub struct RowResidual {
    /// What the equation belongs to.
    pub name: String,
    /// Its residual, scaled as in the stage.
    pub residual: f64,
}

/// A force that changes much from one iteration to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceChange {
    /// What exerts it.
    pub name: String,
    /// Its value before the last iteration.
    pub from: f64,
    /// Its value after it.
    pub to: f64,
}

/// The failure of one nonlinear problem.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StageError {
    /// Newton's method did not reach the tolerance.
    #[error(
        "Newton did not converge in {iterations} iterations (last correction {correction:.1e} \
         times the tolerance); largest residuals: {}{}",
        list(worst),
        list_changes(changes)
    )]
    NotConverged {
        /// Iterations done.
        iterations: usize,
        /// The last correction over the tolerance.
        correction: f64,
        /// The equations with the largest residuals.
        worst: Vec<RowResidual>,
        /// Forces in the worst equation of motion that change much from one iteration to the next.
        changes: Vec<ForceChange>,
    },
    /// The matrix is singular.
    #[error("the equations do not determine {unknown}")]
    Singular {
        /// The unknown without a pivot.
        unknown: String,
    },
    /// The matrix of a system that claims to be positive definite is not.
    #[error("the system says `is_symmetric_positive`, but its matrix is not positive definite")]
    NotPositive,
    /// A value became infinite or not a number.
    #[error("{what} is not finite")]
    NotFinite {
        /// Where.
        what: String,
    },
    /// A rotation within one step is beyond the chart.
    #[error(
        "the rotation per step is too large: {name} turns {angle:.2} rad, the limit is {limit:.2}"
    )]
    RotationPerStep {
        /// The rotating coordinates.
        name: String,
        /// The angle reached.
        angle: f64,
        /// The chart's limit.
        limit: f64,
        /// The chart.
        chart: Chart,
    },
    /// The system does not accept the instant.
    #[error(transparent)]
    Refused(Box<crate::system::Failure>),
    /// The system failed while being evaluated.
    #[error(transparent)]
    System(#[from] SystemError),
}

impl SystemError {
    /// A failure of the system's own at a time.
    pub(crate) fn failed(time: f64, failure: crate::system::Failure) -> Self {
        Self::Failed { time, failure: Box::new(failure) }
    }
}

impl StageError {
    /// An instant that is not accepted.
    pub fn refused(failure: impl Into<crate::system::Failure>) -> Self {
        Self::Refused(Box::new(failure.into()))
    }

    /// What is worth trying when no equilibrium is found.
    pub(crate) fn static_remedy(&self) -> &'static str {
        match self {
            Self::NotConverged { .. } | Self::Refused(_) => {
                "more load steps; if that does not help, there may be no equilibrium near by: the \
                 structure buckles, or the mechanism falls"
            }
            Self::Singular { .. } => {
                "hold what can move freely: without inertia nothing else determines it; or the \
                 structure is about to buckle"
            }
            other => other.remedy(),
        }
    }

    /// What is worth trying.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotConverged { changes, .. } if !changes.is_empty() => {
                "a smaller step; where a force law is named, one that changes more gradually (a wider transition \
                 of friction, a softer stop)"
            }
            Self::NotConverged { .. } => {
                "a smaller step; if that does not help, the mechanism may be at a dead point, or cannot \
                 reach where it is driven (for equations of your own: check the tangents)"
            }
            Self::Singular { .. } => {
                "look for redundant constraints, a massless coordinate that no constraint holds, or \
                 a singular position"
            }
            Self::NotPositive => "leave `is_symmetric_positive` false",
            Self::NotFinite { .. } => {
                "check the force law and the constraints named here for divisions by zero; \
                 otherwise a smaller step"
            }
            Self::RotationPerStep { .. } => "a smaller step: half the limit is a good choice",
            Self::Refused(_) => "a smaller step; if that does not help, look at what is named here",
            Self::System(SystemError::Failed { .. }) => "look at what failed here",
            Self::System(_) => "correct the system's description",
        }
    }
}

fn unusable(error: &SystemError) -> String {
    match error {
        SystemError::Failed { .. } => format!("an evaluation failed: {error}"),
        _ => format!("the system is not usable: {error}"),
    }
}

fn percent(part: f64) -> String {
    format!("{} %", 100.0 * part)
}

fn list(rows: &[RowResidual]) -> String {
    let text: Vec<_> = rows.iter().map(|r| format!("{} ({:.1e})", r.name, r.residual)).collect();
    text.join(", ")
}

fn list_changes(changes: &[ForceChange]) -> String {
    let text = |x: &ForceChange| {
        format!("; {} changes from {:.2e} to {:.2e} between iterations", x.name, x.from, x.to)
    };
    changes.iter().map(text).collect()
}
