//! Constraint rows that are inactive: redundant ones, and those that events switch off.

use super::evaluator::Evaluator;
use super::{Failure, System, SystemMatrix};
use crate::state::Instant;

/// Largest violation of an inactive row, relative to its unit: far above the residual of Newton,
/// far below a visible error.
const HOLDS: f64 = 1e-6;
/// Largest violation of an inactive row, relative to the largest violation of an active row.
const DRIFTED: f64 = 10.0;

impl Evaluator {
    /// Sets constraints inactive: they have no gradient, no residual and no multiplier. Rows that the system
    /// does not have are ignored.
    pub(crate) fn set_inactive(&mut self, rows: &[usize]) {
        self.is_inactive.fill(false);
        self.inactive.clear();
        for &row in rows {
            if let Some(is_inactive) = self.is_inactive.get_mut(row)
                && !std::mem::replace(is_inactive, true)
            {
                self.inactive.push(row);
            }
        }
        self.find_masked();
    }

    /// Finds the entries of inactive rows in the parts whose rows are constraints.
    pub(super) fn find_masked(&mut self) {
        let is_inactive = &self.is_inactive;
        for (part, slots) in &mut self.masked {
            let rows = self.parts[*part as usize].row_indices().iter().enumerate();
            let masked = rows.filter(|(_, row)| is_inactive[**row as usize]);
            *slots = masked.map(|(slot, _)| slot as u32).collect();
        }
    }

    /// The constraints that are set inactive.
    #[inline]
    pub(crate) fn inactive(&self) -> &[usize] {
        &self.inactive
    }

    /// The negative diagonal entry of a constraint's row: zero if it is active.
    #[inline]
    pub(crate) fn compliance(&self, row: usize) -> f64 {
        if self.is_inactive[row] { 1.0 } else { 0.0 }
    }

    /// Whether a constraint is set inactive.
    #[inline]
    pub fn is_inactive(&self, row: usize) -> bool {
        self.is_inactive[row]
    }

    pub(super) fn mask_rows(&self, rows: &mut [f64]) {
        for &row in &self.inactive {
            if let Some(value) = rows.get_mut(row) {
                *value = 0.0;
            }
        }
    }

    pub(super) fn mask_part(&mut self, part: SystemMatrix) {
        for (masked, slots) in &self.masked {
            if *masked == part {
                let values = self.parts[part as usize].values_mut();
                slots.iter().for_each(|&slot| values[slot as usize] = 0.0);
            }
        }
    }

    /// An error if inactive rows are violated more than the rows that imply them.
    pub(super) fn check_inactive(
        &mut self,
        system: &dyn System,
        at: &Instant,
    ) -> Result<(), Failure> {
        let Self { base, sizes, rows, inactive, is_inactive, .. } = self;
        if inactive.is_empty() {
            return Ok(());
        }
        let phi = &mut rows[..sizes.holonomic];
        phi.fill(0.0);
        system.constraint(&base.at(at.t, &at.q), phi)?;
        let extent = at.q.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        let size = |row: usize| phi[row].abs() / system.constraint_unit(row).unwrap_or(extent);
        let holonomic = inactive.iter().copied().filter(|row| *row < sizes.holonomic);
        let mut open = holonomic.filter(|row| phi[*row].is_nan() || size(*row) > HOLDS);
        let Some(row) = open.next() else { return Ok(()) };
        // if steps do not enforce positions, inactive rows drift like the others
        let active = (0..sizes.holonomic).filter(|row| !is_inactive[*row]).map(size);
        let drifted = DRIFTED * active.fold(0.0_f64, f64::max);
        match std::iter::once(row)
            .chain(open)
            .find(|row| size(*row).is_nan() || size(*row) > drifted)
        {
            None => Ok(()),
            Some(row) => {
                let (name, gap) = (system.constraint_name(row), phi[row].abs());
                Err(format!(
                    "{name} was removed because other constraints imply it, but it no longer holds (by \
                     {gap:.1e}): drives contradict joints, or the mechanism has another configuration"
                )
                .into())
            }
        }
    }
}
