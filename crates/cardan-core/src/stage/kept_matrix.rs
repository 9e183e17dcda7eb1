//! A stage matrix that is kept from step to step.
//!
//! The matrix is formed at an instant that has been accepted, and kept while it pays. All that decides about it is in
//! [`NewtonMemory`], which is part of the state: a rejected step leaves no trace, and a continued run forms the same matrix
//! again.
//!
//! With a kept matrix corrections shrink by a rate θ, in proportion to the age of the matrix. After a correction δ the
//! remaining error is θ/(1 − θ) δ. A rate that was measured earlier lets one correction suffice, if it was measured at no less
//! than half of the present age and the residual is not larger than usual: where forces change abruptly, a matrix
//! that is too stiff makes a correction small and proves nothing. The remaining error must be round-off, as after
//! the quadratic convergence with a new matrix.

use super::assembly::{RotationBlocks, TermCoefficients};
use super::newton::{Correction, KeepJacobian, NEGLIGIBLE, NewtonOptions, Nonlinear};
use super::newton_memory::{MIN_RATE, NewtonMemory};
use super::problem::Stage;
use super::{EvaluationContext, ForceEvaluation, Formulation, VelocityLink};
use crate::math::{Matrix3, Vector3, largest};
use crate::stage::StageError;
use crate::state::Instant;
use crate::system::{Evaluator, StateView, System};

/// Above this rate a kept matrix is given up.
const MAX_RATE: f64 = 0.4;
/// The error of positions that may remain, in units of 64 times the rounding of the largest one.
const REMAINING: f64 = 0.01;
/// The part of the error of the method that Newton may leave: it adds a ten-thousandth.
const NEGLIGIBLE_PART: f64 = 1e-4;
/// Constraints hold to round-off if the error of positions is below this part of Newton's tolerance.
const CLOSED: f64 = 1e-5;
/// Corrections below this many times the remaining error consist of round-off.
const NOISE: f64 = 10.0;
/// The residual must fall to this fraction in the first correction.
const FALLING: f64 = 0.5;

/// The part of an error that remains after a correction, in units of that correction.
fn remaining(rate: f64) -> f64 {
    if rate < 1.0 { rate / (1.0 - rate) } else { f64::INFINITY }
}

impl Stage {
    /// The memory of the Newton iteration.
    pub(crate) fn memory(&self) -> &NewtonMemory {
        &self.memory
    }

    /// Returns to a memory of earlier; one that does not fit the equations is not used.
    pub(crate) fn restore_memory(&mut self, memory: &NewtonMemory) {
        match memory.fits(&self.layout.sizes) {
            true => self.memory.copy_from(memory),
            false => self.memory = NewtonMemory::default(),
        }
    }

    /// Takes the memory of another motion: its matrices have numbers of their own.
    pub(crate) fn replace_memory(&mut self, memory: &NewtonMemory) {
        (self.memory, self.factors_of) = (NewtonMemory::default(), None);
        self.restore_memory(memory);
    }

    /// Solves the equations of the instant like [`Stage::solve`], with a matrix that is kept from step to step if it
    /// pays. `now` is the accepted instant at which a new matrix is formed.
    pub(crate) fn solve_from(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        options: &NewtonOptions,
        now: &Instant,
    ) -> Result<usize, StageError> {
        if !options.early_end {
            self.method_error = 0.0;
        }
        self.weighs_costs = self.keeps_matrix(system, evaluator, options);
        if !self.weighs_costs {
            return self.solve(system, evaluator, options);
        }
        self.memory.begin_stage();
        let mut solves = 0;
        if self.memory.pause > 0 {
            self.memory.pause -= 1;
        } else {
            self.start(evaluator, options);
            let context = &mut EvaluationContext { system, evaluator };
            match self.solve_kept(context, options, now) {
                Ok((is_solved, count)) => {
                    if is_solved {
                        self.check_rotations(context, 1.0)?;
                        return Ok(count);
                    }
                    solves = count;
                }
                // the equations may have a solution that a new matrix finds
                Err(_) => solves += 1,
            }
            self.memory.give_up();
            let Self { unknowns, start, .. } = self;
            unknowns.copy_from(start);
        }
        let plain = self.solve(system, evaluator, options)?;
        self.memory.plain = plain as u32;
        Ok(solves + plain)
    }

    /// The error of positions over Newton's tolerance that is negligible beside that of the method, and not above that
    /// tolerance; zero if the error of the method is not known.
    fn allowed_error(&self) -> f64 {
        (NEGLIGIBLE_PART * self.map.c_q * self.method_error / self.measure.tolerance).min(1.0)
    }

    /// Whether an error of positions, over Newton's tolerance, is negligible beside that of the method. The constraints then
    /// hold to round-off.
    pub(super) fn has_negligible_error(
        &mut self,
        context: &mut EvaluationContext<'_>,
        error: f64,
    ) -> bool {
        error <= self.allowed_error() && (error <= CLOSED || self.is_closed(context))
    }

    /// Whether the equations have the form for which matrices are kept.
    fn keeps_matrix(
        &self,
        system: &dyn System,
        evaluator: &Evaluator,
        options: &NewtonOptions,
    ) -> bool {
        let is_constant =
            system.has_constant_tangents() && evaluator.space().rotations().is_empty();
        options.keep_jacobian == KeepJacobian::AcrossSteps
            && self.formulation == Formulation::Position
            && self.map.balance == ForceEvaluation::AtStage
            && self.map.c_q > 0.0
            && self.map.c_v > 0.0
            && !self.has_velocities
            && !self.acts_within_step()
            && !is_constant
    }

    /// Solves with the kept matrix; returns whether it converged, and the number of corrections.
    fn solve_kept(
        &mut self,
        context: &mut EvaluationContext<'_>,
        options: &NewtonOptions,
        now: &Instant,
    ) -> Result<(bool, usize), StageError> {
        if !self.prepare_kept_matrix(context, now)? {
            return Ok((false, 0));
        }
        let ratio = self.solver.cost_ratio();
        let most = (ratio as usize + self.memory.plain.max(2) as usize + 1).min(options.iterations);
        let (mut previous, mut before, mut first) = (f64::INFINITY, f64::INFINITY, 0.0);
        for iteration in 1..=most {
            self.evaluate(context)?;
            let residual = largest(&self.residual);
            let Correction { size, position: correction, is_round_off, round_off, blur } =
                self.correct(context)?;
            let round_off = REMAINING * round_off;
            // a slow part of the error may be hidden by a fast one: only small errors are allowed
            let negligible = self.allowed_error().min(NEGLIGIBLE);
            let allowed = round_off.max(negligible);
            self.note(size * options.tolerance);
            let memory = &mut self.memory;
            // an upper bound of the error that remains
            let error = if iteration == 1 {
                let is_usual = memory.compare_residual(residual);
                first = correction;
                let expected = memory.expected_rate().filter(|_| is_usual);
                match expected {
                    Some(rate) if rate < MAX_RATE => remaining(rate) * correction,
                    _ => f64::INFINITY,
                }
            } else {
                let rate = correction / previous;
                if iteration == 2 {
                    memory.measure(rate, correction <= NOISE * round_off);
                }
                // small corrections prove nothing unless the residual falls with them
                let noise = blur / self.map.c_q;
                let falls = residual <= noise.max(FALLING * memory.residual);
                let is_noise = correction <= round_off || (is_round_off && rate > 0.5);
                // slow and fast corrections may alternate
                let is_slow = rate > MAX_RATE && correction > MAX_RATE * MAX_RATE * before;
                // corrections to come at this rate
                let more = (allowed / correction).ln() / rate.ln();
                let is_long = iteration == 2 && iteration as f64 + more > most as f64 + 1.0;
                if !falls || (!is_noise && (is_slow || is_long || rate >= 1.0)) {
                    return Ok((false, iteration));
                }
                let rate = if iteration > 2 { rate.max(previous / before) } else { rate };
                if is_noise { 0.0 } else { remaining(rate.max(MIN_RATE)) * correction }
            };
            if error <= round_off
                || error <= negligible && self.has_negligible_error(context, error)
            {
                let memory = &mut self.memory;
                // a second correction that only measured the rate was not needed
                let is_enough = remaining(memory.estimated_rate()) * first <= allowed;
                memory.needed = if iteration == 2 && is_enough { 1 } else { iteration as u32 };
                memory.age = memory.age.saturating_add(1);
                memory.corrections = memory.corrections.saturating_add(memory.needed);
                return Ok((true, iteration));
            }
            (before, previous) = (previous, correction);
        }
        Ok((false, most))
    }

    /// Makes the factors those of the kept matrix, or of a new one; returns whether that pays.
    fn prepare_kept_matrix(
        &mut self,
        context: &mut EvaluationContext<'_>,
        now: &Instant,
    ) -> Result<bool, StageError> {
        let coefficients = TermCoefficients::new(&self.map, self.formulation, false);
        let ratio = self.solver.cost_ratio();
        let memory = &mut self.memory;
        let is_kept = memory.coefficients == Some(coefficients);
        if !is_kept || memory.is_due(ratio) {
            if is_kept && memory.is_unprofitable(ratio) {
                return Ok(false);
            }
            memory.begin(now, coefficients);
            self.form_kept_matrix(context, coefficients)?;
        } else if self.factors_of != Some(memory.serial) {
            self.form_kept_matrix(context, coefficients)?;
            self.solver.uncount_factorization();
        }
        Ok(true)
    }

    /// Forms and factorizes the matrix at the point of the memory.
    fn form_kept_matrix(
        &mut self,
        context: &mut EvaluationContext<'_>,
        coefficients: TermCoefficients,
    ) -> Result<(), StageError> {
        let point = std::mem::take(&mut self.memory.point);
        let formed = self.form_at(context, &point, coefficients);
        self.memory.point = point;
        formed?;
        self.factors_of = Some(self.memory.serial);
        Ok(())
    }

    fn form_at(
        &mut self,
        context: &mut EvaluationContext<'_>,
        point: &Instant,
        coefficients: TermCoefficients,
    ) -> Result<(), StageError> {
        let EvaluationContext { system, evaluator } = context;
        let at = StateView::from(point);
        evaluator.mass(*system, at.q)?;
        evaluator.jacobian(*system, at.t, at.q)?;
        let motion = self.map.c_v * largest(at.v);
        self.tangents_at(context, &at, &point.a, &point.rates, motion)?;
        let map = &self.map;
        let rotations = context.evaluator.space().rotations();
        let RotationBlocks { motion, .. } = &mut self.blocks;
        for (rotation, block) in rotations.iter().zip(motion) {
            *block = Matrix3::identity();
            if map.link == VelocityLink::Chart {
                let rate = rotation.tangent(&point.v);
                *block += map.c_v * map.chart.tangent_derivative(&Vector3::zeros(), &rate);
            }
        }
        self.factorize(context.system, context.evaluator, &coefficients)
    }
}
