//! What a comparison computes: the cases and their reference.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::OmittedCase;
use super::reference::ComparisonReference;
use super::result::ComparisonResult;
use crate::study::case::{CaseResult, StudyCase};
use crate::study::history::{HistoryError, TimeHistory};
use crate::study::parallel::in_parallel;
use crate::study::problem::StudyProblem;
use cardan::results::ResultsTable;

/// The cases of a comparison, which can be run all together or one by one.
pub struct ComparisonPlan<'a> {
    /// The problem; errors are computed up to the last time that all steps reach.
    pub problem: StudyProblem<'a>,
    /// The cases.
    pub cases: Vec<StudyCase>,
    /// The reference.
    pub reference: ComparisonReference,
    /// The omitted cases.
    pub omitted: Vec<OmittedCase>,
    /// The number of runs at once; the number of processors by default.
    pub threads: Option<usize>,
}

impl ComparisonPlan<'_> {
    /// The reference run with doubled steps, which measures the accuracy of the reference.
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

    /// Runs cases on several processors, the longest first, and passes each result to `keep` at once. An error of `keep` sets `stop`, and is returned.
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

    /// Computes the reference, runs all cases and measures the accuracy of the reference.
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

    /// The result of all cases that are known.
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
