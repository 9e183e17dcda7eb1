//! Events of a system: when they happen, and how they change the state.

use super::Failure;
use crate::state::Instant;

/// The direction in which a function must cross zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CrossingDirection {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Either direction.
    #[default]
    Both,
}

impl CrossingDirection {
    /// Whether a crossing to a side, 1 or −1, counts.
    pub fn includes(self, side: i8) -> bool {
        match self {
            Self::Rising => side > 0,
            Self::Falling => side < 0,
            Self::Both => true,
        }
    }
}

/// The condition under which an event happens.
#[derive(Clone, Debug, PartialEq)]
pub enum EventTrigger {
    /// A function crosses zero.
    Crossing(CrossingDirection),
    /// Given times, in increasing order.
    Times(Vec<f64>),
    /// The times `first`, `first + period`, …
    Every {
        /// The first time.
        first: f64,
        /// The time from one event to the next.
        period: f64,
    },
}

impl EventTrigger {
    /// The k-th time; `None` for a crossing, and after the last time.
    pub fn time(&self, k: u64) -> Option<f64> {
        match self {
            Self::Crossing(_) => None,
            Self::Times(times) => usize::try_from(k).ok().and_then(|k| times.get(k)).copied(),
            Self::Every { first, period } => Some(first + k as f64 * period),
        }
    }

    /// The index of the first time that is not before a given one.
    pub fn first_index(&self, start: f64) -> u64 {
        match self {
            Self::Crossing(_) => 0,
            Self::Times(times) => times.partition_point(|time| *time < start) as u64,
            Self::Every { first, period } => ((start - first) / period).ceil().max(0.0) as u64,
        }
    }
}

/// An event of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct EventInfo {
    /// The name.
    pub name: String,
    /// When it happens.
    pub trigger: EventTrigger,
    /// Whether its actions change the motion or end the run. Other events, which only write a message or a row, do not
    /// shorten a step.
    pub is_acting: bool,
    /// Whether it is enabled at the start.
    pub is_enabled: bool,
}

/// The events of a [`System`](super::System).
pub trait EventSet: Send + Sync {
    /// The events. Events at the same instant act in this order.
    fn list(&self) -> &[EventInfo];

    /// The function of an event that happens when it crosses zero.
    fn value(&self, event: usize, at: &Instant) -> Result<f64, Failure>;

    /// Performs the actions of an event.
    fn act(&self, event: usize, state: &mut dyn EventState) -> Result<(), Failure>;
}

/// The state of a simulation at an event, which the actions of the event change.
pub trait EventState {
    /// The instant, with the changes made so far.
    fn now(&self) -> &Instant;

    /// Sets a discrete value in q: an input, a memory, a switch.
    fn set_discrete(&mut self, index: usize, value: f64) -> Result<(), Failure>;

    /// Sets a first-order state.
    fn set_state(&mut self, index: usize, value: f64) -> Result<(), Failure>;

    /// Applies a generalized impulse p: M Δv + Gᵀ Λ = p, with velocities that satisfy the constraints.
    fn apply_impulse(&mut self, impulse: &[f64]) -> Result<(), Failure>;

    /// Applies the impulse along a gradient g that changes the rate of its quantity, g v + `partial_rate`, to −`restitution`
    /// times itself; constraints stay satisfied.
    fn bounce(
        &mut self,
        gradient: &[f64],
        partial_rate: f64,
        restitution: f64,
    ) -> Result<(), Failure>;

    /// Enables or disables an event.
    fn set_enabled(&mut self, event: usize, is_enabled: bool);

    /// Ends the run at this instant.
    fn stop(&mut self);

    /// Asks for a row of results at this instant.
    fn record(&mut self);

    /// Adds a message to the log.
    fn message(&mut self, text: String);
}
