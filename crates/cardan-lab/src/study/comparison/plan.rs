//! What a comparison computes: the cases and their reference.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Comparison, ComparisonError, ComparisonResult};
use crate::study::{
    CaseResult, HistoryError, StudyCase, StudyProblem, TimeHistory, in_parallel, last_common_time,
};
use cardan::methods::SettingsError;
use cardan::methods::{MethodChoice, MethodInfo, Permission, Registry};
use cardan::results::ResultsTable;
use cardan::simulation::Settings;
use cardan::stage::Formulation;
use cardan::system::System;

/// The default reference, and how much finer than the finest step it is.
const REFERENCE: &str = "esdirk436";
const FINER: f64 = 8.0;
/// More steps than this in one run are a mistake.
const MAX_STEPS: f64 = 1e8;

/// What runs are compared with.
#[derive(Clone, Debug)]
pub enum ComparisonReference {
    /// A fine run.
    Run(Settings),
    /// A file or folder of results, whose columns have the names of the signals.
    File(PathBuf),
    /// The signals over time, as from a closed form.
    Known {
        /// What it is called in the table.
        name: String,
        /// The signals.
        history: TimeHistory,
    },
}

impl ComparisonReference {
    /// A run of a method. It imposes constraints on accelerations, which keep the order of every method, if the
    /// method takes them.
    pub fn run(
        registry: &Registry,
        choice: &MethodChoice,
        step: f64,
    ) -> Result<Self, SettingsError> {
        let (info, _) = registry.build(choice)?;
        let constraints = match info.permission(Formulation::Acceleration) {
            Permission::Allowed => Formulation::Acceleration,
            Permission::Refused(_) => info.default_formulation(),
        };
        Ok(Self::Run(Settings::with_registry(registry, choice, step).constraints(constraints)))
    }

    /// What it is called in the table.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Known { name, .. } => name.clone(),
            Self::Run(settings) => {
                let step = crate::table::short(settings.step_size);
                format!("{} with steps of {step} s ({})", settings.choice(), settings.constraints)
            }
        }
    }
}

/// Something that a method does not take.
#[derive(Clone, Debug, PartialEq)]
pub struct OmittedCase {
    /// The method.
    pub method: String,
    /// The formulation that it does not take; none if it takes no formulation of the system.
    pub constraints: Option<Formulation>,
    /// Why.
    pub reason: String,
}

impl fmt::Display for OmittedCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, constraints, reason } = self;
        match constraints {
            Some(constraints) => write!(f, "`{method}` does not take {constraints}: {reason}"),
            None => write!(f, "`{method}` is left out: {reason}"),
        }
    }
}

/// The cases of a comparison, which can be run all together or one by one.
pub struct ComparisonPlan<'a> {
    /// The subject; errors are taken up to the last time that all steps reach.
    pub problem: StudyProblem<'a>,
    /// The cases.
    pub cases: Vec<StudyCase>,
    /// What they are compared with.
    pub reference: ComparisonReference,
    /// What methods do not take.
    pub omitted: Vec<OmittedCase>,
    /// How many runs at once; as many as there are processors by default.
    pub threads: Option<usize>,
}

impl<'a> Comparison<'a> {
    /// The cases, without those that a method does not take.
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
        let (cases, left_out) = self.cases()?;
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
                _ => ComparisonError::Nothing { left_out },
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
        Ok(ComparisonPlan { problem: subject, cases, reference, omitted: left_out, threads })
    }

    /// The cases that are possible, and what methods do not take.
    fn cases(&self) -> Result<(Vec<StudyCase>, Vec<OmittedCase>), SettingsError> {
        let StudyProblem { registry, system, .. } = &self.problem;
        let system: &dyn System = *system;
        let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
        let (mut cases, mut left_out): (Vec<StudyCase>, Vec<OmittedCase>) = Default::default();
        for variant in self.methods.iter().flat_map(|x| x.with_each(registry, "rho", &self.rho)) {
            let (info, method) = registry.build(&variant)?;
            if let Some(reason) = method.unsupported_reason(is_constrained) {
                let (method, reason) = (variant.to_string(), reason.to_string());
                left_out.push(OmittedCase { method, constraints: None, reason });
                continue;
            }
            let formulations = match self.constraints.is_empty() {
                true => vec![formulation(info, self.preferred)],
                false => self.constraints.clone(),
            };
            for constraints in formulations {
                if let Some(reason) = info.refusal(constraints, system) {
                    let (method, reason) = (info.name.to_string(), reason.to_string());
                    left_out.push(OmittedCase { method, constraints: Some(constraints), reason });
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
        Ok((cases, left_out))
    }
}

/// The preferred formulation, if the method takes it; else the method's own.
fn formulation(info: &MethodInfo, preferred: Option<Formulation>) -> Formulation {
    let takes = |f: &Formulation| info.permission(*f) == Permission::Allowed;
    preferred.filter(takes).unwrap_or(info.default_formulation())
}

impl ComparisonPlan<'_> {
    /// The reference run with doubled steps, by which it is judged itself.
    pub fn doubled(&self) -> Option<StudyCase> {
        let ComparisonReference::Run(settings) = &self.reference else { return None };
        let (constraints, step) = (settings.constraints, 2.0 * settings.step_size);
        Some(StudyCase { choice: settings.choice(), constraints, step })
    }

    /// Computes or reads the reference, at the times that steps of the cases end.
    pub fn reference(&self, stop: &AtomicBool) -> Result<TimeHistory, HistoryError> {
        match &self.reference {
            ComparisonReference::Known { history, .. } => Ok(history.clone()),
            ComparisonReference::File(path) => {
                TimeHistory::read(&ResultsTable::open(path)?, self.problem.signals.names())
            }
            ComparisonReference::Run(settings) => {
                let grids: Vec<f64> = self.cases.iter().map(|case| case.step).collect();
                TimeHistory::compute(&self.problem, settings, &grids, stop)
            }
        }
    }

    /// Runs cases on several processors, the longest first, and hands over each as soon as it is there. An
    /// error of `keep` sets `stop`, and is returned.
    pub fn compute<E: Send>(
        &self,
        cases: &[&StudyCase],
        reference: &TimeHistory,
        stop: &AtomicBool,
        keep: impl FnMut(&StudyCase, CaseResult) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let mut order: Vec<&StudyCase> = cases.to_vec();
        order.sort_by(|a, b| a.step.total_cmp(&b.step));
        let kept = Mutex::new((keep, Ok(())));
        in_parallel(&order, self.threads, stop, |case| {
            let Some(run) = case.run(&self.problem, Some(reference), 0, stop) else { return };
            let Ok(mut guard) = kept.lock() else { return };
            let (keep, result) = &mut *guard;
            if let Err(error) = keep(case, run.result) {
                *result = Err(error);
                stop.store(true, Ordering::Relaxed);
            }
        });
        kept.into_inner().map_or(Ok(()), |(_, result)| result)
    }

    /// Computes the reference, runs all cases and judges the reference itself.
    pub fn run(&self, stop: &AtomicBool) -> Result<ComparisonResult, HistoryError> {
        let reference = self.reference(stop)?;
        let doubled = self.doubled().filter(|case| !self.cases.contains(case));
        let all: Vec<&StudyCase> = self.cases.iter().chain(&doubled).collect();
        let mut found: HashMap<String, CaseResult> = HashMap::new();
        let keep = |case: &StudyCase, outcome: CaseResult| -> Result<(), HistoryError> {
            found.insert(case.to_string(), outcome);
            Ok(())
        };
        self.compute(&all, &reference, stop, keep)?;
        Ok(self.result(|case| found.get(&case.to_string()).cloned()))
    }

    /// The result, of the outcomes that are known.
    pub fn result(&self, outcome: impl Fn(&StudyCase) -> Option<CaseResult>) -> ComparisonResult {
        let known = |case: &StudyCase| Some((case.clone(), outcome(case)?));
        ComparisonResult::new(
            self.problem.signals.names(),
            self.cases.iter().filter_map(known).collect(),
            self.reference.name(),
            self.doubled().and_then(|case| outcome(&case)),
        )
    }
}
