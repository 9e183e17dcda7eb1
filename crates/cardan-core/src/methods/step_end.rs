//! The options of the end of a step.

/// The source of q, v and z of the next instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionSource {
    /// The stage solved last.
    Stage,
    /// The method has written them to the next instant.
    Written,
}

/// The projection onto the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Positions and velocities, if stages enforce accelerations only.
    ByFormulation,
    /// The given levels.
    Onto {
        /// Whether positions are projected.
        positions: bool,
        /// Whether velocities are projected.
        velocities: bool,
        /// Whether all coordinates have equal weights, instead of weights by inertia; requires
        /// [`MethodStorage::euclidean`](super::MethodStorage::euclidean).
        is_euclidean: bool,
    },
}

impl Projection {
    /// No projection.
    pub const NONE: Self = Self::Onto { positions: false, velocities: false, is_euclidean: false };
    /// Positions and velocities, weighted by inertia.
    pub const BOTH: Self = Self::Onto { positions: true, velocities: true, is_euclidean: false };
}

/// The source of a, λ and ż of the next instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AccelerationSource {
    /// The source of the motion.
    Kept,
    /// The source of the motion, but recomputed if a projection has moved q and v: for one-step methods.
    RecomputedIfProjected,
    /// Recomputed from q and v by the equations (index 1).
    Recomputed {
        /// Baumgarte's rate; zero is none.
        baumgarte_rate: f64,
    },
}

/// The options of the end of a step: see [`Step::end`](super::Step::end).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepEnd {
    /// The source of q, v and z.
    pub motion: MotionSource,
    /// The projection onto the constraints.
    pub projection: Projection,
    /// The source of a, λ and ż.
    pub accelerations: AccelerationSource,
}

impl StepEnd {
    /// The solved stage, projected if it enforces accelerations only.
    pub const STAGE: Self = Self {
        motion: MotionSource::Stage,
        projection: Projection::ByFormulation,
        accelerations: AccelerationSource::Kept,
    };
    /// The solved stage, projected if it enforces accelerations only; a, λ and ż are then recomputed.
    pub const STAGE_RECOMPUTED: Self =
        Self { accelerations: AccelerationSource::RecomputedIfProjected, ..Self::STAGE };
    /// The instant that the method has written, unchanged.
    pub const WRITTEN: Self = Self {
        motion: MotionSource::Written,
        projection: Projection::NONE,
        accelerations: AccelerationSource::Kept,
    };
    /// The q, v and z that the method has written, projected onto the constraints; a, λ and ż from the equations.
    pub const PROJECTED: Self = Self {
        motion: MotionSource::Written,
        projection: Projection::BOTH,
        accelerations: AccelerationSource::Recomputed { baumgarte_rate: 0.0 },
    };
}
