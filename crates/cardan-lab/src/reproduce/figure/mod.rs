//! Figures from results, as the manifest describes them.

mod bars;
mod curves;
mod fields;

use std::path::Path;

use crate::study::TimeHistory;
use cardan::output::{self, ExistingFile, origin};

use super::manifest::{Amount, FigureKind, Manifest, Picture, View};
use super::numbers::short;
use super::plan::{Planned, PlannedCase};
use super::quantity::Quantities;
use crate::chart::{self, AxisScale, ChartFigure, ChartPanel};
use crate::error::LabError;

/// The data that figures are drawn from.
pub struct Drawing<'a> {
    pub manifest: &'a Manifest,
    pub quantities: &'a Quantities<'a>,
}

/// The maximum number of data rows written with a figure; the files of the runs have all rows.
const ROWS: usize = 20_000;
impl Drawing<'_> {
    /// Draws a figure into a file; returns whether there was anything to draw.
    pub fn draw(&self, title: &str, picture: &Picture, path: &Path) -> Result<bool, LabError> {
        let whole = [View::default()];
        let given = if picture.panel.is_empty() { &whole[..] } else { &picture.panel };
        let views: Vec<View> = given.iter().map(|view| view.or(&picture.view)).collect();
        for view in &views {
            if let (Some(from), Some(to)) = (view.from, view.to)
                && from >= to
            {
                return Err(LabError::input(format!("a figure ends at {to}, before {from}")));
            }
        }
        match picture.kind {
            FigureKind::Field => return self.fields(title, picture, &views, path),
            FigureKind::Bars => return self.bars(title, picture, &views, path),
            _ => {}
        }
        let is_log = matches!(picture.kind, FigureKind::Convergence | FigureKind::Work);
        let mut panels = Vec::new();
        for view in &views {
            let mut series = match picture.kind {
                FigureKind::History => self.histories(view)?,
                FigureKind::Convergence => self.convergence(view, false)?,
                FigureKind::Work => self.convergence(view, true)?,
                FigureKind::Map => self.map(view)?,
                FigureKind::Spectrum => self.spectrum(view)?,
                FigureKind::Constants => self.constants(view)?,
                _ => self.profiles(view)?,
            };
            if let Some(top) = view.top {
                let points = series.iter_mut().flat_map(|series| &mut series.points);
                points.filter(|(_, y)| y.abs() > top).for_each(|(_, y)| *y = f64::NAN);
            }
            let scale =
                if view.log.unwrap_or(is_log) { AxisScale::Logarithmic } else { AxisScale::Linear };
            let y_label = view.label.clone().or(view.signal.clone()).unwrap_or_default();
            panels.push(ChartPanel { y_label, scale, series });
        }
        let is_empty = panels.iter().all(|panel| panel.series.is_empty());
        let x_label = picture.x_label.clone().unwrap_or_else(|| {
            match picture.kind {
                FigureKind::History => "time [s]",
                FigureKind::Convergence => "step over stages [s]",
                FigureKind::Work => "computing time [s]",
                FigureKind::Spectrum if views[0].across.is_some() => "ωΔt",
                FigureKind::Spectrum => "Δt/(nT)",
                FigureKind::Constants => "ρ∞",
                FigureKind::Profile => "distance from the origin [m]",
                _ => "",
            }
            .into()
        });
        let is_log = is_log
            || picture.kind == FigureKind::Spectrum && views[0].from.is_some_and(|from| from > 0.0);
        let figure = ChartFigure {
            title: title.into(),
            subtitle: picture.caption.clone(),
            x_label,
            scale: if is_log { AxisScale::Logarithmic } else { AxisScale::Linear },
            has_marks: is_log || picture.kind == FigureKind::History,
            is_scatter: false,
            is_map: picture.kind == FigureKind::Map,
            events: Vec::new(),
            panels,
        };
        chart::write(&figure, path)?;
        let rows = figure.panels.iter().flat_map(|panel| {
            panel.series.iter().flat_map(|curve| {
                curve.points.iter().map(|(x, y)| row(&panel.y_label, &curve.name, x, *y))
            })
        });
        write_data(path, "panel,curve,x,y\n", rows)?;
        Ok(!is_empty)
    }

    fn study(&self, view: &View) -> Result<&Planned, LabError> {
        let name = view.study.as_ref();
        let name = name.ok_or_else(|| LabError::input("a figure names no study"))?;
        self.quantities.study(name)
    }

    fn methods(&self, view: &View) -> Result<Vec<String>, LabError> {
        match view.methods.as_deref() {
            None | Some([]) => Err(LabError::input("a figure names no methods")),
            Some(words) => self.manifest.methods(words),
        }
    }

    /// The cases that a view shows, with the names of their curves.
    fn cases(&self, view: &View) -> Result<Vec<(String, &Planned, &PlannedCase)>, LabError> {
        let study = self.study(view)?;
        let step = view.step.as_ref().map(Amount::value).transpose()?;
        let mut found = Vec::new();
        for word in self.methods(view)? {
            // METHOD or METHOD@STEP
            let (method, step) = match word.rsplit_once('@') {
                Some((method, step)) => {
                    let step: f64 = step
                        .parse()
                        .map_err(|_| LabError::input(format!("`{word}` is not METHOD@STEP")))?;
                    (method.to_string(), Some(step))
                }
                None => (word.clone(), step),
            };
            let fits = |case: &&PlannedCase| {
                case.method == method
                    && step.is_none_or(|step| (case.given - step).abs() <= 1e-9 * step)
            };
            let all: Vec<&PlannedCase> = study.cases.iter().filter(fits).collect();
            if all.is_empty() && !study.omits(&method, step) {
                let name = &study.name;
                let step = step.map_or(String::new(), |step| format!(" with a step of {step}"));
                let message = format!("study {name} has no run of `{method}`{step}");
                return Err(LabError::input(message));
            }
            let is_one = all.len() == 1 && !word.contains('@');
            for case in all {
                let called = self.manifest.called(&method);
                let name = if is_one { called } else { format!("{called}, {}", short(case.given)) };
                found.push((name, study, case));
            }
        }
        Ok(found)
    }

    fn signal(&self, view: &View) -> Result<usize, LabError> {
        let name = view.signal.as_ref();
        let name = name.ok_or_else(|| LabError::input("a figure names no signal"))?;
        self.study(view)?.signal(name)
    }
}

fn row(panel: &str, curve: &str, x: impl std::fmt::Display, y: f64) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    format!("{},{},{x},{y:e}\n", quoted(panel), quoted(curve))
}

/// Writes the data of a figure as a CSV file.
fn write_data(
    path: &Path,
    header: &str,
    rows: impl Iterator<Item = String>,
) -> Result<(), LabError> {
    let path = path.with_extension("csv");
    let rows: Vec<String> = rows.collect();
    let is_ours = |path: &Path| origin::is_table(path, header);
    if rows.len() > ROWS {
        if is_ours(&path) {
            let _ = std::fs::remove_file(&path);
        }
        return Ok(());
    }
    let text: String = std::iter::once(header.to_string()).chain(rows).collect();
    Ok(output::write(&path, text.as_bytes(), ExistingFile::ReplaceIf(&is_ours))?)
}

/// A column of a history over time, within what a view shows.
fn points(history: &TimeHistory, k: usize, view: &View) -> Vec<(f64, f64)> {
    let (from, to) = (view.from.unwrap_or(f64::NEG_INFINITY), view.to.unwrap_or(f64::INFINITY));
    let all = history.times().iter().copied().zip(history.column(k));
    all.filter(|(t, _)| (from..=to).contains(t)).collect()
}

/// The files of the data behind a figure, within the folder of the site.
pub fn data(drawing: &Drawing<'_>, picture: &Picture) -> Vec<String> {
    let whole = [View::default()];
    let given = if picture.panel.is_empty() { &whole[..] } else { &picture.panel };
    let mut files = Vec::new();
    for view in given.iter().map(|view| view.or(&picture.view)) {
        for (_, study, case) in drawing.cases(&view).unwrap_or_default() {
            let ending = match picture.kind {
                FigureKind::Field | FigureKind::Profile => "csv",
                _ => "parquet",
            };
            let file = drawing.quantities.results.file(study, case, ending);
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}
