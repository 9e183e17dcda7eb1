//! The checksums of the files of a run, as `sha256sum --check` reads them.

use std::fs;
use std::path::Path;

use crate::output::file_sha256;

/// The first line.
const MARK: &str = "# written by cardan";

/// The file for checksums and names.
pub(super) fn text(files: &[(String, String)]) -> String {
    let lines: String = files.iter().map(|(sha256, name)| format!("{sha256}  {name}\n")).collect();
    format!("{MARK}\n{lines}")
}

/// The checksums and names in a file; `None` if Cardan did not write it.
pub(super) fn read(path: &Path) -> Option<Vec<(String, String)>> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    (lines.next() == Some(MARK)).then_some(())?;
    let pair = |line: &str| {
        let (sha256, name) = line.split_once("  ")?;
        Some((sha256.to_string(), name.to_string()))
    };
    lines.map(pair).collect()
}

/// The state of a file that has a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FileCheck {
    /// It is as it was written.
    Intact,
    /// Its checksum differs.
    Altered,
    /// It is not there, or cannot be read.
    Missing,
}

/// Compares a file with its checksum.
pub(super) fn check(path: &Path, sha256: &str) -> FileCheck {
    match file_sha256(path) {
        Ok(found) if found == sha256 => FileCheck::Intact,
        Ok(_) => FileCheck::Altered,
        Err(_) => FileCheck::Missing,
    }
}
