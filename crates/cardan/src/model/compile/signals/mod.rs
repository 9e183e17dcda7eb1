//! Compiles signals, states, inputs, and the formulas of forces that depend on them.

mod columns;
mod equations;
mod events;
mod formulas;

use std::collections::HashMap;

use super::Compiler;
use crate::expression::Expression;
use crate::model::checks::fail_at;
use crate::model::elements::ElementKind;
use crate::model::signals::{Argument, MemoryRule, SignalCoupling, Signals};
use crate::model::values::{SignalFormula, SignalIndex};
use crate::model::{Function, InputKey, Law, Model, ModelError, Owner, PartKind};

pub(super) use events::switch_names;

/// The part and key to which a formula belongs.
#[derive(Clone)]
struct FormulaPlace {
    owner: Owner,
    key: InputKey,
}

/// A discrete value in q: its initial value.
pub(super) struct DiscreteValues {
    pub initial: Vec<f64>,
}

/// A formula of which the value at the last accepted instant is kept.
struct PendingMemory {
    place: FormulaPlace,
    formula: Expression,
    arguments: Vec<PendingArgument>,
    q: usize,
    rule: MemoryRule,
}

/// An argument of a formula whose names are resolved later.
#[derive(Clone)]
enum PendingArgument {
    Known(Argument),
    Named(String),
}

/// The formulas compiled so far.
struct SignalCompiler<'c, 'm> {
    compiler: &'c Compiler<'m>,
    signals: Signals,
    /// The formulas of named signals.
    named: HashMap<&'c str, usize>,
    /// The indices in q of the inputs.
    inputs: HashMap<&'c str, usize>,
    /// The arguments of channels that were used, by name.
    channels: HashMap<String, Argument>,
    /// Formulas of forces that were compiled, by their address: parts of one force share them.
    shared: HashMap<*const SignalFormula, usize>,
    /// The named signals that are being compiled.
    path: Vec<&'c str>,
    memories: Vec<PendingMemory>,
    /// The relays, with the indices in q of their memories.
    relays: Vec<(&'c str, usize)>,
    /// For each formula: the part and key to which it belongs.
    places: Vec<FormulaPlace>,
    /// For each formula: the states whose rates it contains, directly or through others.
    rates: Vec<Vec<usize>>,
    /// The index in q of the first discrete value of this list, and the initial values.
    first_discrete: usize,
    discrete: Vec<f64>,
}

impl Compiler<'_> {
    /// Compiles all signals; returns the discrete values that they add to q.
    pub(super) fn signals(&mut self) -> Result<DiscreteValues, ModelError> {
        let mechanism = self.mechanism;
        let first_discrete = self.system_values + self.model.turn_counters.len();
        let customs = self.model.elements.customs.last().map_or(0, |last| last.states.end);
        let mut work = SignalCompiler {
            compiler: self,
            signals: Signals { first_state: customs, ..Signals::default() },
            named: HashMap::new(),
            inputs: HashMap::new(),
            channels: HashMap::new(),
            shared: HashMap::new(),
            path: Vec::new(),
            memories: Vec::new(),
            relays: Vec::new(),
            places: Vec::new(),
            rates: Vec::new(),
            first_discrete,
            discrete: Vec::new(),
        };
        for input in &mechanism.inputs {
            let owner = Owner::part(PartKind::Input, &input.name);
            if !input.initial.is_finite() {
                return fail_at(&owner, "value", "its value is not finite");
            }
            let q = work.add_discrete(input.initial);
            work.inputs.insert(&input.name, q);
            work.signals.inputs.push((input.name.clone(), q));
        }
        let changes = work.forces()?;
        work.check_rates(&changes)?;
        work.states()?;
        let bounces = work.bounces()?;
        work.signals.acting = work.signals.formulas.len();
        work.signals.acting_probes = work.signals.probes.len();
        let events = work.events(&bounces)?;
        work.recorded()?;
        work.check_acting()?;
        let SignalCompiler { signals, discrete, .. } = work;
        self.model.signals = signals;
        (self.model.events, self.model.switches) = (events.events, events.switches);
        for (row, offset) in events.offsets {
            self.model.holonomic_rows[row].offset = Some(offset);
        }
        for change in changes {
            change.apply(self);
        }
        Ok(DiscreteValues { initial: discrete })
    }
}

impl Model {
    /// Makes the values for evaluations without states, velocities or multipliers.
    pub(super) fn complete_signals(&mut self) {
        if self.signals.formulas.is_empty() {
            return;
        }
        self.signals.initial_states = self.state_list().into_iter().map(|x| x.1).collect();
        self.signals.velocities = self.points.velocities(&self.nodes);
        self.signals.zeros = vec![0.0; self.signals.velocities.max(self.rows.len())];
    }
}

/// A function of an element that becomes a signal.
struct SignalUse {
    coupling: SignalCoupling,
}

impl SignalUse {
    fn apply(self, compiler: &mut Compiler<'_>) {
        let SignalCoupling { kind, index, component, signal } = self.coupling;
        let signal_index = SignalIndex(signal);
        let elements = &mut compiler.model.elements;
        match kind {
            ElementKind::Load => {
                elements.loads[index].components[component] = Function::Signal(signal_index);
            }
            ElementKind::Bushing => {
                elements.bushings[index].factor = Function::Signal(signal_index);
            }
            _ => {
                let law = &mut elements.springs[index].law;
                *law = match law {
                    Law::Actuator(_) => Law::Actuator(Function::Signal(signal_index)),
                    _ => Law::Signal(signal_index),
                };
            }
        }
        compiler.model.signals.couplings.push(self.coupling);
    }
}

impl SignalCompiler<'_, '_> {
    fn add_discrete(&mut self, initial: f64) -> usize {
        self.discrete.push(initial);
        self.first_discrete + self.discrete.len() - 1
    }

    /// Compiles the formulas of all forces.
    fn forces(&mut self) -> Result<Vec<SignalUse>, ModelError> {
        let compiler = self.compiler;
        let elements = &compiler.model.elements;
        let mut uses = Vec::new();
        let mut add = |kind, index, component, signal| {
            let coupling = SignalCoupling { kind, index, component, signal };
            uses.push(SignalUse { coupling });
        };
        for (i, load) in elements.loads.iter().enumerate() {
            for (k, function) in load.components.iter().enumerate() {
                if let Function::Formula(formula) = function {
                    let owner = compiler.model.owner_of_element(ElementKind::Load, i);
                    let key = InputKey::entry(load.key(), k);
                    let place = FormulaPlace { owner, key };
                    add(ElementKind::Load, i, k, self.shared_formula(&place, formula)?);
                }
            }
        }
        for (i, spring) in elements.springs.iter().enumerate() {
            let owner = || compiler.model.owner_of_element(ElementKind::Spring, i);
            match &spring.law {
                Law::Actuator(Function::Formula(formula)) => {
                    let place = FormulaPlace { owner: owner(), key: "value".into() };
                    add(ElementKind::Spring, i, 0, self.shared_formula(&place, formula)?);
                }
                Law::Formula(formula) => {
                    let place = FormulaPlace { owner: owner(), key: "law".into() };
                    add(ElementKind::Spring, i, 0, self.law(&place, formula, &spring.measure)?);
                }
                _ => {}
            }
        }
        for (i, bushing) in elements.bushings.iter().enumerate() {
            if let Function::Formula(formula) = &bushing.factor {
                let owner = compiler.model.owner_of_element(ElementKind::Bushing, i);
                let place = FormulaPlace { owner, key: "damping_factor".into() };
                add(ElementKind::Bushing, i, 0, self.shared_formula(&place, formula)?);
            }
        }
        Ok(uses)
    }

    /// Refuses forces that contain rates of states.
    fn check_rates(&self, uses: &[SignalUse]) -> Result<(), ModelError> {
        let has_rates = |x: &&SignalUse| !self.rates[x.coupling.signal].is_empty();
        let Some(SignalUse { coupling }) = uses.iter().find(has_rates) else { return Ok(()) };
        let owner = self.compiler.model.owner_of_element(coupling.kind, coupling.index);
        let reason = "it contains the rate of a state, which does not act on forces: use the formula of the rate";
        Err(ModelError::value(&owner, reason))
    }
}
