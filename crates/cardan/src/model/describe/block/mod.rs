//! Blocks: ready-made controllers, filters and actuators, composed of signals, states and forces.
//!
//! A block has one name. Its output is the signal or state with that name; its parts are named `NAME.part`.

mod actuator;
mod controller;
mod filter;
mod linear;

pub use actuator::{Cylinder, DcMotor, Fluid};
pub use controller::Pid;

use super::{Force, Signal, SignalLimit, StateVariable};
use crate::model::values::SignalFormula;

/// Signals, states and forces that belong to one name.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub(in crate::model) name: String,
    pub(in crate::model) signals: Vec<Signal>,
    pub(in crate::model) states: Vec<StateVariable>,
    pub(in crate::model) forces: Vec<Force>,
    pub(in crate::model) limits: Vec<SignalLimit>,
    /// A key that has a wrong value, and the reason.
    pub(in crate::model) wrong: Option<(&'static str, String)>,
}

impl Block {
    fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds the output.
    fn output(mut self, formula: impl Into<SignalFormula>) -> Self {
        self.signals.push(Signal::new(&self.name, formula));
        self
    }

    /// Adds the signal `NAME.part`.
    fn part(mut self, part: &str, formula: impl Into<SignalFormula>) -> Self {
        self.signals.push(Signal::new(&format!("{}.{part}", self.name), formula));
        self
    }

    /// Adds the state `NAME.part`; an empty part is the output itself.
    fn state(mut self, part: &str, initial: f64, rate: impl Into<SignalFormula>) -> Self {
        let name = match part.is_empty() {
            true => self.name.clone(),
            false => format!("{}.{part}", self.name),
        };
        self.states.push(StateVariable::new(&name, initial, rate));
        self
    }

    /// Records a value that is not allowed.
    fn check(mut self, key: &'static str, holds: bool, reason: &str) -> Self {
        if !holds && self.wrong.is_none() {
            self.wrong = Some((key, reason.into()));
        }
        self
    }

    fn positive(self, key: &'static str, value: f64) -> Self {
        let holds = value.is_finite() && value > 0.0;
        self.check(key, holds, &format!("it is {value}; it must be positive"))
    }
}

/// A number in a formula: all digits, negative ones in parentheses.
fn number(value: f64) -> String {
    if value < 0.0 || !value.is_finite() { format!("({value:?})") } else { format!("{value:?}") }
}
