//! The size of an estimated error, relative to the tolerance.
//!
//! ```text
//! error = max |eᵢ| / (rtol sᵢ + atolᵢ)
//! ```
//! The scale s of a length is the size of the mechanism, that of an angle one radian; speeds, states and
//! coordinates without a unit are compared with their largest value so far.

use serde::{Deserialize, Serialize};

use super::tolerance::ErrorControl;
use crate::state::Instant;
use crate::system::{Quantity, System};

/// Speeds below this many lengths or radians per second are compared with it.
const SLOW: f64 = 1e-3;
/// States and coordinates without a unit below this are compared with it.
const SMALL_STATE: f64 = 1e-6;
/// The round-off of positions relative to their size.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// The largest values so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MotionScales {
    /// Of coordinates without a unit and of their rates.
    other: [f64; 2],
    speed: f64,
    angular_speed: f64,
    /// Of each first-order state.
    states: Vec<f64>,
    /// Of accelerations by kind.
    #[serde(default)]
    accelerations: [f64; 3],
}

impl MotionScales {
    /// Copies other scales; without allocation if there are as many states.
    pub fn copy_from(&mut self, other: &Self) {
        let Self { other: plain, speed, angular_speed, states, accelerations } = other;
        self.accelerations = *accelerations;
        (self.other, self.speed, self.angular_speed) = (*plain, *speed, *angular_speed);
        self.states.clone_from(states);
    }
}

/// The weighted error of a step, and the coordinate or state where it is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WeightedError {
    /// The error over the tolerance.
    pub size: f64,
    /// The index of the worst component: positions, then velocities, then states.
    pub worst: usize,
}

/// The weights of the error, which depend on the kinds of coordinates.
#[derive(Clone, Debug, Default)]
pub(super) struct ErrorNorm {
    /// Of each velocity.
    quantities: Vec<Quantity>,
    /// Places in q of coordinates without a unit.
    others: Vec<usize>,
    length: f64,
}

impl ErrorNorm {
    pub fn new(system: &dyn System, now: &Instant) -> Self {
        let space = system.space();
        let mut quantities: Vec<Quantity> =
            (0..space.velocities()).map(|i| system.coordinate_quantity(i)).collect();
        for rotation in space.rotations() {
            quantities[rotation.v..rotation.v + 3].fill(Quantity::Angle);
        }
        let of_quantity = |quantity: Quantity| -> Vec<usize> {
            let nodes = space.nodes().iter();
            let places = nodes.flat_map(|node| (0..node.vector).map(|i| (node.q + i, node.v + i)));
            places.filter(|(_, v)| quantities[*v] == quantity).map(|(q, _)| q).collect()
        };
        let length = system.characteristic_length().unwrap_or_else(|| {
            let lengths = of_quantity(Quantity::Length);
            lengths.into_iter().fold(0.0_f64, |most, i| most.max(now.q[i].abs()))
        });
        let length = if length.is_finite() && length > 0.0 { length } else { 1.0 };
        Self { others: of_quantity(Quantity::Other), quantities, length }
    }

    /// Enlarges the scales by the values of an instant.
    pub fn enlarge(&self, at: &Instant, scales: &mut MotionScales) {
        for (v, quantity) in at.v.iter().zip(&self.quantities) {
            let scale = match quantity {
                Quantity::Length => &mut scales.speed,
                Quantity::Angle => &mut scales.angular_speed,
                Quantity::Other => &mut scales.other[1],
            };
            *scale = scale.max(v.abs());
        }
        for (a, quantity) in at.a.iter().zip(&self.quantities) {
            let scale = &mut scales.accelerations[*quantity as usize];
            *scale = scale.max(a.abs());
        }
        for &i in &self.others {
            scales.other[0] = scales.other[0].max(at.q[i].abs());
        }
        scales.states.resize(at.z.len(), 0.0);
        for (scale, z) in scales.states.iter_mut().zip(&at.z) {
            *scale = scale.max(z.abs());
        }
    }

    /// The error over the tolerance, from estimates in q, v and z, one after the other. Values that are not finite give
    /// an infinite error.
    pub fn weighted(
        &self,
        control: &ErrorControl,
        scales: &MotionScales,
        estimate: &[f64],
    ) -> WeightedError {
        let n = self.quantities.len();
        let weights = Weights::new(control, scales, self.length);
        let mut found = WeightedError { size: 0.0, worst: 0 };
        for (i, error) in estimate.iter().enumerate() {
            let weight = match i / n.max(1) {
                0 if n > 0 => weights.positions[self.quantities[i] as usize],
                1 if n > 0 => weights.velocities[self.quantities[i - n] as usize],
                _ => weights.state(scales.states.get(i - 2 * n).copied().unwrap_or(0.0)),
            };
            let size = error.abs() / weight;
            let size = if size.is_nan() { f64::INFINITY } else { size };
            if size > found.size {
                found = WeightedError { size, worst: i };
            }
        }
        found
    }

    /// Errors of accelerations relative to the tolerance and the largest values so far. The round-off of positions, which a
    /// stage with ∂q/∂a = c_q multiplies by 1/c_q, does not count.
    pub fn weighted_accelerations(
        &self,
        control: &ErrorControl,
        scales: &MotionScales,
        errors: &[f64],
        c_q: f64,
    ) -> WeightedError {
        let sizes = [self.length, 1.0, scales.other[0]];
        let slow = [SLOW * self.length, SLOW, SMALL_STATE];
        let weights: [f64; 3] = std::array::from_fn(|kind| {
            let round_off = ROUND_OFF * sizes[kind] / c_q;
            control.relative * (scales.accelerations[kind] + slow[kind]) + round_off
        });
        let mut found = WeightedError { size: 0.0, worst: 0 };
        for (i, (error, quantity)) in errors.iter().zip(&self.quantities).enumerate() {
            let size = error.abs() / weights[*quantity as usize];
            let size = if size.is_nan() { f64::INFINITY } else { size };
            if size > found.size {
                found = WeightedError { size, worst: i };
            }
        }
        found
    }

    /// The inverse of the time in which the motion covers its own size with its velocities and accelerations, in 1/s.
    /// States that are zero have no size yet.
    pub fn initial_rate(&self, at: &Instant) -> f64 {
        let size = |i: usize| match self.quantities[i] {
            Quantity::Length => self.length,
            Quantity::Angle => 1.0,
            Quantity::Other => {
                let largest = self.others.iter().fold(0.0_f64, |most, k| most.max(at.q[*k].abs()));
                if largest > 0.0 { largest } else { 1.0 }
            }
        };
        let motion = (0..at.v.len())
            .map(|i| (at.v[i].abs() / size(i)).max((at.a[i].abs() / size(i)).sqrt()));
        let has_size = |(z, _): &(&f64, &f64)| **z != 0.0;
        let states = at.z.iter().zip(&at.rates).filter(has_size).map(|(z, rate)| (rate / z).abs());
        motion.chain(states).filter(|rate| rate.is_finite()).fold(0.0, f64::max)
    }

    /// The smallest ratio of a velocity to a position that both tolerances allow, in 1/s.
    pub fn rate(&self, control: &ErrorControl, scales: &MotionScales) -> f64 {
        let weights = Weights::new(control, scales, self.length);
        let used = |kind: Quantity| self.quantities.contains(&kind);
        [Quantity::Length, Quantity::Angle, Quantity::Other]
            .into_iter()
            .filter(|kind| used(*kind))
            .map(|kind| weights.velocities[kind as usize] / weights.positions[kind as usize])
            .fold(f64::INFINITY, f64::min)
    }
}

/// The allowed errors by kind of quantity.
struct Weights {
    positions: [f64; 3],
    velocities: [f64; 3],
    relative: f64,
    absolute_state: f64,
}

impl Weights {
    fn new(control: &ErrorControl, scales: &MotionScales, length: f64) -> Self {
        let ErrorControl { relative, absolute, .. } = *control;
        let weight = |scale: f64, absolute: Option<f64>, floor: f64| {
            relative * scale + absolute.unwrap_or(relative * floor)
        };
        Self {
            positions: [
                weight(length, absolute.length, 0.0),
                weight(1.0, absolute.angle, 0.0),
                weight(scales.other[0], absolute.state, SMALL_STATE),
            ],
            velocities: [
                weight(scales.speed, absolute.speed, SLOW * length),
                weight(scales.angular_speed, absolute.angular_speed, SLOW),
                weight(scales.other[1], absolute.state, SMALL_STATE),
            ],
            relative,
            absolute_state: absolute.state.unwrap_or(relative * SMALL_STATE),
        }
    }

    fn state(&self, scale: f64) -> f64 {
        self.relative * scale + self.absolute_state
    }
}
