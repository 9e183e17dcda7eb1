//! The stage: its unknowns, its matrix, its solver.

use super::assembly::{Assembly, Blocks, Factor, Factors};
use super::companion::{Before, Companion};
use super::layout::Layout;
use super::newton::{self, NewtonOptions};
use super::running::Running;
use super::{Balance, Formulation, StageMap, map};
use crate::error::StageError;
use crate::linalg::{Kind, LinearError, Solver};
use crate::math::Matrix3;
use crate::system::{Evaluator, Part, Point, Space, System};

/// Corrections that are taken note of.
const NOTED: usize = 32;

/// A stage with its unknowns, its matrix and its solver, allocated once.
pub struct Stage {
    pub(super) layout: Layout,
    pub(super) formulation: Formulation,
    assembly: Assembly,
    pub(super) solver: Solver,
    values: Vec<f64>,
    pub(super) residual: Vec<f64>,
    pub(super) correction: Vec<f64>,
    /// How large each correction was, of the first ones.
    pub(super) corrections: Vec<f64>,
    pub(super) blocks: Blocks,
    pub(super) scratch: Vec<f64>,
    /// Where constant tangents are evaluated.
    pub(super) neutral: Vec<f64>,
    pub(super) zeros: Vec<f64>,
    /// The factors of a constant matrix that is factorized already.
    pub(super) factorized: Option<Factors>,
    pub(super) companion: Option<Companion>,
    /// p, and x beside a companion (elsewhere κ).
    pub(super) p: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) d: Vec<f64>,
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
    /// The unknowns Newton began with, those before the correction at hand, and that correction.
    start: Vec<f64>,
    kept_start: Vec<f64>,
    copy: Vec<f64>,
    direction: Vec<f64>,
}

impl Stage {
    /// Where the iterate stands.
    pub(crate) fn point<'a>(&'a self, map: &StageMap) -> Point<'a> {
        let Self { q, v, multipliers, z, .. } = self;
        Point { multipliers, z, ..Point::new(map.t, q, v) }
    }

    /// A stage for a system whose parts are recorded.
    pub fn new(system: &dyn System, evaluator: &Evaluator, formulation: Formulation) -> Self {
        let (sizes, space) = (evaluator.sizes(), evaluator.space());
        let layout = Layout { sizes };
        let stabilized = formulation == Formulation::Stabilized && sizes.holonomic > 0;
        let (pattern, assembly) = Assembly::new(&layout, space, evaluator);
        let plain = sizes.constraints == 0 && sizes.z == 0 && space.rotations().is_empty();
        let kind = match system.is_symmetric_positive() && plain {
            true => Kind::SymmetricPositive,
            false => Kind::General,
        };
        let groups = layout.groups(space, evaluator.part(Part::Jacobian));
        let zeros = |n| vec![0.0; n];
        let unknowns = 2 * sizes.v + sizes.z + sizes.constraints + sizes.holonomic;
        Self {
            layout,
            formulation,
            assembly,
            values: zeros(pattern.nonzeros()),
            solver: Solver::new(pattern, &groups, kind),
            residual: zeros(layout.total()),
            correction: zeros(layout.total()),
            corrections: Vec::with_capacity(NOTED),
            blocks: Blocks {
                motion: vec![Matrix3::identity(); space.rotations().len()],
                turning: vec![Matrix3::identity(); space.rotations().len()],
            },
            scratch: zeros(sizes.v.max(sizes.constraints)),
            neutral: space.neutral(),
            zeros: zeros(sizes.v.max(sizes.z).max(sizes.constraints)),
            factorized: None,
            companion: stabilized.then(|| Companion::new(&layout, evaluator)),
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
            start: zeros(unknowns),
            kept_start: zeros(unknowns),
            copy: zeros(unknowns),
            direction: zeros(unknowns),
        }
    }

    /// The same with two impulses a step, as [`StageMap::impulses`] asks for.
    pub(crate) fn with_impulses(mut self, evaluator: &Evaluator) -> Self {
        let layout = self.layout;
        let companion = self.companion.get_or_insert_with(|| Companion::new(&layout, evaluator));
        companion.before = Some(Before::new(evaluator));
        self
    }

    /// How large the corrections of the last solution were, in units of the positions.
    pub fn corrections(&self) -> &[f64] {
        &self.corrections
    }

    /// The linear solver.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// All linear solvers; whoever changes one must [`forget`](Self::forget).
    pub(crate) fn solvers_mut(&mut self) -> impl Iterator<Item = &mut Solver> {
        let companion = self.companion.iter_mut().flat_map(|companion| companion.solvers_mut());
        std::iter::once(&mut self.solver).chain(companion)
    }

    /// Forgets that a constant matrix is factorized.
    pub(crate) fn forget(&mut self) {
        self.factorized = None;
        if let Some(before) = self.before() {
            before.is_factorized = false;
        }
    }

    fn before(&mut self) -> Option<&mut Before> {
        self.companion.as_mut()?.before.as_mut()
    }

    /// Chooses the pivots of a matrix that steps need only now and then; M and G are those of the start.
    pub(crate) fn prepare(&mut self, evaluator: &Evaluator) {
        if let Some(companion) = &mut self.companion {
            companion.prepare(evaluator);
        }
    }

    /// Begins a step with impulses, M and G being those of its start: a force becomes M⁻¹ of it.
    pub(crate) fn begin_impulses(
        &mut self,
        system: &dyn System,
        evaluator: &Evaluator,
        force: &mut [f64],
    ) -> Result<(), StageError> {
        let Some(before) = self.before() else { return Ok(()) };
        let kept = before.factorize(evaluator).and_then(|()| {
            let free = before.solve_mass(force)?;
            force.copy_from_slice(free);
            Ok(())
        });
        kept.map_err(|error| self.explain(system, error))
    }

    /// The stage matrix as assembled last, in the pattern of the solver.
    pub fn matrix(&self) -> &[f64] {
        &self.values
    }

    /// Starting values for Newton.
    ///
    /// # Panics
    ///
    /// If a length is not that of the system's velocities, constraints or states.
    pub fn predict(&mut self, p: &[f64], multipliers: &[f64], rates: &[f64]) {
        self.p.copy_from_slice(p);
        self.multipliers.copy_from_slice(multipliers);
        self.rates.copy_from_slice(rates);
        self.stabilizing.fill(0.0);
    }

    /// Solves the equations of the instant; returns the number of linear solves.
    ///
    /// # Panics
    ///
    /// If the evaluator or the map belongs to a system of other sizes.
    pub fn solve(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        map: &StageMap,
        options: &NewtonOptions,
    ) -> Result<usize, StageError> {
        self.place(evaluator, map, map.impulses.is_none());
        self.begin();
        let mut start = std::mem::take(&mut self.start);
        self.copy_unknowns_to(&mut start);
        self.start = start;
        let mut running = Running::new(self, system, evaluator, map, options.tolerance);
        let solves = newton::solve(&mut running, options)?;
        running.check_rotations(1.0)?;
        Ok(solves)
    }

    /// Solves the same equations again from the same start, with damped corrections.
    pub(crate) fn solve_damped(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        map: &StageMap,
        options: &NewtonOptions,
    ) -> Result<usize, StageError> {
        let start = std::mem::take(&mut self.start);
        self.set_unknowns(|k| start[k]);
        self.start = start;
        self.place(evaluator, map, false);
        self.begin();
        let mut running = Running::new(self, system, evaluator, map, options.tolerance);
        let solves = newton::solve_damped(&mut running, options)?;
        running.check_rotations(1.0)?;
        Ok(solves)
    }

    /// Keeps the unknowns that the last solution began with, for a later return to them.
    pub(crate) fn keep_start(&mut self) {
        self.kept_start.copy_from_slice(&self.start);
    }

    /// Returns to the start kept last.
    pub(crate) fn return_to_start(&mut self) {
        self.start.copy_from_slice(&self.kept_start);
    }

    fn begin(&mut self) {
        self.corrections.clear();
        if let Some(companion) = &mut self.companion {
            companion.begin();
        }
    }

    /// Everything that a correction changes.
    fn unknowns(&mut self) -> [&mut Vec<f64>; 5] {
        let Self { p, x, rates, multipliers, stabilizing, .. } = self;
        [p, x, rates, multipliers, stabilizing]
    }

    fn copy_unknowns_to(&mut self, mut copy: &mut [f64]) {
        for values in self.unknowns() {
            let (here, rest) = copy.split_at_mut(values.len());
            here.copy_from_slice(values);
            copy = rest;
        }
    }

    fn set_unknowns(&mut self, value: impl Fn(usize) -> f64) {
        let all = self.unknowns().into_iter().flat_map(|values| values.iter_mut());
        all.enumerate().for_each(|(k, unknown)| *unknown = value(k));
    }

    /// Copies the unknowns.
    pub(super) fn copy_unknowns(&mut self) {
        let mut copy = std::mem::take(&mut self.copy);
        self.copy_unknowns_to(&mut copy);
        self.copy = copy;
    }

    /// Takes the difference between the unknowns and their copy as the direction.
    pub(super) fn set_direction(&mut self) {
        let mut direction = std::mem::take(&mut self.direction);
        self.copy_unknowns_to(&mut direction);
        direction.iter_mut().zip(&self.copy).for_each(|(to, from)| *to -= from);
        self.direction = direction;
    }

    /// Puts the unknowns at their copy plus a share of the direction.
    pub(super) fn move_along(&mut self, share: f64, evaluator: &Evaluator, map: &StageMap) {
        let (copy, direction) =
            (std::mem::take(&mut self.copy), std::mem::take(&mut self.direction));
        self.set_unknowns(|k| copy[k] + share * direction[k]);
        (self.copy, self.direction) = (copy, direction);
        self.place(evaluator, map, false);
    }

    /// Where Newton begins with the velocities, if they are unknowns of their own.
    pub(crate) fn predict_velocity(&mut self, x: &[f64], sigma: impl Fn(usize) -> f64) {
        self.x.copy_from_slice(x);
        self.stabilizing.iter_mut().enumerate().for_each(|(i, value)| *value = sigma(i));
    }

    /// q, v, a and z of the current unknowns; `follow` sets x = κ(p) beside a companion too.
    pub(super) fn place(&mut self, evaluator: &Evaluator, map: &StageMap, follow: bool) {
        let space = evaluator.space();
        map.increment(&self.p, &mut self.d);
        space.retract(map.chart, &map.reference, &self.d, &mut self.q);
        if follow || self.companion.is_none() {
            map.kappa(space, &self.p, &self.d, &mut self.x);
        }
        map.motion(&self.x, &mut self.v, &mut self.a);
        if map.impulses.is_some() {
            // p says what the impulses and the force do together
            self.a.copy_from_slice(&self.p);
        }
        for ((z, known), rate) in self.z.iter_mut().zip(&map.z).zip(&self.rates) {
            *z = known + map.c_z * rate;
        }
    }

    /// The chart vector and its rate, as solved.
    pub(crate) fn chart_motion(&self, map: &StageMap, g: &mut [f64], rate: &mut [f64]) {
        g.copy_from_slice(&self.d);
        for ((rate, known), p) in rate.iter_mut().zip(&map.v).zip(&self.p) {
            *rate = known + map.c_v * p;
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
        let at = Point { multipliers, z, ..Point::new(map.t, q, v) };
        evaluator.mass(system, q)?;
        evaluator.jacobian(system, map.t, q)?;
        evaluator.state_tangent(system, &at, rates)?;
        self.blocks.motion.fill(Matrix3::identity());
        self.blocks.turning.fill(Matrix3::identity());
        let mut factors = factors(map, Formulation::Acceleration);
        factors[Factor::Force as usize] = 0.0;
        self.factorize(system, evaluator, &factors)
    }

    /// Solves with the matrix factorized last for a right-hand side that lives in the constraint
    /// rows; the result is the part that moves the coordinates.
    pub(crate) fn solve_constraint_rows(
        &mut self,
        system: &dyn System,
        rows: impl Fn(usize) -> f64,
    ) -> Result<&[f64], StageError> {
        self.correction.fill(0.0);
        let first = self.layout.multipliers();
        for i in 0..self.layout.sizes.constraints {
            self.correction[first + i] = rows(i);
        }
        let solved = self.solver.solve(&mut self.correction);
        solved.map_err(|error| self.explain(system, error))?;
        Ok(self.correction())
    }

    /// Solves with the matrix factorized last for a right-hand side in the dynamics; it becomes the part
    /// of the result that moves the coordinates.
    pub(crate) fn solve_dynamics(
        &mut self,
        system: &dyn System,
        force: &mut [f64],
    ) -> Result<(), StageError> {
        self.correction.fill(0.0);
        self.correction[..force.len()].copy_from_slice(force);
        let solved = self.solver.solve(&mut self.correction);
        solved.map_err(|error| self.explain(system, error))?;
        force.copy_from_slice(self.correction());
        Ok(())
    }

    /// The part of the correction solved for last that moves the coordinates.
    pub(crate) fn correction(&self) -> &[f64] {
        &self.correction[..self.layout.sizes.v]
    }

    /// Takes a motion found elsewhere as the correction.
    pub(crate) fn keep_correction(&mut self, motion: &[f64]) -> &[f64] {
        let correction = &mut self.correction[..motion.len()];
        correction.copy_from_slice(motion);
        correction
    }

    /// `q ← q ⊕ y` with the y solved for last, in the exponential chart.
    pub(crate) fn move_by_correction(&mut self, space: &Space) {
        map::move_by(space, &mut self.q, &self.correction);
    }

    pub(super) fn factorize(
        &mut self,
        system: &dyn System,
        evaluator: &Evaluator,
        factors: &Factors,
    ) -> Result<(), StageError> {
        self.factorized = None;
        self.assembly.assemble(evaluator, factors, &self.blocks, &mut self.values);
        let factorized = self.solver.factorize(&self.values);
        factorized.map_err(|error| self.explain(system, error))
    }

    /// A failure of the linear algebra in the words of the system.
    pub(super) fn explain(&self, system: &dyn System, error: LinearError) -> StageError {
        explain(self.layout, system, error)
    }
}

/// A failure of the linear algebra of a layout in the words of the system.
pub(super) fn explain(layout: Layout, system: &dyn System, error: LinearError) -> StageError {
    match error {
        LinearError::Singular { column } => {
            StageError::Singular { unknown: layout.unknown_name(system, column) }
        }
        LinearError::NotFinite { row } => {
            let row = layout.row_name(system, row);
            StageError::NotFinite { what: format!("the tangent of the {row}") }
        }
        LinearError::NotPositive => StageError::NotPositive,
        LinearError::Length { what, .. } => StageError::NotFinite { what: what.into() },
        LinearError::NotFactorized => StageError::NotFinite { what: "the stage matrix".into() },
    }
}

pub(super) fn factors(map: &StageMap, formulation: Formulation) -> Factors {
    let when = |condition: bool, value: f64| if condition { value } else { 0.0 };
    let acceleration = formulation == Formulation::Acceleration;
    let before = map.balance.is_before();
    [
        1.0,
        when(!before, map.c_q),
        when(map.balance == Balance::Here, map.c_q),
        map.c_v,
        map.c_a,
        map.c_z,
        1.0,
        when(!acceleration && !map.closes_ahead(), 1.0),
        when(!acceleration && map.closes_ahead(), 1.0),
        when(map.impulses.is_none(), 1.0),
        when(map.impulses.is_some(), 1.0),
        when(acceleration, 1.0),
        when(!acceleration && !before, map.c_q / map.c_v),
        when(acceleration || before, map.c_v / map.c_a),
        when(acceleration, 2.0 * map.c_v / map.c_a),
    ]
}
