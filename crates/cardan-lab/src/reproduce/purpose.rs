//! Rankings of methods by purpose.

use serde::{Deserialize, Serialize};

use super::manifest::{Manifest, Purpose};
use super::quantity::Quantities;
use crate::error::LabError;

/// The ranking of methods for a purpose, the best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ranking {
    /// The name of the purpose.
    pub name: String,
    /// The title of the purpose.
    pub title: String,
    /// The unit of the score.
    pub unit: String,
    /// The methods with their scores, the best first.
    pub scores: Vec<(String, f64)>,
    /// The number of recommended methods, from the first.
    pub recommended: usize,
    /// Methods without a score, or excluded.
    pub failed: Vec<String>,
}

/// Scores all methods of a purpose; `None` if a run was omitted.
pub fn rank(
    quantities: &Quantities<'_>,
    manifest: &Manifest,
    purpose: &Purpose,
) -> Result<Option<Ranking>, LabError> {
    let (mut scores, mut failed) = (Vec::new(), Vec::new());
    for method in manifest.methods(&purpose.methods)? {
        let formula = |text: &str| quantities.formula(&text.replace("{method}", &method));
        let Some(score) = formula(&purpose.score)? else { return Ok(None) };
        let mut is_excluded = false;
        for test in &purpose.unless {
            let found = quantities.test(&test.replace("{method}", &method))?;
            let Some(found) = found else { return Ok(None) };
            // a test without a finite value excludes the method
            is_excluded |= found.unwrap_or(true);
        }
        match score.finite.filter(|_| !is_excluded) {
            None => failed.push(method),
            Some(score) => scores.push((method, score)),
        }
    }
    scores.sort_by(|a, b| a.1.total_cmp(&b.1));
    let best = scores.first().map_or(f64::NAN, |(_, score)| *score);
    // a score below zero is not made better by a factor
    let bound = best.max(purpose.within * best);
    let recommended = scores.iter().filter(|(_, score)| *score <= bound).count();
    Ok(Some(Ranking {
        name: purpose.name.clone(),
        title: purpose.title.clone(),
        unit: purpose.unit.clone(),
        scores,
        recommended,
        failed,
    }))
}
