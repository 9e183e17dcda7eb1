//! Studies: one motion computed with many methods and step sizes, and the error of each against a reference; and one model
//! with many values of its parameters.
//!
//! ```text
//! problem    a system from its initial values to an end, and the signals that are compared
//! history    the signals over time: a reference from a fine run or a file, and what is kept of a run
//! case       a method, a constraint formulation, a step
//! result     statistics of each signal, relative errors, iterations, time; or the reason of the failure
//! accuracy   work and precision of methods with a tolerance, over the example models
//! comparison many cases against one reference, with observed orders, as a table, JSON and CSV
//! parameters many values of parameters, and quantities of each case, as a table
//! ```

mod accuracy;
mod case;
mod comparison;
mod history;
mod identity;
mod outcome_store;
mod parallel;
pub mod parameters;
mod problem;
mod progress;
mod signals;
mod statistics;

pub(crate) use accuracy::AccuracySubject;
pub use accuracy::{
    ACCURACY_MODELS, AccuracyModel, AccuracyRecord, AccuracyReference, AccuracyRun,
    AutomaticChoice, CANDIDATES, accuracy_recorded,
};
pub use case::{CaseResult, ComputedCase, StudyCase, last_common_time, observed_order};
pub use comparison::{
    ComparedCase, Comparison, ComparisonError, ComparisonPlan, ComparisonReference,
    ComparisonResult, OmittedCase,
};
pub use history::{HistoryError, TimeHistory};
pub use identity::{model_identity, program_fingerprint};
pub use outcome_store::OutcomeStore;
pub use problem::StudyProblem;
pub use progress::CaseProgress;
pub use signals::{SignalError, Signals};
pub use statistics::SignalStatistics;
pub(crate) use statistics::number;
