//! Results read back: columns by name.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::recorder::Column;
use super::summary::Summary;
use super::{Format, comma, parquet};
use crate::names;

/// Results that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct FrameError {
    /// The file or folder.
    pub path: String,
    /// What is wrong.
    pub reason: String,
}

/// A file of results.
pub struct Frame {
    path: PathBuf,
    columns: Vec<Column>,
    /// What the run came to, as far as that is known.
    pub summary: Option<Summary>,
}

impl Frame {
    /// Opens results: a file, or the folder of a run.
    pub fn open(path: &Path) -> Result<Self, FrameError> {
        let path = match path.is_dir() {
            false => path.to_path_buf(),
            true => {
                let names = [Format::Parquet, Format::Csv].map(|format| path.join(format.file_name()));
                let found = names.into_iter().find(|path| path.exists());
                found.ok_or_else(|| failure(path, "this folder has no results in it"))?
            }
        };
        let (names, about) = match is_csv(&path) {
            true => (csv_header(&path)?, csv_summary(&path)),
            false => {
                let reader = parquet::Reader::open(&path).map_err(|error| failure(&path, error))?;
                (reader.names(), reader.metadata())
            }
        };
        let summary: Option<Summary> = about.and_then(|text| serde_json::from_str(&text).ok());
        let unit = |name: &str| {
            let columns = summary.as_ref().map_or(&[][..], |summary| &summary.columns);
            let known = columns.iter().find(|column| column.name == name);
            known.map_or(String::new(), |column| column.unit.clone())
        };
        let columns = names.into_iter().map(|name| Column { unit: unit(&name), name }).collect();
        Ok(Self { path, columns, summary })
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The index of a column.
    pub fn column(&self, name: &str) -> Result<usize, FrameError> {
        self.columns.iter().position(|column| column.name == name).ok_or_else(|| {
            let known = self.columns.iter().map(|column| column.name.as_str());
            let prefix = format!("{name}.");
            let parts: Vec<&str> = known.clone().filter(|known| known.starts_with(&prefix)).collect();
            let hint = match (parts.as_slice(), names::nearest(name, known)) {
                ([_, ..], _) => format!("; there are {}", parts.join(", ")),
                (_, Some(nearest)) => format!("; did you mean `{nearest}`?"),
                _ => String::new(),
            };
            failure(&self.path, format!("there is no column `{name}`{hint}"))
        })
    }

    /// The values of some columns.
    pub fn values(&self, wanted: &[usize]) -> Result<Vec<Vec<f64>>, FrameError> {
        if is_csv(&self.path) {
            return self.csv_values(wanted);
        }
        let fail = |error| failure(&self.path, error);
        let reader = parquet::Reader::open(&self.path).map_err(fail)?;
        let mut values = vec![Vec::new(); wanted.len()];
        for block in 0..reader.blocks() {
            let columns = reader.block(block, wanted).map_err(fail)?;
            values.iter_mut().zip(columns).for_each(|(all, mut more)| all.append(&mut more));
        }
        Ok(values)
    }

    fn csv_values(&self, wanted: &[usize]) -> Result<Vec<Vec<f64>>, FrameError> {
        let mut values = vec![Vec::new(); wanted.len()];
        for (k, line) in lines(&self.path)?.enumerate().skip(1) {
            let line = line.map_err(|error| failure(&self.path, error))?;
            let fields: Vec<&str> = line.split(',').collect();
            for (column, &index) in values.iter_mut().zip(wanted) {
                let value = fields.get(index).and_then(|field| field.trim().parse().ok());
                let reason = || format!("line {} has no number in column {}", k + 1, index + 1);
                column.push(value.ok_or_else(|| failure(&self.path, reason()))?);
            }
        }
        Ok(values)
    }
}

fn failure(path: &Path, reason: impl ToString) -> FrameError {
    FrameError { path: path.display().to_string(), reason: reason.to_string() }
}

fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

fn lines(path: &Path) -> Result<impl Iterator<Item = std::io::Result<String>>, FrameError> {
    let file = std::fs::File::open(path).map_err(|error| failure(path, error))?;
    Ok(BufReader::new(file).lines())
}

fn csv_header(path: &Path) -> Result<Vec<String>, FrameError> {
    let first = lines(path)?.next().ok_or_else(|| failure(path, "the file is empty"))?;
    Ok(comma::split(&first.map_err(|error| failure(path, error))?))
}

/// The summary beside a file.
fn csv_summary(path: &Path) -> Option<String> {
    std::fs::read_to_string(path.with_file_name("summary.json")).ok()
}
