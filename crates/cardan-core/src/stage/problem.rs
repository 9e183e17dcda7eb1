//! The stage: its unknowns, its matrix, its solver.

use std::sync::Arc;

use super::assembly::{Assembly, RotationBlocks, TermCoefficients};
use super::constraint_forces::{ConstraintForces, Multipliers, Stabilized};
use super::correction_norm::CorrectionNorm;
use super::layout::StageLayout;
use super::motion_update::IterateVectors;
use super::newton::{self, NewtonOptions, Nonlinear};
use super::newton_memory::NewtonMemory;
use super::{EvaluationContext, Formulation, StageMap, Unknowns, map};
use crate::linalg::{LinearError, MatrixKind, MatrixTerms, Pattern, SolutionUse, Solver};
use crate::math::Matrix3;
use crate::stage::StageError;
use crate::system::{Evaluator, Space, StateView, System, SystemMatrix};

/// A change of the values of a stage matrix before it is factorized.
pub(super) type ValueChange<'a> = &'a dyn Fn(&mut [f64]);

/// Number of corrections that are recorded.
const NOTED: usize = 32;

/// A stage with its unknowns, its matrix and its solver, allocated once. A method sets the relation of q, v
/// and a ([`map`](Self::map)) and the starting values of Newton ([`predict`](Self::predict)); the solution is in
/// the vectors.
pub struct Stage {
    /// The relation of q, v and a at the instant to solve for.
    pub map: StageMap,
    pub(super) layout: StageLayout,
    pub(super) formulation: Formulation,
    pub(super) constraint_forces: Box<dyn ConstraintForces>,
    /// Whether velocities are separate unknowns, and whether they have a separate prediction.
    pub(super) has_velocities: bool,
    is_velocity_predicted: bool,
    /// Whether G has been evaluated at the iterate.
    pub(super) has_jacobian: bool,
    pub(super) assembly: Assembly,
    pub(super) solver: Solver,
    /// The values of the matrix, if its terms are added up before the factorization.
    values: Vec<f64>,
    /// The coefficients of the matrix factorized last.
    assembled_with: Option<TermCoefficients>,
    pub(super) residual: Vec<f64>,
    pub(super) correction: Vec<f64>,
    /// The norms of the first corrections.
    pub(super) corrections: Vec<f64>,
    pub(super) measure: CorrectionNorm,
    pub(super) blocks: RotationBlocks,
    pub(super) scratch: Vec<f64>,
    /// The state at which constant tangents are evaluated; empty until then.
    pub(super) neutral: Vec<f64>,
    pub(super) zeros: Vec<f64>,
    /// The coefficients with which a constant matrix has been factorized.
    pub(super) factorized: Option<TermCoefficients>,
    /// The kept matrix, and its number if the factors are those of that matrix.
    pub(super) memory: NewtonMemory,
    pub(super) factors_of: Option<u64>,
    /// Whether the costs of matrices and corrections decide in the iteration: in stages of steps that may keep matrices.
    pub(super) weighs_costs: bool,
    /// The size of the errors of accelerations by the method; zero if it is not known.
    pub(super) method_error: f64,
    /// Accelerations that are predicted apart from the rates of positions, empty until a method predicts them; after the
    /// start of a solution the difference in κ between both.
    separate: Vec<f64>,
    has_separate_prediction: bool,
    /// Those of kept factors that a continued run has to form again.
    pub(super) expected: Option<TermCoefficients>,
    pub(super) unknowns: Unknowns,
    pub(super) d: Vec<f64>,
    /// Configuration of the instant.
    pub q: Vec<f64>,
    /// Velocity of the instant.
    pub v: Vec<f64>,
    /// Acceleration of the instant.
    pub a: Vec<f64>,
    /// First-order states of the instant.
    pub z: Vec<f64>,
    /// The starting values of Newton, and for damped corrections the unknowns before the current one and the correction
    /// itself: empty until they are needed.
    pub(super) start: Unknowns,
    kept_start: Unknowns,
    pub(super) copy: Unknowns,
    pub(super) direction: Unknowns,
}

impl Stage {
    /// A stage for the system of an evaluator.
    pub fn new(system: &dyn System, evaluator: &Evaluator, formulation: Formulation) -> Self {
        let mut stage = Self::without_memory(system, evaluator, formulation, None);
        stage.allocate(evaluator);
        stage
    }

    /// A stage without memory for its vectors until [`Stage::allocate`], with the constraint forces that the method defines
    /// or those of the formulation.
    pub(crate) fn without_memory(
        system: &dyn System,
        evaluator: &Evaluator,
        formulation: Formulation,
        own: Option<Box<dyn ConstraintForces>>,
    ) -> Self {
        let (sizes, space) = (evaluator.sizes(), evaluator.space());
        let reaction = own.unwrap_or_else(|| {
            match formulation == Formulation::Stabilized && sizes.holonomic > 0 {
                true => Box::new(Stabilized::new(evaluator)),
                false => Box::new(Multipliers),
            }
        });
        let layout = StageLayout { sizes };
        let assembly = Assembly::new(layout, evaluator);
        let plain = sizes.constraints == 0 && sizes.z == 0 && space.rotations().is_empty();
        let solver = match system.is_symmetric_positive() && plain {
            true => {
                let groups = layout.groups(space, evaluator.part(SystemMatrix::Jacobian));
                let pattern = Arc::clone(assembly.pattern(evaluator));
                Solver::of_shared(pattern, &groups.to_groups(), MatrixKind::SymmetricPositive)
            }
            false => Solver::of_terms(assembly.graph(evaluator)),
        };
        Self::with_solver(layout, formulation, reaction, assembly, solver)
    }

    /// A stage with acceleration constraints for the same evaluator, without memory until [`Stage::allocate`]: it shares
    /// the places of the matrix and the order of elimination, which are those of every formulation.
    pub(super) fn with_accelerations(&self) -> Self {
        self.of_accelerations(self.solver.another())
    }

    fn of_accelerations(&self, solver: Solver) -> Self {
        let formulation = Formulation::Acceleration;
        let reaction = Box::new(Multipliers);
        Self::with_solver(self.layout, formulation, reaction, self.assembly.clone(), solver)
    }

    /// Frees the memory of a stage with acceleration constraints: its vectors, its maps and its factors. The pivots stay.
    pub(super) fn release(&mut self) {
        let mut solver = std::mem::replace(&mut self.solver, Solver::empty());
        solver.release();
        *self = self.of_accelerations(solver);
    }

    /// Takes the memory of the factors of another stage with the same order of elimination, if this one has no factors.
    pub(super) fn take_factor_memory(&mut self, other: &mut Self) {
        self.solver.take_factor_memory(&mut other.solver);
    }

    /// Whether it has memory for its vectors.
    pub(super) fn is_allocated(&self) -> bool {
        self.residual.len() == self.layout.total() && self.q.len() == self.layout.sizes.q
    }

    /// Allocates the memory for the vectors, if it is not there.
    pub(crate) fn allocate(&mut self, evaluator: &Evaluator) {
        if self.is_allocated() {
            return;
        }
        let (sizes, space) = (evaluator.sizes(), evaluator.space());
        let turning = match self.formulation {
            Formulation::Acceleration => space.rotations().len(),
            Formulation::Position | Formulation::Stabilized => 0,
        };
        let zeros = |n| vec![0.0; n];
        self.map = StageMap::new(space, sizes.z);
        self.blocks = RotationBlocks {
            motion: vec![Matrix3::identity(); space.rotations().len()],
            rotations: vec![Matrix3::identity(); turning],
        };
        self.residual = zeros(self.layout.total());
        self.correction = zeros(self.layout.total());
        self.scratch = zeros(sizes.v.max(sizes.constraints));
        self.unknowns = Unknowns::new(sizes);
        self.start = Unknowns::new(sizes);
        self.d = zeros(sizes.v);
        self.q = space.neutral();
        self.v = zeros(sizes.v);
        self.a = zeros(sizes.v);
        self.z = zeros(sizes.z);
    }

    /// A stage without memory for its vectors.
    fn with_solver(
        layout: StageLayout,
        formulation: Formulation,
        mut reaction: Box<dyn ConstraintForces>,
        assembly: Assembly,
        solver: Solver,
    ) -> Self {
        Self {
            map: StageMap::new(&Space::default(), 0),
            layout,
            formulation,
            has_velocities: reaction.velocities().is_some(),
            is_velocity_predicted: false,
            constraint_forces: reaction,
            has_jacobian: false,
            assembly,
            values: Vec::new(),
            assembled_with: None,
            solver,
            residual: Vec::new(),
            correction: Vec::new(),
            corrections: Vec::with_capacity(NOTED),
            measure: CorrectionNorm::new(1.0, false, false),
            blocks: RotationBlocks::default(),
            scratch: Vec::new(),
            neutral: Vec::new(),
            zeros: Vec::new(),
            factorized: None,
            memory: NewtonMemory::default(),
            factors_of: None,
            weighs_costs: false,
            method_error: 0.0,
            separate: Vec::new(),
            has_separate_prediction: false,
            expected: None,
            unknowns: Unknowns::default(),
            d: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
            a: Vec::new(),
            z: Vec::new(),
            start: Unknowns::default(),
            kept_start: Unknowns::default(),
            copy: Unknowns::default(),
            direction: Unknowns::default(),
        }
    }

    /// The state at the iterate.
    pub(crate) fn point(&self) -> StateView<'_> {
        let Self { q, v, z, .. } = self;
        StateView { multipliers: &self.unknowns.multipliers, z, ..StateView::new(self.map.t, q, v) }
    }

    /// The unknowns: rates and multipliers among them.
    pub fn unknowns(&self) -> &Unknowns {
        &self.unknowns
    }

    /// The constraint forces, if they are of this type.
    pub fn constraint_forces_as<R: ConstraintForces>(&mut self) -> Option<&mut R> {
        let reaction: &mut dyn std::any::Any = self.constraint_forces.as_mut();
        reaction.downcast_mut()
    }

    /// Whether constraints act within the step: see [`ConstraintForces::acts_within_step`].
    pub(crate) fn acts_within_step(&self) -> bool {
        self.constraint_forces.acts_within_step()
    }

    /// The norms of the corrections of the last solution, in units of the positions.
    pub fn corrections(&self) -> &[f64] {
        &self.corrections
    }

    /// The linear solver.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Calls a function with each linear solver; after a change of one, call
    /// [`invalidate_factors`](Self::invalidate_factors).
    pub(crate) fn visit_solvers(&mut self, visit: &mut dyn FnMut(&mut Solver)) {
        visit(&mut self.solver);
        self.constraint_forces.visit_solvers(visit);
    }

    /// The coefficients of the constant matrix whose factors are kept.
    pub(crate) fn kept_matrix(&self) -> Option<TermCoefficients> {
        self.factorized
    }

    /// The first factorization with these coefficients restores kept factors and is not counted.
    pub(crate) fn expect_matrix(&mut self, coefficients: Option<TermCoefficients>) {
        self.expected = coefficients;
    }

    /// Discards the factorization of a constant matrix.
    pub(crate) fn invalidate_factors(&mut self) {
        self.factorized = None;
        self.factors_of = None;
        self.constraint_forces.invalidate_factors();
    }

    /// Called at the start of the motion, with M and G evaluated there.
    pub(crate) fn prepare(
        &mut self,
        system: &dyn System,
        evaluator: &Evaluator,
    ) -> Result<(), StageError> {
        let prepared = self.constraint_forces.prepare(evaluator);
        prepared.map_err(|error| self.explain(system, error))
    }

    /// The stage matrix with the coefficients of the one factorized last, zero before that, and with the parts of the
    /// evaluator: its pattern and values.
    pub fn matrix(&self, evaluator: &Evaluator) -> (Arc<Pattern>, Vec<f64>) {
        match &self.assembled_with {
            Some(factors) => self.assembly.matrix(evaluator, factors, &self.blocks).sum(),
            None => {
                let pattern = Arc::clone(self.assembly.pattern(evaluator));
                let values = vec![0.0; pattern.nonzeros()];
                (pattern, values)
            }
        }
    }

    /// Lets the terms of the matrix be added up before each factorization, so that values of the sum can be changed; returns
    /// the pattern of the sum.
    pub(super) fn add_up_matrix(&mut self, evaluator: &Evaluator) -> &Pattern {
        let pattern = Arc::clone(self.assembly.pattern(evaluator));
        if self.solver.pattern().size() != pattern.size() {
            let groups = self
                .layout
                .groups(evaluator.space(), evaluator.part(SystemMatrix::Jacobian))
                .to_groups();
            self.solver = Solver::of_shared(pattern, &groups, MatrixKind::General);
        }
        self.solver.pattern()
    }

    /// Starting values for Newton.
    ///
    /// # Panics
    ///
    /// If a length is not that of the system's velocities, constraints or states.
    pub fn predict(&mut self, p: &[f64], multipliers: &[f64], rates: &[f64]) {
        let Self { unknowns, .. } = self;
        unknowns.p.copy_from_slice(p);
        unknowns.multipliers.copy_from_slice(multipliers);
        unknowns.rates.copy_from_slice(rates);
        unknowns.stabilization_multipliers.fill(0.0);
        self.is_velocity_predicted = false;
        self.has_separate_prediction = false;
        self.method_error = 0.0;
    }

    /// Starting values of accelerations that do not follow from those of the rates, for equations with ẏ = (q̇, v̇) as unknowns,
    /// whose prediction need not satisfy q̇ = v; call it after [`predict`](Self::predict).
    pub(crate) fn predict_accelerations(&mut self, a: &[f64]) {
        self.separate.clear();
        self.separate.extend_from_slice(a);
        self.has_separate_prediction = true;
    }

    /// Begins at the accelerations predicted apart from the rates, where there are any: v and a are theirs in the first
    /// residual and the first matrix.
    fn separate_accelerations(&mut self, context: &EvaluationContext<'_>) {
        let has_one_velocity = !self.has_velocities && self.formulation == Formulation::Position;
        self.has_separate_prediction &= has_one_velocity && !self.is_linear(context);
        if !self.has_separate_prediction {
            return;
        }
        let Self { map, unknowns, separate, v, a, .. } = self;
        for i in 0..separate.len() {
            let kappa = (separate[i] - map.a[i]) / map.c_a;
            (v[i], a[i]) = (map.v[i] + map.c_v * kappa, separate[i]);
            separate[i] = unknowns.x[i] - kappa;
        }
    }

    /// Adds what the linear equations q̇ = v, which the first correction satisfies, change in the other rows.
    pub(super) fn join_separate_prediction(&mut self, evaluator: &Evaluator) {
        if !std::mem::take(&mut self.has_separate_prediction) {
            return;
        }
        let Self { map, layout, separate, residual, scratch, .. } = self;
        let (sizes, states) = (layout.sizes, layout.states()..layout.multipliers());
        let forces = &mut residual[..sizes.v];
        evaluator.part(SystemMatrix::Mass).multiply_add(map.c_a, separate, forces);
        evaluator.part(SystemMatrix::Damping).multiply_add(map.c_v, separate, forces);
        let rates = &mut residual[states];
        evaluator.part(SystemMatrix::StateVelocity).multiply_add(map.c_v, separate, rates);
        if sizes.holonomic < sizes.constraints {
            // constraints of velocities are divided by c_v
            let rows = &mut scratch[..sizes.constraints];
            rows.fill(0.0);
            evaluator.part(SystemMatrix::Jacobian).multiply_add(1.0, separate, rows);
            let constraints = &mut residual[layout.multipliers()..];
            for k in sizes.holonomic..sizes.constraints {
                constraints[k] += rows[k];
            }
        }
    }

    /// Takes the size of the errors that the method makes in accelerations, for the stage predicted last: Newton ends where
    /// its own error is negligible beside it.
    pub(crate) fn set_method_error(&mut self, acceleration: f64) {
        self.method_error = acceleration;
    }

    /// Starting values of velocities that are separate unknowns; call it after [`predict`](Self::predict).
    pub fn predict_velocity(&mut self, x: &[f64], multiplier: impl Fn(usize) -> f64) {
        self.unknowns.x.copy_from_slice(x);
        let multipliers = self.unknowns.stabilization_multipliers.iter_mut().enumerate();
        multipliers.for_each(|(i, value)| *value = multiplier(i));
        self.is_velocity_predicted = true;
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
        options: &NewtonOptions,
    ) -> Result<usize, StageError> {
        self.start(evaluator, options);
        let context = &mut EvaluationContext { system, evaluator };
        self.separate_accelerations(context);
        let solves = newton::solve(self, context, options)?;
        self.check_rotations(context, 1.0)?;
        Ok(solves)
    }

    /// Begins a solution at the predicted unknowns.
    pub(super) fn start(&mut self, evaluator: &Evaluator, options: &NewtonOptions) {
        self.map.centre_at_prediction(evaluator.space(), &mut self.unknowns.p);
        self.place(evaluator, !self.is_velocity_predicted);
        self.start.copy_from(&self.unknowns);
        self.begin(options);
    }

    /// Solves the same equations again from the same start, with damped corrections.
    pub(crate) fn solve_damped(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        options: &NewtonOptions,
    ) -> Result<usize, StageError> {
        self.unknowns.copy_from(&self.start);
        self.has_separate_prediction = false;
        self.place(evaluator, false);
        let context = &mut EvaluationContext { system, evaluator };
        self.begin(options);
        let solves = newton::solve_damped(self, context, options)?;
        self.check_rotations(context, 1.0)?;
        Ok(solves)
    }

    /// Keeps the unknowns that the last solution began with, for a later return to them.
    pub(crate) fn keep_start(&mut self) {
        self.kept_start.copy_from(&self.start);
    }

    /// Returns to the start kept last.
    pub(crate) fn return_to_start(&mut self) {
        self.start.copy_from(&self.kept_start);
    }

    fn begin(&mut self, options: &NewtonOptions) {
        self.corrections.clear();
        let sizes = self.layout.sizes;
        let holds_velocities = self.has_velocities
            || (sizes.holonomic < sizes.constraints && !self.map.balance.is_before());
        let is_amplified = sizes.holonomic > 0 && self.formulation != Formulation::Acceleration;
        self.measure = CorrectionNorm::new(options.tolerance, holds_velocities, is_amplified);
        if let Some(velocities) = self.constraint_forces.velocities() {
            velocities.begin();
        }
    }

    /// q, v, a and z of the current unknowns; `follow` sets x = κ(p) even if x is a separate unknown.
    pub(super) fn place(&mut self, evaluator: &Evaluator, follow: bool) {
        let space = evaluator.space();
        if follow || !self.has_velocities {
            let (map, vectors, _) = self.iterate_vectors();
            map.move_iterate(space, None, vectors);
        } else {
            let Self { map, unknowns, .. } = self;
            map.increment(&unknowns.p, &mut self.d);
            space.retract(map.chart, &map.reference, &self.d, &mut self.q);
            map.motion(&unknowns.x, &mut self.v, &mut self.a);
        }
        let Self { map, unknowns, .. } = self;
        if self.constraint_forces.acts_within_step() {
            // p holds the accelerations by forces and constraints together
            self.a.copy_from_slice(&unknowns.p);
        }
        for ((z, known), rate) in self.z.iter_mut().zip(&map.z).zip(&unknowns.rates) {
            *z = known + map.c_z * rate;
        }
    }

    /// The map, the vectors that follow from p, and the correction solved for last.
    pub(super) fn iterate_vectors(&mut self) -> (&StageMap, IterateVectors<'_>, &[f64]) {
        let Self { map, unknowns, d, q, v, a, correction, .. } = self;
        let Unknowns { p, x, .. } = unknowns;
        (map, IterateVectors { p, x, d, q, v, a }, correction)
    }

    /// The chart vector and its rate, as solved.
    pub(crate) fn chart_motion(&self, g: &mut [f64], rate: &mut [f64]) {
        g.copy_from_slice(&self.d);
        for ((rate, known), p) in rate.iter_mut().zip(&self.map.v).zip(&self.unknowns.p) {
            *rate = known + self.map.c_v * p;
        }
    }

    /// Factorizes [W Gᵀ; G 0] at an instant, as projections need it, with W = M + c_v D + c_q K and the tangents that the
    /// evaluator holds.
    pub(crate) fn factorize_saddle(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        [c_q, c_v]: [f64; 2],
    ) -> Result<(), StageError> {
        let at = self.point();
        evaluator.mass(system, at.q)?;
        evaluator.jacobian(system, at.t, at.q)?;
        evaluator.state_tangent(system, &at, &self.unknowns.rates)?;
        self.blocks.motion.fill(Matrix3::identity());
        self.blocks.rotations.fill(Matrix3::identity());
        let factors = TermCoefficients::new(&self.map, Formulation::Acceleration, false);
        let factors = TermCoefficients { force: 0.0, position: c_q, velocity: c_v, ..factors };
        self.factorize_changed(system, evaluator, &factors, SolutionUse::Result, None)
    }

    /// Solves with the matrix factorized last for a right-hand side that lives in the constraint
    /// rows; the result is the part that moves the coordinates.
    pub(crate) fn solve_constraint_rows(
        &mut self,
        system: &dyn System,
        rows: impl Fn(usize) -> f64,
    ) -> Result<&[f64], StageError> {
        self.solve_saddle(system, &[], rows).map(|(motion, _)| motion)
    }

    /// Solves with the matrix factorized last for right-hand sides in the dynamics, which may be empty, and in the
    /// constraint rows; the result is the part that moves the coordinates, and the multipliers.
    pub(crate) fn solve_saddle(
        &mut self,
        system: &dyn System,
        force: &[f64],
        rows: impl Fn(usize) -> f64,
    ) -> Result<(&[f64], &[f64]), StageError> {
        self.correction.fill(0.0);
        self.correction[..force.len()].copy_from_slice(force);
        let (first, count) = (self.layout.multipliers(), self.layout.sizes.constraints);
        for i in 0..count {
            self.correction[first + i] = rows(i);
        }
        let solved = self.solver.solve(&mut self.correction);
        solved.map_err(|error| self.explain(system, error))?;
        let (motion, rest) = self.correction.split_at(self.layout.sizes.v);
        let before = first - self.layout.sizes.v;
        Ok((motion, &rest[before..before + count]))
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

    /// Replaces a vector e of the coordinates by that part of J⁻¹ (M e, 0) with the matrix J factorized last: components
    /// across constraints vanish, and those along fast modes are divided by 1 + c_q ω².
    pub(crate) fn filter(
        &mut self,
        system: &dyn System,
        evaluator: &Evaluator,
        values: &mut [f64],
    ) -> Result<(), StageError> {
        self.scratch[..values.len()].fill(0.0);
        let mass = evaluator.part(SystemMatrix::Mass);
        mass.multiply_add(1.0, values, &mut self.scratch[..values.len()]);
        values.copy_from_slice(&self.scratch[..values.len()]);
        self.solve_dynamics(system, values)
    }

    /// The part of the correction solved for last that moves the coordinates.
    pub(crate) fn correction(&self) -> &[f64] {
        &self.correction[..self.layout.sizes.v]
    }

    /// Sets the correction.
    pub(crate) fn keep_correction(&mut self, motion: &[f64]) -> &[f64] {
        let correction = &mut self.correction[..motion.len()];
        correction.copy_from_slice(motion);
        correction
    }

    /// `q ← q ⊕ y` with the y solved for last, in the exponential chart.
    pub(crate) fn move_by_correction(&mut self, space: &Space) {
        map::move_by(space, &mut self.q, &self.correction);
    }

    /// Factorizes the matrix for corrections of Newton.
    pub(super) fn factorize(
        &mut self,
        system: &dyn System,
        evaluator: &Evaluator,
        factors: &TermCoefficients,
    ) -> Result<(), StageError> {
        self.factorize_changed(system, evaluator, factors, SolutionUse::Correction, None)
    }

    /// Factorizes the matrix, if there is a change of its values after that.
    pub(super) fn factorize_changed(
        &mut self,
        system: &dyn System,
        evaluator: &Evaluator,
        factors: &TermCoefficients,
        solution_use: SolutionUse,
        change: Option<ValueChange<'_>>,
    ) -> Result<(), StageError> {
        self.factorized = None;
        self.factors_of = None;
        self.assembled_with = Some(*factors);
        let matrix = self.assembly.matrix(evaluator, factors, &self.blocks);
        let factorized = match change.is_some() || self.solver.is_cholesky() {
            true => {
                matrix.sum_into(&mut self.values);
                if let Some(change) = change {
                    change(&mut self.values);
                }
                self.solver.factorize(&self.values)
            }
            false => self.solver.factorize_terms(&matrix, solution_use),
        };
        factorized.map_err(|error| self.explain(system, error))
    }

    /// A failure of the linear algebra with the names that the system gives.
    pub fn explain(&self, system: &dyn System, error: LinearError) -> StageError {
        explain(self.layout, system, error)
    }
}

/// A failure of the linear algebra of a layout with the names that the system gives.
pub(super) fn explain(layout: StageLayout, system: &dyn System, error: LinearError) -> StageError {
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
