//! The files that a model reads: each is read once, from the disk or from the record of a run.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::output::{ContainerKind, bytes_sha256};
use cardan_core::linalg::matrix_market::{MatrixMarket, MatrixMarketError};

/// A file that a model reads, with its contents.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path.
    pub path: String,
    /// Its contents.
    pub bytes: Arc<[u8]>,
    /// SHA-256 of the contents, computed once for all copies.
    digest: Arc<OnceLock<String>>,
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.bytes == other.bytes
    }
}

impl Eq for SourceFile {}

impl SourceFile {
    /// A file with its contents.
    pub fn new(path: impl Into<String>, bytes: Arc<[u8]>) -> Self {
        Self { path: path.into(), bytes, digest: Arc::default() }
    }

    /// SHA-256 of the contents.
    pub fn sha256(&self) -> String {
        self.digest.get_or_init(|| bytes_sha256(&self.bytes)).clone()
    }
}

/// The files read so far, and where they come from.
#[derive(Default)]
pub(super) struct SourceFiles {
    /// The contents of a record, which replace the files on the disk.
    saved: Option<Vec<SourceFile>>,
    read: RefCell<Vec<SourceFile>>,
}

impl SourceFiles {
    pub fn saved(files: Vec<SourceFile>) -> Self {
        Self { saved: Some(files), read: RefCell::default() }
    }

    /// All files read, in the order in which the model names them.
    pub fn take_read(&mut self) -> Vec<SourceFile> {
        self.read.take()
    }

    /// The path of the state in the record of a run, if it has one.
    pub fn saved_start(&self) -> Option<PathBuf> {
        let is_state = |file: &&SourceFile| is_state(Path::new(&file.path), &file.bytes);
        self.saved.iter().flatten().find(is_state).map(|file| PathBuf::from(&file.path))
    }

    /// The contents of a file.
    pub fn contents(&self, path: &Path) -> Result<Arc<[u8]>, String> {
        self.contents_up_to(path, u64::MAX)
    }

    /// The contents of a file that is not larger than a number of bytes.
    pub fn contents_up_to(&self, path: &Path, most: u64) -> Result<Arc<[u8]>, String> {
        let name = path.display().to_string();
        let is_this = |file: &&SourceFile| file.path == name;
        if let Some(known) = self.read.borrow().iter().find(is_this) {
            return Ok(Arc::clone(&known.bytes));
        }
        let file = match &self.saved {
            Some(saved) => {
                let found = saved.iter().find(is_this).cloned();
                found.ok_or("the record of the run does not contain it")?
            }
            None => SourceFile::new(name, from_disk(path, most)?.into()),
        };
        let bytes = Arc::clone(&file.bytes);
        self.read.borrow_mut().push(file);
        Ok(bytes)
    }

    /// A matrix.
    pub fn matrix(&self, path: &Path) -> Result<MatrixMarket, MatrixMarketError> {
        let name = path.display().to_string();
        let fail = |reason| MatrixMarketError { file: name.clone(), line: None, reason };
        let bytes = self.contents(path).map_err(fail)?;
        MatrixMarket::parse(&name, &bytes[..])
    }
}

fn from_disk(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| format!("cannot open: {error}"))?;
    match file.metadata() {
        Ok(about) if about.is_dir() => return Err("this is a folder, not a file".into()),
        Ok(about) if about.is_file() => {}
        _ => return Err("this is not a file".into()),
    }
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read: {error}"))?;
    match bytes.len() as u64 > most {
        true => Err(format!("it is larger than {} MiB; try: a coarser mesh", most >> 20)),
        false => Ok(bytes),
    }
}

/// Whether a file of a record is a saved state.
fn is_state(path: &Path, bytes: &[u8]) -> bool {
    path.extension().is_some_and(|ending| ending == "cardan")
        && ContainerKind::State.decode(bytes).is_ok()
}
