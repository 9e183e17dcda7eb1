//! Everything that evolves: plain, cloneable, serializable.

use serde::{Deserialize, Serialize};

use crate::methods::ParameterValue;
use crate::stage::Formulation;
use crate::system::{Identity, System};

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

/// Why an instant is not one of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
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
    /// An inactive row that is no constraint of the system.
    #[error("its inactive constraint {row} is none of the system, which has {rows}")]
    Inactive {
        /// The number of the row.
        row: usize,
        /// How many constraints the system has.
        rows: usize,
    },
}

impl Instant {
    /// Whether the lengths are those of a system and all values that count are finite; `stabilizing` and
    /// `rates` are not looked at.
    pub fn fits(&self, system: &dyn System) -> Result<(), InstantError> {
        let space = system.space();
        let rows = system.holonomic_count().saturating_add(system.nonholonomic_count());
        let vectors = [
            ("q", &self.q, space.configurations()),
            ("v", &self.v, space.velocities()),
            ("a", &self.a, space.velocities()),
            ("multipliers", &self.multipliers, rows),
            ("z", &self.z, system.state_count()),
        ];
        for (what, values, expected) in vectors {
            if values.len() != expected {
                return Err(InstantError::Length { what, found: values.len(), expected });
            }
            if !values.iter().all(|x| x.is_finite()) {
                return Err(InstantError::NotFinite { what });
            }
        }
        if !self.t.is_finite() {
            return Err(InstantError::NotFinite { what: "t" });
        }
        if let Some(&row) = self.inactive.iter().find(|row| **row >= rows) {
            return Err(InstantError::Inactive { row, rows });
        }
        let is_turn =
            |rotation: &crate::system::RotationIndex| rotation.of(&self.q).normalized().is_some();
        match space.rotations().iter().all(is_turn) {
            true => Ok(()),
            false => Err(InstantError::NotFinite { what: "q" }),
        }
    }

    /// Takes over another instant; one of the same sizes without allocating.
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

    /// The vectors, for whoever treats an instant as one long vector.
    pub(crate) fn vectors_mut(&mut self) -> [&mut Vec<f64>; 7] {
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

/// A vector a method carries from step to step beside the motion itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuxiliaryVector {
    /// What it is.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}

/// The past as a method needs it: one structure for all methods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodHistory {
    /// Earlier instants, the latest first; only the first `filled` are meaningful.
    pub earlier: Vec<Instant>,
    /// How many earlier instants are known.
    pub filled: usize,
    /// Auxiliary vectors; a family knows its own by index.
    pub auxiliary: Vec<AuxiliaryVector>,
}

impl MethodHistory {
    /// Makes `now` the latest of the earlier instants, forgetting the oldest.
    pub(crate) fn push(&mut self, now: &Instant) {
        if self.earlier.is_empty() {
            return;
        }
        self.earlier.rotate_right(1);
        self.earlier[0].copy_from(now);
        self.filled = (self.filled + 1).min(self.earlier.len());
    }
}

/// A moment from which steps of one size are counted, so that no rounding accumulates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepOrigin {
    /// Its time.
    pub time: f64,
    /// Steps taken until then.
    pub steps: u64,
}

/// Everything that evolves. Serialize it, read it back, continue: the bits are the same, with the same binary, the same
/// C library and the same CPU features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The method this state belongs to.
    pub method: String,
    /// The method's parameters.
    pub parameters: Vec<(String, ParameterValue)>,
    /// The method's coefficients, which may be others than the registry's.
    #[serde(default)]
    pub coefficients: Vec<(String, f64)>,
    /// The system it belongs to.
    #[serde(default)]
    pub identity: Identity,
    /// The constraint formulation.
    pub constraints: Formulation,
    /// The step size it was computed with.
    pub step_size: f64,
    /// The time at which the run began.
    pub start: f64,
    /// Steps taken.
    pub steps: u64,
    /// Since when steps have had this size.
    #[serde(alias = "paced")]
    pub step_origin: StepOrigin,
    /// The current instant.
    pub now: Instant,
    /// The past.
    pub history: MethodHistory,
    /// Pivot rows of the linear solvers: part of what decides the last bits.
    pub pivots: Vec<Vec<u32>>,
}

impl State {
    /// The time that follows from the steps taken.
    pub(crate) fn time(&self) -> f64 {
        self.time_after(0.0)
    }

    /// The time at the end of the next step.
    pub(crate) fn next_time(&self) -> f64 {
        self.time_after(1.0)
    }

    fn time_after(&self, more: f64) -> f64 {
        let steps = self.steps.saturating_sub(self.step_origin.steps) as f64;
        self.step_origin.time + (steps + more) * self.step_size
    }
}
