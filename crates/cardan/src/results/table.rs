//! Reading of results: columns by name.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::contents;
use super::layout::{FINISHED, SUMMARY, UNFINISHED, WHOLE, names, whole};
use super::part::{Part, sequence};
use super::recorder::Column;
use super::summary::RunSummary;
use super::{ResultsFormat, csv, parquet};
use crate::output::{self, ExistingFile, origin};
use cardan_core::suggestion;

/// Results that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct ReadError {
    /// The file or folder.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// A file of results, or the parts of an unfinished one.
pub struct ResultsTable {
    /// One file, or several parts with the same columns; with the number of rows to skip in each.
    paths: Vec<(PathBuf, usize)>,
    columns: Vec<Column>,
    /// The summary of the run, if there is one.
    pub summary: Option<RunSummary>,
    /// Whether the folder also has rows of a newer unfinished run.
    pub is_outdated: bool,
    /// Whether the last line of a CSV file has no newline: it is omitted, since it may be cut.
    pub is_cut: bool,
}

/// The files of results, and the path of their summary if it is a separate file.
struct Files {
    paths: Vec<(PathBuf, usize)>,
    summary: PathBuf,
}

impl ResultsTable {
    /// Opens results: a file, or the folder of a run.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let Files { paths, summary } = files(path)?;
        let first = &paths[0].0;
        let (names, about) = match is_csv(first) {
            true => (csv_header(first)?, std::fs::read_to_string(summary).ok()),
            false => {
                let reader =
                    parquet::ParquetReader::open(first).map_err(|error| failure(first, error))?;
                (reader.names(), reader.metadata())
            }
        };
        let summary: Option<RunSummary> = about.and_then(|text| serde_json::from_str(&text).ok());
        let known = summary.as_ref().map_or(&[][..], |summary| &summary.columns);
        let units: HashMap<&str, &str> =
            known.iter().map(|column| (column.name.as_str(), column.unit.as_str())).collect();
        let unit = |name: &str| units.get(name).copied().unwrap_or_default().to_string();
        let columns = names.into_iter().map(|name| Column { unit: unit(&name), name }).collect();
        let unfinished = path.join(UNFINISHED);
        let is_outdated = unfinished.exists() && !first.starts_with(&unfinished);
        let is_cut = is_csv(first) && !ends_with_newline(first);
        Ok(Self { paths, columns, summary, is_outdated, is_cut })
    }

    /// The files that are read.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(|(path, _)| path.as_path())
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The index of a column.
    pub fn column(&self, name: &str) -> Result<usize, ReadError> {
        self.columns.iter().position(|column| column.name == name).ok_or_else(|| {
            let known = self.columns.iter().map(|column| column.name.as_str());
            let prefix = format!("{name}.");
            let parts: Vec<&str> =
                known.clone().filter(|known| known.starts_with(&prefix)).collect();
            let hint = match (parts.as_slice(), suggestion::nearest(name, known)) {
                ([_, ..], _) => format!("; there are {}", parts.join(", ")),
                (_, Some(nearest)) => format!("; did you mean `{nearest}`?"),
                _ => "; [output] `channels` of the model lists what a run writes".into(),
            };
            failure(&self.paths[0].0, format!("there is no column `{name}`{hint}"))
        })
    }

    /// The values of some columns.
    pub fn values(&self, wanted: &[usize]) -> Result<Vec<Vec<f64>>, ReadError> {
        let mut values = vec![Vec::new(); wanted.len()];
        for (path, skip) in &self.paths {
            match is_csv(path) {
                true => csv_values(path, wanted, &mut values)?,
                false => parquet_values(path, *skip, wanted, &mut values)?,
            }
        }
        Ok(values)
    }

    /// Calls a function with some columns of each row. Rows are read in blocks: the memory does not depend on their number.
    pub fn visit_rows<E: From<ReadError>>(
        &self,
        wanted: &[usize],
        take: &mut dyn FnMut(&[f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut row = vec![0.0; wanted.len()];
        for (path, skip) in &self.paths {
            if is_csv(path) {
                csv_rows(path, |fields, line| {
                    for (value, &k) in row.iter_mut().zip(wanted) {
                        *value = csv_number(path, fields, line, k)?;
                    }
                    take(&row)
                })?;
                continue;
            }
            let fail = |error| failure(path, error);
            let reader = parquet::ParquetReader::open(path).map_err(fail)?;
            let mut skipped = 0;
            for block in 0..reader.blocks() {
                let columns = reader.block(block, wanted).map_err(fail)?;
                for k in 0..columns.first().map_or(0, Vec::len) {
                    if skipped < *skip {
                        skipped += 1;
                        continue;
                    }
                    row.iter_mut().zip(&columns).for_each(|(x, column)| *x = column[k]);
                    take(&row)?;
                }
            }
        }
        Ok(())
    }
}

/// Writes columns of equal length as a Parquet file, atomically; a file that Cardan did not
/// write is not replaced.
pub fn write_columns(path: &Path, names: &[&str], columns: &[Vec<f64>]) -> Result<(), ReadError> {
    let fail = |error: &dyn std::fmt::Display| failure(path, format!("cannot be written: {error}"));
    let described: Vec<Column> =
        names.iter().map(|name| Column { name: (*name).into(), unit: String::new() }).collect();
    let written =
        parquet::ParquetWriter::create(Vec::new(), &described, "").and_then(|mut writer| {
            writer.block(columns)?;
            writer.close()
        });
    let bytes = written.map_err(|error| fail(&error))?;
    // a file that was cut, by a crash of the machine
    let is_damaged = |path: &Path| {
        origin::first_bytes(path, 4) == b"PAR1" && parquet::ParquetReader::open(path).is_err()
    };
    let is_ours = |path: &Path| contents::is_our_parquet(path) || is_damaged(path);
    let existing = ExistingFile::ReplaceIf(&is_ours);
    output::write(path, &bytes, existing).map_err(|error| fail(&error))
}

/// The files that hold the results.
fn files(path: &Path) -> Result<Files, ReadError> {
    if !path.exists() {
        return Err(failure(path, "there is no such file or folder"));
    }
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Err(failure(path, "this is a model: `cardan run` it, then plot its results"));
    }
    let summary_of = |path: &Path| path.with_file_name(SUMMARY);
    if !path.is_dir() {
        return Ok(Files { paths: vec![(path.to_path_buf(), 0)], summary: summary_of(path) });
    }
    // complete results that are being moved to their final names
    let finished = path.join(FINISHED);
    let summary = finished.join(SUMMARY);
    if let Some(about) = contents::summary(&summary) {
        let format =
            ResultsFormat::ALL.into_iter().find(|format| format.file_name() == about.results);
        let sources = format.map(|format| [whole(&finished, format), path.join(&about.results)]);
        if let Some(whole) = sources.into_iter().flatten().find(|path| path.exists()) {
            return Ok(Files { paths: vec![(whole, 0)], summary });
        }
    }
    let summary = path.join(SUMMARY);
    let named = contents::summary(&summary).map(|about| path.join(about.results));
    let others = ResultsFormat::ALL.map(|format| path.join(format.file_name()));
    // a run whose complete results could not be moved to their final names
    let others = others.into_iter().chain([path.join(WHOLE)]);
    if let Some(whole) = named.into_iter().chain(others).find(|path| path.is_file()) {
        return Ok(Files { paths: vec![(whole, 0)], summary });
    }
    let paths = rows_of_unfinished(path);
    match paths.first() {
        None => {
            let is_begun = path.join(UNFINISHED).exists();
            let reason = match is_begun {
                true => "a run has begun here and has not written any rows yet",
                false => "this folder has no results in it",
            };
            Err(failure(path, reason))
        }
        Some((first, _)) => Ok(Files { summary: summary_of(first), paths }),
    }
}

/// The files of rows in the folder of an unfinished run, each with the number of rows that earlier ones have: closed
/// parts in their order, or the one CSV file that earlier versions wrote.
fn rows_of_unfinished(folder: &Path) -> Vec<(PathBuf, usize)> {
    let parts = Part::list(folder);
    let chosen = sequence(&parts).into_iter();
    let mut paths: Vec<(PathBuf, usize)> = chosen
        .map(|(part, rows)| (part.path.clone(), (rows.start - part.first) as usize))
        .collect();
    let inner = folder.join(UNFINISHED);
    let place = if inner.exists() { inner } else { folder.to_path_buf() };
    let csv = ResultsFormat::Csv.file_name();
    if paths.is_empty() && names(&place).iter().any(|name| name == csv) {
        paths.push((place.join(csv), 0));
    }
    paths
}

fn parquet_values(
    path: &Path,
    skip: usize,
    wanted: &[usize],
    values: &mut [Vec<f64>],
) -> Result<(), ReadError> {
    let fail = |error| failure(path, error);
    let reader = parquet::ParquetReader::open(path).map_err(fail)?;
    let mut skipped = 0;
    for block in 0..reader.blocks() {
        let columns = reader.block(block, wanted).map_err(fail)?;
        let rows = columns.first().map_or(0, Vec::len);
        let first = (skip - skipped).min(rows);
        skipped += first;
        values.iter_mut().zip(columns).for_each(|(all, more)| all.extend(&more[first..]));
    }
    Ok(())
}

fn csv_values(path: &Path, wanted: &[usize], values: &mut [Vec<f64>]) -> Result<(), ReadError> {
    csv_rows(path, |fields, line| {
        values.iter_mut().zip(wanted).try_for_each(|(column, &index)| {
            column.push(csv_number(path, fields, line, index)?);
            Ok(())
        })
    })
}

/// A number in a line, counted from one.
fn csv_number(path: &Path, fields: &[&str], line: usize, index: usize) -> Result<f64, ReadError> {
    let value = fields.get(index).and_then(|field| field.trim().parse().ok());
    value.ok_or_else(|| failure(path, format!("line {line} has no number in column {}", index + 1)))
}

/// Calls a function with the fields and the number of each line after the header.
fn csv_rows<E: From<ReadError>>(
    path: &Path,
    mut take: impl FnMut(&[&str], usize) -> Result<(), E>,
) -> Result<(), E> {
    let is_cut = !ends_with_newline(path);
    let mut lines = lines(path)?.enumerate().skip(1).peekable();
    while let Some((k, line)) = lines.next() {
        let line = line.map_err(|error| failure(path, error))?;
        // a run that was killed may have written half a line, or half of its last number
        if is_cut && lines.peek().is_none() {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        take(&line.split(',').collect::<Vec<_>>(), k + 1)?;
    }
    Ok(())
}

impl From<ReadError> for std::io::Error {
    fn from(error: ReadError) -> Self {
        Self::other(error)
    }
}

fn failure(path: &Path, reason: impl ToString) -> ReadError {
    ReadError { path: path.display().to_string(), reason: reason.to_string() }
}

fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

fn lines(path: &Path) -> Result<impl Iterator<Item = std::io::Result<String>>, ReadError> {
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

fn csv_header(path: &Path) -> Result<Vec<String>, ReadError> {
    let first = lines(path)?.next().ok_or_else(|| failure(path, "the file is empty"))?;
    let first = first.map_err(|error| failure(path, error))?;
    Ok(csv::split(first.trim_start_matches('\u{feff}')))
}
