//! First-order states in the linear equations of small motions.

use faer::Mat;

use super::error::ModesError;
use super::linearization::Linearization;
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
                let qr = super::dense::full(&self.rate).col_piv_qr();
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

impl Linearization {
    /// Weights of the states next to σ²M and M: the kinetic energy that the force of a state gives in the time 1/σ. A
    /// state that acts on nothing is measured by what motions make of it.
    pub(super) fn state_weights(&self, sigma: f64) -> Vec<f64> {
        let states = &self.states;
        let mut mass = vec![0.0; self.size()];
        self.mass.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, x)| mass[i] += x);
        let inverse = |i: usize| if mass[i] > 0.0 { 1.0 / mass[i] } else { 0.0 };
        let mut weights = vec![0.0; states.count()];
        states.force.iter().for_each(|(i, k, x)| weights[k] += x * x * inverse(i) / sigma.powi(2));
        let mut driven = vec![0.0; states.count()];
        for (matrix, factor) in [(&states.configuration, 1.0 / sigma), (&states.velocity, 1.0)] {
            matrix.iter().for_each(|(k, j, x)| driven[k] += factor * x.abs() * inverse(j).sqrt());
        }
        let mut own = vec![0.0; states.count()];
        for (matrix, factor) in [(&states.rate, sigma), (&states.state, 1.0)] {
            matrix.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, x)| own[i] += factor * x);
        }
        for (k, weight) in weights.iter_mut().enumerate() {
            let other = (own[k] / driven[k]).powi(2);
            if *weight == 0.0 {
                *weight = if other > 0.0 && other.is_finite() { other } else { 1.0 };
            }
        }
        weights
    }

    /// These equations if the states follow the motion at once, ζ = −R_z⁻¹ (R_q ξ + R_v ξ̇): the stiffness of a spring that acts
    /// through a fast filter, the damping of a motor. States whose equations have no such solution by themselves are zero.
    pub(super) fn with_settled_states(&self) -> Self {
        let (states, n) = (&self.states, self.size());
        let mut own = vec![0.0; states.count()];
        for (i, j, x) in states.state.iter().filter(|(_, _, x)| *x != 0.0) {
            own[i] = if i == j { own[i] + x } else { f64::INFINITY };
        }
        let mut columns = vec![Vec::new(); states.count()];
        states.force.iter().for_each(|(i, k, x)| columns[k].push((i, x)));
        let sum = |known: &SparseMatrix, rows: &SparseMatrix| {
            SparseMatrix::written(n, n, |out| {
                known.iter().for_each(|(i, j, x)| out.add(i, j, x));
                for (k, j, x) in rows.iter().filter(|(k, _, _)| own[*k] != 0.0) {
                    columns[k].iter().for_each(|&(i, force)| out.add(i, j, -force * x / own[k]));
                }
            })
        };
        Self {
            stiffness: sum(&self.stiffness, &states.configuration),
            damping: sum(&self.damping, &states.velocity),
            states: StateEquations::default(),
            ..self.clone()
        }
    }

    /// The slowest rate of the states alone, the smallest |λ| > 0 of R_ż λ + R_z.
    pub(super) fn slowest_state(&self) -> f64 {
        let z = self.states.count();
        if z == 0 || z > super::solve::SMALL {
            return f64::INFINITY;
        }
        let matrix = solve_rates(&self.states, &super::dense::full(&self.states.state));
        let values = crate::eigen::balanced_eigenvalues(&matrix).unwrap_or_default();
        let most = values.iter().map(|x| x.norm()).fold(0.0, f64::max);
        let moving = values.iter().map(|x| x.norm()).filter(|x| *x > 1e-9 * most);
        moving.fold(f64::INFINITY, f64::min)
    }
}

/// R_ż⁻¹ A.
pub(super) fn solve_rates(states: &StateEquations, right: &Mat<f64>) -> Mat<f64> {
    use faer::prelude::Solve;
    super::dense::full(&states.rate).full_piv_lu().solve(right)
}
