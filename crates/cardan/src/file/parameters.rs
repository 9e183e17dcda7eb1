//! The parameters of a model file: their values, in the order of the file.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::entry::{find, items, words};
use super::scope::{Scope, TomlNode, ValueReader, unusable};
use crate::expression::Expression;
use cardan_core::suggestion;

/// The largest number of parameters of a model.
const MAX_PARAMETERS: usize = 10_000;

/// How many parameters are searched for a message.
const MAX_SEARCHED: usize = 200;

/// The parameters in their order, with those set from outside instead of the file's.
pub(super) fn parameters<'a>(
    reader: &'a ValueReader<'a>,
    table: &'a DeTable<'a>,
    set: &[(String, String)],
) -> Vec<(String, f64)> {
    let mut known: Vec<(&str, f64)> = Vec::new();
    let all = match find(table, "parameters").map(|node| node.get_ref()) {
        Some(DeValue::Table(table)) => items(table),
        _ => Vec::new(),
    };
    for (name, value) in set {
        if !all.iter().any(|(key, ..)| key == name) {
            let message = format!("the model has no parameter `{name}` (--set {name}={value})");
            let known: Vec<&str> = all.iter().map(|(key, ..)| *key).collect();
            let problem = match known.is_empty() {
                true => Diagnostic::without_location(message).help("it has none"),
                false => Diagnostic::without_location(message)
                    .help(format!("it has {}", words(known.clone()))),
            };
            let nearest = suggestion::nearest(name, known.iter().copied());
            reader.note::<()>(problem.with_suggestion(nearest));
        }
    }
    if let Some((_, span, _)) = all.get(MAX_PARAMETERS) {
        let message = format!("a model has at most {MAX_PARAMETERS} parameters");
        reader.note::<()>(Diagnostic::at(span.clone(), message));
        return Vec::new();
    }
    let mut scope = Scope { reader, names: Vec::new() };
    for (key, span, node) in &all {
        if reader.is_full() {
            break;
        }
        if let Some(reason) = unusable(key) {
            let message = format!("`{key}` cannot be a parameter: {reason}");
            reader.note::<()>(Diagnostic::at(span.clone(), message));
            continue;
        }
        let given = set.iter().rev().find(|(name, _)| name == key);
        let value = match given {
            Some((name, text)) => outside(reader, name, text, &scope.names),
            None => {
                let before = reader.count();
                let value = scope.number(node);
                if value.is_none() && before + 1 == reader.count() {
                    // a formula may need a parameter that comes later
                    later(reader, key, node.get_ref(), &all, &known);
                }
                value
            }
        };
        // consequences of a wrong parameter are not reported
        known.push((key, value.unwrap_or(1.0)));
        scope.names.push((key, value.unwrap_or(1.0)));
    }
    known.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// Notes that a parameter is used before it is defined, or depends on itself.
fn later(
    reader: &ValueReader<'_>,
    key: &str,
    value: &DeValue<'_>,
    all: &[(&str, Range<usize>, &TomlNode<'_>)],
    known: &[(&str, f64)],
) {
    let is_known = |name: &str| known.iter().any(|(known, _)| *known == name);
    let Some((name, ..)) = all.iter().find(|(name, ..)| uses(value, name) && !is_known(name))
    else {
        return;
    };
    reader.set_help_of_last(match () {
        () if *name == key => format!("`{name}` cannot depend on itself"),
        () if depends(name, key, all) => {
            format!("`{key}` and `{name}` depend on each other: give one of them as a number")
        }
        () => format!("define `{name}` above the parameter that uses it"),
    });
}

/// Whether a name occurs in a formula.
fn uses(value: &DeValue<'_>, name: &str) -> bool {
    let DeValue::String(text) = value else { return false };
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
}

/// Whether a parameter depends on another one, directly or through others.
fn depends(name: &str, other: &str, all: &[(&str, Range<usize>, &TomlNode<'_>)]) -> bool {
    let mut reached = vec![name];
    let mut next = 0;
    while let Some(name) = reached.get(next).copied() {
        next += 1;
        // a long search would delay the message
        if next > MAX_SEARCHED {
            return false;
        }
        let Some((.., node)) = all.iter().find(|(known, ..)| *known == name) else { continue };
        if uses(node.get_ref(), other) {
            return true;
        }
        for (used, ..) in all.iter().take(MAX_SEARCHED) {
            if uses(node.get_ref(), used) && !reached.contains(used) {
                reached.push(used);
            }
        }
    }
    false
}

/// The value of a parameter set from outside.
fn outside(reader: &ValueReader<'_>, name: &str, text: &str, names: &[(&str, f64)]) -> Option<f64> {
    let fail = |reason: String| {
        reader.note(Diagnostic::without_location(format!("--set {name}={text}: {reason}")))
    };
    match Expression::parse(text, names) {
        Err(error) => fail(error.to_string()),
        Ok(expression) if expression.needs_time() => {
            fail("a parameter does not depend on `t`".into())
        }
        Ok(expression) => match expression.value(0.0) {
            value if value.is_finite() => Some(value),
            value => fail(format!("this is {value}, not a number")),
        },
    }
}
