//! The step-size controller: a digital filter of the errors of the last two steps.
//!
//! ```text
//! h₊ = h (θ/e)^(1/bk) (θ/e₋)^(1/bk) (h/h₋)^(−1/b),   b = 4          (H211b, Söderlind 2003)
//! ```
//! and no more than the step that continues the trend of the last two errors (Gustafsson 1994):
//!
//! ```text
//! h₊ = h (θ/e)^(1/k) (e₋/e)^(1/k) (h/h₋)
//! ```
//! e is the error over the tolerance and O(hᵏ). The result is limited smoothly. A local error of order h^(p+1) adds up to
//! a global error of order hᵖ; the local error is therefore compared with tol^(k/p), so that the global error is
//! proportional to the tolerance.

use serde::{Deserialize, Serialize};

use super::error_norm::MotionScales;

/// The error at which the controller aims, relative to the largest that is accepted: steps may become a third too long
/// between one step and the next before one is rejected.
pub(super) const AIM: f64 = 0.2;
/// b of the filter.
const FILTER: f64 = 4.0;
/// The range of the ratio of two steps.
const RATIOS: [f64; 2] = [0.2, 2.0];
/// The largest ratio while a motion begins, where the first step was chosen too small on purpose.
const MAX_FIRST_RATIO: f64 = 5.0;
/// Steps that may grow so fast.
const FIRST_STEPS: u32 = 6;
/// A step that could not be computed is shortened to this fraction.
const AFTER_FAILURE: f64 = 0.25;
/// After a rejection the step is at most this fraction of the rejected one.
const AFTER_REJECTION: f64 = 0.9;
/// Ratios in this range leave the step as it is: a matrix can then be kept.
const UNCHANGED: [f64; 2] = [0.95, 1.1];

/// Rejections within so many steps after the step could grow again are near to each other.
const SOON: u32 = 8;
/// The largest number of steps that may not grow after a rejection.
const MAX_WAITING: u32 = 32;

/// The weight of a step in the mean of multipliers.
const MULTIPLIER_WEIGHT: f64 = 0.01;

/// The memory of the controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ControllerMemory {
    /// The size of the next step; zero before the first.
    pub next_step: f64,
    /// The error of the last step and the ratio of the last two steps, if it was accepted at its full size.
    last: Option<[f64; 2]>,
    /// Steps since the beginning.
    age: u32,
    /// Whether the last attempt failed or was rejected.
    has_failed: bool,
    /// Steps since the last rejection, and steps after it that may not grow.
    #[serde(default)]
    calm: [u32; 2],
    /// The error of accelerations by stiff dampers over h², over the tolerance; it decays.
    #[serde(default)]
    pub force_coefficient: f64,
    /// The largest values so far.
    pub scales: MotionScales,
    /// A mean of the largest multiplier over the last hundred steps or so.
    #[serde(default)]
    pub usual_multiplier: f64,
}

impl ControllerMemory {
    /// Begins again after a discontinuity, with a first step.
    pub fn restart(&mut self, first_step: f64) {
        (self.next_step, self.last, self.age, self.has_failed) = (first_step, None, 0, false);
        (self.calm, self.force_coefficient) = ([0; 2], 0.0);
    }

    /// Takes the error of an accepted step of size h, which is O(hᵏ); returns the next step.
    pub fn accept(&mut self, h: f64, error: f64, k: f64) {
        let error = error.max(1e-10) / AIM;
        let [before, ratio] = self.last.unwrap_or([error, 1.0]);
        let filtered = (error * before).powf(-1.0 / (FILTER * k)) * ratio.powf(-1.0 / FILTER);
        let predicted = (error * error / before).powf(-1.0 / k) * ratio;
        let filtered = filtered.min(predicted);
        let is_first = self.age < FIRST_STEPS;
        let [least, most] = RATIOS;
        let raw = match is_first {
            // the errors of the first steps differ too much for a filter
            true => error.powf(-1.0 / k).min(MAX_FIRST_RATIO),
            false => 1.0 + ((filtered - 1.0) / 1.0).atan(),
        };
        let mut ratio = raw.clamp(least, if is_first { MAX_FIRST_RATIO } else { most });
        let [since, waiting] = &mut self.calm;
        *since = since.saturating_add(1);
        if self.has_failed || *since <= *waiting {
            ratio = ratio.min(1.0);
        }
        if (UNCHANGED[0]..UNCHANGED[1]).contains(&ratio) {
            ratio = 1.0;
        }
        self.last = Some([error, ratio]);
        self.age = self.age.saturating_add(1);
        self.has_failed = false;
        self.next_step = h * ratio;
    }

    /// Takes the largest multiplier of an accepted step.
    pub fn note_multiplier(&mut self, largest: f64) {
        let is_first = self.usual_multiplier == 0.0;
        let weight = if is_first { 1.0 } else { MULTIPLIER_WEIGHT };
        self.usual_multiplier += weight * (largest - self.usual_multiplier);
    }

    /// The step after one of size h whose error is too large.
    pub fn reject(&mut self, h: f64, error: f64, k: f64) {
        let ratio = (error / AIM).powf(-1.0 / k);
        let ratio = if self.has_failed { ratio.min(0.5) } else { ratio };
        self.next_step = h * ratio.clamp(0.1, AFTER_REJECTION);
        (self.has_failed, self.last) = (true, None);
        self.wait_longer();
    }

    /// Rejections that follow each other soon show a limit of the step, of stability for example, at which the controller
    /// would oscillate: after each of them the step stays as it is for longer.
    fn wait_longer(&mut self) {
        let [since, waiting] = self.calm;
        self.calm = match since {
            // another attempt at the same step
            0 => [0, waiting],
            _ if since <= waiting + SOON => [0, (2 * waiting).clamp(1, MAX_WAITING)],
            _ => [0, 0],
        };
    }

    /// The step after one of size h that could not be computed.
    pub fn fail(&mut self, h: f64) {
        self.next_step = AFTER_FAILURE * h;
        (self.has_failed, self.last) = (true, None);
    }
}

/// Steps under error control so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepCounts {
    /// Accepted steps.
    pub accepted: u64,
    /// Steps rejected because their error was too large.
    pub rejected: u64,
    /// Steps that could not be computed: Newton, a rotation, or an evaluation failed.
    pub failed: u64,
    /// Steps of a fixed size that were replaced by shorter ones because they could not be computed.
    pub rescued: u64,
    /// Jumps in time on which a step ended.
    pub landed: u64,
}
