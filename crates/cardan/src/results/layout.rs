//! The names of files and folders in a results folder, and which of them exist.

use std::fs;
use std::path::Path;

/// Where rows are until the results are whole.
pub(super) const UNFINISHED: &str = "unfinished";
/// The same folder once the results are whole: what remains is to put them in their place.
pub(super) const FINISHED: &str = "finished";
/// Parts that are one file.
pub(super) const WHOLE: &str = "whole.parquet";
/// The summary beside the results.
pub(super) const SUMMARY: &str = "summary.json";
/// Before the names of files that give way to new ones.
pub(super) const REPLACED: &str = "replaced-";
/// After the names of files that are being written.
pub(super) const PARTIAL: &str = ".partial";
/// The folder of snapshots beside the results.
pub const SNAPSHOTS: &str = "snapshots";
/// The list of snapshots in it: a name of a structure need not be that of a file.
pub(super) const INDEX: &str = "index.json";

/// Whether there is a file, and not a link to one.
pub(super) fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_file())
}

/// Whether there is a folder, and not a link to one.
pub(super) fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Whether anything has this name.
pub(super) fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The names in a folder, sorted.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
