//! Continues a run from its saved state.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::execute::{
    MAX_STEPS, begin_motion, check_space, check_stability, explained, limited, recorded_summary,
    recorder,
};
use super::machine::Machine;
use super::motion_recorder::MotionRecorder;
use super::record::{RunRecord, RunState, decode_states};
use super::request::{CheckpointInterval, ResumeError, RunError, RunLimits, RunProgress};
use super::session::{Session, SessionBasis};
use crate::file::{Located, ModelFile, Schedule, is_resolved};
use crate::model::AssembledMechanism;
use crate::output::{Disk, LocalDisk};
use crate::results::{
    Extension, FolderLock, PartsOnDisk, ResultsFolder, ResumePoint, RunSummary, SavedFiles,
};
use cardan_core::methods::Registry;
use cardan_core::simulation::Simulation;

/// How a run is continued.
#[derive(Clone, Debug, Default)]
pub struct ResumeRequest<'a> {
    /// Another end than that of the run, in seconds.
    pub end: Option<f64>,
    /// The program and its version, for a warning if the run was begun by another one.
    pub version: &'a str,
    /// When the state of the run is saved.
    pub checkpoints: CheckpointInterval,
    /// When the run stops before its end.
    pub limits: RunLimits,
    /// The methods to choose from.
    pub registry: Registry,
    /// Whether to continue in spite of very many steps or very much output.
    pub force: bool,
}

/// A run that can be continued: read from its folder, which is locked.
pub struct SavedRun<'d> {
    disk: &'d dyn Disk,
    folder: PathBuf,
    lock: FolderLock,
    is_finished: bool,
    record: RunRecord,
    /// The state to continue from; `None` if nothing was saved before the run was killed.
    state: Option<RunState<'static>>,
    /// The model of the run, as it was when the run began.
    pub file: ModelFile,
    /// Its settings and its end.
    pub schedule: Schedule,
    /// The assembled model.
    pub start: AssembledMechanism,
    /// The parts of an unfinished run.
    parts: Option<PartsOnDisk>,
    /// Facts that the user should know: a model file that has changed, a checkpoint that is damaged, another processor.
    pub notes: Vec<String>,
}

impl SavedRun<'static> {
    /// Reads the run in a folder of results.
    pub fn open(folder: &Path, request: &ResumeRequest<'_>) -> Result<Self, RunError> {
        Self::open_on(&LocalDisk, folder, request)
    }
}

impl<'d> SavedRun<'d> {
    /// Reads the run in a folder of results on a disk.
    pub fn open_on(
        disk: &'d dyn Disk,
        folder: &Path,
        request: &ResumeRequest<'_>,
    ) -> Result<Self, RunError> {
        let refuse = |path: &Path, reason: String, remedy: &str| ResumeError {
            path: path.display().to_string(),
            reason,
            remedy: remedy.into(),
        };
        if !folder.is_dir() {
            let reason = match folder.exists() {
                true => "this is a file, not the folder of a run",
                false => "there is no such folder",
            };
            return Err(refuse(folder, reason.into(), "the folder of the results").into());
        }
        let lock = FolderLock::new(folder)?;
        let found = SavedFiles::find(disk, folder)
            .map_err(|(reason, remedy)| refuse(folder, reason, &remedy))?;
        let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
        let record = read(&found.record).and_then(|bytes| RunRecord::decode(&bytes));
        let mut record =
            record.map_err(|reason| refuse(&found.record, reason, "run the model again"))?;
        let identity = record.identity();
        let mut notes = Vec::new();
        let mut state = None;
        for path in &found.states {
            let states = read(path).and_then(|bytes| decode_states(&bytes));
            let states =
                states.and_then(|states| match states.iter().all(|state| state.run == identity) {
                    true => Ok(states),
                    false => Err("it belongs to another run".to_string()),
                });
            match states {
                Ok(states) => {
                    state = chosen(states, &record.schedule, request.end);
                    break;
                }
                Err(reason) => {
                    notes.push(format!("{} is not used: {reason}", path.display()));
                }
            }
        }
        if state.is_none() && !found.states.is_empty() {
            let remedy = "`cardan results` to save the rows; run the model again";
            return Err(refuse(folder, notes.join("; "), remedy).into());
        }
        let parts = (!found.is_finished).then(|| PartsOnDisk::verified(folder));
        let rows = state.as_ref().map_or(0, |state: &RunState<'_>| state.rows);
        if let Some(reason) = parts.as_ref().and_then(|parts| parts.missing(rows)) {
            let remedy = "`cardan results` to save the other rows; run the model again";
            return Err(refuse(folder, reason, remedy).into());
        }
        record.schedule.settings.registry = request.registry.clone();
        let mut file = record.model.restore()?;
        // the method may be another one than that in the text
        let settings = &record.schedule.settings;
        let parameters = settings.parameters.iter().cloned();
        file.plan.method = Some(Located::outside(settings.method.clone()));
        file.plan.parameters =
            parameters.map(|(name, value)| (name, Located::outside(value))).collect();
        let changed = record.model.changed_files();
        if !changed.is_empty() {
            notes.push(format!(
                "changed since the run began: {}; the run continues with the model as it was",
                changed.join(", ")
            ));
        }
        if record.version != request.version && !request.version.is_empty() {
            notes.push(format!(
                "the run was begun by {}, this is {}: the last digits may differ",
                record.version, request.version
            ));
        }
        if let Some(state) = &state
            && let Some(difference) = state.machine.difference(&Machine::current())
        {
            notes.push(format!("{difference}: the last digits may differ"));
        }
        if state.is_none() {
            notes.push("there is no checkpoint: the run starts again".into());
        }
        let start = file.assemble()?;
        let mut schedule = record.schedule.clone();
        let reached = state.as_ref().map_or(schedule.start, |state| state.state.now.t);
        if let Some(end) = request.end {
            let is_controlled = schedule.settings.control.is_some();
            let (step, steps) = match is_controlled {
                true => (f64::MAX, 0.0),
                false => {
                    let settings = &schedule.settings;
                    (settings.step_size, settings.steps(schedule.start, end))
                }
            };
            let wrong = match () {
                () if !end.is_finite() => Some(format!("the end is {end}; it must be a number")),
                () if end < reached - if is_controlled { 0.0 } else { 1e-9 * step } => {
                    Some(format!("it has reached t = {reached} s, after the new end, {end} s"))
                }
                () if !is_resolved(step, end) => {
                    Some(format!("a step of {step:e} is lost in the rounding of the time {end:e}"))
                }
                () if steps > MAX_STEPS && !request.force => {
                    Some(format!("this takes {steps:.1e} steps"))
                }
                () => None,
            };
            if let Some(reason) = wrong {
                return Err(refuse(folder, reason, "another end (--end)").into());
            }
            (schedule.end, schedule.steps) = (end, steps);
            record.schedule = schedule.clone();
        }
        let (folder, is_finished) = (folder.to_path_buf(), found.is_finished);
        Ok(Self {
            disk,
            folder,
            lock,
            is_finished,
            record,
            state,
            file,
            schedule,
            start,
            parts,
            notes,
        })
    }

    /// The time from which the run continues.
    pub fn time(&self) -> f64 {
        self.state.as_ref().map_or(self.schedule.start, |state| state.state.now.t)
    }

    /// The steps it has taken.
    pub fn steps(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.tally.steps)
    }

    /// The summary of a run whose results have their final names.
    fn final_summary(&self) -> Option<RunSummary> {
        self.is_finished.then(|| RunSummary::read(&self.folder))?
    }

    /// The event that ended the run.
    pub fn stopped_by(&self) -> Option<String> {
        self.final_summary().and_then(|summary| summary.stopped_by)
    }

    /// Whether the run has reached its end, or an event that ends it: a later end does not change that.
    pub fn is_complete(&self) -> bool {
        if self.state.as_ref().is_some_and(|saved| saved.state.is_stopped()) {
            return true;
        }
        if self.schedule.settings.control.is_some() {
            return self.time() >= self.schedule.end;
        }
        let step = self.schedule.settings.step_size;
        let is_at_end = self.time() >= self.schedule.end - 1e-6 * step;
        let has_variable_steps =
            self.schedule.settings.method().is_ok_and(|(info, _)| info.variable_step);
        let has_steps = (self.steps() as f64) < self.schedule.steps;
        !has_steps && (is_at_end || !has_variable_steps)
    }

    /// Computes the rest and writes the results. A run that is complete is left as it is. `watch` is called before every step; the run stops if it returns
    /// false.
    pub fn run(
        self,
        request: &ResumeRequest<'_>,
        watch: &mut dyn FnMut(&RunProgress) -> bool,
    ) -> Result<RunSummary, RunError> {
        let began = Instant::now();
        if let (true, Some(summary)) = (self.is_complete(), self.final_summary()) {
            return Ok(summary);
        }
        let Self { disk, folder: path, lock, record, state, file, schedule, start, parts, .. } =
            self;
        let recorder = recorder(&file, &start)?;
        if recorder.columns() != record.columns {
            let reason = "this program writes other columns than those of the run".into();
            let (path, remedy) = (path.display().to_string(), "run the model again".into());
            return Err(ResumeError { path, reason, remedy }.into());
        }
        let motion = match &state {
            None => begin_motion(&file, &schedule, &start, &request.limits)?,
            Some(saved) => {
                let settings = limited(&schedule, &request.limits);
                Simulation::resume(start.model.clone(), &settings, saved.state.clone().into_owned())
                    .map_err(|error| explained(&file, error.into()))?
            }
        };
        let mut summary = recorded_summary(&file, &schedule, &start, &record, &motion);
        if let Some(saved) = &state {
            (summary.events, summary.event_count) = saved.events.clone();
        }
        if !request.force {
            let done = state.as_ref().filter(|_| !self.is_finished).map_or(0, |saved| saved.rows);
            check_space(disk, &path, &file, &schedule, &record, &motion, done)?;
        }
        let encoded = record.encode();
        match (&state, self.is_finished) {
            (Some(saved), true) => {
                let extension = Extension {
                    layout: record.layout,
                    about: &summary,
                    record: &encoded,
                    rows: saved.rows,
                    snapshots: &saved.snapshots,
                    steps: saved.tally.steps,
                    state: &saved.encode(),
                };
                extension.begin(disk, &path)?;
            }
            _ => SavedFiles::replace_record(disk, &path, &encoded, &summary)?,
        }
        let (rows, snapshots) =
            state.as_ref().map_or((0, &[][..]), |saved| (saved.rows, &saved.snapshots));
        let point = ResumePoint { rows, snapshots, parts: parts.as_ref() };
        let folder = ResultsFolder::reopen_on(disk, &path, lock, record.layout, &summary, &point)?;
        let is_new = state.is_none();
        let has_motion = record.has_motion;
        let limits = request.limits;
        let unstable = match is_new {
            true => check_stability(&schedule, &motion, &start.model),
            false => Ok(None),
        };
        let unstable = unstable.map_err(|error| explained(&file, error))?;
        let mut session = Session {
            identity: record.identity(),
            checkpoints: request.checkpoints,
            notes: unstable.into_iter().collect(),
            is_continued: true,
            ..Session::new(SessionBasis {
                file: &file,
                schedule: &schedule,
                start: &start,
                motion,
                recorder,
                folder,
                summary,
                limits,
                began,
            })
        };
        let mut motion = None;
        if let Some(saved) = state {
            (session.energy, session.monitor) = (saved.energy, saved.monitor);
            (session.before, session.notes) = (saved.tally, saved.notes);
            motion = saved.motion;
        }
        session.picture = has_motion.then(|| MotionRecorder::new(&start, motion));
        match is_new {
            true => session.begin()?,
            false => session.restore(&session.before.clone()),
        }
        session.complete(watch)
    }
}

/// The state to continue from: the last one, or the one before a shortened step if the run is to be longer.
fn chosen(
    mut states: Vec<RunState<'static>>,
    schedule: &Schedule,
    end: Option<f64>,
) -> Option<RunState<'static>> {
    let is_longer = end.is_some_and(|end| end > schedule.end);
    if is_longer && states.len() > 1 { Some(states.swap_remove(0)) } else { states.pop() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::record::encode_states;
    use crate::run::{RunRequest, run};

    const PENDULUM: &str = r#"
format = 2
planar = true
gravity = [0, -9.81]
[body.bar]
mass = 2
shape = { rod = 1 }
position = [0.5, 0]
[joint.O]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]
[simulation]
step = 1e-2
end = 0.1
"#;

    /// A state from a processor with a feature that none has, and a record of another program.
    #[test]
    fn another_processor_and_another_program_are_warned_of()
    -> Result<(), Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("cardan-machine-{}", std::process::id()));
        let file = ModelFile::parse("pendulum.toml", PENDULUM, &[])?;
        let (schedule, start) = (file.schedule()?, file.assemble()?);
        run(&file, &schedule, &start, &RunRequest::new(&folder), &mut |_| true)?;
        let state = folder.join("state.cardan");
        let mut states = decode_states(&std::fs::read(&state)?)?;
        states[0].machine.features.push("tensor".into());
        std::fs::write(&state, encode_states(&states))?;
        // the file was altered after its checksum was written
        let request =
            ResumeRequest { end: Some(0.2), version: "cardan 99", ..ResumeRequest::default() };
        let refused = SavedRun::open(&folder, &request).err().ok_or("accepted")?.to_string();
        assert!(refused.contains("state.cardan was altered"), "{refused}");
        let sums = folder.join("checksums.sha256");
        let renewed: String = std::fs::read_to_string(&sums)?
            .lines()
            .map(|line| match line.split_once("  ") {
                Some((_, "state.cardan")) => {
                    format!(
                        "{}  state.cardan\n",
                        crate::output::file_sha256(&state).unwrap_or_default()
                    )
                }
                _ => format!("{line}\n"),
            })
            .collect();
        std::fs::write(&sums, renewed)?;
        let notes = SavedRun::open(&folder, &request)?.notes;
        std::fs::remove_dir_all(&folder)?;
        assert!(notes.iter().any(|note| note.contains("does not have tensor")), "{notes:?}");
        assert!(notes.iter().any(|note| note.contains("this is cardan 99")), "{notes:?}");
        Ok(())
    }
}
