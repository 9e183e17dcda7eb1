//! The rows of a run in progress: a buffer, and closed parts on the disk.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::layout::PARTIAL;
use super::parquet::{ParquetWriter, io_error};
use super::part::{Part, PartReader, PartsOnDisk};
use super::summary::RunSummary;
use super::{ResultsFormat, csv};
use crate::output::{DigestFile, Disk, DiskFile};

/// How rows are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RowLayout {
    /// The format of the final file.
    pub format: ResultsFormat,
    /// The rows of a part, and of a row group of the final file.
    pub rows_per_group: u64,
}

/// The numbers in a row group, if nothing else is chosen.
const GROUP: usize = 1 << 21;

impl RowLayout {
    /// A format, with row groups of two million numbers.
    pub fn new(format: ResultsFormat, columns: usize) -> Self {
        Self { format, rows_per_group: GROUP.div_ceil(columns.max(1)) as u64 }
    }
}

/// Takes rows and writes them to parts.
pub(super) struct RowStore<'d> {
    disk: &'d dyn Disk,
    folder: PathBuf,
    /// The summary that is written into each part.
    about: RunSummary,
    layout: RowLayout,
    /// The number of the first row in the buffer; those before it are in closed parts.
    first: u64,
    buffer: Vec<Vec<f64>>,
    /// The parts with the first rows of the buffer, one after the other.
    files: Vec<OpenPart>,
    /// Bytes of all closed parts.
    closed_bytes: u64,
}

/// A part with rows of the buffer.
struct OpenPart {
    path: PathBuf,
    rows: usize,
    bytes: u64,
}

impl<'d> RowStore<'d> {
    pub fn new(disk: &'d dyn Disk, folder: &Path, layout: RowLayout, about: &RunSummary) -> Self {
        Self {
            disk,
            folder: folder.to_path_buf(),
            about: about.clone(),
            layout,
            first: 0,
            buffer: vec![Vec::new(); about.columns.len()],
            files: Vec::new(),
            closed_bytes: 0,
        }
    }

    /// Continues after some rows that are on the disk; later ones are removed.
    pub fn reopen(
        disk: &'d dyn Disk,
        folder: &Path,
        layout: RowLayout,
        about: &RunSummary,
        rows: u64,
        parts: &PartsOnDisk,
    ) -> io::Result<Self> {
        let mut store = Self::new(disk, folder, layout, about);
        if let Some(reason) = parts.missing(rows) {
            return Err(io::Error::other(reason));
        }
        let mut reader = PartReader::new(&parts.intact, store.buffer.len());
        store.first = rows - rows % layout.rows_per_group;
        reader.read(store.first..rows, &mut store.buffer)?;
        let size = |part: &Part| part.path.metadata().map_or(0, |about| about.len());
        // parts that begin and end as if this run had written them
        let fits = |part: &&Part, from: u64| part.first == from && part.first + part.rows <= rows;
        while let Some(part) =
            parts.intact.iter().find(|part| fits(part, store.first + store.saved() as u64))
        {
            let (path, rows) = (part.path.clone(), part.rows as usize);
            store.files.push(OpenPart { path, rows, bytes: size(part) });
        }
        // rows that are needed are never without a file
        store.save()?;
        disk.sync_folder(folder)?;
        let needed = reader.parts_before(store.first);
        for part in parts.intact.iter().chain(&parts.damaged) {
            let is_open = store.files.iter().any(|file| file.path == part.path);
            if !needed.contains(&part) && !is_open {
                disk.remove_file(&part.path)?;
            }
        }
        store.closed_bytes = needed.iter().map(|part| size(part)).sum();
        Ok(store)
    }

    /// The columns of the rows that are not in closed parts.
    pub fn into_columns(self) -> Vec<Vec<f64>> {
        self.buffer
    }

    pub fn layout(&self) -> RowLayout {
        self.layout
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.first + self.buffer.first().map_or(0, Vec::len) as u64
    }

    /// The size of the final file, at most.
    pub fn final_bytes(&self) -> u64 {
        match self.layout.format {
            ResultsFormat::Parquet => {
                let open: u64 = self.files.iter().map(|file| file.bytes).sum();
                self.closed_bytes + open + self.unsaved_bytes()
            }
            ResultsFormat::Csv => {
                self.rows() * self.buffer.len() as u64 * ResultsFormat::Csv.bytes_per_number()
            }
        }
    }

    /// The size of the rows that are not saved, at most.
    pub fn unsaved_bytes(&self) -> u64 {
        let rows = self.rows() - self.first - self.saved() as u64;
        rows * self.buffer.len() as u64 * 8
    }

    /// Takes a row.
    pub fn row(&mut self, values: &[f64]) -> io::Result<()> {
        self.buffer.iter_mut().zip(values).for_each(|(column, value)| column.push(*value));
        match self.rows() - self.first < self.layout.rows_per_group {
            true => Ok(()),
            false => self.close_part(),
        }
    }

    /// The rows of the buffer that are on the disk.
    fn saved(&self) -> usize {
        self.files.iter().map(|file| file.rows).sum()
    }

    /// Writes all rows to the disk. Parts that are not longer than the new one are replaced by it, together with
    /// their rows: there are few parts, and a row is written a few times only.
    pub fn save(&mut self) -> io::Result<()> {
        let count = (self.rows() - self.first) as usize;
        let mut from = self.saved();
        if count <= from {
            return Ok(());
        }
        let is_full = count as u64 >= self.layout.rows_per_group;
        let mut kept = self.files.len();
        while kept > 0 && (is_full || self.files[kept - 1].rows <= count - from) {
            kept -= 1;
            from -= self.files[kept].rows;
        }
        let (path, bytes) = self.write_part(from, count - from)?;
        let replaced = self.files.split_off(kept);
        self.files.push(OpenPart { path, rows: count - from, bytes });
        if replaced.is_empty() {
            return Ok(());
        }
        // after a power failure the new name must be there if the old one is not
        self.disk.sync_folder(&self.folder)?;
        replaced.iter().try_for_each(|old| self.disk.remove_file(&old.path))
    }

    /// Saves a part that is complete, and begins the next one.
    fn close_part(&mut self) -> io::Result<()> {
        self.save()?;
        self.first = self.rows();
        self.buffer.iter_mut().for_each(Vec::clear);
        self.closed_bytes += self.files.drain(..).map(|file| file.bytes).sum::<u64>();
        Ok(())
    }

    /// Saves as many rows as fit on the disk, in addition to those saved before.
    pub fn save_what_fits(&mut self) {
        if self.save().is_ok() {
            return;
        }
        let saved = self.saved();
        let mut count = (self.rows() - self.first) as usize - saved;
        while count > 0 && self.write_part(saved, count).is_err() {
            count /= 2;
        }
    }

    /// Writes some rows of the buffer as a part; returns its path and size.
    fn write_part(&self, from: usize, count: usize) -> io::Result<(PathBuf, u64)> {
        let rows: Vec<&[f64]> =
            self.buffer.iter().map(|column| &column[from..from + count]).collect();
        let first = self.first + from as u64;
        let partial = self.folder.join(format!("part-{first:012}.parquet{PARTIAL}"));
        let name = |sha256: &str| self.folder.join(Part::name(first, count as u64, sha256));
        let text = serde_json::to_string(&self.about).unwrap_or_default();
        write_and_rename(self.disk, &partial, name, |file| {
            let written =
                ParquetWriter::create(file, &self.about.columns, &text).and_then(|mut writer| {
                    writer.block(&rows)?;
                    writer.close()
                });
            written.map_err(io_error)
        })
        .map(|written| (written.path, written.length))
    }

    /// Writes all rows as one file, in row groups that depend on the number of the rows only.
    pub fn write_whole(&self, path: &Path, summary: &RunSummary) -> io::Result<WrittenFile> {
        let parts = Part::list(&self.folder);
        let mut reader = PartReader::new(&parts, self.buffer.len());
        let mut blocks = |take: &mut dyn FnMut(&[Vec<f64>]) -> io::Result<()>| {
            let mut columns = vec![Vec::new(); self.buffer.len()];
            let mut from = 0;
            while from < self.first {
                let to = from + self.layout.rows_per_group;
                columns.iter_mut().for_each(Vec::clear);
                reader.read(from..to, &mut columns)?;
                if columns.iter().any(|column| column.len() as u64 != to - from) {
                    return Err(io::Error::other(format!("rows {from} to {to} are missing")));
                }
                take(&columns)?;
                from = to;
            }
            // a file without rows has no blocks
            if self.rows() > self.first { take(&self.buffer) } else { Ok(()) }
        };
        match self.layout.format {
            ResultsFormat::Parquet => write_atomically(self.disk, path, |file| {
                let text = serde_json::to_string(summary).unwrap_or_default();
                let mut writer =
                    ParquetWriter::create(file, &summary.columns, &text).map_err(io_error)?;
                blocks(&mut |columns| writer.block(columns).map_err(io_error))?;
                writer.close().map_err(io_error)
            }),
            ResultsFormat::Csv => write_atomically(self.disk, path, |file| {
                let mut out = io::BufWriter::new(file);
                csv::header(&mut out, &summary.columns)?;
                blocks(&mut |columns| csv::rows(&mut out, columns))?;
                out.into_inner().map_err(io::IntoInnerError::into_error)
            }),
        }
    }
}

/// A file that was written.
pub(super) struct WrittenFile {
    pub path: PathBuf,
    pub sha256: String,
    pub length: u64,
}

/// Writes a file atomically: under a temporary name, synced, then renamed.
pub(super) fn write_atomically(
    disk: &dyn Disk,
    path: &Path,
    contents: impl FnOnce(DigestFile) -> io::Result<DigestFile>,
) -> io::Result<WrittenFile> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(PARTIAL);
    write_and_rename(disk, &path.with_file_name(name), |_| path.to_path_buf(), contents)
}

/// Writes bytes atomically.
pub(super) fn write_bytes(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<WrittenFile> {
    write_atomically(disk, path, |mut file| file.write_all(bytes).map(|()| file))
}

/// Writes a file under a temporary name, syncs it, and renames it to a name that may depend on its SHA-256.
fn write_and_rename(
    disk: &dyn Disk,
    partial: &Path,
    name: impl FnOnce(&str) -> PathBuf,
    contents: impl FnOnce(DigestFile) -> io::Result<DigestFile>,
) -> io::Result<WrittenFile> {
    let written = disk.create_file(partial).and_then(|file| {
        let mut file = contents(DigestFile::new(file))?;
        file.sync()?;
        Ok((file.sha256(), file.length))
    });
    let renamed = written.and_then(|(sha256, length)| {
        let path = name(&sha256);
        disk.rename(partial, &path)?;
        Ok(WrittenFile { path, sha256, length })
    });
    renamed.inspect_err(|_| {
        let _ = disk.remove_file(partial);
    })
}
