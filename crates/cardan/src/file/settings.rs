//! How the motion is computed and what is written, as the file says.

use std::ops::Range;

use super::entry::{Entry, find, items};
use super::mistake::Mistake;
use super::scope::{Node, Scope};
use crate::methods::{self, Domain, Value};
use crate::stage::{Formulation, NewtonOptions};
use toml::de::DeValue;

/// A value, with its place if it stands in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// Its place; `None` if it was not in the file.
    pub span: Option<Range<usize>>,
}

impl<T> Given<T> {
    /// A value from elsewhere than the file.
    pub fn outside(value: T) -> Self {
        Self { value, span: None }
    }
}

/// What `[simulation]` says.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The method.
    pub method: Given<String>,
    /// The method's parameters.
    pub parameters: Vec<(String, Given<Value>)>,
    /// The step.
    pub step: Option<Given<f64>>,
    /// The step over the method's stages.
    pub substep: Option<Given<f64>>,
    /// The time at which the motion starts.
    pub start: f64,
    /// The time at which it ends.
    pub end: Option<Given<f64>>,
    /// Which constraints a step enforces; the method's own choice if it is not said.
    pub constraints: Option<Given<Formulation>>,
    /// Newton's tolerance and limit.
    pub newton: Given<NewtonOptions>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            method: Given::outside("generalized-alpha".into()),
            parameters: Vec::new(),
            step: None,
            substep: None,
            start: 0.0,
            end: None,
            constraints: None,
            newton: Given::outside(NewtonOptions::default()),
        }
    }
}

/// What `[output]` says.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Names of channels, possibly with `*`; with their places.
    pub channels: Option<Vec<Given<String>>>,
    /// Every how many steps a row is written.
    pub stride: u64,
    /// The times between which rows are written.
    pub window: Option<[f64; 2]>,
    /// Times at which the nodes of structures are written.
    pub snapshots: Vec<f64>,
}

impl Default for Output {
    fn default() -> Self {
        Self { channels: None, stride: 1, window: None, snapshots: Vec::new() }
    }
}

fn given<T>(node: &Node<'_>, value: T) -> Given<T> {
    Given { value, span: Some(node.span()) }
}

/// `[simulation]`.
pub(super) fn plan(entry: &Entry<'_>) -> Plan {
    let number = |key| Some(given(entry.get(key)?, entry.number(key)?));
    let positive = |key| Some(given(entry.get(key)?, entry.positive(key)?));
    entry.exclude("step", "substep");
    let mut plan = Plan {
        step: positive("step"),
        substep: positive("substep"),
        start: entry.number("start").unwrap_or(0.0),
        end: number("end"),
        ..Plan::default()
    };
    if let (Some(node), Some(method)) = (entry.get("method"), entry.text("method")) {
        plan.method = given(node, method);
    }
    if let (Some(node), Some(word)) = (entry.get("constraints"), entry.word("constraints"))
        && let Ok(formulation) = word.parse()
    {
        plan.constraints = Some(given(node, formulation));
    }
    if let Some(node) = entry.get("newton") {
        plan.newton = given(node, newton(&entry.scope, node).unwrap_or_default());
    }
    for (key, _, node) in items(entry.table) {
        let mut known = methods::all().flat_map(|method| method.parameters);
        let value = known.find(|parameter| parameter.name == key).and_then(|p| match p.domain {
            // which words there are depends on the method
            Domain::Word(_) => entry.text(key).map(|word| Value::from(word.as_str())),
            Domain::Number { .. } | Domain::Count { .. } => {
                entry.scope.number(node).map(Value::Number)
            }
        });
        if let Some(value) = value {
            plan.parameters.push((key.into(), given(node, value)));
        }
    }
    plan
}

fn newton<'a>(scope: &Scope<'a>, node: &'a Node<'a>) -> Option<NewtonOptions> {
    let DeValue::Table(table) = node.get_ref() else {
        return scope.unexpected(node, "a table such as { tolerance = 1e-10, iterations = 20 }");
    };
    let mut options = NewtonOptions::default();
    for (key, span, node) in items(table) {
        match key {
            "tolerance" => options.tolerance = scope.number(node)?,
            "iterations" => {
                options.iterations = usize::try_from(scope.count(node)?).unwrap_or(usize::MAX);
            }
            _ => {
                let message = format!("Newton does not take `{key}`");
                let help = "it takes `tolerance` and `iterations`";
                return scope.reader.note(Mistake::at(span, message).help(help));
            }
        }
    }
    Some(options)
}

/// `[output]`.
pub(super) fn output(entry: &Entry<'_>) -> Output {
    let mut output = Output::default();
    if let Some(node) = find(entry.table, "channels") {
        let list = entry.scope.list(node, &[], "a list of channels").unwrap_or_default();
        let channel = |node| Some(given(node, entry.scope.text(node)?));
        output.channels = Some(list.iter().filter_map(channel).collect());
    }
    if let Some(node) = entry.get("stride") {
        match entry.scope.count(node) {
            Some(0) => {
                let mistake = Mistake::at(node.span(), "a stride is at least 1");
                entry.scope.reader.note::<()>(mistake);
            }
            Some(stride) => output.stride = stride,
            None => {}
        }
    }
    if let Some(node) = entry.get("window") {
        output.window = entry.scope.numbers::<2>(node, "two times, from and to");
        if output.window.is_some_and(|[from, to]| from > to) {
            let message = "the window ends before it begins";
            entry.scope.reader.note::<()>(Mistake::at(node.span(), message));
        }
    }
    output.snapshots = entry.list("snapshots").unwrap_or_default();
    output
}
