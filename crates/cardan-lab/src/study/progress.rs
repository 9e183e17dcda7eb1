//! Progress of a study.

/// Receives the progress of a study, from any thread.
pub trait CaseProgress: Sync {
    /// The number of cases is known.
    fn set_total(&self, _cases: u64) {}

    /// A case begins.
    fn begin_case(&self, _name: String) {}

    /// Something that does not stop the study.
    fn note(&self, _text: &str) {}

    /// A case has ended.
    fn end_case(&self) {}
}

/// Shows nothing.
impl CaseProgress for () {}
