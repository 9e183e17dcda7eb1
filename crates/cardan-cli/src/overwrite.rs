//! `--overwrite`: one option for all commands that write a file named by the user.

use std::path::Path;

use cardan::output::{self, ExistingFile, OutputError};

use crate::CommandFailure;

#[derive(clap::Args, Clone, Copy)]
pub struct Overwrite {
    /// Replace a file that is there already, even if this program has not written it.
    #[arg(long)]
    overwrite: bool,
}

impl Overwrite {
    /// What may be done with a file that is there: one of ours is replaced.
    pub fn existing<'a>(self, is_ours: &'a dyn Fn(&Path) -> bool) -> ExistingFile<'a> {
        if self.overwrite { ExistingFile::Replace } else { ExistingFile::ReplaceIf(is_ours) }
    }

    /// What may be done with a file that somebody goes on working with.
    pub fn existing_work(self) -> ExistingFile<'static> {
        if self.overwrite { ExistingFile::Replace } else { ExistingFile::Keep }
    }
}

/// Whether a file may be written: asked before anything is computed.
pub fn check(path: &Path, existing: ExistingFile<'_>) -> Result<(), CommandFailure> {
    output::check(path, existing).map_err(explained)
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, bytes: &[u8], existing: ExistingFile<'_>) -> Result<(), CommandFailure> {
    output::write(path, bytes, existing).map_err(explained)
}

fn explained(error: OutputError) -> CommandFailure {
    let remedy = match &error {
        OutputError::Foreign { .. } => ", or replace it with --overwrite",
        _ => "",
    };
    CommandFailure::usage(format!("{error}{remedy}"))
}
