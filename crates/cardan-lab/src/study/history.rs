//! Signals over time: rows kept of a run, and references.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::StudyProblem;
use cardan::results::{self, ReadError, ResultsTable};
use cardan::simulation::SimulationError;
use cardan::simulation::{Settings, Simulation};
use cardan::stage::NewtonOptions;
use cardan::system::System;

/// Signals at increasing times.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeHistory {
    times: Vec<f64>,
    /// Row by row.
    values: Vec<f64>,
    columns: usize,
}

/// Why a history cannot be computed or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// The fine run failed.
    #[error("the reference run failed: {0}")]
    Run(#[from] SimulationError),
    /// The file cannot be read, or lacks a column.
    #[error(transparent)]
    File(#[from] ReadError),
    /// The run was stopped.
    #[error("interrupted")]
    Interrupted,
    /// A value that is not finite.
    #[error("the reference is not finite: column `{column}` at t = {time}")]
    NotFinite {
        /// The column.
        column: String,
        /// The time.
        time: f64,
    },
    /// Times that are not increasing.
    #[error("the times of the reference are not increasing")]
    Times,
}

/// Newton's tolerance in a reference.
const TOLERANCE: f64 = 1e-13;
/// Times are the same if they differ by less than this part of a step.
const SAME: f64 = 1e-6;

impl TimeHistory {
    /// Rows of values at increasing times, as from a closed form; the columns are those of the signals. The first row
    /// gives the number of columns: missing values of other rows become NaN, further values are omitted.
    pub fn new(rows: impl IntoIterator<Item = (f64, Vec<f64>)>) -> Self {
        let (mut times, mut values, mut columns) = (Vec::new(), Vec::new(), None);
        for (time, mut row) in rows {
            row.resize(*columns.get_or_insert(row.len()), f64::NAN);
            times.push(time);
            values.extend(row);
        }
        Self { times, values, columns: columns.unwrap_or(0) }
    }

    /// A history without rows.
    pub(super) fn empty(columns: usize) -> Self {
        Self { times: Vec::new(), values: Vec::new(), columns }
    }

    pub(super) fn push(&mut self, time: f64, row: &[f64]) {
        self.times.push(time);
        self.values.extend_from_slice(row);
    }

    /// The times.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// One column of the signals; empty if there is no such column.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> {
        let values = self.values.get(column..).filter(|_| column < self.columns);
        values.unwrap_or_default().iter().step_by(self.columns.max(1)).copied()
    }

    /// The row at a time, interpolated linearly; none outside the times.
    pub fn at(&self, time: f64) -> Option<Vec<f64>> {
        let after = self.times.partition_point(|known| *known < time);
        let row = |k: usize| &self.values[k * self.columns..(k + 1) * self.columns];
        let later = *self.times.get(after)?;
        if later == time || after == 0 {
            return (later - time).abs().le(&(1e-9 * later.abs())).then(|| row(after).to_vec());
        }
        let part = (time - self.times[after - 1]) / (later - self.times[after - 1]);
        let between = row(after - 1).iter().zip(row(after)).map(|(a, b)| a + part * (b - a));
        Some(between.collect())
    }

    /// Writes a Parquet file with a column for the time and one for each of the names.
    pub fn write(&self, path: &Path, names: &[String]) -> Result<(), ReadError> {
        let mut columns = vec![self.times.clone()];
        columns.extend((0..self.columns).map(|k| self.column(k).collect::<Vec<f64>>()));
        let names: Vec<&str> =
            ["time"].into_iter().chain(names.iter().map(String::as_str)).collect();
        results::write_columns(path, &names, &columns)
    }

    /// A fine run with a method of the problem's registry, kept at the times that are multiples of one of the `grids` after the start.
    pub fn compute(
        subject: &StudyProblem<'_>,
        settings: &Settings,
        grids: &[f64],
        stop: &AtomicBool,
    ) -> Result<Self, HistoryError> {
        // the residual errors of Newton add up over thousands of steps
        let tolerance = subject.newton.tolerance.min(TOLERANCE);
        let newton = NewtonOptions { tolerance, ..subject.newton };
        let registry = subject.registry.clone();
        let settings = Settings { newton, registry, ..settings.clone() };
        let system: &dyn System = subject.system;
        let mut motion = Simulation::new(system, &settings, subject.initial)?;
        let start = motion.now().t;
        let columns = subject.signals.columns();
        let (mut times, mut values) = (Vec::new(), Vec::new());
        let mut row = vec![0.0; columns];
        let steps = settings.steps(start, subject.end);
        for k in 1.. {
            if k as f64 > steps {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                return Err(HistoryError::Interrupted);
            }
            motion.step()?;
            let after = motion.now().t - start;
            let is_on = |grid: &f64| {
                let count = after / grid;
                (count - count.round()).abs() * grid < SAME * settings.step_size
            };
            if grids.iter().any(is_on) {
                subject.signals.read(motion.now(), &mut row);
                times.push(motion.now().t);
                values.extend_from_slice(&row);
            }
        }
        Ok(Self { times, values, columns })
    }

    /// The columns of a file of results that belong to the signals, by name.
    pub fn read(frame: &ResultsTable, columns: &[String]) -> Result<Self, HistoryError> {
        let mut wanted = vec![frame.column("time")?];
        for name in columns {
            wanted.push(frame.column(name)?);
        }
        let read = frame.values(&wanted)?;
        let (times, signals) = (read[0].clone(), &read[1..]);
        if !times.is_sorted_by(|a, b| a < b) {
            return Err(HistoryError::Times);
        }
        for (column, values) in columns.iter().zip(signals) {
            if let Some(k) = values.iter().position(|x| !x.is_finite()) {
                return Err(HistoryError::NotFinite { column: column.clone(), time: times[k] });
            }
        }
        let values = (0..times.len()).flat_map(|k| signals.iter().map(move |x| x[k])).collect();
        Ok(Self { times, values, columns: columns.len() })
    }

    /// The row at a time, if there is one; `from` is where to look, and is moved on.
    pub(super) fn row(&self, time: f64, step: f64, from: &mut usize) -> Option<&[f64]> {
        let slack = SAME * step;
        while self.times.get(*from).is_some_and(|at| *at < time - slack) {
            *from += 1;
        }
        let at = *self.times.get(*from)?;
        let first = *from * self.columns;
        let row = self.values.get(first..first + self.columns);
        row.filter(|_| (at - time).abs() <= slack)
    }
}
