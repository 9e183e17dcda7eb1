//! The results of a run that are kept in memory.

use std::sync::{Arc, Mutex, PoisonError};

use crate::model::Snapshot;

/// Rows, snapshots and the last state of a run.
#[derive(Clone, Debug, Default)]
pub struct MemoryResults {
    /// The columns, time first.
    pub columns: Vec<Vec<f64>>,
    /// The snapshots of structures.
    pub snapshots: Vec<Snapshot>,
    /// The last state, encoded.
    pub(crate) state: Option<Vec<u8>>,
    /// The motion, encoded.
    pub(crate) motion: Option<Vec<u8>>,
}

/// Results that a run fills and its caller takes.
#[derive(Clone, Debug, Default)]
pub struct SharedResults(Arc<Mutex<MemoryResults>>);

impl SharedResults {
    /// Takes the results; empty ones remain.
    pub fn take(&self) -> MemoryResults {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add_snapshots(&self, all: &[Snapshot]) {
        let mut results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        results.snapshots.extend_from_slice(all);
    }

    pub(super) fn finish(&self, results: MemoryResults) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = results;
    }
}
