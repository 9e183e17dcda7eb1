//! Signals, states and inputs of a mechanism by name.

use std::collections::HashMap;

use crate::expression::NameSet;
use crate::model::Mechanism;

/// The names of signals, states and inputs, by which formulas find them.
#[derive(Default)]
pub(super) struct SignalNames<'m> {
    pub known: NameSet,
    signals: HashMap<&'m str, usize>,
    states: HashMap<&'m str, usize>,
}

impl<'m> SignalNames<'m> {
    pub fn new(mechanism: &'m Mechanism) -> Self {
        let Mechanism { signals, states, inputs, .. } = mechanism;
        let signals = || signals.iter().map(|x| x.name.as_str());
        let states = || states.iter().map(|x| x.name.as_str());
        let inputs = inputs.iter().map(|x| x.name.as_str());
        Self {
            known: signals().chain(states()).chain(inputs).map(String::from).collect(),
            signals: signals().zip(0..).collect(),
            states: states().zip(0..).collect(),
        }
    }

    pub fn signal(&self, name: &str) -> Option<usize> {
        self.signals.get(name).copied()
    }

    pub fn state(&self, name: &str) -> Option<usize> {
        self.states.get(name).copied()
    }
}
