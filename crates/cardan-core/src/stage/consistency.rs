//! Consistent values: projection of q and v onto the constraints, and the accelerations and multipliers
//! that follow from them (index 1).

use super::correction_norm::{CorrectedMotion, CorrectionNorm};
use super::iterate::CLOSED;
use super::newton::{self, Correction, Nonlinear};
use super::projection_metric::ProjectionMetric;
use super::saddle::SaddlePointSolver;
use super::{EvaluationContext, Formulation, NewtonOptions, Stage};
use crate::linalg::{Solver, SparseMatrix};
use crate::math::{self, Chart, add_scaled};
use crate::stage::StageError;
use crate::state::Instant;
use crate::system::{Evaluator, StateView, System, SystemMatrix};

/// Solutions that complete an interpolated instant.
const COMPLETIONS: usize = 2;

/// The index-1 stage at given q and v, and projections with its matrix [M Gᵀ; G 0].
pub struct ConsistencySolver {
    /// Without memory until it is needed.
    stage: Stage,
    rows: Vec<f64>,
    /// [I Gᵀ; G 0], for projections with equal weights of all coordinates.
    euclidean: Option<SaddlePointSolver>,
    metric: ProjectionMetric,
}

/// The largest changes a projection made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProjectionChange {
    /// The largest change of a coordinate.
    pub largest: f64,
    /// The velocity index at which it occurred.
    pub coordinate: usize,
}

impl ConsistencySolver {
    /// The state at which the equations were evaluated last; `None` if they were not since the memory was freed.
    pub(crate) fn point(&self) -> Option<StateView<'_>> {
        self.stage.is_allocated().then(|| self.stage.point())
    }

    /// A solver for the system of an evaluator.
    pub fn new(system: &dyn System, evaluator: &Evaluator) -> Self {
        Self::with_stage(Stage::without_memory(system, evaluator, Formulation::Acceleration, None))
    }

    /// A solver for the system of a stage.
    pub(crate) fn of_stage(stage: &Stage) -> Self {
        Self::with_stage(stage.with_accelerations())
    }

    fn with_stage(stage: Stage) -> Self {
        Self { stage, rows: Vec::new(), euclidean: None, metric: ProjectionMetric::Inertia }
    }

    /// Adds the matrix for projections with equal weights of all coordinates.
    pub(crate) fn with_euclidean(mut self, evaluator: &Evaluator) -> Self {
        let m = evaluator.sizes().constraints;
        self.euclidean =
            Some(SaddlePointSolver::of_active_rows(evaluator, m, &SparseMatrix::default()));
        self
    }

    /// Selects the metric of the next projections.
    pub(crate) fn set_metric(&mut self, metric: ProjectionMetric) {
        self.metric = match metric {
            ProjectionMetric::Equal if self.euclidean.is_none() => ProjectionMetric::Inertia,
            metric => metric,
        };
    }

    fn is_euclidean(&self) -> bool {
        self.metric == ProjectionMetric::Equal
    }

    /// Calls a function with each linear solver.
    pub(crate) fn visit_solvers(&mut self, visit: &mut dyn FnMut(&mut Solver)) {
        self.stage.visit_solvers(visit);
        if let Some(saddle) = &mut self.euclidean {
            visit(saddle.solver_mut());
        }
    }

    fn allocate(&mut self, evaluator: &Evaluator) {
        self.stage.allocate(evaluator);
        self.rows.resize(evaluator.sizes().constraints, 0.0);
    }

    /// Frees the memory, which many methods need at the start only; a stage that has no factors yet takes that of the
    /// factors.
    pub(crate) fn release_to(&mut self, stage: &mut Stage) {
        stage.take_factor_memory(&mut self.stage);
        self.stage.release();
        self.rows = Vec::new();
    }

    /// See [`Stage::invalidate_factors`].
    pub(crate) fn invalidate_factors(&mut self) {
        self.stage.invalidate_factors();
    }

    /// Computes a, λ and ż from t, q, v and z.
    pub fn accelerations(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        options: &NewtonOptions,
        at: &mut Instant,
    ) -> Result<(), StageError> {
        self.accelerations_with_baumgarte(system, evaluator, options, at, 0.0)
    }

    /// Computes a, λ and ż from t, q, v and z, with Baumgarte's terms of the given rate.
    pub(crate) fn accelerations_with_baumgarte(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        options: &NewtonOptions,
        at: &mut Instant,
        rate: f64,
    ) -> Result<(), StageError> {
        self.allocate(evaluator);
        self.stage.map.freeze(at.t, &at.q, &at.v, &at.z);
        self.stage.map.baumgarte_rate = rate;
        self.stage.predict(&at.a, &at.multipliers, &at.rates);
        self.stage.solve(system, evaluator, options)?;
        at.a.copy_from_slice(&self.stage.a);
        let unknowns = self.stage.unknowns();
        at.multipliers.copy_from_slice(&unknowns.multipliers);
        at.rates.copy_from_slice(&unknowns.rates);
        Ok(())
    }

    /// Completes an instant whose q, v and a have errors of interpolation: solves the equations of a stage with
    ///
    /// ```text
    /// q₊ = q ⊕ c² (a₊ − a),   v₊ = v + c (a₊ − a),   z₊ = z + c (ż₊ − ż)
    /// ```
    /// Accelerations from the equations at q and v would multiply their errors in stiff directions by the stiffness over
    /// the inertia; here q and v follow instead. Errors in other directions change by c times those of a.
    pub(crate) fn complete(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        options: &NewtonOptions,
        at: &mut Instant,
        c: f64,
    ) -> Result<(), StageError> {
        self.allocate(evaluator);
        // the second time the accelerations are accurate
        for _ in 0..COMPLETIONS {
            let map = &mut self.stage.map;
            map.freeze(at.t, &at.q, &at.v, &at.z);
            (map.c_q, map.c_v, map.c_z) = (c * c, c, c);
            add_scaled(-c * c, &at.a, &mut map.d);
            add_scaled(-c, &at.a, &mut map.v);
            add_scaled(-c, &at.rates, &mut map.z);
            self.stage.predict(&at.a, &at.multipliers, &at.rates);
            self.stage.solve(system, evaluator, options)?;
            at.a.copy_from_slice(&self.stage.a);
            let unknowns = self.stage.unknowns();
            at.multipliers.copy_from_slice(&unknowns.multipliers);
            at.rates.copy_from_slice(&unknowns.rates);
        }
        at.q.copy_from_slice(&self.stage.q);
        at.v.copy_from_slice(&self.stage.v);
        at.z.copy_from_slice(&self.stage.z);
        Ok(())
    }

    /// The derivative of the acceleration of a system without constraints:
    /// M j = ∂f/∂t + ∂f/∂q v + ∂f/∂v a − ∂(M a)/∂q v.
    pub fn jerk(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        at: &Instant,
        out: &mut [f64],
    ) -> Result<(), StageError> {
        self.allocate(evaluator);
        self.stage.map.freeze(at.t, &at.q, &at.v, &at.z);
        self.copy_point(at);
        let (point, q, v) = (StateView::from(at), &at.q, &at.v);
        evaluator.force_rate(system, &point, out)?;
        evaluator.force_tangent(system, &point)?;
        evaluator.mass_tangent(system, q, &at.a)?;
        evaluator.part(SystemMatrix::Stiffness).multiply_add(-1.0, v, out);
        evaluator.part(SystemMatrix::Damping).multiply_add(-1.0, &at.a, out);
        evaluator.part(SystemMatrix::MassTangent).multiply_add(-1.0, v, out);
        self.stage.factorize_saddle(system, evaluator, [0.0; 2])?;
        self.stage.solve_dynamics(system, out)
    }

    /// Moves q onto Φ = 0 along M⁻¹Gᵀ.
    pub fn project_positions(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        options: &NewtonOptions,
        at: &mut Instant,
    ) -> Result<ProjectionChange, StageError> {
        self.allocate(evaluator);
        self.stage.map.freeze(at.t, &at.q, &at.v, &at.z);
        self.copy_point(at);
        let measure = CorrectionNorm::new(options.tolerance, false, true);
        let context = &mut EvaluationContext { system, evaluator };
        newton::solve(&mut PositionProjection { consistency: self, measure }, context, options)?;
        let space = evaluator.space();
        let Stage { q, map, .. } = &mut self.stage;
        space.difference(Chart::Exponential, &at.q, q, &mut map.d);
        at.q.copy_from_slice(q);
        largest(&map.d)
    }

    /// Moves v onto G v + b = 0 along M⁻¹Gᵀ.
    pub fn project_velocities(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        at: &mut Instant,
    ) -> Result<ProjectionChange, StageError> {
        self.allocate(evaluator);
        self.stage.map.freeze(at.t, &at.q, &at.v, &at.z);
        self.copy_point(at);
        self.factorize(system, evaluator)?;
        evaluator.velocity_constraint(system, at.t, &at.q, &at.v, &mut self.rows)?;
        let increment = self.solve_rows(system)?;
        for (v, dv) in at.v.iter_mut().zip(increment) {
            *v += dv;
        }
        largest(increment)
    }

    /// The change of the velocities by a generalized impulse p, and the impulses Λ of the constraints:
    ///
    /// ```text
    /// M Δv + Gᵀ Λ = p,   G (v + Δv) + b = 0
    /// ```
    /// Without an impulse velocities that violate the constraints become consistent. With `is_homogeneous`, G Δv = 0
    /// instead: the velocities satisfy the constraints already.
    pub(crate) fn impulse(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        at: &Instant,
        impulse: &[f64],
        is_homogeneous: bool,
    ) -> Result<(&[f64], &[f64]), StageError> {
        self.allocate(evaluator);
        self.stage.map.freeze(at.t, &at.q, &at.v, &at.z);
        self.copy_point(at);
        self.stage.factorize_saddle(system, evaluator, [0.0; 2])?;
        self.rows.fill(0.0);
        if !is_homogeneous {
            evaluator.velocity_constraint(system, at.t, &at.q, &at.v, &mut self.rows)?;
        }
        let rows = &self.rows;
        let (change, impulses) = self.stage.solve_saddle(system, impulse, |i| -rows[i])?;
        largest(change)?;
        Ok((change, impulses))
    }

    /// Factorizes the matrix of projections at the state of the stage.
    fn factorize(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
    ) -> Result<(), StageError> {
        let is_euclidean = self.is_euclidean();
        let coefficients = match self.metric {
            ProjectionMetric::Stage { c_q, c_v } => [c_q, c_v],
            ProjectionMetric::Inertia | ProjectionMetric::Equal => [0.0; 2],
        };
        match self.euclidean.as_mut().filter(|_| is_euclidean) {
            None => self.stage.factorize_saddle(system, evaluator, coefficients),
            Some(saddle) => {
                evaluator.jacobian(system, self.stage.map.t, &self.stage.q)?;
                let jacobian = evaluator.part(SystemMatrix::Jacobian);
                let none = SparseMatrix::default();
                let done = saddle.factorize_with_mass(
                    &none,
                    |_| 1.0,
                    jacobian,
                    |i| evaluator.compliance(i),
                );
                done.map_err(|error| self.stage.explain(system, error))
            }
        }
    }

    /// The motion that removes the residuals of the rows; it stays in the stage as its correction.
    fn solve_rows(&mut self, system: &dyn System) -> Result<&[f64], StageError> {
        let is_euclidean = self.is_euclidean();
        let (stage, rows) = (&mut self.stage, &self.rows);
        match self.euclidean.as_mut().filter(|_| is_euclidean) {
            None => stage.solve_constraint_rows(system, |i| -rows[i]),
            Some(saddle) => match saddle.solve(|_| 0.0, |i| -rows[i]) {
                Ok((motion, _)) => Ok(stage.keep_correction(motion)),
                Err(error) => Err(stage.explain(system, error)),
            },
        }
    }

    fn copy_point(&mut self, at: &Instant) {
        self.stage.q.copy_from_slice(&at.q);
        self.stage.v.copy_from_slice(&at.v);
        self.stage.z.copy_from_slice(&at.z);
        self.stage.unknowns.rates.copy_from_slice(&at.rates);
        self.stage.unknowns.multipliers.copy_from_slice(&at.multipliers);
    }
}

/// The projection of positions as a problem for Newton's method.
struct PositionProjection<'a> {
    consistency: &'a mut ConsistencySolver,
    measure: CorrectionNorm,
}

impl Nonlinear for PositionProjection<'_> {
    fn evaluate(&mut self, context: &mut EvaluationContext<'_>) -> Result<(), StageError> {
        let ConsistencySolver { rows, stage, .. } = &mut *self.consistency;
        let EvaluationContext { system, evaluator } = context;
        rows.fill(0.0);
        let phi = &mut rows[..evaluator.sizes().holonomic];
        evaluator.constraint(*system, stage.map.t, &stage.q, phi)?;
        match phi.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(StageError::NotFinite { what: system.constraint_name(i) }),
            None => Ok(()),
        }
    }

    fn linearize(&mut self, context: &mut EvaluationContext<'_>) -> Result<(), StageError> {
        self.consistency.factorize(context.system, context.evaluator)
    }

    fn correct(&mut self, context: &mut EvaluationContext<'_>) -> Result<Correction, StageError> {
        self.consistency.solve_rows(context.system)?;
        let ConsistencySolver { stage, .. } = &mut *self.consistency;
        let increment = stage.correction();
        if !increment.iter().all(|x| x.is_finite()) {
            return Err(StageError::NotFinite { what: "the projection of the positions".into() });
        }
        let space = context.evaluator.space();
        let corrected = CorrectedMotion {
            reference: &stage.map.reference,
            increments: increment,
            velocities: &[],
            y: increment,
            x: increment,
            c_q: 1.0,
            c_v: 0.0,
        };
        let correction = self.measure.correction(space, &corrected);
        stage.move_by_correction(space);
        Ok(correction)
    }

    fn residual_is_round_off(&mut self, _context: &mut EvaluationContext<'_>) -> bool {
        let ConsistencySolver { rows, stage, .. } = &*self.consistency;
        math::largest(rows) <= CLOSED * math::largest(&stage.q).max(1.0)
    }

    fn not_converged(
        &self,
        context: &EvaluationContext<'_>,
        iterations: usize,
        size: f64,
    ) -> StageError {
        let name = |row| context.system.constraint_name(row);
        newton::not_converged(iterations, size, &self.consistency.rows, name)
    }
}

fn largest(increment: &[f64]) -> Result<ProjectionChange, StageError> {
    let mut moved = ProjectionChange::default();
    for (coordinate, x) in increment.iter().enumerate() {
        if !x.is_finite() {
            return Err(StageError::NotFinite { what: "the projection".into() });
        }
        if x.abs() > moved.largest {
            moved = ProjectionChange { largest: x.abs(), coordinate };
        }
    }
    Ok(moved)
}
