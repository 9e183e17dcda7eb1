//! The study file: what is varied, how, and which quantities of each case are kept.

use std::io::Read;
use std::path::Path;

use cardan::file::{Diagnostics, SourceText, explain_syntax};
use serde::{Deserialize, Serialize};

use super::analysis::CaseAnalysis;
use super::design::DesignKind;
use super::problem::{StudyProblem, error_of};
use super::schema::check;
use crate::error::LabError;

/// The contents of a study file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StudyManifest {
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The model file, relative to the study file, or the name of an example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What is computed in each case.
    #[serde(default)]
    pub analysis: CaseAnalysis,
    /// How cases are formed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<DesignKind>,
    /// The number of points of a sampled design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// The seed of random numbers.
    #[serde(default)]
    pub seed: u64,
    /// A table of cases (CSV), relative to the study file: a column for each parameter, a row for each case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// A case that computes longer than this number of seconds fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// The number of modes that are computed; 10 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<usize>,
    /// Values that are the same in all cases.
    #[serde(default)]
    pub set: toml::Table,
    /// The parameters that vary, with their values.
    #[serde(default)]
    pub parameters: toml::Table,
    /// Formulas over the results.
    #[serde(default)]
    pub quantities: toml::Table,
    /// Channels whose values over time are kept.
    #[serde(default)]
    pub histories: Vec<String>,
    /// The study file.
    #[serde(skip)]
    pub source: Option<SourceText>,
}

/// Larger files are refused.
const MAX_FILE: u64 = 16 << 20;

/// Settings that are written as tables, `simulation.end = 1`, by their full names: `"simulation.end" = 1`.
fn with_flat_settings(table: toml::Table) -> toml::Table {
    let mut flat = toml::Table::new();
    for (name, value) in table {
        match value {
            toml::Value::Table(inner) if ["simulation", "modes"].contains(&name.as_str()) => {
                let full = |(key, value): (String, toml::Value)| (format!("{name}.{key}"), value);
                for (name, value) in inner.into_iter().map(full) {
                    match value {
                        toml::Value::Table(spin) if name == "modes.spin" => {
                            flat.extend(spin.into_iter().map(|(k, x)| (format!("{name}.{k}"), x)));
                        }
                        value => _ = flat.insert(name, value),
                    }
                }
            }
            value => _ = flat.insert(name, value),
        }
    }
    flat
}

impl StudyManifest {
    /// Reads a study file.
    pub fn read(path: &Path) -> Result<Self, LabError> {
        let name = path.display().to_string();
        let fail = |reason: String| LabError::input(format!("{name}: {reason}"));
        let file =
            std::fs::File::open(path).map_err(|error| fail(format!("cannot open: {error}")))?;
        let mut text = String::new();
        let read = file.take(MAX_FILE + 1).read_to_string(&mut text);
        read.map_err(|error| fail(format!("cannot read: {error}")))?;
        if text.len() as u64 > MAX_FILE {
            return Err(fail("this is larger than 16 MiB and not read as a study file".into()));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_string();
        let source = SourceText { name: name.clone(), text };
        let contents = toml::from_str(&source.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let list = vec![explain_syntax(&source.text, span)];
            LabError::from(Diagnostics { source: source.clone(), list })
        })?;
        let mut manifest = Self::of(contents, Some(source))?;
        manifest.read_table(path.parent().unwrap_or(Path::new("")))?;
        Ok(manifest)
    }

    /// Reads the manifest from JSON, with the same keys.
    pub fn from_json(text: &str) -> Result<Self, LabError> {
        // into a table of TOML, which keeps the order of the parameters
        let contents = serde_json::from_str(text);
        Self::of(contents.map_err(|error| LabError::input(format!("study: {error}")))?, None)
    }

    /// Checks the contents of a study file.
    fn of(contents: toml::Table, source: Option<SourceText>) -> Result<Self, LabError> {
        let problems = check(&contents);
        if !problems.is_empty() {
            return Err(error_of(problems, source.as_ref()));
        }
        let read = toml::Value::Table(contents).try_into();
        let mut manifest: Self =
            read.map_err(|error: toml::de::Error| LabError::input(error.to_string()))?;
        manifest.source = source;
        for table in [&mut manifest.set, &mut manifest.parameters] {
            *table = with_flat_settings(std::mem::take(table));
        }
        Ok(manifest)
    }

    /// The error of a problem, with its place in the study file if there is one.
    pub fn error(&self, problem: StudyProblem) -> LabError {
        error_of(vec![problem], self.source.as_ref())
    }

    /// Replaces the name of a table of cases by its values.
    pub fn read_table(&mut self, folder: &Path) -> Result<(), LabError> {
        let Some(table) = self.table.take() else {
            return match self.design {
                Some(DesignKind::Table) => {
                    let problem = StudyProblem::new("this design needs `table`, a CSV file");
                    Err(self.error(problem.at(&["design"])))
                }
                _ => Ok(()),
            };
        };
        let path = folder.join(table);
        let fail = |reason: String| LabError::input(format!("{}: {reason}", path.display()));
        let exclusive = |what: &str, key: &str| {
            let problem = StudyProblem::new(format!("a table of cases excludes {what}"));
            Err(self.error(problem.at_key(&[key])))
        };
        if !self.parameters.is_empty() {
            return exclusive("[parameters]", "parameters");
        }
        if self.design.is_some_and(|design| design != DesignKind::Table) {
            return exclusive("another `design`", "design");
        }
        let text = std::fs::read_to_string(&path)
            .map_err(|error| fail(format!("cannot read: {error}")))?;
        self.parameters = table_columns(&text).map_err(fail)?;
        self.design = Some(DesignKind::Table);
        Ok(())
    }
}

/// The columns of comma-separated values, as lists.
fn table_columns(text: &str) -> Result<toml::Table, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, header) = lines.next().ok_or("the table is empty")?;
    let names = fields(header.trim_start_matches('\u{feff}'));
    let mut columns: Vec<Vec<toml::Value>> = vec![Vec::new(); names.len()];
    for (k, line) in lines {
        let row = fields(line);
        if row.len() != names.len() {
            let (found, wanted) = (row.len(), names.len());
            return Err(format!("line {} has {found} fields, the header has {wanted}", k + 1));
        }
        for (column, field) in columns.iter_mut().zip(row) {
            column.push(match field.parse::<f64>() {
                Ok(number) => number.into(),
                Err(_) => field.into(),
            });
        }
    }
    if columns.first().is_none_or(Vec::is_empty) {
        return Err("the table has no cases".into());
    }
    let mut table = toml::Table::new();
    for (name, column) in names.into_iter().zip(columns) {
        if name.is_empty() {
            return Err("a column has no name".into());
        }
        if table.insert(name.clone(), column.into()).is_some() {
            return Err(format!("two columns have the name `{name}`"));
        }
    }
    Ok(table)
}

/// The fields of a line; quotes protect commas, and two quotes stand for one.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                field.push('"');
                characters.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => all.push(std::mem::take(&mut field).trim().to_string()),
            c => field.push(c),
        }
    }
    all.push(field.trim().to_string());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_cases() -> Result<(), String> {
        let columns = table_columns("a, simulation.method\n1e-3,bathe\n-2,\"x, \"\"y\"\"\"\n\n")?;
        assert_eq!(columns["a"], toml::Value::from(vec![1e-3, -2.0]));
        assert_eq!(columns["simulation.method"], toml::Value::from(vec!["bathe", "x, \"y\""]));
        for wrong in ["", "a,b\n", "a,b\n1\n", "a,a\n1,2\n", ",\n1,2\n"] {
            assert!(table_columns(wrong).is_err(), "{wrong:?}");
        }
        Ok(())
    }

    /// A manifest that is sent to a worker arrives unchanged, with its parameters in order.
    #[test]
    fn manifest_as_json_keeps_the_order_of_parameters() -> Result<(), Box<dyn std::error::Error>> {
        let text = r#"{"parameters":{"z":[1],"a":[2]},"quantities":{"q":"steps","b":"drift"}}"#;
        let manifest = StudyManifest::from_json(text)?;
        let names: Vec<&String> =
            manifest.parameters.keys().chain(manifest.quantities.keys()).collect();
        assert_eq!(names, ["z", "a", "q", "b"]);
        let again = StudyManifest::from_json(&serde_json::to_string(&manifest)?)?;
        assert_eq!(again.parameters.keys().collect::<Vec<_>>(), ["z", "a"]);
        assert_eq!(again, manifest);
        Ok(())
    }
}
