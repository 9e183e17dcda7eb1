//! One accepted step after another: of a size that the tolerance allows, or of the fixed size with shorter ones where a
//! jump in time or a failure requires them.
//!
//! ```text
//!   advance ─▶ begin again after a jump ─▶ size of the step ─▶ attempt ─▶ error ≤ 1 ? ─▶ accept ─▶ next size
//!                                             ▲                              │ no, or it failed
//!                                             └────────── shorter ◀──────────┘
//! ```

use super::detour::{Detour, JumpList};
use super::driver::Simulation;
use super::error::{SimulationError, StepLimit};
use super::error_norm::WeightedError;
use super::estimated_error::AttemptedStep;
use super::event_memory::AcceptedPart;
use super::state::{ON_INSTANT, StepOrigin};
use super::step_controller::{ControllerMemory, StepCounts};
use super::tolerance::ErrorControl;
use crate::math::largest;
use crate::methods::Estimate;

/// A step that ends within this fraction of its size before a limit is extended to it.
const STRETCH: f64 = 0.01;
/// Attempts at one step before it is given up.
const MAX_ATTEMPTS: usize = 60;
/// Steps end and begin this many roundings before and after a jump.
const AROUND_JUMP: f64 = 4.0;
/// A multiplier this many times above those of earlier steps is part of an error message.
const GROWN_MULTIPLIER: f64 = 30.0;
/// Steps for which jumps are searched if there is no end.
const SEARCHED_STEPS: f64 = 1e3;
/// The smallest step relative to the round-off of time.
const RESOLVED: f64 = 1e3;
/// The first step relative to the time in which the motion covers its own size.
const FIRST_STEP: f64 = 1e-2;
/// The first step of a mechanism at rest without accelerations, in seconds.
const FIRST_STEP_AT_REST: f64 = 1e-3;
/// A rescued step is replaced by this many shorter ones at first, and by steps of at least the second fraction of it.
const RESCUE_STEPS: f64 = 4.0;
const MIN_RESCUE_STEP: f64 = 1e-6;

/// The reason why an attempt was not accepted.
enum Trouble {
    Failed(SimulationError),
    Error(WeightedError),
}

/// An accepted step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    /// Whether the instant is one of those that the settings ask for: always under error control, else a multiple of the
    /// step size. Shorter steps around jumps and failures lead to instants in between.
    pub is_regular: bool,
    /// Whether events happen at the instant: [`Simulation::perform_events`] performs their actions.
    pub has_events: bool,
}

impl Simulation<'_> {
    /// Takes one step, not beyond a time. Under error control its size follows from the tolerance; otherwise it is the fixed
    /// one, or shorter where a formula of time jumps within it, or where it cannot be computed and
    /// [`Settings::rescue`](super::Settings::rescue) is set. On failure the state does not change, apart from the size of
    /// the next attempt.
    pub fn advance(&mut self, limit: f64) -> Result<Advance, SimulationError> {
        self.perform_events()?;
        self.state.events.stopped_by = None;
        let counted = self.state.events.counts.len();
        self.snap_to_jump(limit);
        if self.state.restart_due {
            self.restart_after_jump()?;
        }
        let advanced = match self.settings.control {
            Some(control) => self.advance_controlled(&control, limit),
            None => self.advance_fixed(limit),
        };
        advanced.map(|is_regular| Advance {
            is_regular,
            has_events: counted > 0 && !self.state.events.pending.is_empty(),
        })
    }

    /// Whether the next step may end at a time, or would pass it.
    pub fn may_reach(&self, time: f64) -> bool {
        let next = match &self.state.controller {
            Some(memory) => memory.next_step,
            None => self.state.step_size,
        };
        self.state.now.t + next * (1.0 + STRETCH) >= time
    }

    /// Steps under error control, rescues, and jumps so far.
    pub fn step_counts(&self) -> StepCounts {
        self.state.counts
    }

    /// One step whose error is within the tolerance.
    fn advance_controlled(
        &mut self,
        control: &ErrorControl,
        limit: f64,
    ) -> Result<bool, SimulationError> {
        let limit = self.next_event_time().map_or(limit, |time| time.min(limit));
        let Some(Estimate { power, order, factor }) = self.estimate_orders() else {
            return Err(self.settings.no_control(&self.info).into());
        };
        let (k, exponent) = (f64::from(power), f64::from(power) / f64::from(order));
        // the part of the tolerance that one step may use
        let local = control.relative.powf(exponent - 1.0);
        let mut trouble = None;
        for _ in 0..MAX_ATTEMPTS {
            let now = self.state.now.t;
            let memory = self.controller();
            let wanted = memory.next_step.min(control.max_step.unwrap_or(f64::INFINITY));
            let least = control.min_step.unwrap_or(0.0).max(RESOLVED * f64::EPSILON * now.abs());
            if trouble.is_some() && wanted < least {
                break;
            }
            let wanted = wanted.max(least).max(f64::MIN_POSITIVE);
            let jump = self.next_jump(limit, wanted);
            let target = jump.map_or(limit, |jump| before(jump).min(limit));
            let is_before_jump = jump.is_some() && target < limit;
            let (h, lands) = self.piece(wanted, target, is_before_jump);
            let end = lands.then_some(target);
            self.newton.tolerance = self.newton_tolerance(control, local, h);
            if let Err(error) = self.compute(h, end) {
                if !is_recoverable(&error) {
                    return Err(error);
                }
                self.state.counts.failed += 1;
                self.controller().fail(h);
                trouble = Some(Trouble::Failed(error));
                continue;
            }
            let attempted = AttemptedStep { h, local, power: k, factor };
            let error = match self.estimated_error(control, &attempted) {
                Ok(error) => error,
                Err(_) => WeightedError { size: f64::INFINITY, worst: 0 },
            };
            if error.size > 1.0 {
                self.state.counts.rejected += 1;
                self.reject();
                match error.size.is_finite() {
                    true => self.controller().reject(h, error.size, k),
                    false => self.controller().fail(h),
                }
                trouble = Some(Trouble::Error(error));
                continue;
            }
            let part = match self.accept_until_event(h) {
                Ok(part) => part,
                Err(error) if is_recoverable(&error) => {
                    self.state.counts.failed += 1;
                    self.controller().fail(h);
                    trouble = Some(Trouble::Failed(error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if part == AcceptedPart::UntilEvent {
                // an event at the start of the step needs no step
                if self.workspace.has_stepped {
                    self.note_accepted();
                }
                return Ok(true);
            }
            if lands {
                self.state.step_origin = StepOrigin { time: target, steps: self.state.steps };
            }
            self.note_accepted();
            self.state.restart_due = lands && is_before_jump;
            // a jump at the end itself: no step fits between
            if lands && target < limit && limit - target <= 2.0 * (limit - before(limit)) {
                self.state.now.t = limit;
                self.state.step_origin.time = limit;
                self.state.restart_due = false;
            }
            // a step that was shortened to land does not decide about the next
            let is_shortened = h < (1.0 - STRETCH) * wanted;
            if !is_shortened {
                self.controller().accept(h, error.size, k);
            }
            return Ok(true);
        }
        let cause = match trouble {
            Some(Trouble::Failed(error)) => StepLimit::Failed(Box::new(error)),
            Some(Trouble::Error(WeightedError { size, worst })) => {
                StepLimit::Error { size, worst: self.error_name(worst) }
            }
            None => StepLimit::Error { size: f64::INFINITY, worst: String::new() },
        };
        Err(SimulationError::StepTooSmall {
            method: self.info.name.into(),
            time: self.state.now.t,
            step_size: self.controller().next_step,
            cause,
            singular: self.grown_multiplier(),
        })
    }

    /// Updates the memory of the controller after an accepted step.
    fn note_accepted(&mut self) {
        let memory = self.state.controller.get_or_insert_default();
        memory.scales.copy_from(&self.workspace.scales);
        memory.force_coefficient = self.workspace.force_coefficient;
        memory.note_multiplier(largest(&self.state.now.multipliers));
        self.state.counts.accepted += 1;
    }

    /// The next given time of an event.
    fn next_event_time(&self) -> Option<f64> {
        let events = self.system.get().events()?;
        self.state.events.next_event_time(events.list())
    }

    /// The constraint whose multiplier is far above those of earlier steps, and the ratio.
    fn grown_multiplier(&mut self) -> Option<(String, f64)> {
        let usual = self.controller().usual_multiplier;
        let multipliers = &self.state.now.multipliers;
        let row = (0..multipliers.len())
            .max_by(|&a, &b| multipliers[a].abs().total_cmp(&multipliers[b].abs()))?;
        let ratio = multipliers[row].abs() / usual;
        let is_grown = ratio.is_finite() && ratio > GROWN_MULTIPLIER;
        is_grown.then(|| (self.system.get().constraint_name(row), ratio))
    }

    /// One step of the fixed size, or a shorter one.
    fn advance_fixed(&mut self, limit: f64) -> Result<bool, SimulationError> {
        let whole = self.state.step_size;
        let now = self.state.now.t;
        if self.state.detour.is_none() {
            let end = self.state.next_time();
            if end > limit + ON_INSTANT * whole {
                // the last step is shorter
                let part = self.shorter_step(limit - now, limit, whole)?;
                return Ok(part == AcceptedPart::Whole);
            }
            let is_inside = |time: &f64| {
                let near = ON_INSTANT * whole;
                self.info.variable_step && *time > now + near && *time < end - near
            };
            let event = self.next_event_time().filter(is_inside);
            let jump = self.next_jump(limit, whole).filter(|jump| {
                self.info.variable_step
                    && *jump > now + ON_INSTANT * whole
                    && *jump < end - ON_INSTANT * whole
            });
            match jump.or(event) {
                Some(_) => self.state.detour = Some(Detour { end, step: whole, whole }),
                None => match self.compute(whole, None) {
                    Ok(()) => {
                        let part = self.accept_until_event(whole)?;
                        let is_divided = part == AcceptedPart::UntilEvent;
                        if is_divided && self.info.variable_step {
                            self.state.detour = Some(Detour { end, step: whole, whole });
                        }
                        return Ok(!is_divided);
                    }
                    Err(error)
                        if self.settings.rescue
                            && self.info.variable_step
                            && is_recoverable(&error) =>
                    {
                        self.state.counts.rescued += 1;
                        let step = whole / RESCUE_STEPS;
                        self.state.detour = Some(Detour { end, step, whole });
                    }
                    Err(error) => return Err(error),
                },
            }
        }
        self.advance_on_detour()
    }

    /// One of the shorter steps that replace a step of the fixed size.
    fn advance_on_detour(&mut self) -> Result<bool, SimulationError> {
        let Some(mut detour) = self.state.detour else { return self.advance_fixed(f64::INFINITY) };
        loop {
            let now = self.state.now.t;
            let jump = self.next_jump(detour.end, detour.whole);
            let target = jump.map_or(detour.end, |jump| before(jump).min(detour.end));
            let event = self.next_event_time().filter(|time| *time > now && *time < target);
            let is_before_jump = event.is_none() && target < detour.end;
            let target = event.unwrap_or(target);
            let (h, lands) = self.piece(detour.step, target, is_before_jump);
            let end = if lands { target } else { now + h };
            let is_end = lands && target == detour.end;
            match self.shorter_step(h, end, detour.whole) {
                Ok(AcceptedPart::UntilEvent) => return Ok(false),
                Ok(AcceptedPart::Whole) => {
                    self.state.restart_due = lands && is_before_jump;
                    self.state.counts.landed += u64::from(self.state.restart_due);
                    self.state.detour = (!is_end).then_some(detour);
                    return Ok(is_end);
                }
                Err(error) => {
                    let can_rescue = self.settings.rescue && is_recoverable(&error);
                    if !can_rescue || h < MIN_RESCUE_STEP * detour.whole {
                        return Err(error);
                    }
                    detour.step = h / RESCUE_STEPS;
                }
            }
        }
    }

    /// The size of a step that does not pass a target, and whether it ends there. A stage beyond the end of the step must not
    /// pass a jump: several shorter steps then approach it, until the rest is round-off of time.
    fn piece(&self, wanted: f64, target: f64, is_before_jump: bool) -> (f64, bool) {
        let rest = target - self.state.now.t;
        let reach = if is_before_jump { self.method.reach() } else { 1.0 };
        match wanted * (1.0 + STRETCH) >= rest / reach {
            true => (rest / reach, reach == 1.0),
            false => (wanted, false),
        }
    }

    /// Moves the time to a jump that is within its round-off.
    fn snap_to_jump(&mut self, limit: f64) {
        let is_variable = self.settings.control.is_some() || self.state.detour.is_some();
        if !is_variable || self.method.reach() == 1.0 {
            return;
        }
        let now = self.state.now.t;
        let step = self.state.step_size;
        if let Some(jump) = self.next_jump(limit, step)
            && before(jump) - now <= RESOLVED * f64::EPSILON * now.abs()
        {
            self.state.now.t = before(jump);
            self.state.step_origin = StepOrigin { time: before(jump), steps: self.state.steps };
            self.state.restart_due = true;
            self.state.counts.landed += u64::from(self.settings.control.is_none());
        }
    }

    /// A step that ends at a time; later steps have the size `whole`.
    fn shorter_step(
        &mut self,
        h: f64,
        end: f64,
        whole: f64,
    ) -> Result<AcceptedPart, SimulationError> {
        self.check_step_size(h)?;
        self.compute(h, Some(end))?;
        let part = self.accept_until_event(h)?;
        if part == AcceptedPart::Whole {
            self.set_step_origin(whole);
            self.state.step_origin = StepOrigin { time: end, steps: self.state.steps };
            self.workspace.evaluator.set_step_size(whole);
        }
        Ok(part)
    }

    /// The first jump after the current instant, not after a limit; `step` bounds the search if there is no limit.
    fn next_jump(&mut self, limit: f64, step: f64) -> Option<f64> {
        let now = self.state.now.t;
        let Self { jumps, system, .. } = self;
        if jumps.until.is_none_or(|until| until < limit && until < now + step) {
            let until = if limit.is_finite() { limit } else { now + SEARCHED_STEPS * step };
            let found = system.get().jumps_between(now, until);
            *jumps = JumpList { until: Some(until), times: found };
        }
        let next = jumps.times.partition_point(|jump| before(*jump) <= now);
        // steps with later stages cannot end at a jump that is the limit itself
        let latest = if self.method.reach() > 1.0 { before(before(limit)) } else { limit };
        jumps.times.get(next).copied().filter(|jump| *jump <= latest)
    }

    /// Begins the motion again after a jump in time: velocities that satisfy the constraints, new accelerations, and
    /// a method without history.
    fn restart_after_jump(&mut self) -> Result<(), SimulationError> {
        let now = self.state.now.t;
        let after = now + 2.0 * AROUND_JUMP * f64::EPSILON * now.abs();
        self.restart_at(after)?;
        self.state.restart_due = false;
        self.state.counts.landed += u64::from(self.settings.control.is_some());
        Ok(())
    }

    /// The memory of the controller; made before the first step.
    fn controller(&mut self) -> &mut ControllerMemory {
        self.state.controller.get_or_insert_default()
    }

    /// Chooses the first step, or that after a restart.
    pub(super) fn begin_control(&mut self) {
        let Some(control) = self.settings.control else { return };
        let Some(Estimate { order, .. }) = self.estimate_orders() else { return };
        let (now, norm) = (&self.state.now, &self.workspace.error_norm);
        let memory = self.state.controller.get_or_insert_default();
        norm.enlarge(now, &mut memory.scales);
        let rate = norm.initial_rate(now, &memory.scales);
        let share = FIRST_STEP * (10.0 * control.relative.powf(1.0 / f64::from(order))).min(1.0);
        let chosen = if rate > 0.0 { share / rate } else { FIRST_STEP_AT_REST };
        let first = control.first_step.unwrap_or(chosen);
        memory.restart(first);
    }

    /// Power and order of the error estimate of the method.
    pub(super) fn estimate_orders(&self) -> Option<Estimate> {
        self.settings.estimate(&self.info, self.method.as_ref(), self.system.get())
    }
}

/// The end of a step before a jump.
fn before(jump: f64) -> f64 {
    jump - AROUND_JUMP * f64::EPSILON * jump.abs()
}

/// Whether a shorter step may succeed.
fn is_recoverable(error: &SimulationError) -> bool {
    matches!(error, SimulationError::Step { .. })
}
