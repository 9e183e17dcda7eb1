//! The norm of a correction: one definition for stages and projections.

use super::newton::{Correction, ROUND_OFF};
use crate::system::Space;

/// Velocities are solved to this many times the tolerance, relative to the fastest one.
const VELOCITY: f64 = 100.0;
/// The same factor for velocities that are separate unknowns, which converge more slowly.
const HELD: f64 = 10.0;

/// Round-off of the evaluation of a system and of differences, in units of ε.
const AMPLIFIED: f64 = 16.0;

/// The largest sizes in a problem so far; they only grow while it is solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorrectionNorm {
    pub tolerance: f64,
    velocity: f64,
    /// Whether round-off of positions, over c_q, enters the unknowns, as with position constraints.
    is_amplified: bool,
    /// The largest plain coordinate or increment.
    size: f64,
    /// The fastest plain coordinate, and the fastest rotation.
    speed: f64,
    turn: f64,
}

/// The largest values of a correction y and of the motion that it leads to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MotionSizes {
    /// The largest correction of plain coordinates and of rotations.
    pub plain: f64,
    pub turned: f64,
    /// The largest plain coordinate of the reference or increment.
    pub size: f64,
    /// The fastest plain coordinate, and the fastest rotation.
    pub speed: f64,
    pub turn: f64,
    /// The square of the longest chart vector.
    pub angle_square: f64,
    /// Whether all values are finite.
    pub is_finite: bool,
}

/// A correction of positions, and of velocities by `c_v/c_q` of another, at the corrected motion.
pub(super) struct CorrectedMotion<'a> {
    /// The configuration to which increments are added.
    pub reference: &'a [f64],
    /// The increments after the correction.
    pub increments: &'a [f64],
    /// The velocities after the correction; empty if they are not solved for.
    pub velocities: &'a [f64],
    /// The correction of increments over c_q, and of velocities over c_v.
    pub y: &'a [f64],
    pub x: &'a [f64],
    pub c_q: f64,
    pub c_v: f64,
}

impl CorrectionNorm {
    pub fn new(tolerance: f64, holds_velocities: bool, is_amplified: bool) -> Self {
        let velocity = if holds_velocities { HELD } else { VELOCITY };
        Self { tolerance, velocity, is_amplified, size: 0.0, speed: 0.0, turn: 0.0 }
    }

    /// The size of a correction over the tolerance. Lengths below one are measured relatively, above
    /// absolutely, but never below their round-off; rotations in radians; velocities
    /// relatively, but never below the round-off of positions over the step.
    pub fn correction(&mut self, space: &Space, of: &CorrectedMotion<'_>) -> Correction {
        let (mut plain, mut turned, mut faster, mut spun) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        // velocities that are not separate unknowns have the correction of positions
        let is_shared = std::ptr::eq(of.y, of.x);
        let has_velocities = !of.velocities.is_empty();
        for node in space.nodes() {
            let (at, q) = (node.v..node.v + node.vector, node.q..node.q + node.vector);
            enlarge(&mut plain, &of.y[at.clone()]);
            enlarge(&mut self.size, &of.reference[q]);
            enlarge(&mut self.size, &of.increments[at.clone()]);
            if !is_shared {
                enlarge(&mut faster, &of.x[at.clone()]);
            }
            if has_velocities {
                enlarge(&mut self.speed, &of.velocities[at]);
            }
        }
        for rotation in space.rotations() {
            let at = rotation.v..rotation.v + 3;
            enlarge(&mut turned, &of.y[at.clone()]);
            if !is_shared {
                enlarge(&mut spun, &of.x[at.clone()]);
            }
            if has_velocities {
                enlarge(&mut self.turn, &of.velocities[at]);
            }
        }
        if is_shared {
            (faster, spun) = (plain, turned);
        }
        self.judge([plain, turned], [faster, spun], [of.c_q, of.c_v])
    }

    /// The size of a correction whose velocities have the correction of positions.
    pub fn shared_correction(&mut self, sizes: &MotionSizes, factors: [f64; 2]) -> Correction {
        enlarge(&mut self.size, &[sizes.size]);
        enlarge(&mut self.speed, &[sizes.speed]);
        enlarge(&mut self.turn, &[sizes.turn]);
        let largest = [sizes.plain, sizes.turned];
        self.judge(largest, largest, factors)
    }

    /// The size of a correction from its largest values, of plain coordinates and of rotations: y, x, and their factors
    /// c_q and c_v.
    fn judge(
        &mut self,
        [mut plain, mut turned]: [f64; 2],
        [mut faster, mut spun]: [f64; 2],
        [c_q, c_v]: [f64; 2],
    ) -> Correction {
        (plain, turned) = (c_q.abs() * plain, c_q.abs() * turned);
        (faster, spun) = (c_v.abs() * faster, c_v.abs() * spun);
        // sizes before the correction still determine the round-off
        enlarge(&mut self.size, &[plain]);
        enlarge(&mut self.speed, &[faster]);
        enlarge(&mut self.turn, &[spun]);

        let unit = self.size.min(1.0).max(ROUND_OFF / self.tolerance * self.size);
        let floor = ROUND_OFF * self.size.max(1.0);
        let rate_floor = if c_q > 0.0 { floor * c_v / c_q } else { 0.0 };
        // without position constraints velocities are as exact as the forces
        let floor_of = |fastest: f64| match self.is_amplified {
            true => rate_floor,
            false => ROUND_OFF * fastest,
        };
        let rate = |change: f64, fastest: f64| match change > floor_of(fastest) {
            true => change / (self.velocity * fastest),
            false => 0.0,
        };
        let position = relative(plain, unit).max(turned);
        let size = position.max(rate(faster, self.speed)).max(rate(spun, self.turn));
        Correction {
            size: size / self.tolerance,
            position: position / self.tolerance,
            blur: ROUND_OFF * self.size.max(1.0),
            round_off: ROUND_OFF / self.tolerance * relative(self.size, unit).max(1.0),
            is_round_off: plain.max(turned) <= AMPLIFIED * floor
                && faster.max(spun) <= AMPLIFIED * rate_floor,
        }
    }
}

/// Enlarges a number to the largest magnitude of others. NaN does not occur here: corrected unknowns are checked before.
#[inline(always)]
fn enlarge(largest: &mut f64, values: &[f64]) {
    // most blocks have three coordinates
    match values {
        [x, y, z] => {
            let pair = if x.abs() > y.abs() { x.abs() } else { y.abs() };
            let all = if z.abs() > pair { z.abs() } else { pair };
            *largest = if all > *largest { all } else { *largest };
        }
        _ => {
            for x in values {
                *largest = if x.abs() > *largest { x.abs() } else { *largest };
            }
        }
    }
}

/// size/scale; zero if both are zero.
pub(super) fn relative(size: f64, scale: f64) -> f64 {
    if size == 0.0 { 0.0 } else { size / scale }
}
