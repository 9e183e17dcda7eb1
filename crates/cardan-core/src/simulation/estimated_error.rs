//! The estimated error of a step over the tolerance.
//!
//! ```text
//! ẽ = J⁻¹ (M e, 0)           in q and v, with the matrix J of a stage: constraints and fast modes do not count
//! δa = −J⁻¹ (D e_v + F e_z, 0)   the accelerations that follow from errors of velocities and states, for embedded pairs
//! ```
//! Where dampers are stiff, ẽ is small while their forces have errors: velocities follow from a balance of forces,
//! and stages of lower order than the method disturb it. δa shows that. Stiffnesses without damping do not take part:
//! a mode that is faster than the step and not damped would dictate steps that resolve it.

use super::driver::Simulation;
use super::error::{SimulationError, unsolvable};
use super::error_norm::WeightedError;
use super::tolerance::ErrorControl;
use crate::stage::NewtonOptions;
use crate::system::SystemMatrix;

/// Newton's error relative to that of a step.
const NEWTON_SHARE: f64 = 1e-2;
/// The range of Newton's tolerance under error control.
const NEWTON_TOLERANCES: [f64; 2] = [1e-13, 1e-7];
/// The error δa that is allowed, over the tolerance and the largest acceleration so far. It was measured: on a governor with stiff
/// dampers errors of accelerations are up to ten times this number of tolerances.
const ACCELERATION_SHARE: f64 = 4.0;

impl Simulation<'_> {
    /// The estimated error over the tolerance, filtered by the stage matrix: directions that constraints exclude and fast
    /// modes that the method damps do not count.
    pub(super) fn estimated_error(
        &mut self,
        control: &ErrorControl,
    ) -> Result<WeightedError, SimulationError> {
        let system = self.system.get();
        let n = self.state.now.v.len();
        let is_pair = self.method.embedded_order().is_some();
        let work = &mut self.workspace;
        let failed = |cause| unsolvable(work.next.t, "the error estimate", cause);
        work.evaluator.mass(system, &work.next.q)?;
        let (q, rest) = work.estimate.split_at_mut(n);
        let (v, z) = rest.split_at_mut(n);
        work.force_error.fill(0.0);
        if is_pair {
            let damping = work.evaluator.part(SystemMatrix::Damping);
            damping.multiply_add(-1.0, v, &mut work.force_error);
            let by_states = work.evaluator.part(SystemMatrix::ForceState);
            by_states.multiply_add(-1.0, z, &mut work.force_error);
        }
        for part in [q, v] {
            work.stage.filter(system, &work.evaluator, part).map_err(failed)?;
        }
        let memory = self.state.controller.get_or_insert_default();
        work.scales.copy_from(&memory.scales);
        work.error_norm.enlarge(&work.next, &mut work.scales);
        let motion = work.error_norm.weighted(control, &work.scales, &work.estimate);
        if work.force_error.iter().all(|force| *force == 0.0) {
            return Ok(motion);
        }
        work.stage.solve_dynamics(system, &mut work.force_error).map_err(failed)?;
        let (scales, c_q) = (&work.scales, work.stage.map.c_q);
        let forces =
            work.error_norm.weighted_accelerations(control, scales, &work.force_error, c_q);
        let size = forces.size / ACCELERATION_SHARE;
        match size > motion.size {
            true => Ok(WeightedError { size, worst: work.estimate.len() + forces.worst }),
            false => Ok(motion),
        }
    }

    /// Newton's tolerance, in units of positions: its errors in positions and velocities are small against those of a step.
    pub(super) fn newton_tolerance(&self, control: &ErrorControl, local: f64, h: f64) -> f64 {
        let memory = self.state.controller.as_ref();
        let rate = memory.map_or(f64::INFINITY, |memory| {
            self.workspace.error_norm.rate(control, &memory.scales)
        });
        let NewtonOptions { tolerance: chosen, .. } = self.settings.newton;
        if chosen != NewtonOptions::default().tolerance {
            return chosen;
        }
        let [least, most] = NEWTON_TOLERANCES;
        (NEWTON_SHARE * local * control.relative * (rate * h).min(1.0)).clamp(least, most)
    }

    /// The name of a component of the estimate: positions, velocities, states, accelerations.
    pub(super) fn error_name(&self, i: usize) -> String {
        let (system, n) = (self.system.get(), self.state.now.v.len());
        let states = 2 * n..2 * n + self.state.now.z.len();
        match i {
            _ if i < n => system.coordinate_name(i),
            _ if i < 2 * n => format!("the velocity of {}", system.coordinate_name(i - n)),
            _ if states.contains(&i) => system.state_name(i - 2 * n),
            _ => format!("the acceleration of {}", system.coordinate_name(i - states.end)),
        }
    }
}
