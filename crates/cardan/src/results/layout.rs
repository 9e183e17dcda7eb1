//! The names of files and folders in a results folder, and which of them exist.

use std::fs;
use std::path::Path;

/// The folder of the rows until the results are complete.
pub(super) const UNFINISHED: &str = "unfinished";
/// The name of that folder once the results are complete and are being moved to their final names.
pub(super) const FINISHED: &str = "finished";
/// All parts merged into one file.
pub(super) const WHOLE: &str = "whole.parquet";
/// The summary, in the folder of the results.
pub(super) const SUMMARY: &str = "summary.json";
/// Prefix of the names of files that new ones replace.
pub(super) const REPLACED: &str = "replaced-";
/// Suffix of the names of files that are being written.
pub(super) const PARTIAL: &str = ".partial";
/// The folder of snapshots, in the folder of the results.
pub const SNAPSHOTS: &str = "snapshots";
/// The list of snapshots in that folder, with the structure and file name of each.
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
