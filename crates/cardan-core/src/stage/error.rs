//! The failure of one nonlinear problem: which equation, and what to try.

use thiserror::Error;

use crate::math::Chart;
use crate::system::{Failure, SystemError};

/// An equation that is not satisfied.
#[derive(Clone, Debug, PartialEq)]
pub struct RowResidual {
    /// The coordinate, constraint or state of the equation.
    pub name: String,
    /// Its residual, scaled as in the stage.
    pub residual: f64,
}

/// A force that changes much from one iteration to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceChange {
    /// Name of the force.
    pub name: String,
    /// Its value before the last iteration.
    pub from: f64,
    /// Its value after it.
    pub to: f64,
}

/// The failure of one nonlinear problem.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
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
    #[error("singular matrix: {unknown} is undetermined")]
    Singular {
        /// The unknown without a pivot.
        unknown: String,
    },
    /// The matrix of a system that claims to be positive definite is not.
    #[error(
        "`is_symmetric_positive` is true, but the matrix of the system is not positive definite"
    )]
    NotPositive,
    /// A value became infinite or not a number.
    #[error("{what} is not finite")]
    NotFinite {
        /// Where.
        what: String,
    },
    /// A rotation within one step exceeds the limit of the chart.
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
    /// A first-order state that an equilibrium does not determine.
    #[error(
        "the equilibrium does not determine {state}: at rest its rate is zero for every configuration"
    )]
    UndeterminedState {
        /// The state.
        state: String,
    },
    /// A first-order state that changes in every configuration.
    #[error(
        "{state} has no equilibrium: it changes in every configuration (residual {residual:.1e})"
    )]
    DrivenState {
        /// The state.
        state: String,
        /// The residual of its equation with ż = 0.
        residual: f64,
    },
    /// The system does not accept the instant.
    #[error(transparent)]
    Refused(Box<Failure>),
    /// The system failed while being evaluated.
    #[error(transparent)]
    System(#[from] SystemError),
}

impl StageError {
    /// An instant that is not accepted.
    pub fn refused(failure: impl Into<Failure>) -> Self {
        Self::Refused(Box::new(failure.into()))
    }

    /// Whether a first-order state has no equilibrium, whatever the loads are.
    pub fn is_about_state(&self) -> bool {
        matches!(self, Self::UndeterminedState { .. } | Self::DrivenState { .. })
    }

    /// What to try when no equilibrium is found.
    pub fn static_remedy(&self) -> &'static str {
        match self {
            Self::NotConverged { .. } | Self::Refused(_) => {
                "more load steps; if that does not help, there may be no equilibrium near: the \
                 structure buckles, or the mechanism falls"
            }
            Self::Singular { .. } => {
                "hold what can move freely: without inertia it is undetermined; or the \
                 structure is about to buckle"
            }
            Self::UndeterminedState { .. } => {
                "let its rate depend on a position, a reaction or its own value; or compute the motion until it \
                 comes to rest"
            }
            Self::DrivenState { .. } => {
                "let its rate vanish at this time; or compute the motion instead of an equilibrium"
            }
            other => other.remedy(),
        }
    }

    /// What to try.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotConverged { changes, .. } if !changes.is_empty() => {
                "a smaller step; where a force law is named, one that changes more gradually (a wider transition \
                 of friction, a softer stop)"
            }
            Self::NotConverged { .. } => {
                "a smaller step; if that does not help, the mechanism may be at a dead point, or cannot \
                 reach the driven position (for your own `System`: check the tangents)"
            }
            Self::Singular { .. } => {
                "look for redundant constraints, an unconstrained coordinate without inertia, or \
                 a singular position"
            }
            Self::NotPositive => "leave `is_symmetric_positive` false",
            Self::NotFinite { .. } => {
                "check the force law and the constraints named here for divisions by zero; \
                 otherwise a smaller step"
            }
            Self::RotationPerStep { .. } => "a smaller step: half the limit is a good choice",
            Self::UndeterminedState { .. } | Self::DrivenState { .. } => self.static_remedy(),
            Self::Refused(_) => {
                "a smaller step; if that does not help, check the part that is named here"
            }
            Self::System(SystemError::Failed { .. }) => "correct the part that failed",
            Self::System(_) => "correct the `System` implementation",
        }
    }
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
