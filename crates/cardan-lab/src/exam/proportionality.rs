//! Whether errors of example models follow the tolerance: one grade for each model and method.
//!
//! Errors are relative to a tight run, at times between the steps too.

use super::ToleranceGrade;
use super::tolerance::{LOOSE, tolerances_of};
use crate::error::LabError;
use crate::study::{AccuracyReference, AccuracyRun, AccuracySubject};
use cardan::methods::{self, MethodChoice};
use cardan::simulation::{ErrorControl, Settings};
use cardan::system::System;

/// The models on which errors must follow the tolerance: rigid, stiff, flexible and controlled mechanisms.
pub const PROPORTIONALITY_MODELS: &[&str] = &[
    "pendulum",
    "andrews",
    "heavy_top",
    "flyball",
    "flexible_slider_crank",
    "rotating_shaft",
    "servo_arm",
    "inverted_pendulum",
    "hydraulic_cylinder",
    "quarter_car",
    "dc_motor",
];
/// A run with more steps is given up.
const MAX_STEPS: u64 = 100_000;

/// What to run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ProportionalityRequest {
    /// The models; [`PROPORTIONALITY_MODELS`] if none is named.
    pub models: Vec<String>,
    /// The methods; all that take a tolerance if none is named.
    pub methods: Vec<MethodChoice>,
    /// The tolerances, from loose to tight; 1e-3 to 1e-9 (second order: 1e-6) if there are none.
    pub tolerances: Vec<f64>,
    /// The length of the motions, in seconds; that of the study by default.
    pub length: Option<f64>,
    /// Whether there are tolerances of accelerations too: the tolerance times the largest acceleration of the reference.
    pub has_accelerations: bool,
    /// Other values of parameters of the models.
    pub set: Vec<(String, String)>,
}

impl ProportionalityRequest {
    /// Models, methods and tolerances.
    pub fn new(models: &[String], methods: &[MethodChoice], tolerances: &[f64]) -> Self {
        let (models, methods) = (models.to_vec(), methods.to_vec());
        Self { models, methods, tolerances: tolerances.to_vec(), ..Self::default() }
    }

    /// Grades each method on each model. `progress` is called after each run. A model whose reference fails, or a run that
    /// ends early, is passed to `omitted`.
    pub fn grade(
        &self,
        mut progress: impl FnMut(&AccuracyRun),
        mut omitted: impl FnMut(String),
    ) -> Result<Vec<ToleranceGrade>, LabError> {
        let names: Vec<&str> = match self.models.is_empty() {
            true => PROPORTIONALITY_MODELS.to_vec(),
            false => self.models.iter().map(String::as_str).collect(),
        };
        let methods = match self.methods.is_empty() {
            true => methods_with_tolerance(),
            false => self.methods.clone(),
        };
        let mut grades = Vec::new();
        for name in names {
            let model = AccuracySubject::find(name, &self.set)?;
            let start = model.file.assemble()?;
            let length = self.length.unwrap_or(model.length);
            let tightest = methods.iter().flat_map(|choice| self.tolerances_of(choice));
            let tightest = tightest.fold(1.0, f64::min);
            let mut reference = AccuracyReference::new(name, &start, length, tightest);
            if self.has_accelerations {
                reference = reference.and_then(AccuracyReference::with_accelerations);
            }
            let reference = match reference {
                Ok(reference) => reference.max_steps(MAX_STEPS),
                Err(reason) => {
                    omitted(reason);
                    continue;
                }
            };
            for choice in &methods {
                let mut runs: Vec<AccuracyRun> = Vec::new();
                for tolerance in self.tolerances_of(choice) {
                    let run = reference.run(choice, tolerance);
                    progress(&run);
                    match &run.failure {
                        Some(failure) => {
                            omitted(format!("{name}, {choice}, {tolerance:e}: {failure}"));
                        }
                        None => runs.push(run),
                    }
                }
                let mut grade = ToleranceGrade::of_runs(&runs);
                let (is_constrained, settings) = (
                    start.model.holonomic_count() > 0,
                    Settings::of(choice, 1.0).control(ErrorControl::new(1e-3)),
                );
                if is_constrained {
                    grade.constraints = settings.constraints.to_string();
                }
                grades.push(grade);
            }
        }
        Ok(grades)
    }

    /// The tolerances of a method.
    fn tolerances_of(&self, choice: &MethodChoice) -> Vec<f64> {
        if !self.tolerances.is_empty() {
            return self.tolerances.clone();
        }
        tolerances_of(&Settings::of(choice, 1.0).control(ErrorControl::new(LOOSE)))
    }
}

/// All methods that take a tolerance with constraints, with their default parameters.
fn methods_with_tolerance() -> Vec<MethodChoice> {
    let takes = |info: &&methods::MethodInfo| {
        let method = info.build(&[]);
        method.is_ok_and(|method| info.controlled_formulation(method.as_ref()).is_some())
    };
    let choice = |info: &methods::MethodInfo| MethodChoice {
        method: info.name.into(),
        parameters: Vec::new(),
    };
    methods::all().filter(takes).map(choice).collect()
}
