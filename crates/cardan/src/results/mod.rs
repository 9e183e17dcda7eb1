//! Results: columns over time, written so that nothing on disk looks complete and is not.
//!
//! ```text
//!   Instant ── Recorder: channels by name ── row ── Folder: closed parts, merged at the end
//!                                                     └─▶ results.parquet or results.csv, summary.json
//! ```

mod comma;
mod contents;
mod folder;
mod frame;
mod health;
mod parquet;
mod place;
mod recorder;
mod run;
mod snapshot;
mod summary;

pub use contents::is_our_parquet;
pub use folder::{Folder, Format, WriteError};
pub use frame::{Frame, FrameError, write_columns};
pub use recorder::{Column, Recorder, matches, run_channels};
pub use run::{Progress, Request, RunError, explained, fingerprint, recorder, run, run_on};
pub use snapshot::{SNAPSHOTS, Snapshot, SnapshotEntry, snapshots};
pub use summary::{Status, Summary};
