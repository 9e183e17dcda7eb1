//! Stores the results of cases in a folder, so that an interrupted study continues where it stopped. Each line names
//! the study it belongs to: several studies may share a folder, also at the same time.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::study::{CaseResult, StudyCase};
use cardan::output::OutputError;
use serde::{Deserialize, Serialize};

use crate::error::LabError;

/// The file, with one line per case.
const OUTCOMES: &str = "outcomes.jsonl";

/// The stored results, by study and case.
pub struct OutcomeStore {
    path: PathBuf,
    file: File,
    known: HashMap<(String, String), CaseResult>,
    /// Number of lines that could not be read.
    pub unreadable: usize,
}

/// A line: the result of a case of a study.
#[derive(Serialize, Deserialize)]
struct Line {
    study: String,
    case: String,
    outcome: CaseResult,
}

impl OutcomeStore {
    /// Opens a folder and reads the stored results.
    pub fn open(folder: &Path) -> Result<Self, LabError> {
        let failed = |path: &Path, error: std::io::Error| {
            LabError::input(format!("cannot write {}: {error}", path.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let path = folder.join(OUTCOMES);
        let bytes = std::fs::read(&path).unwrap_or_default();
        if path.symlink_metadata().is_ok() && !is_ours(&path, &bytes) {
            return Err(OutputError::Foreign { path: path.display().to_string() }.into());
        }
        let (mut known, mut unreadable) = (HashMap::new(), 0);
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<Line>(line) {
                Ok(Line { study, case, outcome }) => _ = known.insert((study, case), outcome),
                Err(_) => unreadable += 1,
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let mut file = file.map_err(|error| failed(&path, error))?;
        // a line that was being written when the program died
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(|error| failed(&path, error))?;
        }
        Ok(Self { path, file, known, unreadable })
    }

    /// The result of a case of a study, if it is stored.
    pub fn outcome(&self, study: &str, case: &StudyCase) -> Option<&CaseResult> {
        self.known.get(&(study.to_string(), case.to_string()))
    }

    /// Stores a result.
    pub fn keep(
        &mut self,
        study: &str,
        case: &StudyCase,
        outcome: CaseResult,
    ) -> Result<(), LabError> {
        let (study, case) = (study.to_string(), case.to_string());
        let line = Line { study, case, outcome };
        let failed = |error: &dyn std::fmt::Display| {
            LabError::input(format!("cannot write {}: {error}", self.path.display()))
        };
        let text = serde_json::to_string(&line).map_err(|error| failed(&error))? + "\n";
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| failed(&error))?;
        self.known.insert((line.study, line.case), line.outcome);
        Ok(())
    }
}

/// Whether a file holds outcomes: a line of it can be read, or it is empty, or has but one line, cut.
fn is_ours(path: &Path, bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let is_line = |line: &[u8]| serde_json::from_slice::<Line>(line).is_ok();
    path.is_file()
        && (bytes.is_empty() || bytes.starts_with(b"{\"study\":\"") || lines.any(is_line))
}
