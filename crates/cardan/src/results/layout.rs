//! The names of files and folders in a results folder, and which of them exist.

use std::fs;
use std::path::{Path, PathBuf};

use super::format::ResultsFormat;
pub use crate::output::STATE;
pub(super) use crate::output::{UNFINISHED, checkpoint_name, checkpoints, is_checkpoint};

/// The name of that folder once the results are complete and are being moved to their final names.
pub(super) const FINISHED: &str = "finished";
/// The name of that folder while the rows of a finished run are copied to it, so that the run can be extended.
pub(super) const EXTENDING: &str = "extending";
/// All parts merged into one file.
pub(super) const WHOLE: &str = "whole.parquet";
/// The summary, in the folder of the results.
pub(super) const SUMMARY: &str = "summary.json";
/// Model, settings and output of a run: all that does not change.
pub const RUN: &str = "run.cardan";
/// How everything moved, for pictures.
pub const MOTION: &str = "motion.cardan";
/// The events of a run.
pub const EVENTS: &str = "events.csv";
/// The SHA-256 of each file of a run.
pub(super) const CHECKSUMS: &str = "checksums.sha256";
/// The files of a finished run besides its rows and its summary; the checksums last, because they list the others.
pub(super) const RECORDS: [&str; 5] = [RUN, STATE, MOTION, EVENTS, CHECKSUMS];
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

/// The path of complete results of a format before they get their final name.
pub(super) fn whole(folder: &Path, format: ResultsFormat) -> PathBuf {
    folder.join(match format {
        ResultsFormat::Parquet => WHOLE,
        ResultsFormat::Csv => ResultsFormat::Csv.file_name(),
    })
}

/// Prefix and suffix of the names of parts.
pub(super) const PART_PREFIX: &str = "part-";
pub(super) const PART_SUFFIX: &str = ".parquet";

/// Whether a file has the name of a part, of this or an earlier version.
pub(super) fn is_part(name: &str) -> bool {
    name.starts_with(PART_PREFIX) && name.ends_with(PART_SUFFIX)
}

/// Whether a run uses a name for a file or folder with rows or a state, in the folder where it works.
pub(super) fn is_work(name: &str) -> bool {
    [WHOLE, STATE, SNAPSHOTS].contains(&name)
        || is_checkpoint(name)
        || is_part(name)
        || ResultsFormat::ALL.iter().any(|format| name == format.file_name())
}

/// Whether a run uses a name in the folder where it works.
pub(super) fn is_known(name: &str) -> bool {
    name == SUMMARY
        || RECORDS.contains(&name)
        || name.starts_with(REPLACED)
        || name.ends_with(PARTIAL)
        || is_work(name)
}
