//! The scratch of a simulation, allocated once.

use std::sync::Arc;

use super::error::SimulationError;
use super::error_norm::{ErrorNorm, MotionScales};
use super::settings::Settings;
use super::state::State;
use super::stiff_forces::StiffForces;
use crate::linalg::{Pivots, Solver};
use crate::methods::{Method, SettingsError, StageRecord};
use crate::stage::{ConsistencySolver, Formulation, Stage};
use crate::state::Instant;
use crate::system::{Evaluator, System};

/// Scratch, allocated once.
pub(super) struct Workspace {
    pub evaluator: Evaluator,
    pub stage: Stage,
    pub consistency: ConsistencySolver,
    /// The next instant; after a step was accepted, the previous one.
    pub next: Instant,
    /// One number per constraint.
    pub rows: Vec<f64>,
    /// The auxiliary vectors of the method at the next instant.
    pub auxiliary: Vec<Vec<f64>>,
    /// Stages of the step in progress.
    pub records: Vec<StageRecord>,
    /// Linear solves of each stage of the last step.
    pub solves: Vec<u32>,
    /// The method's estimate of the local error of the last step in q, v and z.
    pub estimate: Vec<f64>,
    /// Forces by estimated errors of the velocities, and the accelerations that follow, under error control.
    pub force_error: Vec<f64>,
    /// Forces by all estimated errors, and the accelerations that follow, if a tolerance of accelerations is given.
    pub total_force_error: Vec<f64>,
    /// Forces of dampers that follow from these accelerations.
    pub damper_forces: Vec<f64>,
    /// Stiff forces of the estimate, under error control.
    pub stiff_forces: StiffForces,
    /// The error of accelerations by stiff dampers over h², over the tolerance, of the last computed step.
    pub force_coefficient: f64,
    /// The weights of the estimate, under error control.
    pub error_norm: ErrorNorm,
    /// The largest values so far, with those of the computed step.
    pub scales: MotionScales,
    /// Whether the last computed step was accepted, so that these values belong to it.
    pub has_stepped: bool,
    /// Counts of pivotings of the solvers when the state was updated last.
    pivotings: Vec<u64>,
}

impl Workspace {
    /// A workspace whose stage has no memory until [`Workspace::prepare_steps`]: before that, the first accelerations need
    /// as much.
    pub fn new(
        system: &dyn System,
        settings: &Settings,
        method: &dyn Method,
        now: &Instant,
    ) -> Result<Self, SimulationError> {
        let mut evaluator = Evaluator::at_instant(system, now)?;
        evaluator.set_step_size(settings.step_size);
        let (storage, sizes) = (method.storage(), evaluator.sizes());
        let own = if sizes.constraints > 0 { method.constraint_forces(&evaluator) } else { None };
        let stage = Stage::without_memory(system, &evaluator, settings.constraints, own);
        check_memory(settings, stage.solver())?;
        if settings.constraints == Formulation::Position
            && sizes.holonomic == sizes.constraints
            && !system.has_constant_tangents()
        {
            // the order of elimination is known now
            evaluator.free_velocity_tangent();
        }
        let mut consistency = ConsistencySolver::of_stage(&stage);
        if storage.euclidean {
            consistency = consistency.with_euclidean(&evaluator);
        }
        let has_estimate = method.embedded_order().is_some() || settings.control.is_some();
        let estimated = if has_estimate { 2 * now.v.len() + now.z.len() } else { 0 };
        let has_accelerations =
            settings.control.is_some_and(|control| control.absolute.has_accelerations());
        Ok(Self {
            stage,
            consistency,
            next: now.clone(),
            rows: vec![0.0; sizes.constraints],
            auxiliary: storage.auxiliary.iter().map(|(_, extent)| extent.initial(now)).collect(),
            records: (0..storage.records).map(|_| StageRecord::new(sizes)).collect(),
            solves: Vec::with_capacity(storage.records.max(1)),
            estimate: vec![0.0; estimated],
            force_error: vec![0.0; if settings.control.is_some() { now.v.len() } else { 0 }],
            total_force_error: vec![0.0; if has_accelerations { now.v.len() } else { 0 }],
            damper_forces: vec![0.0; if settings.control.is_some() { now.v.len() } else { 0 }],
            stiff_forces: match settings.control {
                Some(_) => StiffForces::new(now.v.len()),
                None => StiffForces::default(),
            },
            force_coefficient: 0.0,
            error_norm: settings.control.map(|_| ErrorNorm::new(system)).unwrap_or_default(),
            scales: MotionScales::default(),
            has_stepped: false,
            pivotings: Vec::new(),
            evaluator,
        })
    }

    /// Allocates the memory of steps; that of the first accelerations is freed or used again.
    pub fn prepare_steps(&mut self) {
        self.consistency.release_to(&mut self.stage);
        self.stage.allocate(&self.evaluator);
    }

    fn visit_solvers(&mut self, visit: &mut dyn FnMut(&mut Solver)) {
        self.stage.visit_solvers(visit);
        self.consistency.visit_solvers(visit);
    }

    /// Restores pivots chosen earlier, so that results have the same bits.
    pub fn restore_pivots(&mut self, pivots: &[Arc<Pivots>]) {
        let mut known = pivots.iter();
        let mut has_changed = false;
        self.visit_solvers(&mut |solver| {
            if let Some(pivots) = known.next() {
                has_changed |= solver.restore_pivots(pivots);
            }
        });
        if has_changed {
            self.stage.invalidate_factors();
            self.consistency.invalidate_factors();
        }
    }

    /// Copies new pivots to the state.
    pub fn save_pivots(&mut self, state: &mut State) {
        let mut pivotings = std::mem::take(&mut self.pivotings);
        let mut i = 0;
        self.visit_solvers(&mut |solver| {
            if i == pivotings.len() {
                pivotings.push(0);
            }
            if i == state.pivots.len() {
                state.pivots.push(Arc::default());
            }
            let count = solver.statistics().pivotings;
            if pivotings[i] != count {
                pivotings[i] = count;
                state.pivots[i] = solver.shared_pivots();
            }
            i += 1;
        });
        self.pivotings = pivotings;
    }
}

/// An error if the factors are expected to take more memory than is allowed.
fn check_memory(settings: &Settings, solver: &Solver) -> Result<(), SettingsError> {
    let Some(allowed) = settings.max_memory else { return Ok(()) };
    let needed = solver.estimated_factor_bytes();
    match needed <= allowed {
        true => Ok(()),
        false => Err(SettingsError::Memory { needed, allowed, unknowns: solver.size() }),
    }
}
