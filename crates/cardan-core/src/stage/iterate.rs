//! The stage as a problem for Newton's method: evaluate, linearize, correct, and the norm of a correction.

use super::assembly::{RotationBlocks, TermCoefficients};
use super::correction_norm::{CorrectedMotion, MotionSizes, relative};
use super::correction_solve::CorrectionSolve;
use super::newton::{self, Correction, Economy, Nonlinear};
use super::problem::{Stage, explain};
use super::{EvaluationContext, Formulation, Unknowns};
use crate::math::{all_finite, hat, larger, largest};
use crate::stage::StageError;
use crate::system::{Evaluator, SystemMatrix};

/// Newton stops if a rotation exceeds the limit of the chart by this factor during the iteration.
const RUNAWAY: f64 = 1.8;

/// Position constraints below this, relative to the coordinates, are satisfied to round-off.
pub(super) const CLOSED: f64 = 32.0 * f64::EPSILON;
/// Position constraints below this, relative to the coordinates, need no further correction.
const TIGHT: f64 = 4.0 * f64::EPSILON;
/// Velocity constraints below this, relative to the velocities, are satisfied to round-off.
const MOVING: f64 = 1e-10;
/// Residuals of the dynamics below this, relative to their terms, are below the error of the method.
const BALANCED: f64 = 1e-6;

impl Stage {
    /// Whether q and v are given, so that only a, ż and λ remain.
    fn is_frozen(&self) -> bool {
        self.map.c_q == 0.0 && self.map.c_v == 0.0
    }

    /// Whether the acceleration enters M a = f only, so that one solve is exact.
    fn is_explicit(&self, context: &EvaluationContext<'_>) -> bool {
        let sizes = self.layout.sizes;
        let is_free = sizes.constraints == 0 && sizes.z == 0;
        self.map.balance.is_before()
            && is_free
            && context.evaluator.part(SystemMatrix::Damping).row_indices().is_empty()
    }

    /// The G of the constraint rows.
    pub(super) fn closing(&self) -> SystemMatrix {
        match self.has_constraints_at_next_time() {
            true => SystemMatrix::JacobianAhead,
            false => SystemMatrix::Jacobian,
        }
    }

    /// Whether the constraint rows use another G than the constraint forces.
    pub(super) fn has_constraints_at_next_time(&self) -> bool {
        self.map.balance.is_before() || self.constraint_forces.acts_within_step()
    }

    pub(super) fn check_rotations(
        &self,
        context: &EvaluationContext<'_>,
        factor: f64,
    ) -> Result<(), StageError> {
        let space = context.evaluator.space();
        self.map.check_rotations(context.system, space, &self.d, factor)
    }

    /// Applies the correction solved for last to p and to all that follows from it and from the rates.
    fn move_by_solution(&mut self, evaluator: &Evaluator) -> MotionSizes {
        let Self { map, unknowns, z, .. } = self;
        for ((z, known), rate) in z.iter_mut().zip(&map.z).zip(&unknowns.rates) {
            *z = known + map.c_z * rate;
        }
        let (map, vectors, correction) = self.iterate_vectors();
        map.move_iterate(evaluator.space(), Some(correction), vectors)
    }

    /// Whether multipliers, states and their rates are finite.
    fn other_unknowns_are_finite(&self) -> bool {
        let Unknowns { rates, multipliers, .. } = &self.unknowns;
        all_finite(multipliers) && all_finite(&self.z) && all_finite(rates)
    }

    /// An error if an unknown is infinite or not a number.
    fn check_finite(&self, context: &EvaluationContext<'_>) -> Result<(), StageError> {
        match self.not_finite(context) {
            Some(what) => Err(StageError::NotFinite { what }),
            None => Ok(()),
        }
    }

    /// The norm of the correction; the largest values are given unless velocities are separate unknowns.
    fn size(&mut self, context: &EvaluationContext<'_>, sizes: Option<&MotionSizes>) -> Correction {
        if self.is_frozen() {
            return Correction::of_size(self.frozen_size(context));
        }
        if self.is_explicit(context) {
            return Correction::of_size(0.0);
        }
        let Self { map, layout, constraint_forces: reaction, measure, unknowns, .. } = self;
        let y = &self.correction[..layout.sizes.v];
        let mut correction = match sizes {
            Some(sizes) => measure.shared_correction(sizes, [map.c_q, map.c_v]),
            None => {
                let corrected = CorrectedMotion {
                    reference: &map.reference,
                    increments: &self.d,
                    velocities: &self.v,
                    y,
                    x: reaction.velocities().map_or(y, |velocities| &velocities.motion),
                    c_q: map.c_q,
                    c_v: map.c_v,
                };
                measure.correction(context.evaluator.space(), &corrected)
            }
        };
        let dz = &self.correction[layout.states()..layout.multipliers()];
        for ((z, rate), dz) in self.z.iter().zip(&unknowns.rates).zip(dz) {
            let change = map.c_z * dz.abs();
            let unit = z.abs().max(map.c_z * rate.abs()).max(change);
            let size = relative(change, unit) / measure.tolerance;
            correction.size = correction.size.max(size);
            correction.position = correction.position.max(size);
        }
        correction
    }

    /// At frozen q and v the problem is linear unless forces depend on λ or there are states.
    fn frozen_size(&self, context: &EvaluationContext<'_>) -> f64 {
        if self.layout.sizes.z == 0 && !context.system.force_needs_multipliers() {
            return 0.0;
        }
        let unknowns = &self.unknowns;
        let value =
            largest(&self.a).max(largest(&unknowns.multipliers)).max(largest(&unknowns.rates));
        relative(largest(&self.correction), value) / self.measure.tolerance
    }
}

impl Nonlinear for Stage {
    fn evaluate(&mut self, context: &mut EvaluationContext<'_>) -> Result<(), StageError> {
        self.dynamics(context)?;
        self.constraints(context)?;
        if all_finite(&self.residual) {
            return Ok(());
        }
        match self.residual.iter().position(|r| !r.is_finite()) {
            Some(row) => Err(StageError::NotFinite { what: self.name_residual(context, row) }),
            None => Ok(()),
        }
    }

    fn economy(&mut self, iteration: usize) -> Option<Economy> {
        if !self.weighs_costs {
            return None;
        }
        let is_usual = iteration == 1 && self.memory.compare_residual(largest(&self.residual));
        let known = self.memory.curvature;
        Some(Economy {
            ratio: self.solver.cost_ratio(),
            curvature: if known > 0.0 { known } else { 1.0 },
            is_reliable: is_usual && self.memory.has_recent_curvature(),
        })
    }

    fn set_curvature(&mut self, curvature: f64, is_bound: bool) {
        if self.weighs_costs {
            self.memory.measure_curvature(curvature, is_bound);
        }
    }

    fn has_negligible_error(&mut self, context: &mut EvaluationContext<'_>, error: f64) -> bool {
        Stage::has_negligible_error(self, context, error)
    }

    fn is_closed(&mut self, context: &mut EvaluationContext<'_>) -> bool {
        let Self { map, q, scratch, layout, .. } = self;
        let EvaluationContext { system, evaluator } = context;
        let phi = &mut scratch[..layout.sizes.holonomic];
        let found = evaluator.constraint(*system, map.t, q, phi);
        found.is_ok() && largest(phi) <= TIGHT * largest(q).max(1.0)
    }

    fn note(&mut self, correction: f64) {
        if self.corrections.len() < self.corrections.capacity() {
            self.corrections.push(correction);
        }
    }

    fn copy_unknowns(&mut self) {
        self.copy.copy_from(&self.unknowns);
    }

    fn set_direction(&mut self) {
        self.direction.set_difference(&self.unknowns, &self.copy);
    }

    fn move_along(&mut self, context: &mut EvaluationContext<'_>, share: f64) {
        self.unknowns.set_along(&self.copy, share, &self.direction);
        self.place(context.evaluator, false);
    }

    fn is_linear(&self, context: &EvaluationContext<'_>) -> bool {
        context.system.has_constant_tangents() && context.evaluator.space().rotations().is_empty()
    }

    fn linearize(&mut self, context: &mut EvaluationContext<'_>) -> Result<(), StageError> {
        let factors = TermCoefficients::new(
            &self.map,
            self.formulation,
            self.constraint_forces.acts_within_step(),
        );
        let is_linear = self.is_linear(context);
        if is_linear {
            if self.factorized == Some(factors) {
                return Ok(());
            }
            self.constant_tangents(context)?;
        } else {
            self.tangents(context)?;
        }
        let Self { map, unknowns, .. } = self;
        let space = context.evaluator.space();
        map.blocks(space, &unknowns.p, &self.d, &mut self.blocks.motion);
        if self.formulation == Formulation::Acceleration {
            let RotationBlocks { motion, rotations: turning } = &mut self.blocks;
            for ((rotation, s), block) in space.rotations().iter().zip(motion).zip(turning) {
                let omega = hat(&rotation.tangent(&self.v));
                *block = *s + map.c_v / map.c_a * omega * *s;
            }
        }
        self.join_separate_prediction(context.evaluator);
        self.factorize(context.system, context.evaluator, &factors)?;
        if let Some(velocities) = self.constraint_forces.velocities() {
            velocities.renew();
        }
        if self.expected.take() == Some(factors) {
            self.solver.uncount_factorization();
        }
        self.factorized = is_linear.then_some(factors);
        Ok(())
    }

    fn correct(&mut self, context: &mut EvaluationContext<'_>) -> Result<Correction, StageError> {
        for (correction, residual) in self.correction.iter_mut().zip(&self.residual) {
            *correction = -residual;
        }
        let (layout, closing) = (self.layout, self.closing());
        let Self { map, constraint_forces: reaction, solver, blocks, correction, unknowns, .. } =
            self;
        let evaluator = &*context.evaluator;
        let linear =
            &mut CorrectionSolve { evaluator, map, correction, solver, layout, blocks, closing };
        let solved = reaction.solve(linear);
        solved.map_err(|error| explain(layout, context.system, error))?;
        let (y, rest) = correction.split_at(layout.sizes.v);
        let (rates, multipliers) = rest.split_at(layout.sizes.z);
        add(&mut unknowns.rates, rates);
        add(&mut unknowns.multipliers, multipliers);
        if !self.has_velocities && !reaction.acts_within_step() {
            let sizes = self.move_by_solution(evaluator);
            if sizes.angle_square.sqrt() > self.map.longest(RUNAWAY) {
                self.check_rotations(context, RUNAWAY)?;
            }
            if !sizes.is_finite || !self.other_unknowns_are_finite() {
                self.check_finite(context)?;
            }
            return Ok(self.size(context, Some(&sizes)));
        }
        map.correct(evaluator.space(), &self.d, y, &mut unknowns.p);
        reaction.correct(map, multipliers, unknowns);
        self.place(evaluator, false);
        self.check_rotations(context, RUNAWAY)?;
        self.check_finite(context)?;
        Ok(self.size(context, None))
    }

    fn residual_is_round_off(&mut self, context: &mut EvaluationContext<'_>) -> bool {
        let Self { layout, map, unknowns, .. } = self;
        let EvaluationContext { system, evaluator } = context;
        let sizes = layout.sizes;
        if sizes.holonomic == 0 || self.formulation == Formulation::Acceleration || sizes.z > 0 {
            return false;
        }
        if !self.has_jacobian && evaluator.jacobian(*system, map.t, &self.q).is_err() {
            return false;
        }
        // Φ relative to the coordinates
        let phi = &mut self.scratch[..sizes.holonomic];
        let found = evaluator.constraint(*system, map.t, &self.q, phi);
        let closed = found.is_ok() && largest(phi) <= CLOSED * largest(&self.q).max(1.0);
        // the dynamics relative to their terms: near a singular position large constraint forces cancel
        let forces = &mut self.scratch[..sizes.v];
        forces.fill(0.0);
        evaluator.part(SystemMatrix::Mass).multiply_add(1.0, &self.a, forces);
        let inertia = largest(forces);
        forces.fill(0.0);
        for (i, j, x) in evaluator.part(SystemMatrix::Jacobian).iter() {
            forces[j] += (x * unknowns.multipliers[i]).abs();
        }
        let scale = inertia.max(largest(forces));
        // and velocities, if they are constrained too
        let rates =
            self.constraint_forces.velocities().map_or(0.0, |velocities| largest(&velocities.rows));
        let nonholonomic = &self.residual[layout.multipliers() + sizes.holonomic..];
        let moving = map.c_v * larger(rates, largest(nonholonomic)) <= MOVING * largest(&self.v);
        closed && moving && largest(&self.residual[..sizes.v]) <= BALANCED * scale
    }

    fn not_converged(
        &self,
        context: &EvaluationContext<'_>,
        iterations: usize,
        size: f64,
    ) -> StageError {
        let name = |row| self.layout.row_name(context.system, row);
        let mut error = newton::not_converged(iterations, size, &self.residual, name);
        if let StageError::NotConverged { changes, .. } = &mut error {
            *changes = self.changing_forces(context);
        }
        error
    }
}

/// `a += b` over the shorter length.
fn add(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}
