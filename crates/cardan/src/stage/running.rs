//! A stage in the hands of Newton: evaluate, linearize, correct, and how large a correction is.

use std::cell::Cell;

use super::assembly::Blocks;
use super::newton::Nonlinear;
use super::problem::{Stage, factors};
use super::{Formulation, StageMap};
use crate::error::{RowResidual, StageError};
use crate::math::hat;
use crate::system::{Evaluator, System};

/// How many of the largest residuals an error names.
const NAMED_ROWS: usize = 3;
/// Corrections below this fraction of a coordinate are round-off.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;
/// Newton gives up on a rotation that leaves the chart's limit by this factor on its way.
const RUNAWAY: f64 = 1.8;

/// A stage in the hands of Newton.
pub(super) struct Running<'a> {
    pub(super) stage: &'a mut Stage,
    pub(super) system: &'a dyn System,
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) map: &'a StageMap,
    tolerance: f64,
    /// The largest plain coordinate or increment seen so far.
    largest: Cell<f64>,
}

impl<'a> Running<'a> {
    pub fn new(
        stage: &'a mut Stage,
        system: &'a dyn System,
        evaluator: &'a mut Evaluator,
        map: &'a StageMap,
        tolerance: f64,
    ) -> Self {
        Self { stage, system, evaluator, map, tolerance, largest: Cell::new(0.0) }
    }

    /// Whether q and v are given, so that only a, ż and λ remain.
    fn is_frozen(&self) -> bool {
        self.map.c_q == 0.0
    }

    pub fn check_rotations(&self, factor: f64) -> Result<(), StageError> {
        match self.map.overturned(self.evaluator.space(), &self.stage.d, factor) {
            None => Ok(()),
            Some((coordinate, angle)) => Err(StageError::RotationPerStep {
                name: self.system.coordinate_name(coordinate),
                angle,
                limit: self.map.rotation_limit(),
                chart: self.map.chart,
            }),
        }
    }

    /// The size of the correction over the tolerance.
    fn size(&self) -> f64 {
        let (stage, map) = (&self.stage, self.map);
        let layout = &stage.layout;
        if self.is_frozen() {
            return self.frozen_size();
        }
        let space = self.evaluator.space();
        let y = &stage.correction[layout.increment()..layout.increment() + layout.sizes.v];
        let x = &stage.correction[..layout.sizes.v];
        let (mut plain, mut turned, mut scale) = (0.0_f64, 0.0_f64, 0.0_f64);
        for node in space.nodes() {
            for i in 0..node.vector {
                let at = node.v + i;
                plain = plain.max(y[at].abs()).max(x[at].abs());
                scale = scale.max(map.reference[node.q + i].abs()).max(stage.d[at].abs());
            }
        }
        for rotation in space.rotations() {
            for at in rotation.v..rotation.v + 3 {
                turned = turned.max(y[at].abs()).max(x[at].abs());
            }
        }
        // what has been corrected away still says how large its round-off is
        scale = scale.max(map.c_q * plain).max(self.largest.get());
        self.largest.set(scale);
        // lengths below one count relatively, above absolutely, but never below their round-off
        let unit = scale.min(1.0).max(ROUND_OFF / self.tolerance * scale);
        let mut size = relative(map.c_q * plain, unit).max(map.c_q * turned);
        let dz = &stage.correction[layout.states()..layout.multipliers()];
        for ((z, rate), dz) in stage.z.iter().zip(&stage.rates).zip(dz) {
            let unit = z.abs().max(map.c_z * rate.abs()).max(map.c_z * dz.abs());
            size = size.max(relative(map.c_z * dz.abs(), unit));
        }
        size / self.tolerance
    }

    /// At frozen q and v the problem is linear unless forces depend on λ or there are states.
    fn frozen_size(&self) -> f64 {
        let stage = &self.stage;
        if stage.layout.sizes.z == 0 && !self.system.force_needs_multipliers() {
            return 0.0;
        }
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let value = largest(&stage.a).max(largest(&stage.multipliers)).max(largest(&stage.rates));
        relative(largest(&stage.correction), value) / self.tolerance
    }
}

/// size/scale, where nothing over nothing is nothing.
fn relative(size: f64, scale: f64) -> f64 {
    if size == 0.0 { 0.0 } else { size / scale }
}

impl Nonlinear for Running<'_> {
    fn evaluate(&mut self) -> Result<(), StageError> {
        self.dynamics()?;
        self.constraints()?;
        match self.stage.residual.iter().position(|r| !r.is_finite()) {
            Some(row) => {
                let what = self.stage.layout.row_name(self.system, row);
                Err(StageError::NotFinite { what: format!("the residual of the {what}") })
            }
            None => Ok(()),
        }
    }

    fn linearize(&mut self) -> Result<(), StageError> {
        let factors = factors(self.map, self.stage.formulation);
        if self.system.jacobian_is_constant() && self.evaluator.space().rotations().is_empty() {
            if self.stage.factorized == Some(factors) {
                return Ok(());
            }
            self.stage.factorized = Some(factors);
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
        let result = stage.factorize(self.system, self.evaluator, &factors);
        if result.is_err() {
            self.stage.factorized = None;
        }
        result
    }

    fn correct(&mut self) -> Result<f64, StageError> {
        let Self { stage, evaluator, map, .. } = self;
        for (correction, residual) in stage.correction.iter_mut().zip(&stage.residual) {
            *correction = -residual;
        }
        stage.solver.solve(&mut stage.correction);
        let layout = stage.layout;
        let n = layout.sizes.v;
        let y = &stage.correction[layout.increment()..layout.increment() + n];
        map.correct(evaluator.space(), &stage.d, y, &mut stage.p);
        if layout.stabilized {
            add(&mut stage.x, &stage.correction[..n]);
            add(&mut stage.stabilizing, &stage.correction[layout.stabilizing()..]);
        }
        add(&mut stage.rates, &stage.correction[layout.states()..layout.multipliers()]);
        add(&mut stage.multipliers, &stage.correction[layout.multipliers()..]);
        stage.place(evaluator, map, false);
        self.check_rotations(RUNAWAY)?;
        let size = self.size();
        if size.is_finite() {
            return Ok(size);
        }
        let what = "the correction of the stage, and with it the state,".to_string();
        Err(StageError::NotFinite { what })
    }

    fn not_converged(&self, iterations: usize, correction: f64) -> StageError {
        let residual = &self.stage.residual;
        let mut rows: Vec<usize> = (0..residual.len()).collect();
        rows.sort_by(|&a, &b| residual[b].abs().total_cmp(&residual[a].abs()));
        let worst = rows
            .into_iter()
            .take(NAMED_ROWS)
            .map(|row| RowResidual {
                name: self.stage.layout.row_name(self.system, row),
                residual: residual[row],
            })
            .collect();
        StageError::NotConverged { iterations, correction, worst }
    }
}

/// `a += b` over the length of a.
fn add(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}
