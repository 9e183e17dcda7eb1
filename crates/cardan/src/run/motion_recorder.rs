//! Records the motion of a run, step by step.

use super::motion::MotionRecord;
use crate::model::{AssembledMechanism, Model, SceneTracks};
use cardan_core::simulation::Simulation;
use cardan_core::state::Instant;

/// The motion so far, and the channels it is read from.
///
/// Poses decide which instants are kept. Forces, sections and reactions are computed for these alone: that an instant is kept
/// is known one step later.
pub(super) struct MotionRecorder {
    record: MotionRecord,
    tracks: SceneTracks,
    /// Whether each column decides which instants are kept.
    decides: Vec<bool>,
    /// The instant of the last row, if only its poses are in the row.
    last: Option<Instant>,
}

impl MotionRecorder {
    /// Begins a record, or continues one that fits the model.
    pub fn new(start: &AssembledMechanism, saved: Option<MotionRecord>) -> Self {
        let (scene, tracks) = start.model.scene(&start.model.instant_of(&start.initial));
        let fits = |saved: &MotionRecord| {
            saved.width() == tracks.width() && saved.nodes() == tracks.nodes()
        };
        let record = saved.filter(fits).unwrap_or_else(|| MotionRecord::new(&scene, &tracks));
        let decides = (0..tracks.width()).map(|column| record.decides(column)).collect();
        Self { record, tracks, decides, last: None }
    }

    /// The record with all values of its last row.
    pub fn record(&self, model: &Model) -> MotionRecord {
        let Self { record, tracks, decides, last } = self;
        record.with_last(|row| {
            if let Some(at) = last {
                tracks.add_columns(model, at, |column| !decides[column], row);
            }
        })
    }

    /// Takes the instant that the simulation has reached, and some before it if it is far from the last one.
    pub fn take(&mut self, model: &Model, motion: &Simulation<'_>) {
        let Self { record, tracks, decides, .. } = self;
        let now = motion.now();
        let mut row = record.last_row();
        let is_first = record.is_empty();
        let is_wanted = |column: usize| is_first || decides[column];
        tracks.columns_of_row(model, now, Some(motion.scratch()), is_wanted, &mut row);
        let parts = record.parts(&row);
        let (to, from) = (now.t, now.t - motion.last_step_size());
        for k in 1..parts {
            let time = from + (to - from) * k as f64 / parts as f64;
            // without a projection, which would count as work of the run
            let Some(step) = motion.interpolant() else { break };
            let at = step.at(time);
            let mut between = self.record.last_row();
            self.tracks.columns_of_row(model, &at, None, |x| self.decides[x], &mut between);
            self.push(model, time, &between, at);
        }
        self.push(model, to, &row, now.clone());
    }

    fn push(&mut self, model: &Model, time: f64, row: &[f64], at: Instant) {
        let Self { record, tracks, decides, last } = self;
        let is_first = record.is_empty();
        let before = last.take();
        let is_taken = record.push(time, row, |last_row| {
            if let Some(before) = &before {
                tracks.add_columns(model, before, |column| !decides[column], last_row);
            }
        });
        *last = match is_taken {
            true if is_first => None,
            true => Some(at),
            false => before,
        };
    }
}
