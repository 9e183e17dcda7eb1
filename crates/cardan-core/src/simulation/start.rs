//! The start of a simulation: consistent values, and the constraints that are redundant there.

use super::driver::Simulation;
use super::error::{SimulationError, StartError, system_reason, unsolvable};
use super::initial::{self, Determinacy, InitialValues};
use super::state::StepOrigin;
use super::workspace::Workspace;
use super::{redundancy, settings};
use crate::methods::{MethodStart, SystemFeature};
use crate::stage::{NewtonMemory, StageError};
use crate::state::Instant;
use crate::system::{Identity, SystemMatrix};

impl Simulation<'_> {
    /// Begins at the current instant, which is that of the initial values. Where the equations do not determine
    /// everything, [`begin_undetermined`](Self::begin_undetermined) begins instead.
    pub(super) fn begin(&mut self, initial: &InitialValues) -> Result<(), SimulationError> {
        match self.begin_with(initial.known.is_some(), Determinacy::Unique) {
            // if this fails too, the first error is the more informative one
            Err(error) if is_singular(&error) => {
                let described = initial.instant(self.system.get())?;
                self.begin_undetermined(&described).map_err(|_| error)
            }
            begun => begun,
        }
    }

    /// Begins if the equations do not determine everything: redundant constraints are
    /// set inactive; if that is not enough, accelerations and multipliers are those of least squares.
    fn begin_undetermined(&mut self, described: &Instant) -> Result<(), SimulationError> {
        let found =
            redundancy::find(self.system.get(), &self.settings, self.method.as_ref(), described)?;
        let mut described = described.clone();
        described.inactive.extend(&found);
        described.inactive.sort_unstable();
        let mut begin = |determinacy| {
            let system = self.system.get();
            let method = self.method.as_ref();
            self.workspace = Workspace::new(system, &self.settings, method, &described)?;
            self.state.now.copy_from(&described);
            self.state.history.earlier.iter_mut().for_each(|at| at.copy_stored_from(&described));
            self.begin_with(false, determinacy)
        };
        begin(Determinacy::Unique).or_else(|_| begin(Determinacy::LeastSquares))?;
        let system = self.system.get();
        redundancy::check_inactive(system, &self.state.now)
            .map_err(|cause| SimulationError::Start { time: described.t, cause })?;
        self.report.redundant = found.iter().map(|&i| system.constraint_name(i)).collect();
        Ok(())
    }

    /// Projects inconsistent initial values, computes a and λ, and starts the method.
    fn begin_with(
        &mut self,
        is_complete: bool,
        determinacy: Determinacy,
    ) -> Result<(), SimulationError> {
        let (system, now) = (self.system.get(), &mut self.state.now);
        let Workspace { evaluator, consistency, stage, .. } = &mut self.workspace;
        if !is_complete {
            let newton = &self.settings.newton;
            let made =
                initial::make_consistent(system, evaluator, consistency, newton, determinacy, now);
            self.report = made.map_err(|error| match error {
                SimulationError::Start { time, cause: StartError::Unsolvable { doing, cause } } => {
                    unsolvable(time, doing, system_reason(system, cause, &[(&*now).into()]))
                }
                other => other,
            })?;
        }
        evaluator
            .accept(system, None, now)
            .map_err(|failure| unsolvable(now.t, "the start", StageError::refused(failure)))?;
        self.state.identity = Identity::new(now);
        evaluator.mass(system, &now.q)?;
        evaluator.jacobian(system, now.t, &now.q)?;
        match stage.prepare(system, evaluator) {
            // M must be inverted: report it now instead of in the first step
            Err(StageError::Singular { unknown }) => {
                let refusal = settings::refusal(
                    &self.settings,
                    &self.info,
                    SystemFeature::Massless,
                    &unknown,
                );
                return Err(refusal.into());
            }
            prepared => prepared.map_err(|cause| unsolvable(now.t, "the start", cause))?,
        }
        let mass = evaluator.part(SystemMatrix::Mass);
        let from = MethodStart { now, mass, h: self.settings.step_size };
        self.method.start(&from, &mut self.state.history);
        self.workspace.save_pivots(&mut self.state);
        self.workspace.prepare_steps();
        self.watch.check(self.system.get(), &self.workspace.evaluator, &mut self.state);
        self.begin_control();
        Ok(())
    }

    /// Begins the motion again at the current configuration, at a time within round-off of the current one: velocities
    /// that satisfy the constraints with the least change by impulses, new accelerations, and a method without history.
    pub(super) fn restart_at(&mut self, t: f64) -> Result<(), SimulationError> {
        let (system, newton) = (self.system.get(), self.settings.newton);
        let mut now = self.state.now.clone();
        now.t = t;
        let Workspace { evaluator, consistency, stage, .. } = &mut self.workspace;
        let mut again = |determinacy: Determinacy, now: &mut Instant| {
            initial::make_consistent(system, evaluator, consistency, &newton, determinacy, now)
        };
        let unique = again(Determinacy::Unique, &mut now);
        if let Err(error) = unique {
            now.copy_from(&self.state.now);
            now.t = t;
            again(Determinacy::LeastSquares, &mut now).map_err(|_| error)?;
        }
        evaluator.mass(system, &now.q)?;
        evaluator.jacobian(system, now.t, &now.q)?;
        let prepared = stage.prepare(system, evaluator);
        prepared.map_err(|cause| unsolvable(t, "the restart", cause))?;
        let mass = evaluator.part(SystemMatrix::Mass);
        let from = MethodStart { now: &now, mass, h: self.settings.step_size };
        self.state.history.filled = 0;
        // as at the start of the motion: nothing from before the restart remains
        let kinds = self.method.storage().auxiliary;
        for ((_, kind), vector) in kinds.iter().zip(&mut self.state.history.auxiliary) {
            vector.values = kind.initial(&now);
        }
        self.method.start(&from, &mut self.state.history);
        self.state.newton = NewtonMemory::new(&now);
        self.state.kept_matrix = None;
        self.state.step_origin = StepOrigin { time: t, steps: self.state.steps };
        self.state.now = now;
        self.workspace.stage.replace_memory(&self.state.newton);
        self.workspace.stage.invalidate_factors();
        self.workspace.has_stepped = false;
        self.workspace.save_pivots(&mut self.state);
        self.workspace.prepare_steps();
        self.begin_control();
        Ok(())
    }
}

/// Whether the initial equations are singular.
fn is_singular(error: &SimulationError) -> bool {
    let SimulationError::Start { cause: StartError::Unsolvable { cause, .. }, .. } = error else {
        return false;
    };
    matches!(cause, StageError::Singular { .. })
}
