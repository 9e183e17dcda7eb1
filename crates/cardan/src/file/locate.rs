//! Errors that are found later, given a place in the file: by the name they mention, and the words
//! they use.

use std::ops::Range;

use toml::de::DeTable;

use super::document::{tree, visit};
use super::entry::words;
use super::mistake::{Mistake, Mistakes};
use super::scope::Reader;
use super::{ModelFile, settings::Given};
use crate::error::{Error, SettingsError};
use crate::methods;
use crate::model::{InertiaError, ModelError};

/// Where something is named, and the values of its table: key, text, place.
struct Place {
    name: Range<usize>,
    /// The section it stands in.
    section: &'static str,
    /// "for i = 3" of a repeated entry.
    index: String,
    values: Vec<(String, String, Range<usize>)>,
}

impl ModelFile {
    /// An error with its place in the file, as far as one can be found.
    pub fn explain(&self, error: &Error) -> Mistakes {
        let mistake = match error {
            Error::Model(error) => self.explain_model(error),
            Error::Settings(error) => self.explain_settings(error),
            _ => None,
        };
        self.mistakes(vec![mistake.unwrap_or_else(|| Mistake::anywhere(error.to_string()))])
    }

    fn explain_model(&self, error: &ModelError) -> Option<Mistake> {
        let message = error.to_string();
        let of = |name: &str| self.place(name);
        let near = |place: Place, wanted: &dyn Fn(&str, &str) -> bool| {
            let found = place.values.iter().find(|(key, text, _)| wanted(key, text));
            found.map_or(place.name.clone(), |(.., span)| span.clone())
        };
        let (message, span, help) = match error {
            ModelError::Missing { wanted_by, what, name, nearest } => {
                let place = of(quoted(wanted_by)?)?;
                let names_it = |key: &str, text: &str| {
                    key != "type" && text == name
                        || text.strip_prefix(name.as_str()).is_some_and(|x| x.starts_with('.'))
                };
                let message = format!("there is no {what} `{name}`");
                let help = match (of(name), nearest) {
                    (Some(place), _) => Some(format!("`{name}` is a {}", place.section)),
                    (None, Some(name)) => Some(format!("did you mean `{name}`?")),
                    (None, None) if *what == "point" => self.points_instead(name),
                    (None, None) => None,
                };
                let message = message + &place.index;
                (message, near(place, &names_it), help)
            }
            ModelError::Name { name, .. } => {
                let (first, last) = self.first_and_last(name)?;
                let line = self.source.text[..first.start].matches('\n').count() + 1;
                let help = (first != last).then(|| format!("first used in line {line}"));
                (message, last, help)
            }
            ModelError::Inertia { body, cause } => {
                let heavy = matches!(cause, InertiaError::Mass(_));
                let keys: &[&str] = if heavy { &["mass"] } else { &["inertia", "shape"] };
                let span = near(of(body)?, &|key, _| keys.contains(&key));
                (message, span, None)
            }
            ModelError::Value { owner, .. } if owner == "the ground" => {
                (message, self.key("points")?, None)
            }
            ModelError::Value { owner, reason } if owner == "gravity" => {
                (format!("gravity: {reason}"), self.key("gravity")?, None)
            }
            ModelError::Value { owner, reason } => {
                let place = of(quoted(owner)?)?;
                match place.values.iter().find(|(key, ..)| is_quoted(reason, key)) {
                    Some((key, text, span)) => {
                        let is_formula = key == "law" && !text.is_empty();
                        let help = is_formula.then(|| format!("the law is `{text}`"));
                        (message, span.clone(), help)
                    }
                    None => (message, near(place, &|key, text| is_meant(reason, key, text)), None),
                }
            }
            _ => {
                let (first, help) = match message.split_once("\n  try: ") {
                    Some((first, help)) => (first.to_string(), Some(help.to_string())),
                    None => (message, None),
                };
                // a drive is the likelier mistake than the joints it moves
                let driven = first.rsplit("drive ").next().filter(|_| first.contains("drive `"));
                let place = of(quoted(driven.unwrap_or(&first))?)?;
                let help = match driven {
                    Some(_) => Some(DRIVEN.to_string()),
                    None => help,
                };
                (first, place.name, help)
            }
        };
        Some(Mistake { message, span: Some(span), help })
    }

    fn explain_settings(&self, error: &SettingsError) -> Option<Mistake> {
        let plan = &self.plan;
        let parameter = |wanted: &str| {
            let (_, given) = plan.parameters.iter().find(|(name, _)| name == wanted)?;
            given.span.clone()
        };
        let span_of = |given: &Option<Given<f64>>| given.as_ref().and_then(|x| x.span.clone());
        let span = match error {
            SettingsError::UnknownMethod { .. } | SettingsError::Feature { .. } => {
                plan.method.span.clone()
            }
            SettingsError::Parameter(cause) => parameter(cause.name()),
            SettingsError::StepSize { .. } | SettingsError::Unstable { .. } => {
                span_of(&plan.step).or(span_of(&plan.substep))
            }
            SettingsError::EndTime { .. } => span_of(&plan.end),
            SettingsError::Newton { .. } => plan.newton.span.clone(),
            SettingsError::Formulation { .. } => {
                let constraints = plan.constraints.as_ref().and_then(|given| given.span.clone());
                constraints.or(plan.method.span.clone())
            }
            _ => None,
        };
        let text = match error {
            SettingsError::UnknownMethod { name, nearest: None } => {
                let all: Vec<&str> = methods::all().map(|info| info.name).collect();
                format!("there is no method `{name}`; there are {}", all.join(", "))
            }
            error => error.to_string(),
        };
        let (message, help) = match text.split_once("; ") {
            Some((message, help)) => (message.to_string(), Some(help.to_string())),
            None => (text, None),
        };
        Some(Mistake { message, span, help })
    }

    /// The place of the entry with a name. The text is read once more: errors are rare.
    fn place(&self, wanted: &str) -> Option<Place> {
        let mut found = None;
        self.entries(&mut |name, place| {
            if name == wanted {
                found = Some(place());
            }
            found.is_none()
        });
        found
    }

    /// The places where a name is defined first and last: the one too many.
    fn first_and_last(&self, wanted: &str) -> Option<(Range<usize>, Range<usize>)> {
        let mut found = Vec::new();
        self.entries(&mut |name, place| {
            if name == wanted {
                found.push(place().name);
            }
            true
        });
        Some((found.first()?.clone(), found.last()?.clone()))
    }

    fn entries(&self, look: &mut dyn FnMut(&str, &dyn Fn() -> Place) -> bool) {
        let Ok(table) = tree(&self.source.text) else { return };
        let mut reader = Reader::new(&self.source.text);
        reader.is_planar = self.is_planar;
        reader.start = self.plan.start;
        let names: Vec<(&str, f64)> =
            self.parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        visit(&reader, &table, &names, &mut |entry| {
            let place = || Place {
                name: entry.span.clone(),
                section: entry.section.key,
                index: entry.scope.index(),
                values: entry.places(),
            };
            look(&entry.name, &place)
        });
    }

    /// The points there are instead of one that is missing.
    fn points_instead(&self, missing: &str) -> Option<String> {
        let (part, _) = missing.split_once('.')?;
        let points = self.mechanism.points_of(part)?;
        Some(match (part, points.len()) {
            ("ground", 0) => "points of the ground are given in the table [points]".into(),
            (_, 0) => format!("`{part}` has no points: give them by its `points`"),
            (_, 1..=MOST_LISTED) => {
                format!("`{part}` has the points {}", words(points.iter().map(String::as_str)))
            }
            (_, n) => format!("`{part}` has {n} other points"),
        })
    }

    /// The place of a key before all tables.
    fn key(&self, wanted: &str) -> Option<Range<usize>> {
        let table: DeTable<'_> = tree(&self.source.text).ok()?;
        let (key, node) = table.get_key_value(wanted)?;
        // of a table its heading
        Some(if node.get_ref().is_table() { key.span() } else { node.span() })
    }
}

/// More points than this are not listed in a message.
const MOST_LISTED: usize = 12;

/// What to try where drives take part.
const DRIVEN: &str = "two drives of one degree of freedom, or a drive that asks for what the joints do \
                      not allow: leave one out, or change it";

/// Whether a reason names a key.
fn is_quoted(reason: &str, key: &str) -> bool {
    reason.contains(&format!("`{key}`"))
}

/// Whether a reason speaks of a key, or of the value it has.
fn is_meant(reason: &str, key: &str, text: &str) -> bool {
    let name = text.split('.').next().unwrap_or_default();
    let by_value = !name.is_empty() && reason.contains(&format!("`{name}`"));
    let by_key = [format!("its {key}"), format!("{key} must")];
    let both_ends = key == "between" && reason.contains("ends");
    let by_place = key == "at" && reason.starts_with("its place");
    let by_axis = key == "axis" && reason.contains("turn about");
    by_value
        || both_ends
        || by_place
        || by_axis
        || by_key.iter().any(|words| reason.contains(words.as_str()))
}

/// The first name in backticks.
fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}
