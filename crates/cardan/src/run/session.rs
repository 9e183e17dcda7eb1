//! A run in progress: steps, rows, checkpoints, and its end.
//!
//! ```text
//!   record the row of the start
//!   while steps remain:  limits, signals ─▶ stop      rows ─▶ disk      state ─▶ checkpoint
//!                        step ─▶ energy balance ─▶ checks ─▶ row
//!   finish: one file of all rows, the last state, the summary
//! ```

mod events;
mod rows;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::limits::LimitCheck;
use super::machine::Machine;
use super::monitor::RunMonitor;
use super::motion_recorder::MotionRecorder;
use super::packing::packed_length;
use super::record::{RunState, Tally, encode_states};
use super::request::{CheckpointInterval, RunError, RunLimits, RunProgress};
use super::step_clock::StepClock;
use crate::file::{ModelFile, RowTimes, Schedule};
use crate::model::{AssembledMechanism, EnergyBalance};
use crate::results::{Interruption, Recorder, ResultsFolder, RunStatus, RunSummary, WriteError};
use cardan_core::simulation::{Effort, Simulation};

/// A run in progress.
pub(super) struct Session<'a, 'd> {
    pub file: &'a ModelFile,
    pub schedule: &'a Schedule,
    pub start: &'a AssembledMechanism,
    /// The identity of the run.
    pub identity: String,
    pub checkpoints: CheckpointInterval,
    pub limits: RunLimits,
    pub motion: Simulation<'static>,
    pub energy: EnergyBalance,
    pub monitor: RunMonitor,
    pub recorder: Recorder,
    pub folder: ResultsFolder<'d>,
    pub summary: RunSummary,
    /// Warnings of the start.
    pub notes: Vec<String>,
    /// Sums and maxima when this session began.
    pub before: Tally,
    pub began: Instant,
    /// Whether an earlier run is continued.
    pub is_continued: bool,
    /// The index of the next time of a row.
    pub next_row: u64,
    /// The time of the last row of this session.
    pub last_row: Option<f64>,
    /// The motion of everything, if it is recorded.
    pub picture: Option<MotionRecorder>,
    /// Whether the last state is saved.
    pub has_state: bool,
}

/// What every session needs; a new one has default values for the rest.
pub(super) struct SessionBasis<'a, 'd> {
    pub file: &'a ModelFile,
    pub schedule: &'a Schedule,
    pub start: &'a AssembledMechanism,
    pub motion: Simulation<'static>,
    pub recorder: Recorder,
    pub folder: ResultsFolder<'d>,
    pub summary: RunSummary,
    pub limits: RunLimits,
    pub began: Instant,
}

/// The end of the loop of steps.
enum End {
    Reached,
    Stopped(Interruption, Option<String>),
    /// A step cannot be computed; the state is that before it, and so is this effort.
    Failed(String, Effort),
    /// A step has no meaning; the state is that after it.
    Diverged(String),
}

/// The last checkpoint.
struct LastCheckpoint {
    at: Instant,
    steps: u64,
    bytes: u64,
}

impl<'a, 'd> Session<'a, 'd> {
    /// A session at the start of a motion that has no identity and saves no checkpoints.
    pub fn new(basis: SessionBasis<'a, 'd>) -> Self {
        let SessionBasis {
            file,
            schedule,
            start,
            motion,
            recorder,
            folder,
            summary,
            limits,
            began,
        } = basis;
        Self {
            file,
            schedule,
            start,
            identity: String::new(),
            checkpoints: CheckpointInterval::Never,
            limits,
            energy: EnergyBalance::new(&start.model, motion.now()),
            motion,
            monitor: RunMonitor::default(),
            recorder,
            folder,
            summary,
            notes: Vec::new(),
            before: Tally::default(),
            began,
            is_continued: false,
            next_row: 0,
            last_row: None,
            picture: None,
            has_state: true,
        }
    }

    /// Begins at the start of the motion.
    pub fn begin(&mut self) -> Result<(), WriteError> {
        let residuals = self.motion.residuals();
        self.summary.max_position_residual = residuals.position;
        self.summary.max_velocity_residual = residuals.velocity;
        self.log_events(None);
        self.record_motion();
        self.record(0)
    }

    /// Continues after the steps of a saved state.
    pub fn restore(&mut self, tally: &Tally) {
        let summary = &mut self.summary;
        summary.steps = tally.steps;
        summary.time = self.motion.now().t;
        summary.energy_drift = tally.energy_drift;
        summary.max_position_residual = tally.max_position_residual;
        summary.max_velocity_residual = tally.max_velocity_residual;
        summary.step_range = tally.step_range;
        self.next_row = tally.next_row;
    }

    /// Computes all steps and writes the results.
    pub fn complete(
        mut self,
        watch: &mut dyn FnMut(&RunProgress) -> bool,
    ) -> Result<RunSummary, RunError> {
        let schedule = self.schedule;
        let whole = schedule.steps.max(0.0) as u64;
        let total = match schedule.settings.control {
            Some(_) => 0,
            None => {
                // the last step is shorter if the end requires it
                let slack = 1e-6 * schedule.settings.step_size;
                let reached = schedule.start + whole as f64 * schedule.settings.step_size;
                let is_shortened =
                    self.motion.method().variable_step && schedule.end - reached > slack;
                whole + u64::from(is_shortened)
            }
        };
        // a longer run continues from the state before a last step that this end requires
        let mut before_last = None;
        let end = self.steps(whole, total, &mut before_last, watch)?;
        let mut states: Vec<RunState<'static>> = before_last.into_iter().collect();
        watch(&self.progress(total));
        let has_diverged = matches!(end, End::Diverged(_));
        // a run that is continued repeats the step that failed
        let effort = match &end {
            End::Failed(_, before) => *before,
            _ => self.motion.effort(),
        };
        match end {
            End::Reached => self.summary.status = RunStatus::Completed,
            End::Stopped(interruption, reason) => {
                self.summary.status = RunStatus::Interrupted;
                self.summary.interruption = Some(interruption);
                self.summary.failure = reason;
            }
            End::Failed(failure, _) | End::Diverged(failure) => {
                self.summary.status = RunStatus::Failed;
                self.summary.failure = Some(failure);
            }
        }
        self.conclude();
        if self.is_continued
            && self.summary.status == RunStatus::Interrupted
            && self.folder.has_complete_results()
        {
            // the extension of complete results stays where `resume` finds it
            self.summary.results = self.folder.leave().into();
            return Ok(self.summary);
        }
        // a step that diverged is no part of the motion
        let last_instant = match has_diverged {
            true => self.motion.interpolant().map(|step| step.from().clone()),
            false => Some(self.motion.now().clone()),
        };
        let is_saved = self.has_state && !has_diverged;
        let tally = self.tally_after(&effort);
        let rest = is_saved.then(|| RunState { tally, ..self.state() }.detached());
        let Self { motion, picture, folder, mut summary, start, .. } = self;
        // the workspace takes more memory than what is written: it is freed first
        let state = motion.into_state();
        let last = rest.map(|with_state| {
            states.push(with_state(state));
            encode_states(&std::mem::take(&mut states))
        });
        let motion =
            picture.map(|picture| picture.completed(&start.model, last_instant.as_ref()).encode());
        let place = folder.path().to_path_buf();
        let put = folder.finish(&summary, last.as_deref(), motion.as_deref())?;
        // if complete results stay, the new ones are in a separate folder
        if let Ok(put) = put.strip_prefix(place) {
            summary.results = put.to_string_lossy().into_owned();
        }
        Ok(summary)
    }

    /// Takes steps until the end, a failure, or a stop.
    fn steps(
        &mut self,
        whole: u64,
        total: u64,
        before_last: &mut Option<RunState<'static>>,
        watch: &mut dyn FnMut(&RunProgress) -> bool,
    ) -> Result<End, WriteError> {
        let mut limits = LimitCheck::new(self.limits, self.began);
        let bytes = match self.has_state {
            true => packed_length(self.motion.state()),
            false => 0,
        };
        let mut last = LastCheckpoint { at: Instant::now(), steps: self.summary.steps, bytes };
        let mut clock = StepClock::new();
        while !self.is_at_end(total) {
            let is_wanted = watch(&self.progress(total));
            let is_timed = clock.is_due();
            let is_save_due = is_timed && self.folder.is_save_due();
            let is_checkpoint_due = self.is_due(&last, is_timed);
            let is_written = is_save_due || is_checkpoint_due;
            let stop = match is_wanted {
                true if is_timed || is_written => limits
                    .reached(&self.folder, 2 * last.bytes, is_written)
                    .map(|(limit, reason)| (limit, Some(reason))),
                true => None,
                false => Some((Interruption::Request, None)),
            };
            if let Some((interruption, reason)) = stop {
                // gathering the results may take longer than a cluster allows
                self.checkpoint(&mut last)?;
                return Ok(End::Stopped(interruption, reason));
            }
            match (is_checkpoint_due, is_save_due) {
                (true, _) => self.checkpoint(&mut last)?,
                (false, true) => self.folder.save_rows()?,
                (false, false) => {}
            }
            let is_saved = self.has_state && self.may_be_last(whole, total);
            *before_last = is_saved.then(|| self.state().into_owned());
            let before = self.motion.effort();
            let stepped = match self.motion.advance(self.schedule.end) {
                Ok(stepped) => stepped,
                Err(error) => {
                    self.record_last_instant()?;
                    return Ok(End::Failed(error.to_string(), before));
                }
            };
            let model = &self.start.model;
            self.energy.record(model, &self.motion);
            let residuals = self.motion.residuals();
            let checked = self.monitor.check(model, &self.motion, &self.energy, &residuals);
            if let Err(failure) = checked {
                return Ok(End::Diverged(failure));
            }
            let summary = &mut self.summary;
            summary.steps += u64::from(stepped.is_regular);
            summary.time = self.motion.now().t;
            summary.energy_drift = summary.energy_drift.max(self.energy.balance.abs());
            summary.max_position_residual = summary.max_position_residual.max(residuals.position);
            summary.max_velocity_residual = summary.max_velocity_residual.max(residuals.velocity);
            if self.motion.now().t < self.schedule.end {
                let h = self.motion.last_step_size();
                let [least, most] = summary.step_range.unwrap_or([h, h]);
                summary.step_range = Some([least.min(h), most.max(h)]);
            }
            let iterations = self.motion.effort().iterations - before.iterations;
            let instant = self.motion.now().t;
            self.record_motion();
            if stepped.is_regular || self.schedule.rows != RowTimes::Steps {
                self.record_snapshots()?;
            }
            // rows within the step are those before the events at its end
            for time in self.log_events(None) {
                self.record_times_before(time, iterations)?;
                self.record_at(time, iterations)?;
            }
            let mut is_wanted = false;
            if stepped.has_events {
                self.record_times_before(instant, iterations)?;
                if let Err(error) = self.motion.perform_events() {
                    // the instant before the actions
                    if self.last_row != Some(instant) {
                        self.record_now(iterations)?;
                    }
                    return Ok(End::Failed(error.to_string(), before));
                }
                let change = self.energy.record_events(&self.start.model, self.motion.now());
                is_wanted = !self.log_events(Some(change)).is_empty();
            }
            self.record_step(stepped, iterations)?;
            if self.motion.is_stopped() {
                self.summary.stopped_by = self.motion.stopped_by().map(String::from);
            }
            if (is_wanted || self.motion.is_stopped()) && self.last_row != Some(instant) {
                self.record_now(iterations)?;
            }
            if self.motion.is_stopped() {
                break;
            }
        }
        Ok(End::Reached)
    }

    fn record_motion(&mut self) {
        if let Some(picture) = &mut self.picture {
            picture.take(&self.start.model, &self.motion);
        }
    }

    fn progress(&self, total: u64) -> RunProgress {
        let (time, Schedule { start, end, .. }) = (self.motion.now().t, self.schedule);
        let fraction = if end > start { (time - start) / (end - start) } else { 1.0 };
        RunProgress { time, steps: self.summary.steps, total, fraction: fraction.clamp(0.0, 1.0) }
    }

    fn is_at_end(&self, total: u64) -> bool {
        match self.schedule.settings.control {
            Some(_) => self.motion.now().t >= self.schedule.end,
            // events shift the instants of a method with fixed steps
            None if !self.motion.method().variable_step && self.summary.event_count > 0 => {
                !self.motion.has_whole_step(self.schedule.end)
            }
            None => self.summary.steps >= total,
        }
    }

    /// Whether the next step may be one that the end shortens, or after which a row is written because of the end.
    fn may_be_last(&self, whole: u64, total: u64) -> bool {
        match self.schedule.settings.control {
            Some(_) => self.motion.may_reach(self.schedule.end),
            None => {
                let steps = self.summary.steps;
                steps >= whole || (steps + 1 == total && self.schedule.rows != RowTimes::Steps)
            }
        }
    }

    /// Whether the state should be saved; the clock is read if `is_timed`.
    fn is_due(&self, last: &LastCheckpoint, is_timed: bool) -> bool {
        match self.checkpoints {
            CheckpointInterval::Never => false,
            CheckpointInterval::Steps(steps) => self.summary.steps - last.steps >= steps.max(1),
            CheckpointInterval::Time(time) => is_timed && last.at.elapsed() >= time,
        }
    }

    fn checkpoint(&mut self, last: &mut LastCheckpoint) -> Result<(), WriteError> {
        let bytes = self.state().encode();
        self.folder.checkpoint(self.summary.steps, &bytes)?;
        let (steps, bytes) = (self.summary.steps, bytes.len() as u64);
        *last = LastCheckpoint { at: Instant::now(), steps, bytes };
        Ok(())
    }

    /// Sums and maxima over all steps.
    fn tally(&self) -> Tally {
        self.tally_after(&self.motion.effort())
    }

    /// Sums and maxima after an effort of this session.
    fn tally_after(&self, effort: &Effort) -> Tally {
        let summary = &self.summary;
        Tally {
            steps: summary.steps,
            newton_iterations: self.before.newton_iterations + effort.iterations,
            factorizations: self.before.factorizations + effort.linear.factorizations,
            wall_seconds: self.before.wall_seconds + self.elapsed().as_secs_f64(),
            energy_drift: summary.energy_drift,
            max_position_residual: summary.max_position_residual,
            max_velocity_residual: summary.max_velocity_residual,
            next_row: self.next_row,
            step_range: summary.step_range,
        }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// All that evolves.
    fn state(&self) -> RunState<'_> {
        RunState {
            run: self.identity.clone(),
            machine: Machine::current(),
            state: Cow::Borrowed(self.motion.state()),
            energy: self.energy.clone(),
            monitor: self.monitor.clone(),
            tally: self.tally(),
            rows: self.folder.rows(),
            snapshots: self.folder.snapshot_list().to_vec(),
            notes: self.notes.clone(),
            events: (self.summary.events.clone(), self.summary.event_count),
            motion: self.picture.as_ref().map(|picture| picture.record(&self.start.model)),
        }
    }

    /// Completes the summary.
    fn conclude(&mut self) {
        let (tally, schedule) = (self.tally(), self.schedule);
        let summary = &mut self.summary;
        summary.newton_iterations = tally.newton_iterations;
        summary.factorizations = tally.factorizations;
        summary.wall_seconds = tally.wall_seconds;
        summary.rows = self.folder.rows();
        summary.step_counts = self.motion.step_counts();
        summary.warnings = self.motion.warnings().iter().map(ToString::to_string).collect();
        let model = &self.start.model;
        summary.warnings.extend(self.monitor.warnings(model, &self.energy, summary.energy_drift));
        summary.warnings.extend(self.notes.iter().cloned());
        let rescued = summary.step_counts.rescued;
        if rescued > 0 {
            summary.warnings.push(format!(
                "{rescued} steps could not be computed and were replaced by shorter ones (rescue = true); try: a \
                 smaller step, or a tolerance instead of a step"
            ));
        }
        if let (RunStatus::Completed, Some(failure)) =
            (summary.status, self.monitor.verdict(model, &self.energy, summary.energy_drift))
        {
            summary.status = RunStatus::Failed;
            summary.failure = Some(failure);
        } else if let (RunStatus::Failed, Some(failure)) = (summary.status, &mut summary.failure)
            && let Some(reading) = self.monitor.reading(model, &self.energy, summary.energy_drift)
        {
            failure.push_str(&format!("\n  {reading}"));
        }
        let more = match schedule.settings.control {
            Some(_) => 0.0,
            None => schedule.settings.step_size,
        };
        let is_outside = |t: &&f64| **t < schedule.start - 1e-9 || **t > summary.time + more;
        if let Some(t) = self.file.output.snapshots.iter().find(is_outside) {
            let message = format!("no snapshot at t = {t} s: the run does not contain this time");
            summary.warnings.push(message);
        }
        if summary.rows == 0 {
            summary.warnings.push("no row is within the `window` of [output]".into());
        }
    }
}
