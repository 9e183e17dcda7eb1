//! Pictures of a comparison: errors over step size, and over computing time.

use std::path::Path;

use cardan::file::ModelFile;
use cardan::output::ExistingFile;
use cardan_lab::study::{ComparedCase, ComparisonResult};

use crate::failure::CommandFailure;
use cardan_lab::chart::{self, AxisScale, ChartFigure, ChartPanel, ChartSeries};

/// The names of the picture files.
const NAMES: [&str; 2] = ["convergence.svg", "work.svg"];

/// Whether the pictures may be written.
pub fn check(folder: &Path, existing: ExistingFile<'_>) -> Result<(), CommandFailure> {
    Ok(NAMES.iter().try_for_each(|name| chart::check(&folder.join(name), existing))?)
}

/// Writes convergence.svg and work.svg.
pub fn draw(
    folder: &Path,
    file: &ModelFile,
    result: &ComparisonResult,
    existing: ExistingFile<'_>,
) -> Result<(), CommandFailure> {
    let title = file.title.clone().unwrap_or_else(|| file.source.name.clone());
    let figures = [
        (NAMES[0], "step over stages [s]", "Convergence", 0),
        (NAMES[1], "computing time [s]", "Work and precision", 1),
    ];
    for (name, x_label, what, across) in figures {
        let panel = |k: usize, signal: &String| ChartPanel {
            y_label: format!("{signal} error"),
            scale: AxisScale::Logarithmic,
            series: series(result, k, across),
        };
        let figure = ChartFigure {
            title: format!("{what}: {title}"),
            subtitle: "√(Σ|x − x_ref|²/Σ|x_ref|²) over the steps".into(),
            x_label: x_label.into(),
            scale: AxisScale::Logarithmic,
            has_marks: true,
            panels: result.signals.iter().enumerate().map(|(k, s)| panel(k, s)).collect(),
            ..ChartFigure::default()
        };
        chart::write_as(&figure, &folder.join(name), existing)?;
    }
    Ok(())
}

/// One curve for each method and formulation.
fn series(result: &ComparisonResult, signal: usize, across: usize) -> Vec<ChartSeries> {
    let formulation = |row: &ComparedCase| row.case.constraints;
    let is_one_formulation =
        result.rows.iter().all(|row| formulation(row) == formulation(&result.rows[0]));
    let mut all: Vec<ChartSeries> = Vec::new();
    for ComparedCase { case, result: outcome, .. } in &result.rows {
        let name = match is_one_formulation {
            true => case.choice.to_string(),
            false => format!("{} {}", case.choice, case.constraints),
        };
        let stages = case.choice.build().map_or(1, |(_, method)| method.stages()) as f64;
        let x = [case.step / stages, outcome.seconds][across];
        let point = (x, outcome.signals[signal].error);
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => all.push(ChartSeries { name, points: vec![point] }),
        }
    }
    for series in &mut all {
        series.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}
