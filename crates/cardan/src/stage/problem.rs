//! The equations of one instant: residual, matrix and correction.

use std::cell::Cell;

use super::assembly::{Assembly, Blocks, Factors};
use super::layout::Layout;
use super::newton::{self, NewtonOptions, Nonlinear};
use super::{Formulation, StageMap, map};
use crate::error::{RowResidual, StageError, SystemError};
use crate::linalg::{Kind, LinearError, Solver};
use crate::math::{Matrix3, hat};
use crate::system::{Evaluator, Part, Point, Space, System};

/// How many of the largest residuals an error names.
const NAMED_ROWS: usize = 3;
/// Corrections below this fraction of a coordinate are round-off.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;
/// Newton gives up on a rotation that leaves the chart's limit by this factor on its way.
const RUNAWAY: f64 = 1.8;

/// A stage with its unknowns, its matrix and its solver, allocated once.
pub struct Stage {
    layout: Layout,
    formulation: Formulation,
    assembly: Assembly,
    solver: Solver,
    values: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    blocks: Blocks,
    scratch: Vec<f64>,
    /// The factors of a constant matrix that is factorized already.
    factorized: Option<Factors>,
    /// p, and x in the stabilized form (elsewhere κ).
    p: Vec<f64>,
    x: Vec<f64>,
    d: Vec<f64>,
    /// Configuration of the instant.
    pub q: Vec<f64>,
    /// Velocity of the instant.
    pub v: Vec<f64>,
    /// Acceleration of the instant.
    pub a: Vec<f64>,
    /// First-order states of the instant.
    pub z: Vec<f64>,
    /// Their rates.
    pub rates: Vec<f64>,
    /// Multipliers λ.
    pub multipliers: Vec<f64>,
    /// Multipliers μ.
    pub stabilizing: Vec<f64>,
}

impl Stage {
    /// A stage for a system whose parts are recorded.
    pub fn new(system: &dyn System, evaluator: &Evaluator, formulation: Formulation) -> Self {
        let (sizes, space) = (evaluator.sizes(), evaluator.space());
        let stabilized = formulation == Formulation::Stabilized && sizes.constraints > 0;
        let layout = Layout { sizes, stabilized };
        let (pattern, assembly) = Assembly::new(&layout, space, evaluator);
        let plain = sizes.constraints == 0 && sizes.z == 0 && space.rotations().is_empty();
        let kind = match system.is_symmetric_positive() && plain {
            true => Kind::SymmetricPositive,
            false => Kind::General,
        };
        let groups = layout.groups(space, evaluator.part(Part::Jacobian));
        let zeros = |n| vec![0.0; n];
        Self {
            layout,
            formulation,
            assembly,
            values: zeros(pattern.nonzeros()),
            solver: Solver::new(pattern, &groups, kind),
            residual: zeros(layout.total()),
            correction: zeros(layout.total()),
            blocks: Blocks {
                motion: vec![Matrix3::identity(); space.rotations().len()],
                turning: vec![Matrix3::identity(); space.rotations().len()],
            },
            scratch: zeros(sizes.v.max(sizes.constraints)),
            factorized: None,
            p: zeros(sizes.v),
            x: zeros(sizes.v),
            d: zeros(sizes.v),
            q: space.neutral(),
            v: zeros(sizes.v),
            a: zeros(sizes.v),
            z: zeros(sizes.z),
            rates: zeros(sizes.z),
            multipliers: zeros(sizes.constraints),
            stabilizing: zeros(sizes.holonomic),
        }
    }

    /// The linear solver.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    pub(crate) fn solver_mut(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// The stage matrix as assembled last, in the pattern of the solver.
    pub fn matrix(&self) -> &[f64] {
        &self.values
    }

    /// Starting values for Newton.
    pub fn predict(&mut self, p: &[f64], multipliers: &[f64], rates: &[f64]) {
        self.p.copy_from_slice(p);
        self.multipliers.copy_from_slice(multipliers);
        self.rates.copy_from_slice(rates);
        self.stabilizing.fill(0.0);
    }

    /// Solves the equations of the instant; returns the number of linear solves.
    pub fn solve(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        map: &StageMap,
        options: &NewtonOptions,
    ) -> Result<usize, StageError> {
        self.place(evaluator, map, true);
        let mut running = Running {
            stage: self,
            system,
            evaluator,
            map,
            tolerance: options.tolerance,
            largest: Cell::new(0.0),
        };
        let solves = newton::solve(&mut running, options)?;
        running.check_rotations(1.0)?;
        Ok(solves)
    }

    /// q, v, a and z of the current unknowns; `follow` sets x = κ(p) in the stabilized form too.
    fn place(&mut self, evaluator: &Evaluator, map: &StageMap, follow: bool) {
        let space = evaluator.space();
        map.increment(&self.p, &mut self.d);
        space.retract(map.chart, &map.reference, &self.d, &mut self.q);
        if follow || !self.layout.stabilized {
            map.kappa(space, &self.p, &self.d, &mut self.x);
        }
        map.motion(&self.x, &mut self.v, &mut self.a);
        for ((z, known), rate) in self.z.iter_mut().zip(&map.z).zip(&self.rates) {
            *z = known + map.c_z * rate;
        }
    }

    /// Factorizes [M Gᵀ; G 0] at an instant, as projections need it.
    pub(crate) fn factorize_saddle(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        map: &StageMap,
    ) -> Result<(), StageError> {
        let Self { q, v, z, rates, multipliers, .. } = self;
        let at = Point { t: map.t, q, v, multipliers, z };
        evaluator.mass(system, q)?;
        evaluator.jacobian(system, map.t, q)?;
        evaluator.force_tangent(system, &at)?;
        evaluator.state_tangent(system, &at, rates)?;
        self.blocks.motion.fill(Matrix3::identity());
        self.blocks.turning.fill(Matrix3::identity());
        self.factorize(system, evaluator, &factors(map, Formulation::Acceleration))
    }

    /// Solves with the matrix factorized last for a right-hand side that lives in the constraint
    /// rows; the result is the part that moves the coordinates.
    pub(crate) fn solve_constraint_rows(&mut self, rows: impl Fn(usize) -> f64) -> &[f64] {
        self.correction.fill(0.0);
        let first = self.layout.multipliers();
        for i in 0..self.layout.sizes.constraints {
            self.correction[first + i] = rows(i);
        }
        self.solver.solve(&mut self.correction);
        &self.correction[..self.layout.sizes.v]
    }

    /// `q ← q ⊕ y` with the y solved for last, in the exponential chart.
    pub(crate) fn move_by_correction(&mut self, space: &Space) {
        map::move_by(space, &mut self.q, &self.correction);
    }

    fn factorize(
        &mut self,
        system: &dyn System,
        evaluator: &Evaluator,
        factors: &Factors,
    ) -> Result<(), StageError> {
        self.assembly.assemble(evaluator, factors, &self.blocks, &mut self.values);
        self.solver.factorize(&self.values).map_err(|error| match error {
            LinearError::Singular { column } => {
                StageError::Singular { unknown: self.layout.unknown_name(system, column) }
            }
            LinearError::NotFinite { row } => {
                let row = self.layout.row_name(system, row);
                StageError::NotFinite { what: format!("the tangent of the {row}") }
            }
            LinearError::NotPositive => StageError::NotPositive,
        })
    }
}

fn factors(map: &StageMap, formulation: Formulation) -> Factors {
    let when = |condition: bool, value: f64| if condition { value } else { 0.0 };
    let acceleration = formulation == Formulation::Acceleration;
    [
        1.0,
        -1.0,
        map.c_q,
        when(!map.mass_is_elsewhere, map.c_q),
        map.c_v,
        map.c_a,
        map.c_z,
        when(!acceleration, 1.0),
        when(acceleration, 1.0),
        when(!acceleration, map.c_q / map.c_v),
        when(acceleration, map.c_v / map.c_a),
        when(acceleration, 2.0 * map.c_v / map.c_a),
    ]
}

/// A stage in the hands of Newton.
struct Running<'a> {
    stage: &'a mut Stage,
    system: &'a dyn System,
    evaluator: &'a mut Evaluator,
    map: &'a StageMap,
    tolerance: f64,
    /// The largest plain coordinate or increment seen so far.
    largest: Cell<f64>,
}

impl Running<'_> {
    /// Whether q and v are given, so that only a, ż and λ remain.
    fn is_frozen(&self) -> bool {
        self.map.c_q == 0.0
    }

    fn check_rotations(&self, factor: f64) -> Result<(), StageError> {
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

    /// w·M a + Gᵀλ − f + load.
    fn dynamics(&mut self) -> Result<(), SystemError> {
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
    fn constraints(&mut self) -> Result<(), SystemError> {
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
            evaluator.acceleration_term(*system, map.t, &stage.q, &stage.v, rows);
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
    fn tangents(&mut self) -> Result<(), SystemError> {
        let Self { stage, system, evaluator, map, .. } = self;
        let Stage { layout, formulation, q, v, a, z, rates, multipliers, .. } = &**stage;
        let at = Point { t: map.t, q, v, multipliers, z };
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
    fn constant_tangents(&mut self) -> Result<(), SystemError> {
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
