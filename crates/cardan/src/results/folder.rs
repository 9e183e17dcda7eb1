//! The folder of a run's results. Rows go to closed parts as they come, in a folder of their own, and
//! become one file at the end, under its final name only when it is whole.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::summary::Summary;
use super::{comma, parquet};

/// How results are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Columns, compressed, with metadata.
    #[default]
    Parquet,
    /// Text.
    Csv,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Parquet, Self::Csv];

    /// The name of the file of results.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Parquet => "results.parquet",
            Self::Csv => "results.csv",
        }
    }
}

/// Results that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {cause}{}", and_kept(.kept))]
pub struct WriteError {
    /// The file or folder.
    pub path: String,
    /// Why not.
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

/// A part is closed when it has this many numbers, or is this old: so much a crash can cost.
const PART: usize = 1 << 21;
const OLDEST: Duration = Duration::from_secs(10);

/// Where rows are until the results are whole.
pub(super) const UNFINISHED: &str = "unfinished";
/// The same folder once the results are whole: what remains is to put them in their place.
const FINISHED: &str = "finished";
/// Where the rows of a run that died are put when another one begins, with a number.
const ABANDONED: &str = "abandoned";
/// Parts that are one file.
const WHOLE: &str = "whole.parquet";
/// The summary beside the results.
pub(super) const SUMMARY: &str = "summary.json";

/// A folder that takes rows.
pub struct Folder {
    path: PathBuf,
    /// What the parts say of themselves.
    about: Summary,
    sink: Sink,
    rows: u64,
    closed: Instant,
    /// Where the rows of a run that died here before are now.
    pub abandoned: Option<PathBuf>,
    /// The folder itself, locked.
    _lock: Option<File>,
}

enum Sink {
    Parquet { buffer: Vec<Vec<f64>>, parts: usize, kept: u64 },
    Csv(BufWriter<File>),
}

impl Folder {
    /// Makes the folder. Results that are there stay until the new ones are whole.
    pub fn create(path: &Path, format: Format, about: &Summary) -> Result<Self, WriteError> {
        let fail = |cause: io::Error| WriteError {
            path: path.display().to_string(),
            cause: cause.to_string(),
            kept: None,
        };
        if path.exists() && !path.is_dir() {
            return Err(fail(io::Error::other("this is a file, not a folder")));
        }
        fs::create_dir_all(path).map_err(fail)?;
        let lock = locked(path).map_err(fail)?;
        // a run that died between its last row and its last breath is whole
        place(path).map_err(fail)?;
        let unfinished = path.join(UNFINISHED);
        let abandoned = abandon(path).map_err(fail)?;
        fs::create_dir(&unfinished).map_err(fail)?;
        let columns = about.columns.len();
        let sink = match format {
            Format::Parquet => {
                Sink::Parquet { buffer: vec![Vec::new(); columns], parts: 0, kept: 0 }
            }
            Format::Csv => {
                let file = File::create(unfinished.join(format.file_name())).map_err(fail)?;
                let mut out = BufWriter::new(file);
                comma::header(&mut out, &about.columns).map_err(fail)?;
                Sink::Csv(out)
            }
        };
        let (path, about) = (path.to_path_buf(), about.clone());
        let closed = Instant::now();
        Ok(Self { path, about, sink, rows: 0, closed, abandoned, _lock: lock })
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes a row.
    pub fn row(&mut self, values: &[f64]) -> Result<(), WriteError> {
        self.rows += 1;
        let is_old = self.closed.elapsed() > OLDEST;
        let written = match &mut self.sink {
            Sink::Csv(out) => {
                let written = comma::row(out, values);
                if is_old { written.and_then(|()| out.flush()) } else { written }
            }
            Sink::Parquet { buffer, .. } => {
                buffer.iter_mut().zip(values).for_each(|(column, value)| column.push(*value));
                let is_large = buffer.len() * buffer[0].len() >= PART;
                if is_large || is_old { self.close_part() } else { Ok(()) }
            }
        };
        if is_old {
            self.closed = Instant::now();
        }
        written.map_err(|error| self.failure(&error))
    }

    /// Writes what is in memory as a part of its own.
    fn close_part(&mut self) -> io::Result<()> {
        let Sink::Parquet { buffer, parts, kept } = &mut self.sink else { return Ok(()) };
        let path = part(&self.path.join(UNFINISHED), *parts);
        let open = path.with_extension("partial");
        write(&open, &self.about, |writer| writer.block(buffer))
            .and_then(|()| fs::rename(&open, &path))
            .inspect_err(|_| {
                let _ = fs::remove_file(&open);
            })?;
        *parts += 1;
        *kept += buffer[0].len() as u64;
        buffer.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn format(&self) -> Format {
        match &self.sink {
            Sink::Parquet { .. } => Format::Parquet,
            Sink::Csv(_) => Format::Csv,
        }
    }

    fn failure(&self, error: &io::Error) -> WriteError {
        let place = self.path.join(UNFINISHED).display().to_string();
        let rows = match &self.sink {
            Sink::Parquet { kept, .. } => *kept,
            // the last lines may not have reached the disk
            Sink::Csv(_) => {
                let file = self.path.join(UNFINISHED).join(Format::Csv.file_name());
                let lines = fs::read_to_string(file).map_or(0, |text| text.matches('\n').count());
                (lines as u64).saturating_sub(1)
            }
        };
        let path = self.path.join(self.format().file_name()).display().to_string();
        WriteError { path, cause: error.to_string(), kept: Some((rows, place)) }
    }

    /// Makes one file of the parts and gives it its name; the summary beside it.
    pub fn finish(mut self, summary: &Summary) -> Result<(), WriteError> {
        self.complete(summary).map_err(|error| {
            // what cannot be one file may still fit as a part
            let _ = self.close_part();
            self.failure(&error)
        })
    }

    fn complete(&mut self, summary: &Summary) -> io::Result<()> {
        let unfinished = self.path.join(UNFINISHED);
        let (whole, beside) = (unfinished.join(WHOLE), unfinished.join(SUMMARY));
        let written = match &mut self.sink {
            Sink::Csv(out) => out.flush().and_then(|()| out.get_ref().sync_all()),
            Sink::Parquet { buffer, parts, .. } => write(&whole, summary, |writer| {
                let all: Vec<usize> = (0..buffer.len()).collect();
                for k in 0..*parts {
                    let reader = parquet::Reader::open(&part(&unfinished, k))?;
                    for block in 0..reader.blocks() {
                        writer.block(&reader.block(block, &all)?)?;
                    }
                }
                // a file without rows has no blocks
                if buffer[0].is_empty() { Ok(()) } else { writer.block(buffer) }
            }),
        };
        let about = serde_json::to_string_pretty(summary).unwrap_or_default() + "\n";
        let ready = written.and_then(|()| {
            let mut file = File::create(&beside)?;
            file.write_all(about.as_bytes())?;
            file.sync_all()
        });
        if ready.is_err() {
            let _ = fs::remove_file(&whole);
            let _ = fs::remove_file(&beside);
        }
        ready?;
        // from here on the results are whole, whatever happens
        fs::rename(&unfinished, self.path.join(FINISHED))?;
        place(&self.path)
    }
}

/// Puts whole results in their place. It may be done again if it was interrupted.
fn place(folder: &Path) -> io::Result<()> {
    let finished = folder.join(FINISHED);
    if !finished.exists() {
        return Ok(());
    }
    let is_there = |(_, source): &(Format, PathBuf)| source.exists();
    let sources = [
        (Format::Parquet, finished.join(WHOLE)),
        (Format::Csv, finished.join(Format::Csv.file_name())),
    ];
    if let Some((format, source)) = sources.into_iter().find(is_there) {
        // no summary is better than that of another run
        remove(&folder.join(SUMMARY))?;
        fs::rename(source, folder.join(format.file_name()))?;
        for other in Format::ALL.into_iter().filter(|other| *other != format) {
            remove(&folder.join(other.file_name()))?;
        }
    }
    if finished.join(SUMMARY).exists() {
        fs::rename(finished.join(SUMMARY), folder.join(SUMMARY))?;
    }
    // everything is in place: what remains is only untidy
    let _ = remove_folder(&finished);
    Ok(())
}

/// Keeps the rows of a run that died: whoever wants them may still have them.
fn abandon(folder: &Path) -> io::Result<Option<PathBuf>> {
    let unfinished = folder.join(UNFINISHED);
    // an empty one holds nothing
    let _ = fs::remove_dir(&unfinished);
    if !unfinished.exists() {
        return Ok(None);
    }
    let numbered = (1..).map(|k| folder.join(format!("{ABANDONED}-{k}")));
    let free = numbered.into_iter().find(|path| !path.exists());
    let abandoned = free.unwrap_or_else(|| folder.join(ABANDONED));
    fs::rename(&unfinished, &abandoned)?;
    Ok(Some(abandoned))
}

/// The folder, locked for one run; where folders cannot be locked, they are not.
fn locked(folder: &Path) -> io::Result<Option<File>> {
    let Ok(lock) = File::open(folder) else { return Ok(None) };
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other("another run is writing there")),
        _ => Ok(Some(lock)),
    }
}

fn write(
    path: &Path,
    about: &Summary,
    blocks: impl FnOnce(&mut parquet::Writer) -> Result<(), ::parquet::errors::ParquetError>,
) -> io::Result<()> {
    let text = serde_json::to_string(about).unwrap_or_default();
    let file = File::create(path)?;
    let written = parquet::Writer::create(file, &about.columns, &text).and_then(|mut writer| {
        blocks(&mut writer)?;
        writer.close()
    });
    written.map_err(io::Error::other)
}

fn part(unfinished: &Path, k: usize) -> PathBuf {
    unfinished.join(format!("part-{k:05}.parquet"))
}

/// The rows in the folder of a run that is under way or died: closed parts in their order, or lines.
pub(super) fn rows(folder: &Path) -> Vec<PathBuf> {
    let inner = folder.join(UNFINISHED);
    let place = if inner.exists() { inner } else { folder.to_path_buf() };
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let is_part = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == Format::Csv.file_name() || name.starts_with("part-") && name.ends_with(".parquet")
    };
    let mut rows: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_part).collect();
    rows.sort();
    rows
}

fn remove(path: &Path) -> io::Result<()> {
    absent_is_fine(fs::remove_file(path))
}

fn remove_folder(path: &Path) -> io::Result<()> {
    absent_is_fine(fs::remove_dir_all(path))
}

fn absent_is_fine(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
