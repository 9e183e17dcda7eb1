//! The equations of one instant, written for whatever formulation is asked for.

use super::problem::Stage;
use super::running::Running;
use super::{Balance, Formulation, Impulses};
use crate::error::{StageError, SystemError};
use crate::math::add_scaled;
use crate::system::{Part, Point};

impl Running<'_> {
    /// M a + Gᵀλ − f + load.
    pub(super) fn dynamics(&mut self) -> Result<(), StageError> {
        let Self { stage, system, evaluator, map, .. } = self;
        let n = stage.layout.sizes.v;
        let (t, q) = map.balance.point(map.t, &stage.q, &map.elsewhere);
        let mass_at = if map.balance == Balance::OtherMass { &map.elsewhere } else { q };
        evaluator.mass(*system, mass_at)?;
        if map.closes_ahead() {
            evaluator.jacobian_ahead(*system, map.t, &stage.q)?;
        }
        if map.impulses.is_none() {
            // of impulses it is the one at the start of the step
            evaluator.jacobian(*system, t, q)?;
        }
        let (v, multipliers, z) = (&stage.v, &stage.multipliers, &stage.z);
        let at = Point { multipliers, z, ..Point::new(t, q, v) };
        let force = &mut stage.scratch[..n];
        evaluator.force(*system, &at, force)?;
        let rows = &mut stage.residual[..n];
        for ((row, load), force) in rows.iter_mut().zip(&map.load).zip(force) {
            *row = load - *force;
        }
        evaluator.part(Part::Mass).multiply_add(1.0, &stage.a, rows);
        // r(t, q, v, z, ż)
        let states = stage.layout.states()..stage.layout.multipliers();
        let residual = &mut stage.residual[states];
        evaluator.state_residual(*system, &at, &stage.rates, residual)?;
        match map.impulses {
            Some(impulses) => self.impulses(&impulses),
            None => {
                let rows = &mut stage.residual[..n];
                let jacobian = evaluator.part(Part::Jacobian);
                jacobian.transpose_multiply_add(1.0, &stage.multipliers, rows);
                Ok(())
            }
        }
    }

    /// In place of Gᵀλ: κ_q [(1 − b) M R₁ + b M R₂] with the other sign.
    fn impulses(&mut self, of: &Impulses) -> Result<(), StageError> {
        let Self { stage, system, evaluator, .. } = self;
        let Stage { companion, residual, multipliers, stabilizing, p, .. } = &mut **stage;
        let before = companion.as_mut().and_then(|companion| companion.before.as_mut());
        let Some(before) = before else { return Ok(()) };
        let computed = before.impulses(evaluator, of, multipliers, stabilizing);
        before.follow(of, p);
        let shares = of.shares();
        add_scaled(shares[0], &before.first, residual);
        add_scaled(shares[1], &before.second, residual);
        computed.map_err(|error| stage.explain(*system, error))
    }

    /// The constraint rows of the formulation, each over its own coefficient; λ = 0 of inactive ones.
    pub(super) fn constraints(&mut self) -> Result<(), SystemError> {
        self.active_constraints()?;
        let first = self.stage.layout.multipliers();
        for &row in self.evaluator.inactive() {
            self.stage.residual[first + row] = self.stage.multipliers[row];
        }
        Ok(())
    }

    fn active_constraints(&mut self) -> Result<(), SystemError> {
        let Self { stage, system, evaluator, map, .. } = self;
        let (sizes, first) = (stage.layout.sizes, stage.layout.multipliers());
        if sizes.constraints == 0 {
            return Ok(());
        }
        let rows = first..first + sizes.constraints;
        if stage.formulation == Formulation::Acceleration {
            // (G a + (G v + b)˙)/c_a
            let rows = &mut stage.residual[rows];
            evaluator.acceleration_term(*system, map.t, &stage.q, &stage.v, rows)?;
            evaluator.part(Part::Jacobian).multiply_add(1.0, &stage.a, rows);
            rows.iter_mut().for_each(|row| *row /= map.c_a);
            return if map.restoring == 0.0 { Ok(()) } else { self.restore() };
        }
        if map.balance.is_before() {
            // nonholonomic rows hold for accelerations: the recursions that prescribed velocities leave
            // have roots outside of the unit circle
            if sizes.holonomic < sizes.constraints {
                let (t, q) = map.balance.point(map.t, &stage.q, &map.elsewhere);
                let rows = &mut stage.residual[rows];
                evaluator.acceleration_term(*system, t, q, &stage.v, rows)?;
                evaluator.part(Part::Jacobian).multiply_add(1.0, &stage.a, rows);
                rows.iter_mut().for_each(|row| *row /= map.c_a);
            }
        } else if stage.companion.is_some() || sizes.holonomic < sizes.constraints {
            // (G v + b)/c_v
            let rows = &mut stage.residual[rows];
            evaluator.constraint_rate(*system, map.t, &stage.q, rows)?;
            evaluator.part(map.closing()).multiply_add(1.0, &stage.v, rows);
            rows.iter_mut().for_each(|row| *row /= map.c_v);
        }
        if let Some(companion) = &mut stage.companion {
            companion.rows.copy_from_slice(&stage.residual[first..]);
        }
        // Φ/c_q
        let phi = &mut stage.residual[first..first + sizes.holonomic];
        evaluator.constraint(*system, map.t, &stage.q, phi)?;
        phi.iter_mut().for_each(|row| *row /= map.c_q);
        self.link();
        Ok(())
    }

    /// Baumgarte: + (2ω (G v + b) + ω² Φ)/c_a.
    fn restore(&mut self) -> Result<(), SystemError> {
        let Self { stage, system, evaluator, map, .. } = self;
        let (sizes, first) = (stage.layout.sizes, stage.layout.multipliers());
        let rows = &mut stage.scratch[..sizes.constraints];
        evaluator.constraint_rate(*system, map.t, &stage.q, rows)?;
        evaluator.part(Part::Jacobian).multiply_add(1.0, &stage.v, rows);
        add_scaled(2.0 * map.restoring / map.c_a, rows, &mut stage.residual[first..]);
        let phi = &mut rows[..sizes.holonomic];
        evaluator.constraint(*system, map.t, &stage.q, phi)?;
        add_scaled(map.restoring.powi(2) / map.c_a, phi, &mut stage.residual[first..]);
        Ok(())
    }

    /// How far x is from what the positions and the multipliers say.
    fn link(&mut self) {
        let Self { stage, evaluator, map, .. } = self;
        let Stage { companion, scratch, layout, p, x, d, stabilizing, .. } = &mut **stage;
        let Some(companion) = companion else { return };
        let gap = &mut scratch[..layout.sizes.v];
        map.kappa(evaluator.space(), p, d, gap);
        add_scaled(-1.0, x, gap);
        companion.link.fill(0.0);
        evaluator.part(Part::Mass).multiply_add(1.0, gap, &mut companion.link);
        match (&map.impulses, &companion.before) {
            (Some(of), Some(before)) => {
                let shares = of.shares();
                add_scaled(shares[0] - of.velocity, &before.first, &mut companion.link);
                add_scaled(shares[1] - of.velocity, &before.second, &mut companion.link);
            }
            _ => {
                for (i, j, value) in evaluator.part(map.closing()).iter() {
                    if let Some(mu) = stabilizing.get(i) {
                        companion.link[j] -= value * mu;
                    }
                }
            }
        }
    }

    /// Evaluates the tangents where the iterate stands.
    pub(super) fn tangents(&mut self) -> Result<(), SystemError> {
        let Self { stage, system, evaluator, map, .. } = self;
        let Stage { layout, formulation, companion, d, v, a, z, rates, multipliers, .. } = &**stage;
        let (t, q) = map.balance.point(map.t, &stage.q, &map.elsewhere);
        let at = Point { multipliers, z, ..Point::new(t, q, v) };
        if map.c_q == 0.0 && map.c_v == 0.0 && !system.force_needs_multipliers() {
            // q and v are given: nothing else is unknown
            return evaluator.state_tangent(*system, &at, rates);
        }
        evaluator.set_motion(d.iter().fold(0.0_f64, |m, x| m.max(x.abs())));
        let before = companion.as_ref().and_then(|companion| companion.before.as_ref());
        if map.balance == Balance::Here {
            evaluator.mass_tangent(*system, q, before.map_or(a, |before| &before.free))?;
        }
        evaluator.force_tangent(*system, &at)?;
        if !multipliers.is_empty() && !map.balance.is_before() {
            let turning = before.map_or(multipliers, |before| &before.turning);
            evaluator.multiplier_tangent(*system, t, q, turning)?;
        }
        let accelerations = *formulation == Formulation::Acceleration && map.c_v != 0.0;
        let mixed = layout.sizes.holonomic < layout.sizes.constraints;
        if companion.is_some() || mixed || accelerations {
            evaluator.velocity_tangent(*system, t, q, v)?;
        }
        evaluator.state_tangent(*system, &at, rates)
    }

    /// Evaluates constant tangents at the neutral point, so that their last bits do not depend on
    /// when they were needed.
    pub(super) fn constant_tangents(&mut self) -> Result<(), SystemError> {
        let Stage { layout, neutral, zeros, .. } = &*self.stage;
        let sizes = layout.sizes;
        let at = Point {
            multipliers: &zeros[..sizes.constraints],
            z: &zeros[..sizes.z],
            ..Point::new(0.0, neutral, &zeros[..sizes.v])
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
