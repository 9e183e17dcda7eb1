//! Numbers by address, from results, linear analysis and coefficients.
//!
//! In formulas of a manifest an address is written in brackets:
//!
//! ```text
//! [STUDY METHOD STEP SIGNAL.MEASURE]       a measure of a signal (error, last, change …)
//! [STUDY METHOD STEP WORD]                 iterations, seconds, steps, reached, completed
//! [order STUDY METHOD COARSE FINE SIGNAL.MEASURE]
//! [at STUDY METHOD STEP SIGNAL TIME]       the signal at a time
//! [beyond STUDY METHOD STEP SIGNAL BOUND]  the time at which its size first exceeds a bound; the time reached if it never does
//! [largest STUDY METHOD STEP SIGNAL FROM TO]   its largest size within a time, which the run must cover
//! [range STUDY METHOD STEP SIGNAL FROM TO]     the difference of its extremes within a time, which the run must cover
//! [newton STUDY METHOD STEP]               the observed order of convergence of Newton's method
//! [radius METHOD OMEGA DAMPING]            spectral radius at ωh
//! [decay METHOD X] [period METHOD X]       per cent at Δt/(nT)
//! [limit METHOD]                           the ωh up to which it is stable; 1e4, the end of the search, if it is stable there
//! [infinity METHOD] [constant METHOD] [order-of METHOD]
//! [overshoot METHOD displacement|velocity] over 20 steps of ten periods
//! [conditions METHOD] [condition METHOD K] residuals of the conditions of the coefficients
//! [coefficient METHOD NAME]
//! [frequency MODEL K NAME=VALUE …]         a natural frequency in rad/s
//! ```
//! STUDY may be PAPER/STUDY. What a failed run, a reference that is not there or a division by zero leaves without a
//! finite value is shown, but neither confirms nor refutes a claim.

use crate::spectral;
use crate::study::{SignalStatistics, observed_order};
use cardan::expression::Expression;
use cardan::methods::conditions::conditions;
use cardan::methods::{Method, MethodChoice, MethodInfo};
use cardan::modes::{Mode, Modes, ModesOptions};

use super::compute::StudyResults;
use super::plan::{Planned, PlannedCase};
use crate::error::LabError;
use crate::examples;

/// The sources of numbers: planned studies and their results.
pub struct Quantities<'a> {
    pub studies: &'a [Planned],
    pub results: &'a StudyResults,
    /// The paper in which the name of a study is searched first.
    pub paper: String,
}

/// A number, or `None` where the run was omitted.
pub type Found = Result<Option<f64>, LabError>;

/// The value of a formula.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated {
    /// The value as shown.
    pub value: f64,
    /// The value, if it and everything it is computed from is finite: only this can be compared.
    pub finite: Option<f64>,
}

const MEASURES: [&str; 5] = ["iterations", "seconds", "steps", "reached", "completed"];

/// The addresses in a formula, and the formula with names for them.
pub fn addresses(formula: &str) -> Result<(String, Vec<String>), LabError> {
    let (mut text, mut found) = (String::new(), Vec::new());
    let mut rest = formula;
    while let Some((before, after)) = rest.split_once('[') {
        let wrong = || LabError::input(format!("`{formula}`: a bracket is not closed"));
        let (address, after) = after.split_once(']').ok_or_else(wrong)?;
        text += &format!("{before} x{} ", found.len());
        found.push(address.trim().to_string());
        rest = after;
    }
    Ok((text + rest, found))
}

/// The study that an address names, if it names one.
pub fn study_of(address: &str) -> Option<&str> {
    let words: Vec<&str> = address.split_whitespace().collect();
    match words[..] {
        ["order" | "at" | "beyond" | "largest" | "range" | "newton", study, ..] => Some(study),
        [
            "radius" | "decay" | "period" | "limit" | "infinity" | "constant" | "order-of"
            | "overshoot" | "conditions" | "condition" | "coefficient" | "frequency",
            ..,
        ] => None,
        [study, _, _, _] => Some(study),
        _ => None,
    }
}

impl Quantities<'_> {
    /// The value of a formula; `None` where a run was omitted.
    pub fn formula(&self, formula: &str) -> Result<Option<Evaluated>, LabError> {
        let (text, found) = addresses(formula)?;
        let mut values = Vec::new();
        for address in &found {
            match self.address(address)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        let names: Vec<String> = (0..found.len()).map(|k| format!("x{k}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let parsed = Expression::parse_of(&text, &names)
            .map_err(|error| LabError::input(format!("`{formula}`: {error}")))?;
        Ok(Some(Evaluated { value: parsed.of(&values), finite: parsed.of_finite(&values) }))
    }

    /// Whether a comparison holds: `None` where a run was omitted, `Some(None)` where a value is not finite.
    pub fn test(&self, formula: &str) -> Result<Option<Option<bool>>, LabError> {
        let Some(found) = self.formula(formula)? else { return Ok(None) };
        match found.finite {
            None => Ok(Some(None)),
            Some(0.0) => Ok(Some(Some(false))),
            Some(1.0) => Ok(Some(Some(true))),
            Some(value) => {
                let message = format!("`{formula}` is {value}; a test is a comparison");
                Err(LabError::input(message))
            }
        }
    }

    /// The formula with its addresses replaced by their values, as text.
    pub fn shown(&self, formula: &str) -> Result<String, LabError> {
        let (_, found) = addresses(formula)?;
        let mut text = formula.to_string();
        for address in found {
            let value = self.address(&address)?;
            let value = value.map_or("–".into(), super::numbers::short);
            let (before, after) = text.split_once('[').unwrap_or((&text, ""));
            let after = after.split_once(']').map_or("", |(_, after)| after);
            text = format!("{before}{value}{after}");
        }
        Ok(text)
    }

    fn address(&self, address: &str) -> Found {
        let words: Vec<&str> = address.split_whitespace().collect();
        let wrong = |what: &str| LabError::input(format!("[{address}]: {what}"));
        let number = |word: &str| {
            super::manifest::Amount::Formula(word.into())
                .value()
                .map_err(|_| wrong(&format!("`{word}` is not a number")))
        };
        let unwrap = |failure: LabError| wrong(&failure.message);
        match words[..] {
            ["order", study, method, coarse, fine, what] => {
                let (coarse, fine) = (number(coarse)?, number(fine)?);
                if coarse.is_nan() || fine.is_nan() || coarse <= fine {
                    return Err(wrong("the first step is not the larger one"));
                }
                let at = |step| self.measure(study, method, step, what).map_err(unwrap);
                let (Some(one), Some(two)) = (at(coarse)?, at(fine)?) else { return Ok(None) };
                if what.ends_with(".last-error") {
                    let ends = [coarse, fine].map(|step| self.compared_until(study, method, step));
                    let [Some(one), Some(two)] = ends else { return Ok(Some(f64::NAN)) };
                    if (one - two).abs() > 1e-6 * fine {
                        let message = format!(
                            "the last errors are those at {one} and {two} s: take steps that divide the motion"
                        );
                        return Err(wrong(&message));
                    }
                }
                Ok(Some(observed_order((coarse, one), (fine, two))))
            }
            ["at", study, method, step, signal, time] => {
                let (step, time) = (number(step)?, number(time)?);
                let Some((planned, case)) = self.case(study, method, step).map_err(unwrap)? else {
                    return Ok(None);
                };
                let k = planned.signal(signal).map_err(unwrap)?;
                keeps_rows(planned).map_err(unwrap)?;
                let row = self.results.history(planned, case).and_then(|known| known.at(time));
                Ok(Some(row.map_or(f64::NAN, |row| row[k])))
            }
            ["beyond", study, method, step, signal, bound] => {
                let (step, bound) = (number(step)?, number(bound)?);
                let points = self.points(study, method, step, signal).map_err(unwrap)?;
                let passed = |trace: Trace| {
                    let mut points = trace.points.into_iter();
                    let first = points.find(|(_, x)| x.is_nan() || x.abs() > bound);
                    first.map_or(trace.reached, |(t, _)| t)
                };
                Ok(points.map(passed))
            }
            [word @ ("largest" | "range"), study, method, step, signal, from, to] => {
                let [step, from, to] = [number(step)?, number(from)?, number(to)?];
                if from > to {
                    return Err(wrong("the time ends before it begins"));
                }
                let points = self.points(study, method, step, signal).map_err(unwrap)?;
                let extent = |trace: Trace| {
                    let points = trace.points.into_iter();
                    let within = points.filter(|(t, _)| (from..=to).contains(t));
                    let values: Vec<f64> = within.map(|(_, x)| x).collect();
                    let is_whole = trace.covered >= to && !values.is_empty();
                    if !is_whole || values.iter().any(|x| x.is_nan()) {
                        return f64::NAN;
                    }
                    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    if word == "range" { high - low } else { low.abs().max(high.abs()) }
                };
                Ok(points.map(extent))
            }
            ["newton", study, method, step] => {
                let step = number(step)?;
                let Some((planned, case)) = self.case(study, method, step).map_err(unwrap)? else {
                    return Ok(None);
                };
                super::newton::order(planned, &case.case).map(Some).map_err(unwrap)
            }
            ["frequency", model, k, ref set @ ..] => {
                let k = number(k)? as usize;
                natural_frequency(model, k, set).map(Some).map_err(unwrap)
            }
            [word @ ("condition" | "coefficient"), method, name] => {
                let choice: MethodChoice = method.parse().map_err(|error: String| wrong(&error))?;
                let built = choice.build().map_err(|error| wrong(&error.to_string()))?;
                let known = match word {
                    "condition" => conditions(&choice)
                        .map_err(|error| wrong(&error.to_string()))?
                        .into_iter()
                        .map(|condition| (condition.name.replace(' ', "-"), condition.residual))
                        .collect(),
                    _ => built.1.coefficients(),
                };
                let found = known.iter().find(|(known, _)| known == name).map(|(_, x)| *x);
                let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
                found.map(Some).ok_or_else(|| wrong(&format!("there are {}", names.join(", "))))
            }
            [
                word @ ("radius" | "decay" | "period" | "limit" | "infinity" | "constant"
                | "order-of" | "overshoot" | "conditions"),
                method,
                ref rest @ ..,
            ] => {
                let choice: MethodChoice = method.parse().map_err(|error: String| wrong(&error))?;
                let (info, built) = choice.build().map_err(|error| wrong(&error.to_string()))?;
                let at = |k: usize| rest.get(k).map_or(Ok(0.0), |word| number(word));
                let found = match word {
                    "conditions" => worst(&choice).map_err(|error| wrong(&error))?,
                    "infinity" => built.constrained_radius(),
                    "overshoot" => {
                        let motion = spectral::overshoot(info, built.as_ref(), 0.0, 10.0, 20)?;
                        match rest {
                            ["velocity"] => motion.velocity(),
                            ["displacement"] => motion.displacement(),
                            _ => {
                                return Err(wrong(
                                    "the last word must be `displacement` or `velocity`",
                                ));
                            }
                        }
                    }
                    _ => analysis(word, info, built.as_ref(), at(0)?, at(1)?)?,
                };
                Ok(Some(found))
            }
            [study, method, step, what] => {
                self.measure(study, method, number(step)?, what).map_err(unwrap)
            }
            _ => Err(wrong("unknown address")),
        }
    }

    /// A study by its name.
    pub fn study(&self, name: &str) -> Result<&Planned, LabError> {
        let within = format!("{}/{name}", self.paper);
        let mut named = [within.as_str(), name].into_iter();
        let found = named.find_map(|name| self.studies.iter().find(|study| study.name == name));
        found.ok_or_else(|| LabError::input(format!("there is no study `{name}`")))
    }

    /// A case of a study; `None` if the quick form omits it.
    fn case(
        &self,
        study: &str,
        method: &str,
        step: f64,
    ) -> Result<Option<(&Planned, &PlannedCase)>, LabError> {
        let planned = self.study(study)?;
        let found = planned.case(method, step);
        if found.is_none() && !planned.omits(method, Some(step)) {
            let name = &planned.name;
            let message = format!("study {name} has no run of `{method}` with a step of {step}");
            return Err(LabError::input(message));
        }
        Ok(found.map(|case| (planned, case)))
    }

    /// A signal over time, and the time reached; no points where the run is not there.
    fn points(
        &self,
        study: &str,
        method: &str,
        step: f64,
        signal: &str,
    ) -> Result<Option<Trace>, LabError> {
        let Some((planned, case)) = self.case(study, method, step)? else { return Ok(None) };
        let k = planned.signal(signal)?;
        keeps_rows(planned)?;
        let outcome = self.results.outcome(planned, case);
        let history = self.results.history(planned, case);
        let (Some(outcome), Some(history)) = (outcome, history) else {
            let (reached, covered) = (f64::NAN, f64::NAN);
            return Ok(Some(Trace { points: Vec::new(), reached, covered }));
        };
        let points = history.times().iter().copied().zip(history.column(k)).collect();
        let reached = outcome.reached;
        // the end may lie within the step that would come next
        let rest = if outcome.failure.is_none() { case.case.step } else { 0.0 };
        Ok(Some(Trace { points, reached, covered: reached + rest }))
    }

    /// When a case was last compared with the reference.
    fn compared_until(&self, study: &str, method: &str, step: f64) -> Option<f64> {
        let (planned, case) = self.case(study, method, step).ok()??;
        let time = self.results.outcome(planned, case)?.compared_until;
        Some(time).filter(|time| time.is_finite())
    }

    /// A measure of a case.
    pub fn measure(&self, study: &str, method: &str, step: f64, what: &str) -> Found {
        let Some((planned, case)) = self.case(study, method, step)? else { return Ok(None) };
        // a run that is planned and not there leaves its numbers unknown
        let Some(outcome) = self.results.outcome(planned, case) else {
            return Ok(Some(f64::NAN));
        };
        let value = match what {
            "iterations" => outcome.iterations,
            "seconds" => outcome.seconds,
            "steps" => outcome.steps as f64,
            "reached" => outcome.reached,
            "completed" => f64::from(u8::from(outcome.failure.is_none())),
            _ => {
                let wrong = || {
                    let known = SignalStatistics::NAMES.join(", ");
                    let words = MEASURES.join(", ");
                    LabError::input(format!("`{what}` is not SIGNAL.MEASURE ({known}) or {words}"))
                };
                let (signal, measure) = what.rsplit_once('.').ok_or_else(wrong)?;
                let k = planned.signal(signal)?;
                let known = outcome.signals.get(k).unwrap_or(&SignalStatistics::UNKNOWN);
                let value = known.named(measure).ok_or_else(wrong)?;
                // statistics of a motion that ended early are not those of the whole motion
                if outcome.failure.is_some() && measure != "first" { f64::NAN } else { value }
            }
        };
        Ok(Some(value))
    }
}

/// A signal over time.
struct Trace {
    points: Vec<(f64, f64)>,
    /// The time of the last step.
    reached: f64,
    /// The planned end of the motion, or the time at which it failed.
    covered: f64,
}

fn keeps_rows(study: &Planned) -> Result<(), LabError> {
    match study.study.rows {
        0 => Err(LabError::input(format!("study {} keeps no rows of its runs", study.name))),
        _ => Ok(()),
    }
}

/// The largest residual of the conditions of a method.
fn worst(choice: &MethodChoice) -> Result<f64, String> {
    let all = conditions(choice).map_err(|error| error.to_string())?;
    // NaN counts as the largest
    let worse = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
    Ok(all.iter().fold(0.0, |most, condition| worse(most, condition.residual)))
}

/// A number of linear analysis at x, with damping.
fn analysis(
    word: &str,
    info: &MethodInfo,
    method: &dyn Method,
    x: f64,
    damping: f64,
) -> Result<f64, LabError> {
    Ok(match word {
        "radius" => cardan::stability::spectral_radius(info, method, x, damping)?,
        "limit" => cardan::stability::stability_limit(info, method, damping)?
            .min(cardan::stability::MAX_FREQUENCY),
        "constant" => spectral::accuracy(info, method)?.error_constant,
        "order-of" => spectral::accuracy(info, method)?.order,
        _ => {
            let row = &spectral::responses(info, method, &[x], damping)?[0];
            if word == "decay" { row.amplitude_decay } else { row.period_elongation }
        }
    })
}

/// The k-th natural frequency of a model at rest, counted from one.
fn natural_frequency(name: &str, k: usize, set: &[&str]) -> Result<f64, LabError> {
    let set: Result<Vec<_>, String> =
        set.iter().map(|word| examples::parse_setting(word)).collect();
    let set = set.map_err(LabError::input)?;
    let file = examples::example_or_file(name, std::path::Path::new(""), &set)?;
    let start = file.assemble()?;
    elastic_frequency(&start, k)
}

/// The k-th natural frequency of a model at its start, in rad/s, counted from one and without rigid motions.
fn elastic_frequency(start: &cardan::model::AssembledMechanism, k: usize) -> Result<f64, LabError> {
    let settings = cardan::Settings::new("generalized-alpha", 1e-3);
    let motion = cardan::Simulation::new(&start.model, &settings, &start.initial)?;
    let mut count = k.saturating_add(6);
    loop {
        let options = ModesOptions { count, ..ModesOptions::default() };
        let modes =
            Modes::new(&start.model, motion.now(), &options).map_err(cardan::Error::from)?.modes;
        let elastic: Vec<&Mode> = modes.iter().filter(|mode| !mode.is_rigid()).collect();
        let chosen = k.checked_sub(1).and_then(|k| elastic.get(k));
        match chosen {
            Some(mode) => return Ok(mode.frequency()),
            // rigid motions may have taken the places
            None if k > 0 && modes.len() >= count => count = count.saturating_mul(2),
            None => {
                let found = elastic.len();
                return Err(LabError::input(format!("there are {found} modes, not {k}")));
            }
        }
    }
}
