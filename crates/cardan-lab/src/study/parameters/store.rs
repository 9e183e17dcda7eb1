//! The store of a study: a file to which each computed case is appended with a checksum. A program that is killed
//! leaves at most one incomplete record, at the end, which the next one removes.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cardan::output::{OutputError, bytes_sha256};
use cardan::results::FolderLock;

use super::case_index::CaseIndex;
use super::row::StudyRow;
use crate::error::{LabError, LabErrorKind};

/// The file.
const CASES: &str = "cases.cardan";
/// The beginning of the file.
const MAGIC: &[u8] = b"cardan study, cases 1\n";
/// Length and checksum before each record.
const HEAD: usize = 12;
/// Larger records are damaged.
const MAX_RECORD: u64 = 1 << 31;
/// Records are forced to the disk at this interval; a killed program loses none of them, a power failure these.
const SYNC: Duration = Duration::from_secs(5);

/// The computed cases of a folder, locked for one program.
pub struct StudyStore {
    path: PathBuf,
    file: File,
    index: CaseIndex,
    end: u64,
    synced: Instant,
    /// Bytes that were removed because they were damaged or incomplete.
    pub removed: u64,
    _lock: FolderLock,
}

impl StudyStore {
    /// Opens the store of a folder, which is made if it does not exist.
    pub fn open(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join(CASES);
        let fail = |error: io::Error| failed(&path, &error);
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        let lock = FolderLock::new(folder).map_err(|error| LabError::input(error.to_string()))?;
        let exists = path.symlink_metadata().is_ok();
        if exists && !is_ours(&path) {
            return Err(OutputError::Foreign { path: path.display().to_string() }.into());
        }
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options.map_err(fail)?;
        let length = file.metadata().map_err(fail)?.len();
        let (index, end) = match length < MAGIC.len() as u64 {
            true => {
                file.set_len(0).map_err(fail)?;
                file.write_all(MAGIC).map_err(fail)?;
                (CaseIndex::default(), MAGIC.len() as u64)
            }
            false => scan(&mut file, length).map_err(fail)?,
        };
        let removed = length.saturating_sub(end);
        file.set_len(end).map_err(fail)?;
        file.seek(SeekFrom::Start(end)).map_err(fail)?;
        Ok(Self { path, file, index, end, synced: Instant::now(), removed, _lock: lock })
    }

    /// Whether a case is stored.
    pub fn contains(&self, key: u128) -> bool {
        self.index.place(key).is_some()
    }

    /// The number of stored cases.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether no case is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a case. A case that is there already is not stored twice.
    pub fn append(&mut self, row: &StudyRow) -> Result<(), LabError> {
        if self.contains(row.key) {
            return Ok(());
        }
        let contents = row.encode()?;
        let mut record = Vec::with_capacity(HEAD + contents.len());
        record.extend((contents.len() as u32).to_le_bytes());
        record.extend(checksum(&contents));
        record.extend(contents);
        if let Err(error) = self.file.write_all(&record) {
            // what was written of the record does not stay before later ones
            let _ = self.file.set_len(self.end);
            let _ = self.file.seek(SeekFrom::Start(self.end));
            return Err(failed(&self.path, &error));
        }
        self.index.insert(row.key, self.end);
        self.end += record.len() as u64;
        if self.synced.elapsed() > SYNC {
            self.sync()?;
        }
        Ok(())
    }

    /// Forces all records to the disk.
    pub fn sync(&mut self) -> Result<(), LabError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|error| failed(&self.path, &error))
    }

    /// A reader of stored cases.
    pub fn rows(&self) -> Result<StoredRows<'_>, LabError> {
        // a second handle, because records are appended at the place of the first
        let file = File::open(&self.path).map_err(|error| read_failed(&self.path, &error))?;
        Ok(StoredRows { store: self, reader: BufReader::with_capacity(1 << 16, file), at: 0 })
    }
}

/// Reads stored cases; those that follow each other in the file are read at once.
pub struct StoredRows<'a> {
    store: &'a StudyStore,
    reader: BufReader<File>,
    at: u64,
}

impl StoredRows<'_> {
    /// A stored case.
    pub fn row(&mut self, key: u128) -> Result<Option<StudyRow>, LabError> {
        let Some(place) = self.store.index.place(key) else { return Ok(None) };
        let distance = i64::try_from(i128::from(place) - i128::from(self.at)).unwrap_or(0);
        let sought = self.reader.seek_relative(distance);
        let read = sought.and_then(|()| record(&mut self.reader, self.store.end - place));
        let contents = read.map_err(|error| read_failed(&self.store.path, &error))?;
        self.at = place + (HEAD + contents.len()) as u64;
        StudyRow::decode(&contents).map(Some)
    }
}

/// The places of all intact records, and the end of the last one.
fn scan(file: &mut File, length: u64) -> io::Result<(CaseIndex, u64)> {
    let mut index = CaseIndex::default();
    let mut end = MAGIC.len() as u64;
    file.seek(SeekFrom::Start(end))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    while end < length {
        let contents = match record(&mut reader, length - end) {
            Ok(contents) => contents,
            // the disk failed: nothing is removed
            Err(error) if error.kind() != io::ErrorKind::InvalidData => return Err(error),
            Err(_) => break,
        };
        let Ok(row) = StudyRow::decode(&contents) else { break };
        index.insert(row.key, end);
        end += (HEAD + contents.len()) as u64;
    }
    Ok((index, end))
}

/// Reads a record of which at most `most` bytes are there.
fn record(reader: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a record is damaged");
    if most < HEAD as u64 {
        return Err(damaged());
    }
    let (mut length, mut expected) = ([0; 4], [0; 8]);
    reader.read_exact(&mut length)?;
    reader.read_exact(&mut expected)?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > (most - HEAD as u64).min(MAX_RECORD) {
        return Err(damaged());
    }
    let mut contents = vec![0; usize::try_from(length).map_err(|_| damaged())?];
    reader.read_exact(&mut contents)?;
    match checksum(&contents) == expected {
        true => Ok(contents),
        false => Err(damaged()),
    }
}

/// The first 32 bits of the SHA-256, as hexadecimal digits.
fn checksum(contents: &[u8]) -> [u8; 8] {
    let digest = bytes_sha256(contents);
    std::array::from_fn(|k| digest.as_bytes()[k])
}

/// Whether a file begins like a store, or is the beginning of one.
fn is_ours(path: &Path) -> bool {
    let first = cardan::output::origin::first_bytes(path, MAGIC.len() as u64);
    path.is_file() && MAGIC.starts_with(&first)
}

/// The error of a disk that cannot be read.
fn read_failed(path: &Path, error: &io::Error) -> LabError {
    LabError::input(format!("cannot read {}: {error}", path.display()))
}

/// The error of a disk that cannot be written.
pub(super) fn failed(path: &Path, error: &io::Error) -> LabError {
    let message = format!("cannot write {}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let remedy = "free space and the same command, which continues from here";
            LabError::input(format!("{message}\n  try: {remedy}")).of_kind(LabErrorKind::Storage)
        }
        _ => LabError::input(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: u128) -> StudyRow {
        let quantities = vec![key as f64, f64::NAN];
        let reason = "x".repeat(key as usize % 50);
        StudyRow { key, is_failed: false, reason, quantities, seconds: 0.5, history: None }
    }

    /// A store that is cut at any byte keeps all complete records and takes new ones.
    #[test]
    fn store_that_was_cut_anywhere() -> Result<(), Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("cardan-store-{}", std::process::id()));
        let path = folder.join(CASES);
        let keys: Vec<u128> = vec![7, 1 << 100, 3];
        let mut ends = Vec::new();
        let mut store = StudyStore::open(&folder)?;
        for key in &keys {
            store.append(&row(*key))?;
            ends.push(store.end);
        }
        let mut rows = store.rows()?;
        for key in keys.iter().chain(keys.iter().rev()) {
            assert_eq!(rows.row(*key)?.map(|row| row.key), Some(*key));
        }
        assert!(rows.row(8)?.is_none());
        drop(store);
        let whole = std::fs::read(&path)?;
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut])?;
            let mut store = StudyStore::open(&folder)?;
            let intact = ends.iter().filter(|end| **end <= cut as u64).count();
            assert_eq!(store.len(), intact, "cut at {cut}");
            for key in &keys {
                store.append(&row(*key))?;
            }
            drop(store);
            assert!(std::fs::read(&path)? == whole, "cut at {cut}");
        }
        // a damaged record and those behind it are removed
        let mut damaged = whole.clone();
        damaged[ends[0] as usize + HEAD + 3] ^= 1;
        std::fs::write(&path, &damaged)?;
        let store = StudyStore::open(&folder)?;
        assert_eq!((store.len(), store.removed), (1, whole.len() as u64 - ends[0]));
        assert_eq!(store.rows()?.row(7)?.map(|row| row.quantities[0]), Some(7.0));
        assert!(StudyStore::open(&folder).is_err(), "two programs in one folder");
        drop(store);
        std::fs::write(&path, "mine")?;
        assert!(StudyStore::open(&folder).is_err());
        assert_eq!(std::fs::read(&path)?, b"mine");
        std::fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
