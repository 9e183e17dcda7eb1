//! What is in a results folder: runs, their files and parts, and whether these are as they were written.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::checksums::{self, FileCheck};
use super::folder::FolderLock;
use super::layout::{
    CHECKSUMS, FINISHED, RUN, STATE, SUMMARY, UNFINISHED, checkpoints, is_file, is_folder,
    is_known, names,
};
use super::parquet::{ParquetReader, ParquetWriter, io_error};
use super::part::Part;
use super::row_store::write_atomically;
use super::summary::{RunStatus, RunSummary};
use super::{ResultsFormat, contents, csv};
use crate::output::{self, ContainerKind, ExistingFile, LocalDisk, OutputError};

/// A run in a folder.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The folder of the run, which `cardan resume` takes.
    pub folder: PathBuf,
    /// How it ended; `running` if it was killed or is running.
    pub status: RunStatus,
    /// Whether a program is writing to the folder now.
    pub is_active: bool,
    /// The summary, if it can be read.
    pub summary: Option<RunSummary>,
    /// The files with their state.
    pub files: Vec<FileReport>,
    /// The number of rows that can be read.
    pub rows: u64,
    /// The time of the last of them.
    pub time: Option<f64>,
    /// Rows of the run that are lost because a file was altered or is missing, before the last row that is there.
    pub lost: Vec<Range<u64>>,
    /// Whether the record of the run and at least one of its states are intact.
    pub can_resume: bool,
}

/// A file of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FileReport {
    /// Its name in the folder of the run.
    pub name: String,
    /// Its rows, if it is a part.
    pub rows: Option<Range<u64>>,
    /// Whether it is as it was written; `None` if it has no checksum.
    pub check: Option<FileCheck>,
}

impl RunReport {
    /// Whether every file is as it was written.
    pub fn is_intact(&self) -> bool {
        let damaged = [Some(FileCheck::Altered), Some(FileCheck::Missing)];
        self.lost.is_empty() && self.files.iter().all(|file| !damaged.contains(&file.check))
    }
}

/// The runs in a folder: its own, those that were set aside in it, and those in the folders below it.
pub fn inspect(folder: &Path) -> Vec<RunReport> {
    let mut found = own(folder);
    let below = names(folder).into_iter().map(|name| folder.join(name));
    for inner in below.filter(|path| is_folder(path)) {
        let is_part_of_run =
            [UNFINISHED, FINISHED, super::SNAPSHOTS].iter().any(|name| inner.ends_with(name));
        if is_part_of_run {
            continue;
        }
        found.extend(own(&inner));
        // a folder of folders of results
        let deeper = names(&inner).into_iter().map(|name| inner.join(name));
        found.extend(
            deeper
                .filter(|path| is_folder(path))
                .flat_map(|path| own(&path))
                .filter(|run| !run.folder.ends_with(UNFINISHED) && !run.folder.ends_with(FINISHED)),
        );
    }
    found
}

/// The finished and the unfinished run of a folder.
fn own(folder: &Path) -> Vec<RunReport> {
    let mut found = Vec::new();
    let is_listed = checksums::read(&folder.join(CHECKSUMS)).is_some();
    if contents::summary(&folder.join(SUMMARY)).is_some() || is_listed {
        found.push(finished(folder, folder));
    }
    let placing = folder.join(FINISHED);
    if contents::is_working_folder(&placing) && is_file(&placing.join(SUMMARY)) {
        found.push(finished(folder, &placing));
    }
    if contents::is_working_folder(&folder.join(UNFINISHED)) {
        found.push(unfinished(folder));
    }
    found
}

fn finished(folder: &Path, place: &Path) -> RunReport {
    let summary = contents::summary(&place.join(SUMMARY));
    let listed = checksums::read(&place.join(CHECKSUMS)).unwrap_or_default();
    let at = |name: &str| {
        // results that are being moved to their final names may be at either place
        let whole = ResultsFormat::ALL
            .into_iter()
            .find(|format| format.file_name() == name)
            .map(|format| super::layout::whole(place, format));
        let places = [place.join(name), folder.join(name)];
        let found = places.iter().chain(&whole).find(|path| is_file(path));
        found.cloned().unwrap_or_else(|| place.join(name))
    };
    let mut files: Vec<FileReport> = listed
        .into_iter()
        .map(|(sha256, name)| {
            let check = Some(checksums::check(&at(&name), &sha256));
            FileReport { name, rows: None, check }
        })
        .collect();
    if files.is_empty() {
        // an earlier version wrote no checksums
        let results = summary.as_ref().map(|summary| summary.results.clone());
        let name = results.unwrap_or_default();
        let check = (!is_file(&at(&name))).then_some(FileCheck::Missing);
        files.push(FileReport { name, rows: None, check });
    }
    let is_intact = |name: &str| {
        files.iter().any(|file| file.name == name && file.check == Some(FileCheck::Intact))
    };
    let can_resume = is_intact(RUN) && is_intact(STATE);
    let rows = match files.iter().any(|file| {
        summary.as_ref().is_some_and(|summary| file.name == summary.results)
            && file.check == Some(FileCheck::Missing)
    }) {
        true => 0,
        false => summary.as_ref().map_or(0, |summary| summary.rows),
    };
    let summary_time = summary.as_ref().map(|summary| summary.time);
    RunReport {
        folder: folder.to_path_buf(),
        status: summary.as_ref().map_or(RunStatus::Running, |summary| summary.status),
        is_active: false,
        summary,
        time: summary_time,
        files,
        rows,
        lost: Vec::new(),
        can_resume,
    }
}

fn unfinished(folder: &Path) -> RunReport {
    let place = folder.join(UNFINISHED);
    let container = |path: &Path, kind: ContainerKind| {
        let check = match fs::read(path).map(|bytes| kind.decode(&bytes).is_ok()) {
            Ok(true) => FileCheck::Intact,
            Ok(false) => FileCheck::Altered,
            Err(_) => FileCheck::Missing,
        };
        FileReport { name: inner_name(path), rows: None, check: Some(check) }
    };
    let is_intact = |file: &FileReport| file.check == Some(FileCheck::Intact);
    let record = container(&place.join(RUN), ContainerKind::Run);
    let states: Vec<FileReport> =
        checkpoints(&place).iter().map(|path| container(path, ContainerKind::State)).collect();
    let can_resume = is_intact(&record) && (states.is_empty() || states.iter().any(is_intact));
    let parts = checked_parts(folder);
    let part_report = |(part, check): &(Part, Option<FileCheck>)| FileReport {
        name: inner_name(&part.path),
        rows: Some(part.first..part.first + part.rows),
        check: *check,
    };
    let (rows, lost) = coverage(&parts);
    let intact = parts.iter().filter(|(_, check)| *check != Some(FileCheck::Altered));
    let last = intact.max_by_key(|(part, _)| part.first + part.rows);
    let time = last.and_then(|(part, _)| last_time(&part.path));
    let parts: Vec<FileReport> = parts.iter().map(part_report).collect();
    RunReport {
        folder: folder.to_path_buf(),
        status: RunStatus::Running,
        is_active: FolderLock::new(folder).is_err(),
        summary: contents::summary(&place.join(SUMMARY)),
        files: std::iter::once(record).chain(states).chain(parts).collect(),
        rows,
        time,
        lost,
        can_resume,
    }
}

/// The time in the last row of a part.
fn last_time(part: &Path) -> Option<f64> {
    let reader = ParquetReader::open(part).ok()?;
    let times = reader.block(reader.blocks().checked_sub(1)?, &[0]).ok()?;
    times.first()?.last().copied()
}

fn inner_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{UNFINISHED}/{name}")
}

/// The parts of an unfinished run with their state.
fn checked_parts(folder: &Path) -> Vec<(Part, Option<FileCheck>)> {
    let checked = |part: Part| {
        let check = part.is_intact().map(|is_intact| match is_intact {
            true => FileCheck::Intact,
            false => FileCheck::Altered,
        });
        (part, check)
    };
    Part::list(folder).into_iter().map(checked).collect()
}

/// The number of rows in intact parts, and the rows that are missing before the last of all rows.
fn coverage(parts: &[(Part, Option<FileCheck>)]) -> (u64, Vec<Range<u64>>) {
    let (mut rows, mut end, mut lost) = (0, 0, Vec::new());
    for (part, _) in parts.iter().filter(|(_, check)| *check != Some(FileCheck::Altered)) {
        let part_end = part.first + part.rows;
        if part.first > end {
            lost.push(end..part.first);
        }
        rows += part_end.saturating_sub(end.max(part.first));
        end = end.max(part_end);
    }
    let last = parts.iter().map(|(part, _)| part.first + part.rows).max().unwrap_or(0);
    if last > end {
        lost.push(end..last);
    }
    (rows, lost)
}

/// Rows that could not be joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// There is no unfinished run.
    #[error("{folder} has no unfinished run with rows: there is nothing to join")]
    Nothing {
        /// The folder.
        folder: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A part cannot be read, or the file cannot be written.
    #[error("cannot write {path}: {cause}")]
    Failed {
        /// The file.
        path: String,
        /// The reason.
        cause: String,
    },
}

/// Joins the intact parts of an unfinished run into one file: CSV if its name ends so, else Parquet. Returns the number
/// of rows. The parts stay.
pub fn join(folder: &Path, out: &Path) -> Result<u64, JoinError> {
    let parts = checked_parts(folder);
    let (rows, _) = coverage(&parts);
    let place = folder.join(UNFINISHED);
    let (true, Some(summary)) = (rows > 0, contents::summary(&place.join(SUMMARY))) else {
        return Err(JoinError::Nothing { folder: folder.display().to_string() });
    };
    let is_csv = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let is_ours = |path: &Path| match is_csv {
        true => contents::has_csv_header(path, &summary.columns),
        false => contents::is_our_parquet(path),
    };
    let failed =
        |cause: &str| JoinError::Failed { path: out.display().to_string(), cause: cause.into() };
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    if is_known(&name) {
        return Err(failed("a run uses this name; try: another name"));
    }
    if out.exists() && !out.is_file() {
        return Err(failed("this is not a regular file"));
    }
    output::check(out, ExistingFile::ReplaceIf(&is_ours))?;
    let all: Vec<usize> = (0..summary.columns.len()).collect();
    let blocks = |take: &mut dyn FnMut(&[Vec<f64>]) -> io::Result<()>| -> io::Result<()> {
        let mut end = 0;
        for (part, _) in parts.iter().filter(|(_, check)| *check != Some(FileCheck::Altered)) {
            let part_end = part.first + part.rows;
            if part_end <= end {
                continue;
            }
            let mut skip = (end.max(part.first) - part.first) as usize;
            let reader = ParquetReader::open(&part.path).map_err(io::Error::other)?;
            for block in 0..reader.blocks() {
                let mut columns = reader.block(block, &all).map_err(io::Error::other)?;
                let first = skip.min(columns.first().map_or(0, Vec::len));
                skip -= first;
                columns.iter_mut().for_each(|column| drop(column.drain(..first)));
                take(&columns)?;
            }
            end = part_end;
        }
        Ok(())
    };
    let written = write_atomically(&LocalDisk, out, |file| match is_csv {
        true => {
            let mut out = io::BufWriter::new(file);
            csv::header(&mut out, &summary.columns)?;
            blocks(&mut |columns| csv::rows(&mut out, columns))?;
            out.into_inner().map_err(io::IntoInnerError::into_error)
        }
        false => {
            let text = serde_json::to_string(&summary).unwrap_or_default();
            let mut writer =
                ParquetWriter::create(file, &summary.columns, &text).map_err(io_error)?;
            blocks(&mut |columns| writer.block(columns).map_err(io_error))?;
            writer.close().map_err(io_error)
        }
    });
    written.map(|_| rows).map_err(|error| JoinError::Failed {
        path: out.display().to_string(),
        cause: error.to_string(),
    })
}
