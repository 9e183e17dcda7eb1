//! The folder of a run's results. Rows are written to closed parts within two seconds, in a separate folder.
//! The parts become one file at the end, which gets its final name when it is complete.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::format::ResultsFormat;
use super::in_memory::{MemoryResults, SharedResults};
use super::layout::{
    CHECKSUMS, EVENTS, EXTENDING, FINISHED, INDEX, MOTION, PARTIAL, RUN, SNAPSHOTS, STATE, SUMMARY,
    UNFINISHED, WHOLE, checkpoint_name, checkpoints, is_file, is_taken, names, whole,
};
use super::part::{Part, PartsOnDisk};
use super::place::{move_aside, place, remove_own_folder, set_aside_unfinished};
use super::row_store::{RowLayout, RowStore, WrittenFile, write_bytes};
use super::snapshot::SnapshotEntry;
use super::summary::{RunStatus, RunSummary};
use super::{checksums, contents, event_table};
use crate::model::Snapshot;
use crate::output::{Disk, FileNames, LocalDisk, file_sha256};

/// Results that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {cause}{}{}", and_kept(.kept), and_resume(.resume))]
pub struct WriteError {
    /// The file or folder.
    pub path: String,
    /// The reason.
    pub cause: String,
    /// How many rows are kept, and where; `None` if there were none yet.
    pub kept: Option<(u64, String)>,
    /// The folder of a run that can be continued.
    pub resume: Option<String>,
    /// Whether the disk is full.
    pub is_full: bool,
}

fn and_resume(folder: &Option<String>) -> String {
    match folder {
        Some(folder) => {
            format!("\n  try: correct the cause, such as a full disk, then cardan resume {folder}")
        }
        None => String::new(),
    }
}

fn and_kept(kept: &Option<(u64, String)>) -> String {
    match kept {
        Some((0, _)) => "\n  nothing could be kept".into(),
        Some((rows, place)) => format!("\n  the first {rows} rows are kept in {place}"),
        None => String::new(),
    }
}

/// Rows are on the disk within this time after they were computed.
const MAX_AGE: Duration = Duration::from_secs(2);
/// The shortest and longest time between two saves, unless a step may take long.
const MIN_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// The pause between two saves is this many times as long as saving takes, within these bounds.
const PAUSE_PER_COST: u32 = 20;
/// The next step is assumed to take up to this many times as long as the last one.
const SLOWER: u32 = 10;
/// How many checkpoints are kept.
const KEPT_CHECKPOINTS: usize = 2;

/// A folder that takes rows.
pub struct ResultsFolder<'d> {
    disk: &'d dyn Disk,
    path: PathBuf,
    store: RowStore<'d>,
    clock: Clock,
    names: FileNames,
    snapshots: Vec<SnapshotEntry>,
    /// The folder to which rows of an earlier unfinished run were moved.
    pub abandoned: Option<PathBuf>,
    /// The place of rows, snapshots and the last state that are kept in memory: nothing is written to the disk.
    memory: Option<SharedResults>,
    _lock: FolderLock,
}

/// The place in the results from which a run continues.
#[derive(Clone, Copy)]
pub struct ResumePoint<'a> {
    /// The number of rows.
    pub rows: u64,
    /// The snapshots.
    pub snapshots: &'a [SnapshotEntry],
    /// The parts, which have been verified; `None` if those in the folder were just written.
    pub parts: Option<&'a PartsOnDisk>,
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

/// A results folder, locked for one run where folders can be locked.
pub struct FolderLock {
    /// Its lock ends when it is closed.
    _file: Option<File>,
}

impl FolderLock {
    /// Locks a folder; an error if another run is writing to it.
    pub fn new(folder: &Path) -> Result<Self, WriteError> {
        let Ok(lock) = File::open(folder) else { return Ok(Self { _file: None }) };
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                Err(failure(folder, &io::Error::other("another run is writing to this folder")))
            }
            _ => Ok(Self { _file: Some(lock) }),
        }
    }
}

pub(super) fn failure(path: &Path, cause: &io::Error) -> WriteError {
    WriteError {
        path: path.display().to_string(),
        cause: cause.to_string(),
        kept: None,
        resume: None,
        is_full: cause.kind() == io::ErrorKind::StorageFull,
    }
}

impl ResultsFolder<'static> {
    /// Makes the folder. Earlier results stay until the new ones are complete; files that Cardan did not
    /// write stay.
    pub fn create(
        path: &Path,
        format: ResultsFormat,
        about: &RunSummary,
    ) -> Result<Self, WriteError> {
        let layout = RowLayout::new(format, about.columns.len());
        Self::create_on(&LocalDisk, path, layout, about, None)
    }

    /// Takes rows and snapshots without writing them: they are in the shared results when the run has finished.
    pub fn in_memory(about: &RunSummary) -> (Self, SharedResults) {
        let layout = RowLayout { format: ResultsFormat::Parquet, rows_per_group: u64::MAX };
        let store = RowStore::new(&LocalDisk, Path::new(""), layout, about);
        let shared = SharedResults::default();
        let folder = Self::with_store(&LocalDisk, Path::new(""), store, FolderLock { _file: None });
        (Self { memory: Some(shared.clone()), ..folder }, shared)
    }
}

impl<'d> ResultsFolder<'d> {
    /// Makes the folder on a disk. With the record of the run, the run can be continued if it is killed.
    pub fn create_on(
        disk: &'d dyn Disk,
        path: &Path,
        layout: RowLayout,
        about: &RunSummary,
        record: Option<&[u8]>,
    ) -> Result<Self, WriteError> {
        let fail = |cause: io::Error| failure(path, &cause);
        if path.exists() && !path.is_dir() {
            return Err(fail(io::Error::other("this is a file, not a folder")));
        }
        let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
        disk.create_folders(path).map_err(fail)?;
        let parents = missing.into_iter().filter_map(Path::parent);
        parents.into_iter().try_for_each(|folder| disk.sync_folder(folder)).map_err(fail)?;
        let lock = FolderLock::new(path)?;
        complete_placing(disk, path).map_err(fail)?;
        if let Some(foreign) = contents::foreign(path, layout.format) {
            let cause = "it exists already and was not written by a run of Cardan; it was not changed\n  \
                         try: another folder (--out FOLDER), or move it away";
            let foreign = foreign.display().to_string();
            return Err(WriteError {
                path: foreign,
                cause: cause.into(),
                kept: None,
                resume: None,
                is_full: false,
            });
        }
        let abandoned = set_aside_unfinished(disk, path).map_err(fail)?;
        let unfinished = path.join(UNFINISHED);
        begin(disk, &unfinished, about, record).map_err(fail)?;
        disk.sync_folder(path).map_err(fail)?;
        let store = RowStore::new(disk, &unfinished, layout, about);
        Ok(Self { abandoned, ..Self::with_store(disk, path, store, lock) })
    }

    /// Continues an unfinished run in the folder of its results after some rows and snapshots; what it wrote later
    /// is removed.
    pub fn reopen_on(
        disk: &'d dyn Disk,
        path: &Path,
        lock: FolderLock,
        layout: RowLayout,
        about: &RunSummary,
        point: &ResumePoint<'_>,
    ) -> Result<Self, WriteError> {
        let unfinished = path.join(UNFINISHED);
        let fail = |cause: io::Error| failure(&unfinished, &cause);
        // left by a run that was killed while it gathered its results
        let results = ResultsFormat::ALL.map(ResultsFormat::file_name);
        for name in results.into_iter().chain([WHOLE, STATE, MOTION, EVENTS, CHECKSUMS]) {
            if is_file(&unfinished.join(name)) {
                disk.remove_file(&unfinished.join(name)).map_err(fail)?;
            }
        }
        let ResumePoint { rows, snapshots, parts } = *point;
        let parts = parts.cloned().unwrap_or_else(|| PartsOnDisk::trusted(&unfinished));
        let store =
            RowStore::reopen(disk, &unfinished, layout, about, rows, &parts).map_err(fail)?;
        let mut folder = Self::with_store(disk, path, store, lock);
        for entry in snapshots {
            folder.names.reserve(&entry.file);
            folder.snapshots.push(entry.clone());
        }
        folder.remove_later_snapshots().map_err(fail)?;
        Ok(folder)
    }

    fn with_store(disk: &'d dyn Disk, path: &Path, store: RowStore<'d>, lock: FolderLock) -> Self {
        Self {
            disk,
            path: path.to_path_buf(),
            store,
            clock: Clock { unsaved: None, step: None, pause: MIN_PAUSE },
            names: FileNames::default(),
            snapshots: Vec::new(),
            abandoned: None,
            memory: None,
            _lock: lock,
        }
    }

    fn unfinished(&self) -> PathBuf {
        self.path.join(UNFINISHED)
    }

    /// The folder of the results.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.store.rows()
    }

    /// The snapshots so far.
    pub fn snapshot_list(&self) -> &[SnapshotEntry] {
        &self.snapshots
    }

    /// The space on the disk that the rest of the run will take if it ends now, in bytes: the rows that are not saved,
    /// and the final file beside the parts.
    pub fn space_needed_to_finish(&self) -> u64 {
        self.store.unsaved_bytes() + self.store.final_bytes()
    }

    /// The free space on the disk.
    pub fn available_space(&self) -> Option<u64> {
        if self.memory.is_some() {
            return None;
        }
        self.disk.available_space(&self.path)
    }

    /// Takes a row.
    pub fn row(&mut self, values: &[f64]) -> Result<(), WriteError> {
        self.clock.unsaved.get_or_insert_with(Instant::now);
        self.store.row(values).map_err(|error| self.failure(&error))
    }

    /// Whether rows would be too old before there is another chance to save them: ask before every step, or before every
    /// few short ones. The time until the next question may be ten times that since the last one, and how long the first
    /// step takes is not known.
    pub fn is_save_due(&mut self) -> bool {
        if self.memory.is_some() {
            return false;
        }
        let now = Instant::now();
        let last = self.clock.step.replace(now).map(|began| now - began);
        let next = last.map_or(MAX_AGE, |last| SLOWER * last);
        self.clock.unsaved.is_some_and(|since| {
            let age = now - since;
            age >= self.clock.pause || age + next >= MAX_AGE
        })
    }

    /// Writes all rows to the disk.
    pub fn save_rows(&mut self) -> Result<(), WriteError> {
        let began = Instant::now();
        self.save().map_err(|error| self.failure(&error))?;
        let now = Instant::now();
        self.clock.pause = (PAUSE_PER_COST * (now - began)).clamp(MIN_PAUSE, MAX_PAUSE);
        self.clock.step = Some(now);
        Ok(())
    }

    /// Takes all structures at one instant.
    pub fn snapshots(&mut self, all: &[Snapshot]) -> Result<(), WriteError> {
        if let Some(memory) = &self.memory {
            memory.add_snapshots(all);
            return Ok(());
        }
        let place = self.unfinished().join(SNAPSHOTS);
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
            write_bytes(self.disk, &place.join(&entry.file), snapshot.to_csv().as_bytes())?;
            self.snapshots.push(entry);
            self.write_index(&place)
        });
        // a state refers to the snapshots before it
        let written = written.and_then(|()| match all.is_empty() {
            true => Ok(()),
            false => self.disk.sync_folder(&place),
        });
        written.map_err(|error| self.failure(&error))
    }

    /// Removes snapshots that are not in the list: the run may end before it takes them again.
    fn remove_later_snapshots(&self) -> io::Result<()> {
        let place = self.unfinished().join(SNAPSHOTS);
        if !self.snapshots.is_empty() {
            self.write_index(&place)?;
        }
        let is_listed = |name: &String| match name.as_str() {
            INDEX => !self.snapshots.is_empty(),
            name => self.snapshots.iter().any(|entry| entry.file == name),
        };
        for name in names(&place).into_iter().filter(|name| !is_listed(name)) {
            let path = place.join(&name);
            if name.ends_with(PARTIAL) || contents::is_our_snapshot(&path) {
                self.disk.remove_file(&path)?;
            }
        }
        Ok(())
    }

    fn write_index(&self, place: &Path) -> io::Result<()> {
        let list = serde_json::to_string_pretty(&self.snapshots).unwrap_or_default() + "\n";
        write_bytes(self.disk, &place.join(INDEX), list.as_bytes()).map(|_| ())
    }

    /// Writes all rows to the disk, then the state of the run after a number of steps. The last two states are kept.
    pub fn checkpoint(&mut self, steps: u64, state: &[u8]) -> Result<(), WriteError> {
        if self.memory.is_some() {
            return Ok(());
        }
        let unfinished = self.unfinished();
        let written = self.save().and_then(|()| {
            // the state refers to the rows: they must not be lost if it is there
            self.disk.sync_folder(&unfinished)?;
            write_bytes(self.disk, &unfinished.join(checkpoint_name(steps)), state)?;
            self.disk.sync_folder(&unfinished)?;
            let mut all = checkpoints(&unfinished).into_iter().skip(KEPT_CHECKPOINTS);
            all.try_for_each(|old| self.disk.remove_file(&old))
        });
        written.map_err(|error| self.failure(&error))
    }

    /// Writes all rows to the disk.
    fn save(&mut self) -> io::Result<()> {
        if self.memory.is_some() {
            return Ok(());
        }
        self.store.save()?;
        self.clock.unsaved = None;
        Ok(())
    }

    fn format(&self) -> ResultsFormat {
        self.store.layout().format
    }

    fn failure(&mut self, error: &io::Error) -> WriteError {
        self.store.save_what_fits();
        let unfinished = self.unfinished();
        let parts = Part::list(&unfinished);
        let rows = super::part::sequence(&parts).last().map_or(0, |(_, rows)| rows.end);
        let path = self.path.join(self.format().file_name()).display().to_string();
        let kept = Some((rows, unfinished.display().to_string()));
        let is_recorded = is_file(&unfinished.join(RUN));
        let resume = is_recorded.then(|| self.path.display().to_string());
        let is_full = error.kind() == io::ErrorKind::StorageFull;
        WriteError { path, cause: error.to_string(), kept, resume, is_full }
    }

    /// Whether complete results are in the folder, which results of an interrupted run do not replace.
    pub fn has_complete_results(&self) -> bool {
        self.memory.is_none() && contents::is_complete(&self.path)
    }

    /// Leaves the rows and the last checkpoint as they are; returns the name of the folder with them.
    pub fn leave(self) -> &'static str {
        UNFINISHED
    }

    /// Merges the parts into one file with its final name and writes the summary, the last state and the motion; returns
    /// the path of the file. Results of a run that did not reach its end do not replace complete ones.
    pub fn finish(
        mut self,
        summary: &RunSummary,
        state: Option<&[u8]>,
        motion: Option<&[u8]>,
    ) -> Result<PathBuf, WriteError> {
        if let Some(memory) = &self.memory {
            let columns = self.store.into_columns();
            memory.finish(MemoryResults {
                columns,
                state: state.map(<[u8]>::to_vec),
                motion: motion.map(<[u8]>::to_vec),
                ..memory.take()
            });
            return Ok(PathBuf::new());
        }
        self.complete(summary, state, motion).map_err(|error| self.failure(&error))?;
        let (disk, format) = (self.disk, self.format());
        let failure = |place: &Path, error: io::Error| WriteError {
            path: self.path.join(format.file_name()).display().to_string(),
            cause: error.to_string(),
            kept: Some((self.rows(), place.display().to_string())),
            resume: None,
            is_full: error.kind() == io::ErrorKind::StorageFull,
        };
        let (unfinished, finished) = (self.unfinished(), self.path.join(FINISHED));
        if summary.status != RunStatus::Completed && contents::is_complete(&self.path) {
            let put = move_aside(disk, &self.path, format, summary.status);
            return put
                .map(|place| place.join(format.file_name()))
                .map_err(|error| failure(&unfinished, error));
        }
        // from here on the results are complete
        disk.rename(&unfinished, &finished).map_err(|error| failure(&unfinished, error))?;
        // files are moved from the folder with its new name: after a power failure it must have that name
        disk.sync_folder(&self.path).map_err(|error| failure(&finished, error))?;
        place(disk, &self.path).map_err(|error| {
            let is_there = is_file(&whole(&finished, format));
            failure(if is_there { &finished } else { &self.path }, error)
        })?;
        Ok(self.path.join(format.file_name()))
    }

    /// One file of all rows, the state, the summary and the checksums, in the folder of the rows.
    fn complete(
        &mut self,
        summary: &RunSummary,
        state: Option<&[u8]>,
        motion: Option<&[u8]>,
    ) -> io::Result<()> {
        let (disk, unfinished, format) = (self.disk, self.unfinished(), self.format());
        let whole = whole(&unfinished, format);
        let WrittenFile { sha256, .. } = self.store.write_whole(&whole, summary)?;
        let others = || -> io::Result<()> {
            let mut sums = vec![(sha256, format.file_name().to_string())];
            let mut add = |name: &str, bytes: &[u8]| -> io::Result<()> {
                let written = write_bytes(disk, &unfinished.join(name), bytes)?;
                sums.push((written.sha256, name.into()));
                Ok(())
            };
            let about = serde_json::to_string_pretty(summary).unwrap_or_default() + "\n";
            state.map_or(Ok(()), |state| add(STATE, state))?;
            motion.map_or(Ok(()), |motion| add(MOTION, motion))?;
            if !summary.events.is_empty() {
                add(EVENTS, event_table::text(&summary.events).as_bytes())?;
            }
            add(SUMMARY, about.as_bytes())?;
            let snapshots = self.snapshots.iter().map(|entry| entry.file.as_str());
            let last = (!self.snapshots.is_empty()).then_some(INDEX);
            let snapshots = snapshots.chain(last).map(|file| format!("{SNAPSHOTS}/{file}"));
            let record = is_file(&unfinished.join(RUN)).then(|| RUN.to_string());
            for name in snapshots.chain(record) {
                sums.push((file_sha256(&unfinished.join(&name))?, name));
            }
            sums.sort_by(|a, b| a.1.cmp(&b.1));
            let text = checksums::text(&sums);
            write_bytes(disk, &unfinished.join(CHECKSUMS), text.as_bytes())?;
            disk.sync_folder(&unfinished)
        };
        others().inspect_err(|_| {
            // rows in two files would be found twice
            let _ = disk.remove_file(&whole);
        })
    }
}

/// Completes what a run that was killed had begun: moving complete results to their final names, or copying them to
/// extend them.
pub(super) fn complete_placing(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    // a run that was killed after its last row has complete results
    if contents::is_working_folder(&path.join(FINISHED)) {
        place(disk, path)?;
    }
    let extending = path.join(EXTENDING);
    if contents::is_working_folder(&extending) {
        remove_own_folder(disk, &extending);
    }
    Ok(())
}

/// Makes the folder of rows, with the record and the summary of the run in it.
pub(super) fn begin(
    disk: &dyn Disk,
    folder: &Path,
    about: &RunSummary,
    record: Option<&[u8]>,
) -> io::Result<()> {
    disk.create_folder(folder)?;
    if let Some(record) = record {
        write_bytes(disk, &folder.join(RUN), record)?;
    }
    let text = serde_json::to_string_pretty(about).unwrap_or_default() + "\n";
    write_bytes(disk, &folder.join(SUMMARY), text.as_bytes())?;
    disk.sync_folder(folder)
}
