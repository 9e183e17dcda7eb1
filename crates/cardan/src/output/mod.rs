//! Files that are written: safe names, whole files or none, and nothing replaced that Cardan did not write; tables as text.
//!
//! ```text
//!   name of a model ── FileNames ──▶ file name ── write ──▶ beside it, synced, renamed
//!                                        │
//!                        is there a file? origin: only one that Cardan wrote is replaced
//! ```

mod disk;
mod file_name;
pub mod origin;
mod table;
mod write;

pub use disk::{Disk, DiskFile, LocalDisk};
pub use file_name::{FileNames, file_name, file_name_of};
pub use table::{TableRow, TextTable, decimal, duration, short, to_json};
pub use write::{ExistingFile, OutputError, check, sync_folder, write};
