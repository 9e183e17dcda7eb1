//! The picture of one run: channels over time, or against each other.

use std::collections::HashSet;
use std::path::Path;

use cardan::results::{Column, EventEntry, ResultsTable, RunStatus};
use cardan_lab::chart::{AxisScale, ChartEvent, ChartFigure, ChartPanel, ChartSeries};

use crate::failure::CommandFailure;
use crate::table;

/// An overview has at most this many panels, and each this many curves.
const MAX_PANELS: usize = 6;
const MAX_CURVES: usize = 6;

/// The figure of a run, and the number of columns that it omits.
pub fn figure(
    frame: &ResultsTable,
    path: &Path,
    channels: &[String],
    against: &str,
) -> Result<(ChartFigure, usize), CommandFailure> {
    let x = frame.column(against)?;
    let (groups, omitted) = match channels.is_empty() {
        true => overview(frame, x),
        false => (by_unit(frame, &chosen(frame, channels)?), 0),
    };
    if groups.is_empty() {
        return Err(CommandFailure::usage("the results have no columns to draw".into()));
    }
    let wanted: Vec<usize> = std::iter::once(x).chain(groups.iter().flatten().copied()).collect();
    let values = frame.values(&wanted)?;
    let (across, mut rest) = (&values[0], values[1..].iter());
    let panels = groups.iter().map(|group| panel(frame, group, across, &mut rest)).collect();
    let figure = ChartFigure {
        title: title(frame, path),
        subtitle: subtitle(frame),
        x_label: label(&frame.columns()[x].name, &frame.columns()[x].unit),
        is_map: is_map(frame, x, &groups),
        events: if against == "time" { events(frame) } else { Vec::new() },
        panels,
        ..ChartFigure::default()
    };
    Ok((figure, omitted))
}

/// More events than this are not marked: the lines would hide the curves.
const MAX_EVENTS: usize = 200;

/// The marks of the events of a run.
fn events(frame: &ResultsTable) -> Vec<ChartEvent> {
    let listed = frame.summary.iter().flat_map(|summary| &summary.events);
    let mark = |event: &EventEntry| ChartEvent { x: event.time, name: event.name.clone() };
    let marks: Vec<ChartEvent> = listed.take(MAX_EVENTS + 1).map(mark).collect();
    if marks.len() > MAX_EVENTS { Vec::new() } else { marks }
}

/// The warning that the last line of a file is omitted because it may be cut.
pub fn cut(frame: &ResultsTable) -> String {
    let path = frame.paths().next().map_or_else(String::new, |path| path.display().to_string());
    format!("warning: the last line of {path} has no newline: it may be incomplete and is omitted")
}

/// Whether a curve is a path in the plane: one panel, of the unit of its horizontal axis.
fn is_map(frame: &ResultsTable, x: usize, groups: &[Vec<usize>]) -> bool {
    let unit = |k: usize| frame.columns()[k].unit.as_str();
    matches!(groups, [group] if unit(group[0]) == unit(x) && unit(x) == "m")
}

/// The columns that match names and patterns; a vector gives its components.
pub fn chosen(frame: &ResultsTable, names: &[String]) -> Result<Vec<usize>, CommandFailure> {
    let mut chosen = Vec::new();
    for name in names {
        let fits = |column: &Column| match name.split_once('*') {
            None => column.name == *name,
            Some(_) => cardan::results::matches(name, &column.name),
        };
        let parts = |column: &Column| {
            let rest = column.name.strip_prefix(name.as_str()).and_then(|x| x.strip_prefix('.'));
            rest.is_some_and(|rest| !rest.contains('.'))
        };
        let all = || frame.columns().iter().enumerate().skip(1);
        let mut found: Vec<usize> = all().filter(|(_, x)| fits(x)).map(|(k, _)| k).collect();
        if found.is_empty() {
            found = all().filter(|(_, x)| parts(x)).map(|(k, _)| k).collect();
        }
        if found.is_empty() {
            found = vec![frame.column(name)?];
        }
        chosen.extend(found);
    }
    let mut seen = HashSet::new();
    chosen.retain(|k| seen.insert(*k));
    Ok(chosen)
}

/// Columns of one unit share a panel.
fn by_unit(frame: &ResultsTable, columns: &[usize]) -> Vec<Vec<usize>> {
    let unit = |k: usize| frame.columns()[k].unit.as_str();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &k in columns {
        match groups.iter_mut().find(|group| unit(group[0]) == unit(k)) {
            Some(group) => group.push(k),
            None => groups.push(vec![k]),
        }
    }
    groups
}

/// The first columns of the first units, and the number of columns omitted.
fn overview(frame: &ResultsTable, x: usize) -> (Vec<Vec<usize>>, usize) {
    let all: Vec<usize> = (1..frame.columns().len()).filter(|k| *k != x).collect();
    let mut groups = by_unit(frame, &all);
    groups.truncate(MAX_PANELS);
    groups.iter_mut().for_each(|group| group.truncate(MAX_CURVES));
    let shown: usize = groups.iter().map(Vec::len).sum();
    (groups, all.len() - shown)
}

fn panel<'v>(
    frame: &ResultsTable,
    group: &[usize],
    across: &[f64],
    values: &mut impl Iterator<Item = &'v Vec<f64>>,
) -> ChartPanel {
    let columns = frame.columns();
    let names: Vec<&str> = group.iter().map(|k| columns[*k].name.as_str()).collect();
    let series = group
        .iter()
        .zip(values)
        .map(|(k, values)| ChartSeries {
            name: columns[*k].name.clone(),
            points: across.iter().copied().zip(values.iter().copied()).collect(),
        })
        .collect();
    let unit = &columns[group[0]].unit;
    ChartPanel { y_label: label(quantity(&names), unit), scale: AxisScale::Linear, series }
}

/// The common name of columns of one unit: one column name, the quantity or the owner.
pub fn quantity<'n>(names: &[&'n str]) -> &'n str {
    let [first, rest @ ..] = names else { return "" };
    if rest.is_empty() {
        return first;
    }
    let after = |name: &'n str| name.split_once('.').map_or("", |(_, quantity)| quantity);
    let base = |name: &'n str| {
        let quantity = after(name);
        let component = quantity.rsplit_once('.').filter(|(_, letter)| letter.len() == 1);
        component.map_or(quantity, |(base, _)| base)
    };
    let owner = |name: &'n str| name.split_once('.').map_or("", |(owner, _)| owner);
    let all_have = |part: &dyn Fn(&'n str) -> &'n str| rest.iter().all(|x| part(x) == part(first));
    match (all_have(&base), all_have(&owner)) {
        (true, _) => base(first),
        (false, true) => owner(first),
        _ => "",
    }
}

pub fn label(quantity: &str, unit: &str) -> String {
    match (quantity.is_empty(), unit.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("[{unit}]"),
        (false, true) => quantity.into(),
        (false, false) => format!("{quantity} [{unit}]"),
    }
}

fn title(frame: &ResultsTable, path: &Path) -> String {
    let known = frame.summary.as_ref().and_then(|summary| summary.title.clone());
    known.unwrap_or_else(|| path.file_stem().unwrap_or_default().to_string_lossy().into())
}

/// The settings in one line, and the status of a run that is not complete.
fn subtitle(frame: &ResultsTable) -> String {
    let Some(summary) = &frame.summary else { return String::new() };
    let steps = match summary.tolerance() {
        Some(tolerance) => format!("tolerance {tolerance:e}"),
        None => format!("h = {} s", table::short(summary.step_size())),
    };
    let text = format!("{}, {steps}", summary.method());
    match summary.status {
        RunStatus::Completed => text,
        RunStatus::Running => format!("{text} – unfinished"),
        RunStatus::Interrupted => {
            format!("{text} – interrupted at t = {} s", table::short(summary.time))
        }
        RunStatus::Failed => format!("{text} – failed at t = {} s", table::short(summary.time)),
    }
}
