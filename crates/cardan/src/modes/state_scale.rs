//! The scales of first-order states next to the motion: weights, rates, and the motion that they follow at once.

use super::full_matrix::full;
use super::linearization::Linearization;
use super::solve::SMALL;
use super::states::{StateEquations, solve_rates};
use crate::eigen::balanced_eigenvalues;
use cardan_core::linalg::SparseMatrix;

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
        if z == 0 || z > SMALL {
            return f64::INFINITY;
        }
        let matrix = solve_rates(&self.states, &full(&self.states.state));
        let values = balanced_eigenvalues(&matrix).unwrap_or_default();
        let most = values.iter().map(|x| x.norm()).fold(0.0, f64::max);
        let moving = values.iter().map(|x| x.norm()).filter(|x| *x > 1e-9 * most);
        moving.fold(f64::INFINITY, f64::min)
    }
}
