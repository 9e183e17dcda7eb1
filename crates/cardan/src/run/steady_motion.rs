//! Steps that the motion record need not look at, because velocities have hardly changed.
//!
//! If no velocity differs by more than δ from that at the last instant that was looked at, a time Δt ago, the motion is within
//! δ Δt / 2 of the line between both instants.

use super::motion::MOTION_ACCURACY;
use crate::model::Model;
use cardan_core::system::{Quantity, System};

/// δ Δt is below this part of the accuracy of positions, or of rotations.
const SKIPPED_SHARE: f64 = 0.1;
/// The accuracy of rotations in rad.
const ROTATION_ACCURACY: f64 = 0.5 * MOTION_ACCURACY;
/// In Δt nothing moves by more than this part of the model's size, or turns by more radians: points off the centre of a body
/// move along arcs.
const MAX_TRAVEL: f64 = 0.02;

/// Limits of the velocities of a model.
pub(super) struct SteadyMotion {
    /// For each velocity the largest change of it times Δt, and the largest value of it times Δt.
    limits: Vec<[f64; 2]>,
}

impl SteadyMotion {
    /// The limits for a model of a size; `None` if it has velocities of other kinds than those of bodies.
    pub fn new(model: &Model, size: f64) -> Option<Self> {
        let limits = (0..model.space().velocities()).map(|i| match model.coordinate_quantity(i) {
            Quantity::Length => Some([SKIPPED_SHARE * MOTION_ACCURACY * size, MAX_TRAVEL * size]),
            Quantity::Angle => Some([SKIPPED_SHARE * ROTATION_ACCURACY, MAX_TRAVEL]),
            Quantity::Other => None,
        });
        limits.collect::<Option<_>>().map(|limits| Self { limits })
    }

    /// Whether velocities are so near to those a time before that nothing need be looked at.
    pub fn holds(&self, before: &[f64], now: &[f64], passed: f64) -> bool {
        if before.len() != now.len() || now.len() != self.limits.len() {
            return false;
        }
        let pairs = self.limits.iter().zip(before.iter().zip(now));
        let is_outside = |([change, value], (before, now)): (&[f64; 2], (&f64, &f64))| {
            ((now - before).abs() * passed > *change) | (now.abs() * passed > *value)
        };
        // a sum over all of them is faster than a search for the first
        !pairs.map(is_outside).fold(false, |any, one| any | one)
    }
}
