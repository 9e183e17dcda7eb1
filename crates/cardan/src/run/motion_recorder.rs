//! Records the motion of a run, step by step.

use super::motion::MotionRecord;
use super::steady_motion::SteadyMotion;
use crate::model::{AssembledMechanism, Model, NODE_WIDTH, SceneTracks};
use cardan_core::simulation::Simulation;
use cardan_core::state::Instant;
use cardan_core::system::Scratch;

/// The motion so far, and the channels it is read from.
///
/// Poses decide which instants are kept; they are compared in steps in which velocities have changed. Forces, sections and
/// reactions are computed for kept instants alone: that an instant is kept is known one comparison later.
pub(super) struct MotionRecorder {
    record: MotionRecord,
    tracks: SceneTracks,
    steady: Option<SteadyMotion>,
    /// Whether each column decides which instants are kept: poses, and displacements of structures.
    decides: Vec<bool>,
    has_displacements: bool,
    /// The instant of the last row.
    last: Instant,
    /// Whether the last row has only the columns that decide.
    is_partial: bool,
    /// The row that is taken.
    row: Vec<f64>,
}

impl MotionRecorder {
    /// Begins a record, or continues one that fits the model.
    pub fn new(start: &AssembledMechanism, saved: Option<MotionRecord>) -> Self {
        let (scene, tracks) = start.model.scene(&start.model.instant_of(&start.initial));
        let fits = |saved: &MotionRecord| {
            saved.width() == tracks.width() && saved.nodes() == tracks.nodes()
        };
        let record = saved.filter(fits).unwrap_or_else(|| MotionRecord::new(&scene, &tracks));
        let is_pose = |column: usize| column < NODE_WIDTH * tracks.nodes();
        let decides = |column: usize| is_pose(column) || record.is_displacement(column);
        let decides: Vec<bool> = (0..tracks.width()).map(decides).collect();
        let v = record.velocities().to_vec();
        Self {
            steady: SteadyMotion::new(&start.model, scene.size),
            has_displacements: record.has_displacements(),
            decides,
            last: Instant { t: record.last_time(), v, ..Instant::default() },
            is_partial: false,
            row: Vec::new(),
            record,
            tracks,
        }
    }

    /// The record so far, with all values of its last row.
    pub fn record(&self, model: &Model) -> MotionRecord {
        self.with_last_row(model, self.record.clone())
    }

    fn with_last_row(&self, model: &Model, record: MotionRecord) -> MotionRecord {
        let complete = |row: &mut [f64]| {
            if self.is_partial {
                let Self { tracks, last, decides, .. } = self;
                tracks.add_columns(model, last, None, |column| !decides[column], row);
            }
        };
        record.with_last(complete, self.last.v.clone())
    }

    /// The complete record of a run that ends at an instant.
    pub fn completed(mut self, model: &Model, end: Option<&Instant>) -> MotionRecord {
        if let Some(end) = end.filter(|end| end.t > self.record.last_time()) {
            self.push_instant(model, end, None);
        }
        let record = std::mem::take(&mut self.record);
        self.with_last_row(model, record).completed()
    }

    /// Takes the instant that the simulation has reached, and some before it if it is far from the last one.
    pub fn take(&mut self, model: &Model, motion: &Simulation<'_>) {
        let (now, scratch) = (motion.now(), Some(motion.scratch()));
        if self.record.is_empty() {
            let mut row = Vec::new();
            self.tracks.row(model, now, scratch, &mut row);
            self.record.push(now.t, &row, |_| {});
            self.last.copy_from(now);
            return;
        }
        let is_steady =
            |steady: &SteadyMotion| steady.holds(&self.last.v, &now.v, now.t - self.last.t);
        if self.steady.as_ref().is_some_and(is_steady) {
            return;
        }
        let mut row = std::mem::take(&mut self.row);
        self.write_deciding(model, now, scratch, &mut row);
        let parts = self.record.parts(&row);
        let (to, from) = (now.t, now.t - motion.last_step_size());
        for k in 1..parts {
            let time = from + (to - from) * k as f64 / parts as f64;
            // without a projection, which would count as work of the run
            let Some(step) = motion.interpolant() else { break };
            self.push_instant(model, &step.at(time), None);
        }
        if parts > 1 {
            // signs are those nearest to the row before
            self.write_deciding(model, now, scratch, &mut row);
        }
        self.push(model, now, &row, scratch);
        self.row = row;
    }

    /// Writes the columns of a row that decide: poses, and displacements of structures.
    fn write_deciding(
        &self,
        model: &Model,
        at: &Instant,
        scratch: Option<&Scratch>,
        row: &mut Vec<f64>,
    ) {
        row.resize(self.tracks.width(), 0.0);
        self.tracks.write_poses(model, at, scratch, self.record.last_row(), row);
        if self.has_displacements {
            let is_displacement = |column: usize| self.record.is_displacement(column);
            self.tracks.add_columns(model, at, scratch, is_displacement, row);
        }
    }

    fn push_instant(&mut self, model: &Model, at: &Instant, scratch: Option<&Scratch>) {
        let mut row = Vec::new();
        self.write_deciding(model, at, scratch, &mut row);
        self.push(model, at, &row, scratch);
    }

    fn push(&mut self, model: &Model, at: &Instant, row: &[f64], scratch: Option<&Scratch>) {
        let Self { record, tracks, last, is_partial, decides, .. } = self;
        let is_taken = record.push(at.t, row, |last_row| {
            if *is_partial {
                tracks.add_columns(model, last, scratch, |column| !decides[column], last_row);
            }
        });
        if is_taken {
            last.copy_from(at);
            *is_partial = true;
        }
    }
}
