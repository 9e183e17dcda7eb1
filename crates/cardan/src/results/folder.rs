//! The folder of a run's results. Rows are written to closed parts within two seconds, in a separate folder.
//! The parts become one file at the end, which gets its final name when it is complete.

use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::contents;
use super::format::ResultsFormat;
use super::layout::{
    FINISHED, INDEX, PARTIAL, SNAPSHOTS, SUMMARY, UNFINISHED, WHOLE, is_file, is_taken, names,
};
use super::place::{move_aside, place, set_aside_unfinished, whole};
use super::snapshot::SnapshotEntry;
use super::summary::{RunStatus, RunSummary};
use super::{csv, parquet};
use crate::model::Snapshot;
use crate::output::{Disk, DiskFile, FileNames, LocalDisk};

/// Results that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {cause}{}", and_kept(.kept))]
pub struct WriteError {
    /// The file or folder.
    pub path: String,
    /// The reason.
    pub cause: String,
    /// How many rows are kept, and where; `None` if there were none yet.
    pub kept: Option<(u64, String)>,
}

fn and_kept(kept: &Option<(u64, String)>) -> String {
    match kept {
        Some((0, _)) => "\n  nothing could be kept".into(),
        Some((rows, place)) => format!("\n  the first {rows} rows are kept in {place}"),
        None => String::new(),
    }
}

/// A part is complete when it has this many numbers: the row groups of the final file.
const PART: usize = 1 << 21;
/// Rows are on the disk within this time after they were computed.
const MAX_AGE: Duration = Duration::from_secs(2);
/// The shortest and longest time between two saves, unless a step may take long.
const MIN_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// The pause between two saves is this many times as long as saving takes, within these bounds.
const PAUSE_PER_COST: u32 = 20;
/// The next step is assumed to take up to this many times as long as the last one.
const SLOWER: u32 = 10;

/// A folder that takes rows.
pub struct ResultsFolder<'d> {
    disk: &'d dyn Disk,
    path: PathBuf,
    /// The summary that is written into each part.
    about: RunSummary,
    sink: RowSink,
    rows: u64,
    clock: Clock,
    names: FileNames,
    snapshots: Vec<SnapshotEntry>,
    /// The folder to which rows of an earlier unfinished run were moved.
    pub abandoned: Option<PathBuf>,
    /// The folder itself, locked.
    _lock: Option<File>,
}

enum RowSink {
    /// The rows of the part that is not complete; of these, `saved` are on the disk.
    Parquet {
        buffer: Vec<Vec<f64>>,
        parts: usize,
        saved: usize,
    },
    Csv(BufWriter<Box<dyn DiskFile>>),
}

/// When rows are due to be saved.
struct Clock {
    /// When the oldest row was computed that is not on the disk.
    unsaved: Option<Instant>,
    /// When the last step began.
    step: Option<Instant>,
    /// How long rows may wait; it depends on the time that saving takes.
    pause: Duration,
}

impl ResultsFolder<'static> {
    /// Makes the folder. Earlier results stay until the new ones are complete; files that Cardan did not
    /// write stay.
    pub fn create(
        path: &Path,
        format: ResultsFormat,
        about: &RunSummary,
    ) -> Result<Self, WriteError> {
        Self::create_on(&LocalDisk, path, format, about)
    }
}

impl<'d> ResultsFolder<'d> {
    /// Makes the folder on a disk.
    pub fn create_on(
        disk: &'d dyn Disk,
        path: &Path,
        format: ResultsFormat,
        about: &RunSummary,
    ) -> Result<Self, WriteError> {
        let fail = |cause: io::Error| WriteError {
            path: path.display().to_string(),
            cause: cause.to_string(),
            kept: None,
        };
        if path.exists() && !path.is_dir() {
            return Err(fail(io::Error::other("this is a file, not a folder")));
        }
        disk.create_folders(path).map_err(fail)?;
        let lock = locked(path).map_err(fail)?;
        // a run that was killed after its last row has complete results
        if contents::is_working_folder(&path.join(FINISHED)) {
            place(disk, path).map_err(fail)?;
        }
        if let Some(foreign) = contents::foreign(path, format) {
            let cause = "it exists already and was not written by a run of Cardan; it was not changed\n  \
                         try: another folder (--out FOLDER), or move it away";
            let foreign = foreign.display().to_string();
            return Err(WriteError { path: foreign, cause: cause.into(), kept: None });
        }
        let abandoned = set_aside_unfinished(disk, path).map_err(fail)?;
        let (path, about) = (path.to_path_buf(), about.clone());
        let clock = Clock { unsaved: None, step: None, pause: MIN_PAUSE };
        let (names, snapshots) = Default::default();
        let sink = begin(disk, &path.join(UNFINISHED), format, &about).map_err(fail)?;
        Ok(Self {
            disk,
            path,
            about,
            sink,
            rows: 0,
            clock,
            names,
            snapshots,
            abandoned,
            _lock: lock,
        })
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes a row.
    pub fn row(&mut self, values: &[f64]) -> Result<(), WriteError> {
        self.rows += 1;
        self.clock.unsaved.get_or_insert_with(Instant::now);
        let written = match &mut self.sink {
            RowSink::Csv(out) => csv::row(out, values),
            RowSink::Parquet { buffer, .. } => {
                buffer.iter_mut().zip(values).for_each(|(column, value)| column.push(*value));
                let is_full = buffer.len() * buffer[0].len() >= PART;
                if is_full { self.close_part() } else { Ok(()) }
            }
        };
        written.map_err(|error| self.failure(&error))
    }

    /// Saves rows that would be too old before there is another chance: call it before every step. The
    /// next step may take ten times as long as the last one, and how long the first takes is not known.
    pub fn before_step(&mut self) -> Result<(), WriteError> {
        let now = Instant::now();
        let last = self.clock.step.map(|began| now - began);
        if let Some(since) = self.clock.unsaved {
            let (age, next) = (now - since, last.map_or(MAX_AGE, |last| SLOWER * last));
            if age >= self.clock.pause || age + next >= MAX_AGE {
                self.save().map_err(|error| self.failure(&error))?;
                self.clock.pause = (PAUSE_PER_COST * now.elapsed()).clamp(MIN_PAUSE, MAX_PAUSE);
            }
        }
        self.clock.step = Some(Instant::now());
        Ok(())
    }

    /// Takes all structures at one instant.
    pub fn snapshots(&mut self, all: &[Snapshot]) -> Result<(), WriteError> {
        let place = self.path.join(UNFINISHED).join(SNAPSHOTS);
        let written = all.iter().try_for_each(|snapshot| {
            if !is_taken(&place) {
                self.disk.create_folder(&place)?;
            }
            // a file that is no snapshot keeps its name
            let entry = loop {
                let entry = snapshot.entry(&mut self.names);
                let later = self.path.join(SNAPSHOTS).join(&entry.file);
                if !is_taken(&later) || contents::is_our_snapshot(&later) {
                    break entry;
                }
            };
            write_text(self.disk, &place.join(&entry.file), &snapshot.to_csv())?;
            self.snapshots.push(entry);
            let list = serde_json::to_string_pretty(&self.snapshots).unwrap_or_default() + "\n";
            write_text(self.disk, &place.join(INDEX), &list)
        });
        written.map_err(|error| self.failure(&error))
    }

    /// Writes all rows to the disk.
    fn save(&mut self) -> io::Result<()> {
        match &mut self.sink {
            RowSink::Csv(out) => out.flush().and_then(|()| out.get_mut().sync())?,
            RowSink::Parquet { buffer, parts, saved } if buffer[0].len() > *saved => {
                // the part grows: its file is replaced by one with all its rows
                let path = part(&self.path.join(UNFINISHED), *parts);
                write_parquet(self.disk, &path, &self.about, |writer| writer.block(buffer))?;
                *saved = buffer[0].len();
            }
            RowSink::Parquet { .. } => {}
        }
        self.clock.unsaved = None;
        Ok(())
    }

    /// Saves a part that is complete, and begins the next one.
    fn close_part(&mut self) -> io::Result<()> {
        self.save()?;
        if let RowSink::Parquet { buffer, parts, saved } = &mut self.sink {
            buffer.iter_mut().for_each(Vec::clear);
            (*parts, *saved) = (*parts + 1, 0);
        }
        Ok(())
    }

    /// Saves as many rows as fit on the disk, in addition to those saved before.
    fn keep_partial_results(&mut self) {
        if self.save().is_ok() {
            return;
        }
        let RowSink::Parquet { buffer, parts, saved } = &mut self.sink else { return };
        let path = part(&self.path.join(UNFINISHED), *parts + usize::from(*saved > 0));
        let mut count = buffer[0].len() - *saved;
        while count > 0 {
            let rows: Vec<&[f64]> =
                buffer.iter().map(|column| &column[*saved..*saved + count]).collect();
            let written =
                write_parquet(self.disk, &path, &self.about, |writer| writer.block(&rows));
            if written.is_ok() {
                break;
            }
            count /= 2;
        }
    }

    fn format(&self) -> ResultsFormat {
        match &self.sink {
            RowSink::Parquet { .. } => ResultsFormat::Parquet,
            RowSink::Csv(_) => ResultsFormat::Csv,
        }
    }

    fn failure(&mut self, error: &io::Error) -> WriteError {
        self.keep_partial_results();
        let unfinished = self.path.join(UNFINISHED);
        let rows: u64 = rows(&unfinished).iter().map(|path| count(path)).sum();
        let path = self.path.join(self.format().file_name()).display().to_string();
        let kept = Some((rows, unfinished.display().to_string()));
        WriteError { path, cause: error.to_string(), kept }
    }

    /// Merges the parts into one file with its final name and writes the summary; returns the path of the
    /// file. Results of a run that did not reach its end do not replace complete ones.
    pub fn finish(mut self, summary: &RunSummary) -> Result<PathBuf, WriteError> {
        self.complete(summary).map_err(|error| self.failure(&error))?;
        let (disk, format) = (self.disk, self.format());
        let failure = |place: &Path, error: io::Error| WriteError {
            path: self.path.join(format.file_name()).display().to_string(),
            cause: error.to_string(),
            kept: Some((self.rows, place.display().to_string())),
        };
        let (unfinished, finished) = (self.path.join(UNFINISHED), self.path.join(FINISHED));
        if summary.status != RunStatus::Completed && contents::is_complete(&self.path) {
            let put = move_aside(disk, &self.path, format, summary.status);
            return put
                .map(|place| place.join(format.file_name()))
                .map_err(|error| failure(&unfinished, error));
        }
        // from here on the results are complete
        disk.rename(&unfinished, &finished).map_err(|error| failure(&unfinished, error))?;
        place(disk, &self.path).map_err(|error| {
            let is_there = is_file(&whole(&finished, format));
            failure(if is_there { &finished } else { &self.path }, error)
        })?;
        Ok(self.path.join(format.file_name()))
    }

    /// One file of all rows, and the summary, in the folder of the rows.
    fn complete(&mut self, summary: &RunSummary) -> io::Result<()> {
        let unfinished = self.path.join(UNFINISHED);
        if let RowSink::Csv(_) = &self.sink {
            self.save()?;
        }
        if let RowSink::Parquet { buffer, parts, .. } = &self.sink {
            let path = whole(&unfinished, ResultsFormat::Parquet);
            write_parquet(self.disk, &path, summary, |writer| {
                let all: Vec<usize> = (0..buffer.len()).collect();
                for k in 0..*parts {
                    let reader = parquet::ParquetReader::open(&part(&unfinished, k))?;
                    for block in 0..reader.blocks() {
                        writer.block(&reader.block(block, &all)?)?;
                    }
                }
                // a file without rows has no blocks
                if buffer[0].is_empty() { Ok(()) } else { writer.block(buffer) }
            })?;
        }
        let about = serde_json::to_string_pretty(summary).unwrap_or_default() + "\n";
        let written = write_text(self.disk, &unfinished.join(SUMMARY), &about);
        written.inspect_err(|_| {
            // rows in two files would be found twice
            let _ = self.disk.remove_file(&unfinished.join(WHOLE));
        })
    }
}

/// Makes the folder of rows, with the summary of the run in it.
fn begin(
    disk: &dyn Disk,
    unfinished: &Path,
    format: ResultsFormat,
    about: &RunSummary,
) -> io::Result<RowSink> {
    disk.create_folder(unfinished)?;
    let text = serde_json::to_string_pretty(about).unwrap_or_default() + "\n";
    write_text(disk, &unfinished.join(SUMMARY), &text)?;
    Ok(match format {
        ResultsFormat::Parquet => {
            let buffer = vec![Vec::new(); about.columns.len()];
            RowSink::Parquet { buffer, parts: 0, saved: 0 }
        }
        ResultsFormat::Csv => {
            let file = disk.create_file(&unfinished.join(format.file_name()))?;
            let mut out = BufWriter::new(file);
            csv::header(&mut out, &about.columns)?;
            RowSink::Csv(out)
        }
    })
}

/// The folder, locked for one run; `None` where folders cannot be locked.
fn locked(folder: &Path) -> io::Result<Option<File>> {
    let Ok(lock) = File::open(folder) else { return Ok(None) };
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another run is writing to this folder"))
        }
        _ => Ok(Some(lock)),
    }
}

/// Writes a file atomically: under a temporary name, synced, then renamed.
fn write_whole(
    disk: &dyn Disk,
    path: &Path,
    contents: impl FnOnce(Box<dyn DiskFile>) -> io::Result<Box<dyn DiskFile>>,
) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(PARTIAL);
    let partial = path.with_file_name(name);
    let written = disk.create_file(&partial).and_then(contents).and_then(|mut file| file.sync());
    written.and_then(|()| disk.rename(&partial, path)).inspect_err(|_| {
        let _ = disk.remove_file(&partial);
    })
}

fn write_text(disk: &dyn Disk, path: &Path, text: &str) -> io::Result<()> {
    write_whole(disk, path, |mut file| file.write_all(text.as_bytes()).map(|()| file))
}

type BlockWriter = parquet::ParquetWriter<Box<dyn DiskFile>>;

fn write_parquet(
    disk: &dyn Disk,
    path: &Path,
    about: &RunSummary,
    blocks: impl FnOnce(&mut BlockWriter) -> Result<(), ::parquet::errors::ParquetError>,
) -> io::Result<()> {
    let text = serde_json::to_string(about).unwrap_or_default();
    write_whole(disk, path, |file| {
        let written =
            parquet::ParquetWriter::create(file, &about.columns, &text).and_then(|mut writer| {
                blocks(&mut writer)?;
                writer.close()
            });
        written.map_err(io::Error::other)
    })
}

fn part(unfinished: &Path, k: usize) -> PathBuf {
    unfinished.join(format!("part-{k:05}.parquet"))
}

/// The number of rows in a file of results.
fn count(path: &Path) -> u64 {
    match path.extension().is_some_and(|extension| extension == "csv") {
        true => std::fs::read(path).map_or(0, |bytes| {
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            lines.saturating_sub(1)
        }),
        false => parquet::ParquetReader::open(path).map_or(0, |reader| reader.rows()),
    }
}

/// The files of rows in the folder of an unfinished run: closed parts in their order, or one CSV file.
pub(super) fn rows(folder: &Path) -> Vec<PathBuf> {
    let inner = folder.join(UNFINISHED);
    let place = if inner.exists() { inner } else { folder.to_path_buf() };
    let is_rows = |name: &String| {
        name == ResultsFormat::Csv.file_name()
            || name.starts_with("part-") && name.ends_with(".parquet")
    };
    let rows = names(&place).into_iter().filter(is_rows);
    rows.map(|name| place.join(name)).collect()
}
