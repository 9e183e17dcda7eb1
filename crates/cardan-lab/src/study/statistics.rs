//! Statistics of a signal over a run.

use serde::{Deserialize, Serialize};

use cardan::math::larger;

/// Extremes, changes and errors of a signal over a run. A signal of several columns is represented by its Euclidean
/// norm; its errors include all columns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignalStatistics {
    /// √(Σ |x − x_ref|² / Σ |x_ref|²) over the steps that are in the reference; the root mean square of the
    /// difference alone where the reference is zero but for round-off.
    #[serde(with = "number")]
    pub error: f64,
    /// The largest |x − x_ref|.
    #[serde(with = "number")]
    pub largest_error: f64,
    /// |x − x_ref| at the last step compared.
    #[serde(with = "number")]
    pub last_error: f64,
    /// The value at the start.
    #[serde(with = "number")]
    pub first: f64,
    /// The value at the last step.
    #[serde(with = "number")]
    pub last: f64,
    /// The least value.
    #[serde(with = "number")]
    pub least: f64,
    /// The greatest value.
    #[serde(with = "number")]
    pub max: f64,
    /// The largest |x − x(0)|.
    #[serde(with = "number")]
    pub largest_change: f64,
    /// The mean |x − x(0)| over the steps.
    #[serde(with = "number")]
    pub mean_change: f64,
}

impl SignalStatistics {
    /// The names that `named` accepts.
    pub const NAMES: [&str; 9] = [
        "error",
        "largest-error",
        "last-error",
        "first",
        "last",
        "least",
        "greatest",
        "change",
        "mean-change",
    ];

    /// Statistics without values: all are NaN.
    pub const UNKNOWN: Self = Self {
        error: f64::NAN,
        largest_error: f64::NAN,
        last_error: f64::NAN,
        first: f64::NAN,
        last: f64::NAN,
        least: f64::NAN,
        max: f64::NAN,
        largest_change: f64::NAN,
        mean_change: f64::NAN,
    };

    /// One of the statistics by its name.
    pub fn named(&self, name: &str) -> Option<f64> {
        let values = [
            self.error,
            self.largest_error,
            self.last_error,
            self.first,
            self.last,
            self.least,
            self.max,
            self.largest_change,
            self.mean_change,
        ];
        Self::NAMES.iter().position(|known| *known == name).map(|k| values[k])
    }
}

/// Sums from which the statistics of a signal are computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    first: f64,
    last: f64,
    least: f64,
    greatest: f64,
    largest_change: f64,
    changes: f64,
    steps: f64,
    difference: f64,
    size: f64,
    largest_error: f64,
    last_error: f64,
    compared: f64,
}

/// Root mean squares below this are those of a signal that is zero.
const ZERO: f64 = 1e-12;

impl Sums {
    pub fn start(row: &[f64]) -> Self {
        let first = norm(row);
        Self { first, last: first, least: first, greatest: first, ..Self::default() }
    }

    /// Adds a step.
    pub fn add(&mut self, row: &[f64]) {
        self.last = norm(row);
        self.least = -larger(-self.least, -self.last);
        self.greatest = larger(self.greatest, self.last);
        let change = (self.last - self.first).abs();
        self.largest_change = larger(self.largest_change, change);
        self.changes += change;
        self.steps += 1.0;
    }

    /// Adds a step that is in the reference.
    pub fn compare(&mut self, row: &[f64], exact: &[f64]) {
        self.last_error = 0.0;
        for (x, exact) in row.iter().zip(exact) {
            let error = x - exact;
            self.difference += error * error;
            self.size += exact * exact;
            self.last_error = larger(self.last_error, error.abs());
        }
        self.largest_error = larger(self.largest_error, self.last_error);
        self.compared += 1.0;
    }

    pub fn measures(&self) -> SignalStatistics {
        let is_zero = (self.size / self.compared).sqrt() <= ZERO;
        let scale = if is_zero { self.compared } else { self.size };
        let known = |x: f64| if self.compared > 0.0 { x } else { f64::NAN };
        SignalStatistics {
            error: known((self.difference / scale).sqrt()),
            largest_error: known(self.largest_error),
            last_error: known(self.last_error),
            first: self.first,
            last: self.last,
            least: self.least,
            max: self.greatest,
            largest_change: self.largest_change,
            mean_change: if self.steps > 0.0 { self.changes / self.steps } else { 0.0 },
        }
    }
}

/// A single column with its sign, several by their norm.
fn norm(row: &[f64]) -> f64 {
    match row {
        [x] => *x,
        _ => row.iter().map(|x| x * x).sum::<f64>().sqrt(),
    }
}

/// Serialization of numbers; NaN and infinity, which JSON lacks, are written as words.
pub(crate) mod number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Word(String),
    }

    pub fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
        match x.is_finite() {
            true => x.serialize(to),
            false => x.to_string().serialize(to),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        match Written::deserialize(from)? {
            Written::Number(x) => Ok(x),
            Written::Word(word) => word.parse().map_err(serde::de::Error::custom),
        }
    }
}
