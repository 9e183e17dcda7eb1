//! All nodes of a structure at one time, as a table.

use std::fmt::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::csv;
use super::layout::{FINISHED, INDEX, SNAPSHOTS, UNFINISHED, is_folder, names};
use crate::model::Snapshot;
use crate::output::FileNames;

/// A snapshot in the list of a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotEntry {
    /// The structure.
    pub structure: String,
    /// The time.
    pub time: f64,
    /// The file in the folder of snapshots.
    pub file: String,
}

impl Snapshot {
    /// Its entry in a list, with a file name that no other one of the folder has.
    pub(super) fn entry(&self, names: &mut FileNames) -> SnapshotEntry {
        let ending = format!("-{}.csv", csv::number(self.time));
        let file = names.add(&self.structure, &ending);
        SnapshotEntry { structure: self.structure.clone(), time: self.time, file }
    }

    /// Comma-separated values.
    pub fn to_csv(&self) -> String {
        let mut text = self.columns.join(",") + "\n";
        for row in &self.rows {
            for (k, value) in row.iter().enumerate() {
                let _ = write!(text, "{}{value:e}", if k > 0 { "," } else { "" });
            }
            text.push('\n');
        }
        text
    }
}

/// The list of snapshots in a file; `None` if an entry leads out of its folder.
pub(super) fn entries(index: &Path) -> Option<Vec<SnapshotEntry>> {
    let list: Vec<SnapshotEntry> =
        serde_json::from_str(&std::fs::read_to_string(index).ok()?).ok()?;
    let is_inside =
        |entry: &SnapshotEntry| Path::new(&entry.file).file_name() == Some(entry.file.as_ref());
    list.iter().all(is_inside).then_some(list)
}

/// The snapshots of a run, finished or not, and the folder they are in: by their list or, where an
/// earlier version has written none, by their names.
pub fn snapshots(results: &Path) -> Option<(std::path::PathBuf, Vec<SnapshotEntry>)> {
    let places = ["", FINISHED, UNFINISHED].map(|name| results.join(name).join(SNAPSHOTS));
    let place = places.into_iter().find(|place| is_folder(place))?;
    if let Some(list) = entries(&place.join(INDEX)) {
        return Some((place, list));
    }
    let entry = |file: String| {
        let (structure, time) = file.strip_suffix(".csv")?.rsplit_once('-')?;
        let (structure, time) = (structure.to_string(), time.parse().ok()?);
        Some(SnapshotEntry { structure, time, file })
    };
    let list = names(&place).into_iter().filter_map(entry).collect();
    Some((place, list))
}
