//! Compiles signals, states, inputs, and the formulas of forces that depend on them.

use std::collections::HashMap;
use std::sync::Arc;

use super::Compiler;
use super::time_formulas::{MAX_CHAIN, chain_too_long, cycle};
use crate::expression::{Expression, Operation, VariableSource};
use crate::model::channel_source::ChannelSource;
use crate::model::channel_view::ChannelView;
use crate::model::checks::fail_at;
use crate::model::describe::{SignalBody, StateEquation};
use crate::model::elements::ElementKind;
use crate::model::node_measure::{NodeMeasure, PositionKinematics};
use crate::model::signals::{
    Argument, Column, CompiledFormula, FormulaBody, MemoryData, MemoryRule, Probe, ProbeKind,
    SignalCoupling, Signals, StateData,
};
use crate::model::values::{SignalFormula, SignalIndex};
use crate::model::{Function, InputKey, Law, Model, ModelError, Owner, PartKind};
use cardan_core::suggestion;

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
        work.signals.acting = work.signals.formulas.len();
        work.signals.acting_probes = work.signals.probes.len();
        work.recorded()?;
        work.check_acting()?;
        let SignalCompiler { signals, discrete, .. } = work;
        self.model.signals = signals;
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

impl<'c> SignalCompiler<'c, '_> {
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

    /// Compiles the equations of the states.
    fn states(&mut self) -> Result<(), ModelError> {
        let mechanism = self.compiler.mechanism;
        for state in &mechanism.states {
            let owner = Owner::part(PartKind::State, &state.name);
            if !state.initial.is_finite() {
                return fail_at(&owner, "start", "its initial value is not finite");
            }
            let (formula, key, is_residual) = match &state.equation {
                StateEquation::Rate(formula) => (formula, "rate", false),
                StateEquation::Residual(formula) => (formula, "residual", true),
            };
            let place = FormulaPlace { owner, key: key.into() };
            let formula = self.formula(&place, formula)?;
            let own = self.signals.first_state + self.signals.states.len();
            let rates = &self.rates[formula];
            if is_residual && !rates.contains(&own) {
                let reason = format!(
                    "its residual does not contain `{}.rate`, so it does not determine the state",
                    state.name
                );
                return fail_at(&place.owner, place.key, reason);
            }
            if !is_residual && !rates.is_empty() {
                let reason = "the formula of a rate cannot contain rates: use `residual`";
                return fail_at(&place.owner, place.key, reason);
            }
            let (name, initial) = (state.name.clone(), state.initial);
            self.signals.states.push(StateData { name, initial, formula, is_residual });
        }
        Ok(())
    }

    /// Compiles what does not act: signals that are recorded only, and the formulas of memories.
    fn recorded(&mut self) -> Result<(), ModelError> {
        let mechanism = self.compiler.mechanism;
        for signal in &mechanism.signals {
            let k = self.signal(&signal.name)?;
            self.signals.names.push((signal.name.clone(), k));
        }
        while let Some(memory) = self.memories.pop() {
            let PendingMemory { place, formula, arguments, q, rule } = memory;
            let mut resolved = Vec::new();
            for argument in arguments {
                resolved.push(match argument {
                    PendingArgument::Known(argument) => argument,
                    PendingArgument::Named(name) => self.named(&place, &name)?,
                });
            }
            self.check_memory(&place, &resolved)?;
            let name = place.owner.to_string();
            let formula = self.add(name, FormulaBody::Expression(formula), resolved);
            self.signals.memories.push(MemoryData { q, formula, rule });
        }
        let is_total = |probe: &Probe| matches!(&probe.kind, ProbeKind::Channel { source, .. } if is_total(source));
        self.signals.needs_totals = self.signals.probes.iter().any(is_total);
        Ok(())
    }

    /// Refuses quantities that are not known when an instant is accepted.
    fn check_memory(&self, place: &FormulaPlace, arguments: &[Argument]) -> Result<(), ModelError> {
        let has_points = !self.compiler.model.points.is_empty();
        let mut open = arguments.to_vec();
        let mut is_seen = vec![false; self.signals.formulas.len()];
        while let Some(argument) = open.pop() {
            let kind = match argument {
                Argument::Formula(k) if !is_seen[k] => {
                    is_seen[k] = true;
                    open.extend_from_slice(&self.signals.formulas[k].arguments);
                    continue;
                }
                Argument::Rate(_) => {
                    let reason = "`previous` does not take rates of states";
                    return fail_at(&place.owner, place.key, reason);
                }
                Argument::Probe(k) => &self.signals.probes[k].kind,
                _ => continue,
            };
            let ProbeKind::Channel { source, .. } = kind else { continue };
            let reason = match source {
                source if is_total(source) => "`previous` does not take sums over the whole model",
                ChannelSource::StateRate(_) => "`previous` does not take rates of states",
                source if source.needs_accelerations() && has_points => {
                    "`previous` does not take accelerations in a model with flexible bodies"
                }
                _ => continue,
            };
            return fail_at(&place.owner, place.key, reason);
        }
        Ok(())
    }

    /// A formula that parts of one force share.
    fn shared_formula(
        &mut self,
        place: &FormulaPlace,
        formula: &Arc<SignalFormula>,
    ) -> Result<usize, ModelError> {
        let address = Arc::as_ptr(formula);
        if let Some(&k) = self.shared.get(&address) {
            return Ok(k);
        }
        let k = self.formula(place, formula)?;
        self.shared.insert(address, k);
        Ok(k)
    }

    /// A formula of time and names.
    fn formula(
        &mut self,
        place: &FormulaPlace,
        formula: &SignalFormula,
    ) -> Result<usize, ModelError> {
        self.with_variables(place, formula, &["t"], vec![Argument::Time])
    }

    /// A law: a formula of `x`, `v`, time and names.
    fn law(
        &mut self,
        place: &FormulaPlace,
        formula: &SignalFormula,
        measure: &NodeMeasure,
    ) -> Result<usize, ModelError> {
        let [x, v] = [false, true].map(|is_rate| {
            let kind = ProbeKind::Measure { measure: measure.clone(), is_rate };
            Argument::Probe(self.probe(kind))
        });
        self.with_variables(place, formula, &["x", "v", "t"], vec![x, v, Argument::Time])
    }

    fn with_variables(
        &mut self,
        place: &FormulaPlace,
        formula: &SignalFormula,
        variables: &[&str],
        given: Vec<Argument>,
    ) -> Result<usize, ModelError> {
        let known = &self.compiler.signal_names.known;
        let expression = formula.expression(variables, known).map_err(|error| {
            let reason = format!("`{}`: {error}", formula.text());
            ModelError::value(&place.owner, reason).with_key(place.key)
        })?;
        let found = expression.found();
        let mut arguments = given.clone();
        for (k, variable) in found.iter().enumerate() {
            // a variable within `previous` alone is no argument of the formula
            if !uses(expression.operations(), given.len() + k) {
                arguments.push(Argument::Time);
                continue;
            }
            arguments.push(match &variable.source {
                VariableSource::Named(name) => self.named(place, name)?,
                VariableSource::Previous(operations) => {
                    let inner = Expression::of_operations(expression.text(), operations.clone());
                    let named =
                        found.iter().enumerate().map(|(k, variable)| match &variable.source {
                            VariableSource::Named(name) if uses(operations, given.len() + k) => {
                                PendingArgument::Named(name.clone())
                            }
                            _ => PendingArgument::Known(Argument::Time),
                        });
                    let known = given.iter().copied().map(PendingArgument::Known);
                    let pending = known.chain(named).collect();
                    self.memory(place, inner, pending, MemoryRule::Value, 0.0)
                }
            });
        }
        let name = place.owner.to_string();
        Ok(self.add(name, FormulaBody::Expression(expression), arguments))
    }

    /// A discrete value that follows a formula when instants are accepted.
    fn memory(
        &mut self,
        place: &FormulaPlace,
        formula: Expression,
        arguments: Vec<PendingArgument>,
        rule: MemoryRule,
        initial: f64,
    ) -> Argument {
        let q = self.add_discrete(initial);
        let place = place.clone();
        self.memories.push(PendingMemory { place, formula, arguments, q, rule });
        Argument::Discrete(q)
    }

    /// Adds a formula with its arguments.
    fn add(&mut self, name: String, body: FormulaBody, arguments: Vec<Argument>) -> usize {
        let mut rates: Vec<usize> = Vec::new();
        for argument in &arguments {
            match *argument {
                Argument::Rate(k) => rates.push(k),
                Argument::Formula(k) => rates.extend_from_slice(&self.rates[k]),
                _ => {}
            }
        }
        rates.sort_unstable();
        rates.dedup();
        self.rates.push(rates);
        let (columns, targets, first) = Default::default();
        let formula = CompiledFormula { name, body, arguments, columns, first, targets };
        self.signals.formulas.push(formula);
        self.signals.formulas.len() - 1
    }

    /// A new probe of a quantity.
    fn probe(&mut self, kind: ProbeKind) -> usize {
        self.signals.probes.push(Probe { kind, columns: Vec::new(), first: 0 });
        self.signals.probes.len() - 1
    }

    /// The argument that a name stands for.
    fn named(&mut self, place: &FormulaPlace, name: &str) -> Result<Argument, ModelError> {
        let names = &self.compiler.signal_names;
        let state = |name: &str| names.state(name);
        let first = self.signals.first_state;
        if let Some(k) = state(name) {
            return Ok(Argument::State(first + k));
        }
        if let Some(k) = name.strip_suffix(".rate").and_then(state) {
            return Ok(Argument::Rate(first + k));
        }
        if let Some(q) = self.inputs.get(name) {
            return Ok(Argument::Discrete(*q));
        }
        if names.signal(name).is_some() {
            return self.signal(name).map(Argument::Formula);
        }
        if let Some(argument) = self.channels.get(name) {
            return Ok(*argument);
        }
        let argument = match self.channel(place, name)? {
            ProbeKind::Channel { source: ChannelSource::State(k), .. } => Argument::State(k),
            kind => Argument::Probe(self.probe(kind)),
        };
        self.channels.insert(name.into(), argument);
        Ok(argument)
    }

    /// The probe of a channel.
    fn channel(&self, place: &FormulaPlace, name: &str) -> Result<ProbeKind, ModelError> {
        let model = &self.compiler.model;
        let channel = model.channel(name).map_err(|error| {
            let nearest = match &error {
                ModelError::Missing { nearest, .. } => nearest.clone(),
                _ => None,
            };
            let known = self.compiler.signal_names.known.iter().map(String::as_str);
            let nearest = nearest.or_else(|| suggestion::nearest(name, known));
            ModelError::missing(&place.owner, place.key, "channel", name, nearest)
        })?;
        if channel.width() != 1 {
            let parts = channel.components().join("`, `");
            let reason = format!("`{name}` is not one number: use one of `{parts}`");
            return fail_at(&place.owner, place.key, reason);
        }
        let (source, component) = channel.source();
        // a coordinate and its rate have exact gradients of their own
        Ok(match source {
            ChannelSource::Coordinate { joint, index, order: order @ (0 | 1) } => {
                let (_, measure) = &model.joints[joint].coordinates[index];
                ProbeKind::Measure { measure: measure.clone(), is_rate: order == 1 }
            }
            source => ProbeKind::Channel { source, component },
        })
    }

    /// The formula of a named signal.
    fn signal(&mut self, name: &str) -> Result<usize, ModelError> {
        let mechanism = self.compiler.mechanism;
        if let Some(&k) = self.named.get(name) {
            return Ok(k);
        }
        let found = self.compiler.signal_names.signal(name);
        let Some(signal) = found.map(|k| &mechanism.signals[k]) else {
            return Err(ModelError::missing(&Owner::Mechanism, "signal", "signal", name, None));
        };
        let owner = Owner::part(PartKind::Signal, name);
        let place = FormulaPlace { owner, key: "value".into() };
        if self.path.contains(&name) {
            let reason = cycle(&self.path, name);
            return fail_at(&place.owner, place.key, reason);
        }
        if self.path.len() >= MAX_CHAIN {
            return fail_at(&place.owner, place.key, chain_too_long());
        }
        self.path.push(&signal.name);
        let k = match &signal.body {
            SignalBody::Formula(formula) => self.formula(&place, formula)?,
            SignalBody::Function { arguments, function } => {
                let named = arguments.iter().map(|name| self.named(&place, name));
                let arguments = named.collect::<Result<Vec<_>, _>>()?;
                self.add(
                    place.owner.to_string(),
                    FormulaBody::Function(function.clone()),
                    arguments,
                )
            }
            SignalBody::Relay { argument, limits, starts_on } => {
                if limits[0].is_nan() || limits[1].is_nan() || limits[0] > limits[1] {
                    let reason = "the lower limit of a relay must not exceed the upper one";
                    return fail_at(&place.owner, "lower", reason);
                }
                let known = &self.compiler.signal_names.known;
                let inner = argument.expression(&["t"], known).map_err(|error| {
                    let reason = format!("`{}`: {error}", argument.text());
                    ModelError::value(&place.owner, reason).with_key("input")
                })?;
                let mut pending = vec![PendingArgument::Known(Argument::Time)];
                for variable in inner.found() {
                    let VariableSource::Named(name) = &variable.source else {
                        let reason = "a relay keeps its value itself: remove `previous`";
                        return fail_at(&place.owner, "input", reason);
                    };
                    pending.push(PendingArgument::Named(name.clone()));
                }
                let initial = if *starts_on { 1.0 } else { 0.0 };
                let rule = MemoryRule::Relay(*limits);
                let memory = self.memory(&place, inner, pending, rule, initial);
                let body = Expression::of_operations("memory", vec![Operation::Variable(0)]);
                self.add(place.owner.to_string(), FormulaBody::Expression(body), vec![memory])
            }
        };
        self.path.pop();
        self.named.insert(&signal.name, k);
        Ok(k)
    }

    /// Determines the columns of all gradients, and refuses what cannot act.
    fn check_acting(&mut self) -> Result<(), ModelError> {
        let compiler = self.compiler;
        let v = vec![0.0; compiler.model.points.velocities(&compiler.model.nodes)];
        let multipliers = vec![0.0; compiler.model.rows.len()];
        let z = vec![0.0; self.signals.first_state + compiler.mechanism.states.len()];
        let (nodes, frames, q) = (&compiler.model.nodes, &compiler.frames, &compiler.q);
        let at = ChannelView {
            t: compiler.mechanism.start,
            v: &v,
            a: &[],
            multipliers: &multipliers,
            z: &z,
            rates: &[],
            signals: &[],
            totals: None,
            kinematics: PositionKinematics { nodes, frames, q },
        };
        let (mut first, acting) = (0, self.signals.acting_probes);
        for k in 0..acting {
            let kind = &self.signals.probes[k].kind;
            let columns = match compiler.model.probe_columns(kind, &at) {
                Ok(columns) => columns,
                Err(reason) => return Err(self.refusal(k, reason)),
            };
            let probe = &mut self.signals.probes[k];
            (probe.columns, probe.first) = (columns, first);
            first += probe.columns.len();
        }
        let mut first = 0;
        for k in 0..self.signals.acting {
            let each: Vec<Vec<Column>> = self.signals.formulas[k]
                .arguments
                .iter()
                .map(|argument| match *argument {
                    Argument::Time => Vec::new(),
                    Argument::Probe(k) => self.signals.probes[k].columns.clone(),
                    Argument::Formula(k) => self.signals.formulas[k].columns.clone(),
                    Argument::State(k) => vec![Column::State(k)],
                    Argument::Rate(k) => vec![Column::Rate(k)],
                    Argument::Discrete(k) => vec![Column::Discrete(k)],
                })
                .collect();
            let mut columns: Vec<Column> = each.iter().flatten().copied().collect();
            columns.sort_unstable();
            columns.dedup();
            let place = |column: &Column| columns.binary_search(column).unwrap_or(0);
            let targets = each.iter().map(|list| list.iter().map(place).collect()).collect();
            let formula = &mut self.signals.formulas[k];
            (formula.first, formula.targets) = (first, targets);
            first += columns.len();
            formula.columns = columns;
        }
        Ok(())
    }

    /// The error for a probe that cannot act: it names a signal or force that uses it.
    fn refusal(&self, probe: usize, reason: &str) -> ModelError {
        let uses = |formula: &&CompiledFormula| formula.arguments.contains(&Argument::Probe(probe));
        let by = self.signals.formulas.iter().find(uses).map_or("a formula", |x| x.name.as_str());
        let name = self.channel_name(&self.signals.probes[probe].kind);
        let reason = format!("{by} uses `{name}` in a force or state: {reason}");
        ModelError::value(&Owner::Mechanism, reason)
    }

    /// The name of the channel of a probe.
    fn channel_name(&self, kind: &ProbeKind) -> String {
        let ProbeKind::Channel { source, component } = kind else { return "a coordinate".into() };
        let all = self.compiler.model.channels();
        let parts = all.iter().flat_map(|channel| channel.parts());
        let found = parts.into_iter().find(|part| part.source() == (*source, *component));
        found.map_or_else(|| "a channel".into(), |part| part.name().to_string())
    }
}

/// Whether a variable occurs in operations.
fn uses(operations: &[Operation], variable: usize) -> bool {
    operations.iter().any(|x| matches!(x, Operation::Variable(k) if *k == variable))
}

/// Whether a channel is a sum over the whole model.
fn is_total(source: &ChannelSource) -> bool {
    matches!(
        source,
        ChannelSource::Energy(_) | ChannelSource::Power(_) | ChannelSource::Momentum { .. }
    )
}
