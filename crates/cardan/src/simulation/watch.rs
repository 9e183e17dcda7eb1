//! The watch over limits of validity: what was exceeded, since when, and by how much.

use super::Warning;
use crate::state::Instant;
use crate::system::{Limit, System};

/// The limits of a system, and the warnings about those exceeded.
pub(super) struct Watch {
    limits: Vec<Limit>,
    values: Vec<f64>,
    /// Where the warning of each limit stands.
    warnings: Vec<Option<usize>>,
}

impl Watch {
    pub fn new(system: &dyn System) -> Self {
        let limits = system.limits();
        Self { values: vec![0.0; limits.len()], warnings: vec![None; limits.len()], limits }
    }

    /// Looks at an instant; a limit exceeded for the first time adds a warning, and later ones renew it.
    pub fn look(&mut self, system: &dyn System, now: &Instant, all: &mut Vec<Warning>) {
        if self.limits.is_empty() {
            return;
        }
        system.limit_values(now, &mut self.values);
        for (k, (limit, &value)) in self.limits.iter().zip(&self.values).enumerate() {
            if value <= limit.limit || value.is_nan() {
                continue;
            }
            match self.warnings[k].and_then(|at| all.get_mut(at)) {
                Some(Warning::Validity { worst, worst_time, .. }) if value > *worst => {
                    (*worst, *worst_time) = (value, now.t);
                }
                Some(_) => {}
                None => {
                    self.warnings[k] = Some(all.len());
                    all.push(Warning::Validity {
                        limit: limit.clone(),
                        since: now.t,
                        worst: value,
                        worst_time: now.t,
                    });
                }
            }
        }
    }
}
