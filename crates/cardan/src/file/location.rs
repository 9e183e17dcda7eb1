//! The place in the file of errors that assembly and simulation report: the span of a part's name, or of the
//! key that the error names.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::diagnostic::{Diagnostic, Diagnostics};
use super::document::{signal_names, visit};
use super::entry::{Entry, find, words};
use super::format::tree;
use super::memory::MemoryLimit;
use super::model_file::ModelFile;
use super::saved_start::StartSource;
use super::scope::ValueReader;
use super::settings::Located;
use super::source_files::SourceFiles;
use super::table::read_tables;
use crate::error::Error;
use crate::model::{AssembledMechanism, InertiaError, InputKey, ModelError, Owner, PartKind};
use crate::statics::StaticOptions;
use cardan_core::methods::SettingsError;
use cardan_core::simulation::SimulationError;

/// More points than this are not listed in a message.
const MAX_LISTED: usize = 12;

impl ModelFile {
    /// Assembles the mechanism, in the saved state or in the equilibrium from which it starts if the file asks for one;
    /// errors get their place in the file.
    pub fn assemble(&self) -> Result<AssembledMechanism, Diagnostics> {
        let explain = |error: ModelError| self.explain(&error.into());
        let described = self.mechanism.assemble().map_err(explain)?;
        let Some(from) = &self.plan.from else { return Ok(described) };
        let span = from.span.clone();
        match &from.value {
            StartSource::SavedState(state) => {
                described.start_from(state).map_err(|error| match &error {
                    ModelError::Value { owner, .. } if **owner == Owner::SavedState => {
                        let (message, help) = (error.fact(), error.remedy());
                        self.diagnostics(vec![Diagnostic { message, span, help }])
                    }
                    _ => explain(error),
                })
            }
            StartSource::Equilibrium => {
                described.in_equilibrium(&StaticOptions::default()).map_err(|error| {
                    let message = format!("the motion cannot start in equilibrium: {error}");
                    let help = Some("`cardan static` shows the iterations".to_string());
                    self.diagnostics(vec![Diagnostic { message, span, help }])
                })
            }
        }
    }

    /// An error with its place in the file, as far as it has one.
    pub fn explain(&self, error: &Error) -> Diagnostics {
        let problem = match error {
            Error::Model(error) => self.explain_model(error),
            Error::Simulation(SimulationError::Settings(error)) => self.explain_settings(error),
            error => Diagnostic::without_location(error.to_string()),
        };
        self.diagnostics(vec![problem])
    }

    fn explain_model(&self, error: &ModelError) -> Diagnostic {
        let (fact, help) = (error.fact(), error.remedy());
        let owner = error.owners().first().copied().cloned();
        let place = |key: Option<InputKey>| self.place(owner.as_ref()?, key);
        match error {
            ModelError::Missing { key, what, name, nearest, .. } => {
                let message = format!("there is no {what} `{name}`");
                let help = match nearest {
                    Some(name) => Some(format!("did you mean `{name}`?")),
                    None if *what == "point" => self.points_instead(name),
                    None => None,
                };
                match place(*key) {
                    Some(SourceLocation { span, index, .. }) => {
                        Diagnostic { message: message + &index, span: Some(span), help }
                    }
                    None => Diagnostic::without_location(fact),
                }
            }
            ModelError::Name { name, .. } => {
                let Some((first, last)) = self.first_and_last(name) else {
                    return Diagnostic::without_location(fact);
                };
                let line = self.source.text[..first.start].matches('\n').count() + 1;
                let help = (first != last).then(|| format!("first used in line {line}"));
                Diagnostic { message: fact, span: Some(last), help }
            }
            ModelError::Inertia { cause, .. } => {
                let keys: &[&'static str] = match cause {
                    InertiaError::Mass(_) => &["mass"],
                    _ => &["inertia", "shape"],
                };
                let places = keys.iter().filter_map(|key| place(Some((*key).into())));
                let span = places.max_by_key(|place| place.has_key).map(|place| place.span);
                Diagnostic { message: fact, span, help }
            }
            ModelError::Value { key, .. } => {
                let place = place(*key);
                let help = help.or_else(|| match (key, &place) {
                    (
                        Some(InputKey { name: "law", .. }),
                        Some(SourceLocation { text: Some(law), .. }),
                    ) => Some(format!("the law is `{law}`")),
                    _ => None,
                });
                Diagnostic { message: fact, span: place.map(|place| place.span), help }
            }
            _ => Diagnostic { message: fact, span: place(None).map(|place| place.span), help },
        }
    }

    fn explain_settings(&self, error: &SettingsError) -> Diagnostic {
        let plan = &self.plan;
        let parameter = |wanted: &str| {
            let (_, given) = plan.parameters.iter().find(|(name, _)| name == wanted)?;
            given.span.clone()
        };
        let span_of = |given: &Option<Located<f64>>| given.as_ref().and_then(|x| x.span.clone());
        let method = || plan.method.as_ref().and_then(|x| x.span.clone());
        let control = || plan.control.as_ref().and_then(|x| x.span.clone());
        let span = match error {
            SettingsError::UnknownMethod { .. } | SettingsError::Feature { .. } => method(),
            SettingsError::NoErrorEstimate { .. } => method().or(control()),
            SettingsError::Tolerance { .. } | SettingsError::StepControl { .. } => control(),
            SettingsError::Parameter(cause) => parameter(cause.name()),
            SettingsError::StepSize { .. } | SettingsError::Unstable { .. } => {
                span_of(&plan.step).or(span_of(&plan.substep))
            }
            SettingsError::EndTime { .. } => span_of(&plan.end),
            SettingsError::Newton { .. } => plan.newton.span.clone(),
            SettingsError::Formulation { .. } => {
                let constraints = plan.constraints.as_ref().and_then(|given| given.span.clone());
                constraints.or(method())
            }
            _ => None,
        };
        Diagnostic { message: error.fact(), span, help: error.remedy() }
    }

    /// The place of a part, or of one of its keys if the file has it.
    fn place(&self, owner: &Owner, key: Option<InputKey>) -> Option<SourceLocation> {
        let Owner::Part { kind, name, .. } = owner else {
            let span = self.top_level_span(match owner {
                Owner::Ground => "points",
                Owner::Gravity => "gravity",
                _ => return None,
            })?;
            return Some(SourceLocation { span, index: String::new(), has_key: false, text: None });
        };
        if *kind == PartKind::Signal
            && let Some(span) = self.signal_span(name)
        {
            return Some(SourceLocation { span, index: String::new(), has_key: true, text: None });
        }
        let mut found = None;
        self.entries(&mut |entry| {
            // parts of blocks have names that begin with that of the block
            let is_block = matches!(entry.section.part, Some(PartKind::State | PartKind::Force))
                && name.split_once('.').is_some_and(|(block, _)| block == entry.name);
            if entry.section.part == Some(*kind) && entry.name == *name || is_block {
                found = Some(SourceLocation::of(entry, key));
            }
            found.is_none()
        });
        found
    }

    /// The places where a name is defined first and last.
    fn first_and_last(&self, wanted: &str) -> Option<(Range<usize>, Range<usize>)> {
        let mut found = Vec::new();
        self.entries(&mut |entry| {
            if entry.name == wanted {
                found.push(entry.span.clone());
            }
            true
        });
        Some((found.first()?.clone(), found.last()?.clone()))
    }

    /// Calls a function with each named entry until it returns false. The text is parsed again, because
    /// errors are rare.
    fn entries(&self, each: &mut dyn FnMut(&Entry<'_>) -> bool) {
        let Ok((table, _)) = tree(&self.source.text) else { return };
        let files = SourceFiles::saved(self.files.clone());
        let mut reader = ValueReader::new(&self.source.text, files, MemoryLimit::Unlimited);
        reader.dimension = self.dimension;
        reader.start = self.plan.start;
        reader.folder = self.folder();
        let names: Vec<(&str, f64)> =
            self.parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        reader.signals = signal_names(&reader, &table, &names);
        read_tables(&reader, &table, &names);
        visit(&reader, &table, &names, &mut |entry| each(&entry));
    }

    /// The points there are instead of one that is missing.
    fn points_instead(&self, missing: &str) -> Option<String> {
        let (part, _) = missing.split_once('.')?;
        let points = self.mechanism.points_of(part)?;
        Some(match (part, points.len()) {
            ("ground", 0) => "points of the ground are given in the table [points]".into(),
            (_, 0) => format!("`{part}` has no points: give them by its `points`"),
            (_, 1..=MAX_LISTED) => {
                format!("`{part}` has the points {}", words(points.iter().map(String::as_str)))
            }
            (_, n) => format!("`{part}` has {n} other points"),
        })
    }

    /// The place of the formula of a signal.
    fn signal_span(&self, name: &str) -> Option<Range<usize>> {
        let (table, _): (DeTable<'_>, _) = tree(&self.source.text).ok()?;
        let DeValue::Table(signals) = table.get("signal")?.get_ref() else { return None };
        signals.get(name).map(|node| node.span())
    }

    /// The place of a key before all tables.
    fn top_level_span(&self, wanted: &str) -> Option<Range<usize>> {
        let (table, _): (DeTable<'_>, _) = tree(&self.source.text).ok()?;
        let (key, node) = table.get_key_value(wanted)?;
        // of a table its heading
        Some(if node.get_ref().is_table() { key.span() } else { node.span() })
    }
}

/// The place of a part or of one of its values.
struct SourceLocation {
    span: Range<usize>,
    /// " (for i = 3)" of a repeated entry.
    index: String,
    /// Whether it is the place of the requested key.
    has_key: bool,
    /// The value, if it is text.
    text: Option<String>,
}

impl SourceLocation {
    fn of(entry: &Entry<'_>, key: Option<InputKey>) -> Self {
        let index = entry.scope.index();
        let value = key.and_then(|key| {
            let value = find(entry.table, key.name)?;
            match (value.get_ref(), key.entry) {
                (DeValue::Array(list), Some(k)) => list.get(k),
                _ => Some(value),
            }
        });
        let text = value.and_then(|value| match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        });
        let span = value.map_or(entry.span.clone(), |value| value.span());
        Self { span, index, has_key: value.is_some(), text }
    }
}
