//! The result of a comparison, as a text table, JSON and CSV.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::study::{CaseResult, SignalStatistics, StudyCase, observed_order};
use crate::table::{TextTable, duration, short, to_json};

/// Errors and observed orders of all cases.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ComparisonResult {
    /// The names of the signals.
    pub signals: Vec<String>,
    /// The cases.
    pub rows: Vec<ComparedCase>,
    /// The name of the reference.
    pub reference: String,
    /// The result of the reference run with doubled steps: smaller errors than its own are not significant.
    pub doubled: Option<CaseResult>,
}

/// A case, its result, and its observed orders.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ComparedCase {
    /// The case.
    pub case: StudyCase,
    /// The result.
    pub result: CaseResult,
    /// The order of each signal against the next larger step of the same method; not a number without one.
    pub orders: Vec<f64>,
}

/// The beginning of the CSV text.
const HEADER: &str = "method,constraints,step,";

impl ComparisonResult {
    pub(super) fn new(
        signals: &[String],
        outcomes: Vec<(StudyCase, CaseResult)>,
        reference: String,
        doubled: Option<CaseResult>,
    ) -> Self {
        let orders: Vec<Vec<f64>> = (0..outcomes.len()).map(|k| orders(&outcomes, k)).collect();
        let row = |((case, outcome), orders)| ComparedCase { case, result: outcome, orders };
        let rows = outcomes.into_iter().zip(orders).map(row).collect();
        Self { signals: signals.to_vec(), rows, reference, doubled }
    }

    /// The result as a text table, with failures and the reference below.
    pub fn table(&self) -> TextTable {
        let first = self.rows.first().map(|row| row.case.constraints);
        let has_constraints = self.rows.iter().any(|row| Some(row.case.constraints) != first);
        let mut header: Vec<String> = vec!["method".into()];
        if has_constraints {
            header.push("constraints".into());
        }
        header.push("step".into());
        for signal in &self.signals {
            header.extend([signal.clone(), "order".into()]);
        }
        header.extend(["iterations".into(), "time".into()]);
        let mut rows: Vec<Vec<String>> = Vec::new();
        let (mut notes, mut failures) = (String::new(), 0);
        for ComparedCase { case, result: outcome, orders } in &self.rows {
            let mut cells = vec![case.choice.to_string()];
            if has_constraints {
                cells.push(case.constraints.to_string());
            }
            cells.push(short(case.step));
            match &outcome.failure {
                Some(failure) => {
                    failures += 1;
                    cells.push(format!("failed [{failures}]"));
                    notes += &format!("\n[{failures}] {case}: {failure}\n");
                }
                None if outcome.compared == 0 => cells.push("not compared".into()),
                None => {
                    for (measures, order) in outcome.signals.iter().zip(orders) {
                        cells.push(format!("{:.2e}", measures.error));
                        let order = order.is_finite().then(|| format!("{order:.2}"));
                        cells.push(order.unwrap_or_default());
                    }
                    cells.push(format!("{:.2}", outcome.iterations));
                    cells.push(duration(outcome.seconds));
                }
            }
            cells.resize(header.len(), String::new());
            rows.push(cells);
        }
        notes += &format!(
            "\nErrors: √(Σ|x − x_ref|²/Σ|x_ref|²) over the steps. Iterations: per stage. Reference: {}{}.\n",
            self.reference,
            self.doubled.as_ref().and_then(uncertainty).unwrap_or_default(),
        );
        TextTable { notes, ..TextTable::new(header, &rows) }
    }

    /// The rows as JSON for scripts.
    pub fn to_json(&self) -> String {
        let row = |ComparedCase { case, result: outcome, orders }: &ComparedCase| JsonRow {
            method: case.choice.to_string(),
            constraints: case.constraints.to_string(),
            step: case.step,
            errors: self.by_signal(outcome.signals.iter().map(|x: &SignalStatistics| x.error)),
            largest_errors: self.by_signal(outcome.signals.iter().map(|x| x.largest_error)),
            orders: self.by_signal(orders.iter().copied()),
            compared: outcome.compared,
            compared_until: outcome.compared_until,
            steps: outcome.steps,
            iterations_per_stage: outcome.iterations,
            seconds: outcome.seconds,
            failure: outcome.failure.clone(),
        };
        to_json(&self.rows.iter().map(row).collect::<Vec<_>>())
    }

    fn by_signal(&self, values: impl Iterator<Item = f64>) -> BTreeMap<&str, f64> {
        self.signals.iter().map(String::as_str).zip(values).collect()
    }

    /// The rows as comma-separated values.
    pub fn to_csv(&self) -> String {
        let mut text = String::from(HEADER);
        for signal in &self.signals {
            text += &format!("{signal} error,{signal} order,{signal} largest error,");
        }
        text += "iterations per stage,steps,seconds,failure\n";
        let number = |x: f64| if x.is_finite() { format!("{x:e}") } else { String::new() };
        for ComparedCase { case, result: outcome, orders } in &self.rows {
            text += &format!("{},{},{:e}", case.choice, case.constraints, case.step);
            for (measures, order) in outcome.signals.iter().zip(orders) {
                let (error, largest) = (number(measures.error), number(measures.largest_error));
                text += &format!(",{error},{},{largest}", number(*order));
            }
            let failure = outcome.failure.clone().unwrap_or_default().replace('"', "\"\"");
            let failure = if failure.is_empty() { failure } else { format!("\"{failure}\"") };
            let (iterations, seconds) = (number(outcome.iterations), number(outcome.seconds));
            text += &format!(",{iterations},{},{seconds},{failure}\n", outcome.steps);
        }
        text
    }
}

/// A row of the JSON text.
#[derive(Serialize)]
struct JsonRow<'a> {
    method: String,
    constraints: String,
    step: f64,
    errors: BTreeMap<&'a str, f64>,
    largest_errors: BTreeMap<&'a str, f64>,
    orders: BTreeMap<&'a str, f64>,
    compared: u64,
    compared_until: f64,
    steps: u64,
    iterations_per_stage: f64,
    seconds: f64,
    failure: Option<String>,
}

/// How far the reference is from one with doubled steps.
fn uncertainty(doubled: &CaseResult) -> Option<String> {
    let is_known = doubled.failure.is_none() && doubled.compared > 0;
    let errors: Vec<String> = doubled.signals.iter().map(|x| format!("{:.0e}", x.error)).collect();
    is_known.then(|| format!(",\nwhich changes by {} with doubled steps", errors.join(", ")))
}

/// The order of each signal against the next larger step of the same method.
fn orders(outcomes: &[(StudyCase, CaseResult)], k: usize) -> Vec<f64> {
    let (case, outcome) = &outcomes[k];
    let larger = outcomes.iter().filter(|(other, _)| {
        other.choice == case.choice
            && other.constraints == case.constraints
            && other.step > case.step
    });
    let coarser = larger.min_by(|a, b| a.0.step.total_cmp(&b.0.step));
    let order = |signal: usize| match coarser {
        Some((other, coarse)) => {
            let error = |outcome: &CaseResult| outcome.signals[signal].error;
            observed_order((other.step, error(coarse)), (case.step, error(outcome)))
        }
        None => f64::NAN,
    };
    (0..outcome.signals.len()).map(order).collect()
}
