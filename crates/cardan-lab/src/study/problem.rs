//! The motion that a study computes in many ways, and the signals it compares.

use super::signals::Signals;
use cardan::methods::Registry;
use cardan::simulation::InitialValues;
use cardan::stage::NewtonOptions;
use cardan::system::System;

/// The motion that a study computes with many methods and step sizes.
pub struct StudyProblem<'a> {
    /// The equations.
    pub system: &'a dyn System,
    /// The initial values.
    pub initial: &'a InitialValues,
    /// The end time.
    pub end: f64,
    /// The time from which signals are compared.
    pub from: f64,
    /// The time up to which signals are compared with a reference; infinite for the end. See [`last_common_time`](super::last_common_time).
    pub until: f64,
    /// Newton solver options.
    pub newton: NewtonOptions,
    /// The signals that are compared.
    pub signals: Signals<'a>,
    /// The registry of the methods.
    pub registry: Registry,
}

impl<'a> StudyProblem<'a> {
    /// A motion up to an end, compared as a whole: positions, velocities, accelerations, multipliers and states,
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
