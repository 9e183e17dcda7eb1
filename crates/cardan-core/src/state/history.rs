//! The past as a method needs it.

use serde::{Deserialize, Serialize};

use super::Instant;

/// A vector a method carries from step to step beside the motion itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuxiliaryVector {
    /// What it is.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}

/// The past as a method needs it: one structure for all methods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodHistory {
    /// Earlier instants, the latest first; only the first `filled` are meaningful.
    pub earlier: Vec<Instant>,
    /// How many earlier instants are known.
    pub filled: usize,
    /// Auxiliary vectors; a family knows its own by index.
    pub auxiliary: Vec<AuxiliaryVector>,
}

impl MethodHistory {
    /// Makes `now` the latest of the earlier instants, forgetting the oldest.
    pub(crate) fn push(&mut self, now: &Instant) {
        if self.earlier.is_empty() {
            return;
        }
        self.earlier.rotate_right(1);
        self.earlier[0].copy_from(now);
        self.filled = (self.filled + 1).min(self.earlier.len());
    }
}
