//! Work and precision of methods whose steps follow from a tolerance, over the example models: the evidence for the rules
//! by which `method = "auto"` chooses.
//!
//! ```text
//! models     the examples, with short ends
//! run        one model, method and tolerance: errors against a tight run, and work
//! record     all runs; the work of the automatic choice over that of the best method at equal error
//! ```

mod models;
mod record;
mod run;

pub(crate) use models::AccuracySubject;
pub use models::{ACCURACY_MODELS, AccuracyModel};
pub use record::{AccuracyRecord, AutomaticChoice, CANDIDATES, accuracy_recorded};
pub use run::{AccuracyReference, AccuracyRun};
