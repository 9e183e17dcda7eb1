//! Events of a compiled model as data: their functions and actions with the indices of the parts they use.

use std::sync::Arc;

use super::describe::{EventClosure, EventFunction};
use cardan_core::math::Vector3;
use cardan_core::system::EventInfo;

/// The events of a compiled model.
#[derive(Clone, Default)]
pub(in crate::model) struct ModelEvents {
    pub list: Vec<EventInfo>,
    /// The function of each event.
    pub functions: Vec<EventValue>,
    /// The actions of each event.
    pub actions: Vec<Vec<CompiledAction>>,
}

impl std::fmt::Debug for ModelEvents {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:?}", self.list)
    }
}

/// The function of an event.
#[derive(Clone)]
pub(in crate::model) enum EventValue {
    /// None: it happens at given times.
    Time,
    /// A formula of the model.
    Formula(usize),
    Function(Arc<EventFunction>),
}

/// An action with the indices of its parts.
#[derive(Clone)]
pub(in crate::model) enum CompiledAction {
    /// Sets a discrete value of q to a formula.
    SetDiscrete {
        q: usize,
        formula: usize,
    },
    /// Sets a state to a formula.
    SetState {
        state: usize,
        formula: usize,
    },
    /// Sets a switch on or off.
    Switch {
        q: usize,
        is_on: bool,
    },
    /// An impulse at a point of a node, from its centre of mass.
    Impulse {
        node: usize,
        point: Vector3,
        force: Vector3,
        moment: Vector3,
    },
    /// Reverses the rate of a formula that acts.
    Bounce {
        formula: usize,
        restitution: f64,
    },
    Enable {
        event: usize,
        is_enabled: bool,
    },
    Message(String),
    Record,
    Stop,
    Closure(Arc<EventClosure>),
}
