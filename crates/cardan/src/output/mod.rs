//! Output files: safe names, atomic writing, and no replacement of files that Cardan did not write.
//!
//! ```text
//!   name of a model ── FileNames ──▶ file name ── write ──▶ temporary name, synced, renamed
//!                                        │
//!                        file exists? origin: only one that Cardan wrote is replaced
//! ```

mod container;
mod digest;
#[cfg(feature = "results")]
mod digest_file;
mod disk;
mod file_name;
pub mod origin;
#[cfg(any(feature = "file", feature = "results"))]
mod run_files;
mod write;

pub use container::{ContainerError, ContainerKind, MAX_HEAD};
pub use digest::{FileDigest, bytes_sha256, file_sha256, fingerprint};
#[cfg(feature = "results")]
pub(crate) use digest_file::DigestFile;
pub use disk::{Disk, DiskFile, LocalDisk};
pub use file_name::{FileNames, file_name, file_name_of};
#[cfg(any(feature = "file", feature = "results"))]
pub use run_files::STATE;
#[cfg(feature = "file")]
pub(crate) use run_files::latest_state;
#[cfg(feature = "results")]
pub(crate) use run_files::{UNFINISHED, checkpoint_name, checkpoints, is_checkpoint};
pub use write::{ExistingFile, OutputError, check, write};
