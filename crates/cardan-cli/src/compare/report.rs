//! The table of a study, for people and for scripts.

use std::path::Path;

use cardan::output::origin;
use cardan::study::{Case, Outcome, Subject, observed_order};
use serde_json::{Value, json};

use super::cases::{Plan, Standard};
use crate::overwrite::{self, Overwrite};
use crate::{Failure, table};

/// The data file.
const DATA: &str = "data.csv";

/// How the data file begins.
const HEADER: &str = "method,constraints,step,";

fn is_data(path: &Path) -> bool {
    origin::is_table(path, HEADER)
}

/// Whether the data file may be written.
pub fn check(folder: &Path, overwrite: Overwrite) -> Result<(), Failure> {
    overwrite::check(&folder.join(DATA), overwrite.existing(&is_data))
}

/// Writes the data file.
pub fn write(
    folder: &Path,
    signals: &[String],
    outcomes: &[(&Case, &Outcome)],
    overwrite: Overwrite,
) -> Result<(), Failure> {
    let orders: Vec<Vec<f64>> = (0..outcomes.len()).map(|k| orders(outcomes, k)).collect();
    let text = data(signals, outcomes, &orders);
    overwrite::write(&folder.join(DATA), text.as_bytes(), overwrite.existing(&is_data))
}

/// The table, or JSON.
pub fn render(
    subject: &Subject<'_>,
    outcomes: &[(&Case, &Outcome)],
    doubled: Option<&Outcome>,
    folder: &Path,
    plan: &Plan,
    is_json: bool,
) -> String {
    let signals = subject.signals.names();
    let orders: Vec<Vec<f64>> = (0..outcomes.len()).map(|k| orders(outcomes, k)).collect();
    if is_json {
        return format!("{:#}\n", to_json(signals, outcomes, &orders));
    }
    let are_constraints_told =
        outcomes.iter().any(|(case, _)| case.constraints != outcomes[0].0.constraints);
    let mut header: Vec<String> = vec!["method".into()];
    if are_constraints_told {
        header.push("constraints".into());
    }
    header.push("step".into());
    for signal in signals {
        header.extend([signal.clone(), "order".into()]);
    }
    header.extend(["iterations".into(), "time".into()]);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut failures = String::new();
    let mut count = 0;
    for ((case, outcome), orders) in outcomes.iter().zip(&orders) {
        let mut cells = vec![case.choice.to_string()];
        if are_constraints_told {
            cells.push(case.constraints.to_string());
        }
        cells.push(table::short(case.step));
        match &outcome.failure {
            Some(failure) => {
                count += 1;
                cells.push(format!("failed [{count}]"));
                failures += &format!("\n[{count}] {case}: {failure}\n");
            }
            None if outcome.compared == 0 => cells.push("not compared".into()),
            None => {
                for (measures, order) in outcome.signals.iter().zip(orders) {
                    cells.push(format!("{:.2e}", measures.error));
                    cells.push(if order.is_finite() { format!("{order:.2}") } else { "".into() });
                }
                cells.push(format!("{:.2}", outcome.iterations));
                cells.push(table::duration(outcome.seconds));
            }
        }
        cells.resize(header.len(), String::new());
        rows.push(cells);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let against = match &plan.reference {
        Standard::File(path) => path.display().to_string(),
        Standard::Run(settings) => {
            let step = table::short(settings.step_size);
            format!("{} with steps of {step} s ({})", settings.choice(), settings.constraints)
        }
    };
    let text = table::render(&header, &rows) + &failures;
    text + &format!(
        "\nErrors are √(Σ|x − x_ref|²/Σ|x_ref|²) over the steps; iterations per stage. Reference: \
             {against}{}.\nData and pictures: {}\n",
        doubled.and_then(uncertainty).unwrap_or_default(),
        folder.display()
    )
}

/// How far the reference is from one with doubled steps: errors below that say little.
fn uncertainty(doubled: &Outcome) -> Option<String> {
    let is_known = doubled.failure.is_none() && doubled.compared > 0;
    let errors: Vec<String> = doubled.signals.iter().map(|x| format!("{:.0e}", x.error)).collect();
    is_known.then(|| format!(",\nwhich doubled steps change by {}", errors.join(", ")))
}

/// The order of each signal against the next larger step of the same method.
fn orders(outcomes: &[(&Case, &Outcome)], k: usize) -> Vec<f64> {
    let (case, outcome) = outcomes[k];
    let larger = outcomes.iter().filter(|(other, _)| {
        other.choice == case.choice
            && other.constraints == case.constraints
            && other.step > case.step
    });
    let coarser = larger.min_by(|a, b| a.0.step.total_cmp(&b.0.step));
    let order = |signal: usize| match coarser {
        Some((other, coarse)) => {
            let error = |outcome: &Outcome| outcome.signals[signal].error;
            observed_order((other.step, error(coarse)), (case.step, error(outcome)))
        }
        None => f64::NAN,
    };
    (0..outcome.signals.len()).map(order).collect()
}

fn errors(outcome: &Outcome) -> Vec<f64> {
    outcome.signals.iter().map(|measures| measures.error).collect()
}

fn largest(outcome: &Outcome) -> Vec<f64> {
    outcome.signals.iter().map(|measures| measures.largest_error).collect()
}

fn to_json(signals: &[String], outcomes: &[(&Case, &Outcome)], orders: &[Vec<f64>]) -> Value {
    let by_signal = |values: &[f64]| -> Value {
        signals.iter().cloned().zip(values.iter().map(|x| json!(x))).collect()
    };
    let rows = outcomes.iter().zip(orders).map(|((case, outcome), orders)| {
        json!({
            "method": case.choice.to_string(),
            "constraints": case.constraints.to_string(),
            "step": case.step,
            "errors": by_signal(&errors(outcome)),
            "largest_errors": by_signal(&largest(outcome)),
            "orders": by_signal(orders),
            "compared": outcome.compared,
            "compared_until": outcome.compared_until,
            "steps": outcome.steps,
            "iterations_per_stage": outcome.iterations,
            "seconds": outcome.seconds,
            "failure": outcome.failure,
        })
    });
    rows.collect()
}

fn data(signals: &[String], outcomes: &[(&Case, &Outcome)], orders: &[Vec<f64>]) -> String {
    let mut text = String::from(HEADER);
    for signal in signals {
        text += &format!("{signal} error,{signal} order,{signal} largest error,");
    }
    text += "iterations per stage,steps,seconds,failure\n";
    let number = |x: f64| if x.is_finite() { format!("{x:e}") } else { String::new() };
    for ((case, outcome), orders) in outcomes.iter().zip(orders) {
        text += &format!("{},{},{:e}", case.choice, case.constraints, case.step);
        for k in 0..signals.len() {
            let measures = &outcome.signals[k];
            let (error, largest) = (number(measures.error), number(measures.largest_error));
            text += &format!(",{error},{},{largest}", number(orders[k]));
        }
        let failure = outcome.failure.clone().unwrap_or_default().replace('"', "\"\"");
        let failure = if failure.is_empty() { failure } else { format!("\"{failure}\"") };
        let (iterations, seconds) = (number(outcome.iterations), number(outcome.seconds));
        text += &format!(",{iterations},{},{seconds},{failure}\n", outcome.steps);
    }
    text
}
