//! The data and operations of a step in progress.

use super::StageRecord;
use super::predictor::{LastInstants, Weights};
use super::step_end::{AccelerationSource, MotionSource, Projection, StepEnd};
use crate::math::{Chart, add_scaled};
use crate::stage::StageError;
use crate::stage::{
    ConsistencySolver, ForceEvaluation, Formulation, NewtonOptions, ProjectionMetric, Stage,
};
use crate::state::{Instant, MethodHistory};
use crate::system::{Evaluator, RotationIndex, Space, System, SystemSizes};

/// A rotation per step, in radians, up to which every method has a solution in the Cayley chart: the
/// smallest limit is that of LMS4, 0.77.
const FAST: f64 = 0.7;

/// One step in progress: the history, the stage to solve, and the next instant. Changes by the method
/// are kept only if the step is accepted.
pub struct Step<'a> {
    /// The equations.
    pub system: &'a dyn System,
    /// M, G, forces and tangents of the equations.
    pub evaluator: &'a mut Evaluator,
    /// The stage: the relation of q, v and a at the instant to solve for ([`Stage::map`]), the starting values of
    /// Newton ([`Stage::predict`]), and the solution.
    pub stage: &'a mut Stage,
    /// The constraints that stages enforce.
    pub formulation: Formulation,
    /// The step size.
    pub h: f64,
    /// Whether the previous step had the same size.
    pub is_steady: bool,
    /// The time at the end of the step.
    pub t_next: f64,
    /// The current instant.
    pub now: &'a Instant,
    /// The history; its auxiliary vectors are those of the current instant.
    pub history: &'a MethodHistory,
    /// The auxiliary vectors; the method updates them to those of the next instant.
    pub auxiliary: &'a mut [Vec<f64>],
    /// Scratch for the stages of this step; their number is [`MethodStorage::records`](super::MethodStorage::records).
    pub records: &'a mut [StageRecord],
    /// The next instant, complete after [`Step::end`].
    pub next: &'a mut Instant,
    /// Linear solves of each stage so far.
    pub solves: &'a mut Vec<u32>,
    /// The estimate of the local error in q, v and z, if the method has one.
    pub estimate: &'a mut [f64],
    /// Solver for projections onto constraints, accelerations and jerks of an instant.
    pub consistency: &'a mut ConsistencySolver,
    /// Options of the Newton iteration.
    pub options: &'a NewtonOptions,
}

impl Step<'_> {
    /// The configuration space.
    pub fn space(&self) -> &Space {
        self.evaluator.space()
    }

    /// The numbers of unknowns.
    pub fn sizes(&self) -> SystemSizes {
        self.evaluator.sizes()
    }

    /// Solves the stage described by the map. If Newton does not converge from the prediction of the method, it
    /// starts from the velocities of the current instant, which are less accurate but more robust;
    /// then with damped corrections, from this start and from the prediction.
    pub fn solve(&mut self) -> Result<(), StageError> {
        let solved = self.stage.solve_from(self.system, self.evaluator, self.options, self.now);
        let error = match solved {
            Ok(solves) => {
                self.solves.push(solves as u32);
                return Ok(());
            }
            Err(error) => error,
        };
        let mut solves = self.options.iterations;
        if self.options.retry_from_current_velocity && is_symptom(&error) {
            self.stage.keep_start();
            let (system, options) = (self.system, self.options);
            let mut again = None;
            if self.predict_from_current_velocity() {
                again = self.stage.solve(system, self.evaluator, options).ok();
                if again.is_none() {
                    solves += options.iterations;
                    again = self.stage.solve_damped(system, self.evaluator, options).ok();
                }
            }
            if again.is_none() {
                self.stage.return_to_start();
                again = self.stage.solve_damped(system, self.evaluator, options).ok();
            }
            if let Some(more) = again {
                self.solves.push((solves + more) as u32);
                return Ok(());
            }
        }
        self.solves.push(solves as u32);
        Err(self.explain_rotation_limit(error))
    }

    /// Starting values of Newton for a stage at the end of the step: accelerations and multipliers of the last instants,
    /// extrapolated as far as they change smoothly, or those of `otherwise` if they do not. It uses up to six
    /// [earlier](super::MethodStorage::earlier) instants. `root`: the method multiplies errors of accelerations by −root in
    /// every step.
    pub(super) fn predict_smoothly(&mut self, root: f64, otherwise: impl FnOnce(&mut Self)) {
        let instants = LastInstants::new(self.now, &self.history.earlier[..self.history.filled]);
        let weights = Weights::new(self.t_next, &instants, root);
        if weights.extrapolates() {
            let Self { next, stage, evaluator, .. } = self;
            weights.apply(&mut next.a, &instants.values(|x| &x.a));
            weights.apply(&mut next.multipliers, &instants.values(|x| &x.multipliers));
            weights.apply(&mut next.rates, &instants.values(|x| &x.rates));
            stage.map.unknowns_of_accelerations(evaluator.space(), &mut next.a);
            stage.predict(&next.a, &next.multipliers, &next.rates);
        } else {
            otherwise(self);
        }
        // a method of second order has errors like those of a force of the size h² ä; errors that the method does not damp
        // would stay
        if root < 1.0 {
            self.stage.set_method_error(weights.second_difference);
        }
    }

    /// Starts Newton at the accelerations and multipliers of the current instant.
    pub(super) fn predict_last(&mut self) {
        let now = self.now;
        self.stage.predict(&now.a, &now.multipliers, &now.rates);
    }

    /// Starts Newton at the velocities of the current instant, if the stage has a suitable form.
    fn predict_from_current_velocity(&mut self) -> bool {
        let Self { now, next, stage, .. } = self;
        let map = &stage.map;
        let is_plain =
            map.c_v != 0.0 && map.balance == ForceEvaluation::AtStage && !stage.acts_within_step();
        if is_plain {
            for ((p, known), v) in next.a.iter_mut().zip(&map.v).zip(&now.v) {
                *p = (v - known) / map.c_v;
            }
            stage.predict(&next.a, &now.multipliers, &now.rates);
        }
        is_plain
    }

    /// Above a speed that depends on the method, the equations in the Cayley chart have no solution: replaces
    /// the error of Newton by this cause.
    fn explain_rotation_limit(&self, error: StageError) -> StageError {
        if self.stage.map.chart != Chart::Cayley || !is_symptom(&error) {
            return error;
        }
        let turn = |rotation: &RotationIndex| self.h * rotation.tangent(&self.now.v).norm();
        let rotations = self.evaluator.space().rotations().iter();
        let fastest = rotations.max_by(|a, b| turn(a).total_cmp(&turn(b)));
        match fastest.filter(|rotation| turn(rotation) > FAST) {
            None => error,
            Some(rotation) => StageError::RotationPerStep {
                name: self.system.rotation_name(rotation.v),
                angle: turn(rotation),
                limit: FAST,
                chart: Chart::Cayley,
            },
        }
    }

    /// Ends the step: completes the next instant, and calls [`System::accept`].
    pub fn end(&mut self, ending: StepEnd) -> Result<(), StageError> {
        if ending.motion == MotionSource::Stage {
            self.take_stage();
        }
        let is_projected = self.project(ending.projection)?;
        self.normalize()?;
        match ending.accelerations {
            AccelerationSource::Kept => {}
            AccelerationSource::RecomputedIfProjected if !is_projected => {}
            AccelerationSource::RecomputedIfProjected => {
                let recomputed = self.accelerate(0.0);
                // if q and v do not determine them, those of the stage are kept
                if !matches!(recomputed, Err(StageError::Singular { .. })) {
                    recomputed?;
                }
            }
            AccelerationSource::Recomputed { baumgarte_rate } => {
                self.next.stabilization_multipliers.fill(0.0);
                self.accelerate(baumgarte_rate)?;
            }
        }
        self.accept_next()
    }

    /// Projects the next instant onto its constraints; returns whether a projection was requested.
    fn project(&mut self, projection: Projection) -> Result<bool, StageError> {
        let is_formulated = self.formulation == Formulation::Acceleration;
        let (positions, velocities, is_euclidean) = match projection {
            Projection::ByFormulation => (is_formulated, is_formulated, false),
            Projection::Onto { positions, velocities, is_euclidean } => {
                (positions, velocities, is_euclidean)
            }
        };
        let metric = match projection {
            _ if is_euclidean => ProjectionMetric::Equal,
            Projection::ByFormulation => self.stage.map.projection_metric(),
            Projection::Onto { .. } => ProjectionMetric::Inertia,
        };
        self.consistency.set_metric(metric);
        let mut projected = self.project_levels(positions, velocities);
        if projected.is_err() && matches!(metric, ProjectionMetric::Stage { .. }) {
            // M is regular where the matrix of a stage may not be
            self.consistency.set_metric(ProjectionMetric::Inertia);
            projected = self.project_levels(positions, velocities);
        }
        // other projections begin with the same metric, also in a continued run
        self.consistency.set_metric(ProjectionMetric::Inertia);
        projected
    }

    fn project_levels(&mut self, positions: bool, velocities: bool) -> Result<bool, StageError> {
        let (system, evaluator, options) = (self.system, &mut *self.evaluator, self.options);
        if positions && !self.next.stabilization_multipliers.is_empty() {
            self.consistency.project_positions(system, evaluator, options, self.next)?;
        }
        if velocities && !self.next.multipliers.is_empty() {
            self.consistency.project_velocities(system, evaluator, self.next)?;
        }
        Ok((positions || velocities) && !self.next.multipliers.is_empty())
    }

    /// Computes accelerations, multipliers and rates of the next instant from its t, q, v and z; `baumgarte_rate` is
    /// Baumgarte's rate.
    pub fn accelerate(&mut self, baumgarte_rate: f64) -> Result<(), StageError> {
        let (system, evaluator) = (self.system, &mut *self.evaluator);
        self.consistency.accelerations_with_baumgarte(
            system,
            evaluator,
            self.options,
            self.next,
            baumgarte_rate,
        )
    }

    /// Writes y + h Σ wⱼ ẏⱼ over the records into q, v and z of the next instant, with q in the exponential
    /// chart centred at the current instant. The chart vector is left in `stage.map.d`.
    pub fn displace(&mut self, weights: &[f64]) -> Result<(), StageError> {
        let Self { h, now, next, records, evaluator, stage, .. } = self;
        let map = &mut stage.map;
        map.d.fill(0.0);
        next.v.copy_from_slice(&now.v);
        next.z.copy_from_slice(&now.z);
        for (StageRecord { rate, a, rates, .. }, w) in records.iter().zip(weights) {
            add_scaled(*h * w, rate, &mut map.d);
            add_scaled(*h * w, a, &mut next.v);
            add_scaled(*h * w, rates, &mut next.z);
        }
        evaluator.space().retract(Chart::Exponential, &now.q, &map.d, &mut next.q);
        self.check_rotation()
    }

    /// An error if the displacement in `stage.map.d` exceeds half a turn.
    pub fn check_rotation(&self) -> Result<(), StageError> {
        self.stage.map.check_rotations(self.system, self.evaluator.space(), &self.stage.map.d, 1.0)
    }

    /// Scales the quaternions of the next instant to length one.
    pub fn normalize(&mut self) -> Result<(), StageError> {
        match self.evaluator.space().normalize(&mut self.next.q) {
            true => Ok(()),
            false => Err(StageError::NotFinite { what: "a rotation".into() }),
        }
    }

    /// Copies the stage to the next instant.
    pub fn take_stage(&mut self) {
        let (stage, next) = (&*self.stage, &mut *self.next);
        next.t = self.stage.map.t;
        next.q.copy_from_slice(&stage.q);
        next.v.copy_from_slice(&stage.v);
        next.a.copy_from_slice(&stage.a);
        next.z.copy_from_slice(&stage.z);
        next.rates.copy_from_slice(&stage.unknowns().rates);
        next.multipliers.copy_from_slice(&stage.unknowns().multipliers);
        next.stabilization_multipliers.copy_from_slice(&stage.unknowns().stabilization_multipliers);
    }

    /// Calls [`System::accept`] for the next instant, which updates its discrete values. Every step
    /// [ends](Self::end) with it; a method that uses q before the end of the step calls it earlier too.
    pub fn accept_next(&mut self) -> Result<(), StageError> {
        let step = self.next.t - self.now.t;
        let accepted = self.evaluator.accept(self.system, Some(step), self.next);
        accepted.map_err(StageError::refused)
    }
}

/// Whether an error may be caused by the iteration and not by the equations.
fn is_symptom(error: &StageError) -> bool {
    matches!(
        error,
        StageError::NotConverged { .. }
            | StageError::Singular { .. }
            | StageError::NotFinite { .. }
            | StageError::RotationPerStep { .. }
    )
}
