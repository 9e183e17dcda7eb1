//! Problems of a study, with their place in the study file.

use std::fmt;
use std::ops::Range;

use cardan::file::{Diagnostic, Diagnostics, SourceText};
use cardan::suggestion;
use toml::de::{DeTable, DeValue};

use crate::error::LabError;

/// A problem of a study. Its place is given by keys, so that it can be found in a file and named without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyProblem {
    /// The keys that lead to the value: section and name.
    pub keys: Vec<String>,
    /// Whether the key is wrong and not its value.
    pub is_key: bool,
    /// The word of the value that is wrong.
    pub word: Option<String>,
    /// The problem.
    pub message: String,
    /// A suggestion or remedy.
    pub help: Option<String>,
}

impl StudyProblem {
    /// A problem of the study as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        let (keys, is_key, word, help) = Default::default();
        Self { keys, is_key, word, message: message.into(), help }
    }

    /// This problem at the value of a key.
    #[must_use]
    pub fn at(self, keys: &[&str]) -> Self {
        Self { keys: keys.iter().map(ToString::to_string).collect(), ..self }
    }

    /// This problem at a key.
    #[must_use]
    pub fn at_key(self, keys: &[&str]) -> Self {
        Self { is_key: true, ..self.at(keys) }
    }

    /// This problem at a word of the value.
    #[must_use]
    pub fn word(self, word: impl Into<String>) -> Self {
        Self { word: Some(word.into()), ..self }
    }

    /// Adds a suggestion or remedy.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds a similar name, or all names if there is none.
    #[must_use]
    pub fn among<'n>(self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        match suggestion::nearest(name, known.iter().copied()) {
            Some(nearest) => self.help(format!("did you mean `{nearest}`?")),
            None if known.is_empty() => self,
            None => self.help(format!("there are {}", known.join(", "))),
        }
    }
}

impl fmt::Display for StudyProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.keys[..] {
            [] => {}
            [key] => write!(out, "`{key}`: ")?,
            [section, rest @ ..] => write!(out, "[{section}] {}: ", rest.join("."))?,
        }
        write!(out, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(out, "\n  try: {help}"),
            None => Ok(()),
        }
    }
}

impl From<StudyProblem> for LabError {
    fn from(problem: StudyProblem) -> Self {
        Self::input(problem.to_string())
    }
}

/// The problems as an error: with their places if the study was read from a file.
pub fn error_of(problems: Vec<StudyProblem>, source: Option<&SourceText>) -> LabError {
    let Some(source) = source else {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        return LabError::input(lines.join("\n"));
    };
    let table = DeTable::parse(&source.text).ok().map(toml::Spanned::into_inner);
    let located = |problem: StudyProblem| {
        let span = table.as_ref().and_then(|table| place(&problem, &source.text, table));
        Diagnostic { message: problem.message, span, help: problem.help }
    };
    Diagnostics { source: source.clone(), list: problems.into_iter().map(located).collect() }.into()
}

/// The bytes of the text that a problem is about.
fn place(problem: &StudyProblem, text: &str, table: &DeTable<'_>) -> Option<Range<usize>> {
    let keys: Vec<&str> = problem.keys.iter().map(String::as_str).collect();
    let [key, value] = find(table, &keys)?;
    if problem.is_key {
        return Some(key);
    }
    let written = text.get(value.clone())?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let word = problem.word.as_deref().and_then(|word| {
        let mut found = written.match_indices(word);
        let is_whole = |(at, word): &(usize, &str)| {
            let after = written[at + word.len()..].chars().next();
            !written[..*at].ends_with(is_part) && !after.is_some_and(is_part)
        };
        let (at, word) = found.clone().find(is_whole).or_else(|| found.next())?;
        Some(value.start + at..value.start + at + word.len())
    });
    // a table over several lines cannot be underlined
    Some(word.unwrap_or(if written.contains('\n') { key } else { value }))
}

/// The places of a key and of its value; the innermost that exist. A name with dots may be written as nested tables.
fn find(table: &DeTable<'_>, keys: &[&str]) -> Option<[Range<usize>; 2]> {
    let [first, rest @ ..] = keys else { return None };
    let Some((key, value)) = table.get_key_value(*first) else {
        let (head, tail) = first.split_once('.')?;
        return find(table, &[&[head, tail], rest].concat());
    };
    let inner = match value.get_ref() {
        DeValue::Table(inner) => find(inner, rest),
        _ => None,
    };
    Some(inner.unwrap_or([key.span(), value.span()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_keys_values_and_words() {
        let text = "model = \"m\"\n[set]\nsimulation.end = 1\n[quantities]\npeak = \"max(angel) + angel\"\n";
        let source = SourceText { name: "s.toml".into(), text: text.into() };
        let line = |problem: StudyProblem| error_of(vec![problem], Some(&source)).message;
        let problem = || StudyProblem::new("wrong");
        assert_eq!(line(problem().at(&["model"])), "s.toml:1:9: wrong");
        assert_eq!(line(problem().at_key(&["set", "simulation.end"])), "s.toml:3:12: wrong");
        assert_eq!(line(problem().at(&["quantities", "peak"]).word("angel")), "s.toml:5:13: wrong");
        assert_eq!(line(problem().at(&["quantities", "other"])), "s.toml:4:1: wrong");
        assert_eq!(line(problem().help("x")), "s.toml: wrong; x");
    }
}
