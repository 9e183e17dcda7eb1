//! Stiff forces of the estimate of the local error.

use crate::system::{Evaluator, SystemMatrix};

/// Stiff forces of the unfiltered estimates in q and v.
#[derive(Clone, Debug, Default)]
pub(super) struct StiffForces {
    /// The estimates in q and v before the filter.
    pub unfiltered: Vec<f64>,
    /// Their forces at the end of the step, and at its start.
    pub end: Vec<f64>,
    pub start: Vec<f64>,
}

impl StiffForces {
    /// Vectors for n velocities.
    pub fn new(n: usize) -> Self {
        let zeros = || vec![0.0; 2 * n];
        Self { unfiltered: zeros(), end: zeros(), start: zeros() }
    }

    /// Takes the estimates before they are filtered.
    pub fn keep(&mut self, estimate: &[f64]) {
        let count = self.unfiltered.len();
        self.unfiltered.copy_from_slice(&estimate[..count]);
    }
}

/// A e for the estimates e in q and in v, with the tangents that the evaluator has.
pub(super) fn multiply_stiff(
    evaluator: &Evaluator,
    [c_q, c_v]: [f64; 2],
    estimates: &[f64],
    forces: &mut [f64],
) {
    forces.fill(0.0);
    let n = estimates.len() / 2;
    for (estimate, force) in estimates.chunks_exact(n.max(1)).zip(forces.chunks_exact_mut(n.max(1)))
    {
        evaluator.part(SystemMatrix::Stiffness).multiply_add(c_q, estimate, force);
        evaluator.part(SystemMatrix::Damping).multiply_add(c_v, estimate, force);
    }
}
