//! The pictures of a study, each as an SVG document.

use std::path::Path;

use cardan::output::FileNames;

use super::histories::histories;
use crate::chart::matrix::{self, ChartCell, ChartMatrix};
use crate::chart::{self, AxisScale, ChartFigure, ChartPanel, ChartSeries};
use crate::error::LabError;
use crate::study::parameters::{StudyTable, percentile};
use crate::table::significant;

/// Rows, columns and curves of a picture, at most.
const MAX_CELLS: usize = 6;
const MAX_CURVES: usize = 40;
/// Intervals in which main effects are averaged.
const BINS: usize = 10;

/// A picture of a study.
pub struct StudyPicture {
    /// The kind: one of [`PICTURE_KINDS`].
    pub kind: &'static str,
    /// The name of the file.
    pub file: String,
    /// What it shows, in a sentence.
    pub caption: String,
    /// The SVG document.
    pub svg: String,
}

/// Draws the pictures of a kind; the part of the file name behind the kind, a caption and the SVG of each.
type Draw = fn(&StudyTable, &Path) -> Result<Vec<(String, String, String)>, LabError>;

/// The kinds of pictures: word, meaning and function.
pub const PICTURE_KINDS: [(&str, &str, Draw); 6] = [
    ("response", "quantities over the only parameter", response),
    ("campbell", "frequencies over the only parameter", campbell),
    ("main-effects", "mean and 90 % range of each quantity over each parameter", main_effects),
    ("scatter", "each quantity over each parameter", scatter),
    ("histogram", "distribution of each quantity, with percentiles", histograms),
    ("histories", "channels over time", histories),
];

/// The pictures that suit a study, or those of one kind.
pub fn study_pictures(folder: &Path, kind: Option<&str>) -> Result<Vec<StudyPicture>, LabError> {
    let table = StudyTable::open(folder)?;
    let mut names = FileNames::default();
    let mut all = Vec::new();
    for (known, _, draw) in
        PICTURE_KINDS.iter().filter(|(known, ..)| kind.is_none_or(|x| x == *known))
    {
        // values of a grid over one parameter are not scattered
        let is_sweep = table.about.parameters.len() == 1 && !table.about.design.is_sampled();
        if kind.is_none() && is_sweep && *known == "histogram" {
            continue;
        }
        for (suffix, caption, svg) in draw(&table, folder)? {
            let file = match suffix.is_empty() {
                true => names.add(known, ".svg"),
                false => names.add(&format!("{known}-{suffix}"), ".svg"),
            };
            all.push(StudyPicture { kind: known, file, caption, svg });
        }
    }
    Ok(all)
}

/// The parameters with at least two different numbers.
fn numeric_parameters(table: &StudyTable) -> Vec<(&String, Vec<f64>)> {
    let numbers = table.about.parameters.iter().map(|name| (name, table.numbers(name)));
    let varies = |x: &[f64]| range(x).is_some_and(|[low, high]| low < high);
    numbers.filter(|(_, x)| varies(x)).take(MAX_CELLS).collect()
}

/// The quantities that have numbers.
fn numeric_quantities(table: &StudyTable) -> Vec<(&String, Vec<f64>)> {
    let numbers = table.about.quantities.iter().map(|(name, _)| (name, table.numbers(name)));
    numbers.filter(|(_, y)| range(y).is_some()).take(MAX_CELLS).collect()
}

/// The smallest and the largest finite value.
fn range(values: &[f64]) -> Option<[f64; 2]> {
    let finite = || values.iter().copied().filter(|x| x.is_finite());
    Some([finite().reduce(f64::min)?, finite().reduce(f64::max)?])
}

type Drawn = Result<Vec<(String, String, String)>, LabError>;

fn one(caption: String, svg: Result<String, String>) -> Drawn {
    Ok(vec![(String::new(), caption, svg.map_err(LabError::input)?)])
}

/// The series of all quantities over the only parameter, and its name.
fn over_only_parameter(table: &StudyTable) -> Option<(String, Vec<ChartSeries>)> {
    let [parameter] = &table.about.parameters[..] else { return None };
    let x = table.numbers(parameter);
    range(&x).filter(|[low, high]| low < high)?;
    let mut order: Vec<usize> = (0..x.len()).filter(|k| x[*k].is_finite()).collect();
    order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    let series = |(name, _): &(String, String)| {
        let y = table.numbers(name);
        ChartSeries { name: name.clone(), points: order.iter().map(|k| (x[*k], y[*k])).collect() }
    };
    let all = table.about.quantities.iter().take(MAX_CURVES).map(series);
    Some((parameter.clone(), all.collect()))
}

/// Quantities over the only parameter.
fn response(table: &StudyTable, _: &Path) -> Drawn {
    let Some((parameter, series)) =
        over_only_parameter(table).filter(|_| !table.about.analysis.has_modes())
    else {
        return Ok(Vec::new());
    };
    if series.is_empty() {
        return Ok(Vec::new());
    }
    let has_marks = series[0].points.len() <= 30;
    let single = |series: ChartSeries| ChartPanel {
        y_label: series.name.clone(),
        scale: AxisScale::Linear,
        series: vec![series],
    };
    let figure = ChartFigure {
        title: table.about.title.clone(),
        x_label: parameter.clone(),
        has_marks,
        panels: series.into_iter().take(MAX_CELLS).map(single).collect(),
        ..ChartFigure::default()
    };
    one(format!("Quantities over {parameter}"), chart::svg(&figure))
}

/// Frequencies over the only parameter.
fn campbell(table: &StudyTable, _: &Path) -> Drawn {
    let Some((parameter, series)) =
        over_only_parameter(table).filter(|_| table.about.analysis.has_modes())
    else {
        return Ok(Vec::new());
    };
    // modes about steady rotation are those of an observer that turns with the mechanism
    let is_spin = parameter.starts_with("modes.spin.");
    let frame = if is_spin { ", frequencies in the rotating frame" } else { "" };
    let figure = ChartFigure {
        title: table.about.title.clone(),
        subtitle: format!("Campbell diagram{frame}"),
        x_label: if is_spin { format!("{parameter} [rad/s]") } else { parameter.clone() },
        panels: vec![ChartPanel {
            y_label: "frequency [Hz]".into(),
            scale: AxisScale::Linear,
            series,
        }],
        ..ChartFigure::default()
    };
    one(format!("Campbell diagram over {parameter}{frame}"), chart::svg(&figure))
}

/// The mean of each quantity over each parameter with the range of 90 % of the cases.
fn main_effects(table: &StudyTable, _: &Path) -> Drawn {
    let (across, down) = (numeric_parameters(table), numeric_quantities(table));
    if across.is_empty() || down.is_empty() || table.about.parameters.len() == 1 {
        return Ok(Vec::new());
    }
    let cell = |x: &[f64], y: &[f64]| {
        let bins = intervals(x, y);
        ChartCell {
            line: bins.iter().map(|(x, [_, mean, _])| (*x, *mean)).collect(),
            band: bins.iter().map(|(x, [low, _, high])| (*x, *low, *high)).collect(),
            ..ChartCell::default()
        }
    };
    let subtitle =
        "mean (line) and range of 90 % of the cases (area) in intervals of each parameter";
    let svg = matrix::svg(&ChartMatrix {
        title: table.about.title.clone(),
        subtitle: subtitle.into(),
        columns: across.iter().map(|(name, _)| (*name).clone()).collect(),
        rows: down.iter().map(|(name, _)| (*name).clone()).collect(),
        cells: down.iter().map(|(_, y)| across.iter().map(|(_, x)| cell(x, y)).collect()).collect(),
        has_own_x: false,
    });
    one(format!("Main effects: {subtitle}"), svg)
}

/// The mean and the 5 % and 95 % percentiles of y in intervals of x, at the mean of x in each. A parameter with few
/// values has an interval for each.
fn intervals(x: &[f64], y: &[f64]) -> Vec<(f64, [f64; 3])> {
    let Some([low, high]) = range(x) else { return Vec::new() };
    let pairs = || x.iter().zip(y).filter(|(x, y)| x.is_finite() && y.is_finite());
    let mut values: Vec<f64> = pairs().map(|(x, _)| *x).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let is_listed = values.len() <= 2 * BINS;
    let count = if is_listed { values.len() } else { BINS };
    let mut bins: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count];
    for (x, y) in pairs() {
        let bin = match is_listed {
            true => values.partition_point(|value| value < x),
            false => ((x - low) / (high - low) * BINS as f64) as usize,
        };
        bins[bin.min(count - 1)].push((*x, *y));
    }
    let summary = |bin: Vec<(f64, f64)>| {
        let count = bin.len() as f64;
        let mut y: Vec<f64> = bin.iter().map(|(_, y)| *y).collect();
        y.sort_by(f64::total_cmp);
        let mean = y.iter().sum::<f64>() / count;
        let x = bin.iter().map(|(x, _)| *x).sum::<f64>() / count;
        (x, [percentile(&y, 0.05), mean, percentile(&y, 0.95)])
    };
    bins.into_iter().filter(|bin| !bin.is_empty()).map(summary).collect()
}

/// Every quantity over every parameter.
fn scatter(table: &StudyTable, _: &Path) -> Drawn {
    let (across, down) = (numeric_parameters(table), numeric_quantities(table));
    if across.is_empty() || down.is_empty() || table.about.parameters.len() == 1 {
        return Ok(Vec::new());
    }
    let cell = |x: &[f64], y: &[f64]| {
        let finite = |(x, y): (&f64, &f64)| (x.is_finite() && y.is_finite()).then_some((*x, *y));
        ChartCell { dots: x.iter().zip(y).filter_map(finite).collect(), ..ChartCell::default() }
    };
    let svg = matrix::svg(&ChartMatrix {
        title: table.about.title.clone(),
        subtitle: "scatter matrix: each point is a case".into(),
        columns: across.iter().map(|(name, _)| (*name).clone()).collect(),
        rows: down.iter().map(|(name, _)| (*name).clone()).collect(),
        cells: down.iter().map(|(_, y)| across.iter().map(|(_, x)| cell(x, y)).collect()).collect(),
        has_own_x: false,
    });
    one("Scatter matrix: each point is a case".into(), svg)
}

/// How often each quantity has a value, with percentiles.
fn histograms(table: &StudyTable, _: &Path) -> Drawn {
    let mut all = Vec::new();
    for (name, formula) in &table.about.quantities {
        let values = table.sorted(name);
        let Some([low, high]) = range(&values).filter(|[low, high]| low < high) else { continue };
        if values.len() < 5 {
            continue;
        }
        let bins = ((values.len() as f64).sqrt().ceil() as usize).clamp(5, 60);
        let mut counts = vec![0_u32; bins];
        for x in &values {
            counts[(((x - low) / (high - low) * bins as f64) as usize).min(bins - 1)] += 1;
        }
        let edge = |k: usize| low + (high - low) * k as f64 / bins as f64;
        let bar = |(k, count): (usize, &u32)| (edge(k), edge(k + 1), f64::from(*count));
        let rules = [("5 %", 0.05), ("median", 0.5), ("95 %", 0.95)].map(|(name, part)| {
            let x = percentile(&values, part);
            (x, format!("{name}: {}", significant(x, 4)))
        });
        let cell = ChartCell {
            bars: counts.iter().enumerate().map(bar).collect(),
            rules: rules.to_vec(),
            ..ChartCell::default()
        };
        let svg = matrix::svg(&ChartMatrix {
            title: table.about.title.clone(),
            subtitle: format!("{name} = {formula}, {} cases", values.len()),
            columns: vec![name.clone()],
            rows: vec!["cases".into()],
            cells: vec![vec![cell]],
            has_own_x: false,
        });
        all.push((name.clone(), format!("Distribution of {name}"), svg.map_err(LabError::input)?));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_listed_and_of_scattered_values() {
        let (x, y) = ([0.0, 0.0, 1.0, f64::NAN], [1.0, 3.0, 5.0, 7.0]);
        assert_eq!(intervals(&x, &y), [(0.0, [1.1, 2.0, 2.9]), (1.0, [5.0; 3])]);
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let found = intervals(&x, &x);
        assert_eq!(found.len(), BINS);
        assert!(found.iter().all(|(x, [low, mean, high])| mean == x && low < mean && mean < high));
    }
}
