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
#[error("cannot write {path}: {cause}\n  {}", and_kept(.kept))]
pub struct WriteError {
    /// The file or folder.
    pub path: String,
    /// Why not.
    pub cause: String,
    /// Where the rows so far are kept, and how many.
    pub kept: Option<(String, u64)>,
}

fn and_kept(kept: &Option<(String, u64)>) -> String {
    match kept {
        Some((place, rows)) => format!("the first {rows} rows are kept in {place}"),
        None => "nothing could be kept".into(),
    }
}

/// A part is closed when it has this many numbers, or is this old: so much a crash can cost.
const PART: usize = 1 << 21;
const OLDEST: Duration = Duration::from_secs(10);

/// Where rows are until the results are whole.
const UNFINISHED: &str = "unfinished";
/// Where those of a run that died before are, when another one begins.
const ABANDONED: &str = "abandoned";
const LOCK: &str = ".cardan.lock";

/// A folder that takes rows.
pub struct Folder {
    path: PathBuf,
    /// What the parts say of themselves.
    about: Summary,
    sink: Sink,
    rows: u64,
    closed: Instant,
    /// Whether a run that died before left rows behind.
    pub has_abandoned: bool,
    _lock: File,
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
        fs::create_dir_all(path).map_err(fail)?;
        let lock = File::create(path.join(LOCK)).map_err(fail)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => fail(io::Error::other("another run is writing there")),
            TryLockError::Error(error) => fail(error),
        })?;
        let unfinished = path.join(UNFINISHED);
        // an empty one holds nothing
        let _ = fs::remove_dir(&unfinished);
        let has_abandoned = unfinished.exists();
        if has_abandoned {
            // whoever wants them may still have them
            let abandoned = path.join(ABANDONED);
            remove_folder(&abandoned).map_err(fail)?;
            fs::rename(&unfinished, abandoned).map_err(fail)?;
        }
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
        Ok(Self { path, about, sink, rows: 0, closed, has_abandoned, _lock: lock })
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes a row.
    pub fn row(&mut self, values: &[f64]) -> Result<(), WriteError> {
        self.rows += 1;
        let is_old = self.rows.is_multiple_of(64) && self.closed.elapsed() > OLDEST;
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
        let kept = (rows > 0).then_some((place, rows));
        WriteError { path, cause: error.to_string(), kept }
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
        let (format, unfinished) = (self.format(), self.path.join(UNFINISHED));
        let whole = unfinished.join("whole");
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
        let place = |name: &str| self.path.join(name);
        let about = serde_json::to_string_pretty(summary).unwrap_or_default() + "\n";
        let beside = unfinished.join("summary.json");
        let ready = written.and_then(|()| fs::write(&beside, about));
        if ready.is_err() {
            let _ = fs::remove_file(&whole);
            let _ = fs::remove_file(&beside);
        }
        ready?;
        // results of an earlier run belong to another summary
        remove(&place("summary.json"))?;
        for other in Format::ALL.into_iter().filter(|other| *other != format) {
            remove(&place(other.file_name()))?;
        }
        let source = match format {
            Format::Parquet => whole,
            Format::Csv => unfinished.join(format.file_name()),
        };
        fs::rename(source, place(format.file_name()))?;
        fs::rename(beside, place("summary.json"))?;
        // everything is in place: what remains is only untidy
        let _ = remove_folder(&unfinished);
        let _ = remove(&place(LOCK));
        Ok(())
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

/// The closed parts in the folder of a run that is under way or died, in their order.
pub(super) fn parts(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join(UNFINISHED)).into_iter().flatten().flatten();
    let is_part = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "parquet");
    let mut parts: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_part).collect();
    parts.sort();
    parts
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
