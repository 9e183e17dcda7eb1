//! The estimated error of a step over the tolerance.
//!
//! ```text
//! ẽ = J⁻¹ (M e, 0)           in q and v, with the matrix J of a stage: constraints and fast modes do not count
//! δa = −J⁻¹ (D e_v + F e_z, 0)   the accelerations that follow from errors of velocities and states, for embedded pairs
//! δa = −J⁻¹ (K e_q + D e_v + F e_z, 0)   those that follow from all errors, if a tolerance of accelerations is given
//! ```
//! Where dampers are stiff, ẽ is small while their forces have errors: velocities follow from a balance of forces,
//! and stages of lower order than the method disturb it. δa shows that. Stiffnesses without damping do not take part:
//! a mode that is faster than the step and not damped would dictate steps that resolve it. With a tolerance of accelerations
//! they do: the acceleration of an undamped mode is right only if it is resolved.
//!
//! A damper much faster than the step acts like a constraint on velocities, and δa is C h² with a C of the slow motion. The
//! estimate of C passes zero at other times than the true one; steps that grow there have errors of hundreds of tolerances.
//! C is therefore remembered: it decays within about three of the steps that the error of the motion alone would allow.

use super::driver::Simulation;
use super::error::{SimulationError, unsolvable};
use super::error_norm::{WeightedError, requested_accelerations};
use super::step_controller::AIM;
use super::tolerance::ErrorControl;
use crate::math::largest;
use crate::stage::NewtonOptions;
use crate::system::SystemMatrix;

/// Newton's error relative to that of a step.
const NEWTON_SHARE: f64 = 1e-2;
/// The range of Newton's tolerance under error control.
const NEWTON_TOLERANCES: [f64; 2] = [1e-13, 1e-7];
/// The error δa that is allowed, over the tolerance and the largest acceleration so far. It was measured: on a governor with stiff
/// dampers errors of accelerations are up to sixteen times this number of tolerances.
const ACCELERATION_SHARE: f64 = 5.0;
/// The part of a damper's force error that δa takes away if the damper is much faster than the step.
const STIFF_SHARE: f64 = 0.8;
/// The time for which δa/h² is remembered, over the step that the error of the motion alone would allow.
const FORCE_MEMORY: f64 = 3.0;

/// A step whose error is estimated.
pub(super) struct AttemptedStep {
    /// Its size.
    pub h: f64,
    /// The part of the tolerance that one step may use.
    pub local: f64,
    /// The power of h to which the estimate is proportional.
    pub power: f64,
    /// [`Estimate::factor`](crate::methods::Estimate::factor).
    pub factor: f64,
}

impl AttemptedStep {
    /// The size of the step that has the error at which the controller aims, over that of this step.
    fn ratio(&self, error: f64) -> f64 {
        (AIM / error.max(1e-10)).powf(1.0 / self.power)
    }
}

impl Simulation<'_> {
    /// The estimated error over the tolerance: filtered by the stage matrix, unless stiffness arose within the step.
    pub(super) fn estimated_error(
        &mut self,
        control: &ErrorControl,
        step: &AttemptedStep,
    ) -> Result<WeightedError, SimulationError> {
        let filtered = self.filtered_error(control, step)?;
        if filtered.size > 1.0 {
            return Ok(filtered);
        }
        let behind = self.error_behind_arisen_stiffness(control, step)?;
        Ok(behind.filter(|error| error.size > filtered.size).unwrap_or(filtered))
    }

    /// The estimated error over the tolerance, filtered by the stage matrix: directions that constraints exclude and fast
    /// modes that the method damps do not count.
    fn filtered_error(
        &mut self,
        control: &ErrorControl,
        step: &AttemptedStep,
    ) -> Result<WeightedError, SimulationError> {
        let system = self.system.get();
        let n = self.state.now.v.len();
        let is_pair = self.method.embedded_order().is_some();
        let work = &mut self.workspace;
        let failed = |cause| unsolvable(work.next.t, "the error estimate", cause);
        let has_accelerations = control.absolute.has_accelerations();
        work.evaluator.mass(system, &work.next.q)?;
        work.stiff_forces.keep(&work.estimate);
        if has_accelerations {
            work.total_force_error.fill(0.0);
            let parts = [SystemMatrix::Stiffness, SystemMatrix::Damping, SystemMatrix::ForceState];
            let (q, rest) = work.estimate.split_at(n);
            let (v, z) = rest.split_at(n);
            for (part, errors) in parts.into_iter().zip([q, v, z]) {
                let part = work.evaluator.part(part);
                part.multiply_add(-1.0, errors, &mut work.total_force_error);
            }
        }
        let (q, rest) = work.estimate.split_at_mut(n);
        let (v, z) = rest.split_at_mut(n);
        work.force_error.fill(0.0);
        let mut damping_force = 0.0;
        if is_pair {
            let damping = work.evaluator.part(SystemMatrix::Damping);
            damping.multiply_add(-1.0, v, &mut work.force_error);
            damping_force = largest(&work.force_error);
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
        let mut motion = WeightedError { size: step.factor * motion.size / step.local, ..motion };
        if has_accelerations {
            let (errors, c_q) = (&mut work.total_force_error, work.stage.map.c_q);
            work.stage.solve_dynamics(system, errors).map_err(failed)?;
            let requested = requested_accelerations(control, &work.scales);
            let found =
                work.error_norm.weighted_accelerations(requested, &work.scales, errors, c_q);
            let size = step.factor * found.size / step.local;
            if size > motion.size {
                motion = WeightedError { size, worst: work.estimate.len() + found.worst };
            }
        }
        work.force_coefficient = 0.0;
        if work.force_error.iter().all(|force| *force == 0.0) {
            return Ok(motion);
        }
        work.stage.solve_dynamics(system, &mut work.force_error).map_err(failed)?;
        let (scales, map) = (&work.scales, &work.stage.map);
        let norm = &work.error_norm;
        let allowed = norm.allowed_accelerations(control, scales);
        let forces = norm.weighted_accelerations(allowed, scales, &work.force_error, map.c_q);
        let now = forces.size / (ACCELERATION_SHARE * step.local);
        let c_v = map.c_v;
        // c_v D δa, which is −D e_v where dampers are much faster than the step
        work.damper_forces.fill(0.0);
        let damping = work.evaluator.part(SystemMatrix::Damping);
        damping.multiply_add(c_v, &work.force_error, &mut work.damper_forces);
        let is_stiff = largest(&work.damper_forces) > STIFF_SHARE * damping_force;
        let squared = step.h * step.h;
        let longer = step.ratio(motion.size);
        let remembered = memory.force_coefficient * (-1.0 / (FORCE_MEMORY * longer)).exp();
        let coefficient = if is_stiff { now / squared } else { 0.0 };
        work.force_coefficient = coefficient.max(remembered);
        let size = now.max(work.force_coefficient * squared);
        match size > motion.size {
            true => Ok(WeightedError { size, worst: work.estimate.len() + forces.worst }),
            false => Ok(motion),
        }
    }

    /// Newton's tolerance, in units of positions: its errors in positions and velocities are small against those of a step.
    pub(super) fn newton_tolerance(&self, control: &ErrorControl, local: f64, h: f64) -> f64 {
        let memory = self.state.controller.as_ref();
        let norm = &self.workspace.error_norm;
        let [rate, acceleration_rate, extent] =
            memory.map_or([f64::INFINITY, f64::INFINITY, 1.0], |memory| {
                let scales = &memory.scales;
                [
                    norm.rate(control, scales),
                    norm.acceleration_rate(control, scales),
                    norm.extent(scales),
                ]
            });
        let NewtonOptions { tolerance: chosen, .. } = self.settings.newton;
        if chosen != NewtonOptions::default().tolerance {
            return chosen;
        }
        let [least, most] = NEWTON_TOLERANCES;
        let part = (rate * h).min(acceleration_rate * h * h).min(1.0);
        (NEWTON_SHARE * local * control.relative * part * extent).clamp(least, most)
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
