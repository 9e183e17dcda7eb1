//! Results: columns over time, written atomically: a file with its final name is complete.
//!
//! ```text
//!   Instant ── Recorder: channels by name ── row ── ResultsFolder: closed parts, merged at the end
//!                                                     │  └─▶ results.parquet or results.csv, summary.json
//!                    state of the run ── checkpoint ──┘      state.cardan, checksums.sha256
//! ```

mod checksums;
mod contents;
mod csv;
mod event_table;
mod folder;
mod format;
mod in_memory;
mod inspect;
mod layout;
mod parquet;
mod part;
mod place;
mod recorder;
mod row_store;
mod saved;
mod snapshot;
mod summary;
mod table;

pub use crate::wildcard::matches;
pub use checksums::FileCheck;
pub use contents::is_our_parquet;
pub use folder::{FolderLock, ResultsFolder, ResumePoint, WriteError};
pub use format::ResultsFormat;
pub use in_memory::{MemoryResults, SharedResults};
pub use inspect::{FileReport, JoinError, RunReport, inspect, join};
pub use layout::{EVENTS, MOTION, RUN, SNAPSHOTS, STATE};
pub use part::{Part, PartsOnDisk};
pub use recorder::{Column, Recorder, run_channels};
pub use row_store::RowLayout;
pub use saved::{Extension, SavedFiles};
pub use snapshot::{SnapshotEntry, snapshots};
pub use summary::{
    EventEntry, Interruption, JointImpulse, MAX_LISTED_EVENTS, RunStatus, RunSummary,
};
pub use table::{ReadError, ResultsTable, write_columns};
