//! Files that are written: safe names, whole files or none, and nothing replaced that Cardan did not write.
//!
//! ```text
//!   name of a model ── FileNames ──▶ file name ── write ──▶ beside it, synced, renamed
//!                                        │
//!                        is there a file? origin: only one that Cardan wrote is replaced
//! ```

mod digest;
mod disk;
mod file_name;
pub mod origin;
mod write;

pub use digest::{FileDigest, file_sha256, fingerprint};
pub use disk::{Disk, DiskFile, LocalDisk};
pub use file_name::{FileNames, file_name, file_name_of};
pub use write::{ExistingFile, OutputError, check, sync_folder, write};
