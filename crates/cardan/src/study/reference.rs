//! What results are compared with: signals over time.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Subject;
use crate::error::Error;
use crate::results::{Frame, FrameError};
use crate::simulation::{Settings, Simulation};
use crate::stage::NewtonOptions;
use crate::system::System;

/// Signals at rising times.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    times: Vec<f64>,
    /// Row by row.
    values: Vec<f64>,
    columns: usize,
}

/// A reference that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// The fine run failed.
    #[error("the reference run failed: {0}")]
    Run(#[from] Error),
    /// The file cannot be read, or lacks a column.
    #[error(transparent)]
    File(#[from] FrameError),
    /// The run was stopped.
    #[error("interrupted")]
    Interrupted,
    /// A number that is none.
    #[error("the reference is not finite: column `{column}` at t = {time}")]
    NotFinite {
        /// The column.
        column: String,
        /// When.
        time: f64,
    },
    /// Times that do not rise.
    #[error("the times of the reference do not rise")]
    Times,
}

/// Newton's tolerance in a reference.
const TOLERANCE: f64 = 1e-13;
/// Times are the same if they differ by less than this part of a step.
const SAME: f64 = 1e-6;

impl Reference {
    /// Rows of values at rising times, as from a closed form; the columns are those of the signals.
    pub fn new(rows: impl IntoIterator<Item = (f64, Vec<f64>)>) -> Self {
        let (mut times, mut values, mut columns) = (Vec::new(), Vec::new(), 0);
        for (time, row) in rows {
            columns = row.len();
            times.push(time);
            values.extend(row);
        }
        Self { times, values, columns }
    }

    /// A fine run, kept at the times that are multiples of one of the `grids` after the start.
    pub fn compute(
        subject: &Subject<'_>,
        settings: &Settings,
        grids: &[f64],
        stop: &AtomicBool,
    ) -> Result<Self, ReferenceError> {
        // thousands of fine steps add up what Newton leaves
        let tolerance = subject.newton.tolerance.min(TOLERANCE);
        let newton = NewtonOptions { tolerance, ..subject.newton };
        let settings = Settings { newton, ..settings.clone() };
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
                return Err(ReferenceError::Interrupted);
            }
            motion.step()?;
            let after = motion.now().t - start;
            let is_wanted = |grid: &f64| {
                let count = after / grid;
                (count - count.round()).abs() * grid < SAME * settings.step_size
            };
            if grids.iter().any(is_wanted) {
                subject.signals.read(motion.now(), &mut row);
                times.push(motion.now().t);
                values.extend_from_slice(&row);
            }
        }
        Ok(Self { times, values, columns })
    }

    /// The columns of a file of results that belong to the signals, by name.
    pub fn read(frame: &Frame, columns: &[String]) -> Result<Self, ReferenceError> {
        let mut wanted = vec![frame.column("time")?];
        for name in columns {
            wanted.push(frame.column(name)?);
        }
        let read = frame.values(&wanted)?;
        let (times, signals) = (read[0].clone(), &read[1..]);
        if !times.is_sorted_by(|a, b| a < b) {
            return Err(ReferenceError::Times);
        }
        for (column, values) in columns.iter().zip(signals) {
            if let Some(k) = values.iter().position(|x| !x.is_finite()) {
                return Err(ReferenceError::NotFinite { column: column.clone(), time: times[k] });
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
