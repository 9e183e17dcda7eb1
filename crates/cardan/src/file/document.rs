//! The file as a whole: format, parameters, sections, repetition.

use crate::model::Dimension;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items, similar_section};
use super::format::check_format;
use super::known_parts::PartReuse;
use super::parameters::parameters;
use super::schema::{SECTIONS, SchemaSection, section};
use super::scope::{Scope, ValueReader, type_name};
use super::settings::{OutputSettings, SimulationPlan};
use super::shape::drawn_shapes;
use super::table::read_tables;
use super::{beam, body, event, flexible, force, joint, settings, signal, structure};
use crate::expression::NameSet;
use crate::model::{Mechanism, MechanismItem, PartKind};

/// The contents of a model file.
#[derive(Default)]
pub(super) struct Contents {
    pub title: Option<String>,
    pub parameters: Vec<(String, f64)>,
    pub mechanism: Mechanism,
    pub plan: SimulationPlan,
    pub output: OutputSettings,
}

/// Reads everything, or of the parts only those that are not known; problems are collected in the reader.
pub(super) fn read<'a>(
    reader: &mut ValueReader<'a>,
    table: &DeTable<'a>,
    set: &[(String, String)],
    mut reuse: PartReuse<'_>,
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
    match &mut reuse {
        PartReuse::Store(parts) => parts.begin(reader, table),
        PartReuse::Use(parts) if !parts.fits(reader) => reuse = PartReuse::Off,
        PartReuse::Use(_) | PartReuse::Off => {}
    }
    visit_places(reader, table, &names(), &mut |place| {
        if let Some(item) = read_part(place, &mut reuse) {
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
    let mut repeated_names = 0_u64;
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
            repeated_names = repeated_names.saturating_add(count);
            if reader.memory.exceeded_by(repeated_names).is_some() {
                // so many entries are refused when they are read
                return all;
            }
            for i in 0..count {
                let mut names = names.to_vec();
                names.push(("i", i as f64));
                all.extend(Scope { reader: &quiet, names }.name(name, span.clone()));
            }
        }
    }
    all
}

/// Reads the part at a place, unless it is known. A part with a hint is read again, so that the hint is given again.
fn read_part(place: EntryPlace<'_>, reuse: &mut PartReuse<'_>) -> Option<MechanismItem> {
    let at = (place.span.start, place.index);
    match reuse {
        PartReuse::Off => item(&place.open()?),
        PartReuse::Use(parts) => match parts.find(at, &place.scope.names) {
            Some(known) => Some(known.clone()),
            None => item(&place.open()?),
        },
        PartReuse::Store(parts) => {
            let (reader, key, table) = (place.scope.reader, place.key, place.table);
            let (names, hints) = (place.scope.names.clone(), reader.hint_count());
            let item = item(&place.open()?)?;
            if reader.hint_count() == hints {
                parts.store(at, key, table, &names, &item);
            }
            Some(item)
        }
    }
}

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

/// A named entry that is not opened yet.
struct EntryPlace<'a> {
    scope: Scope<'a>,
    section: &'static SchemaSection,
    table: &'a DeTable<'a>,
    key: &'a str,
    /// The place of its name.
    span: Range<usize>,
    /// The index of a repeated entry.
    index: Option<u64>,
}

impl<'a> EntryPlace<'a> {
    /// Checks the name and the keys of the entry.
    fn open(self) -> Option<Entry<'a>> {
        let name = self.scope.name(self.key, self.span.clone())?;
        Entry::open(self.scope, self.section, self.table, name, self.span)
    }
}

/// Calls a function with each named entry, repeated ones with their index, until it returns false.
pub(super) fn visit<'a>(
    reader: &'a ValueReader<'a>,
    table: &'a DeTable<'a>,
    names: &[(&'a str, f64)],
    each: &mut dyn FnMut(Entry<'a>) -> bool,
) {
    visit_places(reader, table, names, &mut |place| place.open().is_none_or(&mut *each));
}

/// Calls a function with the place of each named entry, of repeated ones with their index, until it returns false.
fn visit_places<'a>(
    reader: &'a ValueReader<'a>,
    table: &'a DeTable<'a>,
    names: &[(&'a str, f64)],
    each: &mut dyn FnMut(EntryPlace<'a>) -> bool,
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
                let span = span.clone();
                if !each(EntryPlace { scope, section, table: entry, key, span, index }) {
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
