//! The outcomes of studies in a folder, so that an interrupted one goes on where it stopped. Each line
//! names the study it belongs to: several may share a folder, even at once, and none takes the
//! outcomes of another for its own.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use cardan::results::fingerprint;
use cardan::study::{Case, Outcome, Subject};
use serde_json::{Value, json};

use crate::{Failure, table};

/// One line a case.
const OUTCOMES: &str = "outcomes.jsonl";
/// What the latest study is.
const STUDY: &str = "study.json";

/// Outcomes by the case they belong to.
pub struct Ledger {
    path: PathBuf,
    study: String,
    file: File,
    known: HashMap<String, Outcome>,
}

impl Ledger {
    /// Opens a folder and reads what there is of the study.
    pub fn open(folder: &Path, identity: &Value, subject: &Subject<'_>) -> Result<Self, Failure> {
        let failed = |path: &Path, error: std::io::Error| {
            Failure::usage(format!("cannot write {}: {error}", path.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let about = format!("{identity:#}\n");
        let (study, path) = (fingerprint(&about), folder.join(OUTCOMES));
        let place = folder.join(STUDY);
        table::write_whole(&place, about.as_bytes()).map_err(|error| failed(&place, error))?;

        let bytes = std::fs::read(&path).unwrap_or_default();
        let signals = subject.signals.names().len();
        let (mut known, mut unreadable) = (HashMap::new(), 0);
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(value) => known.extend(read(&value, &study, signals)),
                Err(_) => unreadable += 1,
            }
        }
        if unreadable > 0 {
            let place = path.display();
            table::tell(&format!("note: lines of {place} that cannot be read: {unreadable}"));
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let mut file = file.map_err(|error| failed(&path, error))?;
        // a line that was being written when the program died
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(|error| failed(&path, error))?;
        }
        Ok(Self { path, study, file, known })
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
        let line = format!("{}\n", to_json(&self.study, case, &outcome));
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush()).map_err(|error| {
            Failure::usage(format!("cannot write {}: {error}", self.path.display()))
        })?;
        self.known.insert(case.to_string(), outcome);
        Ok(())
    }
}

fn to_json(study: &str, case: &Case, outcome: &Outcome) -> Value {
    json!({
        "study": study,
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

fn read(value: &Value, study: &str, signals: usize) -> Option<(String, Outcome)> {
    if value["study"] != study {
        return None;
    }
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
