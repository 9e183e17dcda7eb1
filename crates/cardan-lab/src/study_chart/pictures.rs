//! Line charts of a study.

use std::path::Path;

use cardan::output::FileNames;
use cardan::output::origin::is_picture;

use crate::chart::{self, AxisScale, ChartFigure, ChartPanel, ChartSeries};
use crate::error::LabError;
use crate::overwrite::Overwrite;
use crate::study::parameters::{CaseAnalysis, HISTORIES, StudyTable, TableColumn, read_parquet};

/// Panels and curves of a picture, at most.
const MAX_PANELS: usize = 6;
const MAX_CURVES: usize = 40;
/// Intervals in which main effects are averaged.
const BINS: usize = 10;

/// Draws the pictures that suit the study; the names of the files.
pub fn draw(
    folder: &Path,
    table: &StudyTable,
    overwrite: Overwrite,
) -> Result<Vec<String>, LabError> {
    let mut files = Vec::new();
    let existing = overwrite.existing(&is_picture);
    let mut write = |name: String, figure: &ChartFigure| -> Result<(), LabError> {
        chart::write_as(figure, &folder.join(&name), existing)?;
        files.push(name);
        Ok(())
    };
    if let Some(figure) = response(table) {
        let is_modes =
            matches!(table.about.analysis, CaseAnalysis::Modes | CaseAnalysis::StaticModes);
        write(if is_modes { "campbell.svg" } else { "response.svg" }.into(), &figure)?;
    }
    if let Some(figure) = main_effects(table) {
        write("main-effects.svg".into(), &figure)?;
    }
    let mut names = FileNames::default();
    for (quantity, _) in &table.about.quantities {
        if let Some(figure) = histogram(table, quantity) {
            write(names.add(&format!("histogram-{quantity}"), ".svg"), &figure)?;
        }
    }
    if folder.join(HISTORIES).exists()
        && let Some(figure) = histories(folder, &table.about.title)?
    {
        write("histories.svg".into(), &figure)?;
    }
    Ok(files)
}

/// The parameters with at least two different numbers.
pub fn numeric_parameters(table: &StudyTable) -> Vec<(&String, Vec<f64>)> {
    let numbers = table.about.parameters.iter().map(|name| (name, table.numbers(name)));
    numbers.filter(|(_, x)| range(x).is_some_and(|[low, high]| low < high)).collect()
}

/// The smallest and the largest finite value.
pub fn range(values: &[f64]) -> Option<[f64; 2]> {
    let finite = || values.iter().copied().filter(|x| x.is_finite());
    Some([finite().reduce(f64::min)?, finite().reduce(f64::max)?])
}

/// Quantities over the only parameter: frequencies over it form a Campbell diagram.
fn response(table: &StudyTable) -> Option<ChartFigure> {
    let [parameter] = &table.about.parameters[..] else { return None };
    let x = table.numbers(parameter);
    range(&x).filter(|[low, high]| low < high)?;
    let mut order: Vec<usize> = (0..x.len()).filter(|k| x[*k].is_finite()).collect();
    order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    let series = |(name, _): &(String, String)| {
        let y = table.numbers(name);
        ChartSeries { name: name.clone(), points: order.iter().map(|k| (x[*k], y[*k])).collect() }
    };
    let all: Vec<ChartSeries> =
        table.about.quantities.iter().take(MAX_CURVES).map(series).collect();
    let is_modes = matches!(table.about.analysis, CaseAnalysis::Modes | CaseAnalysis::StaticModes);
    let panels = match is_modes {
        true => {
            vec![ChartPanel { y_label: "frequency".into(), scale: AxisScale::Linear, series: all }]
        }
        false => all.into_iter().take(MAX_PANELS).map(single).collect(),
    };
    let has_marks = order.len() <= 30;
    (!table.about.quantities.is_empty()).then(|| ChartFigure {
        title: table.about.title.clone(),
        x_label: parameter.clone(),
        has_marks,
        panels,
        ..ChartFigure::default()
    })
}

fn single(series: ChartSeries) -> ChartPanel {
    ChartPanel { y_label: series.name.clone(), scale: AxisScale::Linear, series: vec![series] }
}

/// The mean of each quantity over each parameter, whose range is divided into intervals.
fn main_effects(table: &StudyTable) -> Option<ChartFigure> {
    let parameters = numeric_parameters(table);
    if parameters.is_empty() || table.about.quantities.is_empty() {
        return None;
    }
    let panel = |(name, _): &(String, String)| {
        let y = table.numbers(name);
        let series = parameters
            .iter()
            .take(MAX_CURVES)
            .map(|(parameter, x)| ChartSeries { name: (*parameter).clone(), points: means(x, &y) });
        ChartPanel { y_label: name.clone(), scale: AxisScale::Linear, series: series.collect() }
    };
    Some(ChartFigure {
        title: table.about.title.clone(),
        subtitle: "main effects: mean of all cases whose parameter is in an interval".into(),
        x_label: "parameter within its range".into(),
        has_marks: true,
        panels: table.about.quantities.iter().take(MAX_PANELS).map(panel).collect(),
        ..ChartFigure::default()
    })
}

/// The mean of y in intervals of x, at the mean of x in each.
fn means(x: &[f64], y: &[f64]) -> Vec<(f64, f64)> {
    let Some([low, high]) = range(x) else { return Vec::new() };
    let mut sums = [[0.0_f64; 3]; BINS];
    for (x, y) in x.iter().zip(y).filter(|(x, y)| x.is_finite() && y.is_finite()) {
        let part = (x - low) / (high - low);
        let bin = &mut sums[((part * BINS as f64) as usize).min(BINS - 1)];
        *bin = [bin[0] + 1.0, bin[1] + part, bin[2] + y];
    }
    sums.iter().filter(|bin| bin[0] > 0.0).map(|bin| (bin[1] / bin[0], bin[2] / bin[0])).collect()
}

/// The value below which a part of sorted values lies, linear between them.
pub fn percentile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len().saturating_sub(1)) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    match (sorted.get(below), sorted.get(above)) {
        (Some(a), Some(b)) => a + (place - place.floor()) * (b - a),
        _ => f64::NAN,
    }
}

/// How often a quantity has a value, with percentiles.
fn histogram(table: &StudyTable, quantity: &str) -> Option<ChartFigure> {
    let mut values: Vec<f64> =
        table.numbers(quantity).into_iter().filter(|x| x.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let [low, high] = range(&values)?;
    if values.len() < 5 || low >= high {
        return None;
    }
    let bins = ((values.len() as f64).sqrt().ceil() as usize).clamp(5, 60);
    let mut counts = vec![0_u32; bins];
    for x in &values {
        counts[(((x - low) / (high - low) * bins as f64) as usize).min(bins - 1)] += 1;
    }
    let edge = |k: usize| low + (high - low) * k as f64 / bins as f64;
    let mut points = vec![(low, 0.0)];
    for (k, count) in counts.iter().enumerate() {
        points.extend([(edge(k), f64::from(*count)), (edge(k + 1), f64::from(*count))]);
    }
    points.push((high, 0.0));
    let most = f64::from(counts.iter().copied().max().unwrap_or(1));
    let mut series = vec![ChartSeries { name: "cases".into(), points }];
    for (name, part) in [("5 %", 0.05), ("median", 0.5), ("95 %", 0.95)] {
        let x = percentile(&values, part);
        series.push(ChartSeries {
            name: format!("{name}: {x:.5e}"),
            points: vec![(x, 0.0), (x, most)],
        });
    }
    Some(ChartFigure {
        title: table.about.title.clone(),
        subtitle: format!("{} cases", values.len()),
        x_label: quantity.into(),
        panels: vec![ChartPanel { y_label: "cases".into(), scale: AxisScale::Linear, series }],
        ..ChartFigure::default()
    })
}

/// The histories of the first cases, one panel for each channel.
fn histories(folder: &Path, title: &str) -> Result<Option<ChartFigure>, LabError> {
    let (columns, _) = read_parquet(&folder.join(HISTORIES))?;
    let [(_, TableColumn::Integers(cases)), (_, time), channels @ ..] = &columns[..] else {
        return Ok(None);
    };
    let time = time.numbers();
    let groups: Vec<&[i64]> = cases.chunk_by(|a, b| a == b).take(MAX_CURVES).collect();
    let panel = |(name, column): &(String, TableColumn)| {
        let values = column.numbers();
        let mut from = 0;
        let series = groups.iter().map(|group| {
            let rows = from..from + group.len();
            from = rows.end;
            let points = time[rows.clone()].iter().copied().zip(values[rows].iter().copied());
            ChartSeries { name: format!("case {}", group[0]), points: points.collect() }
        });
        ChartPanel { y_label: name.clone(), scale: AxisScale::Linear, series: series.collect() }
    };
    let panels: Vec<ChartPanel> = channels.iter().take(MAX_PANELS).map(panel).collect();
    Ok((!panels.is_empty()).then(|| ChartFigure {
        title: title.into(),
        x_label: "time [s]".into(),
        panels,
        ..ChartFigure::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_means() {
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert!(percentile(&[], 0.5).is_nan());
        let (x, y) = ([0.0, 0.0, 1.0, f64::NAN], [1.0, 3.0, 5.0, 7.0]);
        assert_eq!(means(&x, &y), [(0.0, 2.0), (1.0, 5.0)]);
    }
}
