//! The policy for files that exist already.

use std::path::Path;

use cardan::output::{self, ExistingFile, OutputError};

use crate::error::LabError;

/// Whether files that Cardan did not write may be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overwrite {
    /// Only files that Cardan wrote are replaced.
    #[default]
    OwnFiles,
    /// Any file of the name is replaced.
    AnyFile,
}

impl Overwrite {
    /// The policy for a file whose origin can be recognized.
    pub fn existing<'a>(self, is_ours: &'a dyn Fn(&Path) -> bool) -> ExistingFile<'a> {
        match self {
            Self::OwnFiles => ExistingFile::ReplaceIf(is_ours),
            Self::AnyFile => ExistingFile::Replace,
        }
    }

    /// The policy for a file that a user edits.
    pub fn existing_work(self) -> ExistingFile<'static> {
        match self {
            Self::OwnFiles => ExistingFile::Keep,
            Self::AnyFile => ExistingFile::Replace,
        }
    }
}

/// Checks that a file may be written, before anything is computed.
pub fn check(path: &Path, existing: ExistingFile<'_>) -> Result<(), LabError> {
    output::check(path, existing).map_err(with_remedy)
}

/// Writes a file atomically.
pub fn write(path: &Path, bytes: &[u8], existing: ExistingFile<'_>) -> Result<(), LabError> {
    output::write(path, bytes, existing).map_err(with_remedy)
}

fn with_remedy(error: OutputError) -> LabError {
    let remedy = match &error {
        OutputError::Foreign { .. } => ", or replace it with --overwrite",
        _ => "",
    };
    LabError::input(format!("{error}{remedy}"))
}
