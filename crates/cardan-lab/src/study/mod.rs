//! Studies: one motion computed in many ways, and how far each is from a reference.
//!
//! ```text
//! subject    a system from its initial values to an end, and the signals that are looked at
//! history    the signals over time: a reference from a fine run or a file, and what is kept of a run
//! case       a method, a constraint formulation, a step
//! outcome    what each signal did, errors by the papers' measure, iterations, time; or why it failed
//! comparison many cases against one reference, with observed orders, as a table, JSON and CSV
//! ```

mod case;
mod comparison;
mod history;
mod identity;
mod outcome_store;
mod parallel;
mod progress;
mod signals;
mod statistics;

pub use case::{CaseResult, ComputedCase, StudyCase, last_common_time, observed_order};
pub use comparison::{
    ComparedCase, Comparison, ComparisonError, ComparisonPlan, ComparisonReference,
    ComparisonResult, OmittedCase,
};
pub use history::{HistoryError, TimeHistory};
pub use identity::{model_identity, program_fingerprint};
pub use outcome_store::OutcomeStore;
pub use parallel::in_parallel;
pub use progress::CaseProgress;
pub use signals::{SignalError, Signals};
pub use statistics::SignalStatistics;
pub(crate) use statistics::number;

use cardan::methods::Registry;
use cardan::simulation::InitialValues;
use cardan::stage::NewtonOptions;
use cardan::system::System;

/// What is computed in many ways.
pub struct StudyProblem<'a> {
    /// The equations.
    pub system: &'a dyn System,
    /// Where the motion begins.
    pub initial: &'a InitialValues,
    /// When it ends.
    pub end: f64,
    /// From when on it is looked at.
    pub from: f64,
    /// Up to when it is compared with a reference; infinite if up to the end. See [`last_common_time`].
    pub until: f64,
    /// How hard Newton tries.
    pub newton: NewtonOptions,
    /// What is looked at.
    pub signals: Signals<'a>,
    /// Where methods are found.
    pub registry: Registry,
}

impl<'a> StudyProblem<'a> {
    /// A motion up to an end, looked at as a whole: positions, velocities, accelerations, multipliers and states,
    /// computed by the methods of Cardan.
    pub fn new(system: &'a dyn System, initial: &'a InitialValues, end: f64) -> Self {
        Self {
            system,
            initial,
            end,
            from: f64::NEG_INFINITY,
            until: f64::INFINITY,
            newton: NewtonOptions::default(),
            signals: Signals::motion(system),
            registry: Registry::standard(),
        }
    }
}
