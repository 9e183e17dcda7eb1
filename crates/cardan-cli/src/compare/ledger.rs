//! The outcomes of a study in its folder, so that an interrupted one goes on where it stopped.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use cardan::study::{Case, Outcome, Subject};
use serde_json::{Value, json};

use crate::{Failure, table};

/// One line a case.
const OUTCOMES: &str = "outcomes.jsonl";
/// What the study is.
const STUDY: &str = "study.json";

/// Outcomes by the case they belong to.
pub struct Ledger {
    path: PathBuf,
    file: File,
    known: HashMap<String, Outcome>,
}

impl Ledger {
    /// Opens a folder: outcomes of the same study are taken over, those of another are left aside.
    pub fn open(folder: &Path, identity: &Value, subject: &Subject<'_>) -> Result<Self, Failure> {
        let failed = |path: &Path, error: std::io::Error| {
            Failure::usage(format!("cannot write {}: {error}", path.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let (study, path) = (folder.join(STUDY), folder.join(OUTCOMES));
        let before = std::fs::read_to_string(&study).ok();
        let before: Option<Value> = before.and_then(|text| serde_json::from_str(&text).ok());
        let is_same = before.as_ref() == Some(identity);
        let mut known = HashMap::new();
        if is_same {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let signals = subject.signals.names().len();
            // a line that was being written when the program died is no outcome
            known.extend(text.lines().filter_map(|line| read(line, signals)));
        } else {
            if before.is_some() && path.exists() {
                let aside = folder.join("outcomes-of-another-study.jsonl");
                std::fs::rename(&path, &aside).map_err(|error| failed(&path, error))?;
                table::tell(&format!("note: another study was here; see {}", aside.display()));
            }
            let text = format!("{identity:#}\n");
            table::write_whole(&study, text.as_bytes()).map_err(|error| failed(&study, error))?;
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let mut file = file.map_err(|error| failed(&path, error))?;
        let is_torn =
            std::fs::read(&path).is_ok_and(|bytes| bytes.last().is_some_and(|x| *x != b'\n'));
        if is_torn {
            file.write_all(b"\n").map_err(|error| failed(&path, error))?;
        }
        Ok(Self { path, file, known })
    }

    /// Whether a case has been computed.
    pub fn knows(&self, case: &Case) -> bool {
        self.known.contains_key(&case.to_string())
    }

    /// What came of a case.
    pub fn outcome(&self, case: &Case) -> Option<&Outcome> {
        self.known.get(&case.to_string())
    }

    /// Writes an outcome down.
    pub fn keep(&mut self, case: &Case, outcome: Outcome) -> Result<(), Failure> {
        let line = format!("{}\n", to_json(case, &outcome));
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush()).map_err(|error| {
            Failure::usage(format!("cannot write {}: {error}", self.path.display()))
        })?;
        self.known.insert(case.to_string(), outcome);
        Ok(())
    }
}

fn to_json(case: &Case, outcome: &Outcome) -> Value {
    json!({
        "case": case.to_string(),
        "errors": outcome.errors,
        "largest": outcome.largest,
        "compared": outcome.compared,
        "steps": outcome.steps,
        "iterations": outcome.iterations,
        "seconds": outcome.seconds,
        "failure": outcome.failure,
    })
}

fn read(line: &str, signals: usize) -> Option<(String, Outcome)> {
    let value: Value = serde_json::from_str(line).ok()?;
    // what is not finite is written as null
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let numbers = |key: &str| -> Option<Vec<f64>> {
        let list: Vec<f64> = value[key].as_array()?.iter().map(number).collect();
        (list.len() == signals).then_some(list)
    };
    let outcome = Outcome {
        errors: numbers("errors")?,
        largest: numbers("largest")?,
        compared: value["compared"].as_u64()?,
        steps: value["steps"].as_u64()?,
        iterations: number(&value["iterations"]),
        seconds: number(&value["seconds"]),
        failure: value["failure"].as_str().map(String::from),
    };
    Some((value["case"].as_str()?.to_string(), outcome))
}
