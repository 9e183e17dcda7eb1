//! Computes the cases of a study that are not stored yet.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::case_index::halves;
use super::plan::StudyPlan;
use super::store::StudyStore;
use crate::error::{LabError, LabErrorKind};
use crate::study::CaseProgress;
use crate::study::parallel::in_parallel;

impl StudyPlan {
    /// The indices of the cases that are not stored; of equal cases, the first.
    pub fn pending(&self, store: &StudyStore) -> Vec<u64> {
        let key = |case: u64| self.key(&self.design.case(case));
        let keys = (0..self.design.cases()).map(|case| (key(case), case));
        let new = keys.filter(|(key, _)| !store.contains(*key));
        let mut cases: Vec<([u64; 2], u64)> = new.map(|(key, case)| (halves(key), case)).collect();
        cases.sort_unstable();
        cases.dedup_by_key(|(key, _)| *key);
        let mut pending: Vec<u64> = cases.iter().map(|(_, case)| *case).collect();
        pending.sort_unstable();
        pending
    }

    /// Computes the [pending](Self::pending) cases, several at once, and stores each. An interruption is an error; what was
    /// computed stays.
    pub fn run(
        &self,
        store: &mut StudyStore,
        pending: &[u64],
        jobs: Option<usize>,
        stop: &AtomicBool,
        progress: &dyn CaseProgress,
    ) -> Result<(), LabError> {
        let template = self.template()?;
        progress.set_total(pending.len() as u64);
        let failure = Mutex::new(None);
        let shared = Mutex::new(&mut *store);
        in_parallel(pending, jobs, stop, |case| {
            let values = self.design.case(*case);
            let Some(row) = self.compute(&template, &values, stop) else { return };
            let stored = match shared.lock() {
                Ok(mut store) => store.append(&row),
                Err(_) => Err(LabError::input("another case failed to be stored")),
            };
            progress.end_case();
            if let (Err(error), Ok(mut failure)) = (stored, failure.lock()) {
                failure.get_or_insert(error);
                stop.store(true, Ordering::Relaxed);
            }
        });
        if let Some(error) = failure.into_inner().unwrap_or_default() {
            return Err(error);
        }
        store.sync()?;
        if stop.load(Ordering::Relaxed) {
            let (known, all) = (store.len(), self.design.cases());
            let message = format!(
                "interrupted after {known} of {all} cases\n  try: the same command, which continues from here"
            );
            return Err(LabError::input(message).of_kind(LabErrorKind::Interrupted));
        }
        Ok(())
    }
}
