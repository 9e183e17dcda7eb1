//! Numerical differences for the derivatives that a system does not write.

use super::coupling::Coloring;
use crate::linalg::SparseMatrix;
use crate::system::SystemError;

/// Relative perturbation of central differences: the cube root of round-off, which balances
/// truncation (ε²) and cancellation (round-off/ε) near 1e-10.
pub const CENTRAL: f64 = 6e-6;
/// The longest perturbation in time of the fourth-order rule.
pub(crate) const IN_TIME: f64 = 1e-4;

/// The perturbation of a value among others of size `unit`.
pub fn step_for(value: f64, unit: f64) -> f64 {
    CENTRAL * value.abs().max(unit)
}

/// The scale of perturbations, not larger than one; one for values that are zero.
pub fn unit(largest: f64) -> f64 {
    if largest > 0.0 && largest.is_finite() { largest.min(1.0) } else { 1.0 }
}

/// First-order states below this are zero up to round-off of values near one, and say nothing about their scale.
const ZERO_STATE: f64 = 1e-14;
/// The smallest scale of first-order states: differences of functions of size one then have an error of 1e-4 at most, and those of
/// states near 1e-10, for which it is too large, one of 1e-2.
const MIN_STATE_UNIT: f64 = 1e-6;

/// The scale of perturbations of first-order states and of arguments without a unit, between 1e-6 and one: a state that decays
/// to zero has no scale of its own, unlike the lengths of a small mechanism.
pub fn state_unit(largest: f64) -> f64 {
    if largest > ZERO_STATE { unit(largest).max(MIN_STATE_UNIT) } else { 1.0 }
}

/// The scale of perturbations of a vector of first-order states.
pub fn state_unit_of(values: &[f64]) -> f64 {
    state_unit(values.iter().fold(0.0_f64, |m, x| m.max(x.abs())))
}

/// The scale of perturbations of a vector.
pub fn unit_of(values: &[f64]) -> f64 {
    unit(values.iter().fold(0.0_f64, |m, x| m.max(x.abs())))
}

/// How one matrix is differenced: the columns that are perturbed together.
#[derive(Clone, Debug, Default)]
pub(crate) struct DifferencePlan {
    coloring: Coloring,
}

impl DifferencePlan {
    pub fn new(entries: &SparseMatrix) -> Self {
        Self { coloring: Coloring::new(entries.rows(), entries.columns(), entries.places()) }
    }

    /// Fills `entries` with `sign` times the derivative of `evaluate(perturbation, out)`, column j
    /// perturbed by `step(j)`.
    pub fn fill(
        &self,
        entries: &mut SparseMatrix,
        sign: f64,
        scratch: &mut DifferenceScratch,
        step: impl Fn(usize) -> f64,
        mut evaluate: impl FnMut(&[f64], &mut [f64]) -> Result<(), SystemError>,
    ) -> Result<(), SystemError> {
        let (rows, columns) = (entries.rows(), entries.columns());
        let perturbation = &mut scratch.perturbation[..columns];
        let (plus, minus) = (&mut scratch.plus[..rows], &mut scratch.minus[..rows]);
        entries.begin();
        for color in &self.coloring.colors {
            for (side, out) in [(1.0, &mut *plus), (-1.0, &mut *minus)] {
                perturbation.fill(0.0);
                for &j in color {
                    perturbation[j as usize] = side * step(j as usize);
                }
                out.fill(0.0);
                evaluate(perturbation, out)?;
            }
            for &j in color {
                let j = j as usize;
                let factor = sign / (2.0 * step(j));
                for slot in entries.column(j) {
                    let i = entries.row_indices()[slot] as usize;
                    entries.values_mut()[slot] = factor * (plus[i] - minus[i]);
                }
            }
        }
        Ok(())
    }
}

/// Vectors that differencing needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct DifferenceScratch {
    pub perturbation: Vec<f64>,
    pub plus: Vec<f64>,
    pub minus: Vec<f64>,
}

impl DifferenceScratch {
    pub fn new(longest: usize) -> Self {
        let zeros = || vec![0.0; longest];
        Self { perturbation: zeros(), plus: zeros(), minus: zeros() }
    }
}

/// d/ds at s = 0 of `evaluate(s, value)`, fourth order: error s⁴/30 of the fifth derivative.
pub(crate) fn fourth_order(
    step: f64,
    value: &mut [f64],
    out: &mut [f64],
    mut evaluate: impl FnMut(f64, &mut [f64]) -> Result<(), SystemError>,
) -> Result<(), SystemError> {
    out.fill(0.0);
    for (offset, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
        value.fill(0.0);
        evaluate(offset * step, value)?;
        for (o, x) in out.iter_mut().zip(value.iter()) {
            *o += weight / (12.0 * step) * x;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_at_round_off_have_the_scale_one_and_small_ones_a_floor() {
        assert_eq!([0.0, 1e-19, f64::NAN, f64::INFINITY].map(state_unit), [1.0; 4]);
        assert_eq!([1e-10, 1e-6, 1e-3, 1.0, 5.0].map(state_unit), [1e-6, 1e-6, 1e-3, 1.0, 1.0]);
    }
}
