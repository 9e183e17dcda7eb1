//! All nodes of a structure at one time, as a table.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use crate::model::Model;
use crate::state::Instant;

/// The folder of snapshots beside the results.
pub const SNAPSHOTS: &str = "snapshots";

/// The nodes of a structure at a time: where they are, what they do, and what they should do.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The structure.
    pub structure: String,
    /// The time.
    pub time: f64,
    /// The names of the columns.
    pub columns: Vec<&'static str>,
    /// A row for each node.
    pub rows: Vec<Vec<f64>>,
}

impl Snapshot {
    /// Looks at all structures of a model.
    pub fn of(model: &Model, at: &Instant) -> Vec<Self> {
        model.fields(at)
    }

    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("{}-{}.csv", self.structure, self.time)
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

/// Puts snapshots beside results, in place of those of an earlier run.
pub fn write(folder: &Path, snapshots: &[Snapshot]) -> io::Result<()> {
    let place = folder.join(SNAPSHOTS);
    match fs::remove_dir_all(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if snapshots.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(&place)?;
    snapshots.iter().try_for_each(|x| fs::write(place.join(x.file_name()), x.to_csv()))
}
