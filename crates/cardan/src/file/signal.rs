//! Signals, states and inputs as the file describes them.

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items};
use super::linear_system;
use super::scope::{Scope, TomlNode};
use crate::model::{
    Block, InputVariable, Mechanism, MechanismItem, Pid, Signal, SignalFormula, StateVariable,
};

/// Adds the signals of the table `[signal]`.
pub(super) fn signals<'a>(scope: &Scope<'a>, table: &'a DeTable<'a>, mechanism: &mut Mechanism) {
    let Some(DeValue::Table(entries)) = find(table, "signal").map(|node| node.get_ref()) else {
        return;
    };
    for (name, span, node) in items(entries) {
        if let Some(reason) = scope.reader.unusable_name(name, &scope.names) {
            let message = format!("`{name}` cannot be a signal: {reason}");
            scope.reader.note::<()>(Diagnostic::at(span, message));
            continue;
        }
        if let Some(formula) = scope.signal(node) {
            mechanism.add(Signal::new(name, formula));
        }
    }
}

/// An input.
pub(super) fn input(entry: &Entry<'_>) -> Option<MechanismItem> {
    check_name(entry)?;
    let value = if entry.has("value") { entry.number("value")? } else { 0.0 };
    Some(InputVariable::new(&entry.name, value).into())
}

/// A state, or a block.
pub(super) fn state(entry: &Entry<'_>) -> Option<MechanismItem> {
    check_name(entry)?;
    let name = &entry.name;
    let number = |key, default| if entry.has(key) { entry.number(key) } else { Some(default) };
    let formula = |key| entry.scope.signal(entry.get(key)?);
    let block = match entry.variant?.name {
        "equation" => {
            entry.exclude("rate", "residual");
            let start = number("start", 0.0)?;
            if entry.has("residual") {
                return Some(StateVariable::implicit(name, start, formula("residual")?).into());
            }
            if !entry.has("rate") {
                let message = format!("state `{name}` has no `rate`");
                let problem = Diagnostic::at(entry.span.clone(), message);
                return entry
                    .scope
                    .reader
                    .note(problem.help("its rate as a formula, or `residual`"));
            }
            return Some(StateVariable::new(name, start, formula("rate")?).into());
        }
        "low-pass" => Block::low_pass(
            name,
            formula("input")?,
            entry.number("time_constant")?,
            number("start", 0.0)?,
        ),
        "pid" => return pid(entry),
        "transfer-function" => {
            // problems of all keys are noted
            let (input, numerator) = (formula("input"), entry.list("numerator"));
            let denominator = entry.list("denominator");
            Block::transfer_function(name, input?, &numerator?, &denominator?)
        }
        "state-space" => state_space(entry)?,
        "delay" => {
            let order = match entry.has("order") {
                true => entry.scope.count(entry.get("order")?)? as usize,
                false => 3,
            };
            Block::delay(name, formula("input")?, entry.number("delay")?, order)
        }
        "saturation" => Block::saturation(
            name,
            formula("input")?,
            entry.number("lower")?,
            entry.number("upper")?,
        ),
        "dead-band" => Block::dead_band(name, formula("input")?, entry.number("width")?),
        "rate-limit" => {
            let rising = entry.number("rising")?;
            let limits = [number("falling", rising)?, rising];
            let time = entry.number("time_constant")?;
            Block::rate_limit(name, formula("input")?, limits, time, number("start", 0.0)?)
        }
        "hysteresis" => {
            let limits = [entry.number("lower")?, entry.number("upper")?];
            let values = [number("off", 0.0)?, number("on", 1.0)?];
            let starts_on = entry.flag("starts_on") == Some(true);
            Block::hysteresis(name, formula("input")?, limits, values, starts_on)
        }
        _ => return None,
    };
    Some(block.into())
}

fn pid(entry: &Entry<'_>) -> Option<MechanismItem> {
    let number = |key| if entry.has(key) { entry.number(key) } else { Some(0.0) };
    let gains = [number("kp")?, number("ki")?, number("kd")?];
    let mut pid = Pid::new(&entry.name, entry.scope.signal(entry.get("error")?)?, gains);
    pid = pid.start(number("start")?);
    if let Some(node) = entry.get("error_rate") {
        pid = pid.rate(entry.scope.signal(node)?);
    }
    if entry.has("filter") {
        pid = pid.filter(entry.number("filter")?);
    }
    if entry.has("tracking") {
        pid = pid.tracking(entry.number("tracking")?);
    }
    if entry.has("lower") || entry.has("upper") {
        let limit = |key, default| if entry.has(key) { entry.number(key) } else { Some(default) };
        pid = pid.limits(limit("lower", -MAX_LIMIT)?, limit("upper", MAX_LIMIT)?);
    }
    Some(pid.into())
}

/// The limit of an output with one limit only.
const MAX_LIMIT: f64 = 1e100;

fn state_space(entry: &Entry<'_>) -> Option<Block> {
    let scope = &entry.scope;
    let list = scope.list(entry.get("inputs")?, &[], "a list of formulas");
    let inputs = list
        .and_then(|list| list.iter().map(|node| scope.signal(node)).collect::<Option<Vec<_>>>());
    let node = entry.get("file")?;
    let path = entry.file("file")?;
    let inputs = inputs?;
    let read = scope.reader.files.contents(&path);
    match read.and_then(|bytes| linear_system::read(&bytes)) {
        Ok([a, b, c, d]) => Some(Block::state_space(&entry.name, inputs, [&a, &b, &c, &d])),
        Err(reason) => {
            let message = format!("cannot read {}: {reason}", path.display());
            scope.reader.note(Diagnostic::at(node.span(), message))
        }
    }
}

/// Notes a name that formulas cannot use.
fn check_name(entry: &Entry<'_>) -> Option<()> {
    let scope = &entry.scope;
    match scope.reader.unusable_name(&entry.name, &scope.names) {
        None => Some(()),
        Some(reason) => {
            let message = format!("`{}` cannot be a name here: {reason}", entry.name);
            scope.reader.note(Diagnostic::at(entry.span.clone(), message))
        }
    }
}

impl<'a> Scope<'a> {
    /// A formula of time, channels, signals, states and inputs.
    pub fn signal(&self, node: &TomlNode<'a>) -> Option<SignalFormula> {
        let expression = match node.get_ref() {
            DeValue::String(text) => self.open_expression(node, text, &["t"])?,
            _ => crate::expression::Expression::constant(self.number(node)?),
        };
        Some(SignalFormula::parsed(expression))
    }
}
