//! First-order states in the linear equations of small motions.

use faer::Mat;
use faer::prelude::Solve;

use super::error::ModesError;
use super::full_matrix::full;
use cardan_core::linalg::SparseMatrix;

/// Pivots of R_ż below this part of the largest one are zero.
const SINGULAR: f64 = 1e-12;

/// R_ż ζ̇ + R_z ζ + R_v ξ̇ + R_q ξ + R_λ μ = 0, and F ζ in the equations of motion; empty for a system without
/// first-order states.
#[derive(Clone, Debug, Default)]
pub struct StateEquations {
    /// F = −∂f/∂z.
    pub force: SparseMatrix,
    /// R_q.
    pub configuration: SparseMatrix,
    /// R_v.
    pub velocity: SparseMatrix,
    /// R_z.
    pub state: SparseMatrix,
    /// R_ż.
    pub rate: SparseMatrix,
    /// R_λ, for the active rows.
    pub multipliers: SparseMatrix,
    /// The names of the states.
    pub names: Vec<String>,
}

impl StateEquations {
    /// The number of states.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    pub(super) fn matrices(&self) -> [&SparseMatrix; 6] {
        [
            &self.force,
            &self.configuration,
            &self.velocity,
            &self.state,
            &self.rate,
            &self.multipliers,
        ]
    }

    /// Whether the sizes fit a system with n coordinates and m active constraint rows.
    pub(super) fn is_consistent(&self, n: usize, m: usize) -> bool {
        let z = self.count();
        let sizes = [(n, z), (z, n), (z, n), (z, z), (z, z), (z, m)];
        z == 0 || self.matrices().iter().zip(sizes).all(|(a, size)| (a.rows(), a.columns()) == size)
    }

    /// An error if R_ż is singular: ζ̇ then does not follow from the equations.
    pub(super) fn check_rates(&self) -> Result<(), ModesError> {
        let z = self.count();
        let off_diagonal = self.rate.iter().any(|(i, j, x)| i != j && x != 0.0);
        let mut diagonal = vec![0.0; z];
        self.rate.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, x)| diagonal[i] += x);
        let without_rate = match off_diagonal {
            false => diagonal.iter().position(|x| *x == 0.0),
            true => {
                let qr = full(&self.rate).col_piv_qr();
                let (order, _) = qr.P().arrays();
                let r = qr.thin_R();
                let most = r[(0, 0)].abs();
                let is_zero = |k: usize| r[(k, k)].abs() <= SINGULAR * most;
                (0..z).find(|&k| is_zero(k)).map(|k| order[k])
            }
        };
        match without_rate {
            None => Ok(()),
            Some(i) => Err(ModesError::AlgebraicState { state: self.names[i].clone() }),
        }
    }
}

/// R_ż⁻¹ A.
pub(super) fn solve_rates(states: &StateEquations, right: &Mat<f64>) -> Mat<f64> {
    full(&states.rate).full_piv_lu().solve(right)
}
