//! The sections `[simulation]` and `[output]`.

use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items};
use super::saved_start;
use super::scope::{Scope, TomlNode};
use cardan_core::methods::{self, ParameterDomain, ParameterValue};
use cardan_core::simulation::State;
use cardan_core::stage::{Formulation, NewtonOptions};
use toml::de::DeValue;

/// A value, with its place if it comes from the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its place; `None` if it was not in the file.
    pub span: Option<Range<usize>>,
}

impl<T> Located<T> {
    /// A value that does not come from the file.
    pub fn outside(value: T) -> Self {
        Self { value, span: None }
    }
}

/// The values of `[simulation]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationPlan {
    /// The method.
    pub method: Located<String>,
    /// The method's parameters.
    pub parameters: Vec<(String, Located<ParameterValue>)>,
    /// The step.
    pub step: Option<Located<f64>>,
    /// The step over the method's stages.
    pub substep: Option<Located<f64>>,
    /// The time at which the description holds; the motion starts there unless it starts from a saved state.
    pub start: f64,
    /// The saved state from which the motion starts.
    pub from: Option<Located<Box<State>>>,
    /// The time at which it ends.
    pub end: Option<Located<f64>>,
    /// Which constraints a step enforces; the method's default if it is not given.
    pub constraints: Option<Located<Formulation>>,
    /// Newton's tolerance and limit.
    pub newton: Located<NewtonOptions>,
}

impl Default for SimulationPlan {
    fn default() -> Self {
        Self {
            method: Located::outside("generalized-alpha".into()),
            parameters: Vec::new(),
            step: None,
            substep: None,
            start: 0.0,
            from: None,
            end: None,
            constraints: None,
            newton: Located::outside(NewtonOptions::default()),
        }
    }
}

/// The values of `[output]`.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSettings {
    /// Names of channels, possibly with `*`; with their places.
    pub channels: Option<Vec<Located<String>>>,
    /// The number of steps between two rows.
    pub stride: u64,
    /// The times between which rows are written.
    pub window: Option<[f64; 2]>,
    /// Times at which the nodes of structures are written.
    pub snapshots: Vec<f64>,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self { channels: None, stride: 1, window: None, snapshots: Vec::new() }
    }
}

impl SimulationPlan {
    /// The time at which the motion starts.
    pub fn motion_start(&self) -> f64 {
        self.from.as_ref().map_or(self.start, |from| from.value.now.t)
    }
}

fn given<T>(node: &TomlNode<'_>, value: T) -> Located<T> {
    Located { value, span: Some(node.span()) }
}

/// `[simulation]`.
pub(super) fn plan(entry: &Entry<'_>) -> SimulationPlan {
    let number = |key| Some(given(entry.get(key)?, entry.number(key)?));
    let positive = |key| Some(given(entry.get(key)?, entry.positive(key)?));
    entry.exclude("step", "substep");
    let mut plan = SimulationPlan {
        step: positive("step"),
        substep: positive("substep"),
        start: entry.number("start").unwrap_or(0.0),
        from: entry.get("from").and_then(|node| Some(given(node, saved_start::from(entry)?))),
        end: number("end"),
        ..SimulationPlan::default()
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
            ParameterDomain::Word(_) => {
                entry.text(key).map(|word| ParameterValue::from(word.as_str()))
            }
            ParameterDomain::Number { .. } | ParameterDomain::Count { .. } => {
                entry.scope.number(node).map(ParameterValue::Number)
            }
        });
        if let Some(value) = value {
            plan.parameters.push((key.into(), given(node, value)));
        }
    }
    plan
}

fn newton<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<NewtonOptions> {
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
                return scope.reader.note(Diagnostic::at(span, message).help(help));
            }
        }
    }
    Some(options)
}

/// `[output]`.
pub(super) fn output(entry: &Entry<'_>) -> OutputSettings {
    let mut output = OutputSettings::default();
    if let Some(node) = find(entry.table, "channels") {
        let list = entry.scope.list(node, &[], "a list of channels").unwrap_or_default();
        let channel = |node| Some(given(node, entry.scope.text(node)?));
        output.channels = Some(list.iter().filter_map(channel).collect());
    }
    if let Some(node) = entry.get("stride") {
        match entry.scope.count(node) {
            Some(0) => {
                let problem = Diagnostic::at(node.span(), "a stride is at least 1");
                entry.scope.reader.note::<()>(problem);
            }
            Some(stride) => output.stride = stride,
            None => {}
        }
    }
    if let Some(node) = entry.get("window") {
        output.window = entry.scope.numbers::<2>(node, "two times, from and to");
        if output.window.is_some_and(|[from, to]| from > to) {
            let message = "the window ends before it begins";
            entry.scope.reader.note::<()>(Diagnostic::at(node.span(), message));
        }
    }
    output.snapshots = entry.list("snapshots").unwrap_or_default();
    output
}
