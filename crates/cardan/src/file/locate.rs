//! Errors that are found later, given a place in the file: by the name they mention, and the words
//! they use.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::document::{tree, visit};
use super::entry::{find, items};
use super::mistake::{Mistake, Mistakes};
use super::scope::Reader;
use super::{ModelFile, settings::Given};
use crate::error::{Error, SettingsError};
use crate::methods::ParameterError;
use crate::model::ModelError;

/// Where something is named, and the values of its table: key, text, place.
struct Place {
    name: Range<usize>,
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
                let names_it = |_: &str, text: &str| {
                    text == name || text.strip_prefix(name.as_str()).is_some_and(|x| x.starts_with('.'))
                };
                let message = format!("there is no {what} `{name}`");
                let help = nearest.as_ref().map(|name| format!("did you mean `{name}`?"));
                (message, near(place, &names_it), help)
            }
            ModelError::Name { name, .. } => (message, self.last(name)?, None),
            ModelError::Inertia { body, cause } => {
                let heavy = cause.to_string().contains("mass is");
                let keys: [&str; 2] = if heavy { ["mass", "mass"] } else { ["inertia", "shape"] };
                let span = near(of(body)?, &|key, _| keys.contains(&key));
                (message, span, None)
            }
            ModelError::Value { owner, reason } if owner == "gravity" => {
                (format!("gravity: {reason}"), self.key("gravity")?, None)
            }
            ModelError::Value { owner, reason } => {
                let place = of(quoted(owner)?)?;
                let mentioned = |key: &str, _: &str| reason.contains(key);
                let ends = |key: &str, _: &str| reason.contains("ends") && key == "between";
                let span = match place.values.iter().any(|(key, ..)| mentioned(key, "")) {
                    true => near(place, &mentioned),
                    false => near(place, &ends),
                };
                (message, span, None)
            }
            _ => {
                let (first, help) = message.split_once("\n  try: ")?;
                let place = of(quoted(first)?)?;
                (first.to_string(), place.name, Some(help.to_string()))
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
            SettingsError::UnknownMethod { .. } | SettingsError::FirstOrderStates { .. } => {
                plan.method.span.clone()
            }
            SettingsError::Parameter(cause) => match cause {
                ParameterError::Unknown { name, .. } | ParameterError::Twice { name } => {
                    parameter(name)
                }
                ParameterError::OutOfRange { name, .. } => parameter(name),
                ParameterError::Both { second, .. } => parameter(second),
            },
            SettingsError::StepSize { .. } => span_of(&plan.step).or(span_of(&plan.substep)),
            SettingsError::EndTime { .. } => span_of(&plan.end),
            SettingsError::Newton { .. } => plan.newton.span.clone(),
            SettingsError::Formulation { .. } => {
                plan.constraints.span.clone().or(plan.method.span.clone())
            }
            _ => None,
        };
        let text = error.to_string();
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
        found.or_else(|| self.point(wanted))
    }

    /// The last place where a name is defined: the one too many.
    fn last(&self, wanted: &str) -> Option<Range<usize>> {
        let mut found = None;
        self.entries(&mut |name, place| {
            if name == wanted {
                found = Some(place().name);
            }
            true
        });
        found
    }

    fn entries(&self, look: &mut dyn FnMut(&str, &dyn Fn() -> Place) -> bool) {
        let Ok(table) = tree(&self.source.text) else { return };
        let mut reader = Reader::new(&self.source.text);
        reader.is_planar = self.is_planar;
        reader.start = self.plan.start;
        let names: Vec<(&str, f64)> =
            self.parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        visit(&reader, &table, &names, &mut |entry| {
            let place = || Place { name: entry.span.clone(), values: entry.places() };
            look(&entry.name, &place)
        });
    }

    /// The place of a key before all tables.
    fn key(&self, wanted: &str) -> Option<Range<usize>> {
        let table: DeTable<'_> = tree(&self.source.text).ok()?;
        find(&table, wanted).map(|node| node.span())
    }

    /// The place of a point on the ground.
    fn point(&self, wanted: &str) -> Option<Place> {
        let table: DeTable<'_> = tree(&self.source.text).ok()?;
        let DeValue::Table(points) = find(&table, "points")?.get_ref() else { return None };
        let (_, name, _) = items(points).into_iter().find(|(name, ..)| *name == wanted)?;
        Some(Place { name, values: Vec::new() })
    }
}

/// The first name in backticks.
fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}
