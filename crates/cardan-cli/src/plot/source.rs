//! A run or a study as columns that can be drawn.

use std::path::Path;

use cardan::results::ResultsTable;
use cardan_lab::study::parameters::{HISTORIES, StudyTable, TABLE, TableColumn, read_parquet};

use crate::failure::CommandFailure;
use crate::table;

/// Where the curves of a picture come from.
pub enum PlotSource {
    /// The results of a run.
    Run(Box<ResultsTable>),
    /// The table and the histories of a study.
    Study(Box<StudySource>),
}

/// A study with its histories.
pub struct StudySource {
    pub table: StudyTable,
    /// The cases of the rows of the histories; empty without histories.
    cases: Vec<i64>,
    /// The columns of the histories: `time` and channels.
    histories: Vec<(String, TableColumn)>,
}

impl PlotSource {
    /// Opens a run or a study.
    pub fn open(path: &Path) -> Result<Self, CommandFailure> {
        let is_study = match path.is_dir() {
            true => path.join(TABLE).is_file(),
            false => path.file_name().is_some_and(|name| name == TABLE),
        };
        if !is_study {
            return Ok(Self::Run(Box::new(ResultsTable::open(path)?)));
        }
        let table = StudyTable::open(path)?;
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
        let kept = folder.join(HISTORIES);
        let mut histories = match kept.is_file() {
            true => read_parquet(&kept)?.0,
            false => Vec::new(),
        };
        let cases = match histories.is_empty() {
            true => Vec::new(),
            false => match histories.remove(0) {
                (_, TableColumn::Integers(cases)) => cases,
                _ => Vec::new(),
            },
        };
        Ok(Self::Study(Box::new(StudySource { table, cases, histories })))
    }

    /// The names of its channels, or of its quantities and channels.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Run(frame) => frame.columns().iter().map(|x| x.name.as_str()).collect(),
            Self::Study(study) => study.quantities().chain(study.channels()).collect(),
        }
    }
}

impl StudySource {
    /// The names of the quantities.
    pub fn quantities(&self) -> impl Iterator<Item = &str> {
        self.table.about.quantities.iter().map(|(name, _)| name.as_str())
    }

    /// The names of the channels over time, `time` first.
    pub fn channels(&self) -> impl Iterator<Item = &str> {
        self.histories.iter().map(|(name, _)| name.as_str())
    }

    /// The name of a case: the value of the only parameter, or its number.
    pub fn label(&self, case: i64) -> String {
        let only = match &self.table.about.parameters[..] {
            [name] => usize::try_from(case).ok().and_then(|k| {
                let value = self.table.numbers(name).get(k).copied()?;
                value.is_finite().then(|| format!("{name} = {}", table::short(value)))
            }),
            _ => None,
        };
        only.unwrap_or_else(|| format!("case {case}"))
    }

    /// A channel over another one: the case, and the points of each.
    pub fn curves(&self, x: &str, y: &str, most: usize) -> Vec<(i64, Vec<(f64, f64)>)> {
        let find = |wanted: &str| self.histories.iter().find(|(name, _)| name == wanted);
        let (Some((_, x)), Some((_, y))) = (find(x), find(y)) else { return Vec::new() };
        let (x, y) = (x.numbers(), y.numbers());
        let mut from = 0;
        let curve = |group: &[i64]| {
            let rows = from..from + group.len();
            from = rows.end;
            let points = x[rows.clone()].iter().copied().zip(y[rows].iter().copied());
            (group[0], points.collect())
        };
        self.cases.chunk_by(|a, b| a == b).take(most).map(curve).collect()
    }
}
