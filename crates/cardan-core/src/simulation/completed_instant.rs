//! Instants between steps that satisfy the constraints and the equations of motion.

use super::driver::Simulation;
use super::error::{SimulationError, unsolvable};
use super::workspace::Workspace;
use crate::stage::{Formulation, NewtonOptions, ProjectionMetric, StageError};
use crate::state::Instant;
use crate::system::System;

/// ∂v/∂a of the stage that completes an interpolated instant, relative to the step.
const STAGE_SHARE: f64 = 0.5;

impl Simulation<'_> {
    /// The current instant with a, λ and ż from the index-1 equations at its q and v, instead of
    /// the stage's: of the order of q and v, but with the high frequencies unfiltered.
    pub fn consistent_instant(&mut self) -> Result<Instant, SimulationError> {
        let mut at = self.state.now.clone();
        let Workspace { evaluator, consistency, .. } = &mut self.workspace;
        let solved =
            consistency.accelerations(self.system.get(), evaluator, &self.settings.newton, &mut at);
        // this call must not change the bits of later steps
        self.workspace.restore_pivots(&self.state.pivots);
        solved.map_err(|cause| unsolvable(at.t, "the consistent accelerations", cause))?;
        Ok(at)
    }

    /// The motion at a time within the last step: the [interpolant](Self::interpolant), with positions and velocities that
    /// satisfy the constraints. If stages constrain accelerations, the equations of motion hold too, as at the ends of
    /// the step. The current instant if no step has been taken.
    pub fn instant_at(&mut self, t: f64) -> Instant {
        let now = &self.state.now;
        let Some(at) = self.interpolant().map(|step| step.at(t)).filter(|_| t != now.t) else {
            return now.clone();
        };
        if at.multipliers.is_empty() {
            return at;
        }
        let h = now.t - self.workspace.next.t;
        let mut made = at.clone();
        let completed = self.complete_interpolated(h, &mut made);
        // this call must not change the bits of later steps
        self.workspace.restore_pivots(&self.state.pivots);
        if completed.is_ok() { made } else { at }
    }

    /// Moves an interpolated instant of a step of size h onto the constraints. If stages constrain accelerations, q, v, a and
    /// λ then satisfy the equations of motion, by a stage whose matrix keeps stiff forces undisturbed: see
    /// [`ConsistencySolver::complete`](crate::stage::ConsistencySolver::complete).
    pub(super) fn complete_interpolated(
        &mut self,
        h: f64,
        at: &mut Instant,
    ) -> Result<(), StageError> {
        let (system, newton) = (self.system.get(), self.settings.newton);
        let work = &mut self.workspace;
        if self.settings.constraints != Formulation::Acceleration {
            return project(work, system, &newton, at);
        }
        let is_implicit = self.method.stages() > 0;
        let c = STAGE_SHARE * h;
        if is_implicit && c > 0.0 {
            let mut made = at.clone();
            let Workspace { evaluator, consistency, .. } = &mut *work;
            let completed = consistency.complete(system, evaluator, &newton, &mut made, c);
            consistency.set_metric(ProjectionMetric::Stage { c_q: c * c, c_v: c });
            let completed = completed.and_then(|()| project(work, system, &newton, &mut made));
            work.consistency.set_metric(ProjectionMetric::Inertia);
            if completed.is_ok() {
                *at = made;
                return Ok(());
            }
        }
        project(work, system, &newton, at)?;
        let Workspace { evaluator, consistency, .. } = work;
        consistency.accelerations(system, evaluator, &newton, at)
    }
}

/// Projects positions and velocities onto the constraints.
fn project(
    work: &mut Workspace,
    system: &dyn System,
    newton: &NewtonOptions,
    at: &mut Instant,
) -> Result<(), StageError> {
    let Workspace { evaluator, consistency, .. } = work;
    consistency.project_positions(system, evaluator, newton, at)?;
    consistency.project_velocities(system, evaluator, at)?;
    Ok(())
}
