//! Figures from results, as the manifest describes them.

use std::path::Path;

use cardan::methods::Choice;
use cardan::spectral;
use cardan::study::History;

use super::check::short;
use super::compute::Results;
use super::manifest::{Amount, Kind, Manifest, Picture, Show, View};
use super::plan::{Planned, PlannedCase};
use super::quantity::Quantities;
use crate::chart::bars::{self, Bars};
use crate::chart::field::{self, Field, Map};
use crate::chart::{self, Figure, Panel, Scale, Series};
use crate::snapshot::{Table, grid};
use crate::{Failure, table};

/// What drawing needs.
pub struct Drawing<'a> {
    pub manifest: &'a Manifest,
    pub quantities: &'a Quantities<'a>,
}

/// Points of a curve of linear analysis.
const POINTS: usize = 240;

impl Drawing<'_> {
    /// Draws a figure into a file; tells whether there was anything to draw.
    pub fn draw(&self, title: &str, picture: &Picture, path: &Path) -> Result<bool, Failure> {
        let whole = [View::default()];
        let given = if picture.panel.is_empty() { &whole[..] } else { &picture.panel };
        let views: Vec<View> = given.iter().map(|view| view.or(&picture.view)).collect();
        match picture.kind {
            Kind::Field => return self.fields(title, picture, &views, path),
            Kind::Bars => return self.bars(title, picture, &views, path),
            _ => {}
        }
        let mut panels = Vec::new();
        for view in &views {
            let mut series = match picture.kind {
                Kind::History => self.histories(view)?,
                Kind::Convergence => self.convergence(view)?,
                Kind::Map => self.map(view)?,
                Kind::Spectrum => self.spectrum(view)?,
                Kind::Constants => self.constants(view)?,
                _ => self.profiles(view)?,
            };
            if let Some(top) = view.top {
                let points = series.iter_mut().flat_map(|series| &mut series.points);
                points.filter(|(_, y)| y.abs() > top).for_each(|(_, y)| *y = f64::NAN);
            }
            let is_log = view.log.unwrap_or(picture.kind == Kind::Convergence);
            let scale = if is_log { Scale::Logarithmic } else { Scale::Linear };
            let y_label = view.label.clone().or(view.signal.clone()).unwrap_or_default();
            panels.push(Panel { y_label, scale, series });
        }
        let is_empty = panels.iter().all(|panel| panel.series.is_empty());
        let x_label = picture.x_label.clone().unwrap_or_else(|| {
            match picture.kind {
                Kind::History => "time [s]",
                Kind::Convergence => "step over stages [s]",
                Kind::Spectrum if views[0].across.is_some() => "ωΔt",
                Kind::Spectrum => "Δt/(nT)",
                Kind::Constants => "ρ∞",
                Kind::Profile => "distance from the origin [m]",
                _ => "",
            }
            .into()
        });
        let is_log = matches!(picture.kind, Kind::Convergence)
            || picture.kind == Kind::Spectrum && views[0].from.is_some_and(|from| from > 0.0);
        let figure = Figure {
            title: title.into(),
            subtitle: picture.caption.clone(),
            x_label,
            scale: if is_log { Scale::Logarithmic } else { Scale::Linear },
            has_marks: matches!(picture.kind, Kind::Convergence | Kind::History),
            is_map: picture.kind == Kind::Map,
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

    fn study(&self, view: &View) -> Result<&Planned, Failure> {
        let name = view.study.as_ref();
        let name = name.ok_or_else(|| Failure::usage("a figure names no study".into()))?;
        self.quantities.study(name)
    }

    fn methods(&self, view: &View) -> Result<Vec<String>, Failure> {
        self.manifest.methods(view.methods.as_deref().unwrap_or(&[]))
    }

    /// The cases that a view shows, with the names of their curves.
    fn cases(&self, view: &View) -> Result<Vec<(String, &Planned, &PlannedCase)>, Failure> {
        let study = self.study(view)?;
        let step = view.step.as_ref().map(Amount::value).transpose()?;
        let mut found = Vec::new();
        for word in self.methods(view)? {
            // METHOD or METHOD@STEP
            let (method, step) = match word.rsplit_once('@') {
                Some((method, step)) => {
                    let step: f64 = step.parse().map_err(|_| {
                        Failure::usage(format!("`{word}` is not METHOD@STEP"))
                    })?;
                    (method.to_string(), Some(step))
                }
                None => (word.clone(), step),
            };
            let fits = |case: &&PlannedCase| {
                case.method == method
                    && step.is_none_or(|step| (case.given - step).abs() <= 1e-9 * step)
            };
            let all: Vec<&PlannedCase> = study.cases.iter().filter(fits).collect();
            let is_one = all.len() == 1 && !word.contains('@');
            for case in all {
                let called = self.manifest.called(&method);
                let name = if is_one { called } else { format!("{called}, {}", short(case.given)) };
                found.push((name, study, case));
            }
        }
        Ok(found)
    }

    fn signal(&self, view: &View) -> Result<usize, Failure> {
        let name = view.signal.as_ref();
        let name = name.ok_or_else(|| Failure::usage("a figure names no signal".into()))?;
        self.study(view)?.signal(name)
    }

    fn histories(&self, view: &View) -> Result<Vec<Series>, Failure> {
        let (k, results) = (self.signal(view)?, self.quantities.results);
        let reference = results.reference(self.study(view)?);
        let show = view.show.unwrap_or_default();
        let mut series = Vec::new();
        if let (Some(true), Some(known)) = (view.reference, &reference) {
            series.push(Series { name: "reference".into(), points: points(known, k, view) });
        }
        let mut is_exact_wanted = view.exact.as_ref();
        for (name, study, case) in self.cases(view)? {
            let Some(history) = results.history(study, case) else { continue };
            if let Some(exact) = is_exact_wanted.take() {
                let points = points(&history, study.signal(exact)?, view);
                series.push(Series { name: "exact".into(), points });
            }
            let failure = results.outcome(study, case).and_then(|outcome| {
                outcome.failure.is_some().then(|| format!(" (fails at {})", short(outcome.reached)))
            });
            let mut points = points(&history, k, view);
            match show {
                Show::Value => {}
                Show::Change => {
                    let first = history.column(k).next().unwrap_or(0.0);
                    points.iter_mut().for_each(|(_, y)| *y -= first);
                }
                Show::Error => {
                    let Some(known) = &reference else { continue };
                    for (t, y) in &mut points {
                        *y = known.at(*t).map_or(f64::NAN, |row| (*y - row[k]).abs());
                    }
                }
            }
            series.push(Series { name: name + &failure.unwrap_or_default(), points });
        }
        Ok(series)
    }

    fn convergence(&self, view: &View) -> Result<Vec<Series>, Failure> {
        let measure = view.measure.as_deref().unwrap_or("error");
        let signal = view.signal.clone().unwrap_or_default();
        let what = if signal.is_empty() { measure.into() } else { format!("{signal}.{measure}") };
        let study = self.study(view)?;
        let mut series = Vec::new();
        for method in self.methods(view)? {
            let mut points = Vec::new();
            for case in study.cases.iter().filter(|case| case.method == method) {
                let found = self.quantities.measure(&study.name, &method, case.given, &what)?;
                points.extend(found.map(|y| (case.given, y)));
            }
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !points.is_empty() {
                series.push(Series { name: self.manifest.called(&method), points });
            }
        }
        Ok(series)
    }

    fn map(&self, view: &View) -> Result<Vec<Series>, Failure> {
        let y = self.signal(view)?;
        let across = view.across.as_ref();
        let across = across.ok_or_else(|| Failure::usage("a map names no `across`".into()))?;
        let x = self.study(view)?.signal(across)?;
        let mut series = Vec::new();
        for (name, study, case) in self.cases(view)? {
            let Some(history) = self.quantities.results.history(study, case) else { continue };
            let points = history.column(x).zip(history.column(y)).collect();
            series.push(Series { name, points });
        }
        Ok(series)
    }

    fn spectrum(&self, view: &View) -> Result<Vec<Series>, Failure> {
        let quantity = view.quantity.as_deref().unwrap_or("radius");
        let (from, to) = (view.from.unwrap_or(0.0), view.to.unwrap_or(0.5));
        let damping = view.damping.unwrap_or(0.0);
        let at = |k: usize| {
            let part = (k + 1) as f64 / POINTS as f64;
            if from > 0.0 { from * (to / from).powf(part) } else { to * part }
        };
        let abscissae: Vec<f64> = (0..POINTS).map(at).collect();
        let mut all = Vec::new();
        for word in self.methods(view)? {
            let choice: Choice = word.parse().map_err(Failure::usage)?;
            let (info, method) =
                choice.build().map_err(|error| Failure::usage(error.to_string()))?;
            if view.across.is_some() {
                let radius = |x: &f64| {
                    Ok((*x, spectral::spectral_radius(info, method.as_ref(), *x, damping)?))
                };
                let points = abscissae.iter().map(radius).collect::<Result<_, Failure>>()?;
                all.push(Series { name: self.manifest.called(&word), points });
                continue;
            }
            let rows = spectral::responses(info, method.as_ref(), &abscissae, damping)?;
            if quantity == "roots" {
                let count = rows.iter().map(|row| row.roots.len()).max().unwrap_or(0);
                for k in 0..count {
                    let root =
                        |row: &spectral::Response| row.roots.get(k).map_or(0.0, |root| root.norm());
                    let points: Vec<_> = rows.iter().map(|row| (row.abscissa, root(row))).collect();
                    // positions and velocities have the same roots twice
                    if points.iter().any(|(_, y)| *y > 1e-9) {
                        all.push(Series { name: format!("root {}", k + 1), points });
                    }
                }
                continue;
            }
            let points = rows
                .iter()
                .map(|row| {
                    let y = match quantity {
                        "radius" => row.radius,
                        _ if row.is_aliased => f64::NAN,
                        "decay" => row.amplitude_decay,
                        _ => row.period_elongation,
                    };
                    (row.abscissa, y)
                })
                .collect();
            all.push(Series { name: self.manifest.called(&word), points });
        }
        Ok(all)
    }

    fn constants(&self, view: &View) -> Result<Vec<Series>, Failure> {
        let mut series = Vec::new();
        for word in self.methods(view)? {
            let mut points = Vec::new();
            for k in 0..=40 {
                let rho = 0.99 * f64::from(k) / 40.0;
                let choice: Choice = format!("{word}:rho={rho}").parse().map_err(Failure::usage)?;
                let built = choice.build().map_err(|error| Failure::usage(error.to_string()))?;
                let found = spectral::accuracy(built.0, built.1.as_ref())?;
                points.push((rho, found.error_constant));
            }
            series.push(Series { name: word, points });
        }
        Ok(series)
    }

    /// The snapshots of the cases of a view.
    fn snapshots(&self, view: &View) -> Result<Vec<(String, Table)>, Failure> {
        let mut found = Vec::new();
        for (name, study, case) in self.cases(view)? {
            let text = self.quantities.results.snapshot(study, case);
            let name = name.split(',').next().unwrap_or(&name);
            let name = format!("{name} (CFL {})", case.given);
            found.extend(text.and_then(|text| Some((name, Table::parse(&text)?))));
        }
        Ok(found)
    }

    fn profiles(&self, view: &View) -> Result<Vec<Series>, Failure> {
        let quantity = view.quantity.as_deref().unwrap_or("displacement");
        let exact = if quantity == "displacement" { "exact" } else { "exact_velocity" };
        let is_diagonal = view.along.as_deref() == Some("diagonal");
        let mut series = Vec::new();
        for (name, table) in self.snapshots(view)? {
            let (Some(x), Some(y)) = (table.column("x"), table.column("y")) else { continue };
            let ([columns, _], _) = grid(&x, &y);
            let stride = if is_diagonal { columns + 1 } else { 1 };
            let line = |values: &[f64]| -> Vec<(f64, f64)> {
                let nodes = (0..columns).map(|k| k * stride).filter(|k| *k < values.len());
                nodes.map(|k| (x[k].hypot(y[k]), values[k])).collect()
            };
            if let (true, Some(values)) = (series.is_empty(), table.column(exact)) {
                series.push(Series { name: "exact".into(), points: line(&values) });
            }
            if let Some(values) = table.column(quantity) {
                series.push(Series { name, points: line(&values) });
            }
        }
        Ok(series)
    }

    fn fields(
        &self,
        title: &str,
        picture: &Picture,
        views: &[View],
        path: &Path,
    ) -> Result<bool, Failure> {
        let mut fields = Vec::new();
        for view in views {
            for (name, table) in self.snapshots(view)? {
                let (Some(x), Some(y)) = (table.column("x"), table.column("y")) else { continue };
                let (nodes, sides) = grid(&x, &y);
                if let (true, Some(values)) = (fields.is_empty(), table.column("exact")) {
                    fields.push(Field { title: "exact".into(), nodes, sides, values });
                }
                if let Some(values) = table.column("displacement") {
                    fields.push(Field { title: name, nodes, sides, values });
                }
            }
        }
        let is_empty = fields.is_empty();
        let map = Map {
            title: title.into(),
            subtitle: picture.caption.clone(),
            quantity: "u [m]".into(),
            fields,
        };
        field::write(&map, path)?;
        Ok(!is_empty)
    }

    /// One panel for each view, one colour for each of its steps.
    fn bars(
        &self,
        title: &str,
        picture: &Picture,
        views: &[View],
        path: &Path,
    ) -> Result<bool, Failure> {
        let names = self.methods(&views[0])?;
        let mut panels = Vec::new();
        for view in views {
            let measure = view.measure.clone().unwrap_or_else(|| "iterations".into());
            let study = self.study(view)?;
            let mut steps: Vec<f64> = match &view.step {
                Some(step) => vec![step.value()?],
                None => study.cases.iter().map(|case| case.given).collect(),
            };
            steps.sort_by(|a, b| b.total_cmp(a));
            steps.dedup();
            let mut groups = Vec::new();
            for step in steps {
                let mut values = Vec::new();
                for method in &names {
                    let found = self.quantities.measure(&study.name, method, step, &measure)?;
                    values.push(found.unwrap_or(f64::NAN));
                }
                groups.push((format!("{step:e}"), values));
            }
            panels.push((view.label.clone().unwrap_or(measure), groups));
        }
        let is_empty = panels.iter().all(|(_, groups)| groups.is_empty());
        let subtitle = picture.caption.clone();
        let rows = panels.iter().flat_map(|(label, groups)| {
            let names = &names;
            groups.iter().flat_map(move |(step, values)| {
                let each = names.iter().zip(values);
                each.map(move |(method, value)| row(label, method, step, *value))
            })
        });
        write_data(path, "panel,method,step,value\n", rows)?;
        let names = names.iter().map(|method| self.manifest.called(method)).collect();
        bars::write(&Bars { title: title.into(), subtitle, panels, names }, path)?;
        Ok(!is_empty)
    }
}

fn row(panel: &str, curve: &str, x: impl std::fmt::Display, y: f64) -> String {
    format!("\"{panel}\",\"{curve}\",{x},{y:e}\n")
}

/// Writes what a figure shows beside it.
fn write_data(
    path: &Path,
    header: &str,
    rows: impl Iterator<Item = String>,
) -> Result<(), Failure> {
    let path = path.with_extension("csv");
    let text: String = std::iter::once(header.to_string()).chain(rows).collect();
    table::write_whole(&path, text.as_bytes())
        .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))
}

/// A column of a history over time, within what a view shows.
fn points(history: &History, k: usize, view: &View) -> Vec<(f64, f64)> {
    let (from, to) =
        (view.from.unwrap_or(f64::NEG_INFINITY), view.to.unwrap_or(f64::INFINITY));
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
                Kind::Field | Kind::Profile => "csv",
                _ => "parquet",
            };
            let file = Results::file(study, case, ending);
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}
