//! A stage in the hands of Newton: evaluate, linearize, correct, and how large a correction is.

use super::assembly::Blocks;
use super::measure::{Corrected, Measure, relative};
use super::newton::{self, Correction, Nonlinear};
use super::problem::{Stage, explain, factors};
use super::{Formulation, StageMap};
use crate::error::{ForceChange, StageError};
use crate::math::{add_scaled, hat, larger, largest};
use crate::system::{Evaluator, Part, Point, System};

/// Newton gives up on a rotation that leaves the chart's limit by this factor on its way.
const RUNAWAY: f64 = 1.8;

/// Constraints this small, against the coordinates, are closed as far as round-off allows.
pub(super) const CLOSED: f64 = 32.0 * f64::EPSILON;
/// Velocity constraints this well kept, against the velocities, are so there.
const MOVING: f64 = 1e-10;
/// Dynamics this well balanced are as good as the method.
const BALANCED: f64 = 1e-6;

/// A stage in the hands of Newton.
pub(super) struct Running<'a> {
    pub(super) stage: &'a mut Stage,
    pub(super) system: &'a dyn System,
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) map: &'a StageMap,
    tolerance: f64,
    measure: Measure,
}

impl<'a> Running<'a> {
    pub fn new(
        stage: &'a mut Stage,
        system: &'a dyn System,
        evaluator: &'a mut Evaluator,
        map: &'a StageMap,
        tolerance: f64,
    ) -> Self {
        let sizes = stage.layout.sizes;
        let holds_velocities = stage.companion.is_some()
            || (sizes.holonomic < sizes.constraints && !map.balance.is_before());
        let is_amplified = sizes.holonomic > 0 && stage.formulation != Formulation::Acceleration;
        let measure = Measure::new(tolerance, holds_velocities, is_amplified);
        Self { stage, system, evaluator, map, tolerance, measure }
    }

    /// Whether q and v are given, so that only a, ż and λ remain.
    fn is_frozen(&self) -> bool {
        self.map.c_q == 0.0 && self.map.c_v == 0.0
    }

    /// Whether the acceleration stands in M a = f alone, so that one solve is exact.
    fn is_explicit(&self) -> bool {
        let sizes = self.stage.layout.sizes;
        let is_free = sizes.constraints == 0 && sizes.z == 0;
        self.map.balance.is_before()
            && is_free
            && self.evaluator.part(Part::Damping).places().is_empty()
    }

    pub fn check_rotations(&self, factor: f64) -> Result<(), StageError> {
        self.map.check_rotations(self.system, self.evaluator.space(), &self.stage.d, factor)
    }

    /// What has become infinite or not a number, if anything has.
    fn not_finite(&self) -> Option<String> {
        let (stage, system) = (&*self.stage, self.system);
        let bad = |values: &[f64]| values.iter().position(|x| !x.is_finite());
        let motion = bad(&stage.v).or_else(|| bad(&stage.a)).or_else(|| bad(&stage.d));
        if let Some(i) = motion {
            return Some(format!("the motion of {}", system.coordinate_name(i)));
        }
        if let Some(i) = bad(&stage.multipliers).or_else(|| bad(&stage.stabilizing)) {
            return Some(format!("the multiplier of {}", system.constraint_name(i)));
        }
        let state = bad(&stage.z).or_else(|| bad(&stage.rates));
        let state = state.map(|i| system.state_name(i));
        state.or_else(|| bad(&stage.q).map(|_| "the configuration".into()))
    }

    /// An equation whose residual is not finite, with the forces in it that are the cause.
    fn name_residual(&self, row: usize) -> String {
        let what = self.stage.layout.row_name(self.system, row);
        let parts = match row < self.stage.layout.sizes.v {
            true => self.forces_on(row, &self.stage.q, &self.stage.v),
            false => Vec::new(),
        };
        let mut names: Vec<String> =
            parts.into_iter().filter(|x| !x.1.is_finite()).map(|x| x.0).collect();
        names.dedup();
        match names.is_empty() {
            true => format!("the residual of the {what}"),
            false => format!("{} in the {what}", names.join(" and ")),
        }
    }

    fn forces_on(&self, row: usize, q: &[f64], v: &[f64]) -> Vec<(String, f64)> {
        let (stage, map) = (&*self.stage, self.map);
        let (t, q) = map.balance.point(map.t, q, &map.elsewhere);
        let at = Point { multipliers: &stage.multipliers, z: &stage.z, ..Point::new(t, q, v) };
        self.system.forces_on(&at, row)
    }

    /// Forces in the worst equation of motion that the last correction changed by more than half.
    fn changing_forces(&self) -> Vec<ForceChange> {
        let (stage, map, space) = (&*self.stage, self.map, self.evaluator.space());
        let n = stage.layout.sizes.v;
        let residual = &stage.residual[..n];
        let Some(row) = (0..n).max_by(|&a, &b| residual[a].abs().total_cmp(&residual[b].abs()))
        else {
            return Vec::new();
        };
        // the motion before the last correction
        let p: Vec<f64> = stage.p.iter().zip(&stage.correction).map(|(p, y)| p - y).collect();
        let (mut d, mut kappa) = (vec![0.0; n], vec![0.0; n]);
        let (mut q, mut v, mut a) = (stage.q.clone(), vec![0.0; n], vec![0.0; n]);
        map.increment(&p, &mut d);
        space.retract(map.chart, &map.reference, &d, &mut q);
        map.kappa(space, &p, &d, &mut kappa);
        map.motion(&kappa, &mut v, &mut a);
        let before = self.forces_on(row, &q, &v);
        let after = self.forces_on(row, &stage.q, &stage.v);
        let from = |name: &str| before.iter().find(|x| x.0 == name).map_or(0.0, |x| x.1);
        let changes =
            after.into_iter().map(|(name, to)| ForceChange { from: from(&name), name, to });
        let is_large = |x: &ForceChange| (x.to - x.from).abs() > 0.5 * x.to.abs().max(x.from.abs());
        changes.filter(is_large).collect()
    }

    /// How large the correction was.
    fn size(&mut self) -> Correction {
        if self.is_frozen() {
            return Correction { size: self.frozen_size(), is_round_off: false };
        }
        if self.is_explicit() {
            return Correction { size: 0.0, is_round_off: false };
        }
        let (stage, map) = (&*self.stage, self.map);
        let layout = &stage.layout;
        let y = &stage.correction[..layout.sizes.v];
        let corrected = Corrected {
            reference: &map.reference,
            increments: &stage.d,
            velocities: &stage.v,
            y,
            x: stage.companion.as_ref().map_or(y, |companion| &companion.motion),
            c_q: map.c_q,
            c_v: map.c_v,
        };
        let mut correction = self.measure.correction(self.evaluator.space(), &corrected);
        let dz = &stage.correction[layout.states()..layout.multipliers()];
        for ((z, rate), dz) in stage.z.iter().zip(&stage.rates).zip(dz) {
            let change = map.c_z * dz.abs();
            let unit = z.abs().max(map.c_z * rate.abs()).max(change);
            correction.size = correction.size.max(relative(change, unit) / self.tolerance);
        }
        correction
    }

    /// At frozen q and v the problem is linear unless forces depend on λ or there are states.
    fn frozen_size(&self) -> f64 {
        let stage = &self.stage;
        if stage.layout.sizes.z == 0 && !self.system.force_needs_multipliers() {
            return 0.0;
        }
        let value = largest(&stage.a).max(largest(&stage.multipliers)).max(largest(&stage.rates));
        relative(largest(&stage.correction), value) / self.tolerance
    }
}

impl Nonlinear for Running<'_> {
    fn evaluate(&mut self) -> Result<(), StageError> {
        self.dynamics()?;
        self.constraints()?;
        match self.stage.residual.iter().position(|r| !r.is_finite()) {
            Some(row) => Err(StageError::NotFinite { what: self.name_residual(row) }),
            None => Ok(()),
        }
    }

    fn note(&mut self, correction: f64) {
        let corrections = &mut self.stage.corrections;
        if corrections.len() < corrections.capacity() {
            corrections.push(correction);
        }
    }

    fn copy_unknowns(&mut self) {
        self.stage.copy_unknowns();
    }

    fn set_direction(&mut self) {
        self.stage.set_direction();
    }

    fn move_along(&mut self, share: f64) {
        self.stage.move_along(share, self.evaluator, self.map);
    }

    fn is_linear(&self) -> bool {
        self.system.jacobian_is_constant() && self.evaluator.space().rotations().is_empty()
    }

    fn linearize(&mut self) -> Result<(), StageError> {
        let factors = factors(self.map, self.stage.formulation);
        if self.is_linear() {
            if self.stage.factorized == Some(factors) {
                return Ok(());
            }
            self.constant_tangents()?;
        } else {
            self.tangents()?;
        }
        let Self { stage, evaluator, map, .. } = self;
        let space = evaluator.space();
        map.blocks(space, &stage.p, &stage.d, &mut stage.blocks.motion);
        if stage.formulation == Formulation::Acceleration {
            let Blocks { motion, turning } = &mut stage.blocks;
            for ((rotation, s), block) in space.rotations().iter().zip(motion).zip(turning) {
                let omega = hat(&rotation.tangent(&stage.v));
                *block = *s + map.c_v / map.c_a * omega * *s;
            }
        }
        stage.factorize(self.system, self.evaluator, &factors)?;
        if let Some(companion) = &mut self.stage.companion {
            companion.renew();
        }
        self.stage.factorized = Some(factors);
        Ok(())
    }

    fn correct(&mut self) -> Result<Correction, StageError> {
        let Self { stage, evaluator, map, .. } = self;
        for (correction, residual) in stage.correction.iter_mut().zip(&stage.residual) {
            *correction = -residual;
        }
        let layout = stage.layout;
        let explain = |error| explain(layout, self.system, error);
        if let (Some(companion), None) = (&stage.companion, map.impulses) {
            // what the link takes from x, inertia takes from the dynamics
            add_scaled(-map.c_a, &companion.link, &mut stage.correction[..layout.sizes.v]);
        }
        stage.solver.solve(&mut stage.correction).map_err(explain)?;
        if let Some(companion) = &mut stage.companion {
            if let Some(of) = &map.impulses {
                let multipliers = &stage.correction[layout.multipliers()..];
                companion.anticipate(evaluator, of, multipliers);
            }
            let first = (&mut stage.solver, &layout);
            let solved = companion.correct(evaluator, map, &stage.blocks, &stage.correction, first);
            // impulses change velocities by all that constraints do in a step
            if solved.map_err(explain)? || map.impulses.is_some() {
                // what damping makes of the velocities acts back on the positions
                companion.damp(evaluator, map);
                stage.solver.solve(&mut companion.shared).map_err(explain)?;
                add(&mut stage.correction, &companion.shared);
                companion.follow(evaluator.space(), &stage.blocks);
            }
        }
        let (y, rest) = stage.correction.split_at(layout.sizes.v);
        let (rates, multipliers) = rest.split_at(layout.sizes.z);
        map.correct(evaluator.space(), &stage.d, y, &mut stage.p);
        add(&mut stage.rates, rates);
        add(&mut stage.multipliers, multipliers);
        if let Some(companion) = &stage.companion {
            let mu = &companion.multipliers;
            add_scaled(-1.0, mu, &mut stage.stabilizing);
            match map.impulses {
                // σ is the sum of both multipliers, ν their weighted mean
                Some(_) => add(&mut stage.stabilizing, multipliers),
                // λ was found as if v followed q: it takes what μ takes from there
                None => add_scaled(-map.c_a, mu, &mut stage.multipliers),
            }
            add(&mut stage.x, &companion.motion);
        }
        stage.place(evaluator, map, false);
        self.check_rotations(RUNAWAY)?;
        if let Some(what) = self.not_finite() {
            return Err(StageError::NotFinite { what });
        }
        Ok(self.size())
    }

    fn residual_is_round_off(&mut self) -> bool {
        let Self { stage, system, evaluator, map, .. } = self;
        let sizes = stage.layout.sizes;
        if sizes.holonomic == 0 || stage.formulation == Formulation::Acceleration || sizes.z > 0 {
            return false;
        }
        // Φ itself, against the coordinates it is computed from
        let phi = &mut stage.scratch[..sizes.holonomic];
        let found = evaluator.constraint(*system, map.t, &stage.q, phi);
        let closed = found.is_ok() && largest(phi) <= CLOSED * largest(&stage.q).max(1.0);
        // the dynamics, against the terms that balance: near a singular position large constraint
        // forces cancel
        let forces = &mut stage.scratch[..sizes.v];
        forces.fill(0.0);
        evaluator.part(Part::Mass).multiply_add(1.0, &stage.a, forces);
        let inertia = largest(forces);
        forces.fill(0.0);
        for (i, j, x) in evaluator.part(Part::Jacobian).iter() {
            forces[j] += (x * stage.multipliers[i]).abs();
        }
        let scale = inertia.max(largest(forces));
        // and velocities, where they are constrained beside
        let rates = stage.companion.as_ref().map_or(0.0, |companion| largest(&companion.rows));
        let nonholonomic = &stage.residual[stage.layout.multipliers() + sizes.holonomic..];
        let moving = map.c_v * larger(rates, largest(nonholonomic)) <= MOVING * largest(&stage.v);
        closed && moving && largest(&stage.residual[..sizes.v]) <= BALANCED * scale
    }

    fn not_converged(&self, iterations: usize, correction: f64) -> StageError {
        let name = |row| self.stage.layout.row_name(self.system, row);
        let mut error = newton::not_converged(iterations, correction, &self.stage.residual, name);
        if let StageError::NotConverged { changes, .. } = &mut error {
            *changes = self.changing_forces();
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
