//! Several runs and studies in one picture: channels over time, or quantities of studies over a parameter.

use std::path::{Path, PathBuf};

use cardan::results::ResultsTable;
use cardan::suggestion;
use cardan_lab::chart::{AxisScale, ChartFigure, ChartPanel, ChartSeries};

use super::single::{chosen, label, quantity};
use super::source::{PlotSource, StudySource};
use crate::failure::CommandFailure;

/// A picture has at most this many panels, and curves of the cases of one study.
const MAX_PANELS: usize = 6;
const MAX_CASES: usize = 20;

/// A curve with what its panel and its name in the legend depend on.
struct Curve {
    /// The run or the study, with the case.
    source: String,
    name: String,
    unit: String,
    points: Vec<(f64, f64)>,
}

/// The figure of several runs and studies, and the number of columns that it omits.
pub fn figure(
    sources: &[(PathBuf, PlotSource)],
    names: &[String],
    against: Option<&str>,
) -> Result<(ChartFigure, usize), CommandFailure> {
    let labels = labels(sources);
    let studies: Vec<&StudySource> = sources
        .iter()
        .filter_map(|(_, source)| match source {
            PlotSource::Study(study) => Some(&**study),
            PlotSource::Run(_) => None,
        })
        .collect();
    let has_runs = studies.len() < sources.len();
    let is_channel = |name: &String| {
        let of = |study: &&StudySource| study.channels().any(|known| known == name);
        studies.iter().any(of) && !studies.iter().any(|x| x.quantities().any(|q| q == name))
    };
    let has_quantities = studies.iter().any(|study| study.quantities().next().is_some());
    let is_over_time = has_runs || names.iter().any(is_channel) || !has_quantities;
    match is_over_time {
        true => over_time(sources, &labels, names, against.unwrap_or("time")),
        false => over_parameter(sources, &studies, &labels, names, against),
    }
}

/// Channels of runs, and histories of studies.
fn over_time(
    sources: &[(PathBuf, PlotSource)],
    labels: &[String],
    names: &[String],
    against: &str,
) -> Result<(ChartFigure, usize), CommandFailure> {
    let mut curves = Vec::new();
    let names: Vec<String> = match names.is_empty() {
        false => names.to_vec(),
        true => common(sources, against)?,
    };
    let mut x_label = label(against, if against == "time" { "s" } else { "" });
    for ((path, source), label_of) in sources.iter().zip(labels) {
        match source {
            PlotSource::Run(frame) => {
                x_label = add_run(&mut curves, frame, label_of, &names, against)?;
            }
            PlotSource::Study(study) => {
                for name in &names {
                    let known = || study.channels();
                    for wanted in [against, name.as_str()] {
                        if !known().any(|known| known == wanted) {
                            return Err(missing(
                                path,
                                "no history of the channel",
                                wanted,
                                known(),
                            ));
                        }
                    }
                    for (case, points) in study.curves(against, name, MAX_CASES) {
                        let source = format!("{label_of}: {}", study.label(case));
                        let (name, unit) = (name.clone(), String::new());
                        curves.push(Curve { source, name, unit, points });
                    }
                }
            }
        }
    }
    share_units(&mut curves);
    Ok(finish(curves, x_label, false))
}

/// Adds the channels of a run; the label of the horizontal axis.
fn add_run(
    curves: &mut Vec<Curve>,
    frame: &ResultsTable,
    source: &str,
    names: &[String],
    against: &str,
) -> Result<String, CommandFailure> {
    let x = frame.column(against)?;
    let columns = chosen(frame, names)?;
    let wanted: Vec<usize> = std::iter::once(x).chain(columns.iter().copied()).collect();
    let values = frame.values(&wanted)?;
    for (k, y) in columns.iter().zip(&values[1..]) {
        let column = &frame.columns()[*k];
        curves.push(Curve {
            source: source.into(),
            name: column.name.clone(),
            unit: column.unit.clone(),
            points: values[0].iter().copied().zip(y.iter().copied()).collect(),
        });
    }
    Ok(label(&frame.columns()[x].name, &frame.columns()[x].unit))
}

/// Quantities of studies over a parameter.
fn over_parameter(
    sources: &[(PathBuf, PlotSource)],
    studies: &[&StudySource],
    labels: &[String],
    names: &[String],
    against: Option<&str>,
) -> Result<(ChartFigure, usize), CommandFailure> {
    let varies = |study: &StudySource, name: &str| {
        let mut values = study.table.numbers(name).into_iter().filter(|x| x.is_finite());
        values.next().is_some_and(|first| values.any(|x| x != first))
    };
    let parameters = || studies.iter().flat_map(|study| study.table.about.parameters.iter());
    let first = || parameters().find(|name| studies.iter().all(|study| varies(study, name)));
    let x = against.or_else(|| first().map(String::as_str)).ok_or_else(|| {
        let message = "the studies have no parameter in common that varies and is a number";
        CommandFailure::usage(format!("{message}\n  try: --against QUANTITY"))
    })?;
    let names: Vec<String> = match names.is_empty() {
        false => names.to_vec(),
        true => {
            let first = studies.first().into_iter().flat_map(|study| study.quantities());
            let is_common = |name: &&str| {
                studies.iter().all(|study| study.quantities().any(|known| known == *name))
            };
            first.filter(is_common).map(String::from).collect()
        }
    };
    let mut curves = Vec::new();
    // points of several parameters are not joined
    let mut is_scatter = false;
    for ((path, _), (study, source)) in sources.iter().zip(studies.iter().zip(labels)) {
        is_scatter |= study.table.about.parameters.iter().filter(|x| varies(study, x)).count() > 1;
        let known = || study.table.columns.iter().map(|(name, _)| name.as_str());
        for wanted in std::iter::once(x).chain(names.iter().map(String::as_str)) {
            if !known().any(|known| known == wanted) {
                return Err(missing(path, "no column", wanted, known()));
            }
        }
        let across = study.table.numbers(x);
        for name in &names {
            let mut points: Vec<(f64, f64)> =
                across.iter().copied().zip(study.table.numbers(name)).collect();
            points.retain(|(x, _)| x.is_finite());
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (name, unit) = (name.clone(), name.clone());
            curves.push(Curve { source: source.clone(), name, unit, points });
        }
    }
    Ok(finish(curves, x.to_string(), is_scatter))
}

/// The error of a run or study without a column.
fn missing<'n>(
    path: &Path,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> CommandFailure {
    let known: Vec<&str> = known.collect();
    let hint = match suggestion::nearest(name, known.iter().copied()) {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None if known.is_empty() => "\n  try: `histories` in the study file".into(),
        None => format!("; there are {}", known.join(", ")),
    };
    CommandFailure::usage(format!("{}: there is {what} `{name}`{hint}", path.display()))
}

/// The channels that all sources have: those that a run draws by default, the first of each unit.
fn common(sources: &[(PathBuf, PlotSource)], against: &str) -> Result<Vec<String>, CommandFailure> {
    let [(_, first), others @ ..] = sources else { return Ok(Vec::new()) };
    let is_common = |name: &&str| {
        let everywhere = others.iter().all(|(_, other)| other.names().contains(name));
        everywhere && *name != against && *name != "time"
    };
    let shared: Vec<&str> = match first {
        PlotSource::Run(_) => first.names().into_iter().filter(is_common).collect(),
        PlotSource::Study(study) => study.channels().filter(is_common).collect(),
    };
    if shared.is_empty() {
        let message = "the runs and studies have no channel in common";
        return Err(CommandFailure::usage(format!("{message}\n  try: name the channels to draw")));
    }
    let unit = |name: &str| match first {
        PlotSource::Run(frame) => {
            let column = frame.columns().iter().find(|column| column.name == name);
            column.map_or(name.to_string(), |column| column.unit.clone())
        }
        PlotSource::Study(_) => name.to_string(),
    };
    let mut units: Vec<String> = Vec::new();
    let mut chosen = Vec::new();
    for name in shared {
        if units.len() < MAX_PANELS && !units.contains(&unit(name)) {
            units.push(unit(name));
            chosen.push(name.to_string());
        }
    }
    Ok(chosen)
}

/// Histories of studies have no units: those of the same channel of a run apply.
fn share_units(curves: &mut [Curve]) {
    for k in 0..curves.len() {
        if curves[k].unit.is_empty() {
            let known = curves.iter().find(|x| x.name == curves[k].name && !x.unit.is_empty());
            curves[k].unit = known.map_or_else(|| curves[k].name.clone(), |x| x.unit.clone());
        }
    }
}

/// The figure of the curves: a panel for each unit.
fn finish(curves: Vec<Curve>, x_label: String, is_scatter: bool) -> (ChartFigure, usize) {
    let mut groups: Vec<Vec<Curve>> = Vec::new();
    for curve in curves {
        match groups.iter_mut().find(|group| group[0].unit == curve.unit) {
            Some(group) => group.push(curve),
            None => groups.push(vec![curve]),
        }
    }
    let omitted = groups.iter().skip(MAX_PANELS).map(Vec::len).sum();
    groups.truncate(MAX_PANELS);
    let panel = |group: Vec<Curve>| {
        let names: Vec<&str> = group.iter().map(|curve| curve.name.as_str()).collect();
        let is_one = names.iter().all(|name| *name == names[0]);
        let unit = &group[0].unit;
        let y_label = match (is_one, *unit == group[0].name) {
            (true, true) => names[0].to_string(),
            (true, false) => label(names[0], unit),
            (false, _) => label(quantity(&names), unit),
        };
        let series = group.into_iter().map(|curve| ChartSeries {
            name: match is_one {
                true => curve.source,
                false => format!("{}: {}", curve.source, curve.name),
            },
            points: curve.points,
        });
        ChartPanel { y_label, scale: AxisScale::Linear, series: series.collect() }
    };
    let panels = groups.into_iter().map(panel).collect();
    (ChartFigure { x_label, panels, is_scatter, ..ChartFigure::default() }, omitted)
}

/// The names of runs and studies in the legend: the last parts of their paths that distinguish them.
fn labels(sources: &[(PathBuf, PlotSource)]) -> Vec<String> {
    let last = |path: &Path, count: usize| {
        let parts: Vec<String> =
            path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        parts[parts.len().saturating_sub(count)..].join("/")
    };
    let longest = sources.iter().map(|(path, _)| path.components().count()).max().unwrap_or(1);
    let all = |count: usize| -> Vec<String> {
        sources.iter().map(|(path, _)| last(path, count)).collect()
    };
    let is_distinct = |labels: &Vec<String>| {
        labels.iter().enumerate().all(|(k, label)| !labels[..k].contains(label))
    };
    (1..=longest).map(all).find(is_distinct).unwrap_or_else(|| all(longest))
}
