//! The memory of events: all that decides when they happen next, and what happened.

use serde::{Deserialize, Serialize};

use crate::system::{EventInfo, EventSet, EventTrigger};

/// The memory of the events of a system; part of the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventMemory {
    /// Whether each event is enabled.
    pub enabled: Vec<bool>,
    /// The side of zero of each function: 1, −1, or 0 while it has been zero since the start.
    pub(crate) sides: Vec<i8>,
    /// Values of each function this close to zero do not change its side, until the function has been farther away.
    pub(crate) margins: Vec<f64>,
    /// The rate of each function at its last event, before the actions.
    pub(crate) rates: Vec<f64>,
    /// Functions that an impulse at their event has reversed: they must leave zero to the side from which they came.
    pub(crate) rebounds: Vec<bool>,
    /// For events at given times: how many of the times have passed.
    pub(crate) passed: Vec<u64>,
    /// How often each event has happened.
    pub counts: Vec<u64>,
    /// Events that happen at the current instant and have not acted yet.
    pub(crate) pending: Vec<usize>,
    /// Instants with crossings that acted since the last step without one, and the time of the first.
    pub(crate) consecutive: u64,
    pub(crate) consecutive_since: f64,
    /// The events that acted last, and their time.
    #[serde(default)]
    pub(crate) last: Vec<usize>,
    #[serde(default)]
    pub(crate) last_time: f64,
    /// The event that ended the run.
    pub(crate) stopped_by: Option<usize>,
}

impl EventMemory {
    /// The memory at the start, before the functions are evaluated.
    pub(super) fn new(events: &dyn EventSet, start: f64) -> Self {
        let list = events.list();
        Self {
            enabled: list.iter().map(|event| event.is_enabled).collect(),
            sides: vec![0; list.len()],
            margins: vec![0.0; list.len()],
            rates: vec![0.0; list.len()],
            rebounds: vec![false; list.len()],
            passed: list.iter().map(|event| event.trigger.first_index(start)).collect(),
            counts: vec![0; list.len()],
            ..Self::default()
        }
    }

    /// Whether the memory belongs to a number of events.
    pub(super) fn fits(&self, count: usize) -> bool {
        let lengths = [
            self.enabled.len(),
            self.sides.len(),
            self.margins.len(),
            self.rates.len(),
            self.rebounds.len(),
            self.passed.len(),
            self.counts.len(),
        ];
        let known = self.pending.iter().chain(&self.stopped_by);
        lengths.iter().all(|length| *length == count) && known.into_iter().all(|k| *k < count)
    }

    /// The next time of an event that is enabled.
    pub(super) fn next_time(&self, k: usize, event: &EventInfo) -> Option<f64> {
        event.trigger.time(self.passed[k]).filter(|_| self.enabled[k])
    }

    /// The next time of all events.
    pub(super) fn next_event_time(&self, list: &[EventInfo]) -> Option<f64> {
        let times = list.iter().enumerate().filter_map(|(k, event)| self.next_time(k, event));
        times.min_by(f64::total_cmp)
    }

    /// Enables or disables an event. A function that is enabled begins on the side where it is then.
    pub(super) fn set_enabled(&mut self, k: usize, is_enabled: bool) {
        if is_enabled && !self.enabled[k] {
            self.sides[k] = 0;
        }
        self.enabled[k] = is_enabled;
    }

    /// Notes that an event happened, at a crossing to a side if it is one.
    pub(super) fn note(&mut self, k: usize, event: &EventInfo, side: i8) {
        match event.trigger {
            EventTrigger::Crossing(_) => self.sides[k] = side,
            _ => self.passed[k] += 1,
        }
        self.counts[k] += 1;
    }
}

/// The part of a computed step that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AcceptedPart {
    /// All of it; an event may be at its end.
    Whole,
    /// The part up to an event; the actions are pending.
    UntilEvent,
}

/// An event that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// The time.
    pub time: f64,
    /// The number of the event in the list of the system.
    pub event: usize,
    /// The messages of its actions.
    pub messages: Vec<String>,
    /// Whether its actions ask for a row of results.
    pub is_recorded: bool,
    /// Whether it ended the run.
    pub is_stop: bool,
    /// The impulses Λ of the constraint rows; empty if there are none.
    pub impulses: Vec<f64>,
    /// Constraints that became redundant, and are not active from here on.
    pub redundant: Vec<String>,
}
