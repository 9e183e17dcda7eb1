//! The size of an estimated error, relative to the tolerance.
//!
//! ```text
//! error = max |eᵢ| / (rtol sᵢ + atolᵢ)
//! ```
//! The scale s of a length is the size of the mechanism, that of an angle one radian; speeds, states and
//! coordinates without a unit are compared with their largest value so far.
//!
//! A mechanism without arms has no size of its own, and its distance from the origin means nothing: an oscillator that
//! moves by 1 mm may be 1000 m away. Lengths are then compared with the largest displacement so far, but with no more than that
//! distance, and no less than a millionth of it. If nothing moves, only angles do, it is the distance.

use serde::{Deserialize, Serialize};

use super::tolerance::ErrorControl;
use crate::state::Instant;
use crate::system::{Quantity, System};

/// Speeds below this many lengths or radians per second are compared with it.
const SLOW: f64 = 1e-3;
/// States and coordinates without a unit below this are compared with it.
const SMALL_STATE: f64 = 1e-6;
/// The smallest scale of lengths over the distance from the origin.
const SMALL_DISPLACEMENT: f64 = 1e-6;
/// Displacements below this, over the distance from the origin, are none.
const NO_DISPLACEMENT: f64 = 1e-12;
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
    /// If the system has no characteristic length: lengths at the start of the motion, the distance from the origin there, and
    /// the largest displacement. They are empty otherwise, and in states of earlier versions until the next step.
    #[serde(default)]
    start: Vec<f64>,
    #[serde(default)]
    distance: f64,
    #[serde(default)]
    displacement: f64,
}

impl MotionScales {
    /// Copies other scales; without allocation if there are as many states.
    pub fn copy_from(&mut self, other: &Self) {
        let Self {
            other: plain,
            speed,
            angular_speed,
            states,
            accelerations,
            start,
            distance,
            displacement,
        } = other;
        self.accelerations = *accelerations;
        self.start.clone_from(start);
        (self.distance, self.displacement) = (*distance, *displacement);
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
    /// The characteristic length; one if the system has none.
    length: f64,
    /// Places in q of lengths, if the system has no characteristic length.
    lengths: Vec<usize>,
}

impl ErrorNorm {
    pub fn new(system: &dyn System) -> Self {
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
        let known = system.characteristic_length();
        let lengths = match known {
            Some(_) => Vec::new(),
            None => of_quantity(Quantity::Length),
        };
        let length = known.map_or(1.0, positive_or_one);
        Self { others: of_quantity(Quantity::Other), quantities, length, lengths }
    }

    /// The size of the mechanism: the characteristic length, or the distance from the origin at the start.
    fn size(&self, scales: &MotionScales) -> f64 {
        if scales.start.is_empty() { self.length } else { scales.distance }
    }

    /// The scale of errors of lengths over the size of the mechanism: one if the size is a characteristic length.
    pub fn extent(&self, scales: &MotionScales) -> f64 {
        let moved = scales.displacement / scales.distance;
        match scales.start.is_empty() || moved <= NO_DISPLACEMENT {
            true => 1.0,
            false => moved.clamp(SMALL_DISPLACEMENT, 1.0),
        }
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
        if scales.start.len() != self.lengths.len() {
            scales.start.clear();
            scales.start.extend(self.lengths.iter().map(|i| at.q[*i]));
            scales.distance = positive_or_one(largest_of(&at.q, &self.lengths));
        }
        for (i, start) in self.lengths.iter().zip(&scales.start) {
            scales.displacement = scales.displacement.max((at.q[*i] - start).abs());
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
        let weights = Weights::new(control, scales, self);
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

    /// The errors of accelerations that follow from the tolerance and the largest values so far, by kind.
    pub fn allowed_accelerations(&self, control: &ErrorControl, scales: &MotionScales) -> [f64; 3] {
        let slow = [SLOW * self.size(scales), SLOW, SMALL_STATE];
        std::array::from_fn(|kind| control.relative * (scales.accelerations[kind] + slow[kind]))
    }

    /// Errors of accelerations over those that are allowed by kind. The round-off of positions, which a stage with
    /// ∂q/∂a = c_q multiplies by 1/c_q, does not count.
    pub fn weighted_accelerations(
        &self,
        allowed: [f64; 3],
        scales: &MotionScales,
        errors: &[f64],
        c_q: f64,
    ) -> WeightedError {
        let sizes = [self.size(scales), 1.0, scales.other[0]];
        let weights: [f64; 3] =
            std::array::from_fn(|kind| allowed[kind] + ROUND_OFF * sizes[kind] / c_q);
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
    pub fn initial_rate(&self, at: &Instant, scales: &MotionScales) -> f64 {
        // a motion that begins has no displacement yet: a step that is too long would pass over vibrations without an error
        let length = match scales.start.is_empty() {
            true => self.length,
            false => {
                scales.displacement.clamp(SMALL_DISPLACEMENT * scales.distance, scales.distance)
            }
        };
        let size = |i: usize| match self.quantities[i] {
            Quantity::Length => length,
            Quantity::Angle => 1.0,
            Quantity::Other => {
                let largest = largest_of(&at.q, &self.others);
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
        let weights = Weights::new(control, scales, self);
        let used = |kind: Quantity| self.quantities.contains(&kind);
        [Quantity::Length, Quantity::Angle, Quantity::Other]
            .into_iter()
            .filter(|kind| used(*kind))
            .map(|kind| weights.velocities[kind as usize] / weights.positions[kind as usize])
            .fold(f64::INFINITY, f64::min)
    }

    /// The smallest ratio of an acceleration to a position that both tolerances allow, in 1/s²; infinite if errors of
    /// accelerations are not compared.
    pub fn acceleration_rate(&self, control: &ErrorControl, scales: &MotionScales) -> f64 {
        let weights = Weights::new(control, scales, self);
        let allowed = requested_accelerations(control, scales);
        [Quantity::Length, Quantity::Angle, Quantity::Other]
            .into_iter()
            .filter(|kind| self.quantities.contains(kind))
            .map(|kind| allowed[kind as usize] / weights.positions[kind as usize])
            .fold(f64::INFINITY, f64::min)
    }
}

/// A length, or one if it is no length.
fn positive_or_one(length: f64) -> f64 {
    if length.is_finite() && length > 0.0 { length } else { 1.0 }
}

/// The largest of some coordinates.
fn largest_of(q: &[f64], places: &[usize]) -> f64 {
    places.iter().fold(0.0_f64, |most, i| most.max(q[*i].abs()))
}

/// The requested errors of accelerations by kind. One without an absolute tolerance is infinite; coordinates without a unit
/// are compared with the largest value so far.
pub(super) fn requested_accelerations(control: &ErrorControl, scales: &MotionScales) -> [f64; 3] {
    let absolute = &control.absolute;
    let other = control.relative * SMALL_STATE;
    let other = absolute.has_accelerations().then(|| absolute.state.unwrap_or(other));
    let given = [absolute.acceleration, absolute.angular_acceleration, other];
    std::array::from_fn(|kind| {
        let allowed = |absolute| control.relative * scales.accelerations[kind] + absolute;
        given[kind].map_or(f64::INFINITY, allowed)
    })
}

/// The allowed errors by kind of quantity.
struct Weights {
    positions: [f64; 3],
    velocities: [f64; 3],
    relative: f64,
    absolute_state: f64,
}

impl Weights {
    fn new(control: &ErrorControl, scales: &MotionScales, norm: &ErrorNorm) -> Self {
        let ErrorControl { relative, absolute, .. } = *control;
        let length = norm.size(scales);
        let round_off = if scales.start.is_empty() { 0.0 } else { ROUND_OFF * length };
        let weight = |scale: f64, absolute: Option<f64>, floor: f64| {
            relative * scale + absolute.unwrap_or(relative * floor)
        };
        Self {
            positions: [
                weight(norm.extent(scales) * length, absolute.length, 0.0) + round_off,
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
