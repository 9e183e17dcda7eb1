//! The stored result of a case.

use serde::{Deserialize, Serialize};

use crate::error::LabError;

/// The result of a case of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyRow {
    /// The key: a hash of everything that the result depends on.
    #[serde(with = "key")]
    pub key: u128,
    /// Whether the case failed.
    pub is_failed: bool,
    /// The reason of a failure, or a remark.
    pub reason: String,
    /// The quantities, in the order of the plan.
    pub quantities: Vec<f64>,
    /// The time it took, in seconds.
    pub seconds: f64,
    /// Channels over time, if they are kept.
    pub history: Option<CaseHistory>,
}

/// Channels of a case over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseHistory {
    /// The names of the columns; the first is `time`.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Vec<f64>>,
}

impl StudyRow {
    /// The row as bytes.
    pub fn encode(&self) -> Result<Vec<u8>, LabError> {
        rmp_serde::to_vec(self).map_err(|error| LabError::input(error.to_string()))
    }

    /// The row of these bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, LabError> {
        rmp_serde::from_slice(bytes)
            .map_err(|error| LabError::input(format!("this is not the row of a study: {error}")))
    }
}

/// A key as two numbers of 64 bits.
mod key {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(key: &u128, to: S) -> Result<S::Ok, S::Error> {
        ((key >> 64) as u64, *key as u64).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        let (high, low) = <(u64, u64)>::deserialize(from)?;
        Ok((u128::from(high) << 64) | u128::from(low))
    }
}
