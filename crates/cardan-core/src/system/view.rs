//! The state at which a system is evaluated.

use super::Scratch;
use crate::state::Instant;

/// The state at which a system is evaluated. Values that a quantity does not depend on are zero: M is evaluated
/// with v = 0.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StateView<'a> {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: &'a [f64],
    /// Velocity.
    pub v: &'a [f64],
    /// Acceleration; empty where it is not known.
    pub a: &'a [f64],
    /// Multipliers λ, holonomic rows first.
    pub multipliers: &'a [f64],
    /// First-order states.
    pub z: &'a [f64],
    /// The scratch of the system for this evaluator, if there is one.
    pub scratch: Option<&'a Scratch>,
}

impl<'a> StateView<'a> {
    /// An instant without multipliers and first-order states.
    #[inline]
    pub fn new(t: f64, q: &'a [f64], v: &'a [f64]) -> Self {
        Self { t, q, v, a: &[], multipliers: &[], z: &[], scratch: None }
    }

    /// A configuration at a time, for quantities that depend on nothing else.
    #[inline]
    pub fn at(t: f64, q: &'a [f64]) -> Self {
        Self::new(t, q, &[])
    }
}

impl<'a> StateView<'a> {
    /// This state with multipliers.
    #[inline]
    #[must_use]
    pub fn with_multipliers(mut self, multipliers: &'a [f64]) -> Self {
        self.multipliers = multipliers;
        self
    }

    /// This state with first-order states.
    #[inline]
    #[must_use]
    pub fn with_states(mut self, z: &'a [f64]) -> Self {
        self.z = z;
        self
    }

    /// This state with the scratch of an evaluator.
    #[inline]
    #[must_use]
    pub fn with_scratch(mut self, scratch: Option<&'a Scratch>) -> Self {
        self.scratch = scratch;
        self
    }
}

impl<'a> From<&'a Instant> for StateView<'a> {
    #[inline]
    fn from(at: &'a Instant) -> Self {
        let Instant { t, q, v, a, multipliers, z, .. } = at;
        Self { t: *t, q, v, a, multipliers, z, scratch: None }
    }
}
