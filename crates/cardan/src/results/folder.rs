//! The folder of a run's results. Rows go to closed parts as they come and become one file at the
//! end, under its final name only when it is whole.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::recorder::Column;
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
    /// What was written before and is kept.
    pub kept: Option<String>,
}

fn and_kept(kept: &Option<String>) -> String {
    kept.as_ref().map_or(String::new(), |kept| format!("; what was computed is kept in {kept}"))
}

/// A part is closed when it has this many numbers, or is this old: so much a crash can cost.
const PART: usize = 1 << 21;
const OLDEST: Duration = Duration::from_secs(10);

/// A folder that takes rows.
pub struct Folder {
    path: PathBuf,
    columns: Vec<Column>,
    sink: Sink,
    rows: u64,
    closed: Instant,
    _lock: File,
}

enum Sink {
    Parquet { buffer: Vec<Vec<f64>>, parts: usize },
    Csv(BufWriter<File>),
}

const LOCK: &str = ".cardan.lock";

impl Folder {
    /// Makes the folder. Results that are there stay until the new ones are whole.
    pub fn create(path: &Path, format: Format, columns: &[Column]) -> Result<Self, WriteError> {
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
        remove_parts(path);
        let sink = match format {
            Format::Parquet => Sink::Parquet { buffer: vec![Vec::new(); columns.len()], parts: 0 },
            Format::Csv => {
                let file = File::create(partial(path, Format::Csv)).map_err(fail)?;
                let mut out = BufWriter::new(file);
                comma::header(&mut out, columns).map_err(fail)?;
                Sink::Csv(out)
            }
        };
        let (path, columns) = (path.to_path_buf(), columns.to_vec());
        Ok(Self { path, columns, sink, rows: 0, closed: Instant::now(), _lock: lock })
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes a row.
    pub fn row(&mut self, values: &[f64]) -> Result<(), WriteError> {
        self.rows += 1;
        let is_old = self.rows % 64 == 0 && self.closed.elapsed() > OLDEST;
        match &mut self.sink {
            Sink::Csv(out) => {
                let written = comma::row(out, values);
                let written = if is_old { written.and_then(|()| out.flush()) } else { written };
                written.map_err(|error| self.failure(Format::Csv, &error))?;
            }
            Sink::Parquet { buffer, .. } => {
                buffer.iter_mut().zip(values).for_each(|(column, value)| column.push(*value));
                if buffer.len() * buffer[0].len() >= PART || is_old {
                    self.close_part()?;
                }
            }
        }
        if is_old {
            self.closed = Instant::now();
        }
        Ok(())
    }

    /// Writes what is in memory as a part of its own.
    fn close_part(&mut self) -> Result<(), WriteError> {
        let Sink::Parquet { buffer, parts } = &mut self.sink else { return Ok(()) };
        let path = part(&self.path, *parts);
        let open = path.with_extension("partial");
        let about = "{\"status\":\"running\"}";
        let written = write(&open, &self.columns, about, |writer| writer.block(buffer));
        match written.and_then(|()| fs::rename(&open, &path)) {
            Ok(()) => {
                *parts += 1;
                buffer.iter_mut().for_each(Vec::clear);
                Ok(())
            }
            Err(error) => {
                let _ = fs::remove_file(&open);
                Err(self.failure(Format::Parquet, &error))
            }
        }
    }

    fn failure(&self, format: Format, error: &io::Error) -> WriteError {
        let kept = match &self.sink {
            Sink::Parquet { parts: 0, .. } => None,
            Sink::Parquet { parts, .. } => Some(format!("{parts} parts beside it")),
            Sink::Csv(_) => Some(partial(&self.path, format).display().to_string()),
        };
        let path = self.path.join(format.file_name()).display().to_string();
        WriteError { path, cause: error.to_string(), kept }
    }

    /// Makes one file of the parts and gives it its name; the summary beside it.
    pub fn finish(mut self, summary: &Summary) -> Result<(), WriteError> {
        let about = serde_json::to_string_pretty(summary).unwrap_or_default();
        let format = match &self.sink {
            Sink::Parquet { .. } => Format::Parquet,
            Sink::Csv(_) => Format::Csv,
        };
        let open = partial(&self.path, format);
        let written = match &mut self.sink {
            Sink::Csv(out) => out.flush().and_then(|()| out.get_ref().sync_all()),
            Sink::Parquet { buffer, parts } => {
                let (parts, folder) = (*parts, &self.path);
                write(&open, &self.columns, &about, |writer| {
                    for k in 0..parts {
                        let reader = parquet::Reader::open(&part(folder, k))?;
                        let all: Vec<usize> = (0..buffer.len()).collect();
                        for block in 0..reader.blocks() {
                            writer.block(&reader.block(block, &all)?)?;
                        }
                    }
                    // a file without rows has no blocks
                    if buffer[0].is_empty() { Ok(()) } else { writer.block(buffer) }
                })
            }
        };
        let place = |name: &str| self.path.join(name);
        let named = written
            .and_then(|()| fs::write(place("summary.partial"), about + "\n"))
            .and_then(|()| remove(&place("summary.json")))
            .and_then(|()| fs::rename(&open, place(format.file_name())))
            .and_then(|()| fs::rename(place("summary.partial"), place("summary.json")));
        named.map_err(|error| self.failure(format, &error))?;
        // results of an earlier run in the other format do not belong to this summary
        for other in [Format::Parquet, Format::Csv] {
            if other != format {
                let _ = remove(&place(other.file_name()));
            }
        }
        remove_parts(&self.path);
        let _ = remove(&place(LOCK));
        Ok(())
    }
}

fn write(
    path: &Path,
    columns: &[Column],
    about: &str,
    blocks: impl FnOnce(&mut parquet::Writer) -> Result<(), ::parquet::errors::ParquetError>,
) -> io::Result<()> {
    let file = File::create(path)?;
    let written = parquet::Writer::create(file, columns, about).and_then(|mut writer| {
        blocks(&mut writer)?;
        writer.close()
    });
    written.map_err(io::Error::other)
}

fn partial(folder: &Path, format: Format) -> PathBuf {
    folder.join(format!("{}.partial", format.file_name()))
}

fn part(folder: &Path, k: usize) -> PathBuf {
    folder.join(format!("results.part-{k:05}.parquet"))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the parts of a run, finished or not.
fn remove_parts(folder: &Path) {
    let is_part = |name: &str| {
        name.starts_with("results.part-")
            && (name.ends_with(".parquet") || name.ends_with(".partial"))
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_part) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
