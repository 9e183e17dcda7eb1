//! The first step, and the variant whose jerk comes from the equations.

use super::g_method::{AHEAD, GMethod, JERK, SNAP, normalized};
use super::recursion::{Degree, Derivatives};
use crate::math::{Chart, add_scaled, largest};
use crate::methods::explicit::Explicit;
use crate::methods::{Step, StepEnd};
use crate::stage::StageError;

/// Stages of the starting steps, and three more accelerations.
pub(super) const RECORDS: usize = 7;
/// Length of the starting steps as a fraction of a step: truncation errors and round-off are both negligible.
const FRACTION: f64 = 0.125;
/// The analytic jerk acts on the velocity by β h²/2: the iteration converges if that is below one over the
/// square of every frequency and damping rate.
const MAX_ITERATIONS: usize = 200;
/// Changes below this many ε that no longer shrink are round-off.
const NOISE: f64 = 1e3;

impl GMethod {
    /// Sets jerk and snap, and the configuration after the first step.
    pub(super) fn begin(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        if self.starts_from_equations {
            self.differentiate(step)?;
        }
        let h = step.h;
        for i in 0..step.now.v.len() {
            let Derivatives { v, a, j, s } = Self::old(step, i);
            step.stage.map.d[i] = h * (v + 0.5 * h * (a + h / 3.0 * (j + 0.25 * h * s)));
        }
        self.add_magnus(step, 0.0);
        step.check_rotation()?;
        step.next.copy_from(step.now);
        step.next.t = step.t_next;
        let space = step.evaluator.space();
        space.retract(Chart::Exponential, &step.now.q, &step.stage.map.d, &mut step.next.q);
        if !step.next.stabilization_multipliers.is_empty() {
            let (system, evaluator) = (step.system, &mut *step.evaluator);
            step.consistency.project_positions(system, evaluator, step.options, step.next)?;
        }
        step.auxiliary[AHEAD].copy_from_slice(&step.next.q);
        Ok(())
    }

    /// Jerk and snap at the start, from accelerations a little later (index 1): differences of third
    /// and second order.
    fn differentiate(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let starter = Explicit::starter();
        let little = FRACTION * step.h;
        let h = step.h;
        for k in 1..=3 {
            step.h = k as f64 * little;
            let stages = starter.stages(step);
            step.next.t = step.now.t + step.h;
            let solved = stages.and_then(|()| step.accelerate(0.0));
            step.h = h;
            solved?;
            step.records[3 + k].a.copy_from_slice(&step.next.a);
            step.solves.clear();
        }
        for i in 0..step.now.a.len() {
            let [a0, a1, a2, a3] =
                [step.now.a[i], step.records[4].a[i], step.records[5].a[i], step.records[6].a[i]];
            // differences first, so that constant accelerations give exactly zero
            let [b1, b2, b3] = [a1 - a0, a2 - a0, a3 - a0];
            step.auxiliary[JERK][i] = (18.0 * b1 - 9.0 * b2 + 2.0 * b3) / (6.0 * little);
            if let Some(snap) = step.auxiliary.get_mut(SNAP) {
                snap[i] = (-5.0 * b1 + 4.0 * b2 - b3) / (little * little);
            }
        }
        Ok(())
    }

    /// G4 with j = ġ(a, v, x, t) instead of differences of accelerations: the velocity is found by
    /// fixed-point iteration, since j changes it by β h²/2.
    pub(super) fn step_with_jerk(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let (h, beta, alpha) = (step.h, self.recursion.beta, self.recursion.alpha);
        let n = step.now.v.len();
        debug_assert_eq!(self.recursion.degree, Degree::Four);
        step.records[0].rate.copy_from_slice(&step.auxiliary[JERK]);
        step.records[0].a.copy_from_slice(&step.records[0].rate);
        let mut before = f64::INFINITY;
        for iteration in 0.. {
            let [old, new] = [&step.records[0].rate, &step.records[0].a];
            for i in 0..n {
                let mean = (1.0 - beta) * old[i] + beta * new[i];
                step.next.v[i] = step.now.v[i] + h * (step.now.a[i] + 0.5 * h * mean);
            }
            step.accelerate(0.0)?;
            let jerk = &mut step.stage.map.d;
            step.consistency.jerk(step.system, step.evaluator, step.next, jerk)?;
            let record = &mut step.records[0];
            record.g.copy_from_slice(jerk);
            add_scaled(-1.0, &record.a, &mut record.g);
            let change = largest(&record.g);
            record.a.copy_from_slice(jerk);
            if !record.a.iter().all(|jerk| jerk.is_finite()) {
                return Err(StageError::NotFinite { what: "the jerk".into() });
            }
            // as small as round-off allows
            let round_off = f64::EPSILON * largest(&record.a);
            if change <= round_off || (change <= NOISE * round_off && change >= 0.5 * before) {
                break;
            }
            if iteration == MAX_ITERATIONS {
                let reason = "the step is too large for an analytic jerk: it changes the velocity \
                              by β (ωh)²/2, which must be below one";
                return Err(StageError::refused(reason));
            }
            before = change;
        }
        step.solves.push(1);
        for i in 0..n {
            let [old, new] = [step.records[0].rate[i], step.records[0].a[i]];
            let third = alpha * new + (1.0 - alpha) * old;
            let (v, a) = (step.next.v[i], step.next.a[i]);
            step.stage.map.d[i] = h * (v + 0.5 * h * (a + h / 3.0 * third));
        }
        self.add_magnus(step, h);
        step.check_rotation()?;
        // the reported instant has the velocities and accelerations just computed
        step.stage.map.force_configuration.copy_from_slice(&step.next.q);
        step.next.q.copy_from_slice(&step.auxiliary[AHEAD]);
        step.end(StepEnd::WRITTEN)?;
        step.auxiliary[JERK].copy_from_slice(&step.records[0].a);
        let (space, map, ahead) =
            (step.evaluator.space(), &step.stage.map, &mut step.auxiliary[AHEAD]);
        space.retract(Chart::Exponential, &map.force_configuration, &map.d, ahead);
        normalized(space, ahead)
    }
}
