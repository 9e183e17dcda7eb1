//! Formulas with their arguments: names, channels, laws, and signals in the order of their dependencies.

use std::sync::Arc;

use super::{FormulaPlace, PendingArgument, SignalCompiler};
use crate::expression::{Expression, Operation, VariableSource};
use crate::model::channel_source::ChannelSource;
use crate::model::checks::fail_at;
use crate::model::compile::time_formulas::{MAX_CHAIN, chain_too_long, cycle};
use crate::model::describe::SignalBody;
use crate::model::node_measure::NodeMeasure;
use crate::model::signals::{Argument, CompiledFormula, FormulaBody, MemoryRule, Probe, ProbeKind};
use crate::model::values::SignalFormula;
use crate::model::{ModelError, Owner, PartKind};
use cardan_core::suggestion;

impl SignalCompiler<'_, '_> {
    /// A formula that parts of one force share.
    pub(super) fn shared_formula(
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
    pub(super) fn formula(
        &mut self,
        place: &FormulaPlace,
        formula: &SignalFormula,
    ) -> Result<usize, ModelError> {
        self.with_variables(place, formula, &["t"], vec![Argument::Time])
    }

    /// A law: a formula of `x`, `v`, time and names.
    pub(super) fn law(
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
        Ok(self.add(place, FormulaBody::Expression(expression), arguments))
    }

    /// Adds a formula with its arguments.
    pub(super) fn add(
        &mut self,
        place: &FormulaPlace,
        body: FormulaBody,
        arguments: Vec<Argument>,
    ) -> usize {
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
        self.places.push(place.clone());
        let name = place.owner.to_string();
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
    pub(super) fn named(
        &mut self,
        place: &FormulaPlace,
        name: &str,
    ) -> Result<Argument, ModelError> {
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
                ProbeKind::Measure { measure: NodeMeasure::clone(measure), is_rate: order == 1 }
            }
            source => ProbeKind::Channel { source, component },
        })
    }

    /// The formula of a named signal.
    pub(super) fn signal(&mut self, name: &str) -> Result<usize, ModelError> {
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
                self.add(&place, FormulaBody::Function(function.clone()), arguments)
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
                if let Argument::Discrete(q) = memory {
                    self.relays.push((&signal.name, q));
                }
                let body = Expression::of_operations("memory", vec![Operation::Variable(0)]);
                self.add(&place, FormulaBody::Expression(body), vec![memory])
            }
        };
        self.path.pop();
        self.named.insert(&signal.name, k);
        Ok(k)
    }
}

/// Whether a variable occurs in operations.
fn uses(operations: &[Operation], variable: usize) -> bool {
    operations.iter().any(|x| matches!(x, Operation::Variable(k) if *k == variable))
}
