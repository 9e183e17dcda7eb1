//! The check of limits of validity: which are exceeded, since when, and by how much.

use super::warning::Warning;
use crate::state::Instant;
use crate::system::{Evaluator, System, ValidityLimit};

/// The limits of a system, and the values that exceed them.
pub(super) struct LimitWatch {
    limits: Vec<ValidityLimit>,
    values: Vec<f64>,
    exceeded: Vec<Option<Exceeded>>,
}

/// Since when a limit is exceeded, and the largest value with its time.
#[derive(Clone, Copy)]
struct Exceeded {
    since: f64,
    worst: f64,
    worst_time: f64,
}

impl LimitWatch {
    pub fn new(system: &dyn System) -> Self {
        let limits = system.limits();
        Self { values: vec![0.0; limits.len()], exceeded: vec![None; limits.len()], limits }
    }

    /// Checks an instant.
    pub fn check(&mut self, system: &dyn System, evaluator: &Evaluator, now: &Instant) {
        if self.limits.is_empty() {
            return;
        }
        evaluator.limit_values(system, now, &mut self.values);
        for ((limit, &value), kept) in self.limits.iter().zip(&self.values).zip(&mut self.exceeded)
        {
            // NaN does not exceed a limit
            if value > limit.limit {
                let new = Exceeded { since: now.t, worst: value, worst_time: now.t };
                let first = kept.get_or_insert(new);
                if value > first.worst {
                    *first = Exceeded { since: first.since, ..new };
                }
            }
        }
    }

    /// A warning for each limit that was exceeded.
    pub fn warnings(&self) -> impl Iterator<Item = Warning> {
        self.limits.iter().zip(&self.exceeded).filter_map(|(limit, exceeded)| {
            let Exceeded { since, worst, worst_time } = (*exceeded)?;
            Some(Warning::Validity { limit: limit.clone(), since, worst, worst_time })
        })
    }
}
