//! Results: columns over time, written atomically: a file with its final name is complete.
//!
//! ```text
//!   Instant ── Recorder: channels by name ── row ── Folder: closed parts, merged at the end
//!                                                     └─▶ results.parquet or results.csv, summary.json
//! ```

mod contents;
mod csv;
mod folder;
mod format;
mod layout;
mod parquet;
mod place;
mod recorder;
mod snapshot;
mod summary;
mod table;

pub use crate::wildcard::matches;
pub use contents::is_our_parquet;
pub use folder::{ResultsFolder, WriteError};
pub use format::ResultsFormat;
pub use layout::SNAPSHOTS;
pub use recorder::{Column, Recorder, run_channels};
pub use snapshot::{SnapshotEntry, snapshots};
pub use summary::{RunStatus, RunSummary};
pub use table::{ReadError, ResultsTable, write_columns};
