//! The results of the exam as a file that tables and the documentation read.

use serde::{Deserialize, Serialize};

use super::{Grade, LinearGrade, grade, linear, problems};
use crate::error::Error;
use crate::methods::{self, Permission};
use crate::simulation::Settings;
use crate::stage::Formulation;

/// How often the coarsest step is halved.
const HALVINGS: i32 = 5;

/// Everything the exam measured, with the default parameters of each method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Orders, errors, drift and effort on the problems.
    pub grades: Vec<Grade>,
    /// Linear analysis.
    pub linear: Vec<LinearGrade>,
}

impl Record {
    /// The grades of a method under a formulation.
    pub fn of<'a>(
        &'a self,
        method: &'a str,
        constraints: Formulation,
    ) -> impl Iterator<Item = &'a Grade> {
        let matches = move |g: &&Grade| g.method == method && g.constraints == constraints.name();
        self.grades.iter().filter(matches)
    }

    /// The record as text for a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// The record kept with the library; `cardan exam --write` renews it.
pub fn recorded() -> Record {
    serde_json::from_str(include_str!("../../data/exam.json")).unwrap_or_default()
}

/// Lets every method (or those named) sit the exam.
pub fn sit(
    chosen: impl Fn(&str) -> bool,
    mut progress: impl FnMut(&Grade),
) -> Result<Record, Error> {
    let problems = problems::all();
    let mut record = Record::default();
    for info in methods::all().filter(|info| chosen(info.name)) {
        let build = || info.build(&[]).map_err(crate::error::SettingsError::from);
        let method = build()?;
        record.linear.push(linear(info, method.as_ref())?);
        for constraints in Formulation::ALL {
            if matches!(info.permission(constraints), Permission::Refused(_)) {
                continue;
            }
            for problem in &problems {
                // without constraints all formulations are one
                let constrained = problem.system.holonomic() > 0;
                if !constrained && constraints != info.natural() {
                    continue;
                }
                let steps: Vec<f64> =
                    (0..=HALVINGS).map(|k| 0.5_f64.powi(k) / problem.coarsest).collect();
                let settings = Settings::new(info.name, steps[0]).constraints(constraints);
                let again = || method.with_coefficients(&[]);
                let grade = grade(problem, &settings, info, again, &steps)?;
                progress(&grade);
                record.grades.push(grade);
            }
        }
    }
    Ok(record)
}
