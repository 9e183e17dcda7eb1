//! The names of the files in which a run keeps its states.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder in which a run works until its results are complete.
pub(crate) const UNFINISHED: &str = "unfinished";
/// The last state of a run.
pub const STATE: &str = "state.cardan";
/// Prefix and suffix of the names of checkpoints.
const CHECKPOINT: &str = "checkpoint-";
const CARDAN: &str = ".cardan";

/// The name of a checkpoint after a number of steps: their order is that of the names.
#[cfg(feature = "results")]
pub(crate) fn checkpoint_name(steps: u64) -> String {
    format!("{CHECKPOINT}{steps:020}{CARDAN}")
}

/// Whether a name is that of a checkpoint.
pub(crate) fn is_checkpoint(name: &str) -> bool {
    let digits = name.strip_prefix(CHECKPOINT).and_then(|rest| rest.strip_suffix(CARDAN));
    digits.is_some_and(|digits| digits.len() == 20 && digits.bytes().all(|x| x.is_ascii_digit()))
}

/// The checkpoints in a folder, the latest first.
pub(crate) fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut known: Vec<String> = names.filter(|name| is_checkpoint(name)).collect();
    known.sort_by(|a, b| b.cmp(a));
    known.into_iter().map(|name| folder.join(name)).collect()
}

/// The file with the latest state in the folder of a run, or the file itself.
#[cfg(feature = "file")]
pub(crate) fn latest_state(path: &Path) -> Option<PathBuf> {
    if !path.is_dir() {
        return path.is_file().then(|| path.to_path_buf());
    }
    // an unfinished run in the folder of a finished one is newer
    let unfinished = checkpoints(&path.join(UNFINISHED)).into_iter().next();
    unfinished.or_else(|| Some(path.join(STATE)).filter(|state| state.is_file()))
}
