//! First-order states in equilibrium, r(t, q, 0, λ, z, 0) = 0: which of them the equilibrium determines.
//!
//! ```text
//! kind of state                                                    example                in equilibrium
//! its rate depends on it, or on a position or a reaction           filter, current, PID   found with q and λ
//! its column is zero: it acts on nothing                           odometer               keeps its value
//! its row is zero and its rate vanishes: nothing changes it        a setting              keeps its value
//! its row is zero and its rate does not vanish                     ramp over time         error
//! only its derivatives with respect to velocities are not zero     ∫ velocity dt          error
//! ```

use super::StageError;
use crate::system::{Evaluator, StateView, System, SystemError, SystemMatrix};

/// The states that keep their values while an equilibrium is sought, and the scale of the others.
#[derive(Default)]
pub(super) struct StaticStates {
    /// Whether each state keeps its value.
    pub held: Vec<bool>,
    /// Slots of the stage matrix in the rows of held states, and those on their diagonals.
    rows: Vec<usize>,
    diagonal: Vec<usize>,
    /// The largest value of each state in a search, the first correction included.
    scale: Vec<f64>,
    /// The values at the start of a search.
    pub reference: Vec<f64>,
    /// ż = rate (z − reference): zero in equilibrium, positive in a pseudo-transient search.
    pub rate: f64,
}

/// The nonzero rows and columns of the tangents, each by state.
struct Dependence {
    /// The states that the forces depend on.
    acts: Vec<bool>,
    /// (row, column) of ∂r/∂z.
    coupled: Vec<(usize, usize)>,
    /// The states whose equations depend on positions, multipliers or states.
    rests: Vec<bool>,
    /// The states whose equations depend on velocities.
    moves: Vec<bool>,
}

impl StaticStates {
    pub fn new(count: usize) -> Self {
        let zeros = vec![0.0; count];
        Self { held: vec![false; count], scale: zeros.clone(), reference: zeros, ..Self::default() }
    }

    /// Decides which states keep their values, at a configuration at rest. An error names a state that has no
    /// equilibrium. Returns whether the decision differs from the last one.
    pub fn choose(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        at: &StateView<'_>,
    ) -> Result<bool, StageError> {
        let count = self.held.len();
        let found = Dependence::new(system, evaluator, at)?;
        let mut held = vec![false; count];
        // a state that acts only on states without influence has none either
        let has_influence = |held: &[bool], i: usize| {
            found.acts[i] || found.coupled.iter().any(|&(row, column)| column == i && !held[row])
        };
        while let Some(i) = (0..count).find(|&i| !held[i] && !has_influence(&held, i)) {
            held[i] = true;
        }
        let mut residual = vec![0.0; count];
        evaluator.state_residual(system, at, &vec![0.0; count], &mut residual)?;
        for i in 0..count {
            if held[i] || found.rests[i] {
                continue;
            }
            let state = system.state_name(i);
            match (found.moves[i], residual[i]) {
                (true, _) => return Err(StageError::UndeterminedState { state }),
                (false, 0.0) => held[i] = true,
                (false, residual) => return Err(StageError::DrivenState { state, residual }),
            }
        }
        Ok(std::mem::replace(&mut self.held, held) != self.held)
    }

    /// Finds the slots of the held states, whose unknowns begin at `first`, in the stage matrix.
    pub fn find_slots(&mut self, first: usize, pattern: &crate::linalg::Pattern) {
        let is_held =
            |row: usize| row.checked_sub(first).is_some_and(|i| self.held.get(i) == Some(&true));
        let rows = pattern.rows().iter().enumerate();
        self.rows = rows.filter(|(_, row)| is_held(**row as usize)).map(|(slot, _)| slot).collect();
        let held = (0..self.held.len()).filter(|&i| self.held[i]).map(|i| first + i);
        self.diagonal = held.filter_map(|i| pattern.slot(i, i)).collect();
    }

    /// Replaces the rows of held states by δz = 0.
    pub fn hold(&self, values: &mut [f64]) {
        self.rows.iter().for_each(|&slot| values[slot] = 0.0);
        self.diagonal.iter().for_each(|&slot| values[slot] = 1.0);
    }

    /// Begins a search from these values.
    pub fn begin(&mut self, z: &[f64]) {
        self.reference.copy_from_slice(z);
        self.scale.iter_mut().zip(z).for_each(|(scale, z)| *scale = z.abs());
    }

    /// The largest correction of a state, relative to its largest value so far; a state that was zero is measured by
    /// its first correction.
    pub fn size(&mut self, z: &[f64], corrections: &[f64]) -> f64 {
        let mut size = 0.0_f64;
        for ((scale, z), correction) in self.scale.iter_mut().zip(z).zip(corrections) {
            *scale = scale.max(z.abs());
            if *scale == 0.0 {
                *scale = correction.abs();
            }
            if *correction != 0.0 {
                size = size.max(correction.abs() / *scale);
            }
        }
        size
    }
}

impl Dependence {
    /// Evaluates the tangents at the given states and at others: an entry that is zero at both is zero.
    fn new(
        system: &dyn System,
        evaluator: &mut Evaluator,
        at: &StateView<'_>,
    ) -> Result<Self, SystemError> {
        let count = at.z.len();
        let none = vec![false; count];
        let mut found =
            Self { acts: none.clone(), coupled: Vec::new(), rests: none.clone(), moves: none };
        found.add(system, evaluator, at)?;
        let z: Vec<f64> = at.z.iter().map(|z| z + 0.5 * z.abs().max(1.0)).collect();
        // values at which the system cannot be evaluated add nothing
        let _ = found.add(system, evaluator, &StateView { z: &z, ..*at });
        Ok(found)
    }

    fn add(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        at: &StateView<'_>,
    ) -> Result<(), SystemError> {
        evaluator.force_tangent(system, at)?;
        evaluator.state_tangent(system, at, &vec![0.0; at.z.len()])?;
        let entries = |part| evaluator.part(part).iter().filter(|(_, _, x)| *x != 0.0);
        entries(SystemMatrix::ForceState).for_each(|(_, j, _)| self.acts[j] = true);
        entries(SystemMatrix::State).for_each(|(i, j, _)| self.coupled.push((i, j)));
        let at_rest =
            [SystemMatrix::State, SystemMatrix::StateConfiguration, SystemMatrix::StateMultiplier];
        for part in at_rest {
            entries(part).for_each(|(i, ..)| self.rests[i] = true);
        }
        entries(SystemMatrix::StateVelocity).for_each(|(i, ..)| self.moves[i] = true);
        Ok(())
    }
}
