//! A run in progress: steps, rows, checkpoints, and its end.
//!
//! ```text
//!   record the row of the start
//!   while steps remain:  limits, signals ─▶ stop      rows ─▶ disk      state ─▶ checkpoint
//!                        step ─▶ energy balance ─▶ checks ─▶ row
//!   finish: one file of all rows, the last state, the summary
//! ```

use std::time::{Duration, Instant};

use super::limits::LimitCheck;
use super::machine::Machine;
use super::monitor::RunMonitor;
use super::record::{RunState, Tally, encode_states};
use super::request::{CheckpointInterval, RunError, RunLimits, RunProgress};
use crate::file::{ModelFile, Schedule};
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
    /// Begins at the start of the motion.
    pub fn begin(&mut self) -> Result<(), WriteError> {
        let residuals = self.motion.residuals();
        self.summary.max_position_residual = residuals.position;
        self.summary.max_velocity_residual = residuals.velocity;
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
    }

    /// Computes all steps and writes the results.
    pub fn complete(
        mut self,
        watch: &mut dyn FnMut(&RunProgress) -> bool,
    ) -> Result<RunSummary, RunError> {
        let schedule = self.schedule;
        let whole = schedule.steps.max(0.0) as u64;
        // the last step is shorter if the end requires it
        let slack = 1e-6 * schedule.settings.step_size;
        let rest = schedule.end - (schedule.start + whole as f64 * schedule.settings.step_size);
        let is_shortened = self.motion.method().variable_step && rest > slack;
        let total = whole + u64::from(is_shortened);
        // a longer run continues from the state before a shortened step
        let mut states = Vec::new();
        let end = self.steps(whole, total, &mut states, watch)?;
        watch(&RunProgress { time: self.summary.time, steps: self.summary.steps, total });
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
        if !has_diverged {
            states.push(RunState { tally: self.tally_after(&effort), ..self.state() });
        }
        let last = (!has_diverged).then(|| encode_states(&states));
        let place = self.folder.path().to_path_buf();
        let put = self.folder.finish(&self.summary, last.as_deref())?;
        // if complete results stay, the new ones are in a separate folder
        if let Ok(put) = put.strip_prefix(place) {
            self.summary.results = put.to_string_lossy().into_owned();
        }
        Ok(self.summary)
    }

    /// Takes steps until the end, a failure, or a stop.
    fn steps(
        &mut self,
        whole: u64,
        total: u64,
        before_last: &mut Vec<RunState>,
        watch: &mut dyn FnMut(&RunProgress) -> bool,
    ) -> Result<End, WriteError> {
        let mut limits = LimitCheck::new(self.limits, self.began);
        let bytes = self.state().encode().len() as u64;
        let mut last = LastCheckpoint { at: Instant::now(), steps: self.summary.steps, bytes };
        while self.summary.steps < total {
            let steps = self.summary.steps;
            let is_wanted = watch(&RunProgress { time: self.motion.now().t, steps, total });
            let (is_save_due, is_checkpoint_due) = (self.folder.is_save_due(), self.is_due(&last));
            let stop = match is_wanted {
                true => limits
                    .reached(&self.folder, 2 * last.bytes, is_save_due || is_checkpoint_due)
                    .map(|(limit, reason)| (limit, Some(reason))),
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
            let before = self.motion.effort();
            let stepped = match steps < whole {
                true => self.motion.step(),
                false => {
                    before_last.push(self.state());
                    self.motion.step_to(self.schedule.end)
                }
            };
            if let Err(error) = stepped {
                return Ok(End::Failed(error.to_string(), before));
            }
            let model = &self.start.model;
            self.energy.record(model, &self.motion);
            let residuals = self.motion.residuals();
            let checked = self.monitor.check(model, &self.motion, &self.energy, &residuals);
            if let Err(failure) = checked {
                return Ok(End::Diverged(failure));
            }
            let summary = &mut self.summary;
            summary.steps += 1;
            summary.time = self.motion.now().t;
            summary.energy_drift = summary.energy_drift.max(self.energy.balance.abs());
            summary.max_position_residual = summary.max_position_residual.max(residuals.position);
            summary.max_velocity_residual = summary.max_velocity_residual.max(residuals.velocity);
            self.record(self.motion.effort().iterations - before.iterations)?;
        }
        Ok(End::Reached)
    }

    /// Writes the row and the snapshots of the current instant, as far as they are wanted.
    fn record(&mut self, iterations: u64) -> Result<(), WriteError> {
        let (model, now) = (&self.start.model, self.motion.now());
        let (output, step) = (&self.file.output, self.schedule.settings.step_size);
        let half = 0.5 * step;
        let is_near = |t: &f64| (t - now.t).abs() <= half * (1.0 - 1e-9) || *t == now.t;
        if output.snapshots.iter().any(is_near) {
            self.folder.snapshots(&model.snapshots(now))?;
        }
        let slack = 1e-6 * step;
        let is_in_window =
            output.window.is_none_or(|[from, to]| now.t >= from - slack && now.t <= to + slack);
        if self.summary.steps.is_multiple_of(output.stride) && is_in_window {
            let row = self.recorder.row(model, &self.energy, &self.motion, iterations);
            self.folder.row(row)?;
        }
        Ok(())
    }

    /// Whether the state should be saved.
    fn is_due(&self, last: &LastCheckpoint) -> bool {
        match self.checkpoints {
            CheckpointInterval::Never => false,
            CheckpointInterval::Steps(steps) => self.summary.steps - last.steps >= steps.max(1),
            CheckpointInterval::Time(time) => last.at.elapsed() >= time,
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
        }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// All that evolves.
    fn state(&self) -> RunState {
        RunState {
            run: self.identity.clone(),
            machine: Machine::current(),
            state: self.motion.state().clone(),
            energy: self.energy.clone(),
            monitor: self.monitor.clone(),
            tally: self.tally(),
            rows: self.folder.rows(),
            snapshots: self.folder.snapshot_list().to_vec(),
            notes: self.notes.clone(),
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
        summary.warnings = self.motion.warnings().iter().map(ToString::to_string).collect();
        summary.warnings.extend(self.monitor.warnings(&self.energy, summary.energy_drift));
        summary.warnings.extend(self.notes.iter().cloned());
        if let (RunStatus::Completed, Some(failure)) =
            (summary.status, self.monitor.verdict(&self.energy, summary.energy_drift))
        {
            summary.status = RunStatus::Failed;
            summary.failure = Some(failure);
        }
        let is_outside = |t: &&f64| {
            **t < schedule.start - 1e-9 || **t > summary.time + schedule.settings.step_size
        };
        if let Some(t) = self.file.output.snapshots.iter().find(is_outside) {
            let message = format!("no snapshot at t = {t} s: the run does not contain this time");
            summary.warnings.push(message);
        }
        if summary.rows == 0 {
            summary.warnings.push("no row is within the `window` of [output]".into());
        }
    }
}
