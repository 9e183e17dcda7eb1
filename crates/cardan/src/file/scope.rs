//! Reads values of the file as numbers, formulas, vectors and names; problems are noted with their place.

use crate::model::Dimension;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeValue;

use super::diagnostic::Diagnostic;
use super::memory::MemoryLimit;
use super::source_files::{SourceFile, SourceFiles};
use crate::expression::{Channels, Expression, ExpressionError, FUNCTIONS, FormulaNames, NameSet};
use crate::model::{Function, Law, SignalFormula};
use crate::solid::SurfaceMesh;
use crate::table::Table;
use cardan_core::math::Vector3;

/// A value with its place.
pub(super) type TomlNode<'a> = Spanned<DeValue<'a>>;

/// Further problems are not collected.
const MAX_PROBLEMS: usize = 100;
/// Further hints are not collected.
const MAX_HINTS: usize = 8;

/// The data that reading any value needs.
pub(super) struct ValueReader<'a> {
    pub text: &'a str,
    pub dimension: Dimension,
    /// The folder in which relative paths of the model begin.
    pub folder: std::path::PathBuf,
    /// The files that the model reads.
    pub files: SourceFiles,
    /// The time at which functions must have a value.
    pub start: f64,
    /// The memory that the parts may take.
    pub memory: MemoryLimit,
    /// The names of signals, states and inputs.
    pub signals: NameSet,
    /// Parameters that events set: inputs of the model.
    pub variable: Vec<String>,
    /// The tables that formulas may use, and those of files that formulas name.
    pub tables: RefCell<Vec<Arc<Table>>>,
    /// The surfaces that were read, by file and scale: repeated bodies share them.
    pub surfaces: RefCell<HashMap<(PathBuf, u64), Arc<SurfaceMesh>>>,
    problems: RefCell<Vec<Diagnostic>>,
    hints: RefCell<Vec<Diagnostic>>,
}

impl<'a> ValueReader<'a> {
    pub fn new(text: &'a str, files: SourceFiles, memory: MemoryLimit) -> Self {
        let (folder, tables, surfaces, problems, hints) = Default::default();
        let (dimension, start) = (Dimension::Space, 0.0);
        let (signals, variable) = (NameSet::new(), Vec::new());
        Self {
            variable,
            text,
            dimension,
            folder,
            files,
            start,
            memory,
            signals,
            tables,
            surfaces,
            problems,
            hints,
        }
    }

    /// A reader whose problems are not reported.
    pub fn quiet(text: &'a str) -> Self {
        Self::new(text, SourceFiles::default(), MemoryLimit::Unlimited)
    }

    /// Why a word cannot name a signal, state or input.
    pub fn unusable_name(&self, name: &str, parameters: &[(&str, f64)]) -> Option<&'static str> {
        let is_parameter = parameters.iter().any(|(known, _)| *known == name && *known != "i");
        match name {
            _ if is_parameter => Some("it is a parameter"),
            _ => unusable(name),
        }
    }

    /// Notes a value that is allowed and may be a mistake.
    pub fn hint(&self, hint: Diagnostic) {
        let mut hints = self.hints.borrow_mut();
        if !hints.contains(&hint) && hints.len() < MAX_HINTS {
            hints.push(hint);
        }
    }

    /// Notes a problem, once; returns `None` for the value.
    pub fn note<T>(&self, problem: Diagnostic) -> Option<T> {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MAX_PROBLEMS && !problems.contains(&problem) {
            problems.push(problem);
        }
        None
    }

    /// Whether no further problems are collected.
    pub fn is_full(&self) -> bool {
        self.count() >= MAX_PROBLEMS
    }

    /// How many problems there are.
    pub fn count(&self) -> usize {
        self.problems.borrow().len()
    }

    /// Sets the help of the last problem.
    pub fn set_help_of_last(&self, help: String) {
        if let Some(problem) = self.problems.borrow_mut().last_mut() {
            problem.help = Some(help);
        }
    }

    /// How many hints there are.
    pub fn hint_count(&self) -> usize {
        self.hints.borrow().len()
    }

    /// The problems, the hints, and the files that were read; none of them stays in the reader.
    pub fn take_diagnostics(&mut self) -> (Vec<Diagnostic>, Vec<Diagnostic>, Vec<SourceFile>) {
        (self.problems.take(), self.hints.take(), self.files.take_read())
    }
}

/// The names that formulas may use at some place of the file.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    pub reader: &'a ValueReader<'a>,
    pub names: Vec<(&'a str, f64)>,
}

/// The values that a function of time must have at the start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Smooth {
    Value,
    /// A derivative too.
    Rate,
    /// Two derivatives too.
    Derivatives,
}

/// The type of a value, for messages.
pub(super) fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Whether a word occurs in a formula.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|found| found == word)
}

/// A number as it is written.
pub(super) fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(x) if x.radix() == 10 => x.as_str().parse().ok(),
        DeValue::Integer(x) => i64::from_str_radix(x.as_str(), x.radix()).ok().map(|x| x as f64),
        DeValue::Float(x) => x.as_str().parse().ok(),
        _ => None,
    }
}

impl<'a> Scope<'a> {
    fn note<T>(&self, problem: Diagnostic) -> Option<T> {
        self.reader.note(problem)
    }

    pub fn unexpected<T>(&self, node: &TomlNode<'_>, expected: &str) -> Option<T> {
        let found = type_name(node.get_ref());
        self.note(Diagnostic::at(node.span(), format!("this must be {expected}, not {found}")))
    }

    /// The place of a part of a text: exact if the text has no escapes, else the whole text.
    fn within(&self, node: &TomlNode<'_>, text: &str, part: Range<usize>) -> Range<usize> {
        let whole = node.span();
        let inner = whole.start + 1..whole.end.saturating_sub(1);
        match self.reader.text.get(inner.clone()) == Some(text) {
            true => inner.start + part.start..inner.start + part.end,
            false => whole,
        }
    }

    fn faulty<T>(&self, node: &TomlNode<'_>, text: &str, error: ExpressionError) -> Option<T> {
        let mut span = self.within(node, text, error.span);
        if span.is_empty() {
            // the end of the formula: show its last character, or the closing quote
            span = span.start..(span.start + 1).min(self.reader.text.len());
        }
        self.note(Diagnostic { message: error.message, span: Some(span), help: error.help })
    }

    /// Parses a formula of given variables, parameters and tables.
    fn parse(&self, text: &str, variables: &[&str]) -> Result<Expression, ExpressionError> {
        let names = FormulaNames::new(&self.names, variables);
        Expression::parse_in(text, FormulaNames { tables: self.reader, ..names })
    }

    /// A formula of given variables, parameters, tables, channels, signals, states and inputs.
    pub fn open_expression(
        &self,
        node: &TomlNode<'_>,
        text: &str,
        variables: &[&str],
    ) -> Option<Expression> {
        // names of repeated signals and states have their index in braces
        let expanded = match text.contains('{') {
            true => Some(self.expanded(node, text)?),
            false => None,
        };
        let text = expanded.as_deref().unwrap_or(text);
        let names = FormulaNames::new(&self.names, variables);
        let names = FormulaNames {
            tables: self.reader,
            channels: Channels::Named(&self.reader.signals),
            ..names
        };
        Expression::parse_in(text, names).map_or_else(|e| self.faulty(node, text, e), Some)
    }

    /// A number, or a formula of parameters.
    pub fn number(&self, node: &TomlNode<'_>) -> Option<f64> {
        let value = match (node.get_ref(), number(node.get_ref())) {
            (_, Some(value)) => value,
            (DeValue::String(text), _) => match self.parse(text, &[]) {
                Ok(expression) => match expression.refusal(&[]) {
                    Some(reason) => {
                        return self.note(Diagnostic::at(node.span(), reason.to_string()));
                    }
                    None => expression.value(0.0),
                },
                Err(_) if self.parse(text, &["t"]).is_ok() => {
                    let message = "`t` is not allowed here: a constant is required";
                    let help = "write a number, or a formula of parameters";
                    return self.note(Diagnostic::at(node.span(), message).help(help));
                }
                Err(error) => {
                    let used = self.reader.variable.iter().find(|name| has_word(text, name));
                    let Some(name) = used else { return self.faulty(node, text, error) };
                    let message = format!("an event sets `{name}`, and this value is constant");
                    let help = "only formulas of forces, laws, signals and states may use a parameter that an event sets";
                    return self.note(Diagnostic::at(node.span(), message).help(help));
                }
            },
            (DeValue::Integer(_), _) => {
                return self.note(Diagnostic::at(node.span(), "this number is too large"));
            }
            _ => return self.unexpected(node, "a number or a formula"),
        };
        match value.is_finite() {
            true => Some(value),
            false => {
                let problem = Diagnostic::at(node.span(), format!("this is {value}, not a number"));
                self.note(problem.help(match value.is_nan() {
                    true => {
                        "there is a root or logarithm of a negative number, 0/0, a clamp with bounds in \
                         the wrong order, or the like"
                    }
                    false => "a number is at most 1.8e308; is there a division by zero?",
                }))
            }
        }
    }

    /// A whole number that is not negative.
    pub fn count(&self, node: &TomlNode<'_>) -> Option<u64> {
        let value = self.number(node)?;
        match value >= 0.0 && value == value.trunc() && value <= 9e15 {
            true => Some(value as u64),
            false => {
                let message =
                    format!("this is {value}; a whole number that is not negative is expected");
                self.note(Diagnostic::at(node.span(), message))
            }
        }
    }

    /// A number, or a formula of time.
    pub fn function(&self, node: &TomlNode<'_>, smooth: Smooth) -> Option<Function> {
        let DeValue::String(text) = node.get_ref() else {
            return self.number(node).map(Function::Constant);
        };
        let expression = self.open_expression(node, text, &["t"])?;
        if !expression.found().is_empty() {
            return Some(Function::Formula(Arc::new(SignalFormula::parsed(expression))));
        }
        let start = self.reader.start;
        let jet = expression.jet(start);
        let names = ["", "the first derivative of ", "the second derivative of "];
        let needed = match smooth {
            Smooth::Value => 1,
            Smooth::Rate => 2,
            Smooth::Derivatives => 3,
        };
        if let Some(k) = jet.iter().take(needed).position(|x| !x.is_finite()) {
            let value = match jet[k] {
                x if x.is_infinite() => "infinite",
                _ => "not a number",
            };
            let message =
                format!("{}`{}` is {value} at the start, t = {start} s", names[k], shortened(text));
            if let Some(reason) = expression.refusal(&[start]) {
                return self.note(Diagnostic::at(node.span(), message).help(reason.to_string()));
            }
            let help = match (k, smooth) {
                (0, _) => "a function of time must have a value from the start on",
                (_, Smooth::Derivatives) => {
                    "what is prescribed here is a position: its velocity and acceleration are the \
                     derivatives, which must be finite"
                }
                _ => {
                    "what is prescribed here is a velocity: its derivative, the acceleration, must be \
                     finite"
                }
            };
            return self.note(Diagnostic::at(node.span(), message).help(help));
        }
        Some(expression.into())
    }

    /// Three formulas of `s`, as functions of it.
    pub fn curve(&self, node: &TomlNode<'a>) -> Option<[Function; 3]> {
        let (lengths, expected) = self.vector_shape();
        let list = self.list(node, lengths, expected)?;
        let mut functions = [0.0; 3].map(Function::Constant);
        for (function, entry) in functions.iter_mut().zip(list) {
            let DeValue::String(text) = entry.get_ref() else {
                *function = Function::Constant(self.number(entry)?);
                continue;
            };
            if self.names.iter().any(|(name, _)| *name == "s") {
                let message =
                    "in a curve `s` runs from 0 to 1; the parameter `s` needs another name";
                return self.note(Diagnostic::at(entry.span(), message));
            }
            let parsed = self.parse(text, &["s"]);
            *function = parsed.map_or_else(|e| self.faulty(entry, text, e), Some)?.into();
        }
        Some(functions)
    }

    /// A force law.
    pub fn law(&self, node: &TomlNode<'_>) -> Option<Law> {
        let DeValue::String(text) = node.get_ref() else {
            return self.unexpected(node, "a formula of `x` and `v`");
        };
        let words = || text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let is_taken = |name: &str| ["x", "v"].contains(&name) && words().any(|word| word == name);
        let parameters = self.names.iter().map(|(name, _)| *name);
        let mut others = parameters.chain(self.reader.signals.iter().map(String::as_str));
        if let Some(name) = others.find(|name| is_taken(name)) {
            let message =
                format!("in a law `{name}` is the length or its rate, not the parameter or signal");
            let help = format!("give the parameter or signal `{name}` another name");
            return self.note(Diagnostic::at(node.span(), message).help(help));
        }
        let formula = self.open_expression(node, text, &["x", "v", "t"])?;
        if formula.found().is_empty() && !formula.uses_variable(2) {
            return Some(Law::of_expression(formula));
        }
        Some(Law::Formula(Arc::new(SignalFormula::parsed(formula))))
    }

    /// An angle; one of many turns was probably meant in degrees.
    pub fn angle(&self, node: &TomlNode<'_>) -> Option<f64> {
        let angle = self.number(node)?;
        if angle.abs() > std::f64::consts::TAU && number(node.get_ref()).is_some() {
            let message = format!("an angle of {angle} rad is more than a turn");
            let help = format!("degrees are written \"{angle}*deg\"");
            self.reader.hint(Diagnostic::at(node.span(), message).help(help));
        }
        Some(angle)
    }

    /// The index of a repeated entry, for messages.
    pub fn index(&self) -> String {
        let index = self.names.last().filter(|(name, _)| *name == "i");
        index.map_or(String::new(), |(_, i)| format!(" (for i = {i})"))
    }

    pub fn flag(&self, node: &TomlNode<'_>) -> Option<bool> {
        match node.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => self.unexpected(node, "true or false"),
        }
    }

    /// Text, with formulas in braces evaluated: `rod{i+1}`.
    pub fn text(&self, node: &TomlNode<'_>) -> Option<String> {
        match node.get_ref() {
            DeValue::String(text) => self.expanded(node, text),
            _ => self.unexpected(node, "text in quotes"),
        }
    }

    fn expanded(&self, node: &TomlNode<'_>, text: &str) -> Option<String> {
        self.evaluated(text, |part| self.within(node, text, part))
    }

    /// A name that is a key.
    pub fn name(&self, key: &str, span: Range<usize>) -> Option<String> {
        self.evaluated(key, |_| span.clone())
    }

    /// A text with the formulas in its braces evaluated; `place` returns the place of a part of it.
    fn evaluated(
        &self,
        text: &str,
        place: impl Fn(Range<usize>) -> Range<usize>,
    ) -> Option<String> {
        let fault = |error: ExpressionError, at: usize| {
            let span = place(at + error.span.start..at + error.span.end);
            self.note(Diagnostic { message: error.message, span: Some(span), help: error.help })
        };
        expand(text, |formula, at| {
            let Some(formula) = formula else {
                let message = "`{` is not closed: write formulas in names in braces";
                return self.note(Diagnostic::at(place(at..at + 1), message));
            };
            let whole = |message: String| ExpressionError::new(message, 0..formula.len());
            let expression = match self.parse(formula, &["t"]) {
                Ok(expression) if !expression.needs_time() => expression,
                Ok(_) => return fault(whole("`t` is not allowed in a name".into()), at),
                Err(error) => return fault(error, at),
            };
            match expression.value(0.0) {
                value if value == value.trunc() && value.abs() < 1e15 => {
                    Some(format!("{}", value as i64))
                }
                value => fault(whole(format!("this is {value}, not a whole number")), at),
            }
        })
    }

    /// The entries of a list of some length.
    pub fn list<'n>(
        &self,
        node: &'n TomlNode<'a>,
        lengths: &[usize],
        expected: &str,
    ) -> Option<&'n [TomlNode<'a>]> {
        let DeValue::Array(list) = node.get_ref() else { return self.unexpected(node, expected) };
        if !lengths.is_empty() && !lengths.contains(&list.len()) {
            let (n, entries) = (list.len(), if list.len() == 1 { "entry" } else { "entries" });
            let message = format!("this must be {expected}; it has {n} {entries}");
            let problem = Diagnostic::at(node.span(), message);
            let is_flat = n == 2 && expected == IN_SPACE;
            return self.note(match is_flat {
                true => problem.help(
                    "a third number is missing; or `planar = true`, before all tables, for a planar model",
                ),
                false => problem,
            });
        }
        Some(list)
    }

    /// The lengths that a vector may have, and its description.
    fn vector_shape(&self) -> (&'static [usize], &'static str) {
        match self.reader.dimension {
            Dimension::Plane => (&[2, 3], "a vector of two numbers, as the model is planar"),
            Dimension::Space => (&[3], IN_SPACE),
        }
    }

    /// A point or direction.
    pub fn vector(&self, node: &TomlNode<'a>) -> Option<Vector3> {
        let (lengths, expected) = self.vector_shape();
        let list = self.list(node, lengths, expected)?;
        let mut vector = Vector3::zeros();
        for (k, entry) in list.iter().enumerate() {
            vector[k] = self.number(entry)?;
        }
        if self.reader.dimension == Dimension::Plane && vector.z != 0.0 && vector.xy().amax() > 0.0
        {
            let message = "the model is planar: this has an entry along z";
            return self.note(Diagnostic::at(node.span(), message));
        }
        Some(vector)
    }

    /// A direction, which has a length.
    pub fn direction(&self, node: &TomlNode<'a>) -> Option<Vector3> {
        let vector = self.vector(node)?;
        match vector.norm() > 1e-100 && vector.norm() < 1e100 {
            true => Some(vector),
            false => self.note(Diagnostic::at(node.span(), "the direction vector is zero")),
        }
    }

    /// Two directions.
    pub fn directions(&self, node: &TomlNode<'a>) -> Option<[Vector3; 2]> {
        let list = self.list(node, &[2], "a list of two directions")?;
        Some([self.direction(&list[0])?, self.direction(&list[1])?])
    }

    /// N numbers.
    pub fn numbers<const N: usize>(&self, node: &TomlNode<'a>, expected: &str) -> Option<[f64; N]> {
        let list = self.list(node, &[N], expected)?;
        let mut numbers = [0.0; N];
        for (number, entry) in numbers.iter_mut().zip(list) {
            *number = self.number(entry)?;
        }
        Some(numbers)
    }

    /// A vector of functions of time.
    pub fn functions(&self, node: &TomlNode<'a>) -> Option<[Function; 3]> {
        let (lengths, expected) = self.vector_shape();
        let list = self.list(node, lengths, expected)?;
        let mut functions = [0.0; 3].map(Function::Constant);
        for (function, entry) in functions.iter_mut().zip(list) {
            *function = self.function(entry, Smooth::Value)?;
        }
        Some(functions)
    }
}

/// The description of a vector in space.
const IN_SPACE: &str = "a vector of three numbers";

/// A text with the contents of braces replaced; `None` means a brace that is not closed.
fn expand(
    text: &str,
    mut index: impl FnMut(Option<&str>, usize) -> Option<String>,
) -> Option<String> {
    let mut result = String::new();
    let mut rest = 0;
    while let Some(open) = text[rest..].find('{').map(|at| rest + at) {
        result += &text[rest..open];
        let Some(close) = text[open..].find('}').map(|at| open + at) else {
            return index(None, open);
        };
        result += &index(Some(&text[open + 1..close]), open + 1)?;
        rest = close + 1;
    }
    Some(result + &text[rest..])
}

/// A formula for a message: its beginning, if it is long.
fn shortened(text: &str) -> String {
    const MAX_LENGTH: usize = 60;
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// Why a word cannot name a parameter.
pub(super) fn unusable(name: &str) -> Option<&'static str> {
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    match name {
        _ if !is_word => Some("use letters, digits and `_`, a letter first"),
        "t" => Some("it is time"),
        "i" => Some("it is the index of repeated entries"),
        "pi" | "e" | "deg" => Some("it is a constant"),
        "and" | "or" | "not" => Some("it is an operator"),
        _ if FUNCTIONS.iter().any(|function| function.name == name) => Some("it is a function"),
        _ => None,
    }
}
