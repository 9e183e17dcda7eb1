//! The description of a comparison, and the cases it leads to.

use std::sync::atomic::AtomicBool;

use super::error::{ComparisonError, OmittedCase};
use super::plan::ComparisonPlan;
use super::reference::ComparisonReference;
use super::result::ComparisonResult;
use crate::study::case::{StudyCase, last_common_time};
use crate::study::problem::StudyProblem;
use cardan::methods::{MethodChoice, MethodInfo, Permission, SettingsError};
use cardan::stage::Formulation;
use cardan::system::System;

/// The default reference, and the ratio of the finest step to its step.
const REFERENCE: &str = "esdirk436";
const FINER: f64 = 8.0;
/// The maximum number of steps of one run.
const MAX_STEPS: f64 = 1e8;

/// A comparison: every method with every value of `rho`, formulation and step size that it supports.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use cardan::methods::{MethodInfo, Registry, find};
/// use cardan_lab::exam::problems::DoublePendulum;
/// use cardan_lab::study::{Comparison, StudyProblem};
///
/// let mine = MethodInfo { name: "mine", aliases: &[], ..*find("lms4").unwrap() };
/// let registry = Registry::standard().with(mine);
/// let problem = DoublePendulum::problem();
/// let whole = StudyProblem::new(problem.system.as_ref(), &problem.initial, 0.5);
/// let subject = StudyProblem { registry, ..whole };
/// let comparison = Comparison {
///     methods: vec!["mine".parse()?, "lms3:rho=0.8".parse()?],
///     steps: vec![1e-2, 5e-3],
///     ..Comparison::new(subject)
/// };
/// let result = comparison.run(&AtomicBool::new(false))?;
/// println!("{}", result.table());
/// # assert_eq!(result.rows.len(), 4);
/// # assert!((result.rows[1].orders[0] - 2.0).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Comparison<'a> {
    /// The system, the motion and the signals, with the registry in which methods are found.
    pub problem: StudyProblem<'a>,
    /// The methods.
    pub methods: Vec<MethodChoice>,
    /// The step sizes.
    pub steps: Vec<f64>,
    /// Further step sizes, divided by the number of stages, so that all methods do the same work.
    pub substeps: Vec<f64>,
    /// Values of `rho`, for methods that take it and whose choice gives none.
    pub rho: Vec<f64>,
    /// Constraint formulations. If there are none, each method has the preferred one, or its own.
    pub constraints: Vec<Formulation>,
    /// The formulation of methods that take it, where none is listed.
    pub preferred: Option<Formulation>,
    /// The reference; by default `esdirk436` with an eighth of the finest step.
    pub reference: Option<ComparisonReference>,
    /// The number of runs at once; the number of processors by default. Computing times are measured best with one.
    pub threads: Option<usize>,
}

impl<'a> Comparison<'a> {
    /// A comparison on a problem, still without methods and step sizes.
    pub fn new(subject: StudyProblem<'a>) -> Self {
        Self {
            problem: subject,
            methods: Vec::new(),
            steps: Vec::new(),
            substeps: Vec::new(),
            rho: Vec::new(),
            constraints: Vec::new(),
            preferred: None,
            reference: None,
            threads: None,
        }
    }

    /// Plans all cases, computes the reference and runs them. After `stop` is set, the result holds the cases that
    /// were finished before.
    pub fn run(self, stop: &AtomicBool) -> Result<ComparisonResult, ComparisonError> {
        Ok(self.plan()?.run(stop)?)
    }

    /// The cases, without those that a method does not support.
    pub fn plan(self) -> Result<ComparisonPlan<'a>, ComparisonError> {
        let (start, end) = (self.problem.initial.t, self.problem.end);
        let length = end - start;
        if !(length.is_finite() && length > 0.0) {
            return Err(ComparisonError::End { end, start });
        }
        let mut steps = self.steps.iter().chain(&self.substeps);
        if let Some(&step) = steps.find(|step| !(step.is_finite() && **step > 0.0)) {
            return Err(ComparisonError::Step { step });
        }
        let (cases, omitted) = self.cases()?;
        if let Some(&StudyCase { step, .. }) =
            cases.iter().find(|case| length / case.step > MAX_STEPS)
        {
            let (steps, most) = (length / step, MAX_STEPS);
            return Err(ComparisonError::TooManySteps { step, steps, most });
        }
        if let Some(&StudyCase { step, .. }) = cases.iter().find(|x| x.step > length * (1.0 + 1e-9))
        {
            return Err(ComparisonError::LongStep { step, length });
        }
        if cases.is_empty() {
            return Err(match (&self.methods[..], &self.steps[..], &self.substeps[..]) {
                ([], ..) => ComparisonError::NoMethods,
                (_, [], []) => ComparisonError::NoSteps,
                _ => ComparisonError::Nothing { left_out: omitted },
            });
        }
        let finest = cases.iter().fold(f64::INFINITY, |least, case| least.min(case.step));
        let Self { problem: mut subject, reference, threads, .. } = self;
        let reference = match reference {
            Some(reference) => reference,
            None => {
                let choice = MethodChoice { method: REFERENCE.into(), parameters: Vec::new() };
                ComparisonReference::run(&subject.registry, &choice, finest / FINER)?
            }
        };
        if let ComparisonReference::Run(settings) = &reference {
            let step = settings.step_size;
            if !(step.is_finite() && step > 0.0 && step <= length) {
                return Err(ComparisonError::ReferenceStep { step, length });
            }
            if length / step > MAX_STEPS {
                let steps = length / step;
                return Err(ComparisonError::TooManyReferenceSteps { step, steps });
            }
        }
        let common = last_common_time(start, end, cases.iter().map(|case| case.step));
        subject.until = subject.until.min(common);
        Ok(ComparisonPlan { problem: subject, cases, reference, omitted, threads })
    }

    /// The cases that are possible, and those that are omitted.
    fn cases(&self) -> Result<(Vec<StudyCase>, Vec<OmittedCase>), SettingsError> {
        let StudyProblem { registry, system, .. } = &self.problem;
        let system: &dyn System = *system;
        let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
        let (mut cases, mut omitted): (Vec<StudyCase>, Vec<OmittedCase>) = Default::default();
        for variant in self.methods.iter().flat_map(|x| x.with_each(registry, "rho", &self.rho)) {
            let (info, method) = registry.build(&variant)?;
            if let Some(reason) = method.unsupported_reason(is_constrained) {
                let (method, reason) = (variant.to_string(), reason.to_string());
                omitted.push(OmittedCase { method, constraints: None, reason });
                continue;
            }
            let formulations = match self.constraints.is_empty() {
                true => vec![formulation(info, self.preferred)],
                false => self.constraints.clone(),
            };
            for constraints in formulations {
                if let Some(reason) = info.refusal(constraints, system) {
                    let (method, reason) = (info.name.to_string(), reason.to_string());
                    omitted.push(OmittedCase { method, constraints: Some(constraints), reason });
                    continue;
                }
                let stages = method.stages() as f64;
                let substeps = self.substeps.iter().map(|step| step * stages);
                for step in self.steps.iter().copied().chain(substeps) {
                    let case = StudyCase { choice: variant.clone(), constraints, step };
                    if !cases.contains(&case) {
                        cases.push(case);
                    }
                }
            }
        }
        Ok((cases, omitted))
    }
}

/// The preferred formulation if the method supports it, else the default one of the method.
fn formulation(info: &MethodInfo, preferred: Option<Formulation>) -> Formulation {
    let takes = |f: &Formulation| info.permission(*f) == Permission::Allowed;
    preferred.filter(takes).unwrap_or(info.default_formulation())
}
