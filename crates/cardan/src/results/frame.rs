//! Results read back: columns by name.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::recorder::Column;
use super::summary::Summary;
use super::{Format, comma, folder, parquet};
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

/// A file of results, or the parts of an unfinished one.
pub struct Frame {
    /// One file, or several parts with the same columns.
    paths: Vec<PathBuf>,
    columns: Vec<Column>,
    /// What the run came to, as far as that is known.
    pub summary: Option<Summary>,
    /// Whether rows of a newer run, under way or dead, lie beside these results.
    pub is_outdated: bool,
}

impl Frame {
    /// Opens results: a file, or the folder of a run.
    pub fn open(path: &Path) -> Result<Self, FrameError> {
        let paths = files(path)?;
        let first = &paths[0];
        let (names, about) = match is_csv(first) {
            true => (csv_header(first)?, csv_summary(first)),
            false => {
                let reader = parquet::Reader::open(first).map_err(|error| failure(first, error))?;
                (reader.names(), reader.metadata())
            }
        };
        let summary: Option<Summary> = about.and_then(|text| serde_json::from_str(&text).ok());
        let known = summary.as_ref().map_or(&[][..], |summary| &summary.columns);
        let units: HashMap<&str, &str> =
            known.iter().map(|column| (column.name.as_str(), column.unit.as_str())).collect();
        let unit = |name: &str| units.get(name).copied().unwrap_or_default().to_string();
        let columns = names.into_iter().map(|name| Column { unit: unit(&name), name }).collect();
        let beside = path.join(folder::UNFINISHED);
        let is_outdated = beside.exists() && !first.starts_with(&beside);
        Ok(Self { paths, columns, summary, is_outdated })
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
            let parts: Vec<&str> =
                known.clone().filter(|known| known.starts_with(&prefix)).collect();
            let hint = match (parts.as_slice(), names::nearest(name, known)) {
                ([_, ..], _) => format!("; there are {}", parts.join(", ")),
                (_, Some(nearest)) => format!("; did you mean `{nearest}`?"),
                _ => "; [output] `channels` of the model says what a run writes".into(),
            };
            failure(&self.paths[0], format!("there is no column `{name}`{hint}"))
        })
    }

    /// The values of some columns.
    pub fn values(&self, wanted: &[usize]) -> Result<Vec<Vec<f64>>, FrameError> {
        let mut values = vec![Vec::new(); wanted.len()];
        for path in &self.paths {
            match is_csv(path) {
                true => csv_values(path, wanted, &mut values)?,
                false => parquet_values(path, wanted, &mut values)?,
            }
        }
        Ok(values)
    }
}

/// Writes columns of equal length as a Parquet file, whole or not at all.
pub fn write_columns(path: &Path, names: &[&str], columns: &[Vec<f64>]) -> Result<(), FrameError> {
    let fail = |error: &dyn std::fmt::Display| failure(path, format!("cannot be written: {error}"));
    let partial = path.with_extension("partial");
    let described: Vec<Column> =
        names.iter().map(|name| Column { name: (*name).into(), unit: String::new() }).collect();
    let file = std::fs::File::create(&partial).map_err(|error| fail(&error))?;
    let written = parquet::Writer::create(file, &described, "").and_then(|mut writer| {
        writer.block(columns)?;
        writer.close()
    });
    written.map_err(|error| fail(&error))?;
    std::fs::rename(&partial, path).map_err(|error| fail(&error))
}

/// The files that hold the results.
fn files(path: &Path) -> Result<Vec<PathBuf>, FrameError> {
    if !path.exists() {
        return Err(failure(path, "there is no such file or folder"));
    }
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Err(failure(path, "this is a model: `cardan run` it, then plot its results"));
    }
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let names = Format::ALL.map(|format| path.join(format.file_name()));
    if let Some(whole) = names.into_iter().find(|path| path.exists()) {
        return Ok(vec![whole]);
    }
    match folder::rows(path) {
        none if none.is_empty() => {
            let is_begun = path.join(folder::UNFINISHED).exists();
            let reason = match is_begun {
                true => "a run has begun here and has not written any rows yet",
                false => "this folder has no results in it",
            };
            Err(failure(path, reason))
        }
        parts => Ok(parts),
    }
}

fn parquet_values(
    path: &Path,
    wanted: &[usize],
    values: &mut [Vec<f64>],
) -> Result<(), FrameError> {
    let fail = |error| failure(path, error);
    let reader = parquet::Reader::open(path).map_err(fail)?;
    for block in 0..reader.blocks() {
        let columns = reader.block(block, wanted).map_err(fail)?;
        values.iter_mut().zip(columns).for_each(|(all, mut more)| all.append(&mut more));
    }
    Ok(())
}

fn csv_values(path: &Path, wanted: &[usize], values: &mut [Vec<f64>]) -> Result<(), FrameError> {
    let (columns, is_torn) = (csv_header(path)?.len(), !ends_with_newline(path));
    let mut lines = lines(path)?.enumerate().skip(1).peekable();
    while let Some((k, line)) = lines.next() {
        let line = line.map_err(|error| failure(path, error))?;
        if line.trim().is_empty() {
            continue;
        }
        let fields: Vec<&str> = line.split(',').collect();
        // a run that died may have written half a line
        if is_torn && fields.len() < columns && lines.peek().is_none() {
            break;
        }
        for (column, &index) in values.iter_mut().zip(wanted) {
            let value = fields.get(index).and_then(|field| field.trim().parse().ok());
            let reason = || format!("line {} has no number in column {}", k + 1, index + 1);
            column.push(value.ok_or_else(|| failure(path, reason()))?);
        }
    }
    Ok(())
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

fn ends_with_newline(path: &Path) -> bool {
    let last = || -> std::io::Result<u8> {
        let mut file = std::fs::File::open(path)?;
        file.seek(SeekFrom::End(-1))?;
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        Ok(byte[0])
    };
    last().is_ok_and(|byte| byte == b'\n')
}

fn csv_header(path: &Path) -> Result<Vec<String>, FrameError> {
    let first = lines(path)?.next().ok_or_else(|| failure(path, "the file is empty"))?;
    let first = first.map_err(|error| failure(path, error))?;
    Ok(comma::split(first.trim_start_matches('\u{feff}')))
}

/// The summary beside a file.
fn csv_summary(path: &Path) -> Option<String> {
    std::fs::read_to_string(path.with_file_name(folder::SUMMARY)).ok()
}
