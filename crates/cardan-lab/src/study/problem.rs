//! The motion that a study computes in many ways, and the signals it compares.

use super::signals::Signals;
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
    /// Up to when it is compared with a reference; infinite if up to the end. See [`last_common_time`](super::last_common_time).
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
