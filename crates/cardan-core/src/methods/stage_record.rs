//! The record of a solved stage for later stages of the same step.

use crate::stage::Stage;
use crate::state::Instant;
use crate::system::SystemSizes;

/// The values of a solved stage, for later stages of the same step.
#[derive(Clone, Debug, Default)]
pub struct StageRecord {
    /// Chart vector g.
    pub g: Vec<f64>,
    /// Its rate ġ.
    pub rate: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Acceleration.
    pub a: Vec<f64>,
    /// First-order states.
    pub z: Vec<f64>,
    /// Their rates.
    pub rates: Vec<f64>,
    /// Multipliers.
    pub multipliers: Vec<f64>,
}

impl StageRecord {
    /// A record for a system of these sizes.
    pub(crate) fn new(sizes: SystemSizes) -> Self {
        let zeros = |n| vec![0.0; n];
        Self {
            g: zeros(sizes.v),
            rate: zeros(sizes.v),
            v: zeros(sizes.v),
            a: zeros(sizes.v),
            z: zeros(sizes.z),
            rates: zeros(sizes.z),
            multipliers: zeros(sizes.constraints),
        }
    }

    /// Writes the start of a step, in the chart centred there.
    pub fn begin(&mut self, now: &Instant) {
        self.g.fill(0.0);
        self.rate.copy_from_slice(&now.v);
        self.v.copy_from_slice(&now.v);
        self.a.copy_from_slice(&now.a);
        self.z.copy_from_slice(&now.z);
        self.rates.copy_from_slice(&now.rates);
        self.multipliers.copy_from_slice(&now.multipliers);
    }

    /// Writes the stage that has just been solved.
    pub fn keep(&mut self, stage: &Stage) {
        stage.chart_motion(&mut self.g, &mut self.rate);
        self.v.copy_from_slice(&stage.v);
        self.a.copy_from_slice(&stage.a);
        self.z.copy_from_slice(&stage.z);
        self.rates.copy_from_slice(&stage.unknowns().rates);
        self.multipliers.copy_from_slice(&stage.unknowns().multipliers);
    }
}
