//! The table of a study: one row per case with parameters, quantities, status, reason and time.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::analysis::CaseAnalysis;
use super::design::DesignKind;
use super::failure_counts::FailureCounts;
use super::parquet_table::{TableColumn, TableWriter, check_place, read_parquet};
use super::plan::StudyPlan;
use super::row::CaseHistory;
use super::store::StudyStore;
use super::values::CaseValue;
use crate::error::LabError;

/// The table of the cases.
pub const TABLE: &str = "table.parquet";
/// The channels over time.
pub const HISTORIES: &str = "histories.parquet";
/// Rows of a block.
const BLOCK: usize = 1 << 14;
/// Rows of a block of histories.
const HISTORY_BLOCK: usize = 1 << 16;

/// The status of a case that failed.
const FAILED: &str = "failed";

/// What is known of a study when its tables are written.
pub struct WrittenStudy {
    /// The number of cases that are completed.
    pub completed: u64,
    /// The failures of the others.
    pub failures: FailureCounts,
    /// The columns of the quantities, without the others.
    pub quantities: StudyTable,
}

/// What a table of a study says about itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StudyDescription {
    /// The title.
    pub title: String,
    /// The design.
    pub design: DesignKind,
    /// What was computed.
    pub analysis: CaseAnalysis,
    /// The model.
    #[serde(default)]
    pub model: String,
    /// The seed of random numbers.
    #[serde(default)]
    pub seed: u64,
    /// Parameters and settings that are the same in all cases, with their values.
    #[serde(default)]
    pub set: Vec<(String, String)>,
    /// The columns of parameters.
    pub parameters: Vec<String>,
    /// The values of each parameter, as they are written in the study; none for a table of cases.
    #[serde(default)]
    pub values: Vec<String>,
    /// The columns of quantities, with their formulas.
    pub quantities: Vec<(String, String)>,
}

/// The table of a study in memory.
#[derive(Clone, Debug)]
pub struct StudyTable {
    /// What the table says about itself.
    pub about: StudyDescription,
    /// The columns with their names.
    pub columns: Vec<(String, TableColumn)>,
}

impl StudyPlan {
    /// What the table says about itself.
    pub fn description(&self) -> StudyDescription {
        let quantity = |(name, formula): &(String, super::StudyFormula)| {
            (name.clone(), formula.text().to_string())
        };
        StudyDescription {
            title: self.manifest.title.clone().unwrap_or_default(),
            design: self.design.kind(),
            analysis: self.manifest.analysis,
            model: self.model_name().into(),
            seed: self.manifest.seed,
            set: self.fixed.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
            values: self.manifest.parameters.values().map(written).collect(),
            parameters: self.design.parameters().iter().map(|x| x.name.clone()).collect(),
            quantities: self.quantities.iter().map(quantity).collect(),
        }
    }

    /// An error if the folder has files of others under the names of the tables.
    pub fn check_tables(folder: &Path) -> Result<(), LabError> {
        [TABLE, HISTORIES].iter().try_for_each(|name| check_place(&folder.join(name)))
    }

    /// Writes the table, and the histories if there are any, in the order of the cases.
    pub fn write_tables(
        &self,
        store: &StudyStore,
        folder: &Path,
    ) -> Result<WrittenStudy, LabError> {
        let about = serde_json::to_string(&self.description()).unwrap_or_default();
        let path = folder.join(TABLE);
        let mut table = TableWriter::create(&path, self.empty_columns(), &about)?;
        let history_path = folder.join(HISTORIES);
        let mut histories: Option<TableWriter<'_>> = None;
        let (mut completed, mut failures) = (0, FailureCounts::default());
        let cases = usize::try_from(self.design.cases()).unwrap_or(0);
        let new_column = || Vec::with_capacity(cases);
        let mut quantities: Vec<Vec<f64>> = self.quantities.iter().map(|_| new_column()).collect();
        let mut rows = store.rows()?;
        for case in 0..self.design.cases() {
            let values = self.design.case(case);
            let row = rows.row(self.key(&values))?.ok_or_else(|| {
                LabError::input(format!(
                    "case {case} is not computed\n  try: the same command again"
                ))
            })?;
            match row.is_failed {
                true => failures.add(&row.reason),
                false => completed += 1,
            }
            quantities.iter_mut().zip(&row.quantities).for_each(|(all, x)| all.push(*x));
            if let Some(history) = &row.history {
                if histories.is_none() {
                    let columns = history_columns(history);
                    histories = Some(TableWriter::create(&history_path, columns, &about)?);
                }
                if let Some(writer) = &mut histories {
                    add_history(writer, case, history)?;
                }
            }
            let status = if row.is_failed { FAILED } else { "completed" };
            let cells = std::iter::once(CaseValue::Number(case as f64))
                .chain(values)
                .chain(row.quantities.iter().copied().map(CaseValue::Number))
                .chain([CaseValue::Text(status.into()), CaseValue::Text(row.reason)])
                .chain([CaseValue::Number(row.seconds)]);
            for ((_, column), cell) in table.block.iter_mut().zip(cells) {
                match (column, cell) {
                    (TableColumn::Integers(all), CaseValue::Number(x)) => all.push(x as i64),
                    (TableColumn::Numbers(all), CaseValue::Number(x)) => all.push(x),
                    (TableColumn::Numbers(all), CaseValue::Text(_)) => all.push(f64::NAN),
                    (TableColumn::Text(all), cell) => all.push(cell.to_string()),
                    (TableColumn::Integers(all), CaseValue::Text(_)) => all.push(-1),
                }
            }
            if table.block[0].1.len() >= BLOCK {
                table.flush()?;
            }
        }
        histories.map(TableWriter::finish).transpose()?;
        table.finish()?;
        let names = self.quantities.iter().map(|(name, _)| name.clone());
        let columns = names.zip(quantities.into_iter().map(TableColumn::Numbers)).collect();
        let quantities = StudyTable { about: self.description(), columns };
        Ok(WrittenStudy { completed, failures, quantities })
    }

    /// The columns of the table. A parameter whose values are not all numbers is text.
    fn empty_columns(&self) -> Vec<(String, TableColumn)> {
        let numbers = || TableColumn::Numbers(Vec::new());
        let text = || TableColumn::Text(Vec::new());
        let mut columns = vec![("case".to_string(), TableColumn::Integers(Vec::new()))];
        for parameter in self.design.parameters() {
            let is_text = |value: &CaseValue| matches!(value, CaseValue::Text(_));
            let has_text = match &parameter.values {
                super::ParameterValues::List(values) => values.iter().any(is_text),
                _ => false,
            } || parameter.base.as_ref().is_some_and(is_text);
            columns.push((parameter.name.clone(), if has_text { text() } else { numbers() }));
        }
        columns.extend(self.quantities.iter().map(|(name, _)| (name.clone(), numbers())));
        columns.extend([("status".into(), text()), ("reason".into(), text())]);
        columns.push(("wall_time".into(), numbers()));
        columns
    }
}

/// Values as they are written in a study file.
fn written(value: &toml::Value) -> String {
    let list = |all: Vec<String>| all.join(", ");
    match value {
        toml::Value::Array(all) => format!("[{}]", list(all.iter().map(written).collect())),
        toml::Value::Table(all) => {
            let pair =
                |(key, value): (&String, &toml::Value)| format!("{key} = {}", written(value));
            list(all.iter().map(pair).collect())
        }
        toml::Value::Float(x) => crate::table::short(*x),
        toml::Value::Integer(x) => x.to_string(),
        other => other.as_str().unwrap_or_default().into(),
    }
}

fn history_columns(history: &CaseHistory) -> Vec<(String, TableColumn)> {
    let numbers = |name: &String| (name.clone(), TableColumn::Numbers(Vec::new()));
    let case = ("case".to_string(), TableColumn::Integers(Vec::new()));
    std::iter::once(case).chain(history.names.iter().map(numbers)).collect()
}

fn add_history(
    writer: &mut TableWriter<'_>,
    case: u64,
    history: &CaseHistory,
) -> Result<(), LabError> {
    let rows = history.columns.first().map_or(0, Vec::len);
    for (name, column) in &mut writer.block {
        match column {
            TableColumn::Integers(all) => all.extend(vec![case as i64; rows]),
            TableColumn::Numbers(all) => {
                let found = history.names.iter().position(|known| known == name);
                match found.map(|k| &history.columns[k]) {
                    Some(values) => all.extend(values),
                    None => all.extend(vec![f64::NAN; rows]),
                }
            }
            TableColumn::Text(_) => {}
        }
    }
    match writer.block[0].1.len() >= HISTORY_BLOCK {
        true => writer.flush(),
        false => Ok(()),
    }
}

impl StudyTable {
    /// Reads the table of a study: a file, or the folder of the study.
    pub fn open(path: &Path) -> Result<Self, LabError> {
        let path: PathBuf = if path.is_dir() { path.join(TABLE) } else { path.into() };
        let (columns, about) = read_parquet(&path)?;
        let about = serde_json::from_str(&about).map_err(|_| {
            LabError::input(format!("{} is not the table of a study", path.display()))
        })?;
        Ok(Self { about, columns })
    }

    /// A column.
    pub fn column(&self, name: &str) -> Option<&TableColumn> {
        self.columns.iter().find(|(known, _)| known == name).map(|(_, column)| column)
    }

    /// The numbers of a column; none if there is no such column.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.column(name).map_or_else(Vec::new, TableColumn::numbers)
    }

    /// The failures of the cases.
    pub fn failures(&self) -> FailureCounts {
        let mut counts = FailureCounts::default();
        if let (Some(TableColumn::Text(status)), Some(TableColumn::Text(reasons))) =
            (self.column("status"), self.column("reason"))
        {
            let failed = status.iter().zip(reasons).filter(|(status, _)| *status == FAILED);
            failed.for_each(|(_, reason)| counts.add(reason));
        }
        counts
    }
}
