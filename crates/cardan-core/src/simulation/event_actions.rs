//! Events in a simulation: a step ends at the first event that acts, its actions change the state, and the motion begins
//! again there.
//!
//! ```text
//!   computed step ─▶ first event on the interpolant ─▶ step to its time ─▶ accept ─▶ pending
//!   pending ─▶ actions in order ─▶ redundant rows ─▶ impulses ─▶ new start of the method
//! ```

use super::driver::Simulation;
use super::error::SimulationError;
use super::event_memory::{AcceptedPart, EventMemory, LoggedEvent};
use super::event_search::{self, LocatedEvents, round_off};
use super::event_state::{ActingEvent, EventNotes, ImpulseOnFunction, ObservedEvent};
use super::redundancy;
use super::state::StepOrigin;
use super::workspace::Workspace;
use crate::math::{Chart, largest};
use crate::state::Instant;
use crate::system::{EventSet, EventTrigger, Failure};

/// Corrections of the time of a crossing, each with a step of its own.
const MAX_CORRECTIONS: usize = 6;
/// The accuracy of the time of a crossing, in roundings of time.
const ROUNDINGS: f64 = 16.0;
/// The part of a step over which the rate of a function is differenced.
const RATE_PART: f64 = 1e-3;
/// An event that is closer to an instant than this many roundings is at the instant.
const AT_INSTANT: f64 = 64.0;
/// The value of a function at its event, times this, does not count as another side of zero.
const MARGIN: f64 = 4.0;
/// Changes of velocities below this fraction are round-off; velocities below 1e-5 count as that.
const NO_CHANGE: f64 = 1e-13;
/// A function whose rate falls below this fraction at its event is held there.
const HELD_RATE: f64 = 1e-6;
/// The round-off of a function that is held, relative to its change in a step before.
const HELD_MARGIN: f64 = 1e-9;
/// An event that happens again after less than this many roundings of time chatters.
const MIN_INTERVAL: f64 = 1e4;
/// From this order on the interpolant of the positions uses accelerations.
const HIGH_ORDER: u32 = 4;

impl Simulation<'_> {
    /// Evaluates the functions of the events at the start, and performs the events of this instant.
    pub(super) fn begin_events(&mut self) -> Result<(), SimulationError> {
        let handle = self.system.clone();
        let Some(events) = handle.get().events() else { return Ok(()) };
        let now = self.state.now.clone();
        self.state.events = EventMemory::new(events, now.t);
        for (k, event) in events.list().iter().enumerate() {
            if event.trigger.time(0).is_none() {
                let value = event_search::value(events, k, &now)?;
                self.state.events.sides[k] = event_search::side(value, 0.0);
            } else if self.state.events.next_time(k, event) == Some(now.t) {
                self.state.events.note(k, event, 0);
                self.state.events.pending.push(k);
            }
        }
        self.perform_events()
    }

    /// Accepts the computed step, or its part up to the first event that acts.
    pub(super) fn accept_until_event(&mut self, h: f64) -> Result<AcceptedPart, SimulationError> {
        let handle = self.system.clone();
        let Some(events) = handle.get().events() else {
            self.accept(h);
            return Ok(AcceptedPart::Whole);
        };
        let (memory, logged) = (self.state.events.clone(), self.log.len());
        let accepted = self.search_and_accept(events, h);
        if accepted.is_err() {
            self.reject();
            self.state.events = memory;
            self.log.truncate(logged);
        }
        accepted
    }

    fn search_and_accept(
        &mut self,
        events: &dyn EventSet,
        h: f64,
    ) -> Result<AcceptedPart, SimulationError> {
        let mut scratch = self.state.now.clone();
        let mut after = self.state.now.t;
        loop {
            let Some(located) = self.locate_events(events, after, &mut scratch)? else {
                let end = self.workspace.next.clone();
                self.note_sides(events, &end)?;
                self.state.events.consecutive = 0;
                self.accept(h);
                return Ok(AcceptedPart::Whole);
            };
            let list = events.list();
            if !located.events.iter().any(|(k, _)| list[*k].is_acting) {
                self.perform_between(events, &located, &mut scratch)?;
                after = located.time;
                continue;
            }
            let end = self.workspace.next.t;
            let is_whole = match self.settings.control {
                Some(_) => located.time == end,
                None => end - located.time <= super::state::ON_INSTANT * h,
            };
            let part = match is_whole {
                true => {
                    self.accept(h);
                    AcceptedPart::Whole
                }
                false => {
                    self.land(events, &located, &mut scratch)?;
                    AcceptedPart::UntilEvent
                }
            };
            self.make_pending(events, &located)?;
            return Ok(part);
        }
    }

    /// Makes the events at the current instant pending.
    fn make_pending(
        &mut self,
        events: &dyn EventSet,
        located: &LocatedEvents,
    ) -> Result<(), SimulationError> {
        // functions that do not cross now keep the side of the last step: the next search compares with it
        let now = self.state.now.clone();
        for &(k, side) in &located.events {
            let (margin, rate) = if side != 0 { self.margin(events, k, &now)? } else { (0.0, 0.0) };
            let memory = &mut self.state.events;
            memory.note(k, &events.list()[k], side);
            (memory.margins[k], memory.rates[k]) = (margin, rate);
            memory.rebounds[k] = false;
            memory.pending.push(k);
        }
        let step = self.usual_step();
        let memory = &mut self.state.events;
        memory.pending.sort_unstable();
        // events at given times do not chatter
        if located.events.iter().any(|(_, side)| *side != 0) {
            if memory.consecutive == 0 || now.t - memory.consecutive_since > step {
                (memory.consecutive, memory.consecutive_since) = (0, now.t);
            }
            memory.consecutive += 1;
        }
        let (count, since) = (memory.consecutive, memory.consecutive_since);
        // flights of a ball that shrink in proportion end at a finite time after infinitely many events
        let is_again = located.events.iter().any(|(k, side)| *side != 0 && memory.last.contains(k))
            && now.t - memory.last_time <= MIN_INTERVAL * round_off(now.t, self.state.step_size);
        memory.last = located.events.iter().map(|(k, _)| *k).collect();
        memory.last_time = now.t;
        if count > self.settings.event_limit || is_again {
            let name = events.list()[located.events[0].0].name.clone();
            return Err(SimulationError::Chattering { name, time: now.t, since, count });
        }
        Ok(())
    }

    /// The size of a step without events.
    fn usual_step(&self) -> f64 {
        match &self.state.controller {
            Some(memory) => memory.next_step,
            None => self.state.step_size,
        }
    }

    /// Values of a function this close to zero at its event are round-off: a multiple of the value, and of its change
    /// within the round-off of time. Returned with the rate of the function.
    fn margin(
        &self,
        events: &dyn EventSet,
        k: usize,
        now: &Instant,
    ) -> Result<(f64, f64), SimulationError> {
        let value = event_search::value(events, k, now)?;
        let (mut margin, mut rate) = (MARGIN * value.abs() + f64::MIN_POSITIVE, 0.0);
        if let Some(step) = self.interpolant() {
            let h = step.to().t - step.from().t;
            let before = event_search::value(events, k, &step.at(now.t - RATE_PART * h))?;
            rate = (value - before) / (RATE_PART * h);
            margin += MARGIN * rate.abs() * round_off(now.t, h);
        }
        Ok((margin, rate))
    }

    /// Notes for each function whether the actions at its event have stopped or reversed it.
    fn note_rates_after(
        &mut self,
        events: &dyn EventSet,
        performed: &[(usize, ImpulseOnFunction)],
    ) -> Result<(), SimulationError> {
        let now = self.state.now.clone();
        let step = self.usual_step();
        let mut later = now.clone();
        let little = RATE_PART * step;
        // a function of positions has the rate of the velocities, one of velocities that of the accelerations
        let moved: Vec<f64> = now.v.iter().map(|v| little * v).collect();
        let space = self.workspace.evaluator.space();
        space.retract(Chart::Exponential, &now.q, &moved, &mut later.q);
        later.v.iter_mut().zip(&now.a).for_each(|(v, a)| *v += little * a);
        later.t += little;
        for &(k, impulse) in performed {
            if !matches!(events.list()[k].trigger, EventTrigger::Crossing(_)) {
                continue;
            }
            let [value, next] = [&now, &later].map(|at| event_search::value(events, k, at));
            let after = (next? - value?) / little;
            let memory = &mut self.state.events;
            let before = memory.rates[k].abs();
            let onward = after * f64::from(memory.sides[k]);
            match impulse {
                // it comes back to zero if the impulse was too small
                ImpulseOnFunction::Bounce => {
                    memory.rebounds[k] = before > 0.0 && onward <= HELD_RATE * before;
                }
                ImpulseOnFunction::Other if after.abs() <= HELD_RATE * before => {
                    memory.margins[k] = memory.margins[k].max(HELD_MARGIN * before * step);
                }
                ImpulseOnFunction::Other => {}
            }
        }
        Ok(())
    }

    /// Performs events that do not change the motion, at an instant within the computed step.
    fn perform_between(
        &mut self,
        events: &dyn EventSet,
        located: &LocatedEvents,
        scratch: &mut Instant,
    ) -> Result<(), SimulationError> {
        self.trial_interpolant().write(located.time, scratch);
        for &(k, side) in &located.events {
            let event = &events.list()[k];
            if side != 0 {
                let value = event_search::value(events, k, scratch)?;
                self.state.events.margins[k] = MARGIN * value.abs() + f64::MIN_POSITIVE;
            }
            self.state.events.note(k, event, side);
            let log = LoggedEvent::new(k, located.time);
            let notes = EventNotes { memory: &mut self.state.events, log };
            let mut observed = ObservedEvent { at: scratch, notes };
            let acted = events.act(k, &mut observed);
            acted.map_err(|failure| event_error(events, k, located.time, &failure))?;
            self.log.push(observed.notes.log);
        }
        Ok(())
    }

    /// Ends the step at the time of events within it: computed again if the method has variable steps, otherwise
    /// interpolated.
    fn land(
        &mut self,
        events: &dyn EventSet,
        located: &LocatedEvents,
        scratch: &mut Instant,
    ) -> Result<(), SimulationError> {
        let now = self.state.now.t;
        let mut time = located.time;
        if time - now <= AT_INSTANT * round_off(now, self.state.step_size) {
            self.reject();
            self.workspace.has_stepped = false;
            return Ok(());
        }
        if !self.info.variable_step {
            return self.land_on_interpolant(time);
        }
        let crossing = located.events.iter().find(|(_, side)| *side != 0);
        let latest = self.workspace.next.t;
        for _ in 0..MAX_CORRECTIONS {
            self.reject();
            self.compute(time - now, Some(time))?;
            let Some(&(k, _)) = crossing else { break };
            let h = time - now;
            let value = event_search::value(events, k, &self.workspace.next)?;
            self.trial_interpolant().write(time - RATE_PART * h, scratch);
            let rate = (value - event_search::value(events, k, scratch)?) / (RATE_PART * h);
            let change = -value / rate;
            let is_done = !change.is_finite() || change.abs() <= ROUNDINGS * round_off(time, h);
            let better = time + change;
            if is_done || better <= now + 0.5 * h || better >= latest {
                break;
            }
            time = better;
        }
        let step_size = self.state.step_size;
        self.accept(time - now);
        self.set_step_origin(step_size);
        self.state.step_origin = StepOrigin { time, steps: self.state.steps };
        self.workspace.evaluator.set_step_size(step_size);
        Ok(())
    }

    /// Ends the step at a time on the interpolant, with positions and velocities that satisfy the constraints.
    fn land_on_interpolant(&mut self, time: f64) -> Result<(), SimulationError> {
        let mut landed = self.trial_interpolant().at(time);
        let (from, to) = (&self.state.now, &self.workspace.next);
        let h = to.t - from.t;
        // between steps of second order the velocities have smaller errors than the slope of the positions
        if self.info.order < HIGH_ORDER {
            let s = (time - from.t) / h;
            let late = s * s * (3.0 - 2.0 * s);
            let [first, last] = [h * s * (1.0 - s) * (1.0 - s), h * s * s * (s - 1.0)];
            for (i, v) in landed.v.iter_mut().enumerate() {
                *v = from.v[i] + late * (to.v[i] - from.v[i]) + first * from.a[i] + last * to.a[i];
            }
        }
        if !landed.multipliers.is_empty() {
            let made = self.complete_interpolated(h, &mut landed);
            made.map_err(|cause| super::error::unsolvable(time, "the instant of an event", cause))?;
        }
        self.workspace.next = landed;
        self.accept(self.state.step_size);
        self.state.step_origin = StepOrigin { time, steps: self.state.steps };
        Ok(())
    }

    /// Performs the actions of the events at the current instant, and begins the motion again if they change it. Steps
    /// that end at an event leave it pending: call this before the next step, which otherwise begins with it.
    pub fn perform_events(&mut self) -> Result<(), SimulationError> {
        if self.state.events.pending.is_empty() {
            return Ok(());
        }
        let handle = self.system.clone();
        let Some(events) = handle.get().events() else { return Ok(()) };
        let before = self.state.clone();
        let logged = self.log.len();
        let performed = self.perform_pending(events);
        if performed.is_err() {
            self.log.truncate(logged);
            self.state = before;
            self.rebuild_workspace()?;
        }
        performed
    }

    fn perform_pending(&mut self, events: &dyn EventSet) -> Result<(), SimulationError> {
        let mut now = self.state.now.clone();
        let time = now.t;
        let mut has_changed = false;
        let pending = std::mem::take(&mut self.state.events.pending);
        let mut performed = Vec::new();
        for &k in &pending {
            let mut acting = ActingEvent {
                system: self.system.clone(),
                workspace: &mut self.workspace,
                now: &mut now,
                notes: EventNotes {
                    memory: &mut self.state.events,
                    log: LoggedEvent::new(k, time),
                },
                has_changed: false,
                impulse: ImpulseOnFunction::Other,
            };
            let acted = events.act(k, &mut acting);
            acted.map_err(|failure| event_error(events, k, time, &failure))?;
            has_changed |= acting.has_changed;
            performed.push((k, acting.impulse));
            let log = acting.notes.log;
            self.log.push(log);
        }
        if has_changed {
            self.begin_again(now).map_err(|error| explained(events, pending[0], time, error))?;
            self.note_rates_after(events, &performed)?;
        }
        self.perform_caused(events, &pending)
    }

    /// Events whose functions were moved across zero by the actions of others happen at the same instant.
    fn perform_caused(
        &mut self,
        events: &dyn EventSet,
        performed: &[usize],
    ) -> Result<(), SimulationError> {
        let now = self.state.now.clone();
        let mut caused = LocatedEvents { time: now.t, events: Vec::new() };
        for (k, event) in events.list().iter().enumerate() {
            let EventTrigger::Crossing(direction) = event.trigger else { continue };
            if performed.contains(&k) || !self.state.events.enabled[k] {
                continue;
            }
            let value = event_search::value(events, k, &now)?;
            let here = event_search::side(value, self.state.events.margins[k]);
            let known = self.state.events.sides[k];
            if here != 0 && known != 0 && here != known {
                match direction.includes(here) {
                    true => caused.events.push((k, here)),
                    false => self.state.events.sides[k] = here,
                }
            }
        }
        if caused.events.is_empty() {
            return Ok(());
        }
        self.make_pending(events, &caused)?;
        self.perform_pending(events)
    }

    /// Begins the motion again from an instant that events have changed.
    fn begin_again(&mut self, mut now: Instant) -> Result<(), SimulationError> {
        let system = self.system.clone();
        let system = system.get();
        let off = system.switched_off_rows(&now.q);
        let was_off = system.switched_off_rows(&self.state.now.q);
        if off != was_off {
            let known = std::mem::replace(&mut now.inactive, off.clone());
            let found = redundancy::find(system, &self.settings, self.method.as_ref(), &now)?;
            now.inactive.extend(&found);
            now.inactive.sort_unstable();
            now.inactive.dedup();
            let new = found.iter().filter(|row| !known.contains(row) || was_off.contains(row));
            let names: Vec<String> = new.map(|row| system.constraint_name(*row)).collect();
            if let Some(last) = self.log.last_mut() {
                last.redundant = names;
            }
            for row in &now.inactive {
                now.multipliers[*row] = 0.0;
            }
        }
        let is_same = system.has_same_structure(&self.state.now.q, &now.q);
        self.state.now = now;
        if !is_same {
            self.rebuild_workspace()?;
        }
        self.absorb_impulses()?;
        self.restart_at(self.state.now.t)
    }

    /// Makes velocities consistent by impulses of the constraints, which are added to the log.
    fn absorb_impulses(&mut self) -> Result<(), SimulationError> {
        let (system, now) = (self.system.get(), &mut self.state.now);
        if now.multipliers.is_empty() {
            return Ok(());
        }
        let Workspace { evaluator, consistency, .. } = &mut self.workspace;
        let solved = consistency.impulse(system, evaluator, now, &[], false);
        // a singular configuration is treated by the restart
        let Ok((change, impulses)) = solved else { return Ok(()) };
        if largest(change) <= NO_CHANGE * (1e-5 + largest(&now.v)) {
            return Ok(());
        }
        now.v.iter_mut().zip(change).for_each(|(v, dv)| *v += dv);
        if let Some(last) = self.log.last_mut() {
            last.add_impulses(impulses, 1.0);
        }
        Ok(())
    }

    /// Makes new solvers for the rows that are active now.
    fn rebuild_workspace(&mut self) -> Result<(), SimulationError> {
        let (system, method) = (self.system.get(), self.method.as_ref());
        self.workspace = Workspace::new(system, &self.settings, method, &self.state.now)?;
        self.workspace.prepare_steps();
        self.state.pivots.clear();
        self.workspace.stage.restore_memory(&self.state.newton);
        Ok(())
    }

    /// The events that happened since the last call.
    pub fn take_events(&mut self) -> Vec<LoggedEvent> {
        std::mem::take(&mut self.log)
    }

    /// Whether an event ended the run at the current instant.
    pub fn is_stopped(&self) -> bool {
        self.state.events.stopped_by.is_some()
    }

    /// The name of the event that ended the run.
    pub fn stopped_by(&self) -> Option<&str> {
        let events = self.system.get().events()?;
        self.state.events.stopped_by.map(|k| events.list()[k].name.as_str())
    }
}

fn event_error(
    events: &dyn EventSet,
    event: usize,
    time: f64,
    failure: &Failure,
) -> SimulationError {
    let name = events.list()[event].name.clone();
    SimulationError::Event { name, time, reason: failure.to_string() }
}

/// An error of the new start, with the event that caused it.
fn explained(
    events: &dyn EventSet,
    event: usize,
    time: f64,
    error: SimulationError,
) -> SimulationError {
    let name = events.list()[event].name.clone();
    let reason = format!("the motion cannot begin again after its actions: {error}");
    SimulationError::Event { name, time, reason }
}
