//! Numbers by address: what results, linear analysis and coefficients say.
//!
//! In formulas of a manifest an address stands in brackets:
//!
//! ```text
//! [STUDY METHOD STEP SIGNAL.MEASURE]       a measure of a signal (error, last, change …)
//! [STUDY METHOD STEP WORD]                 iterations, seconds, steps, reached, completed
//! [order STUDY METHOD COARSE FINE SIGNAL.MEASURE]
//! [at STUDY METHOD STEP SIGNAL TIME]       the signal at a time
//! [beyond STUDY METHOD STEP SIGNAL BOUND]  when its size first passes a bound; ∞ if it never does
//! [largest STUDY METHOD STEP SIGNAL FROM TO]   its largest size within a time
//! [range STUDY METHOD STEP SIGNAL FROM TO]     the difference of its extremes within a time
//! [newton STUDY METHOD STEP]               the order in which Newton's corrections shrink
//! [radius METHOD OMEGA DAMPING]            spectral radius at ωh
//! [decay METHOD X] [period METHOD X]       per cent at Δt/(nT)
//! [limit METHOD] [infinity METHOD] [constant METHOD] [order-of METHOD]
//! [overshoot METHOD displacement|velocity] over 20 steps of ten periods
//! [conditions METHOD] [condition METHOD K] residuals of the conditions of the coefficients
//! [coefficient METHOD NAME]
//! [frequency MODEL K NAME=VALUE …]         a natural frequency in rad/s
//! ```
//! STUDY may be PAPER/STUDY.

use cardan::expression::Expression;
use cardan::methods::conditions::conditions;
use cardan::methods::{Choice, Method, MethodInfo};
use cardan::spectral;
use cardan::study::observed_order;

use super::compute::Results;
use super::plan::{Planned, PlannedCase};
use crate::{Failure, model};

/// Where numbers come from.
pub struct Quantities<'a> {
    pub studies: &'a [Planned],
    pub results: &'a Results,
    /// The paper in which a study's name is looked for first.
    pub paper: String,
}

/// A number, or none where the run was left out.
pub type Found = Result<Option<f64>, Failure>;

const MEASURES: [&str; 5] = ["iterations", "seconds", "steps", "reached", "completed"];

/// The addresses in a formula, and the formula with names for them.
pub fn addresses(formula: &str) -> Result<(String, Vec<String>), Failure> {
    let (mut text, mut found) = (String::new(), Vec::new());
    let mut rest = formula;
    while let Some((before, after)) = rest.split_once('[') {
        let wrong = || Failure::usage(format!("`{formula}`: a bracket is not closed"));
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
    /// The value of a formula.
    pub fn formula(&self, formula: &str) -> Found {
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
            .map_err(|error| Failure::usage(format!("`{formula}`: {}", error.message)))?;
        Ok(Some(parsed.of(&values)))
    }

    /// The formula with its addresses replaced by their values, as people read it.
    pub fn shown(&self, formula: &str) -> Result<String, Failure> {
        let (_, found) = addresses(formula)?;
        let mut text = formula.to_string();
        for address in found {
            let value = self.address(&address)?;
            let value = value.map_or("–".into(), super::check::short);
            let (before, after) = text.split_once('[').unwrap_or((&text, ""));
            let after = after.split_once(']').map_or("", |(_, after)| after);
            text = format!("{before}{value}{after}");
        }
        Ok(text)
    }

    fn address(&self, address: &str) -> Found {
        let words: Vec<&str> = address.split_whitespace().collect();
        let wrong = |what: &str| Failure::usage(format!("[{address}]: {what}"));
        let number = |word: &str| {
            super::manifest::Amount::Formula(word.into())
                .value()
                .map_err(|_| wrong(&format!("`{word}` is not a number")))
        };
        let unwrap = |failure: Failure| wrong(&failure.message);
        match words[..] {
            ["order", study, method, coarse, fine, what] => {
                let (coarse, fine) = (number(coarse)?, number(fine)?);
                let at = |step| self.measure(study, method, step, what).map_err(unwrap);
                let (Some(one), Some(two)) = (at(coarse)?, at(fine)?) else { return Ok(None) };
                Ok(Some(observed_order((coarse, one), (fine, two))))
            }
            ["at", study, method, step, signal, time] => {
                let (step, time) = (number(step)?, number(time)?);
                let Some((planned, case)) = self.case(study, method, step).map_err(unwrap)? else {
                    return Ok(None);
                };
                let k = planned.signal(signal).map_err(unwrap)?;
                let history = self.results.history(planned, case);
                Ok(history.map(|known| known.at(time).map_or(f64::NAN, |row| row[k])))
            }
            ["beyond", study, method, step, signal, bound] => {
                let (step, bound) = (number(step)?, number(bound)?);
                let points = self.points(study, method, step, signal).map_err(unwrap)?;
                let passed = |points: Vec<(f64, f64)>| {
                    let first = points.into_iter().find(|(_, x)| x.is_nan() || x.abs() > bound);
                    first.map_or(f64::INFINITY, |(t, _)| t)
                };
                Ok(points.map(passed))
            }
            [word @ ("largest" | "range"), study, method, step, signal, from, to] => {
                let [step, from, to] = [number(step)?, number(from)?, number(to)?];
                if from > to {
                    return Err(wrong("the time ends before it begins"));
                }
                let points = self.points(study, method, step, signal).map_err(unwrap)?;
                let extent = |points: Vec<(f64, f64)>| {
                    let within = points.into_iter().filter(|(t, _)| (from..=to).contains(t));
                    let (low, high) = within
                        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, x)| {
                            (low.min(x), high.max(x))
                        });
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
                let choice: Choice = method.parse().map_err(|error: String| wrong(&error))?;
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
                let choice: Choice = method.parse().map_err(|error: String| wrong(&error))?;
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
                            _ => return Err(wrong("displacement or velocity?")),
                        }
                    }
                    _ => analysis(word, info, built.as_ref(), at(0)?, at(1)?)?,
                };
                Ok(Some(found))
            }
            [study, method, step, what] => {
                self.measure(study, method, number(step)?, what).map_err(unwrap)
            }
            _ => Err(wrong("this is no address")),
        }
    }

    /// A study by its name.
    pub fn study(&self, name: &str) -> Result<&Planned, Failure> {
        let within = format!("{}/{name}", self.paper);
        let mut named = [within.as_str(), name].into_iter();
        let found = named.find_map(|name| self.studies.iter().find(|study| study.name == name));
        found.ok_or_else(|| Failure::usage(format!("there is no study `{name}`")))
    }

    /// A case of a study; none if the quick form leaves it out.
    fn case(
        &self,
        study: &str,
        method: &str,
        step: f64,
    ) -> Result<Option<(&Planned, &PlannedCase)>, Failure> {
        let planned = self.study(study)?;
        let found = planned.case(method, step);
        if found.is_none() && !planned.leaves_out(method, Some(step)) {
            let name = &planned.name;
            let message = format!("study {name} has no run of `{method}` with a step of {step}");
            return Err(Failure::usage(message));
        }
        Ok(found.map(|case| (planned, case)))
    }

    /// A signal over time.
    fn points(
        &self,
        study: &str,
        method: &str,
        step: f64,
        signal: &str,
    ) -> Result<Option<Vec<(f64, f64)>>, Failure> {
        let Some((planned, case)) = self.case(study, method, step)? else { return Ok(None) };
        let k = planned.signal(signal)?;
        let points = |history: cardan::study::History| {
            history.times().iter().copied().zip(history.column(k)).collect()
        };
        Ok(self.results.history(planned, case).map(points))
    }

    /// A measure of a case.
    pub fn measure(&self, study: &str, method: &str, step: f64, what: &str) -> Found {
        let Some((planned, case)) = self.case(study, method, step)? else { return Ok(None) };
        let Some(outcome) = self.results.outcome(planned, case) else { return Ok(None) };
        let value = match what {
            "iterations" => outcome.iterations,
            "seconds" => outcome.seconds,
            "steps" => outcome.steps as f64,
            "reached" => outcome.reached,
            "completed" => f64::from(u8::from(outcome.failure.is_none())),
            _ => {
                let wrong = || {
                    let known = cardan::study::Measures::NAMES.join(", ");
                    let words = MEASURES.join(", ");
                    Failure::usage(format!("`{what}` is not SIGNAL.MEASURE ({known}) or {words}"))
                };
                let (signal, measure) = what.rsplit_once('.').ok_or_else(wrong)?;
                let k = planned.signal(signal)?;
                outcome.signals[k].named(measure).ok_or_else(wrong)?
            }
        };
        Ok(Some(value))
    }
}

/// The largest residual of the conditions of a method.
fn worst(choice: &Choice) -> Result<f64, String> {
    let all = conditions(choice).map_err(|error| error.to_string())?;
    Ok(all.iter().fold(0.0, |most, condition| condition.residual.max(most)))
}

/// A number of linear analysis at x, with damping.
fn analysis(
    word: &str,
    info: &'static MethodInfo,
    method: &dyn Method,
    x: f64,
    damping: f64,
) -> Result<f64, Failure> {
    Ok(match word {
        "radius" => spectral::spectral_radius(info, method, x, damping)?,
        "limit" => spectral::stability_limit(info, method, damping)?,
        "constant" => spectral::accuracy(info, method)?.error_constant,
        "order-of" => spectral::accuracy(info, method)?.order,
        _ => {
            let row = &spectral::responses(info, method, &[x], damping)?[0];
            if word == "decay" { row.amplitude_decay } else { row.period_elongation }
        }
    })
}

/// The k-th natural frequency of a model at rest, counted from one.
fn natural_frequency(name: &str, k: usize, set: &[&str]) -> Result<f64, Failure> {
    let set: Result<Vec<_>, String> = set.iter().map(|word| model::pair(word)).collect();
    let set = set.map_err(Failure::usage)?;
    let file = model::example_or_file(name, std::path::Path::new(""), &set)?;
    let start = file.assemble()?;
    crate::modes::frequency(&start, k)
}
