//! The files of a run that can be continued: unfinished, or finished and to be extended.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::checksums::{self, FileCheck};
use super::contents;
use super::folder::{WriteError, begin, complete_placing, failure};
use super::layout::{
    CHECKSUMS, EXTENDING, FINISHED, INDEX, RUN, SNAPSHOTS, STATE, SUMMARY, UNFINISHED,
    checkpoint_name, checkpoints, is_file, is_folder, is_taken,
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
        if folder.ends_with(UNFINISHED) && is_file(&folder.join(RUN)) {
            let above = folder.parent().unwrap_or(folder).display().to_string();
            let reason = "this is the inner folder of a run".to_string();
            return Err((reason, format!("the folder of its results, {above}")));
        }
        complete_placing(disk, folder).map_err(|error| (error.to_string(), again()))?;
        let foreign = |path: &Path| {
            let reason = format!(
                "{} was not written by a run of Cardan; it was not changed",
                path.display()
            );
            (reason, "move it away".to_string())
        };
        for name in [EXTENDING, FINISHED] {
            let inner = folder.join(name);
            if is_taken(&inner) {
                return Err(foreign(&inner));
            }
        }
        let unfinished = folder.join(UNFINISHED);
        if is_folder(&unfinished) {
            let record = unfinished.join(RUN);
            readable(&record)?;
            if !contents::is_our_file(&unfinished, RUN) {
                let reason = format!("{} is missing or was altered", record.display());
                return Err((reason, again()));
            }
            if let Some(path) = contents::foreign_in_working_folder(&unfinished) {
                return Err(foreign(&path));
            }
            return Ok(Self { record, states: checkpoints(&unfinished), is_finished: false });
        }
        for name in [RUN, STATE, CHECKSUMS] {
            readable(&folder.join(name))?;
        }
        let Some(listed) = checksums::read(&folder.join(CHECKSUMS)) else {
            let reason = match is_taken(&folder.join(RUN)) || is_taken(&folder.join(STATE)) {
                true => {
                    "checksums.sha256 is missing or was altered: the results cannot be verified"
                }
                false if contents::is_complete(folder) => {
                    "an earlier version of Cardan wrote its results"
                }
                false => "there is no run in this folder",
            };
            return Err((reason.into(), again()));
        };
        if !listed.iter().any(|(_, name)| name == STATE) {
            return Err(("it diverged and has no state to continue from".into(), again()));
        }
        for (sha256, name) in listed {
            if checksums::check(&folder.join(&name), &sha256) != FileCheck::Intact {
                let reason = format!(
                    "{name} was altered or removed since the run ended, or its checksum was altered"
                );
                return Err((reason, again()));
            }
        }
        // left by a run that was killed while its results were put aside
        remove_parts(disk, folder);
        let (record, state) = (folder.join(RUN), folder.join(STATE));
        Ok(Self { record, states: vec![state], is_finished: true })
    }

    /// Replaces the record and the summary of an unfinished run, which may have another end.
    pub fn replace_record(
        disk: &dyn Disk,
        folder: &Path,
        record: &[u8],
        about: &RunSummary,
    ) -> Result<(), WriteError> {
        let place = folder.join(UNFINISHED);
        let text = serde_json::to_string_pretty(about).unwrap_or_default() + "\n";
        write_bytes(disk, &place.join(RUN), record)
            .and_then(|_| write_bytes(disk, &place.join(SUMMARY), text.as_bytes()))
            .map(|_| ())
            .map_err(|error| failure(&place, &error))
    }
}

/// An error if a file is there and must not be read.
fn readable(path: &Path) -> Result<(), (String, String)> {
    match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let reason = format!("{} cannot be read: {error}", path.display());
            Err((reason, "the user who ran the model, or other permissions".into()))
        }
        _ => Ok(()),
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
        let all: Vec<usize> = (0..table.columns().len()).collect();
        table.visit_rows(&all, &mut |row| match store.rows() < self.rows {
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
