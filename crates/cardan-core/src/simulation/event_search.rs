//! Search for events within a computed step: the first crossing of zero on the interpolant, and the first given time.
//!
//! A function is evaluated at five equidistant instants of the step. A change of its sign between two of them is found
//! always; two crossings within a quarter of a step are found if the three nearest values bracket the extremum between
//! them. After an event its function is also evaluated at times that approach the event: a function that leaves zero and
//! returns within a short time, such as the height of a ball that bounces, is found down to the round-off of time.

use super::driver::Simulation;
use super::error::SimulationError;
use crate::state::Instant;
use crate::system::{EventInfo, EventSet, EventTrigger};

/// Parts of a step between which functions are compared.
const PARTS: usize = 4;
/// Iterations of the search for a zero; halving alone needs about sixty.
const MAX_ITERATIONS: usize = 120;
/// Iterations of the search for an extremum.
const EXTREMUM_ITERATIONS: usize = 40;
/// The golden section.
const GOLDEN: f64 = 0.381_966_011_250_105;
/// Events this many roundings of time apart happen at the same instant.
const SIMULTANEOUS: f64 = 8.0;
/// The accuracy of the time of a crossing, in roundings of time.
const ROUNDINGS: f64 = 2.0;
/// The nearest time after an event at which its function is evaluated, in roundings of time.
const NEAREST: f64 = 4.0;

/// The earliest events of a step, all at one instant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LocatedEvents {
    pub time: f64,
    /// Their numbers in the list of the system, in its order, and the side to which each function crosses.
    pub events: Vec<(usize, i8)>,
}

/// The round-off of a time.
pub(super) fn round_off(t: f64, h: f64) -> f64 {
    f64::EPSILON * t.abs().max(h.abs())
}

/// A function of an event within the step.
struct EventFunction<'a, 's> {
    simulation: &'a Simulation<'s>,
    events: &'a dyn EventSet,
    event: usize,
    at: &'a mut Instant,
}

impl EventFunction<'_, '_> {
    fn value(&mut self, t: f64) -> Result<f64, SimulationError> {
        self.simulation.trial_interpolant().write(t, self.at);
        value(self.events, self.event, self.at)
    }
}

/// The value of the function of an event.
pub(super) fn value(
    events: &dyn EventSet,
    event: usize,
    at: &Instant,
) -> Result<f64, SimulationError> {
    let name = || events.list()[event].name.clone();
    let failed = |reason| SimulationError::Event { name: name(), time: at.t, reason };
    match events.value(event, at) {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => Err(failed(format!("its function is {value}"))),
        Err(failure) => Err(failed(failure.to_string())),
    }
}

/// The side of zero of a value.
pub(super) fn side(value: f64, margin: f64) -> i8 {
    match value {
        x if x > margin => 1,
        x if x < -margin => -1,
        _ => 0,
    }
}

impl Simulation<'_> {
    /// The earliest events of the computed step that are later than `after`, or at it if functions have already changed
    /// their sides there.
    pub(super) fn locate_events(
        &self,
        events: &dyn EventSet,
        after: f64,
        scratch: &mut Instant,
    ) -> Result<Option<LocatedEvents>, SimulationError> {
        let list = events.list();
        let end = self.workspace.next.t;
        let start = self.state.now.t;
        let slack = SIMULTANEOUS * round_off(end, end - start);
        let mut found: Vec<(f64, usize, i8)> = Vec::new();
        for (k, event) in list.iter().enumerate().filter(|(k, _)| self.state.events.enabled[*k]) {
            let located = match event.trigger {
                EventTrigger::Crossing(_) => self.first_crossing(events, k, after, scratch)?,
                _ => self.time_within(k, event, end, slack).map(|time| (time, 0)),
            };
            found.extend(located.map(|(time, side)| (time, k, side)));
        }
        let Some(time) = found.iter().map(|x| x.0).min_by(f64::total_cmp) else { return Ok(None) };
        let together = found.into_iter().filter(|x| x.0 <= time + slack);
        let events: Vec<(usize, i8)> = together.map(|(_, k, side)| (k, side)).collect();
        Ok(Some(LocatedEvents { time: time.min(end), events }))
    }

    /// The next given time of an event, if the step reaches it. An instant of a fixed step within round-off of it counts as
    /// that time.
    fn time_within(&self, k: usize, event: &EventInfo, end: f64, slack: f64) -> Option<f64> {
        let near = match self.settings.control {
            Some(_) => slack,
            None => super::state::ON_INSTANT * self.state.step_size,
        };
        let time = self.state.events.next_time(k, event)?;
        match time {
            time if time > end + near => None,
            time if time >= end - near => Some(end),
            time => Some(time.max(self.state.now.t)),
        }
    }

    /// The first crossing of an event's function after a time, and the side to which it crosses.
    fn first_crossing(
        &self,
        events: &dyn EventSet,
        event: usize,
        after: f64,
        scratch: &mut Instant,
    ) -> Result<Option<(f64, i8)>, SimulationError> {
        let EventTrigger::Crossing(direction) = events.list()[event].trigger else {
            return Ok(None);
        };
        let (from, to) = (&self.state.now, &self.workspace.next);
        let (start, end) = (after.max(from.t), to.t);
        let (mut times, mut values) = ([0.0; PARTS + 1], [0.0; PARTS + 1]);
        let mut function = EventFunction { simulation: self, events, event, at: scratch };
        for j in 0..=PARTS {
            times[j] = start + (end - start) * j as f64 / PARTS as f64;
            values[j] = match j {
                0 if start == from.t => value(events, event, from)?,
                PARTS => value(events, event, to)?,
                _ => function.value(times[j])?,
            };
        }
        let mut margin = self.state.events.margins[event];
        let mut known = self.state.events.sides[event];
        let must_return = self.state.events.rebounds[event] && start == from.t;
        if margin > 0.0 && start == from.t && side(values[0], margin) == 0 {
            let first = times[1] - start;
            let least = NEAREST * round_off(end, end - start);
            // from the event to the end of the first part, by factors of four
            let mut ladder = [0.0; 40];
            let (mut count, mut after) = (0, first);
            while count < ladder.len() && after > least {
                after *= 0.25;
                ladder[count] = after;
                count += 1;
            }
            let mut before = start;
            for after in ladder[..count].iter().rev() {
                let time = start + after;
                let value = function.value(time)?;
                let here = side(value, margin);
                if here != 0 && known != 0 && here != known && direction.includes(here) {
                    let time = zero(&mut function, [before, time], here)?;
                    // the function leaves the side that it had before the event
                    if time - start > least || before > start {
                        return Ok(Some((time, here)));
                    }
                }
                if here != 0 {
                    if must_return && margin > 0.0 && here == known {
                        return Ok(Some((start, here)));
                    }
                    (known, margin) = (here, 0.0);
                }
                before = time;
                (times[0], values[0]) = (time, value);
            }
        }
        for j in 0..=PARTS {
            let here = side(values[j], margin);
            if here == 0 {
                continue;
            }
            if must_return && margin > 0.0 && here == known {
                return Ok(Some((start, here)));
            }
            margin = 0.0;
            if known != 0 && here != known {
                if direction.includes(here) {
                    let time = match j {
                        0 => start,
                        _ => zero(&mut function, [times[j - 1], times[j]], here)?,
                    };
                    return Ok(Some((time, here)));
                }
            } else if j > 0 && j < PARTS && known != 0 {
                // a value between larger ones: the function may reach the other side and return
                let near = [values[j - 1], values[j], values[j + 1]].map(|x| x * f64::from(here));
                let is_bracket = near[1] <= near[0] && near[1] < near[2] && near[2] > 0.0;
                if is_bracket && parabola_minimum(near) < 0.25 * near[1] {
                    let span = [times[j - 1], times[j], times[j + 1]];
                    if let Some(inside) = beyond_zero(&mut function, span, here)? {
                        let away = if direction.includes(-here) {
                            zero(&mut function, [times[j - 1], inside], -here)?
                        } else {
                            zero(&mut function, [inside, times[j + 1]], here)?
                        };
                        let to = if direction.includes(-here) { -here } else { here };
                        return Ok(Some((away, to)));
                    }
                }
            }
            known = here;
        }
        Ok(None)
    }

    /// The sides of all functions at the end of the computed step.
    pub(super) fn note_sides(
        &mut self,
        events: &dyn EventSet,
        at: &Instant,
    ) -> Result<(), SimulationError> {
        for (k, event) in events.list().iter().enumerate() {
            if matches!(event.trigger, EventTrigger::Crossing(_)) {
                let here = side(value(events, k, at)?, self.state.events.margins[k]);
                let memory = &mut self.state.events;
                if here != 0 {
                    memory.sides[k] = here;
                    memory.margins[k] = 0.0;
                    memory.rebounds[k] = false;
                }
            }
        }
        Ok(())
    }
}

/// The minimum of the parabola through three equidistant values.
fn parabola_minimum([left, middle, right]: [f64; 3]) -> f64 {
    let (slope, curvature) = (0.5 * (right - left), left - 2.0 * middle + right);
    if curvature > 0.0 { middle - 0.5 * slope * slope / curvature } else { middle }
}

/// A time between the outer ones at which the function is on the other side of zero, beyond round-off.
fn beyond_zero(
    function: &mut EventFunction<'_, '_>,
    [mut left, mut middle, mut right]: [f64; 3],
    here: i8,
) -> Result<Option<f64>, SimulationError> {
    let sign = f64::from(here);
    let mut least = sign * function.value(middle)?;
    let scale = (sign * function.value(left)?).max(sign * function.value(right)?);
    for _ in 0..EXTREMUM_ITERATIONS {
        let goes_right = right - middle > middle - left;
        let far = if goes_right { right } else { left };
        let next = middle + GOLDEN * (far - middle);
        let value = sign * function.value(next)?;
        // a touch to round-off is no crossing
        if value < -1e-12 * scale {
            return Ok(Some(next));
        }
        match (value < least, goes_right) {
            (true, true) => (left, middle, least) = (middle, next, value),
            (true, false) => (right, middle, least) = (middle, next, value),
            (false, true) => right = next,
            (false, false) => left = next,
        }
    }
    Ok(None)
}

/// The time at which the function reaches a side within a bracket, to round-off: the Illinois variant of the secant method,
/// with halving where it is slow. The function is on the side, or zero, at the result.
fn zero(
    function: &mut EventFunction<'_, '_>,
    [mut before, mut reached]: [f64; 2],
    to: i8,
) -> Result<f64, SimulationError> {
    let sign = f64::from(to);
    let (mut low, mut high) = (sign * function.value(before)?, sign * function.value(reached)?);
    // the value of an end that stays twice is halved
    let (mut weight, mut last) = ([1.0, 1.0], 0);
    for k in 0..MAX_ITERATIONS {
        let width = reached - before;
        if width <= ROUNDINGS * round_off(reached, width) || low >= 0.0 {
            break;
        }
        let (a, b) = (weight[0] * low, weight[1] * high);
        let secant = reached - b * width / (b - a);
        let is_inside = secant > before && secant < reached;
        let next = if is_inside && k % 4 != 3 { secant } else { before + 0.5 * width };
        let value = sign * function.value(next)?;
        match value >= 0.0 {
            true => {
                (reached, high) = (next, value);
                weight = [if last > 0 { 0.5 * weight[0] } else { 1.0 }, 1.0];
                last = 1;
                if value == 0.0 {
                    break;
                }
            }
            false => {
                (before, low) = (next, value);
                weight = [1.0, if last < 0 { 0.5 * weight[1] } else { 1.0 }];
                last = -1;
            }
        }
    }
    Ok(if low >= 0.0 { before } else { reached })
}
