//! The check of limits of validity: which are exceeded, since when, and by how much.

use super::state::{ExceededLimit, State};
use super::warning::Warning;
use crate::system::{Evaluator, System, ValidityLimit};

/// The limits of a system. The values that exceed them are part of the [`State`](super::State).
pub(super) struct LimitWatch {
    limits: Vec<ValidityLimit>,
    values: Vec<f64>,
}

impl LimitWatch {
    pub fn new(system: &dyn System) -> Self {
        let limits = system.limits();
        Self { values: vec![0.0; limits.len()], limits }
    }

    /// The number of limits.
    pub fn count(&self) -> usize {
        self.limits.len()
    }

    /// Checks the current instant of a state.
    pub fn check(&mut self, system: &dyn System, evaluator: &Evaluator, state: &mut State) {
        if self.limits.is_empty() {
            return;
        }
        let State { now, exceeded_limits, .. } = state;
        evaluator.limit_values(system, now, &mut self.values);
        for ((limit, &value), kept) in self.limits.iter().zip(&self.values).zip(exceeded_limits) {
            // NaN does not exceed a limit
            if value > limit.limit {
                let new = ExceededLimit { since: now.t, worst: value, worst_time: now.t };
                let first = kept.get_or_insert(new);
                if value > first.worst {
                    *first = ExceededLimit { since: first.since, ..new };
                }
            }
        }
    }

    /// A warning for each limit that was exceeded.
    pub fn warnings(&self, state: &State) -> impl Iterator<Item = Warning> {
        self.limits.iter().zip(&state.exceeded_limits).filter_map(|(limit, exceeded)| {
            let ExceededLimit { since, worst, worst_time } = (*exceeded)?;
            Some(Warning::Validity { limit: limit.clone(), since, worst, worst_time })
        })
    }
}
