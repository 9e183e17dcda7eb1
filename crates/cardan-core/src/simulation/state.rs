//! The state of a run: all that evolves, as plain, serializable data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::detour::Detour;
use super::event_memory::EventMemory;
use super::step_controller::{ControllerMemory, StepCounts};
use crate::linalg::Pivots;
use crate::methods::ParameterValue;
use crate::stage::{Formulation, NewtonMemory, TermCoefficients};
use crate::state::{Instant, MethodHistory};
use crate::system::{Identity, System};

/// A jump closer to an instant than this fraction of the step is at the instant.
pub(super) const ON_INSTANT: f64 = 1e-6;

/// The time from which steps of one size are counted, so that no rounding accumulates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepOrigin {
    /// The time.
    pub time: f64,
    /// Steps taken until this time.
    pub steps: u64,
}

/// A limit of validity that was exceeded: since when, and the largest value with its time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExceededLimit {
    /// The time of the first value above the limit.
    pub since: f64,
    /// The largest value.
    pub worst: f64,
    /// Its time.
    pub worst_time: f64,
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
    /// The pivots of the linear solvers: they determine the last bits.
    #[serde(with = "shared_pivots")]
    pub pivots: Vec<Arc<Pivots>>,
    /// For each limit of validity of the system, how it was exceeded so far; `None` if it was not.
    #[serde(default)]
    pub exceeded_limits: Vec<Option<ExceededLimit>>,
    /// The coefficients of the constant stage matrix whose factors are kept. A continued run forms it again,
    /// which does not count as a factorization.
    #[serde(default)]
    pub(crate) kept_matrix: Option<TermCoefficients>,
    /// The stage matrix that is kept from step to step, and its rate of convergence.
    #[serde(default)]
    pub(crate) newton: NewtonMemory,
    /// The memory of the step-size controller, under error control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) controller: Option<ControllerMemory>,
    /// Accepted, rejected and other steps so far.
    #[serde(default)]
    pub counts: StepCounts,
    /// The end of a step of fixed size that is being replaced by shorter ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) detour: Option<Detour>,
    /// Whether a formula of time jumps now, so that the next step begins a new motion.
    #[serde(default)]
    pub(crate) restart_due: bool,
    /// The memory of the events.
    #[serde(default)]
    pub events: EventMemory,
}

impl State {
    /// Whether an event ended the run at this state.
    pub fn is_stopped(&self) -> bool {
        self.events.stopped_by.is_some()
    }

    /// How the coordinates, constraints or states of a system differ in number or name from those of this state;
    /// `None` if they do not.
    pub fn difference_of_names(&self, system: &dyn System) -> Option<String> {
        let (space, now) = (system.space(), &self.now);
        let sizes = [
            ("coordinates", now.q.len(), space.configurations()),
            ("velocities", now.v.len(), space.velocities()),
            (
                "constraints",
                now.multipliers.len(),
                system.holonomic_count().saturating_add(system.nonholonomic_count()),
            ),
            ("states", now.z.len(), system.state_count()),
        ];
        if let Some((what, saved, here)) = sizes.into_iter().find(|(_, a, b)| a != b) {
            return Some(format!("it has {saved} {what}, and this model has {here}"));
        }
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        if !(now.t.is_finite() && finite(&now.q) && finite(&now.v) && finite(&now.z)) {
            return Some("it has values that are not finite".into());
        }
        let is_other = !self.identity.has_names_of(system);
        is_other.then(|| "its coordinates, constraints or states have other names".into())
    }

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

/// Pivots are saved as if they were not shared.
mod shared_pivots {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    use crate::linalg::Pivots;

    pub fn serialize<S: Serializer>(all: &[Arc<Pivots>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(all.iter().map(|pivots| &**pivots))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Arc<Pivots>>, D::Error> {
        Ok(Vec::<Pivots>::deserialize(deserializer)?.into_iter().map(Arc::new).collect())
    }
}
