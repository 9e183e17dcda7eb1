//! Temporary folders, and disks that fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use cardan::output::{Disk, DiskFile, LocalDisk};

/// The message of an operation that fails.
pub const NO_SPACE: &str = "no space left on this disk";

/// A folder that is removed when the test ends.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        Self::within(&std::env::temp_dir(), name)
    }

    /// A folder in memory where there is one: thousands of files are synced there in no time.
    pub fn in_memory(name: &str) -> Self {
        let memory = Path::new("/dev/shm");
        match memory.is_dir() {
            true => Self::within(memory, name),
            false => Self::new(name),
        }
    }

    fn within(place: &Path, name: &str) -> Self {
        let path = place.join(format!("cardan-test-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Every file below a folder with its contents, folders with none.
pub fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            match path.symlink_metadata().unwrap().is_dir() {
                true => {
                    found.insert(path.clone(), Vec::new());
                    open.push(path);
                }
                false => _ = found.insert(path.clone(), fs::read(&path).unwrap_or_default()),
            }
        }
    }
    found
}

/// What happens at one operation of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails, and later ones work.
    Once,
    /// It and all later ones fail. This is also what a run leaves that is killed.
    FromThenOn,
    /// A write takes half of its bytes, and the next write fails. Only writes are counted.
    ShortWrite,
    /// The machine stops: this and all later operations do nothing. See [`FaultyDisk::stop`].
    Crash(Loss),
}

/// What a disk loses when the machine stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All bytes of files that were not synced.
    Bytes,
    /// The second half of these bytes.
    HalfOfTheBytes,
    /// The bytes, and new names of files in folders that were not synced. Removals are not lost: a file whose
    /// successor loses its name is missing.
    NewNames,
    /// The bytes, and all changes of names in folders that were not synced.
    AllNames,
}

/// A disk on which one operation fails.
#[derive(Clone)]
pub struct FaultyDisk {
    fault: Fault,
    at: usize,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    /// Operations, or writes, so far.
    count: usize,
    /// Whether the next write fails.
    is_short: bool,
    /// Files with bytes that were not synced.
    unsynced: BTreeSet<PathBuf>,
    /// Changes of names in folders that were not synced since.
    changes: Vec<NameChange>,
}

/// A change of a name, with what is needed to undo it.
enum NameChange {
    Renamed { from: PathBuf, to: PathBuf, replaced: Option<Vec<u8>>, is_gone_from_source: bool },
    Created { path: PathBuf },
    CreatedFolder { path: PathBuf },
    Removed { path: PathBuf, bytes: Vec<u8> },
    RemovedFolder { path: PathBuf },
}

impl NameChange {
    /// The folder that has to be synced.
    fn folder(&self) -> Option<&Path> {
        match self {
            Self::Renamed { to: path, .. }
            | Self::Created { path }
            | Self::CreatedFolder { path }
            | Self::Removed { path, .. }
            | Self::RemovedFolder { path } => path.parent(),
        }
    }

    /// Corrects the paths after a folder was renamed.
    fn follow(&mut self, from: &Path, to: &Path) {
        let follow = |path: &mut PathBuf| {
            if let Ok(inner) = path.strip_prefix(from)
                && !inner.as_os_str().is_empty()
            {
                *path = to.join(inner);
            }
        };
        match self {
            Self::Renamed { from, to, .. } => [from, to].into_iter().for_each(follow),
            Self::Created { path }
            | Self::CreatedFolder { path }
            | Self::Removed { path, .. }
            | Self::RemovedFolder { path } => follow(path),
        }
    }

    /// Undoes the change, as far as later changes that were not lost allow it.
    fn undo(&self) {
        let _ = match self {
            Self::Renamed { from, to, replaced, is_gone_from_source } => {
                // a file that no folder names is lost
                if from.parent().is_some_and(Path::is_dir) && !is_gone_from_source {
                    let _ = fs::rename(to, from);
                } else {
                    let _ = fs::remove_file(to);
                }
                replaced.as_ref().map_or(Ok(()), |bytes| fs::write(to, bytes))
            }
            Self::Created { path } => fs::remove_file(path),
            Self::CreatedFolder { path } => fs::remove_dir_all(path),
            Self::Removed { path, bytes } => fs::write(path, bytes),
            Self::RemovedFolder { path } => fs::create_dir(path),
        };
    }
}

impl FaultyDisk {
    pub fn new(fault: Fault, at: usize) -> Self {
        Self { fault, at, shared: Arc::default() }
    }

    /// Whether the fault has happened.
    pub fn has_failed(&self) -> bool {
        self.shared().count > self.at
    }

    /// The operations so far.
    pub fn operations(&self) -> usize {
        self.shared().count
    }

    /// If the machine is to stop: takes from the disk what it would have lost.
    pub fn stop(&self) {
        let Fault::Crash(loss) = self.fault else { return };
        let shared = self.shared();
        for path in &shared.unsynced {
            let length = fs::metadata(path).map_or(0, |about| about.len());
            let kept = if loss == Loss::HalfOfTheBytes { length / 2 } else { 0 };
            if let Ok(file) = fs::OpenOptions::new().write(true).open(path) {
                file.set_len(kept).unwrap();
            }
        }
        let is_lost = |change: &&NameChange| match loss {
            Loss::Bytes | Loss::HalfOfTheBytes => false,
            Loss::NewNames => matches!(change, NameChange::Renamed { .. }),
            Loss::AllNames => true,
        };
        shared.changes.iter().rev().filter(is_lost).for_each(NameChange::undo);
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap()
    }

    fn fails(&self, k: usize) -> bool {
        match self.fault {
            Fault::Once | Fault::ShortWrite => k == self.at,
            Fault::FromThenOn | Fault::Crash(_) => k >= self.at,
        }
    }

    /// Counts an operation that is no write.
    fn operation(&self) -> io::Result<()> {
        if self.fault == Fault::ShortWrite {
            return Ok(());
        }
        let mut shared = self.shared();
        shared.count += 1;
        match self.fails(shared.count - 1) {
            true => Err(io::Error::other(NO_SPACE)),
            false => Ok(()),
        }
    }

    /// Counts a write; returns how many of the bytes can be written.
    fn write(&self, bytes: usize) -> io::Result<usize> {
        let mut shared = self.shared();
        shared.count += 1;
        let is_hit = self.fails(shared.count - 1);
        let is_second = std::mem::take(&mut shared.is_short);
        match self.fault {
            // one byte cannot be halved: nothing is written
            Fault::ShortWrite if is_hit && bytes > 1 => {
                shared.is_short = true;
                Ok(bytes / 2)
            }
            _ if is_hit || is_second => Err(io::Error::other(NO_SPACE)),
            _ => Ok(bytes),
        }
    }

    fn may_crash(&self) -> bool {
        matches!(self.fault, Fault::Crash(_))
    }

    fn note(&self, change: NameChange) {
        self.shared().changes.push(change);
    }
}

struct FaultyFile {
    disk: FaultyDisk,
    /// The name it was created with; it is renamed after the last write only.
    path: PathBuf,
    inner: Box<dyn DiskFile>,
}

impl Write for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.disk.write(bytes.len())?;
        self.disk.shared().unsynced.insert(self.path.clone());
        self.inner.write_all(&bytes[..count]).map(|()| count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl DiskFile for FaultyFile {
    fn sync(&mut self) -> io::Result<()> {
        self.disk.operation()?;
        self.disk.shared().unsynced.remove(&self.path);
        self.inner.sync()
    }
}

impl Disk for FaultyDisk {
    fn create_folders(&self, path: &Path) -> io::Result<()> {
        self.operation()?;
        LocalDisk.create_folders(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.operation()?;
        LocalDisk.create_folder(path)?;
        self.note(NameChange::CreatedFolder { path: path.into() });
        Ok(())
    }

    fn create_file(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.operation()?;
        let is_new = !path.exists();
        let inner = LocalDisk.create_file(path)?;
        self.shared().unsynced.insert(path.into());
        if is_new {
            self.note(NameChange::Created { path: path.into() });
        }
        Ok(Box::new(FaultyFile { disk: self.clone(), path: path.into(), inner }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.operation()?;
        let is_needed = self.may_crash() && to.is_file();
        let replaced = is_needed.then(|| fs::read(to).unwrap());
        LocalDisk.rename(from, to)?;
        let mut shared = self.shared();
        let moved = |path: PathBuf| path.strip_prefix(from).map(|x| to.join(x)).unwrap_or(path);
        shared.unsynced = std::mem::take(&mut shared.unsynced).into_iter().map(moved).collect();
        let (from, to) = (from.to_path_buf(), to.to_path_buf());
        let is_gone_from_source = false;
        shared.changes.push(NameChange::Renamed { from, to, replaced, is_gone_from_source });
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.operation()?;
        LocalDisk.link(from, to)?;
        self.note(NameChange::Created { path: to.into() });
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.operation()?;
        let bytes = self.may_crash().then(|| fs::read(path).unwrap_or_default());
        LocalDisk.remove_file(path)?;
        self.shared().unsynced.remove(path);
        self.note(NameChange::Removed { path: path.into(), bytes: bytes.unwrap_or_default() });
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.operation()?;
        LocalDisk.remove_folder(path)?;
        self.note(NameChange::RemovedFolder { path: path.into() });
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.operation()?;
        LocalDisk.sync_folder(path)?;
        let mut shared = self.shared();
        let mut kept: Vec<NameChange> = Vec::new();
        for mut change in std::mem::take(&mut shared.changes) {
            if change.folder() != Some(path) {
                if let NameChange::Renamed { from, is_gone_from_source, .. } = &mut change {
                    *is_gone_from_source |= from.parent() == Some(path);
                }
                kept.push(change);
            } else if let NameChange::Renamed { from, to, .. } = change
                && to.is_dir()
            {
                // the new name of a folder stays: what was changed in it before has new paths
                kept.iter_mut().for_each(|earlier| earlier.follow(&from, &to));
            }
        }
        shared.changes = kept;
        Ok(())
    }

    fn available_space(&self, path: &Path) -> Option<u64> {
        LocalDisk.available_space(path)
    }
}

/// The disk itself is tested: a rename that is not synced is undone, one that is synced stays.
#[test]
fn a_crash_takes_what_was_not_synced() {
    let scratch = Scratch::in_memory("crash");
    let at = |name: &str| scratch.0.join(name);
    for loss in [Loss::Bytes, Loss::HalfOfTheBytes, Loss::NewNames, Loss::AllNames] {
        let _ = fs::remove_dir_all(&scratch.0);
        fs::create_dir_all(at("a")).unwrap();
        let disk = FaultyDisk::new(Fault::Crash(loss), 14);
        // three files: synced and renamed, synced under a name that is not, and not synced
        for name in ["one", "two", "three"] {
            let mut file = disk.create_file(&at("a").join(name)).unwrap();
            file.write_all(b"four").unwrap();
            if name != "three" {
                file.sync().unwrap();
            }
        }
        disk.rename(&at("a/one"), &at("a/1")).unwrap();
        disk.sync_folder(&at("a")).unwrap();
        disk.rename(&at("a/two"), &at("a/1")).unwrap();
        disk.remove_file(&at("a/three")).unwrap();
        disk.rename(&at("a"), &at("b")).unwrap();
        disk.sync_folder(&at("")).unwrap_or_else(|_| panic!("{}", disk.operations()));
        assert!(disk.rename(&at("b"), &at("c")).is_err() && at("b").is_dir());
        disk.stop();
        let found: Vec<(PathBuf, usize)> =
            tree(&at("b")).into_iter().map(|(path, bytes)| (path, bytes.len())).collect();
        let expected = match loss {
            Loss::Bytes | Loss::HalfOfTheBytes => vec![(at("b/1"), 4)],
            Loss::NewNames => vec![(at("b/1"), 4), (at("b/two"), 4)],
            Loss::AllNames => vec![(at("b/1"), 4), (at("b/three"), 4), (at("b/two"), 4)],
        };
        assert_eq!(found, expected, "{loss:?}");
    }
}
