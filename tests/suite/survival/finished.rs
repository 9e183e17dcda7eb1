//! The files of a finished run, to be compared with those of another one. The tests of the program use this file too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

use cardan::output::file_sha256;
use cardan::results::{ResultsTable, RunSummary};
use parquet::file::reader::{FileReader, SerializedFileReader};

/// All that two runs with the same results have in common.
pub struct FinishedRun {
    /// Files and folders, without those that are not of the run.
    names: BTreeSet<String>,
    /// The summary in its own file and, for Parquet, that in the file of the results; without the time it took.
    summaries: Vec<RunSummary>,
    columns: Vec<String>,
    /// The bits of all numbers.
    values: Vec<Vec<u64>>,
    /// The number of rows of each row group.
    row_groups: Vec<i64>,
    /// The bytes of CSV files and of the snapshots.
    texts: BTreeMap<String, Vec<u8>>,
}

impl FinishedRun {
    /// Reads a folder; an error if a file is missing or its checksum is wrong. `foreign` are the names of files and
    /// folders that are not of the run.
    pub fn read(folder: &Path, foreign: &[&str]) -> Result<Self, String> {
        let names = names(folder, "").into_iter().filter(|x| !foreign.contains(&x.as_str()));
        let names: BTreeSet<String> = names.collect();
        check_sums(folder, &names)?;
        let mut summaries = vec![RunSummary::read(folder).ok_or("there is no summary")?];
        let table = ResultsTable::open(folder).map_err(|error| error.to_string())?;
        let count = table.columns().len();
        let all: Vec<usize> = (0..count).collect();
        let values = table.values(&all).map_err(|error| error.to_string())?;
        let bits = |column: Vec<f64>| column.into_iter().map(f64::to_bits).collect();
        let mut row_groups = Vec::new();
        if names.contains("results.parquet") {
            let file = File::open(folder.join("results.parquet")).map_err(|x| x.to_string())?;
            let reader = SerializedFileReader::new(file).map_err(|x| x.to_string())?;
            row_groups = reader.metadata().row_groups().iter().map(|x| x.num_rows()).collect();
            summaries.extend(table.summary.clone());
        }
        let is_text = |name: &&String| {
            ["results.csv", "events.csv"].contains(&name.as_str())
                || name.starts_with("snapshots/") && name.contains('.')
        };
        let texts = names.iter().filter(is_text);
        let texts = texts.map(|name| (name.clone(), fs::read(folder.join(name)).unwrap()));
        for summary in &mut summaries {
            summary.wall_seconds = 0.0;
        }
        Ok(Self {
            summaries,
            columns: table.columns().iter().map(|column| column.name.clone()).collect(),
            values: values.into_iter().map(bits).collect(),
            row_groups,
            texts: texts.collect(),
            names,
        })
    }

    /// The first difference to another run, if there is one.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let mut pairs = self.values.iter().zip(&other.values).zip(&self.columns);
        let first = |a: &[u64], b: &[u64]| {
            let k = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
            let number = |x: &[u64]| x.get(k).map(|bits| f64::from_bits(*bits));
            format!("row {k}: {:?}, {:?}; {} and {} rows", number(a), number(b), a.len(), b.len())
        };
        let text = pairs.find(|((a, b), _)| a != b);
        match () {
            () if self.names != other.names => {
                Some(format!("files {:?}, {:?}", self.names, other.names))
            }
            () if self.columns != other.columns => {
                Some(format!("columns {:?}, {:?}", self.columns, other.columns))
            }
            () if self.values != other.values => {
                let found = text.map(|((a, b), name)| format!("column {name}, {}", first(a, b)));
                Some(found.unwrap_or_default())
            }
            () if self.row_groups != other.row_groups => {
                Some(format!("row groups {:?}, {:?}", self.row_groups, other.row_groups))
            }
            () if self.summaries != other.summaries => {
                let mut pairs = self.summaries.iter().zip(&other.summaries);
                let found = pairs.find(|(a, b)| a != b).map(|(a, b)| differing_values(a, b));
                Some(format!("summaries: {found:?}"))
            }
            () if self.texts != other.texts => Some("snapshots, results.csv or events.csv".into()),
            () => None,
        }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }
}

/// The values of two summaries that differ.
fn differing_values(a: &RunSummary, b: &RunSummary) -> Vec<String> {
    let [a, b] = [a, b].map(|summary| serde_json::to_value(summary).unwrap());
    let names = a.as_object().into_iter().chain(b.as_object()).flat_map(|x| x.keys());
    let names: BTreeSet<&String> = names.filter(|name| a[*name] != b[*name]).collect();
    names.into_iter().map(|name| format!("{name}: {}, {}", a[name], b[name])).collect()
}

/// The names of all files and folders below a folder, each with a prefix.
pub fn names(folder: &Path, prefix: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            all.extend(names(&entry.path(), &format!("{name}/")));
        }
        all.insert(name);
    }
    all
}

/// Every line of the checksums is right, and every file of the run has one.
fn check_sums(folder: &Path, names: &BTreeSet<String>) -> Result<(), String> {
    let text = fs::read_to_string(folder.join("checksums.sha256"))
        .map_err(|error| format!("checksums.sha256: {error}, {names:?}"))?;
    let mut listed = BTreeSet::from(["checksums.sha256".to_string()]);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (expected, name) = line.split_once("  ").ok_or("a line without two spaces")?;
        let found = file_sha256(&folder.join(name)).map_err(|x| format!("{name}: {x}"))?;
        if found != expected {
            return Err(format!("{name} has another checksum"));
        }
        listed.insert(name.into());
    }
    let is_file = |name: &&String| folder.join(name).is_file();
    match names.iter().filter(is_file).find(|name| !listed.contains(*name)) {
        Some(name) => Err(format!("{name} has no checksum, or is left over: {names:?}")),
        None => Ok(()),
    }
}
