//! The rows of a run: at steps, at times between them, and at the end.

use super::Session;
use crate::file::RowTimes;
use crate::results::WriteError;
use cardan_core::simulation::Advance;

impl Session<'_, '_> {
    /// Writes the rows of all times that the last step has reached and that are before a time.
    pub(super) fn record_times_before(
        &mut self,
        end: f64,
        iterations: u64,
    ) -> Result<(), WriteError> {
        let start = self.schedule.start;
        while let Some(time) = self.schedule.rows.due(start, self.next_row, end)
            && time < end
        {
            self.next_row += 1;
            if time >= start {
                self.record_at(time, iterations)?;
            }
        }
        Ok(())
    }

    /// Writes the row and the snapshots of the start, as far as they are wanted.
    pub(super) fn record(&mut self, iterations: u64) -> Result<(), WriteError> {
        self.record_snapshots()?;
        if self.schedule.rows != RowTimes::Steps {
            return self.record_times(iterations);
        }
        self.record_now(iterations)
    }

    /// Writes the rows of the last step, as far as they are wanted.
    pub(super) fn record_step(
        &mut self,
        stepped: Advance,
        iterations: u64,
    ) -> Result<(), WriteError> {
        if self.schedule.rows != RowTimes::Steps {
            return self.record_times(iterations);
        }
        if !stepped.is_regular {
            return Ok(());
        }
        match self.summary.steps.is_multiple_of(self.file.output.stride) {
            true => self.record_now(iterations),
            false => Ok(()),
        }
    }

    /// Writes the snapshots whose times are nearest to the current instant, or within the last step if its size varies.
    pub(super) fn record_snapshots(&mut self) -> Result<(), WriteError> {
        let (model, now) = (&self.start.model, self.motion.now());
        let half = 0.5 * self.schedule.settings.step_size;
        if self.schedule.settings.control.is_some() {
            let from = now.t - self.motion.last_step_size();
            let end = now.t;
            let is_first = self.summary.steps == 0;
            let times = self.file.output.snapshots.iter().copied();
            let is_due = |t: &f64| *t <= end && (*t > from || is_first && *t == end);
            for t in times.filter(is_due).collect::<Vec<_>>() {
                let at = self.motion.instant_at(t);
                self.folder.snapshots(&model.snapshots(&at))?;
            }
            return Ok(());
        }
        let is_near = |t: &f64| (t - now.t).abs() <= half * (1.0 - 1e-9) || *t == now.t;
        if self.file.output.snapshots.iter().any(is_near) {
            self.folder.snapshots(&model.snapshots(now))?;
        }
        Ok(())
    }

    fn is_in_window(&self, t: f64) -> bool {
        let slack = match self.schedule.settings.control {
            Some(_) => 0.0,
            None => 1e-6 * self.schedule.settings.step_size,
        };
        let window = self.file.output.window;
        window.is_none_or(|[from, to]| t >= from - slack && t <= to + slack)
    }

    /// Writes the row of the current instant, if it is within the window.
    pub(super) fn record_now(&mut self, iterations: u64) -> Result<(), WriteError> {
        if self.is_in_window(self.motion.now().t) {
            let row = self.recorder.row(&self.start.model, &self.energy, &self.motion, iterations);
            self.folder.row(row)?;
            self.last_row = Some(self.motion.now().t);
        }
        Ok(())
    }

    /// Writes the rows of all times that the last step has reached, and that of the end.
    fn record_times(&mut self, iterations: u64) -> Result<(), WriteError> {
        let (start, end) = (self.schedule.start, self.schedule.end);
        let mut last = None;
        while let Some(time) = self.schedule.rows.due(start, self.next_row, self.motion.now().t) {
            self.next_row += 1;
            if time < start {
                continue;
            }
            last = Some(time);
            self.record_at(time, iterations)?;
        }
        let now = self.motion.now().t;
        if now >= end && last != Some(now) {
            self.record_at(now, iterations)?;
        }
        Ok(())
    }

    /// Writes the row of a time within the last step.
    pub(super) fn record_at(&mut self, time: f64, iterations: u64) -> Result<(), WriteError> {
        if time == self.motion.now().t {
            return self.record_now(iterations);
        }
        if self.is_in_window(time) {
            let (model, at) = (&self.start.model, self.motion.instant_at(time));
            let energy = self.energy.values_within(model, &at);
            let row = self.recorder.row_at(model, &at, energy, &self.motion, iterations);
            self.folder.row(row)?;
            self.last_row = Some(time);
        }
        Ok(())
    }

    /// Writes the row of the current instant if rows have times of their own: the last one before a failure.
    pub(super) fn record_last_instant(&mut self) -> Result<(), WriteError> {
        let last = self.next_row.checked_sub(1);
        let rows = &self.schedule.rows;
        let now = self.motion.now().t;
        let is_written = last.and_then(|k| rows.time(self.schedule.start, k)) == Some(now);
        match *rows == RowTimes::Steps || is_written {
            true => Ok(()),
            false => self.record_now(0),
        }
    }
}
