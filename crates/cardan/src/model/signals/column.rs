//! The quantities by which signals are differentiated.

use cardan_core::system::ForceTangent;

/// A column of a gradient: the kind of a quantity and its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::model) enum Column {
    /// The tangent increment of q that belongs to a velocity.
    Position(usize),
    Velocity(usize),
    Multiplier(usize),
    /// A first-order state z.
    State(usize),
    /// The rate ż of a state.
    Rate(usize),
    /// A discrete value in q: an input or a memory.
    Discrete(usize),
}

impl Column {
    /// Adds a value to this column in a row of the tangents of a force.
    #[inline]
    pub fn add_force(self, row: usize, value: f64, tangent: &mut ForceTangent<'_>) {
        match self {
            Self::Position(column) => tangent.stiffness.add(row, column, value),
            Self::Velocity(column) => tangent.damping.add(row, column, value),
            Self::Multiplier(column) => tangent.multipliers.add(row, column, value),
            Self::State(column) => tangent.states.add(row, column, value),
            // constant within a step, or refused in forces
            Self::Rate(_) | Self::Discrete(_) => {}
        }
    }
}
