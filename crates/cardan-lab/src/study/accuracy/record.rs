//! All runs of the study, and the work of the automatic choice over that of the best method at equal error.

use serde::{Deserialize, Serialize};

use super::ACCURACY_MODELS;
use super::models::AccuracySubject;
use super::run::{AccuracyReference, AccuracyRun};
use crate::error::LabError;
use crate::examples;
use crate::table::TextTable;
use cardan::methods::MethodChoice;
use cardan::simulation::{ErrorControl, Settings};

/// The methods among which `method = "auto"` could choose.
pub const CANDIDATES: &[&str] = &[
    "esdirk436",
    "esdirk325",
    "esdirk324",
    "trbdf2",
    "generalized-alpha:rho=0.8",
    "hht",
    "lms2",
    "bdf2",
];
/// Tolerances between the loosest and the tightest of the study, so that work can be read at equal errors.
const TOLERANCES: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8];
/// Methods of second order take too many steps below this tolerance.
const MIN_SECOND_ORDER: f64 = 1e-7;

/// All runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AccuracyRecord {
    /// One for each model, method and tolerance.
    pub runs: Vec<AccuracyRun>,
}

/// The method that `auto` chooses for a model and a tolerance, and its work over that of the best candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AutomaticChoice {
    /// The model.
    pub model: String,
    /// The tolerance.
    pub tolerance: f64,
    /// The method.
    pub method: String,
    /// The error of q, v and z of the chosen method.
    pub error: f64,
    /// The errors of a and λ.
    pub force_errors: [f64; 2],
    /// The best method at that error.
    pub best: String,
    /// The work of the choice over that of the best.
    pub ratio: f64,
    /// The time of the choice over that of the best.
    pub time_ratio: f64,
}

/// The record kept with the library; `cardan accuracy --write` renews it.
pub fn accuracy_recorded() -> AccuracyRecord {
    serde_json::from_str(include_str!("../../../data/accuracy.json")).unwrap_or_default()
}

impl AccuracyRecord {
    /// Runs all candidates on the named models or model files, or on all models of the study if none is named, with other
    /// values of parameters. `progress` is
    /// called after each run. A model whose reference fails is passed to `omitted`.
    pub fn compute(
        names: &[String],
        set: &[(String, String)],
        tolerances: &[f64],
        mut progress: impl FnMut(&AccuracyRun),
        mut omitted: impl FnMut(String),
    ) -> Result<Self, LabError> {
        let tolerances = if tolerances.is_empty() { &TOLERANCES[..] } else { tolerances };
        let tightest = tolerances.iter().copied().fold(1.0, f64::min);
        let names: Vec<&str> = match names.is_empty() {
            true => ACCURACY_MODELS.iter().map(|model| model.name).collect(),
            false => names.iter().map(String::as_str).collect(),
        };
        let subjects: Vec<AccuracySubject> =
            names.iter().map(|name| AccuracySubject::find(name, set)).collect::<Result<_, _>>()?;
        let mut record = Self::default();
        for AccuracySubject { name, file, length } in subjects {
            let start = file.assemble()?;
            let reference = match AccuracyReference::new(&name, &start, length, tightest) {
                Ok(reference) => reference,
                Err(reason) => {
                    omitted(reason);
                    continue;
                }
            };
            for method in CANDIDATES {
                let choice: MethodChoice = method.parse().map_err(LabError::input)?;
                let settings = Settings::of(&choice, 1.0).control(ErrorControl::new(tightest));
                let is_second = settings.controlled_order() == Some(2);
                for &tolerance in tolerances {
                    if is_second && tolerance < 0.99 * MIN_SECOND_ORDER {
                        continue;
                    }
                    let run = reference.run(&choice, tolerance);
                    progress(&run);
                    record.runs.push(run);
                }
            }
        }
        Ok(record)
    }

    /// The names of the models.
    pub fn models(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !names.contains(&run.model.as_str()) {
                names.push(&run.model);
            }
        }
        names
    }

    fn of<'r>(&'r self, model: &'r str, method: &'r str) -> impl Iterator<Item = &'r AccuracyRun> {
        self.runs
            .iter()
            .filter(move |run| run.model == model && run.method == method && run.failure.is_none())
    }

    /// The work and the time that a method needs for an error, interpolated between its tolerances; `None` if it has not
    /// reached that error.
    fn cost(&self, model: &str, method: &str, error: f64) -> Option<[f64; 2]> {
        let runs: Vec<&AccuracyRun> = self.of(model, method).collect();
        // the cheapest run that is accurate enough, and the one before it
        let fine = runs.iter().position(|run| run.error() <= error)?;
        let cost = |run: &AccuracyRun| [run.work(), run.seconds];
        let Some(coarse) = fine.checked_sub(1).map(|k| runs[k]) else {
            return Some(cost(runs[fine]));
        };
        let fine = runs[fine];
        let part = (coarse.error() / error).ln() / (coarse.error() / fine.error()).ln();
        let between = |a: f64, b: f64| a * (b / a).powf(part.clamp(0.0, 1.0));
        let ([a, b], [c, d]) = (cost(coarse), cost(fine));
        Some([between(a, c), between(b, d)])
    }

    /// The automatic choices at a tolerance, compared with the best candidate at the same error.
    pub fn choices(&self, tolerance: f64) -> Result<Vec<AutomaticChoice>, LabError> {
        let mut choices = Vec::new();
        for model in self.models() {
            let file = examples::read(std::path::Path::new(model), &[])?;
            let method = file.mechanism.recommended_method(tolerance).choice.to_string();
            let near = |run: &&AccuracyRun| (run.tolerance / tolerance - 1.0).abs() < 1e-6;
            let Some(run) = self.of(model, &method).find(near) else {
                choices.push(AutomaticChoice {
                    model: model.into(),
                    tolerance,
                    method,
                    error: f64::NAN,
                    force_errors: [f64::NAN; 2],
                    best: String::new(),
                    ratio: f64::INFINITY,
                    time_ratio: f64::INFINITY,
                });
                continue;
            };
            let error = run.error();
            let costs = CANDIDATES.iter().filter_map(|other| {
                self.cost(model, other, error).map(|[work, time]| (*other, work, time))
            });
            let best = costs.min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((best, work, time)) = best else { continue };
            choices.push(AutomaticChoice {
                model: model.into(),
                tolerance,
                method: method.clone(),
                error,
                force_errors: [run.errors[3], run.errors[4]],
                best: best.into(),
                ratio: run.work() / work,
                time_ratio: run.seconds / time,
            });
        }
        Ok(choices)
    }

    /// All runs as a table.
    pub fn table(&self) -> TextTable {
        let header = [
            "model",
            "method",
            "tolerance",
            "q",
            "v",
            "z",
            "a",
            "λ",
            "steps",
            "rejected",
            "iterations",
            "factorizations",
            "time",
            "failure",
        ];
        let cells = |run: &AccuracyRun| {
            let mut row =
                vec![run.model.clone(), run.method.clone(), format!("{:e}", run.tolerance)];
            row.extend(run.errors.iter().map(|error| format!("{error:.1e}")));
            row.extend(
                [run.steps, run.rejected, run.iterations, run.factorizations]
                    .map(|count| count.to_string()),
            );
            row.push(format!("{:.4} s", run.seconds));
            row.push(run.failure.clone().unwrap_or_default());
            row
        };
        let rows: Vec<Vec<String>> = self.runs.iter().map(cells).collect();
        TextTable::new(header, &rows)
    }

    /// The automatic choices at some tolerances as a table.
    pub fn table_of_choices(&self, tolerances: &[f64]) -> Result<TextTable, LabError> {
        let header = [
            "model",
            "tolerance",
            "auto",
            "error",
            "error a",
            "error λ",
            "best",
            "work/best",
            "time/best",
        ];
        let mut rows = Vec::new();
        for &tolerance in tolerances {
            for choice in self.choices(tolerance)? {
                let [a, multipliers] = choice.force_errors;
                rows.push(vec![
                    choice.model,
                    format!("{tolerance:e}"),
                    choice.method,
                    format!("{:.1e}", choice.error),
                    format!("{a:.1e}"),
                    format!("{multipliers:.1e}"),
                    choice.best,
                    format!("{:.2}", choice.ratio),
                    format!("{:.2}", choice.time_ratio),
                ]);
            }
        }
        Ok(TextTable::new(header, &rows))
    }

    /// The record as text for a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default().replace("{\"model\"", "\n{\"model\"")
    }
}
