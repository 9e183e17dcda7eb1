//! Moves complete results to their final names: one renaming per file, all undone if one of them fails, and
//! repeated by the next run if the program is killed meanwhile.

use std::io;
use std::path::{Path, PathBuf};

use super::format::ResultsFormat;
use super::layout::{
    CHECKSUMS, FINISHED, INDEX, PARTIAL, RECORDS, REPLACED, SNAPSHOTS, SUMMARY, UNFINISHED,
    is_checkpoint, is_file, is_folder, is_known, is_part, is_taken, is_work, names, whole,
};
use super::snapshot;
use super::summary::RunStatus;
use super::{checksums, contents};
use crate::output::{ContainerKind, Disk};

/// The folder, with a number, to which the rows of an unfinished run are moved when another run begins.
const ABANDONED: &str = "abandoned";

/// Renamings that can be undone.
struct Moves<'d> {
    disk: &'d dyn Disk,
    done: Vec<(PathBuf, PathBuf)>,
}

impl Moves<'_> {
    /// Gives a file a name that no other file has.
    fn rename(&mut self, from: PathBuf, to: PathBuf) -> io::Result<()> {
        self.disk.rename(&from, &to)?;
        self.done.push((from, to));
        Ok(())
    }

    /// Replaces a file by another; the replaced file stays under a third name.
    fn replace(&mut self, from: PathBuf, to: PathBuf, old: PathBuf) -> io::Result<()> {
        if is_taken(&to) {
            if !is_taken(&old) {
                // where a file can have two names it is never missing
                self.disk.link(&to, &old).or_else(|_| self.disk.rename(&to, &old))?;
            }
            self.done.push((to.clone(), old));
        }
        self.rename(from, to)
    }

    fn undo(self) {
        for (from, to) in self.done.iter().rev() {
            let _ = self.disk.rename(to, from);
        }
    }
}

/// Moves complete results to their final names. It may be repeated if it was interrupted.
pub(super) fn place(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    let finished = folder.join(FINISHED);
    if !is_folder(&finished) {
        return Ok(());
    }
    if is_file(&finished.join(SUMMARY)) {
        let mut moves = Moves { disk, done: Vec::new() };
        // new names must be on the disk before the files that they replace are removed
        let snapshots = folder.join(SNAPSHOTS);
        let exchanged = exchange(&mut moves, folder, &finished)
            .and_then(
                |()| if is_folder(&snapshots) { disk.sync_folder(&snapshots) } else { Ok(()) },
            )
            .and_then(|()| disk.sync_folder(folder));
        if let Err(error) = exchanged {
            moves.undo();
            return Err(error);
        }
        // a folder whose snapshots have been moved, if nothing else is in it
        if is_folder(&finished.join(format!("{REPLACED}{SNAPSHOTS}"))) {
            let _ = disk.remove_folder(&folder.join(SNAPSHOTS));
        }
    }
    if ResultsFormat::ALL.iter().any(|format| is_taken(&whole(&finished, *format))) {
        // results without their summary are kept
        return disk.rename(&finished, &numbered(folder, ABANDONED));
    }
    // everything is in place: the rest is not needed
    remove_own_folder(disk, &finished);
    // the results are in place, even if this fails
    let _ = disk.sync_folder(folder);
    Ok(())
}

/// Replaces the old results by the new ones; the summary last, because it identifies the other files.
fn exchange(moves: &mut Moves<'_>, folder: &Path, finished: &Path) -> io::Result<()> {
    let replaced = |name: &str| finished.join(format!("{REPLACED}{name}"));
    let new = contents::summary(&finished.join(SUMMARY)).map(|summary| summary.results);
    for format in ResultsFormat::ALL {
        let (name, source) = (format.file_name(), whole(finished, format));
        if is_file(&source) {
            refuse_foreign(&folder.join(name), contents::are_our_results(folder, format))?;
            moves.replace(source, folder.join(name), replaced(name))?;
        }
    }
    // the other format, if the earlier run has written it
    for format in ResultsFormat::ALL {
        let name = format.file_name();
        if new.as_deref() != Some(name) && contents::are_our_results(folder, format) {
            moves.rename(folder.join(name), replaced(name))?;
        }
    }
    exchange_snapshots(moves, &folder.join(SNAPSHOTS), finished)?;
    exchange_record(moves, folder, finished)?;
    let summary = folder.join(SUMMARY);
    refuse_foreign(&summary, contents::summary(&summary).is_some())?;
    moves.replace(finished.join(SUMMARY), folder.join(SUMMARY), replaced(SUMMARY))
}

/// Replaces record, state, motion, events and checksums.
fn exchange_record(moves: &mut Moves<'_>, folder: &Path, finished: &Path) -> io::Result<()> {
    let Some(listed) = checksums::read(&finished.join(CHECKSUMS)) else { return Ok(()) };
    for name in RECORDS {
        let (source, target) = (finished.join(name), folder.join(name));
        let replaced = finished.join(format!("{REPLACED}{name}"));
        let is_ours = contents::is_our_file(folder, name);
        if is_file(&source) {
            refuse_foreign(&target, is_ours)?;
            moves.replace(source, target, replaced)?;
        } else if is_ours && listed.iter().all(|(_, listed)| listed != name) {
            // the new run has no such file
            moves.rename(target, replaced)?;
        }
    }
    Ok(())
}

/// Refuses a name that another program has taken meanwhile.
fn refuse_foreign(path: &Path, is_ours: bool) -> io::Result<()> {
    match is_taken(path) && !is_ours {
        true => {
            let message = format!("{} exists already", path.display());
            Err(io::Error::new(io::ErrorKind::AlreadyExists, message))
        }
        false => Ok(()),
    }
}

/// Replaces the old snapshots by the new ones; files that are no snapshots stay.
fn exchange_snapshots(moves: &mut Moves<'_>, place: &Path, finished: &Path) -> io::Result<()> {
    let source = finished.join(SNAPSHOTS);
    let new = snapshot::entries(&source.join(INDEX));
    // the list is moved last: if it is missing, everything has been moved
    if is_folder(&source) && new.is_none() {
        return Ok(());
    }
    let new: Vec<String> = new.into_iter().flatten().map(|entry| entry.file).collect();
    let is_moved = |name: &String| new.contains(name) && !is_file(&source.join(name));
    let old: Vec<String> = names(place)
        .into_iter()
        .filter(|name| contents::is_our_snapshot(&place.join(name)) && !is_moved(name))
        .collect();
    let replaced = finished.join(format!("{REPLACED}{SNAPSHOTS}"));
    if !old.is_empty() && !is_taken(&replaced) {
        moves.disk.create_folder(&replaced)?;
    }
    for name in old {
        moves.rename(place.join(&name), replaced.join(&name))?;
    }
    if !is_folder(&source) {
        return Ok(());
    }
    if !is_taken(place) {
        moves.disk.create_folder(place)?;
    }
    let last = INDEX.to_string();
    for name in new.iter().filter(|name| is_file(&source.join(name))).chain([&last]) {
        refuse_foreign(&place.join(name), false)?;
        moves.rename(source.join(name), place.join(name))?;
    }
    Ok(())
}

/// Removes a working folder: the files in it that have names of a run, then the folder if it is empty.
pub(super) fn remove_own_folder(disk: &dyn Disk, folder: &Path) {
    for name in names(folder) {
        let path = folder.join(&name);
        let is_ours = is_known(&name);
        match is_folder(&path) {
            true if is_ours => {
                for inner in names(&path) {
                    let _ = disk.remove_file(&path.join(inner));
                }
                let _ = disk.remove_folder(&path);
            }
            false if is_ours => _ = disk.remove_file(&path),
            _ => {}
        }
    }
    let _ = disk.remove_folder(folder);
}

/// The first free name with a number.
fn numbered(folder: &Path, name: &str) -> PathBuf {
    let numbered = (1..).map(|k| folder.join(format!("{name}-{k}")));
    let free = numbered.into_iter().find(|path| !is_taken(path));
    free.unwrap_or_else(|| folder.join(name))
}

/// Moves the rows of an unfinished run to a folder with a number; returns that folder.
pub(super) fn set_aside_unfinished(disk: &dyn Disk, folder: &Path) -> io::Result<Option<PathBuf>> {
    let unfinished = folder.join(UNFINISHED);
    if !is_folder(&unfinished) {
        return Ok(None);
    }
    // without rows or snapshots nothing was computed
    let is_kept = |name: &String| match name.as_str() {
        name if name == ResultsFormat::Csv.file_name() => has_rows(&unfinished.join(name)),
        name => is_work(name) || !is_known(name),
    };
    if !names(&unfinished).iter().any(is_kept) {
        remove_own_folder(disk, &unfinished);
        if !is_taken(&unfinished) {
            return Ok(None);
        }
    }
    // there it can be continued like any unfinished run
    let abandoned = numbered(folder, ABANDONED);
    disk.create_folder(&abandoned)?;
    // after a power failure the run must not be in a folder that is not there
    let moved = disk
        .sync_folder(folder)
        .and_then(|()| disk.rename(&unfinished, &abandoned.join(UNFINISHED)))
        .inspect_err(|_| {
            let _ = disk.remove_folder(&abandoned);
        });
    moved.and_then(|()| disk.sync_folder(&abandoned))?;
    Ok(Some(abandoned))
}

/// Whether a CSV file has more than its header.
fn has_rows(path: &Path) -> bool {
    let bytes = crate::output::origin::first_bytes(path, 1 << 24);
    bytes.iter().filter(|byte| **byte == b'\n').count() > 1 || bytes.len() == 1 << 24
}

/// Moves the results of a run that did not reach its end to a separate folder, so that complete results
/// stay; returns that folder.
pub(super) fn move_aside(
    disk: &dyn Disk,
    folder: &Path,
    format: ResultsFormat,
    status: RunStatus,
) -> io::Result<PathBuf> {
    let unfinished = folder.join(UNFINISHED);
    let source = whole(&unfinished, format);
    let target = unfinished.join(format.file_name());
    if source != target {
        disk.rename(&source, &target)?;
    }
    disk.sync_folder(&unfinished)?;
    let name = if status == RunStatus::Interrupted { "interrupted" } else { "failed" };
    let place = numbered(folder, name);
    disk.rename(&unfinished, &place)?;
    // until the new name is on the disk the run is continued from its rows and checkpoints
    if disk.sync_folder(folder).is_ok() {
        remove_parts(disk, &place);
    }
    Ok(place)
}

/// Removes parts and checkpoints beside results that are complete.
pub(super) fn remove_parts(disk: &dyn Disk, folder: &Path) {
    for name in names(folder) {
        let path = folder.join(&name);
        let is_ours = match name.strip_suffix(PARTIAL) {
            Some(name) => is_known(name),
            None if is_checkpoint(&name) => ContainerKind::State.is_ours(&path),
            None => is_part(&name) && contents::is_our_parquet(&path),
        };
        if is_ours && is_file(&path) {
            let _ = disk.remove_file(&path);
        }
    }
}
