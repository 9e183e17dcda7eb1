//! Records the motion of a run, step by step.

use super::motion::MotionRecord;
use crate::model::{AssembledMechanism, Model, SceneTracks};
use cardan_core::simulation::Simulation;

/// The motion so far, and the channels it is read from.
pub(super) struct MotionRecorder {
    pub record: MotionRecord,
    tracks: SceneTracks,
}

impl MotionRecorder {
    /// Begins a record, or continues one that fits the model.
    pub fn new(start: &AssembledMechanism, saved: Option<MotionRecord>) -> Self {
        let (scene, tracks) = start.model.scene(&start.model.instant_of(&start.initial));
        let fits = |saved: &MotionRecord| {
            saved.width() == tracks.width() && saved.nodes() == tracks.nodes()
        };
        let record = saved.filter(fits).unwrap_or_else(|| MotionRecord::new(&scene, &tracks));
        Self { record, tracks }
    }

    /// Takes the instant that the simulation has reached, and some before it if it is far from the last one.
    pub fn take(&mut self, model: &Model, motion: &Simulation<'_>) {
        let now = motion.now();
        let mut row = self.record.last_row();
        self.tracks.row(model, now, Some(motion.scratch()), &mut row);
        let parts = self.record.parts(&row);
        let (to, from) = (now.t, now.t - motion.last_step_size());
        for k in 1..parts {
            let time = from + (to - from) * k as f64 / parts as f64;
            // without a projection, which would count as work of the run
            let Some(step) = motion.interpolant() else { break };
            let mut between = self.record.last_row();
            self.tracks.row(model, &step.at(time), None, &mut between);
            self.record.push(time, &between);
        }
        self.record.push(to, &row);
    }
}
