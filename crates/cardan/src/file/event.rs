//! Events as the file describes them.

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items};
use super::scope::{Scope, TomlNode};
use crate::model::Event;
use cardan_core::math::Vector3;

/// The actions, in the order in which those of one table are performed.
pub(super) const ACTIONS: [&str; 10] = [
    "set", "lock", "unlock", "impulse", "bounce", "enable", "disable", "message", "record", "stop",
];

/// An event.
pub(super) fn event(entry: &Entry<'_>) -> Option<Event> {
    let (name, scope) = (&entry.name, &entry.scope);
    let before = scope.reader.count();
    let given: Vec<&str> =
        ["when", "at", "every"].into_iter().filter(|key| entry.has(key)).collect();
    if given.len() != 1 {
        let message = match given.len() {
            0 => format!("event `{name}` has no condition"),
            _ => format!("event `{name}` has more than one condition"),
        };
        let help = "one of `when` (a formula that crosses zero), `at` (times), `every` (a period)";
        scope.reader.note::<()>(Diagnostic::at(entry.span.clone(), message).help(help));
    }
    let mut event = match given.first().copied().unwrap_or_default() {
        // without a condition the other keys are checked too
        "" => Event::at(name, []),
        "when" => Event::when(name, scope.signal(entry.get("when")?)?),
        "at" => Event::at(name, times(scope, entry.get("at")?)?),
        _ => Event::every(name, entry.positive("every")?),
    };
    if entry.has("first") {
        event = event.first(entry.number("first")?);
    }
    if let Some(word) = entry.has("direction").then(|| entry.word("direction")) {
        event = match word?.as_str() {
            "rising" => event.rising(),
            "falling" => event.falling(),
            _ => event,
        };
    }
    if entry.has("enabled") && !entry.flag("enabled")? {
        event = event.disabled();
    }
    event = with_actions(scope, entry.table, event);
    if let Some(node) = entry.get("actions") {
        for action in scope.list(node, &[], "a list of tables")? {
            match action.get_ref() {
                DeValue::Table(table) => {
                    check_action(scope, table);
                    event = with_actions(scope, table, event);
                }
                _ => return scope.unexpected(action, "a table such as { lock = \"A.angle\" }"),
            }
        }
    }
    (scope.reader.count() == before).then_some(event)
}

/// Notes keys that are no actions.
fn check_action<'a>(scope: &Scope<'a>, table: &'a DeTable<'a>) {
    for (key, span, _) in items(table) {
        if !ACTIONS.contains(&key) {
            let message = format!("there is no action `{key}`");
            let nearest = cardan_core::suggestion::nearest(key, ACTIONS.into_iter());
            let help = format!("it is one of {}", super::entry::words(ACTIONS));
            scope
                .reader
                .note::<()>(Diagnostic::at(span, message).help(help).with_suggestion(nearest));
        }
    }
}

/// Adds the actions of a table; problems are noted.
fn with_actions<'a>(scope: &Scope<'a>, table: &'a DeTable<'a>, mut event: Event) -> Event {
    for key in ACTIONS {
        let Some(node) = find(table, key) else { continue };
        if let Some(changed) = with_action(scope, key, node, event.clone()) {
            event = changed;
        }
    }
    event
}

fn with_action<'a>(
    scope: &Scope<'a>,
    key: &str,
    node: &'a TomlNode<'a>,
    mut event: Event,
) -> Option<Event> {
    Some(match key {
        "set" => {
            for (name, _, value) in items(sub_table(scope, node)?) {
                event = event.set(name, scope.signal(value)?);
            }
            event
        }
        "impulse" => impulse(scope, node, event)?,
        "bounce" => bounce(scope, node, event)?,
        "message" => event.message(&scope.text(node)?),
        "record" => {
            if scope.flag(node)? {
                event.record()
            } else {
                event
            }
        }
        "stop" => {
            if scope.flag(node)? {
                event.stop()
            } else {
                event
            }
        }
        _ => {
            for name in one_or_more(scope, node)? {
                event = match key {
                    "lock" => event.lock(&name),
                    "unlock" => event.unlock(&name),
                    "enable" => event.enable(&name),
                    _ => event.disable(&name),
                };
            }
            event
        }
    })
}

fn impulse<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>, event: Event) -> Option<Event> {
    let table = known_table(scope, node, &["body", "force", "moment"])?;
    let body = required(scope, node, table, "body")?;
    let vector = |key| match find(table, key) {
        Some(node) => scope.vector(node),
        None => Some(Vector3::zeros()),
    };
    // in the plane a moment is one number
    let moment = match find(table, "moment") {
        Some(node) if !matches!(node.get_ref(), DeValue::Array(_)) => {
            Vector3::new(0.0, 0.0, scope.number(node)?)
        }
        _ => vector("moment")?,
    };
    let body = scope.text(body)?;
    Some(event.impulse(body.as_str(), vector("force")?.into(), moment.into()))
}

fn bounce<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>, event: Event) -> Option<Event> {
    let table = known_table(scope, node, &["channel", "restitution"])?;
    let channel = scope.signal(required(scope, node, table, "channel")?)?;
    let at = required(scope, node, table, "restitution")?;
    let restitution = scope.number(at)?;
    if restitution < 0.0 {
        let message = format!("the restitution is {restitution}; it cannot be negative");
        return scope.reader.note(Diagnostic::at(at.span(), message));
    }
    Some(event.bounce(channel, restitution))
}

fn sub_table<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<&'a DeTable<'a>> {
    match node.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => scope.unexpected(node, "a table"),
    }
}

/// A table with these keys only.
fn known_table<'a>(
    scope: &Scope<'a>,
    node: &'a TomlNode<'a>,
    known: &[&str],
) -> Option<&'a DeTable<'a>> {
    let table = sub_table(scope, node)?;
    for (key, span, _) in items(table) {
        if !known.contains(&key) {
            let message = format!("`{key}` does not apply here");
            let help = format!("it takes {}", super::entry::words(known.iter().copied()));
            return scope.reader.note(Diagnostic::at(span, message).help(help));
        }
    }
    Some(table)
}

fn required<'a>(
    scope: &Scope<'a>,
    node: &TomlNode<'a>,
    table: &'a DeTable<'a>,
    key: &str,
) -> Option<&'a TomlNode<'a>> {
    match find(table, key) {
        Some(found) => Some(found),
        None => scope.reader.note(Diagnostic::at(node.span(), format!("`{key}` is missing"))),
    }
}

/// A time, or a list of times.
fn times<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<Vec<f64>> {
    match node.get_ref() {
        DeValue::Array(_) => {
            let list = scope.list(node, &[], "a list of times")?;
            list.iter().map(|time| scope.number(time)).collect()
        }
        _ => scope.number(node).map(|time| vec![time]),
    }
}

/// A name, or a list of names.
fn one_or_more<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<Vec<String>> {
    match node.get_ref() {
        DeValue::Array(_) => {
            let list = scope.list(node, &[], "a list of names")?;
            list.iter().map(|name| scope.text(name)).collect()
        }
        _ => scope.text(node).map(|name| vec![name]),
    }
}

/// The names of the values that events set.
pub(super) fn set_names<'a>(table: &'a DeTable<'a>) -> Vec<&'a str> {
    let Some(DeValue::Table(events)) = find(table, "event").map(|node| node.get_ref()) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    let mut add = |table: &'a DeTable<'a>| {
        if let Some(DeValue::Table(set)) = find(table, "set").map(|node| node.get_ref()) {
            names.extend(items(set).into_iter().map(|(name, ..)| name));
        }
    };
    for (_, _, node) in items(events) {
        let DeValue::Table(event) = node.get_ref() else { continue };
        add(event);
        if let Some(DeValue::Array(actions)) = find(event, "actions").map(|node| node.get_ref()) {
            for action in actions.iter() {
                if let DeValue::Table(action) = action.get_ref() {
                    add(action);
                }
            }
        }
    }
    names
}
