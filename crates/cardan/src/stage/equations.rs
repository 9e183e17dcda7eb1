//! The equations of one instant, written for whatever formulation is asked for.

use super::Formulation;
use super::problem::Stage;
use super::running::Running;
use crate::error::SystemError;
use crate::system::{Part, Point};

impl Running<'_> {
    /// M a + Gᵀλ − f + load.
    pub(super) fn dynamics(&mut self) -> Result<(), SystemError> {
        let Self { stage, system, evaluator, map, .. } = self;
        let n = stage.layout.sizes.v;
        let mass_at = if map.mass_is_elsewhere { &map.mass_at } else { &stage.q };
        evaluator.mass(*system, mass_at)?;
        evaluator.jacobian(*system, map.t, &stage.q)?;
        let at = Point {
            t: map.t,
            q: &stage.q,
            v: &stage.v,
            multipliers: &stage.multipliers,
            z: &stage.z,
        };
        let force = &mut stage.scratch[..n];
        force.fill(0.0);
        system.force(&at, force);
        let rows = &mut stage.residual[..n];
        for ((row, load), force) in rows.iter_mut().zip(&map.load).zip(force) {
            *row = load - *force;
        }
        evaluator.part(Part::Mass).multiply_add(1.0, &stage.a, rows);
        evaluator.part(Part::Jacobian).transpose_multiply_add(1.0, &stage.multipliers, rows);
        // r(t, q, v, z, ż)
        let states = stage.layout.states()..stage.layout.multipliers();
        stage.residual[states.clone()].fill(0.0);
        system.state_residual(&at, &stage.rates, &mut stage.residual[states]);
        Ok(())
    }

    /// The constraint rows of the formulation, each over its own coefficient.
    pub(super) fn constraints(&mut self) -> Result<(), SystemError> {
        let Self { stage, system, evaluator, map, .. } = self;
        let (sizes, first) = (stage.layout.sizes, stage.layout.multipliers());
        if sizes.constraints == 0 {
            return Ok(());
        }
        let rows = first..first + sizes.constraints;
        let has_velocity_rows = stage.layout.stabilized || sizes.holonomic < sizes.constraints;
        if stage.formulation == Formulation::Acceleration {
            // (G a + (G v + b)˙)/c_a
            let rows = &mut stage.residual[rows];
            evaluator.acceleration_term(*system, map.t, &stage.q, &stage.v, rows)?;
            evaluator.part(Part::Jacobian).multiply_add(1.0, &stage.a, rows);
            rows.iter_mut().for_each(|row| *row /= map.c_a);
            return Ok(());
        }
        if has_velocity_rows {
            // (G v + b)/c_v
            let rows = &mut stage.residual[rows];
            evaluator.constraint_rate(*system, map.t, &stage.q, rows);
            evaluator.part(Part::Jacobian).multiply_add(1.0, &stage.v, rows);
            rows.iter_mut().for_each(|row| *row /= map.c_v);
        }
        // Φ/c_q
        let position = if stage.layout.stabilized { stage.layout.stabilizing() } else { first };
        let phi = &mut stage.residual[position..position + sizes.holonomic];
        phi.fill(0.0);
        system.constraint(map.t, &stage.q, phi);
        phi.iter_mut().for_each(|row| *row /= map.c_q);
        if stage.layout.stabilized {
            self.link();
        }
        Ok(())
    }

    /// M (κ(p) − x) − Gᵀ μ.
    fn link(&mut self) {
        let Self { stage, evaluator, map, .. } = self;
        let n = stage.layout.sizes.v;
        let gap = &mut stage.scratch[..n];
        map.kappa(evaluator.space(), &stage.p, &stage.d, gap);
        for (gap, x) in gap.iter_mut().zip(&stage.x) {
            *gap -= x;
        }
        let first = stage.layout.increment();
        let rows = &mut stage.residual[first..first + n];
        rows.fill(0.0);
        evaluator.part(Part::Mass).multiply_add(1.0, gap, rows);
        for (i, j, value) in evaluator.part(Part::Jacobian).iter() {
            if let Some(mu) = stage.stabilizing.get(i) {
                rows[j] -= value * mu;
            }
        }
    }

    /// Evaluates the tangents where the iterate stands.
    pub(super) fn tangents(&mut self) -> Result<(), SystemError> {
        let Self { stage, system, evaluator, map, .. } = self;
        let Stage { layout, formulation, d, q, v, a, z, rates, multipliers, .. } = &**stage;
        let at = Point { t: map.t, q, v, multipliers, z };
        evaluator.set_motion(d.iter().fold(0.0_f64, |m, x| m.max(x.abs())));
        if !map.mass_is_elsewhere {
            evaluator.mass_tangent(*system, q, a)?;
        }
        evaluator.force_tangent(*system, &at)?;
        if !multipliers.is_empty() {
            evaluator.multiplier_tangent(*system, map.t, q, multipliers)?;
        }
        let accelerations = *formulation == Formulation::Acceleration && map.c_v != 0.0;
        let mixed = layout.sizes.holonomic < layout.sizes.constraints;
        if layout.stabilized || mixed || accelerations {
            evaluator.velocity_tangent(*system, map.t, q, v)?;
        }
        evaluator.state_tangent(*system, &at, rates)
    }

    /// Evaluates constant tangents at the neutral point, so that their last bits do not depend on
    /// when they were needed.
    pub(super) fn constant_tangents(&mut self) -> Result<(), SystemError> {
        let (neutral, sizes) = (self.evaluator.space().neutral(), self.stage.layout.sizes);
        let zeros = vec![0.0; sizes.v.max(sizes.z).max(sizes.constraints)];
        let at = Point {
            t: 0.0,
            q: &neutral,
            v: &zeros[..sizes.v],
            multipliers: &zeros[..sizes.constraints],
            z: &zeros[..sizes.z],
        };
        let Self { system, evaluator, .. } = self;
        evaluator.jacobian(*system, at.t, at.q)?;
        evaluator.force_tangent(*system, &at)?;
        if sizes.constraints > 0 {
            evaluator.multiplier_tangent(*system, at.t, at.q, at.multipliers)?;
            evaluator.velocity_tangent(*system, at.t, at.q, at.v)?;
        }
        evaluator.state_tangent(*system, &at, at.z)
    }
}
