//! The equations of one instant in the chosen formulation.

use super::constraint_forces::Iterate;
use super::problem::Stage;
use super::{EvaluationContext, ForceEvaluation, Formulation};
use crate::math::{add_scaled, largest};
use crate::stage::StageError;
use crate::system::SystemError;
use crate::system::{StateView, SystemMatrix};

impl Stage {
    /// M a + Gᵀλ − f + load.
    pub(super) fn dynamics(
        &mut self,
        context: &mut EvaluationContext<'_>,
    ) -> Result<(), StageError> {
        let closes_ahead = self.has_constraints_at_next_time();
        let Self { map, constraint_forces: reaction, unknowns, layout, .. } = self;
        let EvaluationContext { system, evaluator } = context;
        let n = layout.sizes.v;
        let (t, q) = map.balance.point(map.t, &self.q, &map.force_configuration);
        let mass_at =
            if map.balance == ForceEvaluation::OtherMass { &map.force_configuration } else { q };
        evaluator.mass(*system, mass_at)?;
        if closes_ahead {
            evaluator.jacobian_at_next_time(*system, map.t, &self.q)?;
        }
        let sizes = layout.sizes;
        let needs_product = reaction.is_product()
            && self.formulation == Formulation::Position
            && map.balance == ForceEvaluation::AtStage
            && sizes.holonomic == sizes.constraints;
        self.has_jacobian = !needs_product;
        if !reaction.acts_within_step() && !needs_product {
            evaluator.jacobian(*system, t, q)?;
        }
        let at = StateView {
            multipliers: &unknowns.multipliers,
            z: &self.z,
            ..StateView::new(t, q, &self.v)
        };
        let force = &mut self.scratch[..n];
        evaluator.force(*system, &at, force)?;
        let rows = &mut self.residual[..n];
        for ((row, load), force) in rows.iter_mut().zip(&map.load).zip(force) {
            *row = load - *force;
        }
        evaluator.part(SystemMatrix::Mass).multiply_add(1.0, &self.a, rows);
        // r(t, q, v, z, ż)
        let states = layout.states()..layout.multipliers();
        let residual = &mut self.residual[states];
        evaluator.state_residual(*system, &at, &unknowns.rates, residual)?;
        if needs_product {
            if evaluator.constraint_force(*system, &at, &mut self.residual[..n])? {
                return Ok(());
            }
            evaluator.jacobian(*system, t, q)?;
            self.has_jacobian = true;
        }
        let at = Iterate { evaluator, map, unknowns };
        let added = reaction.add(&at, &mut self.residual[..n]);
        added.map_err(|error| self.explain(*system, error))
    }

    /// The constraint rows of the formulation, each over its own coefficient; λ = 0 of inactive ones.
    pub(super) fn constraints(
        &mut self,
        context: &mut EvaluationContext<'_>,
    ) -> Result<(), SystemError> {
        self.active_constraints(context)?;
        let first = self.layout.multipliers();
        for &row in context.evaluator.inactive() {
            self.residual[first + row] = self.unknowns.multipliers[row];
        }
        Ok(())
    }

    fn active_constraints(
        &mut self,
        context: &mut EvaluationContext<'_>,
    ) -> Result<(), SystemError> {
        let closing = self.closing();
        let (stage, EvaluationContext { system, evaluator }) = (&mut *self, &mut *context);
        let map = &stage.map;
        let (sizes, first) = (stage.layout.sizes, stage.layout.multipliers());
        if sizes.constraints == 0 {
            return Ok(());
        }
        let rows = first..first + sizes.constraints;
        if stage.formulation == Formulation::Acceleration {
            // (G a + (G v + b)˙)/c_a
            let rows = &mut stage.residual[rows];
            evaluator.acceleration_term(*system, map.t, &stage.q, &stage.v, rows)?;
            evaluator.part(SystemMatrix::Jacobian).multiply_add(1.0, &stage.a, rows);
            rows.iter_mut().for_each(|row| *row /= map.c_a);
            return if map.baumgarte_rate == 0.0 { Ok(()) } else { self.restore(context) };
        }
        if map.balance.is_before() {
            // nonholonomic rows hold for accelerations: the recursions that prescribed velocities leave
            // have roots outside of the unit circle
            if sizes.holonomic < sizes.constraints {
                let (t, q) = map.balance.point(map.t, &stage.q, &map.force_configuration);
                let rows = &mut stage.residual[rows];
                evaluator.acceleration_term(*system, t, q, &stage.v, rows)?;
                evaluator.part(SystemMatrix::Jacobian).multiply_add(1.0, &stage.a, rows);
                rows.iter_mut().for_each(|row| *row /= map.c_a);
            }
        } else if stage.has_velocities || sizes.holonomic < sizes.constraints {
            // (G v + b)/c_v
            let rows = &mut stage.residual[rows];
            evaluator.constraint_rate(*system, map.t, &stage.q, rows)?;
            evaluator.part(closing).multiply_add(1.0, &stage.v, rows);
            rows.iter_mut().for_each(|row| *row /= map.c_v);
        }
        if let Some(velocities) = stage.constraint_forces.velocities() {
            velocities.rows.copy_from_slice(&stage.residual[first..]);
        }
        // Φ/c_q
        let phi = &mut stage.residual[first..first + sizes.holonomic];
        evaluator.constraint(*system, map.t, &stage.q, phi)?;
        phi.iter_mut().for_each(|row| *row /= map.c_q);
        self.link(context);
        Ok(())
    }

    /// Baumgarte: + (2ω (G v + b) + ω² Φ)/c_a.
    fn restore(&mut self, context: &mut EvaluationContext<'_>) -> Result<(), SystemError> {
        let (stage, EvaluationContext { system, evaluator }) = (self, context);
        let map = &stage.map;
        let (sizes, first) = (stage.layout.sizes, stage.layout.multipliers());
        let rows = &mut stage.scratch[..sizes.constraints];
        evaluator.constraint_rate(*system, map.t, &stage.q, rows)?;
        evaluator.part(SystemMatrix::Jacobian).multiply_add(1.0, &stage.v, rows);
        add_scaled(2.0 * map.baumgarte_rate / map.c_a, rows, &mut stage.residual[first..]);
        let phi = &mut rows[..sizes.holonomic];
        evaluator.constraint(*system, map.t, &stage.q, phi)?;
        add_scaled(map.baumgarte_rate.powi(2) / map.c_a, phi, &mut stage.residual[first..]);
        Ok(())
    }

    /// The defect of the link between x, the positions and the multipliers.
    fn link(&mut self, context: &EvaluationContext<'_>) {
        let Self { map, constraint_forces: reaction, unknowns, scratch, layout, d, .. } = self;
        let Some(velocities) = reaction.velocities() else { return };
        let evaluator = &*context.evaluator;
        let gap = &mut scratch[..layout.sizes.v];
        map.kappa(evaluator.space(), &unknowns.p, d, gap);
        add_scaled(-1.0, &unknowns.x, gap);
        velocities.link.fill(0.0);
        evaluator.part(SystemMatrix::Mass).multiply_add(1.0, gap, &mut velocities.link);
        reaction.add_link(&Iterate { evaluator, map, unknowns });
    }

    /// Evaluates the tangents at the iterate.
    pub(super) fn tangents(
        &mut self,
        context: &mut EvaluationContext<'_>,
    ) -> Result<(), SystemError> {
        let Self { map, d, v, a, z, unknowns, .. } = &*self;
        let (multipliers, rates) = (&unknowns.multipliers, &unknowns.rates);
        let (t, q) = map.balance.point(map.t, &self.q, &map.force_configuration);
        let at = StateView { multipliers, z, ..StateView::new(t, q, v) };
        if !self.has_jacobian {
            context.evaluator.jacobian(context.system, t, q)?;
        }
        self.tangents_at(context, &at, a, rates, largest(d))
    }

    /// Evaluates the tangents at a point; `motion` is the size of the motion in the step.
    pub(super) fn tangents_at(
        &self,
        context: &mut EvaluationContext<'_>,
        at: &StateView<'_>,
        a: &[f64],
        rates: &[f64],
        motion: f64,
    ) -> Result<(), SystemError> {
        let Self { layout, formulation, has_velocities, map, .. } = self;
        let EvaluationContext { system, evaluator } = context;
        if map.c_q == 0.0 && map.c_v == 0.0 && !system.force_needs_multipliers() {
            // q and v are given: nothing else is unknown
            return evaluator.state_tangent(*system, at, rates);
        }
        evaluator.set_motion(motion);
        let [a, turning] = self.constraint_forces.tangent_vectors(a, at.multipliers);
        if map.balance == ForceEvaluation::AtStage {
            evaluator.mass_tangent(*system, at.q, a)?;
        }
        evaluator.force_tangent(*system, at)?;
        if !at.multipliers.is_empty() && !map.balance.is_before() {
            evaluator.multiplier_tangent(*system, at.t, at.q, turning)?;
        }
        let accelerations = *formulation == Formulation::Acceleration && map.c_v != 0.0;
        let mixed = layout.sizes.holonomic < layout.sizes.constraints;
        if *has_velocities || mixed || accelerations {
            evaluator.velocity_tangent(*system, at.t, at.q, at.v)?;
        }
        evaluator.state_tangent(*system, at, rates)
    }

    /// Evaluates constant tangents at the neutral point, so that their last bits do not depend on
    /// when they were needed.
    pub(super) fn constant_tangents(
        &mut self,
        context: &mut EvaluationContext<'_>,
    ) -> Result<(), SystemError> {
        let EvaluationContext { system, evaluator } = context;
        let sizes = self.layout.sizes;
        if self.neutral.is_empty() {
            self.neutral = evaluator.space().neutral();
            self.zeros = vec![0.0; sizes.v.max(sizes.z).max(sizes.constraints)];
        }
        let Self { neutral, zeros, .. } = &*self;
        let at = StateView {
            multipliers: &zeros[..sizes.constraints],
            z: &zeros[..sizes.z],
            ..StateView::new(0.0, neutral, &zeros[..sizes.v])
        };
        evaluator.jacobian(*system, at.t, at.q)?;
        evaluator.force_tangent(*system, &at)?;
        if sizes.constraints > 0 {
            evaluator.multiplier_tangent(*system, at.t, at.q, at.multipliers)?;
            evaluator.velocity_tangent(*system, at.t, at.q, at.v)?;
        }
        evaluator.state_tangent(*system, &at, at.z)
    }
}
