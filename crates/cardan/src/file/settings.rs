//! The sections `[simulation]` and `[output]`.

use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items};
use super::row_times::RowTimes;
use super::saved_start::{self, StartSource};
use super::scope::{Scope, TomlNode};
use cardan_core::methods::{self, ParameterDomain, ParameterValue};
use cardan_core::simulation::{AbsoluteTolerances, ErrorControl, State};
use cardan_core::stage::{Formulation, KeepJacobian, NewtonOptions};
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
    /// The method; without one, the default.
    pub method: Option<Located<String>>,
    /// The method's parameters.
    pub parameters: Vec<(String, Located<ParameterValue>)>,
    /// The step.
    pub step: Option<Located<f64>>,
    /// The step over the method's stages.
    pub substep: Option<Located<f64>>,
    /// The accuracy that determines the steps instead.
    pub control: Option<Located<ErrorControl>>,
    /// Whether steps that cannot be computed are replaced by shorter ones.
    pub rescue: bool,
    /// The time at which the description holds; the motion starts there unless it starts from a saved state.
    pub start: f64,
    /// The saved state from which the motion starts.
    pub from: Option<Located<StartSource>>,
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
            method: None,
            parameters: Vec::new(),
            step: None,
            substep: None,
            control: None,
            rescue: false,
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
    /// The times of rows.
    pub every: Located<RowTimes>,
    /// The number of steps between two rows.
    pub stride: u64,
    /// The times between which rows are written.
    pub window: Option<[f64; 2]>,
    /// Times at which the nodes of structures are written.
    pub snapshots: Vec<f64>,
}

impl Default for OutputSettings {
    fn default() -> Self {
        let every = Located::outside(RowTimes::Steps);
        Self { channels: None, every, stride: 1, window: None, snapshots: Vec::new() }
    }
}

impl SimulationPlan {
    /// The time at which the motion starts.
    pub fn motion_start(&self) -> f64 {
        match self.saved_state() {
            Some((_, state)) => state.now.t,
            None => self.start,
        }
    }

    /// The saved state from which the motion starts, and its place in the file.
    pub(crate) fn saved_state(&self) -> Option<(&Located<StartSource>, &State)> {
        let from = self.from.as_ref()?;
        match &from.value {
            StartSource::SavedState(state) => Some((from, state)),
            StartSource::Equilibrium => None,
        }
    }

    /// Whether the motion starts in equilibrium.
    pub fn starts_in_equilibrium(&self) -> bool {
        self.from.as_ref().is_some_and(|from| from.value == StartSource::Equilibrium)
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
    for step in ["step", "substep"] {
        entry.exclude(step, "tolerance");
        entry.exclude(step, "rtol");
    }
    entry.exclude("tolerance", "rtol");
    let mut plan = SimulationPlan {
        step: positive("step"),
        substep: positive("substep"),
        control: control(entry),
        rescue: entry.flag("rescue").unwrap_or(false),
        start: entry.number("start").unwrap_or(0.0),
        from: entry.get("from").and_then(|node| Some(given(node, saved_start::from(entry)?))),
        end: number("end"),
        ..SimulationPlan::default()
    };
    if let (Some(node), Some(method)) = (entry.get("method"), entry.text("method")) {
        plan.method = Some(given(node, method));
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
        let Some(parameter) = known.find(|parameter| parameter.is_called(key)) else { continue };
        let value = match parameter.domain {
            // which words there are depends on the method
            ParameterDomain::Word(_) => {
                entry.text(key).map(|word| ParameterValue::from(word.as_str()))
            }
            ParameterDomain::Number { .. } | ParameterDomain::Count { .. } => {
                entry.scope.number(node).map(ParameterValue::Number)
            }
        };
        if let Some(value) = value {
            plan.parameters.push((parameter.name.into(), given(node, value)));
        }
    }
    plan
}

/// The accuracy that determines the steps: `tolerance` or `rtol`, with `atol` and the limits of the step.
fn control(entry: &Entry<'_>) -> Option<Located<ErrorControl>> {
    const OPTIONS: [&str; 4] = ["atol", "first_step", "min_step", "max_step"];
    let key = if entry.has("rtol") { "rtol" } else { "tolerance" };
    let Some(node) = entry.get(key) else {
        if let Some((option, node)) = OPTIONS.iter().find_map(|x| Some((x, entry.get(x)?))) {
            let message = format!("`{option}` needs a `tolerance`: without one the step is fixed");
            return entry.scope.reader.note(Diagnostic::at(node.span(), message));
        }
        return None;
    };
    let relative = entry.positive(key)?;
    let [first_step, min_step, max_step] = [1, 2, 3].map(|k| entry.positive(OPTIONS[k]));
    let absolute = match entry.get("atol") {
        Some(node) => absolute_tolerances(&entry.scope, node)?,
        None => AbsoluteTolerances::default(),
    };
    let control =
        ErrorControl { absolute, first_step, min_step, max_step, ..ErrorControl::new(relative) };
    Some(given(node, control))
}

/// `atol`: a number, or one for each kind of quantity.
fn absolute_tolerances<'a>(
    scope: &Scope<'a>,
    node: &'a TomlNode<'a>,
) -> Option<AbsoluteTolerances> {
    let positive = |node: &'a TomlNode<'a>| match scope.number(node)? {
        value if value > 0.0 => Some(value),
        value => {
            let message = format!("an absolute tolerance is {value}; it must be positive");
            scope.reader.note(Diagnostic::at(node.span(), message))
        }
    };
    let DeValue::Table(table) = node.get_ref() else {
        return positive(node).map(AbsoluteTolerances::all);
    };
    let mut absolute = AbsoluteTolerances::default();
    for (key, span, node) in items(table) {
        let mut kinds = absolute.by_name();
        match kinds.iter_mut().find(|(name, _)| *name == key) {
            Some((_, value)) => **value = Some(positive(node)?),
            None => {
                let message = format!("there is no absolute tolerance of `{key}`");
                let help = format!("there are {}", kinds.map(|(name, _)| name).join(", "));
                return scope.reader.note(Diagnostic::at(span, message).help(help));
            }
        }
    }
    Some(absolute)
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
            "keep_jacobian" => options.keep_jacobian = keep_jacobian(scope, node)?,
            "early_end" => options.early_end = scope.flag(node)?,
            "retry" => options.retry_from_current_velocity = scope.flag(node)?,
            _ => {
                let message = format!("Newton does not take `{key}`");
                let help =
                    "it takes `tolerance`, `iterations`, `keep_jacobian`, `early_end` and `retry`";
                return scope.reader.note(Diagnostic::at(span, message).help(help));
            }
        }
    }
    Some(options)
}

fn keep_jacobian<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<KeepJacobian> {
    let given = scope.text(node)?;
    let known = KeepJacobian::ALL.into_iter().find(|word| word.name() == given);
    known.or_else(|| {
        let message = format!("`keep_jacobian` is not \"{given}\"");
        let names = KeepJacobian::ALL.map(|word| format!("\"{}\"", word.name())).join(", ");
        scope
            .reader
            .note(Diagnostic::at(node.span(), message).help(format!("it is one of {names}")))
    })
}

/// `every`: an interval, a list of times, or `step`.
fn row_times<'a>(entry: &Entry<'a>, node: &'a TomlNode<'a>) -> Option<RowTimes> {
    let wrong = |message: String| entry.scope.reader.note(Diagnostic::at(node.span(), message));
    match node.get_ref() {
        DeValue::String(word) if word == "step" => Some(RowTimes::Steps),
        DeValue::Array(list) => {
            let times: Vec<f64> =
                list.iter().map(|node| entry.scope.number(node)).collect::<Option<_>>()?;
            match times.windows(2).all(|pair| pair[0] < pair[1]) {
                true => Some(RowTimes::Times(times)),
                false => wrong("the times of rows must increase".into()),
            }
        }
        _ => Some(RowTimes::Interval(entry.positive("every")?)),
    }
}

/// `[output]`.
pub(super) fn output(entry: &Entry<'_>) -> OutputSettings {
    let mut output = OutputSettings::default();
    if let Some(node) = find(entry.table, "channels") {
        let list = entry.scope.list(node, &[], "a list of channels").unwrap_or_default();
        let channel = |node| Some(given(node, entry.scope.text(node)?));
        output.channels = Some(list.iter().filter_map(channel).collect());
    }
    if let Some(node) = entry.get("every") {
        entry.exclude("every", "stride");
        if let Some(times) = row_times(entry, node) {
            output.every = given(node, times);
        }
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
