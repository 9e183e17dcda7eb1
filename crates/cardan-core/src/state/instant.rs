//! One instant of a motion.

use serde::{Deserialize, Serialize};

/// One instant of the motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Instant {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Acceleration v̇.
    pub a: Vec<f64>,
    /// Multipliers λ, holonomic rows first.
    pub multipliers: Vec<f64>,
    /// Multipliers μ of the stabilized formulation, one per holonomic row.
    #[serde(alias = "stabilizing")]
    pub stabilization_multipliers: Vec<f64>,
    /// First-order states.
    pub z: Vec<f64>,
    /// Their rates ż.
    pub rates: Vec<f64>,
    /// Constraint rows that are inactive, by their number: they take no part in the equations, and their
    /// multipliers are zero.
    #[serde(default)]
    pub inactive: Vec<usize>,
}

impl Instant {
    /// Copies another instant; without allocation if the sizes are the same.
    #[inline]
    pub fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
        self.a.clone_from(&other.a);
        self.multipliers.clone_from(&other.multipliers);
        self.stabilization_multipliers.clone_from(&other.stabilization_multipliers);
        self.z.clone_from(&other.z);
        self.rates.clone_from(&other.rates);
        self.inactive.clone_from(&other.inactive);
    }

    /// Copies those vectors of another instant that this one has: vectors of other lengths, such as empty ones, do not
    /// change.
    pub(crate) fn copy_stored_from(&mut self, other: &Self) {
        let copy = |to: &mut [f64], from: &[f64]| {
            if to.len() == from.len() {
                to.copy_from_slice(from);
            }
        };
        self.t = other.t;
        copy(&mut self.q, &other.q);
        copy(&mut self.v, &other.v);
        copy(&mut self.a, &other.a);
        copy(&mut self.multipliers, &other.multipliers);
        copy(&mut self.stabilization_multipliers, &other.stabilization_multipliers);
        copy(&mut self.z, &other.z);
        copy(&mut self.rates, &other.rates);
        self.inactive.clone_from(&other.inactive);
    }

    /// The accelerations, the multipliers and the rates of first-order states, without the rest.
    pub(crate) fn accelerations_only(&self) -> Self {
        let Self { t, a, multipliers, rates, inactive, .. } = self.clone();
        Self { t, a, multipliers, rates, inactive, ..Self::default() }
    }

    /// All vectors, for code that treats an instant as one long vector.
    pub fn vectors_mut(&mut self) -> [&mut Vec<f64>; 7] {
        [
            &mut self.q,
            &mut self.v,
            &mut self.a,
            &mut self.multipliers,
            &mut self.stabilization_multipliers,
            &mut self.z,
            &mut self.rates,
        ]
    }
}
