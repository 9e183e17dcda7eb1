//! What the formulas of a model act on: forces, states, and values that are kept until the next accepted instant.

use crate::model::elements::ElementKind;

/// A force that is linear in a signal: f = s b, with the direction b of component k of an element.
#[derive(Clone, Debug)]
pub(in crate::model) struct SignalCoupling {
    pub kind: ElementKind,
    pub index: usize,
    pub component: usize,
    pub signal: usize,
}

/// A first-order state of the mechanism.
#[derive(Clone, Debug)]
pub(in crate::model) struct StateData {
    pub name: String,
    pub initial: f64,
    pub formula: usize,
    /// Whether the formula is the residual; otherwise it is the rate.
    pub is_residual: bool,
}

/// A discrete value that is written when an instant is accepted.
#[derive(Clone, Debug)]
pub(in crate::model) struct MemoryData {
    /// Its index in q.
    pub q: usize,
    pub formula: usize,
    pub rule: MemoryRule,
}

/// How a memory follows its formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) enum MemoryRule {
    /// The value of the formula.
    Value,
    /// 1 from the upper limit on, 0 from the lower limit on, unchanged between them.
    Relay([f64; 2]),
}

impl MemoryRule {
    /// The new value of the memory.
    pub fn update(self, memory: f64, value: f64) -> f64 {
        match self {
            Self::Value => value,
            Self::Relay([_, upper]) if value >= upper => 1.0,
            Self::Relay([lower, _]) if value <= lower => 0.0,
            Self::Relay(_) => memory,
        }
    }
}
