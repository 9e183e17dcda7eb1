//! The contents of a results folder, and whether Cardan wrote them.

use std::fs;
use std::path::{Path, PathBuf};

use super::format::ResultsFormat;
use super::layout::{
    EVENTS, EXTENDING, FINISHED, INDEX, MOTION, PARTIAL, RECORDS, REPLACED, RUN, SNAPSHOTS, STATE,
    SUMMARY, UNFINISHED, is_checkpoint, is_file, is_folder, is_known, is_taken, names,
};
use super::part::Part;
use super::recorder::Column;
use super::snapshot::SnapshotEntry;
use super::summary::{RunStatus, RunSummary};
use super::{checksums, csv, event_table, parquet};
use crate::output::{ContainerKind, origin};

/// The summary in a file, if it is one.
pub(super) fn summary(path: &Path) -> Option<RunSummary> {
    let text = is_file(path).then(|| fs::read_to_string(path).ok())??;
    serde_json::from_str(&text).ok()
}

impl RunSummary {
    /// The summary in a folder of results.
    pub fn read(folder: &Path) -> Option<Self> {
        summary(&folder.join(SUMMARY))
    }
}

/// Whether Cardan wrote a Parquet file: its metadata have Cardan's key.
pub fn is_our_parquet(path: &Path) -> bool {
    is_file(path)
        && parquet::ParquetReader::open(path).is_ok_and(|reader| reader.metadata().is_some())
}

/// Whether a file begins with the header that Cardan writes for these columns.
pub(super) fn has_csv_header(path: &Path, columns: &[Column]) -> bool {
    let mut header = Vec::new();
    let written = csv::header(&mut header, columns);
    written.is_ok() && origin::first_bytes(path, header.len() as u64) == header
}

/// Whether Cardan wrote the results of a format in a folder. A CSV file carries no mark: the summary in the
/// same folder must name it and have its columns.
pub(super) fn are_our_results(folder: &Path, format: ResultsFormat) -> bool {
    let path = folder.join(format.file_name());
    match format {
        ResultsFormat::Parquet => is_our_parquet(&path),
        ResultsFormat::Csv => summary(&folder.join(SUMMARY)).is_some_and(|summary| {
            let header = origin::first_bytes(&path, 1 << 24);
            let first = header.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let columns = csv::split(&String::from_utf8_lossy(first));
            let is_same = columns.iter().eq(summary.columns.iter().map(|column| &column.name));
            is_file(&path) && summary.results == format.file_name() && is_same
        }),
    }
}

/// Whether a file in the folder of snapshots is a snapshot of Cardan, or the list of snapshots.
pub(super) fn is_our_snapshot(path: &Path) -> bool {
    match path.file_name().is_some_and(|name| name == INDEX) {
        true => is_file(path) && origin::is_json::<Vec<SnapshotEntry>>(path),
        false => is_file(path) && origin::is_table(path, origin::SNAPSHOT_COLUMNS),
    }
}

/// Whether Cardan wrote the record, the state, the motion, the events or the checksums of a run in a folder.
pub(super) fn is_our_file(folder: &Path, name: &str) -> bool {
    let path = folder.join(name);
    is_file(&path)
        && match name {
            RUN => ContainerKind::Run.is_ours(&path),
            STATE => ContainerKind::State.is_ours(&path),
            MOTION => ContainerKind::Motion.is_ours(&path),
            EVENTS => origin::is_table(&path, event_table::HEADER),
            _ => checksums::read(&path).is_some(),
        }
}

/// Whether a folder holds complete results.
pub(super) fn is_complete(folder: &Path) -> bool {
    summary(&folder.join(SUMMARY)).is_some_and(|summary| {
        summary.status == RunStatus::Completed && is_file(&folder.join(&summary.results))
    })
}

/// A file or folder that has a name of a run's results and that Cardan did not write; it is not replaced.
pub(super) fn foreign(folder: &Path, format: ResultsFormat) -> Option<PathBuf> {
    let path = |name: &str| folder.join(name);
    let index = path(SNAPSHOTS).join(INDEX);
    let is_ours = |name: &str| match name {
        SUMMARY => summary(&path(SUMMARY)).is_some(),
        UNFINISHED | FINISHED | EXTENDING => is_working_folder(&path(name)),
        SNAPSHOTS => is_folder(&path(SNAPSHOTS)),
        name if RECORDS.contains(&name) => is_our_file(folder, name),
        _ => are_our_results(folder, format),
    };
    let names_of_run = [SUMMARY, format.file_name(), UNFINISHED, FINISHED, EXTENDING, SNAPSHOTS];
    let found = names_of_run
        .into_iter()
        .chain(RECORDS)
        .find(|name| is_taken(&path(name)) && !is_ours(name))
        .map(path);
    found.or_else(|| Some(index).filter(|index| is_taken(index) && !is_our_snapshot(index)))
}

/// Whether a run keeps its rows in a folder: all names in it are names that a run uses, and at least one
/// file is recognised. A folder that is empty was left by a run that was killed early.
pub(super) fn is_working_folder(folder: &Path) -> bool {
    if !is_folder(folder) {
        return false;
    }
    let all = names(folder);
    let is_proof = |name: &String| match name.as_str() {
        SUMMARY => summary(&folder.join(name)).is_some(),
        name if name.starts_with(REPLACED) => true,
        SNAPSHOTS => {
            let place = folder.join(SNAPSHOTS);
            let is_ours =
                |name: &String| name.ends_with(PARTIAL) || is_our_snapshot(&place.join(name));
            is_folder(&place) && names(&place).iter().all(is_ours)
        }
        name if RECORDS.contains(&name) => is_our_file(folder, name),
        name if is_checkpoint(name) => ContainerKind::State.is_ours(&folder.join(name)),
        name => is_our_parquet(&folder.join(name)),
    };
    let is_begun = all.iter().all(|name| name.ends_with(PARTIAL));
    all.iter().all(|name| is_known(name)) && (is_begun || all.iter().any(is_proof))
}

/// A file in the folder where a run works that it did not write.
pub(super) fn foreign_in_working_folder(folder: &Path) -> Option<PathBuf> {
    let is_ours = |name: &str| {
        let path = folder.join(name);
        match name {
            SUMMARY => is_file(&path),
            SNAPSHOTS => is_folder(&path),
            name if RECORDS.contains(&name) => is_our_file(folder, name),
            // names that nothing else has: such a file may be damaged
            name if is_checkpoint(name) || Part::has_checksum(name) => is_file(&path),
            name => match name.strip_suffix(PARTIAL) {
                Some(name) => is_known(name) && is_file(&path),
                None if name == ResultsFormat::Csv.file_name() => summary(&folder.join(SUMMARY))
                    .is_some_and(|summary| has_csv_header(&path, &summary.columns)),
                None => is_known(name) && is_our_parquet(&path),
            },
        }
    };
    let foreign = names(folder).into_iter().find(|name| !is_ours(name)).map(|x| folder.join(x));
    let place = folder.join(SNAPSHOTS);
    let is_snapshot = |name: &String| name.ends_with(PARTIAL) || is_our_snapshot(&place.join(name));
    foreign.or_else(|| names(&place).into_iter().find(|x| !is_snapshot(x)).map(|x| place.join(x)))
}
