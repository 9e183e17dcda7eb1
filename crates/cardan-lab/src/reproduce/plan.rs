//! The runs of studies: the cases and their names in the manifest.

use std::collections::{BTreeMap, BTreeSet};

use crate::study::StudyCase;
use cardan::Formulation;
use cardan::methods::{self, MethodChoice, MethodInfo, Parameter, ParameterDomain, Permission};

use super::manifest::{Manifest, ManifestStudy};
use super::problem::PreparedProblem;
use crate::error::LabError;

/// The maximum number of steps of one run.
const MAX_STEPS: f64 = 1e9;

/// A study of a manifest, ready to be computed.
pub struct Planned {
    /// PAPER/STUDY.
    pub name: String,
    pub study: ManifestStudy,
    pub prepared: PreparedProblem,
    pub cases: Vec<PlannedCase>,
    /// Methods and steps that the quick form omits.
    pub omitted: Vec<(String, f64)>,
    pub reference: Option<Standard>,
    /// The fingerprint by which stored results are recognized.
    pub fingerprint: String,
}

/// A case and its names in the manifest.
pub struct PlannedCase {
    pub method: String,
    /// The step as the manifest gives it, over the number of stages if it gives it so.
    pub given: f64,
    pub stages: usize,
    pub case: StudyCase,
}

/// The reference of a study.
pub enum Standard {
    Exact,
    Run(StudyCase),
}

impl Planned {
    pub fn new(
        manifest: &Manifest,
        name: &str,
        program: &str,
        is_quick: bool,
    ) -> Result<Self, LabError> {
        let place = format!("{}/{name}", manifest.paper.name);
        let within = |failure: LabError| LabError {
            message: format!("study {place}: {}", failure.message),
            ..failure
        };
        let study = manifest
            .study
            .get(name)
            .ok_or_else(|| LabError::input(format!("there is no study {place}")))?;
        let prepared = PreparedProblem::new(study, &manifest.folder, is_quick).map_err(within)?;
        // mistakes in signals show before hours of computing
        let subject = prepared.problem(0.0).map_err(within)?;
        drop(subject);
        let unit = study.unit.as_ref().map_or(Ok(1.0), |unit| unit.value()).map_err(within)?;
        let mut taken = BTreeSet::new();
        let (mut cases, mut omitted): (Vec<PlannedCase>, Vec<(String, f64)>) = Default::default();
        for runs in &study.runs {
            let given = runs.steps.iter().map(|step| (step, false));
            let given = given.chain(runs.substeps.iter().map(|step| (step, true)));
            for (given, is_part) in given {
                let given = given.value().map_err(within)?;
                for method in manifest.methods(&runs.methods).map_err(within)? {
                    let mut case = planned(&method, given, is_part, unit, runs.constraints)
                        .map_err(|error| within(LabError::input(error)))?;
                    give(&study.parameters, &mut case.case.choice, &mut taken);
                    let length = prepared.end - prepared.start;
                    if !(case.case.step > 0.0 && case.case.step <= length * (1.0 + 1e-9)) {
                        let step = case.case.step;
                        let message = format!("a step of {step} is not between 0 and {length}");
                        return Err(within(LabError::input(message)));
                    }
                    if length / case.case.step > MAX_STEPS {
                        let count = length / case.case.step;
                        let message = format!(
                            "{method} with a step of {given} takes {count:.1e} steps, more than {MAX_STEPS:.0e}"
                        );
                        return Err(within(LabError::input(message)));
                    }
                    let is_long = length / case.case.step > study.quick.steps;
                    let is_known = cases.iter().any(|other| other.case == case.case);
                    match is_quick && (is_long || study.quick.skip) {
                        true => omitted.push((method, given)),
                        false if is_known => {}
                        false => cases.push(case),
                    }
                }
            }
        }
        if let Some(name) = study.parameters.keys().find(|name| !taken.contains(*name)) {
            let message = format!("no method takes the word given for `{name}`");
            return Err(within(LabError::input(message)));
        }
        let text = study.quick.reference.as_ref().filter(|_| is_quick).or(study.reference.as_ref());
        let reference = text.map(|text| standard(text)).transpose();
        let mut reference = reference.map_err(|error| within(LabError::input(error)))?;
        if let Some(Standard::Run(case)) = &mut reference {
            give(&study.parameters, &mut case.choice, &mut taken);
        }
        let length = prepared.end - prepared.start;
        let wrong = match &reference {
            Some(Standard::Exact) if prepared.exact(prepared.start).is_none() => {
                Some("its exact motion is not known".to_string())
            }
            Some(Standard::Run(case)) if !(case.step > 0.0 && case.step <= length) => {
                Some(format!("a reference step of {} is not between 0 and {length}", case.step))
            }
            _ if prepared.from >= prepared.end => Some("`from` is not before `end`".into()),
            _ if cases.iter().any(|x| f64::from(study.omit_last_steps) * x.case.step >= length) => {
                Some("`omit_last_steps` leaves no steps".into())
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Err(within(LabError::input(wrong)));
        }
        // the reference is kept at the times of all cases, which groups of methods may change
        let mut steps: Vec<f64> = cases.iter().map(|case| case.case.step).collect();
        steps.sort_by(f64::total_cmp);
        steps.dedup();
        let identity = prepared.identity();
        let about = format!("{program} {is_quick} {study:?} {steps:?} {identity}");
        let fingerprint = cardan::output::fingerprint(&about);
        let study = study.clone();
        Ok(Self { name: place, study, prepared, cases, omitted, reference, fingerprint })
    }

    /// The case of a method and a step, as the manifest calls them.
    pub fn case(&self, method: &str, step: f64) -> Option<&PlannedCase> {
        let is_same = |case: &&PlannedCase| {
            case.method == method && (case.given - step).abs() <= 1e-9 * step.abs()
        };
        self.cases.iter().find(is_same)
    }

    /// Whether the quick form omits a case.
    pub fn omits(&self, method: &str, step: Option<f64>) -> bool {
        let is_it = |(known, given): &(String, f64)| {
            known == method && step.is_none_or(|step| (given - step).abs() <= 1e-9 * step.abs())
        };
        self.omitted.iter().any(is_it)
    }

    /// How many steps a run takes, about.
    pub fn effort(&self, case: &StudyCase, stages: usize) -> f64 {
        (self.prepared.end - self.prepared.start) / case.step * stages as f64
    }

    /// The index of a signal.
    pub fn signal(&self, name: &str) -> Result<usize, LabError> {
        let subject = self.prepared.problem(0.0)?;
        let names = subject.signals.names();
        names.iter().position(|known| known == name).ok_or_else(|| {
            let message =
                format!("study {} has no signal `{name}`; it has {}", self.name, names.join(", "));
            LabError::input(message)
        })
    }
}

fn planned(
    method: &str,
    given: f64,
    is_part: bool,
    unit: f64,
    constraints: Option<Formulation>,
) -> Result<PlannedCase, String> {
    // METHOD or METHOD/FORMULATION
    let (word, own) = match method.split_once('/') {
        Some((word, own)) => (word, Some(own.parse::<Formulation>()?)),
        None => (method, None),
    };
    let choice: MethodChoice = word.parse()?;
    let (info, built) = choice.build().map_err(|error| error.to_string())?;
    let stages = built.stages();
    let step = given * unit * if is_part { stages as f64 } else { 1.0 };
    let constraints = formulation(info, own.or(constraints))?;
    let case = StudyCase { choice, constraints, step };
    Ok(PlannedCase { method: method.into(), given, stages, case })
}

/// Gives a method the words of a study for parameters that take them, and that it has no value for; notes their names.
fn give(words: &BTreeMap<String, String>, choice: &mut MethodChoice, taken: &mut BTreeSet<String>) {
    let Some(info) = methods::find(&choice.method) else { return };
    for (name, word) in words {
        let takes = |parameter: &&Parameter| match parameter.domain {
            ParameterDomain::Word(known) => {
                parameter.name == name && known.contains(&word.as_str())
            }
            _ => false,
        };
        if info.parameters.iter().find(takes).is_none() {
            continue;
        }
        taken.insert(name.clone());
        if choice.parameters.iter().all(|(known, _)| known != name) {
            choice.parameters.push((name.clone(), word.as_str().into()));
        }
    }
}

fn formulation(info: &MethodInfo, wanted: Option<Formulation>) -> Result<Formulation, String> {
    let wanted = wanted.unwrap_or(info.default_formulation());
    match info.permission(wanted) {
        Permission::Allowed => Ok(wanted),
        Permission::Refused(reason) => {
            Err(format!("`{}` does not support {wanted}: {reason}", info.name))
        }
    }
}

fn standard(text: &str) -> Result<Standard, String> {
    if text == "exact" {
        return Ok(Standard::Exact);
    }
    let wrong = || format!("the reference `{text}` is not METHOD@STEP or `exact`");
    // METHOD@STEP/FORMULATION
    let (text, constraints) = match text.rsplit_once('/') {
        Some((before, word)) => (before, Some(word.parse::<Formulation>()?)),
        None => (text, None),
    };
    let (method, step) = text.rsplit_once('@').ok_or_else(wrong)?;
    let step: f64 = step.trim().parse().map_err(|_| wrong())?;
    Ok(Standard::Run(planned(method, step, false, 1.0, constraints)?.case))
}
