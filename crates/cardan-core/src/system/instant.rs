//! The check that an instant belongs to a system.

use super::{RotationIndex, System};
use crate::state::Instant;

/// The reason why an instant does not belong to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstantError {
    /// A vector of the wrong length.
    #[error("its `{what}` has length {found}, the system needs {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that the system needs.
        expected: usize,
    },
    /// A value that is infinite or not a number, or a quaternion of length zero.
    #[error("its `{what}` is not finite, or holds a quaternion of length zero")]
    NotFinite {
        /// Which vector.
        what: &'static str,
    },
    /// An inactive row that the system does not have.
    #[error("its inactive constraint {row} does not exist; the system has {rows}")]
    Inactive {
        /// The number of the row.
        row: usize,
        /// How many constraints the system has.
        rows: usize,
    },
}

/// Checks that the lengths of an instant are those of a system and all values are finite; the stabilization
/// multipliers and `rates` are not checked.
pub fn check_instant(system: &dyn System, instant: &Instant) -> Result<(), InstantError> {
    let space = system.space();
    let rows = system.holonomic_count().saturating_add(system.nonholonomic_count());
    let vectors = [
        ("q", &instant.q, space.configurations()),
        ("v", &instant.v, space.velocities()),
        ("a", &instant.a, space.velocities()),
        ("multipliers", &instant.multipliers, rows),
        ("z", &instant.z, system.state_count()),
    ];
    for (what, values, expected) in vectors {
        if values.len() != expected {
            return Err(InstantError::Length { what, found: values.len(), expected });
        }
        if !values.iter().all(|x| x.is_finite()) {
            return Err(InstantError::NotFinite { what });
        }
    }
    if !instant.t.is_finite() {
        return Err(InstantError::NotFinite { what: "t" });
    }
    if let Some(&row) = instant.inactive.iter().find(|row| **row >= rows) {
        return Err(InstantError::Inactive { row, rows });
    }
    let is_turn = |rotation: &RotationIndex| rotation.of(&instant.q).normalized().is_some();
    match space.rotations().iter().all(is_turn) {
        true => Ok(()),
        false => Err(InstantError::NotFinite { what: "q" }),
    }
}
