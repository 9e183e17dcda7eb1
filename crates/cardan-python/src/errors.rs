//! Errors of the library as Python exceptions with attributes.

use cardan::file::{Diagnostic, Diagnostics, SourceText};
use cardan::run::RunError;
use cardan::simulation::SimulationError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList};
use toml::de::{DeTable, DeValue};

use crate::callbacks::take_raised;

/// Whether the text of a model is a file of the user, so that its lines mean something to them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextOrigin {
    /// The user's file.
    File,
    /// Written from a model in Python.
    Generated,
}

/// Options of the program, and what they are in Python.
const OPTIONS: [(&str, &str); 8] = [
    ("`cardan check --channels` lists them", "m.channels() lists them"),
    ("use --force", "use force=True"),
    ("--force to run", "force=True to run"),
    ("or by --step or --tolerance", "or as step= or tolerance="),
    ("or by --end", "or as end="),
    ("another end (--end)", "another end"),
    ("(--max-memory)", "(max_memory=)"),
    ("(--out FOLDER)", "(folder=)"),
];

/// A message with the words of Python instead of those of the program.
fn in_python_words(message: &str) -> String {
    OPTIONS.iter().fold(message.to_string(), |text, (one, two)| text.replace(one, two))
}

/// An exception of the module `cardan._errors`.
fn exception(py: Python<'_>, class: &str, message: &str, attributes: &Bound<'_, PyDict>) -> PyErr {
    let message = in_python_words(message);
    let made = py
        .import("cardan._errors")
        .and_then(|module| module.getattr(class)?.call((message,), Some(attributes)));
    match made {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// The section, name and key of the value at a place of a model's text.
fn address(text: &str, span: &std::ops::Range<usize>) -> [Option<String>; 3] {
    let mut words: Vec<String> = Vec::new();
    let Ok(tree) = DeTable::parse(text) else { return [None, None, None] };
    let mut table = tree.get_ref();
    let is_inside =
        |outer: &std::ops::Range<usize>| outer.start <= span.start && span.end <= outer.end;
    'down: while words.len() < 3 {
        for (key, node) in table {
            if is_inside(&key.span()) || is_inside(&node.span()) {
                words.push(key.get_ref().to_string());
                match node.get_ref() {
                    DeValue::Table(inner) if !is_inside(&key.span()) => {
                        table = inner;
                        continue 'down;
                    }
                    _ => break 'down,
                }
            }
        }
        // the span of a table in several parts is that of its heading
        let below = table.iter().find(|(_, node)| contains(node.get_ref(), span));
        match below {
            Some((key, node)) => {
                words.push(key.get_ref().to_string());
                match node.get_ref() {
                    DeValue::Table(inner) => table = inner,
                    _ => break,
                }
            }
            None => break,
        }
    }
    let mut words = words.into_iter();
    let section = words.next();
    let named = section.as_deref().is_some_and(|section| {
        cardan::file::SECTIONS.iter().any(|x| x.key == section && x.is_named())
    });
    match named {
        true => [section, words.next(), words.next()],
        // `[signal]` and `[simulation]` have keys only
        false => [section, None, words.next()],
    }
}

/// Whether a value contains a place.
fn contains(value: &DeValue<'_>, span: &std::ops::Range<usize>) -> bool {
    let DeValue::Table(table) = value else { return false };
    table.iter().any(|(key, node)| {
        let is_inside =
            |outer: std::ops::Range<usize>| outer.start <= span.start && span.end <= outer.end;
        is_inside(key.span()) || is_inside(node.span()) || contains(node.get_ref(), span)
    })
}

/// The line and column of a byte, both from one.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// Problems of a model as a `ModelError`, or as a `SettingsError` if all are in `[simulation]` and `[output]`.
pub fn model_error(py: Python<'_>, problems: &Diagnostics, origin: TextOrigin) -> PyErr {
    // an exception of a callback comes out as itself
    if let Some(raised) = take_raised(py) {
        return raised;
    }
    let build = || -> PyResult<PyErr> {
        let list = PyList::empty(py);
        let mut lines = Vec::new();
        let mut is_about_settings = !problems.list.is_empty();
        for problem in &problems.list {
            let Diagnostic { message, span, help } = problem;
            let SourceText { name, text } = &problems.source;
            let [section, part, key] =
                span.as_ref().map_or([None, None, None], |span| address(text, span));
            is_about_settings &= matches!(section.as_deref(), Some("simulation" | "output"));
            let about = PyDict::new(py);
            about.set_item("message", message)?;
            about.set_item("section", &section)?;
            about.set_item("name", &part)?;
            about.set_item("key", &key)?;
            about.set_item("remedy", help)?;
            if let (TextOrigin::File, Some(span)) = (origin, span) {
                let (line, column) = position(text, span.start);
                about.set_item("file", name)?;
                about.set_item("line", line)?;
                about.set_item("column", column)?;
            }
            list.append(about)?;
            let place: Vec<String> = [section, part, key].into_iter().flatten().collect();
            let help = help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            lines.push(match place.is_empty() {
                true => format!("{message}{help}"),
                false => format!("{}: {message}{help}", place.join(".")),
            });
        }
        let text = match origin {
            TextOrigin::File => problems.render(false).trim_end().to_string(),
            TextOrigin::Generated => lines.join("\n"),
        };
        let class = if is_about_settings { "SettingsError" } else { "ModelError" };
        Ok(exception(py, class, &text, &[("problems", list)].into_py_dict(py)?))
    };
    build().unwrap_or_else(|error| error)
}

/// A `SolveError` with its time and remedy.
pub fn solve_error(
    py: Python<'_>,
    message: &str,
    time: Option<f64>,
    remedy: Option<String>,
) -> PyErr {
    if let Some(raised) = take_raised(py) {
        return raised;
    }
    let attributes = PyDict::new(py);
    let set =
        attributes.set_item("time", time).and_then(|()| attributes.set_item("remedy", remedy));
    match set {
        Ok(()) => exception(py, "SolveError", message, &attributes),
        Err(error) => error,
    }
}

/// An error of a simulation.
pub fn simulation_error(py: Python<'_>, error: &SimulationError) -> PyErr {
    let time = match error {
        SimulationError::Step { time, .. } | SimulationError::Start { time, .. } => Some(*time),
        _ => None,
    };
    if let (SimulationError::Settings(cause), None) = (error, time) {
        return other_error(py, "SettingsError", &cause.fact(), cause.remedy());
    }
    solve_error(py, &error.to_string(), time, error.remedy())
}

/// Any error of the library.
pub fn library_error(py: Python<'_>, error: &cardan::Error) -> PyErr {
    match error {
        cardan::Error::Simulation(error) => simulation_error(py, error),
        cardan::Error::Model(error) => other_error(py, "ModelError", &error.fact(), error.remedy()),
        cardan::Error::Static { time, .. } => {
            solve_error(py, &error.to_string(), Some(*time), error.remedy())
        }
        _ => solve_error(py, &error.to_string(), None, error.remedy()),
    }
}

/// An error of a run that did not begin, or could not write.
pub fn run_error(py: Python<'_>, error: &RunError, origin: TextOrigin) -> PyErr {
    match error {
        RunError::Diagnostics(problems) => model_error(py, problems, origin),
        RunError::Start(error) => library_error(py, error),
        _ => other_error(py, "ResultsError", &error.to_string(), None),
    }
}

/// An exception with a message and a remedy.
pub fn other_error(py: Python<'_>, class: &str, message: &str, remedy: Option<String>) -> PyErr {
    if let Some(raised) = take_raised(py) {
        return raised;
    }
    let attributes = PyDict::new(py);
    if let Err(error) = attributes.set_item("remedy", &remedy) {
        return error;
    }
    let message = match remedy.filter(|remedy| !message.contains(remedy.as_str())) {
        Some(remedy) => format!("{message}\n  try: {remedy}"),
        None => message.to_string(),
    };
    exception(py, class, &message, &attributes)
}

/// A simulation that is computing already.
pub fn busy(py: Python<'_>) -> PyErr {
    let message = "this simulation is computing: a callback cannot use the simulation that calls it, and a simulation is \
                   used by one thread at a time";
    match py.import("cardan._errors").and_then(|module| module.getattr("BusyError")) {
        Ok(class) => class.call1((message,)).map_or_else(|error| error, PyErr::from_value),
        Err(_) => PyRuntimeError::new_err(message),
    }
}
