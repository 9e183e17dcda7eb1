//! The metric of projections onto constraints.

/// The matrix W of a projection onto constraints, which minimizes the change d in the norm dᵀ W d.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum ProjectionMetric {
    /// W = M.
    #[default]
    Inertia,
    /// W = I; requires the matrix of such projections.
    Equal,
    /// W = M + c_v D + c_q K with the tangents that the evaluator holds, as in the matrix of a stage: the change avoids
    /// stiff directions, so that it does not disturb their forces.
    Stage {
        /// ∂q/∂a.
        c_q: f64,
        /// ∂v/∂a.
        c_v: f64,
    },
}
