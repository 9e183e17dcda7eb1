//! Progress of a study.

/// Receives the progress of a study, from any thread.
pub trait CaseProgress: Sync {
    /// Called when the number of cases is known.
    fn set_total(&self, _cases: u64) {}

    /// Called when a case begins.
    fn begin_case(&self, _name: String) {}

    /// Called with a note for the user.
    fn note(&self, _text: &str) {}

    /// Called when a case has ended.
    fn end_case(&self) {}
}

/// Shows nothing.
impl CaseProgress for () {}
