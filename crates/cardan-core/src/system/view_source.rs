//! The sizes of a system, and the states that an evaluator passes to it.

use super::{Scratch, Space, StateView, System};

/// The numbers of unknowns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemSizes {
    /// Configuration values.
    pub q: usize,
    /// Velocities.
    pub v: usize,
    /// First-order states.
    pub z: usize,
    /// Holonomic constraints.
    pub holonomic: usize,
    /// All constraints.
    pub constraints: usize,
}

impl SystemSizes {
    /// The sizes of a system with this configuration space.
    pub(super) fn of(system: &dyn System, space: &Space) -> Self {
        let holonomic = system.holonomic_count();
        Self {
            q: space.configurations(),
            v: space.velocities(),
            z: system.state_count(),
            holonomic,
            constraints: holonomic.saturating_add(system.nonholonomic_count()),
        }
    }

    /// The largest of the numbers of velocities, states and constraints.
    pub(super) fn longest(&self) -> usize {
        self.v.max(self.z).max(self.constraints)
    }
}

/// Data that an evaluator adds to the states it passes: the system's scratch, and zeros.
pub(super) struct ViewSource {
    pub scratch: Scratch,
    pub zeros: Vec<f64>,
    pub sizes: SystemSizes,
}

impl ViewSource {
    /// A configuration at a time, everything else zero.
    #[inline]
    pub fn at<'a>(&'a self, t: f64, q: &'a [f64]) -> StateView<'a> {
        let SystemSizes { v, z, constraints, .. } = self.sizes;
        let zeros = |n: usize| &self.zeros[..n];
        let (v, multipliers, z) = (zeros(v), zeros(constraints), zeros(z));
        StateView { t, q, v, a: &[], multipliers, z, scratch: Some(&self.scratch) }
    }

    /// The given state with the scratch of this evaluator.
    #[inline]
    pub fn with<'a>(&'a self, at: &StateView<'a>) -> StateView<'a> {
        StateView { scratch: Some(&self.scratch), ..*at }
    }
}
