//! The Newton loop of all nonlinear problems.

use serde::{Deserialize, Serialize};

use super::EvaluationContext;
use crate::stage::{RowResidual, StageError};

/// When the matrix is formed and factorized again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeepJacobian {
    /// In every iteration: quadratic convergence.
    Never,
    /// Kept within a stage once corrections are small and as long as they shrink fast: as many
    /// solves, fewer factorizations.
    WithinStage,
    /// Kept from step to step while that costs less than new matrices, by methods of up to second order if stages enforce
    /// position constraints or there are none; otherwise as within a stage. It is formed at an accepted instant, which the state contains, so
    /// that a continued run repeats the bits of an unbroken one.
    AcrossSteps,
}

/// Newton solver options.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewtonOptions {
    /// A stage is solved when the correction of the positions, and that of the velocities times
    /// c_q/c_v, is below this: absolute for rotations and for coordinates larger than one (but
    /// never below their round-off), relative to the largest coordinate if that is smaller.
    /// At least two corrections must shrink accordingly, unless the first is round-off already.
    /// Accelerations and multipliers are not tested: their round-off is ε|q|/c_q.
    pub tolerance: f64,
    /// The largest number of iterations.
    pub iterations: usize,
    /// When the matrix is formed again.
    pub keep_jacobian: KeepJacobian,
    /// Whether the iteration also ends where its error is known to be negligible, beside that of the method or beside the
    /// tolerance. It is known in stages of steps that may keep matrices.
    #[serde(default = "yes")]
    pub early_end: bool,
    /// Whether a stage that cannot be solved from its prediction is tried again: from the velocities of
    /// the current instant, then from both with damped corrections.
    #[serde(default = "yes")]
    #[serde(alias = "begins_again")]
    pub retry_from_current_velocity: bool,
}

fn yes() -> bool {
    true
}

impl KeepJacobian {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Never, Self::WithinStage, Self::AcrossSteps];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::WithinStage => "within-stage",
            Self::AcrossSteps => "across-steps",
        }
    }
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            iterations: 20,
            keep_jacobian: KeepJacobian::AcrossSteps,
            early_end: true,
            retry_from_current_velocity: true,
        }
    }
}

/// The norm of a correction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correction {
    /// The norm over the tolerance.
    pub size: f64,
    /// The norm of its part in positions and states over the tolerance.
    pub position: f64,
    /// Whether round-off alone could have caused it.
    pub is_round_off: bool,
    /// The norm of round-off in the positions over the tolerance.
    pub round_off: f64,
    /// Round-off of the largest position.
    pub blur: f64,
}

impl Correction {
    /// A correction of which only the norm over the tolerance is known.
    pub fn of_size(size: f64) -> Self {
        Self { size, position: size, is_round_off: false, round_off: 0.0, blur: 0.0 }
    }
}

/// What decides about new matrices and the last correction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Economy {
    /// The cost of a new matrix in units of a correction.
    pub ratio: f64,
    /// The curvature K of earlier solutions: a correction δ with a new matrix is followed by K δ².
    pub curvature: f64,
    /// Whether K was measured not long ago, and the residual of the first iterate is not larger than usual.
    pub is_reliable: bool,
}

/// A nonlinear problem for Newton's method.
pub(crate) trait Nonlinear {
    /// Evaluates the residual at the current iterate.
    fn evaluate(&mut self, context: &mut EvaluationContext<'_>) -> Result<(), StageError>;
    /// Forms and factorizes the matrix at the current iterate.
    fn linearize(&mut self, context: &mut EvaluationContext<'_>) -> Result<(), StageError>;
    /// Solves for the correction, applies it, and returns its norm.
    fn correct(&mut self, context: &mut EvaluationContext<'_>) -> Result<Correction, StageError>;
    /// Whether one correction solves it.
    fn is_linear(&self, _context: &EvaluationContext<'_>) -> bool {
        false
    }
    /// Whether the residual evaluated last is as small as round-off allows; called rarely.
    fn residual_is_round_off(&mut self, _context: &mut EvaluationContext<'_>) -> bool {
        false
    }
    /// What decides about new matrices and the last correction; `None` if sizes of corrections decide alone.
    /// Called once after each correction.
    fn economy(&mut self, _iteration: usize) -> Option<Economy> {
        None
    }
    /// Takes a measured curvature; one that round-off determines is an upper bound.
    fn set_curvature(&mut self, _curvature: f64, _is_bound: bool) {}
    /// Whether an error of positions, over the tolerance, is negligible beside that of the method.
    fn has_negligible_error(&mut self, _context: &mut EvaluationContext<'_>, _error: f64) -> bool {
        false
    }
    /// Whether the constraints hold to round-off at the current iterate.
    fn is_closed(&mut self, _context: &mut EvaluationContext<'_>) -> bool {
        true
    }
    /// Records the norm of a correction, in units of the positions.
    fn note(&mut self, _correction: f64) {}
    /// Copies the unknowns, so that the next correction can be shortened.
    fn copy_unknowns(&mut self) {}
    /// Takes the difference between the unknowns and their copy as the search direction.
    fn set_direction(&mut self) {}
    /// Sets the unknowns to their copy plus this fraction of the direction.
    fn move_along(&mut self, _context: &mut EvaluationContext<'_>, _share: f64) {}
    /// The error of an iteration that did not converge.
    fn not_converged(
        &self,
        context: &EvaluationContext<'_>,
        iterations: usize,
        size: f64,
    ) -> StageError;
}

/// Corrections below this fraction of a coordinate are round-off.
pub(super) const ROUND_OFF: f64 = 64.0 * f64::EPSILON;
/// Iterations before a stalled iteration is accepted as converged to round-off.
const STALL_ITERATIONS: usize = 6;
/// The part that is undetermined by round-off near a double root: about √ε.
const BLUR: f64 = 1e-7;
/// If convergence is slower than this, a kept matrix is formed again.
const SLOW: f64 = 0.1;
/// Below a correction δ of this size the error with a kept matrix, of order δ³ after one more
/// solve, is negligible.
const SMALL: f64 = 3e-4;
/// Above a correction of this size the matrix is formed again, whatever it costs.
const MAX_KEPT: f64 = 1e-2;
/// The rate of the next correction is taken to be this many times that of the last one, and no less than the second
/// number: a slower part of the error may be hidden by a larger one.
const RATE_MARGIN: f64 = 10.0;
const MIN_RATE: f64 = 1e-4;
/// The next correction is not made if it is expected below this part of the tolerance.
pub(super) const NEGLIGIBLE: f64 = 1e-2;
/// Corrections that are foreseen at most.
const FORESEEN: usize = 20;

/// Whether the correction after one of this size, which shrank by this rate, is negligible; sizes are over the tolerance.
fn is_last(size: f64, rate: f64) -> bool {
    (RATE_MARGIN * rate).max(MIN_RATE) * size <= NEGLIGIBLE
}

/// The corrections that are needed if the next one has this size and shrank by `rate`, and later ones shrink by `later`.
fn foreseen_corrections(mut size: f64, mut rate: f64, later: f64) -> usize {
    let mut count = 1;
    while !is_last(size, rate) && count < FORESEEN {
        (size, rate) = (later * size, later);
        count += 1;
    }
    count
}

impl Economy {
    /// An upper bound of the error that remains after a correction, over the tolerance; infinite if it is not known. After a
    /// first correction it follows from the curvature.
    fn remaining_error(&self, iteration: usize, correction: f64, rate: f64, tolerance: f64) -> f64 {
        match iteration {
            1 if self.is_reliable => {
                RATE_MARGIN * self.curvature * tolerance * correction * correction
            }
            1 => f64::INFINITY,
            _ => (RATE_MARGIN * rate).max(MIN_RATE) * correction,
        }
    }

    /// Whether corrections with the current matrix cost less than a new matrix and corrections with that. The last
    /// correction and the tolerance are given, and the rate if the matrix is older than the last correction.
    ///
    /// With a matrix formed for it, a correction δ is followed by K δ², and later corrections shrink by 2 K δ. With an older
    /// matrix corrections shrink by the same rate. With a new one they shrink quadratically again.
    fn keeps_matrix(&self, correction: f64, rate: Option<f64>, tolerance: f64) -> bool {
        let (next, later) = match rate {
            None => (self.curvature * correction, 2.0 * self.curvature * correction),
            Some(rate) => (rate, rate),
        };
        let size = next * correction;
        let kept = foreseen_corrections(size / tolerance, next, later);
        let renewed = foreseen_corrections(size / tolerance, next, self.curvature * size);
        kept as f64 <= renewed as f64 + self.ratio
    }
}

/// Iterates until the correction is below the tolerance; returns the number of solves.
pub(crate) fn solve(
    problem: &mut impl Nonlinear,
    context: &mut EvaluationContext<'_>,
    options: &NewtonOptions,
) -> Result<usize, StageError> {
    let mut previous = f64::INFINITY;
    let mut renew = true;
    // whether the matrix of the last correction was formed for it
    let mut was_formed = false;
    for iteration in 1..=options.iterations {
        problem.evaluate(context)?;
        if renew {
            problem.linearize(context)?;
        }
        let Correction { size: correction, is_round_off, .. } = problem.correct(context)?;
        problem.note(correction * options.tolerance);
        if correction.is_finite() && problem.is_linear(context) {
            return Ok(iteration);
        }
        // θ/(1 − θ) times the correction is what remains, if corrections shrink by θ; a first one
        // proves nothing, since a matrix far too stiff makes every correction small
        let rate = correction / previous;
        let settled = rate < 1.0 && rate / (1.0 - rate) * correction <= 1.0;
        let negligible = correction * options.tolerance <= ROUND_OFF;
        if was_formed {
            let curvature = rate / (previous * options.tolerance);
            problem.set_curvature(curvature, is_round_off);
        }
        was_formed = renew;
        let economy = problem.economy(iteration);
        // corrections that no longer shrink are as small as round-off allows
        let exhausted = iteration > 2 && is_round_off && rate > 0.5;
        // near a singular position the residual does not determine the solution well: its round-off ε leaves
        // corrections of √ε that never shrink
        let blurred = iteration >= STALL_ITERATIONS
            && rate > 0.3
            && correction * options.tolerance <= BLUR
            && problem.residual_is_round_off(context);
        let is_settled = iteration > 1 && correction <= 1.0 && settled;
        if negligible || exhausted || blurred || is_settled {
            return Ok(iteration);
        }
        if let Some(economy) = economy.as_ref().filter(|_| options.early_end) {
            let error = economy.remaining_error(iteration, correction, rate, options.tolerance);
            if problem.has_negligible_error(context, error)
                || error <= NEGLIGIBLE && problem.is_closed(context)
            {
                return Ok(iteration);
            }
        }
        let size = correction * options.tolerance;
        let is_slow = correction > SLOW * previous;
        renew = match (options.keep_jacobian, economy) {
            (KeepJacobian::Never, _) => true,
            (_, None) => is_slow || size > SMALL,
            (_, Some(economy)) => {
                let rate = (!renew).then_some(rate);
                is_slow || size > MAX_KEPT || !economy.keeps_matrix(size, rate, options.tolerance)
            }
        };
        previous = correction;
    }
    Err(problem.not_converged(context, options.iterations, previous))
}

/// Damped iterations per plain one: a step into the transition layer of a friction law halves the
/// distance to it in every iteration.
const DAMPED_ITERATIONS: usize = 4;
/// Corrections are not shortened below this fraction.
const MIN_SHARE: f64 = 1e-12;

/// Newton with corrections shortened until the next one, computed with the same matrix, is smaller
/// (the natural monotonicity test of Deuflhard). For force laws with steep and flat parts,
/// where full corrections alternate between both. Returns the number of solves.
pub(crate) fn solve_damped(
    problem: &mut impl Nonlinear,
    context: &mut EvaluationContext<'_>,
    options: &NewtonOptions,
) -> Result<usize, StageError> {
    let most = DAMPED_ITERATIONS.saturating_mul(options.iterations);
    let (mut solves, mut share, mut last) = (0, 1.0_f64, f64::INFINITY);
    for _ in 0..most {
        problem.evaluate(context)?;
        problem.linearize(context)?;
        problem.copy_unknowns();
        // a full correction may leave the chart or the domain of a law, while a shorter one does not
        let size = match problem.correct(context) {
            Ok(correction) => correction.size,
            Err(error @ StageError::Singular { .. }) => return Err(error),
            Err(_) => f64::INFINITY,
        };
        solves += 1;
        problem.set_direction();
        share = (4.0 * share).min(1.0);
        loop {
            problem.move_along(context, share);
            let next = match problem.evaluate(context) {
                Ok(()) => problem.correct(context),
                Err(error) => Err(error),
            };
            solves += 1;
            if let Ok(Correction { size: next, is_round_off, .. }) = next {
                last = next;
                let rate = next / size;
                let settled = rate < 1.0 && rate / (1.0 - rate) * next <= 1.0;
                // keep the better one of those computed with the same matrix
                if share == 1.0 && (next * options.tolerance <= ROUND_OFF || is_round_off) {
                    return Ok(solves);
                }
                if share == 1.0 && next <= 1.0 && settled {
                    return Ok(solves);
                }
                if next <= (1.0 - 0.5 * share) * size {
                    problem.move_along(context, share);
                    break;
                }
            }
            share *= 0.5;
            if share < MIN_SHARE {
                return Err(problem.not_converged(context, solves, last));
            }
        }
    }
    Err(problem.not_converged(context, solves, last))
}

/// Number of the largest residuals that an error lists.
const NAMED_ROWS: usize = 3;

/// The error of an iteration that did not converge, with the worst equations by name.
pub(crate) fn not_converged(
    iterations: usize,
    correction: f64,
    residual: &[f64],
    name: impl Fn(usize) -> String,
) -> StageError {
    let mut rows: Vec<usize> = (0..residual.len()).collect();
    rows.sort_by(|&a, &b| residual[b].abs().total_cmp(&residual[a].abs()));
    let named = |&row: &usize| RowResidual { name: name(row), residual: residual[row] };
    let worst = rows.iter().take(NAMED_ROWS).map(named).collect();
    StageError::NotConverged { iterations, correction, worst, changes: Vec::new() }
}
