//! The study file: what is varied, how, and which quantities of each case are kept.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::design::DesignKind;
use crate::error::LabError;

/// What is computed in each case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseAnalysis {
    /// The motion.
    #[default]
    Run,
    /// The static equilibrium.
    Static,
    /// Natural frequencies about the start.
    Modes,
    /// Natural frequencies about the equilibrium; with `modes.spin.z` and the like, about steady rotation.
    StaticModes,
}

/// The contents of a study file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StudyManifest {
    /// The title.
    #[serde(default)]
    pub title: Option<String>,
    /// The model file, relative to the study file, or the name of an example.
    #[serde(default)]
    pub model: Option<String>,
    /// What is computed in each case.
    #[serde(default)]
    pub analysis: CaseAnalysis,
    /// How cases are formed.
    #[serde(default)]
    pub design: Option<DesignKind>,
    /// The number of points of a sampled design.
    #[serde(default)]
    pub samples: Option<u64>,
    /// The seed of random numbers.
    #[serde(default)]
    pub seed: u64,
    /// A table of cases (CSV), relative to the study file: a column for each parameter, a row for each case.
    #[serde(default)]
    pub table: Option<String>,
    /// A case that computes longer than this number of seconds fails.
    #[serde(default)]
    pub time_limit: Option<f64>,
    /// The number of modes that are computed; 10 by default.
    #[serde(default)]
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
}

impl StudyManifest {
    /// Reads a study file.
    pub fn read(path: &Path) -> Result<Self, LabError> {
        let fail = |reason: String| LabError::input(format!("{}: {reason}", path.display()));
        let text =
            std::fs::read_to_string(path).map_err(|error| fail(format!("cannot read: {error}")))?;
        let mut manifest: Self = toml::from_str(&text).map_err(|error| fail(error.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        manifest.read_table(folder)?;
        Ok(manifest)
    }

    /// Reads the manifest from JSON, with the same keys.
    pub fn from_json(text: &str) -> Result<Self, LabError> {
        serde_json::from_str(text).map_err(|error| LabError::input(format!("study: {error}")))
    }

    /// Replaces the name of a table of cases by its values.
    pub fn read_table(&mut self, folder: &Path) -> Result<(), LabError> {
        let Some(table) = self.table.take() else { return Ok(()) };
        let path = folder.join(table);
        let fail = |reason: String| LabError::input(format!("{}: {reason}", path.display()));
        if !self.parameters.is_empty() {
            return Err(fail("a table of cases excludes [parameters]".into()));
        }
        if self.design.is_some_and(|design| design != DesignKind::Table) {
            return Err(fail("a table of cases excludes another `design`".into()));
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
}
