//! Parts: the rows of a run in progress, in files whose names have the first row, the number of rows and the SHA-256:
//! a part that grows is replaced by a renaming, and is never without its checksum.
//!
//! ```text
//!   part-000000000000-000000000512-(64 digits).parquet
//! ```

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::layout::{PART_PREFIX, PART_SUFFIX, UNFINISHED, is_part, names};
use super::parquet::ParquetReader;
use crate::output::file_sha256;

/// A file with some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// The number of its first row.
    pub first: u64,
    /// How many rows it has.
    pub rows: u64,
    /// Its SHA-256; `None` if an earlier version of Cardan wrote it.
    pub sha256: Option<String>,
}

impl Part {
    /// Whether a name is that of a part with its checksum.
    pub(super) fn has_checksum(name: &str) -> bool {
        Self::parse(Path::new(""), name).is_some()
    }

    /// The name of a part.
    pub(super) fn name(first: u64, rows: u64, sha256: &str) -> String {
        format!("{PART_PREFIX}{first:012}-{rows:012}-{sha256}{PART_SUFFIX}")
    }

    fn parse(folder: &Path, name: &str) -> Option<Self> {
        let middle = name.strip_prefix(PART_PREFIX)?.strip_suffix(PART_SUFFIX)?;
        let [first, rows, sha256] = middle.split('-').collect::<Vec<_>>().try_into().ok()?;
        let is_digest = sha256.len() == 64 && sha256.bytes().all(|x| x.is_ascii_hexdigit());
        is_digest.then_some(())?;
        Some(Self {
            path: folder.join(name),
            first: first.parse().ok()?,
            rows: rows.parse().ok()?,
            sha256: Some(sha256.into()),
        })
    }

    /// All parts in the folder of a run: those in `unfinished` if there is such a folder. Sorted by the first row, and the longest
    /// first.
    pub fn list(folder: &Path) -> Vec<Self> {
        let inner = folder.join(UNFINISHED);
        let place = if inner.exists() { inner } else { folder.to_path_buf() };
        let mut all = Vec::new();
        let mut earlier = 0;
        for name in names(&place).into_iter().filter(|name| is_part(name)) {
            all.push(Self::parse(&place, &name).unwrap_or_else(|| {
                // an earlier version numbered the parts, without gaps
                let path = place.join(&name);
                let rows = ParquetReader::open(&path).map_or(0, |reader| reader.rows());
                earlier += rows;
                Self { path, first: earlier - rows, rows, sha256: None }
            }));
        }
        all.sort_by_key(|part| (part.first, u64::MAX - part.rows));
        all
    }

    /// Whether the file is as it was written; `None` if it has no checksum.
    pub fn is_intact(&self) -> Option<bool> {
        let expected = self.sha256.as_ref()?;
        Some(file_sha256(&self.path).is_ok_and(|found| found == *expected))
    }

    fn end(&self) -> u64 {
        self.first + self.rows
    }
}

/// The parts of an unfinished run: those that are as they were written, and the others.
#[derive(Clone, Debug, Default)]
pub struct PartsOnDisk {
    pub(super) intact: Vec<Part>,
    pub(super) damaged: Vec<Part>,
}

impl PartsOnDisk {
    /// The parts in the folder of a run, each compared with its checksum.
    pub fn verified(folder: &Path) -> Self {
        let (damaged, intact) =
            Part::list(folder).into_iter().partition(|part| part.is_intact() == Some(false));
        Self { intact, damaged }
    }

    /// The parts in the folder of a run that were just written.
    pub(super) fn trusted(folder: &Path) -> Self {
        Self { intact: Part::list(folder), damaged: Vec::new() }
    }

    /// The reason why a number of rows is not there, if it is not.
    pub fn missing(&self, rows: u64) -> Option<String> {
        let found = sequence(&self.intact).last().map_or(0, |(_, rows)| rows.end);
        if found >= rows {
            return None;
        }
        let reason = match self.damaged.first() {
            Some(part) => format!("{} was altered", part.path.display()),
            None => "a file with rows is missing".into(),
        };
        Some(format!("{found} of {rows} rows are intact: {reason}"))
    }
}

/// The parts that are needed for the longest sequence of rows from the first on, each with its rows in that sequence.
pub(super) fn sequence(all: &[Part]) -> Vec<(&Part, Range<u64>)> {
    let mut chosen: Vec<(&Part, Range<u64>)> = Vec::new();
    let mut end = 0;
    loop {
        let reaching = all.iter().filter(|part| part.first <= end && part.end() > end);
        let Some(part) = reaching.max_by_key(|part| part.end()) else { return chosen };
        chosen.push((part, end..part.end()));
        end = part.end();
    }
}

/// Reads rows from parts, one range after the other.
pub(super) struct PartReader<'p> {
    chosen: Vec<(&'p Part, Range<u64>)>,
    columns: usize,
    /// The columns of the part read last, and its number.
    open: Option<(usize, Vec<Vec<f64>>)>,
}

impl<'p> PartReader<'p> {
    pub fn new(all: &'p [Part], columns: usize) -> Self {
        Self { chosen: sequence(all), columns, open: None }
    }

    /// The parts with rows before a row.
    pub fn parts_before(&self, row: u64) -> Vec<&'p Part> {
        let before = self.chosen.iter().filter(|(_, rows)| rows.start < row);
        before.map(|(part, _)| *part).collect()
    }

    /// Adds some rows to columns.
    pub fn read(&mut self, wanted: Range<u64>, out: &mut [Vec<f64>]) -> io::Result<()> {
        for k in 0..self.chosen.len() {
            let (part, rows) = self.chosen[k].clone();
            let (from, to) = (rows.start.max(wanted.start), rows.end.min(wanted.end));
            if from >= to {
                continue;
            }
            let columns = self.columns_of(k)?;
            let range = (from - part.first) as usize..(to - part.first) as usize;
            for (out, column) in out.iter_mut().zip(columns) {
                out.extend(column.get(range.clone()).ok_or_else(|| damaged(part))?);
            }
        }
        Ok(())
    }

    fn columns_of(&mut self, k: usize) -> io::Result<&[Vec<f64>]> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != k) {
            let part = self.chosen[k].0;
            let reader = ParquetReader::open(&part.path).map_err(io::Error::other)?;
            let all: Vec<usize> = (0..self.columns).collect();
            let mut columns = vec![Vec::new(); self.columns];
            for block in 0..reader.blocks() {
                let more = reader.block(block, &all).map_err(io::Error::other)?;
                columns.iter_mut().zip(more).for_each(|(all, mut more)| all.append(&mut more));
            }
            self.open = Some((k, columns));
        }
        self.open.as_ref().map(|(_, columns)| &columns[..]).ok_or_else(|| damaged(self.chosen[k].0))
    }
}

fn damaged(part: &Part) -> io::Error {
    io::Error::other(format!("{} does not have its rows", part.path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(first: u64, rows: u64) -> Part {
        Part { path: PathBuf::new(), first, rows, sha256: None }
    }

    #[test]
    fn sequence_ends_at_the_first_gap_and_skips_what_longer_parts_contain() {
        let all = [part(0, 10), part(0, 4), part(8, 4), part(10, 1), part(12, 3), part(20, 5)];
        let chosen: Vec<_> =
            sequence(&all).into_iter().map(|(part, rows)| (part.first, rows)).collect();
        assert_eq!(chosen, [(0, 0..10), (8, 10..12), (12, 12..15)]);
        assert!(sequence(&all[5..]).is_empty());
    }
}
