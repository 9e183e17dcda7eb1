//! The equations of a study: a model, or equations written by hand, with their signals.

use std::path::Path;

use crate::papers::PaperProblem;
use crate::study::{Signals, StudyProblem};
use cardan::file::ModelFile;
use cardan::model::AssembledMechanism;
use cardan::model::Snapshot;
use cardan::stage::NewtonOptions;
use cardan::state::Instant;

use super::manifest::ManifestStudy;
use crate::error::LabError;
use crate::examples;

/// The equations of a study.
pub enum ProblemEquations {
    Model(Box<ModelFile>, Box<AssembledMechanism>),
    Problem(PaperProblem),
}

/// A study with its equations, ready to be computed.
pub struct PreparedProblem {
    equations: ProblemEquations,
    pub start: f64,
    pub end: f64,
    pub from: f64,
    newton: NewtonOptions,
    signals: Vec<(String, String)>,
}

impl PreparedProblem {
    /// Reads and assembles the model of a study; model files are in the folder of the manifest.
    pub fn new(study: &ManifestStudy, folder: &Path, is_quick: bool) -> Result<Self, LabError> {
        let mut set = study.set.clone();
        if is_quick {
            set.extend(study.quick.set.clone());
        }
        let given = study.quick.end.as_ref().filter(|_| is_quick).unwrap_or(&study.end);
        let end = given.value()?;
        let from = study.from.as_ref().map_or(Ok(f64::NEG_INFINITY), |from| from.value())?;
        let (equations, start, mut newton) = match (&study.model, &study.problem) {
            (Some(name), None) => {
                let set: Vec<(String, String)> =
                    set.iter().map(|(name, value)| (name.clone(), value.text())).collect();
                let file = examples::example_or_file(name, folder, &set)?;
                let (start, newton) = (file.plan.start, file.plan.newton.value);
                let assembled = file.assemble()?;
                (ProblemEquations::Model(Box::new(file), Box::new(assembled)), start, newton)
            }
            (None, Some(name)) => {
                let set = set.iter().map(|(name, value)| Ok((name.clone(), value.value()?)));
                let set: Vec<(String, f64)> = set.collect::<Result<_, LabError>>()?;
                let problem = PaperProblem::find(name, &set).map_err(LabError::input)?;
                (ProblemEquations::Problem(problem), 0.0, NewtonOptions::default())
            }
            _ => {
                return Err(LabError::input("a study has either a model or a problem"));
            }
        };
        newton = study.newton.applied_to(newton);
        newton.retry_from_current_velocity = study.retries_newton();
        if !(end.is_finite() && end > start) {
            return Err(LabError::input(format!(
                "the end, {end}, is not after the start, {start}"
            )));
        }
        let signals = study.signals.iter().map(|(name, text)| (name.clone(), text.clone()));
        Ok(Self { equations, start, end, from, newton, signals: signals.collect() })
    }

    /// The problem of its runs, which end earlier by `earlier` seconds.
    pub fn problem(&self, earlier: f64) -> Result<StudyProblem<'_>, LabError> {
        let (end, from, newton) = (self.end - earlier, self.from, self.newton);
        Ok(match &self.equations {
            ProblemEquations::Model(_, start) => StudyProblem {
                from,
                newton,
                signals: Signals::formulas(&start.model, &self.signals)
                    .map_err(|error| LabError::input(error.to_string()))?,
                ..StudyProblem::new(&start.model, &start.initial, end)
            },
            ProblemEquations::Problem(problem) => StudyProblem {
                from,
                newton,
                signals: problem.signals(),
                ..StudyProblem::new(problem.system.as_ref(), &problem.initial, end)
            },
        })
    }

    /// The model with the files it reads and the values of its parameters, by which a study is known again.
    pub fn identity(&self) -> String {
        match &self.equations {
            ProblemEquations::Model(file, _) => crate::study::model_identity(file).to_string(),
            ProblemEquations::Problem(_) => String::new(),
        }
    }

    /// The exact signals at a time.
    pub fn exact(&self, time: f64) -> Option<Vec<f64>> {
        match &self.equations {
            ProblemEquations::Model(..) => None,
            ProblemEquations::Problem(problem) => problem.exact(time),
        }
    }

    /// The structures of a model at an instant.
    pub fn snapshots(&self, at: &Instant) -> Vec<Snapshot> {
        match &self.equations {
            ProblemEquations::Model(_, start) => start.model.snapshots(at),
            ProblemEquations::Problem(_) => Vec::new(),
        }
    }
}
