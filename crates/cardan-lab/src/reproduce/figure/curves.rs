//! Curves: signals over time, errors over steps, linear analysis.

use crate::spectral;
use cardan::methods::MethodChoice;

use super::{Drawing, points};
use crate::chart::ChartSeries;
use crate::error::LabError;
use crate::reproduce::manifest::{TableContent, View};
use crate::reproduce::numbers::short;
use crate::reproduce::plan::PlannedCase;

/// Points of a curve of linear analysis.
const POINTS: usize = 240;

impl Drawing<'_> {
    pub(super) fn histories(&self, view: &View) -> Result<Vec<ChartSeries>, LabError> {
        let (k, results) = (self.signal(view)?, self.quantities.results);
        let reference = results.reference(self.study(view)?);
        let show = view.show.unwrap_or_default();
        let mut series = Vec::new();
        if let (Some(true), Some(known)) = (view.reference, &reference) {
            series.push(ChartSeries { name: "reference".into(), points: points(known, k, view) });
        }
        let mut is_exact_wanted = view.exact.as_ref();
        for (name, study, case) in self.cases(view)? {
            let Some(history) = results.history(study, case) else { continue };
            if let Some(exact) = is_exact_wanted.take() {
                let points = points(&history, study.signal(exact)?, view);
                series.push(ChartSeries { name: "exact".into(), points });
            }
            let failure = results.outcome(study, case).and_then(|outcome| {
                outcome.failure.is_some().then(|| format!(" (fails at {})", short(outcome.reached)))
            });
            let mut points = points(&history, k, view);
            match show {
                TableContent::Value => {}
                TableContent::Change => {
                    let first = history.column(k).next().unwrap_or(0.0);
                    points.iter_mut().for_each(|(_, y)| *y -= first);
                }
                TableContent::Error => {
                    let Some(known) = &reference else { continue };
                    for (t, y) in &mut points {
                        *y = known.at(*t).map_or(f64::NAN, |row| (*y - row[k]).abs());
                    }
                }
            }
            series.push(ChartSeries { name: name + &failure.unwrap_or_default(), points });
        }
        Ok(series)
    }

    /// A measure over the step, or over the computing time.
    pub(super) fn convergence(
        &self,
        view: &View,
        is_work: bool,
    ) -> Result<Vec<ChartSeries>, LabError> {
        let measure = view.measure.as_deref().unwrap_or("error");
        let signal = view.signal.clone().unwrap_or_default();
        let what = if signal.is_empty() { measure.into() } else { format!("{signal}.{measure}") };
        let study = self.study(view)?;
        let mut series = Vec::new();
        for method in self.methods(view)? {
            let is_it = |case: &&PlannedCase| case.method == method;
            if !(study.cases.iter().any(|case| is_it(&case)) || study.omits(&method, None)) {
                let message = format!("study {} has no run of `{method}`", study.name);
                return Err(LabError::input(message));
            }
            let mut points = Vec::new();
            for case in study.cases.iter().filter(is_it) {
                let found = self.quantities.measure(&study.name, &method, case.given, &what)?;
                let spent = self.quantities.results.outcome(study, case).map(|x| x.seconds);
                let x = if is_work { spent } else { Some(case.given) };
                points.extend(x.zip(found));
            }
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !points.is_empty() {
                series.push(ChartSeries { name: self.manifest.called(&method), points });
            }
        }
        Ok(series)
    }

    pub(super) fn map(&self, view: &View) -> Result<Vec<ChartSeries>, LabError> {
        let y = self.signal(view)?;
        let across = view.across.as_ref();
        let across = across.ok_or_else(|| LabError::input("a map names no `across`"))?;
        let x = self.study(view)?.signal(across)?;
        let mut series = Vec::new();
        for (name, study, case) in self.cases(view)? {
            let Some(history) = self.quantities.results.history(study, case) else { continue };
            let points = history.column(x).zip(history.column(y)).collect();
            series.push(ChartSeries { name, points });
        }
        Ok(series)
    }

    pub(super) fn spectrum(&self, view: &View) -> Result<Vec<ChartSeries>, LabError> {
        let quantity = view.quantity.as_deref().unwrap_or("radius");
        if !["radius", "decay", "period", "roots"].contains(&quantity) {
            let message = format!("`{quantity}` is none of radius, decay, period, roots");
            return Err(LabError::input(message));
        }
        let (from, to) = (view.from.unwrap_or(0.0), view.to.unwrap_or(0.5));
        let damping = view.damping.unwrap_or(0.0);
        let at = |k: usize| {
            let part = (k + 1) as f64 / POINTS as f64;
            if from > 0.0 { from * (to / from).powf(part) } else { to * part }
        };
        let abscissae: Vec<f64> = (0..POINTS).map(at).collect();
        let mut all = Vec::new();
        for word in self.methods(view)? {
            let choice: MethodChoice = word.parse().map_err(LabError::input)?;
            let (info, method) =
                choice.build().map_err(|error| LabError::input(error.to_string()))?;
            if view.across.is_some() {
                let radius = |x: &f64| {
                    Ok((
                        *x,
                        cardan::stability::spectral_radius(info, method.as_ref(), *x, damping)?,
                    ))
                };
                let points = abscissae.iter().map(radius).collect::<Result<_, LabError>>()?;
                all.push(ChartSeries { name: self.manifest.called(&word), points });
                continue;
            }
            let rows = spectral::responses(info, method.as_ref(), &abscissae, damping)?;
            if quantity == "roots" {
                let count = rows.iter().map(|row| row.roots.len()).max().unwrap_or(0);
                for k in 0..count {
                    let root = |row: &spectral::SpectralResponse| {
                        row.roots.get(k).map_or(0.0, |root| root.norm())
                    };
                    let points: Vec<_> = rows.iter().map(|row| (row.abscissa, root(row))).collect();
                    // positions and velocities have the same roots twice
                    if points.iter().any(|(_, y)| *y > 1e-9) {
                        all.push(ChartSeries { name: format!("root {}", k + 1), points });
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
            all.push(ChartSeries { name: self.manifest.called(&word), points });
        }
        Ok(all)
    }

    pub(super) fn constants(&self, view: &View) -> Result<Vec<ChartSeries>, LabError> {
        let mut series = Vec::new();
        for word in self.methods(view)? {
            let mut points = Vec::new();
            for k in 0..=40 {
                let rho = 0.99 * f64::from(k) / 40.0;
                let choice: MethodChoice =
                    format!("{word}:rho={rho}").parse().map_err(LabError::input)?;
                let built = choice.build().map_err(|error| LabError::input(error.to_string()))?;
                let found = spectral::accuracy(built.0, built.1.as_ref())?;
                points.push((rho, found.error_constant));
            }
            series.push(ChartSeries { name: word, points });
        }
        Ok(series)
    }
}
