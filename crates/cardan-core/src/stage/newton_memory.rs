//! What Newton's iteration remembers from step to step: where the kept matrix was formed, and how well it serves.

use serde::{Deserialize, Serialize};

use super::TermCoefficients;
use crate::state::Instant;
use crate::system::SystemSizes;

/// A rate is taken to be larger than measured by this factor.
const RATE_MARGIN: f64 = 2.0;
/// No rate is taken to be smaller: a part of the error that is hidden by a larger one may shrink more slowly.
pub(super) const MIN_RATE: f64 = 1e-2;
/// The rate is measured again after this many stages: a motion that accelerates makes a matrix old sooner.
const MEASURE_EVERY: u32 = 8;
/// One correction suffices only if the residual is at most this many times that of the last stage.
const USUAL_RESIDUAL: f64 = 4.0;
/// Range of the measured curvature.
const CURVATURES: [f64; 2] = [1e-3, 20.0];
/// Largest number of stages without a kept matrix after it was given up.
const MAX_PAUSE: u32 = 64;
/// A matrix that was kept for this many stages was worth it.
const HEALTHY_AGE: u32 = 8;

/// The kept matrix of a stage: where it was formed, and how well it serves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NewtonMemory {
    /// The number of matrices formed so far.
    pub serial: u64,
    /// The instant at which the matrix was formed, and its coefficients; `None` if there is none.
    pub point: Instant,
    pub coefficients: Option<TermCoefficients>,
    /// Stages and corrections since then.
    pub age: u32,
    pub corrections: u32,
    /// Corrections that the last stage needed.
    pub needed: u32,
    /// The rate of convergence over the age, as measured last with any matrix; zero if it was not.
    pub rate: f64,
    /// The age at which the rate was measured, and the stages since then.
    pub rate_age: u32,
    #[serde(default)]
    pub since_rate: u32,
    /// The residual of the last stage before its first correction.
    pub residual: f64,
    /// The number of stages before a matrix is kept again, and the number after the next failure.
    pub pause: u32,
    pub next_pause: u32,
    /// Corrections of the last stage without a kept matrix.
    pub plain: u32,
    /// Measured last with a matrix formed in a stage: a correction δ is followed by one of this times δ²; zero if it was not.
    #[serde(default)]
    pub curvature: f64,
    /// Stages since then.
    #[serde(default)]
    pub since_curvature: u32,
}

impl NewtonMemory {
    /// A memory without a matrix, with storage for instants of this size.
    pub fn new(now: &Instant) -> Self {
        Self { point: now.clone(), ..Self::default() }
    }

    /// Copies another memory; without allocation if the sizes are the same.
    pub fn copy_from(&mut self, other: &Self) {
        if self.serial != other.serial || other.coefficients.is_none() {
            self.point.copy_from(&other.point);
        }
        let point = std::mem::take(&mut self.point);
        *self = Self { point, ..*other };
    }

    /// Whether the kept matrix, if there is one, is that of a system of these sizes.
    pub fn fits(&self, sizes: &SystemSizes) -> bool {
        let Instant { q, v, a, multipliers, z, rates, .. } = &self.point;
        let lengths = [q, v, a, multipliers, z, rates].map(Vec::len);
        let SystemSizes { q, v, z, constraints, .. } = *sizes;
        self.coefficients.is_none() || lengths == [q, v, v, constraints, z, z]
    }

    /// Whether a new matrix costs less in the long run: the last stage cost at least as much as the average since the
    /// matrix was formed, its formation included. `ratio` is the cost of a new matrix in corrections.
    pub fn is_due(&self, ratio: f64) -> bool {
        let average = (ratio + f64::from(self.corrections)) / f64::from(self.age.max(1));
        self.age > 0 && f64::from(self.needed) >= average
    }

    /// Whether stages with their own matrices cost less than those with a kept one.
    pub fn is_unprofitable(&self, ratio: f64) -> bool {
        let average = (ratio + f64::from(self.corrections)) / f64::from(self.age.max(1));
        // two, if it is not known
        let plain = if self.plain == 0 { 2 } else { self.plain };
        average > ratio + f64::from(plain)
    }

    /// The rate that is expected at the present age; `None` if it must be measured. It grows in proportion to the age, with
    /// any matrix, and was measured at half of the present age at least.
    pub fn expected_rate(&self) -> Option<f64> {
        let is_recent = self.age < 2 * self.rate_age && self.since_rate <= MEASURE_EVERY;
        is_recent.then_some(self.estimated_rate())
    }

    pub fn estimated_rate(&self) -> f64 {
        (RATE_MARGIN * f64::from(self.age + 1) * self.rate).max(MIN_RATE)
    }

    /// Takes a measured rate. One that round-off determines is an upper bound.
    pub fn measure(&mut self, rate: f64, is_bound: bool) {
        (self.rate_age, self.since_rate) = (self.age + 1, 0);
        let rate = rate / f64::from(self.rate_age);
        self.rate = if is_bound && self.rate > 0.0 { rate.min(self.rate) } else { rate };
    }

    /// Takes a measured curvature. One that round-off determines is an upper bound.
    pub fn measure_curvature(&mut self, curvature: f64, is_bound: bool) {
        self.since_curvature = 0;
        let [least, most] = CURVATURES;
        let curvature = curvature.clamp(least, most);
        let known = self.curvature;
        self.curvature = if is_bound && known > 0.0 { curvature.min(known) } else { curvature };
    }

    /// Whether the curvature was measured not long ago, and was not too large to be known.
    pub fn has_recent_curvature(&self) -> bool {
        self.curvature > 0.0
            && self.curvature < CURVATURES[1]
            && self.since_curvature <= MEASURE_EVERY
    }

    /// Takes the residual of a stage before its first correction; returns whether it is not much larger than that of the
    /// last stage.
    pub fn compare_residual(&mut self, residual: f64) -> bool {
        let is_usual = residual <= USUAL_RESIDUAL * self.residual;
        self.residual = residual;
        is_usual
    }

    /// Counts a stage.
    pub fn begin_stage(&mut self) {
        self.since_rate = self.since_rate.saturating_add(1);
        self.since_curvature = self.since_curvature.saturating_add(1);
    }

    pub fn begin(&mut self, now: &Instant, coefficients: TermCoefficients) {
        self.serial += 1;
        self.point.copy_from(now);
        self.coefficients = Some(coefficients);
        (self.age, self.corrections, self.needed) = (0, 0, 0);
    }

    pub fn give_up(&mut self) {
        if self.age >= HEALTHY_AGE {
            self.next_pause = 1;
        }
        self.coefficients = None;
        // the stage is not like those before it: its own convergence is measured
        self.since_curvature = u32::MAX;
        self.pause = self.next_pause.max(1);
        self.next_pause = (2 * self.pause).min(MAX_PAUSE);
    }
}
