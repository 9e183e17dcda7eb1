//! One table of the file: its keys checked against the schema, its values read by name.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::format::{FORMAT, new_name};
use super::schema::{SchemaField, SchemaSection, SchemaVariant, section};
use super::scope::{Scope, Smooth, TomlNode};
use crate::model::{Function, Law};
use cardan_core::math::Vector3;
use cardan_core::suggestion;

/// A table of the file with the keys that it may contain.
pub(super) struct Entry<'a> {
    pub scope: Scope<'a>,
    pub section: &'static SchemaSection,
    pub variant: Option<&'static SchemaVariant>,
    pub table: &'a DeTable<'a>,
    pub name: String,
    /// The place of its name.
    pub span: Range<usize>,
}

/// A list of words for a message.
pub(super) fn words<'w>(all: impl IntoIterator<Item = &'w str>) -> String {
    all.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The value of a key.
pub(super) fn find<'a>(table: &'a DeTable<'a>, key: &str) -> Option<&'a TomlNode<'a>> {
    table.get(key)
}

impl<'a> Entry<'a> {
    /// Checks the keys of a table; `None` if its kind is not known.
    pub fn open(
        scope: Scope<'a>,
        section: &'static SchemaSection,
        table: &'a DeTable<'a>,
        name: String,
        span: Range<usize>,
    ) -> Option<Self> {
        let mut entry = Self { scope, section, variant: None, table, name, span };
        if !section.variants.is_empty() {
            entry.variant = Some(entry.kind()?);
        }
        entry.check_keys();
        Some(entry)
    }

    fn note<T>(&self, problem: Diagnostic) -> Option<T> {
        self.scope.reader.note(problem)
    }

    /// The kind that `type` names.
    fn kind(&self) -> Option<&'static SchemaVariant> {
        let known = || self.section.variants.iter().map(|variant| variant.name);
        let all = || format!("it is one of {}", words(known()));
        let key = self.section.key;
        let Some(node) = find(self.table, "type") else {
            let Some(default) = self.section.default else {
                let message = format!("{key} `{}` has no `type`", self.name);
                return self.note(Diagnostic::at(self.span.clone(), message).help(all()));
            };
            return self.section.variant(default);
        };
        let word = self.scope.text(node)?;
        self.section.variant(&word).or_else(|| {
            let message = format!("there is no {key} of type `{word}`");
            let problem = Diagnostic::at(node.span(), message).help(all());
            let meant = synonym_of_kind(&word).filter(|meant| known().any(|name| name == *meant));
            let nearest = meant.map(str::to_string).or_else(|| suggestion::nearest(&word, known()));
            self.note(problem.with_suggestion(nearest))
        })
    }

    fn fields(&self) -> impl Iterator<Item = &'static SchemaField> {
        let own = self.variant.map_or(&[][..], |variant| &variant.fields);
        self.section.fields.iter().chain(own)
    }

    /// The name of the table in messages.
    fn title(&self) -> String {
        match (self.section.is_named(), self.section.key) {
            (true, key) => format!("{key} `{}`", self.name),
            (false, "") => "the file".into(),
            (false, key) => format!("[{key}]"),
        }
    }

    /// Notes keys that do not apply here, and those that are missing.
    fn check_keys(&self) {
        let has_kinds = !self.section.variants.is_empty();
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if self.fields().any(|field| field.key == name) || (has_kinds && name == "type") {
                continue;
            }
            if self.scope.reader.is_full() {
                return;
            }
            self.note::<()>(self.unknown(name, key.span()));
        }
        for field in self.fields().filter(|field| field.is_required) {
            if find(self.table, field.key).is_none() {
                let message = format!("{} has no `{}`", self.title(), field.key);
                self.note::<()>(Diagnostic::at(self.span.clone(), message).help(field.description));
            }
        }
    }

    fn unknown(&self, name: &str, span: Range<usize>) -> Diagnostic {
        let title = self.title();
        let variant = self.variant.map(|variant| variant.name);
        if let Some(new) = new_name(self.section.key, variant, name) {
            let message = format!("{title} does not take `{name}`");
            return Diagnostic::at(span, message)
                .help(format!("in format {FORMAT} it is called `{new}`"));
        }
        if let Some(variant) = self.variant {
            let takes = |other: &&SchemaVariant| other.fields.iter().any(|field| field.key == name);
            let others: Vec<_> =
                self.section.variants.iter().filter(takes).map(|other| other.name).collect();
            if !others.is_empty() {
                let key = self.section.key;
                let message = format!("`{name}` does not apply to a {} {key}", variant.name);
                return Diagnostic::at(span, message)
                    .help(format!("it belongs to {}", others.join(", ")));
            }
        }
        let top = section("").map_or(&[][..], |top| &top.fields);
        if top.iter().any(|field| field.key == name) {
            let message = format!("{title} does not take `{name}`");
            return Diagnostic::at(span, message).help("it belongs before all tables");
        }
        let own = || self.fields().map(|field| field.key);
        let nearest =
            synonym_of_key(name).filter(|meant| own().any(|key| key == *meant)).map(str::to_string);
        let nearest = nearest.or_else(|| suggestion::nearest(name, own()));
        let message = format!("{title} does not take `{name}`");
        let problem = Diagnostic::at(span, message).help(format!("it takes {}", words(own())));
        problem.with_suggestion(nearest)
    }

    /// The value of a key, as the schema has it.
    pub fn get(&self, key: &str) -> Option<&'a TomlNode<'a>> {
        debug_assert!(self.fields().any(|field| field.key == key), "`{key}` is not in the schema");
        find(self.table, key)
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        find(self.table, key).is_some()
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        self.scope.number(self.get(key)?)
    }

    /// A number that is not negative.
    pub fn amount(&self, key: &str) -> Option<f64> {
        let (node, value) = (self.get(key)?, self.number(key)?);
        match value >= 0.0 {
            true => Some(value),
            false => {
                let message = format!("`{key}` is {value}; it cannot be negative");
                self.note(Diagnostic::at(node.span(), message))
            }
        }
    }

    /// A number above zero.
    pub fn positive(&self, key: &str) -> Option<f64> {
        let (node, value) = (self.get(key)?, self.number(key)?);
        match value > 0.0 {
            true => Some(value),
            false => {
                let message = format!("`{key}` is {value}; it must be positive");
                self.note(Diagnostic::at(node.span(), message))
            }
        }
    }

    pub fn text(&self, key: &str) -> Option<String> {
        self.scope.text(self.get(key)?)
    }

    /// A file; a relative path begins in the folder of the model.
    pub fn file(&self, key: &str) -> Option<std::path::PathBuf> {
        Some(self.scope.reader.folder.join(self.text(key)?))
    }

    /// A list of numbers.
    pub fn list(&self, key: &str) -> Option<Vec<f64>> {
        let list = self.scope.list(self.get(key)?, &[], "a list of numbers")?;
        list.iter().map(|node| self.scope.number(node)).collect()
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        self.scope.flag(self.get(key)?)
    }

    pub fn vector(&self, key: &str) -> Option<Vector3> {
        self.scope.vector(self.get(key)?)
    }

    pub fn direction(&self, key: &str) -> Option<Vector3> {
        self.scope.direction(self.get(key)?)
    }

    pub fn directions(&self, key: &str) -> Option<[Vector3; 2]> {
        self.scope.directions(self.get(key)?)
    }

    pub fn function(&self, key: &str, smooth: Smooth) -> Option<Function> {
        self.scope.function(self.get(key)?, smooth)
    }

    pub fn functions(&self, key: &str) -> Option<[Function; 3]> {
        self.scope.functions(self.get(key)?)
    }

    pub fn law(&self, key: &str) -> Option<Law> {
        self.scope.law(self.get(key)?)
    }

    /// Two names.
    pub fn pair(&self, key: &str) -> Option<[String; 2]> {
        let node = self.get(key)?;
        let list = self.scope.list(node, &[2], "a list of two names")?;
        Some([self.scope.text(&list[0])?, self.scope.text(&list[1])?])
    }

    /// The entries of a table of names, such as points.
    pub fn items(&self, key: &str) -> Option<Vec<(&'a str, Range<usize>, &'a TomlNode<'a>)>> {
        let node = self.get(key)?;
        match node.get_ref() {
            DeValue::Table(table) => Some(items(table)),
            _ => self.scope.unexpected(node, "a table of names"),
        }
    }

    /// One of the words that the schema allows.
    pub fn word(&self, key: &str) -> Option<String> {
        let node = self.get(key)?;
        let word = self.scope.text(node)?;
        let field = self.fields().find(|field| field.key == key)?;
        let Some(known) = field.kind.words() else { return Some(word) };
        if known.contains(&word.as_str()) {
            return Some(word);
        }
        let problem = Diagnostic::at(node.span(), format!("`{key}` cannot be `{word}`"))
            .help(format!("it is one of {}", words(known.iter().copied())));
        self.note(problem.with_suggestion(suggestion::nearest(&word, known.into_iter())))
    }

    /// Notes two keys that exclude each other.
    pub fn exclude(&self, one: &str, two: &str) {
        if let (true, Some(node)) = (self.has(one), find(self.table, two)) {
            let message = format!("{} has `{one}` and `{two}`: one of them only", self.title());
            self.note::<()>(Diagnostic::at(node.span(), message));
        }
    }
}

/// The keys of a table with their places and values.
pub(super) fn items<'a>(table: &'a DeTable<'a>) -> Vec<(&'a str, Range<usize>, &'a TomlNode<'a>)> {
    table.iter().map(|(key, node)| (key.get_ref().as_ref(), key.span(), node)).collect()
}

/// The key for a word that other programs use.
fn synonym_of_key(word: &str) -> Option<&'static str> {
    Some(match word {
        "bodies" | "rigid_body" | "link" | "links" => "body",
        "joints" | "constraint" | "constraints" => "joint",
        "forces" | "springs" | "spring" | "load" | "loads" => "force",
        "drives" | "motor" | "motors" | "motion" => "drive",
        "gears" => "gear",
        "parameter" | "params" | "variables" | "constants" => "parameters",
        "settings" | "solver" | "integrator" | "sim" => "simulation",
        "outputs" | "results" => "output",
        "g" => "gravity",
        "com" | "cog" | "center" | "center_of_mass" | "centre_of_mass" => "centre",
        "I" | "J" | "moment_of_inertia" => "inertia",
        "m" => "mass",
        "rotation" | "quaternion" | "attitude" => "orientation",
        "omega" | "spin" => "angular_velocity",
        "dt" | "h" | "time_step" | "timestep" | "step_size" => "step",
        "t_end" | "tend" | "duration" | "end_time" => "end",
        "integration" | "scheme" => "method",
        "k" => "stiffness",
        "c" | "d" => "damping",
        "l0" | "rest_length" | "length" => "rest",
        "location" | "place" | "pos" | "point" => "at",
        "points" | "connects" | "ends" => "between",
        "mu" => "coefficient",
        "rho_inf" | "rho_infinity" | "spectral_radius" => "rho",
        _ => return None,
    })
}

/// Kinds of parts by names that other programs use.
fn synonym_of_kind(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().replace('_', "-").as_str() {
        "hinge" | "pin" | "pivot" | "rotational" => "revolute",
        "ball" | "ball-joint" | "s" => "spherical",
        "slider" | "slide" | "sliding" => "prismatic",
        "weld" | "rigid" | "clamp" => "fixed",
        "hooke" | "cardan" | "u" => "universal",
        "rod" | "link" => "distance",
        "line" | "inline" | "point-on-axis" => "point-on-line",
        "plane" | "inplane" => "point-in-plane",
        "torsion-spring" | "torsional-spring" | "rotational-spring" | "torsion" => "joint-spring",
        "damper" | "spring-damper" | "actuator" => "spring",
        "rotation" | "position" => "angle",
        "force" => "load",
        "moment" => "torque",
        "point" | "mass" | "particle" | "point-mass" => "point-mass",
        "velocity" | "rate" => "speed",
        _ => return None,
    })
}

/// The section that may have been meant.
pub(super) fn similar_section(word: &str, known: &[&'static str]) -> Option<String> {
    let meant = synonym_of_key(word).filter(|meant| known.contains(meant)).map(str::to_string);
    meant.or_else(|| suggestion::nearest(word, known.iter().copied()))
}
