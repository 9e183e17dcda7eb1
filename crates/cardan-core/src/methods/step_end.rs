//! How a step ends.

/// Where q, v and z of the instant to come are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionSource {
    /// From the stage solved last.
    Stage,
    /// The method has written them.
    Written,
}

/// What is put back onto constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Positions and velocities, if stages enforce accelerations only.
    ByFormulation,
    /// These.
    Onto {
        /// Whether positions are.
        positions: bool,
        /// Whether velocities are.
        velocities: bool,
        /// Whether every coordinate counts the same there, instead of by its inertia
        /// ([`Memory::euclidean`](super::Memory::euclidean) must have asked for it).
        is_euclidean: bool,
    },
}

impl Projection {
    /// Nothing.
    pub const NONE: Self = Self::Onto { positions: false, velocities: false, is_euclidean: false };
    /// Positions and velocities, by inertia.
    pub const BOTH: Self = Self::Onto { positions: true, velocities: true, is_euclidean: false };
}

/// Where a, λ and ż of the instant to come are from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AccelerationSource {
    /// From where the motion is.
    Kept,
    /// The same, unless a projection has moved q and v: for methods that look no further back than one step.
    RecomputedIfProjected,
    /// From q and v by the equations (index 1).
    Recomputed {
        /// Baumgarte's rate; zero is none.
        restoring: f64,
    },
}

/// How a step ends: see [`Step::end`](super::Step::end).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepEnd {
    /// Where q, v and z are from.
    pub motion: MotionSource,
    /// What is put back onto constraints.
    pub projection: Projection,
    /// Where a, λ and ż are from.
    pub accelerations: AccelerationSource,
}

impl StepEnd {
    /// The stage as it is solved, projected if it enforces accelerations only.
    pub const STAGE: Self = Self {
        motion: MotionSource::Stage,
        projection: Projection::ByFormulation,
        accelerations: AccelerationSource::Kept,
    };
    /// The same, with a, λ and ż computed anew where the projection has moved q and v.
    pub const STAGE_RECOMPUTED: Self =
        Self { accelerations: AccelerationSource::RecomputedIfProjected, ..Self::STAGE };
    /// The instant as the method has written it.
    pub const WRITTEN: Self = Self {
        motion: MotionSource::Written,
        projection: Projection::NONE,
        accelerations: AccelerationSource::Kept,
    };
    /// The q, v and z that the method has written, put back onto the constraints; the rest from the equations.
    pub const PROJECTED: Self = Self {
        motion: MotionSource::Written,
        projection: Projection::BOTH,
        accelerations: AccelerationSource::Recomputed { restoring: 0.0 },
    };
}
