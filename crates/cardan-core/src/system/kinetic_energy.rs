//! The kinetic energy of a system.

use super::{StateView, System};
use crate::linalg::SparseMatrix;

/// ½ vᵀ M v without an evaluator, for occasional use. NaN if M cannot be evaluated.
pub fn kinetic_energy(system: &dyn System, q: &[f64], v: &[f64]) -> f64 {
    let mut written = Ok(());
    let mass = SparseMatrix::written(v.len(), v.len(), |mass| {
        written = system.mass(&StateView::new(0.0, q, v), mass);
    });
    if written.is_err() {
        return f64::NAN;
    }
    let mut momentum = vec![0.0; v.len()];
    mass.multiply_add(0.5, v, &mut momentum);
    momentum.iter().zip(v).map(|(p, v)| p * v).sum()
}
