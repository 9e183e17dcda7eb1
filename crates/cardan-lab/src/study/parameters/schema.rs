//! The keys of a study file as one table: the checks, the JSON Schema for editors and the reference page for people are
//! made from it.

use super::problem::StudyProblem;
use super::values::{number, type_name};

/// A word with its meaning.
pub type NamedWord = (&'static str, &'static str);

/// The kind of a value.
#[derive(Clone, Copy)]
pub enum StudyValueKind {
    /// Text.
    Text,
    /// A path to a file.
    File,
    /// One of some words.
    Word(fn() -> Vec<NamedWord>),
    /// A whole number that is at least the given one.
    Count(u64),
    /// A positive number.
    Positive,
    /// Names, possibly with `*`.
    Names,
    /// A number or text for each name.
    FixedValues,
    /// Values for each name.
    VariedValues,
    /// A formula for each name.
    Formulas,
}

/// A key of a study file.
#[derive(Clone, Copy)]
pub struct StudyKey {
    /// The name.
    pub key: &'static str,
    /// The kind of its value.
    pub kind: StudyValueKind,
    /// Its meaning.
    pub description: &'static str,
}

const fn key(key: &'static str, kind: StudyValueKind, description: &'static str) -> StudyKey {
    StudyKey { key, kind, description }
}

/// The words for `analysis`.
fn analyses() -> Vec<NamedWord> {
    super::analysis::ANALYSES.map(|(_, name, description)| (name, description)).to_vec()
}

/// The words for `design`.
fn designs() -> Vec<NamedWord> {
    super::design::DESIGNS.map(|(_, name, description)| (name, description)).to_vec()
}

/// The keys of a study file.
pub const STUDY_KEYS: [StudyKey; 13] = [
    key(
        "model",
        StudyValueKind::File,
        "the model file, relative to the study file, or the name of an example (required)",
    ),
    key("title", StudyValueKind::Text, "the title of pictures and of the report"),
    key(
        "analysis",
        StudyValueKind::Word(analyses),
        "what is computed in each case; `run` by default",
    ),
    key("design", StudyValueKind::Word(designs), "how cases are formed; `grid` by default"),
    key("samples", StudyValueKind::Count(1), "the number of points of a sampled design"),
    key("seed", StudyValueKind::Count(0), "the seed of random numbers; 0 by default"),
    key(
        "table",
        StudyValueKind::File,
        "a CSV file with a column for each parameter and a row for each case, instead of `[parameters]`",
    ),
    key(
        "time-limit",
        StudyValueKind::Positive,
        "a case that computes longer than this, in s, fails",
    ),
    key("modes", StudyValueKind::Count(1), "the number of modes that are computed; 10 by default"),
    key(
        "histories",
        StudyValueKind::Names,
        "channels whose values over time are kept, in `histories.parquet`",
    ),
    key(
        "set",
        StudyValueKind::FixedValues,
        "parameters and settings that are the same in all cases",
    ),
    key(
        "parameters",
        StudyValueKind::VariedValues,
        "parameters and settings that vary, with their values",
    ),
    key(
        "quantities",
        StudyValueKind::Formulas,
        "formulas over the results; each is a column of the table",
    ),
];

/// The problems of the contents of a study file: keys that it does not take, and values of another kind.
pub fn check(contents: &toml::Table) -> Vec<StudyProblem> {
    let mut problems = Vec::new();
    for (name, value) in contents {
        match STUDY_KEYS.iter().find(|known| known.key == name) {
            Some(known) => problems.extend(check_value(known, value)),
            None => {
                let problem = StudyProblem::new(format!("a study file has no `{name}`"));
                let known = STUDY_KEYS.iter().map(|known| known.key);
                problems.push(problem.at_key(&[name]).among(name, known));
            }
        }
    }
    problems
}

fn check_value(known: &StudyKey, value: &toml::Value) -> Vec<StudyProblem> {
    let name = known.key;
    let wrong = |expected: &str| {
        let message = format!("`{name}` must be {expected}, not {}", type_name(value));
        vec![StudyProblem::new(message).at(&[name])]
    };
    match (known.kind, value) {
        (StudyValueKind::Text | StudyValueKind::File, toml::Value::String(_)) => Vec::new(),
        (StudyValueKind::Text | StudyValueKind::File, _) => wrong("text in quotes"),
        (StudyValueKind::Word(words), toml::Value::String(word)) => {
            let words = words();
            match words.iter().any(|(known, _)| known == word) {
                true => Vec::new(),
                false => {
                    let problem = StudyProblem::new(format!("there is no {name} `{word}`"));
                    vec![problem.at(&[name]).among(word, words.iter().map(|(known, _)| *known))]
                }
            }
        }
        (StudyValueKind::Word(_), _) => wrong("a word in quotes"),
        (StudyValueKind::Count(least), toml::Value::Integer(count))
            if u64::try_from(*count).is_ok_and(|count| count >= least) =>
        {
            Vec::new()
        }
        (StudyValueKind::Count(1), _) => wrong("a whole number that is positive"),
        (StudyValueKind::Count(_), _) => wrong("a whole number that is not negative"),
        (StudyValueKind::Positive, value) => match number(value).is_some_and(|x| x > 0.0) {
            true => Vec::new(),
            false => wrong("a positive number"),
        },
        (StudyValueKind::Names, toml::Value::Array(all)) if all.iter().all(toml::Value::is_str) => {
            Vec::new()
        }
        (StudyValueKind::Names, _) => wrong("a list of names: [\"arm.angle\", \"tip.*\"]"),
        (_, toml::Value::Table(_)) => Vec::new(),
        _ => wrong(&format!("a table: [{name}]")),
    }
}
