//! The times at which rows are written.

use serde::{Deserialize, Serialize};

/// The times at which rows are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowTimes {
    /// The ends of steps.
    #[default]
    Steps,
    /// The start, multiples of an interval in seconds after it, and the end.
    Interval(f64),
    /// These times, and the end.
    Times(Vec<f64>),
}

/// An interval is taken to be reached if this fraction of it is missing.
const ROUND_OFF: f64 = 1e-9;

impl RowTimes {
    /// The k-th time of a run that starts at `start`; `None` if rows are those of steps, or if there are no more times.
    pub fn time(&self, start: f64, k: u64) -> Option<f64> {
        match self {
            Self::Steps => None,
            Self::Interval(interval) => Some(start + k as f64 * interval),
            Self::Times(times) => times.get(usize::try_from(k).ok()?).copied(),
        }
    }

    /// The k-th time, not after a given time up to round-off.
    pub fn due(&self, start: f64, k: u64, now: f64) -> Option<f64> {
        let slack = match self {
            Self::Interval(interval) => ROUND_OFF * interval,
            _ => 0.0,
        };
        self.time(start, k).filter(|time| *time <= now + slack).map(|time| time.min(now))
    }

    /// The number of rows between two times; `None` if it depends on the steps.
    pub fn count(&self, start: f64, end: f64) -> Option<f64> {
        match self {
            Self::Steps => None,
            Self::Interval(interval) => Some(2.0 + (end - start) / interval),
            Self::Times(times) => Some(1.0 + times.len() as f64),
        }
    }
}
