//! Events as users describe them: when they happen, and what they do.

use std::fmt;
use std::sync::Arc;

use super::Anchor;
use crate::model::values::SignalFormula;
use cardan_core::state::Instant;
use cardan_core::system::{CrossingDirection, EventState, Failure};

/// A function of an instant.
pub(in crate::model) type EventFunction = dyn Fn(&Instant) -> Result<f64, Failure> + Send + Sync;
/// An action in Rust.
pub(in crate::model) type EventClosure =
    dyn Fn(&mut dyn EventState) -> Result<(), Failure> + Send + Sync;

/// An event: it happens when a formula crosses zero, at given times, or periodically. Its actions are performed in their
/// order.
///
/// ```
/// use cardan::Settings;
/// use cardan::model::{Body, Event, Mechanism};
///
/// # fn main() -> Result<(), cardan::Error> {
/// let mut fall = Mechanism::new();
/// fall.gravity([0.0, 0.0, -10.0]);
/// fall.add(Body::point_mass("ball", 0.1).position([0.0, 0.0, 5.0]));
/// fall.add(Event::when("floor", "ball.position.z").falling().bounce("ball.position.z", 0.5));
/// let mut motion = fall.assemble()?.simulate(&Settings::new("generalized-alpha", 1e-2))?;
/// motion.run_until(1.5)?;
/// // it reaches the floor at t = 1 s with 10 m/s, and leaves it with 5 m/s
/// assert!((motion.read("ball.velocity.z")?[0] - 0.0).abs() < 1e-9);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Event {
    pub(in crate::model) name: String,
    pub(in crate::model) condition: EventCondition,
    pub(in crate::model) actions: Vec<EventAction>,
    pub(in crate::model) is_enabled: bool,
}

/// When an event happens.
#[derive(Clone)]
pub(in crate::model) enum EventCondition {
    Crossing(SignalFormula, CrossingDirection),
    Function(Arc<EventFunction>, CrossingDirection),
    Times(Vec<f64>),
    Every { first: Option<f64>, period: f64 },
}

/// What an event does.
#[derive(Clone)]
pub(in crate::model) enum EventAction {
    Set(String, SignalFormula),
    /// Locks or unlocks a joint coordinate, a drive or a force.
    Switch(String, bool),
    Impulse(Box<EventImpulse>),
    Bounce(SignalFormula, f64),
    /// Enables or disables an event.
    Enable(String, bool),
    Message(String),
    Record,
    Stop,
    Closure(Arc<EventClosure>),
}

/// An impulse on a body, in world axes.
#[derive(Clone, Debug)]
pub(in crate::model) struct EventImpulse {
    pub anchor: Anchor,
    pub force: [f64; 3],
    pub moment: [f64; 3],
}

impl Event {
    fn new(name: &str, condition: EventCondition) -> Self {
        Self { name: name.into(), condition, actions: Vec::new(), is_enabled: true }
    }

    /// An event at each zero of a formula of time, channels, signals, states and inputs, whatever the direction.
    pub fn when(name: &str, formula: impl Into<SignalFormula>) -> Self {
        Self::new(name, EventCondition::Crossing(formula.into(), CrossingDirection::Both))
    }

    /// An event at each zero of a function of the instant.
    pub fn when_function(
        name: &str,
        function: impl Fn(&Instant) -> Result<f64, Failure> + Send + Sync + 'static,
    ) -> Self {
        let function = Arc::new(function);
        Self::new(name, EventCondition::Function(function, CrossingDirection::Both))
    }

    /// An event at given times.
    pub fn at(name: &str, times: impl IntoIterator<Item = f64>) -> Self {
        Self::new(name, EventCondition::Times(times.into_iter().collect()))
    }

    /// An event at the start and after each period.
    pub fn every(name: &str, period: f64) -> Self {
        Self::new(name, EventCondition::Every { first: None, period })
    }

    /// The first time of a periodic event; the start of the motion if not given.
    #[must_use]
    pub fn first(mut self, time: f64) -> Self {
        if let EventCondition::Every { first, .. } = &mut self.condition {
            *first = Some(time);
        }
        self
    }

    /// Only crossings from negative to positive.
    #[must_use]
    pub fn rising(self) -> Self {
        self.direction(CrossingDirection::Rising)
    }

    /// Only crossings from positive to negative.
    #[must_use]
    pub fn falling(self) -> Self {
        self.direction(CrossingDirection::Falling)
    }

    /// The direction of crossings that count.
    #[must_use]
    pub fn direction(mut self, direction: CrossingDirection) -> Self {
        match &mut self.condition {
            EventCondition::Crossing(_, known) | EventCondition::Function(_, known) => {
                *known = direction;
            }
            EventCondition::Times(_) | EventCondition::Every { .. } => {}
        }
        self
    }

    /// The event does not happen until another one enables it.
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.is_enabled = false;
        self
    }

    fn action(mut self, action: EventAction) -> Self {
        self.actions.push(action);
        self
    }

    /// Sets a state, an input or the memory of a relay to the value of a formula.
    #[must_use]
    pub fn set(self, name: &str, value: impl Into<SignalFormula>) -> Self {
        self.action(EventAction::Set(name.into(), value.into()))
    }

    /// Locks a joint coordinate at its present value, or switches a drive or a force on. A drive continues from the present
    /// position.
    #[must_use]
    pub fn lock(self, name: &str) -> Self {
        self.action(EventAction::Switch(name.into(), true))
    }

    /// Unlocks a joint coordinate, or switches a drive or a force off.
    #[must_use]
    pub fn unlock(self, name: &str) -> Self {
        self.action(EventAction::Switch(name.into(), false))
    }

    /// Applies an impulse in N·s and an angular impulse in N·m·s, world axes, at a body or a point of it.
    #[must_use]
    pub fn impulse(self, at: impl Into<Anchor>, force: [f64; 3], moment: [f64; 3]) -> Self {
        self.action(EventAction::Impulse(Box::new(EventImpulse {
            anchor: at.into(),
            force,
            moment,
        })))
    }

    /// Reverses the rate of a channel or formula of positions, times the coefficient of restitution, by an impulse along its
    /// gradient.
    #[must_use]
    pub fn bounce(self, channel: impl Into<SignalFormula>, restitution: f64) -> Self {
        self.action(EventAction::Bounce(channel.into(), restitution))
    }

    /// Enables another event.
    #[must_use]
    pub fn enable(self, event: &str) -> Self {
        self.action(EventAction::Enable(event.into(), true))
    }

    /// Disables an event.
    #[must_use]
    pub fn disable(self, event: &str) -> Self {
        self.action(EventAction::Enable(event.into(), false))
    }

    /// Adds a message to the log of events.
    #[must_use]
    pub fn message(self, text: &str) -> Self {
        self.action(EventAction::Message(text.into()))
    }

    /// Writes a row of results.
    #[must_use]
    pub fn record(self) -> Self {
        self.action(EventAction::Record)
    }

    /// Ends the run.
    #[must_use]
    pub fn stop(self) -> Self {
        self.action(EventAction::Stop)
    }

    /// Calls a closure with the state.
    #[must_use]
    pub fn call(
        self,
        action: impl Fn(&mut dyn EventState) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Self {
        self.action(EventAction::Closure(Arc::new(action)))
    }
}

impl fmt::Debug for EventCondition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crossing(formula, direction) => write!(out, "{} {direction:?}", formula.text()),
            Self::Function(_, direction) => write!(out, "function {direction:?}"),
            Self::Times(times) => write!(out, "at {times:?}"),
            Self::Every { first, period } => write!(out, "every {period} from {first:?}"),
        }
    }
}

impl fmt::Debug for EventAction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(name, formula) => write!(out, "set {name} = {}", formula.text()),
            Self::Switch(name, is_on) => write!(out, "switch {name} {is_on}"),
            Self::Impulse(impulse) => write!(out, "{impulse:?}"),
            Self::Bounce(formula, e) => write!(out, "bounce {} {e}", formula.text()),
            Self::Enable(name, is_on) => write!(out, "enable {name} {is_on}"),
            Self::Message(text) => write!(out, "message {text:?}"),
            Self::Record => out.write_str("record"),
            Self::Stop => out.write_str("stop"),
            Self::Closure(_) => out.write_str("closure"),
        }
    }
}
