//! What a study computes: a model or equations written by hand, with their signals.

use std::path::Path;

use cardan::file::ModelFile;
use cardan::model::Start;
use cardan::papers::Problem;
use cardan::results::Snapshot;
use cardan::stage::NewtonOptions;
use cardan::state::Instant;
use cardan::study::{Signals, Subject};

use super::manifest::Study;
use crate::{Failure, model};

/// The equations of a study.
pub enum Equations {
    Model(Box<ModelFile>, Box<Start>),
    Problem(Problem),
}

/// A study made ready.
pub struct Prepared {
    equations: Equations,
    pub start: f64,
    pub end: f64,
    pub from: f64,
    newton: NewtonOptions,
    signals: Vec<(String, String)>,
}

impl Prepared {
    /// Reads and assembles what a study names; its files are beside the manifest.
    pub fn new(study: &Study, folder: &Path, is_quick: bool) -> Result<Self, Failure> {
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
                let file = model::example_or_file(name, folder, &set)?;
                let (start, newton) = (file.plan.start, file.plan.newton.value);
                let assembled = file.assemble()?;
                (Equations::Model(Box::new(file), Box::new(assembled)), start, newton)
            }
            (None, Some(name)) => {
                let set = set.iter().map(|(name, value)| Ok((name.clone(), value.value()?)));
                let set: Vec<(String, f64)> = set.collect::<Result<_, Failure>>()?;
                let problem = Problem::find(name, &set).map_err(Failure::usage)?;
                (Equations::Problem(problem), 0.0, NewtonOptions::default())
            }
            _ => return Err(Failure::usage("a study has either a model or a problem".into())),
        };
        if let Some(tolerance) = study.newton {
            newton.tolerance = tolerance;
        }
        newton.begins_again = !study.gives_up;
        if !(end.is_finite() && end > start) {
            return Err(Failure::usage(format!("the end, {end}, is not after the start, {start}")));
        }
        let signals = study.signals.iter().map(|(name, text)| (name.clone(), text.clone()));
        Ok(Self { equations, start, end, from, newton, signals: signals.collect() })
    }

    /// The subject of its runs, which end so much earlier.
    pub fn subject(&self, earlier: f64) -> Result<Subject<'_>, Failure> {
        let (end, from, newton) = (self.end - earlier, self.from, self.newton);
        Ok(match &self.equations {
            Equations::Model(_, start) => Subject {
                from,
                newton,
                signals: Signals::formulas(&start.model, &self.signals)
                    .map_err(|error| Failure::usage(error.to_string()))?,
                ..Subject::new(&start.model, &start.initial, end)
            },
            Equations::Problem(problem) => Subject {
                from,
                newton,
                signals: problem.signals(),
                ..Subject::new(problem.system.as_ref(), &problem.initial, end)
            },
        })
    }

    /// The model with the files it reads and the values of its parameters, by which a study is known again.
    pub fn identity(&self) -> String {
        match &self.equations {
            Equations::Model(file, _) => crate::study::identity(file).to_string(),
            Equations::Problem(_) => String::new(),
        }
    }

    /// The exact signals at a time.
    pub fn exact(&self, time: f64) -> Option<Vec<f64>> {
        match &self.equations {
            Equations::Model(..) => None,
            Equations::Problem(problem) => problem.exact(time),
        }
    }

    /// The structures of a model at an instant.
    pub fn snapshots(&self, at: &Instant) -> Vec<Snapshot> {
        match &self.equations {
            Equations::Model(_, start) => Snapshot::of(&start.model, at),
            Equations::Problem(_) => Vec::new(),
        }
    }
}
