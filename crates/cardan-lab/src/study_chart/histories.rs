//! The histories of a study: channels over time of its first cases.

use std::path::Path;

use crate::chart::matrix::{self, ChartCell, ChartMatrix};
use crate::chart::{self, AxisScale, ChartFigure, ChartPanel, ChartSeries};
use crate::error::LabError;
use crate::study::parameters::{HISTORIES, StudyTable, TableColumn, percentile, read_parquet};

/// Cases that have a name in the legend; more are drawn in one colour.
const MAX_NAMED: usize = 8;
/// Cases and channels that are drawn.
const MAX_CASES: usize = 100;
const MAX_CHANNELS: usize = 6;

/// The curves of a channel, with the case of each.
type Curves = Vec<(i64, Vec<(f64, f64)>)>;

/// The median over time, and the range of 90 % as time, lower and upper bound.
type MedianAndRange = (Vec<(f64, f64)>, Vec<(f64, f64, f64)>);

/// The histories: a few cases with a legend, or many with their median and range.
pub fn histories(
    table: &StudyTable,
    folder: &Path,
) -> Result<Vec<(String, String, String)>, LabError> {
    let path = folder.join(HISTORIES);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let (columns, _) = read_parquet(&path)?;
    let [(_, TableColumn::Integers(cases)), (_, time), channels @ ..] = &columns[..] else {
        return Ok(Vec::new());
    };
    let time = time.numbers();
    let groups: Vec<&[i64]> = cases.chunk_by(|a, b| a == b).take(MAX_CASES).collect();
    if groups.is_empty() || channels.is_empty() {
        return Ok(Vec::new());
    }
    let curves = |column: &TableColumn| -> Curves {
        let values = column.numbers();
        let mut from = 0;
        let curve = |group: &&[i64]| {
            let rows = from..from + group.len();
            from = rows.end;
            let points = time[rows.clone()].iter().copied().zip(values[rows].iter().copied());
            (group[0], points.collect())
        };
        groups.iter().map(curve).collect()
    };
    let shown = channels.iter().take(MAX_CHANNELS).map(|(name, column)| (name, curves(column)));
    let total = cases.chunk_by(|a, b| a == b).count();
    let svg = match groups.len() <= MAX_NAMED {
        true => named(table, shown),
        false => in_one_colour(table, shown, groups.len(), total),
    };
    let names: Vec<&str> =
        channels.iter().take(MAX_CHANNELS).map(|(name, _)| name.as_str()).collect();
    let caption = format!("{} over time", names.join(", "));
    Ok(vec![(String::new(), caption, svg.map_err(LabError::input)?)])
}

fn named<'n>(
    table: &StudyTable,
    channels: impl Iterator<Item = (&'n String, Curves)>,
) -> Result<String, String> {
    // a study of one parameter has its value in the legend
    let only = match &table.about.parameters[..] {
        [name] => Some((name, table.numbers(name))),
        _ => None,
    };
    let label = |case: i64| {
        let value = usize::try_from(case).ok().zip(only.as_ref());
        let value = value.and_then(|(k, (name, x))| Some((name, x.get(k)?)));
        match value.filter(|(_, x)| x.is_finite()) {
            Some((name, x)) => format!("{name} = {}", crate::table::short(*x)),
            None => format!("case {case}"),
        }
    };
    let panel = |(name, curves): (&String, Curves)| ChartPanel {
        y_label: name.clone(),
        scale: AxisScale::Linear,
        series: curves
            .into_iter()
            .map(|(case, points)| ChartSeries { name: label(case), points })
            .collect(),
    };
    chart::svg(&ChartFigure {
        title: table.about.title.clone(),
        x_label: "time [s]".into(),
        panels: channels.map(panel).collect(),
        ..ChartFigure::default()
    })
}

fn in_one_colour<'n>(
    table: &StudyTable,
    channels: impl Iterator<Item = (&'n String, Curves)>,
    drawn: usize,
    total: usize,
) -> Result<String, String> {
    let (mut rows, mut cells) = (Vec::new(), Vec::new());
    for (name, curves) in channels {
        let curves: Vec<Vec<(f64, f64)>> = curves.into_iter().map(|(_, points)| points).collect();
        let (line, band) = median_and_range(&curves);
        rows.push(name.clone());
        cells.push(vec![ChartCell { curves, line, band, ..ChartCell::default() }]);
    }
    let of = if drawn < total { format!("{drawn} of {total}") } else { total.to_string() };
    matrix::svg(&ChartMatrix {
        title: table.about.title.clone(),
        subtitle: format!(
            "{of} cases, with their median (line) and the range of 90 % of them (area)"
        ),
        columns: vec!["time [s]".into()],
        rows,
        cells,
        has_own_x: false,
    })
}

/// The median and the range of 90 % over time; empty if the rows of the cases have different times.
fn median_and_range(curves: &[Vec<(f64, f64)>]) -> MedianAndRange {
    let Some(first) = curves.first() else { return Default::default() };
    let has_times_of_first = |curve: &Vec<(f64, f64)>| {
        curve.len() == first.len() && curve.iter().zip(first).all(|(a, b)| a.0 == b.0)
    };
    if !curves.iter().all(has_times_of_first) {
        return Default::default();
    }
    let every = first.len().div_ceil(400).max(1);
    let at = |k: usize| {
        let mut values: Vec<f64> =
            curves.iter().map(|x| x[k].1).filter(|x| x.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        [0.05, 0.5, 0.95].map(|part| percentile(&values, part))
    };
    let rows: Vec<(f64, [f64; 3])> =
        (0..first.len()).step_by(every).map(|k| (first[k].0, at(k))).collect();
    let line = rows.iter().map(|(t, x)| (*t, x[1])).collect();
    (line, rows.iter().map(|(t, x)| (*t, x[0], x[2])).collect())
}
