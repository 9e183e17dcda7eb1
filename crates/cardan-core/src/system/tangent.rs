//! The tangents that a system may write.

use crate::linalg::SparseMatrix;

/// Where a derivative comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// The system has written it.
    Analytic,
    /// It is computed by numerical differences.
    Differenced,
}

/// The tangents of the force, each with the sign it has on the left-hand side.
#[derive(Debug)]
pub struct ForceTangent<'a> {
    /// −∂f/∂q.
    pub stiffness: &'a mut SparseMatrix,
    /// −∂f/∂v.
    pub damping: &'a mut SparseMatrix,
    /// −∂f/∂λ, if [`System::force_needs_multipliers`](super::System::force_needs_multipliers).
    pub multipliers: &'a mut SparseMatrix,
    /// −∂f/∂z.
    pub states: &'a mut SparseMatrix,
}

/// The tangents of the first-order equations r(t, q, v, λ, z, ż).
#[derive(Debug)]
pub struct StateTangent<'a> {
    /// ∂r/∂q.
    pub configuration: &'a mut SparseMatrix,
    /// ∂r/∂v.
    pub velocity: &'a mut SparseMatrix,
    /// ∂r/∂z.
    pub state: &'a mut SparseMatrix,
    /// ∂r/∂ż.
    pub rate: &'a mut SparseMatrix,
    /// ∂r/∂λ, if [`System::state_needs_multipliers`](super::System::state_needs_multipliers); otherwise it has no
    /// columns, and nothing is written to it.
    pub multipliers: &'a mut SparseMatrix,
}
