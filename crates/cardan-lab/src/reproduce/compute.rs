//! Computes the runs of studies, several at once, and stores their results: statistics in an outcome store, signals over
//! time in Parquet files. Stored results are not computed again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};

use crate::study::{CaseResult, StudyCase, TimeHistory};
use cardan::Settings;
use cardan::output::{self, ExistingFile, file_name, origin};
use cardan::results::{ResultsTable, is_our_parquet};

use super::plan::{Planned, PlannedCase, Standard};
use crate::error::LabError;
use crate::study::{CaseProgress, OutcomeStore};

/// The stored results of the runs of studies.
pub struct StudyResults {
    folder: PathBuf,
    /// The folder of data within it.
    data: &'static str,
    /// Held as long as this process works here.
    _lock: std::fs::File,
    store: Mutex<OutcomeStore>,
    references: Vec<OnceLock<Option<Arc<TimeHistory>>>>,
}

/// The folders of data within that of the site; the quick form has its own.
const DATA: [&str; 2] = ["data", "data-quick"];
const LOCK: &str = "lock";
const STUDY: &str = "study.json";
const REFERENCE: &str = "reference.parquet";

enum Task {
    Reference(usize),
    Case(usize, usize),
}

#[derive(Clone, Copy, PartialEq)]
enum WorkerState {
    Waiting,
    Running,
    Done,
}

impl StudyResults {
    /// Opens the folder of a site. Data of another program or another manifest are deleted.
    pub fn open(folder: &Path, studies: &[Planned], is_quick: bool) -> Result<Self, LabError> {
        let data = DATA[usize::from(is_quick)];
        let store = Mutex::new(OutcomeStore::open(&folder.join(data))?);
        let lock = lock(&folder.join(data).join(LOCK))?;
        let references = studies.iter().map(|_| OnceLock::new()).collect();
        let results = Self { folder: folder.into(), data, _lock: lock, store, references };
        for study in studies {
            let place = results.place(study);
            let about = place.join(STUDY);
            let identity = format!("{{ \"study\": \"{}\" }}\n", study.fingerprint);
            if std::fs::read_to_string(&about).is_ok_and(|known| known == identity) {
                continue;
            }
            let fail = |error: std::io::Error| {
                LabError::input(format!("cannot write {}: {error}", place.display()))
            };
            clear(&place).map_err(fail)?;
            std::fs::create_dir_all(&place).map_err(fail)?;
            output::write(&about, identity.as_bytes(), ExistingFile::ReplaceIf(&is_study))?;
        }
        Ok(results)
    }

    /// The folder of a study.
    fn place(&self, study: &Planned) -> PathBuf {
        self.folder.join(self.data).join(&study.name)
    }

    /// The file of a run within the folder of the site.
    pub fn file(&self, study: &Planned, case: &PlannedCase, ending: &str) -> String {
        let word = file_name(&format!("{}@{}", case.method, case.given));
        format!("{}/{}/{word}.{ending}", self.data, study.name)
    }

    /// The result of a case, if it is stored.
    pub fn outcome(&self, study: &Planned, case: &PlannedCase) -> Option<CaseResult> {
        let known = self.store().outcome(&study.fingerprint, &case.case).cloned();
        known.filter(|_| {
            study.study.rows == 0 || self.folder.join(self.file(study, case, "parquet")).exists()
        })
    }

    /// The signals of a case over time.
    pub fn history(&self, study: &Planned, case: &PlannedCase) -> Option<TimeHistory> {
        self.outcome(study, case)?;
        self.read(study, &self.folder.join(self.file(study, case, "parquet")))
    }

    /// The reference of a study over time, if it was computed.
    pub fn reference(&self, study: &Planned) -> Option<TimeHistory> {
        self.read(study, &self.place(study).join(REFERENCE))
    }

    /// The last state of a structure.
    pub fn snapshot(&self, study: &Planned, case: &PlannedCase) -> Option<String> {
        std::fs::read_to_string(self.folder.join(self.file(study, case, "csv"))).ok()
    }

    fn read(&self, study: &Planned, path: &Path) -> Option<TimeHistory> {
        let frame = ResultsTable::open(path).ok()?;
        let subject = study.prepared.problem(0.0).ok()?;
        TimeHistory::read(&frame, subject.signals.names()).ok()
    }

    fn store(&self) -> MutexGuard<'_, OutcomeStore> {
        // a thread that panicked while it held the lock has written a whole line or none
        self.store.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    /// Computes the missing runs: in parallel, and after them one by one those that are timed.
    pub fn compute(
        &self,
        studies: &[Planned],
        jobs: Option<u64>,
        stop: &AtomicBool,
        progress: &dyn CaseProgress,
    ) -> Result<(), LabError> {
        let (timed, others): (Vec<Task>, Vec<Task>) = self
            .missing(studies)
            .into_iter()
            .partition(|task| matches!(task, Task::Case(s, _) if studies[*s].study.repeat > 1));
        progress.set_total((timed.len() + others.len()) as u64);
        self.work(studies, &others, jobs, stop, progress)?;
        self.work(studies, &timed, Some(1), stop, progress)
    }

    /// The runs that are missing, the longest first.
    fn missing(&self, studies: &[Planned]) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (s, study) in studies.iter().enumerate() {
            // a file that cannot be read counts as missing
            let open = |c: &usize| {
                let case = &study.cases[*c];
                let is_kept = study.study.rows == 0 || self.history(study, case).is_some();
                self.outcome(study, case).is_none() || !is_kept
            };
            let cases: Vec<usize> = (0..study.cases.len()).filter(open).collect();
            let is_reference_open = self.reference(study).is_none();
            if matches!(study.reference, Some(Standard::Run(_)))
                && !study.cases.is_empty()
                && (is_reference_open || !cases.is_empty())
            {
                tasks.push(Task::Reference(s));
            }
            tasks.extend(cases.into_iter().map(|c| Task::Case(s, c)));
        }
        // references first, then the longest
        let cost = |task: &Task| match task {
            Task::Reference(_) => f64::INFINITY,
            Task::Case(s, c) => {
                let (study, case) = (&studies[*s], &studies[*s].cases[*c]);
                let size = study.prepared.problem(0.0).map_or(1, |x| x.system.space().velocities());
                study.effort(&case.case, case.stages) * size as f64
            }
        };
        tasks.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
        tasks
    }

    fn work(
        &self,
        studies: &[Planned],
        tasks: &[Task],
        jobs: Option<u64>,
        stop: &AtomicBool,
        progress: &dyn CaseProgress,
    ) -> Result<(), LabError> {
        let states = Mutex::new(vec![WorkerState::Waiting; tasks.len()]);
        let (changed, failure) = (Condvar::new(), Mutex::new(None));
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.map_or(available, |jobs| usize::try_from(jobs).unwrap_or(available));
        std::thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, tasks.len().max(1)) {
                scope.spawn(|| {
                    while let Some(k) = self.next(studies, tasks, &states, &changed, stop) {
                        let _end = End { states: &states, changed: &changed, stop, task: k };
                        let done = match tasks[k] {
                            Task::Reference(s) => {
                                self.compute_reference(&studies[s], s, stop, progress)
                            }
                            Task::Case(s, c) => {
                                self.compute_case(&studies[s], s, c, stop, progress)
                            }
                        };
                        if let (Err(error), Ok(mut first)) = (done, failure.lock()) {
                            first.get_or_insert(error);
                            stop.store(true, Ordering::Relaxed);
                        }
                        progress.end_case();
                    }
                });
            }
        });
        match failure.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// The next task whose reference is there; waits for one.
    fn next(
        &self,
        studies: &[Planned],
        tasks: &[Task],
        states: &Mutex<Vec<WorkerState>>,
        changed: &Condvar,
        stop: &AtomicBool,
    ) -> Option<usize> {
        let mut states = states.lock().ok()?;
        loop {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let is_ready = |task: &Task| match task {
                Task::Reference(_) => true,
                Task::Case(s, _) => match studies[*s].reference {
                    Some(Standard::Run(_)) => self.references[*s].get().is_some(),
                    _ => true,
                },
            };
            let ready = |k: &usize| states[*k] == WorkerState::Waiting && is_ready(&tasks[*k]);
            if let Some(k) = (0..tasks.len()).find(ready) {
                states[k] = WorkerState::Running;
                return Some(k);
            }
            if !states.contains(&WorkerState::Running) {
                return None;
            }
            states = changed.wait(states).ok()?;
        }
    }

    fn compute_reference(
        &self,
        study: &Planned,
        s: usize,
        stop: &AtomicBool,
        progress: &dyn CaseProgress,
    ) -> Result<(), LabError> {
        let Some(Standard::Run(case)) = &study.reference else { return Ok(()) };
        if let Some(known) = self.reference(study) {
            let _ = self.references[s].set(Some(Arc::new(known)));
            return Ok(());
        }
        progress.begin_case(format!("{}: reference", study.name));
        let subject = study.prepared.problem(0.0)?;
        let grids: Vec<f64> = study.cases.iter().map(|case| case.case.step).collect();
        let settings = Settings::of(&case.choice, case.step).constraints(case.constraints);
        let found = match TimeHistory::compute(&subject, &settings, &grids, stop) {
            Ok(history) => {
                history.write(&self.place(study).join(REFERENCE), subject.signals.names())?;
                Some(Arc::new(history))
            }
            Err(_) if stop.load(Ordering::Relaxed) => return Ok(()),
            Err(error) => {
                progress.note(&format!("note: {}: {error}", study.name));
                None
            }
        };
        let _ = self.references[s].set(found);
        Ok(())
    }

    fn compute_case(
        &self,
        study: &Planned,
        s: usize,
        c: usize,
        stop: &AtomicBool,
        progress: &dyn CaseProgress,
    ) -> Result<(), LabError> {
        let planned = &study.cases[c];
        let case = &planned.case;
        progress.begin_case(format!("{}: {} {}", study.name, planned.method, planned.given));
        let subject = study.prepared.problem(f64::from(study.study.omit_last_steps) * case.step)?;
        let reference = match &study.reference {
            Some(Standard::Exact) => exact(study, case),
            Some(Standard::Run(_)) => self.references[s].get().cloned().flatten(),
            None => None,
        };
        let mut fastest = f64::INFINITY;
        let mut last = None;
        for _ in 0..study.study.repeat.max(1) {
            let run = case.run(&subject, reference.as_deref(), study.study.rows, stop);
            let Some(run) = run else { return Ok(()) };
            fastest = fastest.min(run.result.seconds);
            last = Some(run);
        }
        let Some(mut run) = last else { return Ok(()) };
        run.result.seconds = fastest;
        let file = self.folder.join(self.file(study, planned, "parquet"));
        if study.study.rows > 0 {
            run.history.write(&file, subject.signals.names())?;
        }
        if let (true, Some(at)) = (study.study.snapshot, &run.last) {
            let text: String = study.prepared.snapshots(at).iter().map(|x| x.to_csv()).collect();
            let path = self.folder.join(self.file(study, planned, "csv"));
            output::write(&path, text.as_bytes(), ExistingFile::ReplaceIf(&is_snapshot))?;
        }
        self.store().keep(&study.fingerprint, case, run.result)
    }
}

/// The end of a task, also if it panics: others may wait for it.
struct End<'a> {
    states: &'a Mutex<Vec<WorkerState>>,
    changed: &'a Condvar,
    stop: &'a AtomicBool,
    task: usize,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stop.store(true, Ordering::Relaxed);
        }
        if let Ok(mut states) = self.states.lock() {
            states[self.task] = WorkerState::Done;
        }
        self.changed.notify_all();
    }
}

/// Locks a folder against a second process.
fn lock(path: &Path) -> Result<std::fs::File, LabError> {
    let fail = |error: std::io::Error| {
        LabError::input(format!("cannot write {}: {error}", path.display()))
    };
    // the content of the file has no meaning and is not changed
    let mut opening = std::fs::OpenOptions::new();
    let file = opening.create(true).append(true).open(path).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            let folder = path.parent().unwrap_or(path).display();
            Err(LabError::input(format!(
                "another `cardan reproduce` is running in {folder}\n  try: wait for it, or another --out"
            )))
        }
        // some file systems have no locks
        Err(std::fs::TryLockError::Error(_)) => Ok(file),
    }
}

fn is_snapshot(path: &Path) -> bool {
    origin::is_table(path, origin::SNAPSHOT_COLUMNS)
}

fn is_study(path: &Path) -> bool {
    origin::has_keys(path, &["study"])
}

/// Removes what another program or manifest has left in the folder of a study, and nothing else.
fn clear(place: &Path) -> std::io::Result<()> {
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if is_our_parquet(&path) || path.is_file() && is_snapshot(&path) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The exact signals at the times of a case.
fn exact(study: &Planned, case: &StudyCase) -> Option<Arc<TimeHistory>> {
    let start = study.prepared.start;
    let steps = ((study.prepared.end - start) / case.step).round() as u64;
    let times = (1..=steps).map(|k| start + k as f64 * case.step);
    let rows = times.map(|t| Some((t, study.prepared.exact(t)?)));
    rows.collect::<Option<Vec<_>>>().map(|rows| Arc::new(TimeHistory::new(rows)))
}
