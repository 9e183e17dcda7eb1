//! The data of shorter steps: the end of the step they replace, and the jumps in time on which they end.

use serde::{Deserialize, Serialize};

/// The way to the end of a step of fixed size that is replaced by shorter ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Detour {
    /// The end of the step that is replaced.
    pub end: f64,
    /// The size of the shorter steps.
    pub step: f64,
    /// The fixed size.
    pub whole: f64,
}

/// Jumps in time of the system, in increasing order.
#[derive(Clone, Debug, Default)]
pub(super) struct JumpList {
    /// The time up to which they have been searched.
    pub until: Option<f64>,
    pub times: Vec<f64>,
}
