//! The file as a whole: format, parameters, sections, repetition.

use crate::model::Dimension;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items, similar_section, words};
use super::format::check_format;
use super::schema::{SECTIONS, SchemaSection, section};
use super::scope::{Scope, TomlNode, ValueReader, type_name, unusable};
use super::settings::{OutputSettings, SimulationPlan};
use super::shape::drawn_shapes;
use super::table::read_tables;
use super::{beam, body, event, flexible, force, joint, settings, signal, structure};
use crate::expression::{Expression, NameSet};
use crate::model::{Mechanism, MechanismItem, PartKind};
use cardan_core::suggestion;

/// The largest number of parameters of a model.
const MAX_PARAMETERS: usize = 10_000;

/// How many parameters are searched for a message.
const MAX_SEARCHED: usize = 200;

/// The contents of a model file.
#[derive(Default)]
pub(super) struct Contents {
    pub title: Option<String>,
    pub parameters: Vec<(String, f64)>,
    pub mechanism: Mechanism,
    pub plan: SimulationPlan,
    pub output: OutputSettings,
}

/// Reads everything; problems are collected in the reader.
pub(super) fn read<'a>(
    reader: &mut ValueReader<'a>,
    table: &DeTable<'a>,
    set: &[(String, String)],
) -> Contents {
    let mut contents = Contents::default();
    if check_format(reader, table).is_none() {
        return contents;
    }
    check_sections(reader, table);
    contents.parameters = parameters(reader, table, set);
    // parameters that events set are inputs of the model
    let is_set: Vec<&str> = event::set_names(table);
    let (variable, pairs): (Vec<_>, Vec<_>) =
        contents.parameters.clone().into_iter().partition(|x| is_set.contains(&x.0.as_str()));
    reader.variable = variable.iter().map(|(name, _)| name.clone()).collect();
    let names = || pairs.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();

    read_tables(reader, table, &names());
    // the other sections depend on these values
    if find(table, "planar").and_then(|node| scope(reader, names()).flag(node)) == Some(true) {
        reader.dimension = Dimension::Plane;
    }
    if let Some(entry) = single(reader, table, "simulation", names()) {
        contents.plan = settings::plan(&entry);
    }
    reader.start = contents.plan.start;
    reader.signals = signal_names(reader, table, &names());
    reader.signals.extend(reader.variable.iter().cloned());

    let reader = &*reader;
    let top = scope(reader, names());
    contents.title = find(table, "title").and_then(|node| match node.get_ref() {
        DeValue::String(title) => Some(title.to_string()),
        _ => top.unexpected(node, "text in quotes"),
    });
    let mechanism = &mut contents.mechanism;
    mechanism.start(contents.plan.start);
    if let Some(gravity) = find(table, "gravity").and_then(|node| top.functions(node)) {
        mechanism.gravity(gravity);
    }
    if let Some(DeValue::Table(points)) = find(table, "points").map(|node| node.get_ref()) {
        for (key, span, node) in items(points) {
            if let (Some(name), Some(at)) = (top.name(key, span), top.vector(node)) {
                mechanism.point(&name, at);
            }
        }
    }
    if let Some(entry) = single(reader, table, "ground", names())
        && let Some(node) = entry.get("shapes")
    {
        for shape in drawn_shapes(&entry.scope, node) {
            mechanism.ground_shape(shape);
        }
    }
    for (name, value) in &variable {
        mechanism.input(name, *value);
    }
    signal::signals(&top, table, mechanism);
    visit(reader, table, &names(), &mut |entry| {
        if let Some(item) = item(&entry) {
            mechanism.add(item);
        }
        true
    });
    if let Some(entry) = single(reader, table, "output", names()) {
        contents.output = settings::output(&entry);
    }
    contents
}

fn scope<'a>(reader: &'a ValueReader<'a>, names: Vec<(&'a str, f64)>) -> Scope<'a> {
    Scope { reader, names }
}

/// The names of signals, states and inputs, which formulas may use.
pub(super) fn signal_names<'a>(
    reader: &ValueReader<'a>,
    table: &DeTable<'a>,
    names: &[(&str, f64)],
) -> NameSet {
    let mut all = NameSet::new();
    for key in ["signal", "state", "input"] {
        let Some(DeValue::Table(entries)) = find(table, key).map(|node| node.get_ref()) else {
            continue;
        };
        for (name, span, node) in items(entries) {
            let repeated = match node.get_ref() {
                DeValue::Table(entry) => find(entry, "repeat"),
                _ => None,
            };
            let Some(node) = repeated else {
                all.insert(name.to_string());
                continue;
            };
            // problems of repeated entries are noted when they are read
            let quiet = ValueReader::quiet(reader.text);
            let count = Scope { reader: &quiet, names: names.to_vec() }.count(node).unwrap_or(0);
            for i in 0..count.min(MAX_REPEATED_NAMES) {
                let mut names = names.to_vec();
                names.push(("i", i as f64));
                all.extend(Scope { reader: &quiet, names }.name(name, span.clone()));
            }
        }
    }
    all
}

/// The most names of repeated signals, states and inputs.
const MAX_REPEATED_NAMES: u64 = 100_000;

fn item(entry: &Entry<'_>) -> Option<MechanismItem> {
    match entry.section.part? {
        PartKind::Body => body::body(entry).map(MechanismItem::from),
        PartKind::Flexible => flexible::flexible(entry).map(MechanismItem::from),
        PartKind::Structure => structure::structure(entry).map(MechanismItem::from),
        PartKind::Beam => beam::beam(entry).map(MechanismItem::from),
        PartKind::Truss => beam::truss(entry).map(MechanismItem::from),
        PartKind::Joint => joint::joint(entry).map(MechanismItem::from),
        PartKind::Gear => joint::gear(entry).map(MechanismItem::from),
        PartKind::Drive => joint::drive(entry).map(MechanismItem::from),
        PartKind::Rolling => joint::rolling(entry).map(MechanismItem::from),
        PartKind::Skate => joint::skate(entry).map(MechanismItem::from),
        PartKind::Force => force::force(entry),
        PartKind::State => signal::state(entry),
        PartKind::Input => signal::input(entry),
        PartKind::Event => event::event(entry).map(MechanismItem::from),
        // the table of signals has no named entries
        PartKind::Signal => None,
    }
}

/// Keys and tables that the format does not have, or that are not tables.
fn check_sections(reader: &ValueReader<'_>, table: &DeTable<'_>) {
    let top = SECTIONS.iter().find(|section| section.key.is_empty());
    let keys = top.into_iter().flat_map(|section| &section.fields).map(|field| field.key);
    let sections = SECTIONS.iter().map(|section| section.key).filter(|key| !key.is_empty());
    let known: Vec<&'static str> = keys.clone().chain(sections).collect();
    for (key, span, node) in items(table) {
        if keys.clone().any(|known| known == key) {
            continue;
        }
        if reader.is_full() {
            return;
        }
        let Some(section) = section(key) else {
            let message = format!("a model file has no `{key}`");
            let problem =
                Diagnostic::at(span, message).with_suggestion(similar_section(key, &known));
            reader.note::<()>(problem);
            continue;
        };
        let DeValue::Table(entries) = node.get_ref() else {
            let wanted = match section.is_named() {
                true => format!("write `[{key}.NAME]` for each"),
                false => format!("write `[{key}]`"),
            };
            let message = format!("`{key}` must be a table, not {}", type_name(node.get_ref()));
            reader.note::<()>(Diagnostic::at(span, message).help(wanted));
            continue;
        };
        if section.is_named() {
            for (name, span, node) in items(entries) {
                if !node.get_ref().is_table() {
                    let found = type_name(node.get_ref());
                    let message = format!("`{key}.{name}` must be a table, not {found}");
                    let help = format!("write one table for each {key}: `[{key}.NAME]`");
                    reader.note::<()>(Diagnostic::at(span, message).help(help));
                }
            }
        }
    }
}

/// A section that is one table.
fn single<'a>(
    reader: &'a ValueReader<'a>,
    table: &'a DeTable<'a>,
    key: &'static str,
    names: Vec<(&'a str, f64)>,
) -> Option<Entry<'a>> {
    let (name, node) = table.get_key_value(key)?;
    let DeValue::Table(entries) = node.get_ref() else { return None };
    Entry::open(scope(reader, names), section(key)?, entries, key.into(), name.span())
}

/// Calls a function with each named entry, repeated ones with their index, until it returns false.
pub(super) fn visit<'a>(
    reader: &'a ValueReader<'a>,
    table: &'a DeTable<'a>,
    names: &[(&'a str, f64)],
    each: &mut dyn FnMut(Entry<'a>) -> bool,
) {
    let mut parts = 0_u64;
    for section in SECTIONS.iter().filter(|section| section.part.is_some()) {
        let Some(DeValue::Table(entries)) = find(table, section.key).map(|node| node.get_ref())
        else {
            continue;
        };
        for (key, span, node) in items(entries) {
            let DeValue::Table(entry) = node.get_ref() else { continue };
            if reader.is_full() {
                return;
            }
            let before = reader.count();
            let Some((count, place)) = repetition(reader, entry, names) else { continue };
            parts = parts.saturating_add(count.unwrap_or(1));
            if let Some((message, remedy)) = reader.memory.exceeded_by(parts) {
                let place = place.unwrap_or(span);
                reader.note::<()>(Diagnostic::at(place, message).help(remedy));
                return;
            }
            let indices: Box<dyn Iterator<Item = Option<u64>>> = match count {
                None => Box::new(std::iter::once(None)),
                Some(count) => Box::new((0..count).map(Some)),
            };
            for index in indices {
                if index == Some(1) && !key.contains('{') {
                    let message = format!("{} `{key}` is repeated under one name", section.key);
                    let help = format!("put the index into it: [{}.\"{key}{{i}}\"]", section.key);
                    reader.note::<()>(Diagnostic::at(span.clone(), message).help(help));
                    break;
                }
                let mut names = names.to_vec();
                names.extend(index.map(|i| ("i", i as f64)));
                let scope = scope(reader, names);
                let opened = open(scope, section, entry, key, span.clone());
                if opened.is_some_and(|entry| !each(entry)) {
                    return;
                }
                // a problem of the first repetition would repeat
                if reader.count() > before {
                    break;
                }
            }
        }
    }
}

fn open<'a>(
    scope: Scope<'a>,
    section: &'static SchemaSection,
    table: &'a DeTable<'a>,
    key: &'a str,
    span: Range<usize>,
) -> Option<Entry<'a>> {
    let name = scope.name(key, span.clone())?;
    Entry::open(scope, section, table, name, span)
}

/// How often an entry is repeated, and where that is written; `None` and `None` for an entry without `repeat`.
fn repetition<'a>(
    reader: &'a ValueReader<'a>,
    entry: &'a DeTable<'a>,
    names: &[(&'a str, f64)],
) -> Option<(Option<u64>, Option<Range<usize>>)> {
    let Some(node) = find(entry, "repeat") else { return Some((None, None)) };
    let count = scope(reader, names.to_vec()).count(node)?;
    Some((Some(count), Some(node.span())))
}

/// The parameters in their order, with those set from outside instead of the file's.
fn parameters<'a>(
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
    let mut scope = scope(reader, Vec::new());
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
