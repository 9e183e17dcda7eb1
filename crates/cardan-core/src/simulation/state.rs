//! The state of a run: all that evolves, as plain, serializable data.

use serde::{Deserialize, Serialize};

use super::limit_watch::ExceededLimit;
use crate::methods::ParameterValue;
use crate::stage::{Formulation, TermCoefficients};
use crate::state::{Instant, MethodHistory};
use crate::system::Identity;

/// The time from which steps of one size are counted, so that no rounding accumulates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepOrigin {
    /// The time.
    pub time: f64,
    /// Steps taken until this time.
    pub steps: u64,
}

/// The state of a run: all that evolves. A run continued from a saved state gives the same bits, with the same binary,
/// the same C library and the same CPU features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The method this state belongs to.
    pub method: String,
    /// The method's parameters.
    pub parameters: Vec<(String, ParameterValue)>,
    /// The method's coefficients, which may differ from those of the registry.
    #[serde(default)]
    pub coefficients: Vec<(String, f64)>,
    /// The system it belongs to.
    #[serde(default)]
    pub identity: Identity,
    /// The constraint formulation.
    pub constraints: Formulation,
    /// The step size it was computed with.
    pub step_size: f64,
    /// The time at which the run began.
    pub start: f64,
    /// Steps taken.
    pub steps: u64,
    /// The time since which steps have had this size.
    #[serde(alias = "paced")]
    pub step_origin: StepOrigin,
    /// The current instant.
    pub now: Instant,
    /// The history.
    pub history: MethodHistory,
    /// Pivot rows of the linear solvers: they determine the last bits.
    pub pivots: Vec<Vec<u32>>,
    /// For each limit of validity of the system, how it was exceeded so far; `None` if it was not.
    #[serde(default)]
    pub exceeded_limits: Vec<Option<ExceededLimit>>,
    /// The coefficients of the constant stage matrix whose factors are kept. A continued run forms it again,
    /// which does not count as a factorization.
    #[serde(default)]
    pub(crate) kept_matrix: Option<TermCoefficients>,
}

impl State {
    /// The time that follows from the steps taken.
    pub(crate) fn time(&self) -> f64 {
        self.time_after(0.0)
    }

    /// The time at the end of the next step.
    pub(crate) fn next_time(&self) -> f64 {
        self.time_after(1.0)
    }

    fn time_after(&self, more: f64) -> f64 {
        let steps = self.steps.saturating_sub(self.step_origin.steps) as f64;
        self.step_origin.time + (steps + more) * self.step_size
    }
}
