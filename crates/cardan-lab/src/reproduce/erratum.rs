//! Errors in print, with numbers that show them.

use cardan::expression::Expression;
use serde_json::{Value, json};

use super::check::Verdict;
use super::manifest::Erratum;
use super::quantity::{Evaluated, Quantities};
use crate::error::LabError;

/// An erratum with its evidence.
pub struct Evidence<'a> {
    pub erratum: &'a Erratum,
    pub as_printed: Vec<Option<f64>>,
    pub as_corrected: Vec<Option<f64>>,
    pub verdict: Verdict,
}

impl Evidence<'_> {
    pub fn to_json(&self, paper: &str) -> Value {
        json!({
            "erratum": format!("{paper}: {}", self.erratum.place),
            "as_printed": self.as_printed,
            "as_corrected": self.as_corrected,
            "verdict": self.verdict.words(),
        })
    }
}

/// Computes the evidence: the numbers of both readings, and whether they show which one is right.
pub fn evidence<'a>(
    quantities: &Quantities<'_>,
    erratum: &'a Erratum,
) -> Result<Evidence<'a>, LabError> {
    let all = |formulas: &[String]| -> Result<Vec<Option<Evaluated>>, LabError> {
        formulas.iter().map(|formula| quantities.formula(formula)).collect()
    };
    let (printed, corrected) = (all(&erratum.as_printed)?, all(&erratum.as_corrected)?);
    let shown = |found: &[Option<Evaluated>]| -> Vec<Option<f64>> {
        found.iter().map(|x| x.map(|x| x.value)).collect()
    };
    let (as_printed, as_corrected) = (shown(&printed), shown(&corrected));
    let name = |letter: char, k: usize| format!("{letter}{k}");
    let mut names: Vec<String> = (0..as_printed.len()).map(|k| name('p', k)).collect();
    names.extend((0..as_corrected.len()).map(|k| name('c', k)));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let test = Expression::parse_of(&erratum.shows, &names)
        .map_err(|error| LabError::input(format!("`{}`: {error}", erratum.shows)))?;
    let values: Option<Vec<f64>> =
        printed.iter().chain(&corrected).map(|x| x.map(|x| x.finite.unwrap_or(f64::NAN))).collect();
    // a value that is not finite is no evidence
    let verdict = match values.map(|values| test.of_finite(&values)) {
        None => Verdict::Skipped,
        Some(Some(1.0)) => Verdict::Confirmed,
        Some(None | Some(0.0)) => Verdict::Differs,
        Some(Some(value)) => {
            let message = format!("`{}` is {value}; `shows` is a comparison", erratum.shows);
            return Err(LabError::input(message));
        }
    };
    Ok(Evidence { erratum, as_printed, as_corrected, verdict })
}
