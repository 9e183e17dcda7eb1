//! The history that a method needs.

use serde::{Deserialize, Serialize};

use super::Instant;

/// A vector that a method keeps from step to step in addition to the motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuxiliaryVector {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}

/// The history that a method needs: one structure for all methods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodHistory {
    /// Earlier instants, the latest first; only the first `filled` are meaningful. Vectors that the method does not need
    /// are empty.
    pub earlier: Vec<Instant>,
    /// How many earlier instants are known.
    pub filled: usize,
    /// Auxiliary vectors, in the order of the method's [`storage`](crate::methods::Method::storage).
    pub auxiliary: Vec<AuxiliaryVector>,
}

impl MethodHistory {
    /// Makes `now` the latest of the earlier instants, and removes the oldest.
    pub(crate) fn push(&mut self, now: &Instant) {
        if self.earlier.is_empty() {
            return;
        }
        self.earlier.rotate_right(1);
        self.earlier[0].copy_stored_from(now);
        self.filled = (self.filled + 1).min(self.earlier.len());
    }
}
