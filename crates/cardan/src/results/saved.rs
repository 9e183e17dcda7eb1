//! The files of a run that can be continued: unfinished, or finished and to be extended.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::checksums::{self, FileCheck};
use super::contents;
use super::folder::{WriteError, begin, complete_placing};
use super::layout::{
    CHECKSUMS, EXTENDING, INDEX, RUN, SNAPSHOTS, STATE, UNFINISHED, checkpoint_name, checkpoints,
    is_file, is_folder,
};
use super::place::{remove_own_folder, remove_parts};
use super::row_store::{RowLayout, RowStore, write_bytes};
use super::snapshot::SnapshotEntry;
use super::summary::RunSummary;
use super::table::ResultsTable;
use crate::output::Disk;

/// The record of a run and its saved states.
#[derive(Clone, Debug)]
pub struct SavedFiles {
    /// The record: all that does not change.
    pub record: PathBuf,
    /// Files with states, the latest first.
    pub states: Vec<PathBuf>,
    /// Whether the results have their final names.
    pub is_finished: bool,
}

impl SavedFiles {
    /// Finds the run in a folder that is locked; the error is the reason why there is none, and what to try.
    pub fn find(disk: &dyn Disk, folder: &Path) -> Result<Self, (String, String)> {
        let again = || "run the model again".to_string();
        complete_placing(disk, folder).map_err(|error| (error.to_string(), again()))?;
        let unfinished = folder.join(UNFINISHED);
        if is_folder(&unfinished) {
            let record = unfinished.join(RUN);
            return match is_file(&record) && contents::is_our_file(&unfinished, RUN) {
                true => Ok(Self { record, states: checkpoints(&unfinished), is_finished: false }),
                false => {
                    let reason =
                        format!("{} is missing or was not written by Cardan", record.display());
                    Err((reason, again()))
                }
            };
        }
        if !contents::is_our_file(folder, RUN) || !contents::is_our_file(folder, STATE) {
            let reason = match contents::is_complete(folder) {
                true => {
                    "its results have no saved state: the run diverged, or another version wrote them"
                }
                false => "there is no run in this folder",
            };
            return Err((reason.into(), again()));
        }
        for (sha256, name) in checksums::read(&folder.join(CHECKSUMS)).unwrap_or_default() {
            if checksums::check(&folder.join(&name), &sha256) != FileCheck::Intact {
                let reason = format!("{name} was altered or removed since the run ended");
                return Err((reason, again()));
            }
        }
        // left by a run that was killed while its results were put aside
        remove_parts(disk, folder);
        let (record, state) = (folder.join(RUN), folder.join(STATE));
        Ok(Self { record, states: vec![state], is_finished: true })
    }

    /// Replaces the record of an unfinished run.
    pub fn replace_record(disk: &dyn Disk, folder: &Path, record: &[u8]) -> Result<(), WriteError> {
        let path = folder.join(UNFINISHED).join(RUN);
        write_bytes(disk, &path, record).map(|_| ()).map_err(|error| failure(&path, &error))
    }
}

/// A finished run that is to be extended.
pub struct Extension<'a> {
    /// How rows are stored.
    pub layout: RowLayout,
    /// The summary at the start.
    pub about: &'a RunSummary,
    /// The record with the new end.
    pub record: &'a [u8],
    /// How many of its rows are kept.
    pub rows: u64,
    /// Its snapshots that are kept.
    pub snapshots: &'a [SnapshotEntry],
    /// Steps taken.
    pub steps: u64,
    /// The state to continue from.
    pub state: &'a [u8],
}

impl Extension<'_> {
    /// Makes a finished run an unfinished one. The finished results stay until the longer run is complete.
    pub fn begin(&self, disk: &dyn Disk, folder: &Path) -> Result<(), WriteError> {
        let extending = folder.join(EXTENDING);
        self.copy(disk, folder, &extending)
            .and_then(|()| disk.rename(&extending, &folder.join(UNFINISHED)))
            .and_then(|()| disk.sync_folder(folder))
            .map_err(|error| {
                // the finished results stay
                remove_own_folder(disk, &extending);
                failure(&extending, &error)
            })
    }

    fn copy(&self, disk: &dyn Disk, folder: &Path, extending: &Path) -> io::Result<()> {
        begin(disk, extending, self.about, Some(self.record))?;
        let mut store = RowStore::new(disk, extending, self.layout, self.about);
        let table = ResultsTable::open(folder).map_err(io::Error::other)?;
        table.visit_rows(&mut |row| match store.rows() < self.rows {
            true => store.row(row),
            false => Ok(()),
        })?;
        store.save()?;
        if store.rows() < self.rows {
            return Err(io::Error::other("the results have fewer rows than the saved state"));
        }
        let (source, place) = (folder.join(SNAPSHOTS), extending.join(SNAPSHOTS));
        if !self.snapshots.is_empty() {
            disk.create_folder(&place)?;
            for entry in self.snapshots {
                let bytes = fs::read(source.join(&entry.file))?;
                write_bytes(disk, &place.join(&entry.file), &bytes)?;
            }
            let list = serde_json::to_string_pretty(self.snapshots).unwrap_or_default() + "\n";
            write_bytes(disk, &place.join(INDEX), list.as_bytes())?;
            disk.sync_folder(&place)?;
        }
        write_bytes(disk, &extending.join(checkpoint_name(self.steps)), self.state)?;
        disk.sync_folder(extending)
    }
}

fn failure(path: &Path, cause: &io::Error) -> WriteError {
    WriteError {
        path: path.display().to_string(),
        cause: cause.to_string(),
        kept: None,
        resume: None,
    }
}
