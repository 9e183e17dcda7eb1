//! Output files: safe names, atomic writing, and no replacement of files that Cardan did not write.
//!
//! ```text
//!   name of a model ── FileNames ──▶ file name ── write ──▶ temporary name, synced, renamed
//!                                        │
//!                        file exists? origin: only one that Cardan wrote is replaced
//! ```

mod container;
mod digest;
mod disk;
mod file_name;
pub mod origin;
mod write;

pub use container::{ContainerError, ContainerKind};
pub(crate) use digest::DigestFile;
pub use digest::{FileDigest, bytes_sha256, file_sha256, fingerprint};
pub use disk::{Disk, DiskFile, LocalDisk};
pub use file_name::{FileNames, file_name, file_name_of};
pub use write::{ExistingFile, OutputError, check, write};
