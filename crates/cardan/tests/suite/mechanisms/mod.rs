//! Mechanisms: bodies, joints, drives, forces, and starting well.

mod descriptions;
mod drives;
mod elements;
mod energy;
mod joints;
mod motion;
mod redundancy;
mod starts;

use cardan::model::{Mechanism, Start};
use cardan::{Formulation, Settings, Simulation};

/// A motion that runs to a time.
pub fn run<'s>(start: &'s Start, settings: &Settings, end: f64) -> Simulation<'s> {
    let mut motion = Simulation::new(&start.model, settings, &start.initial).unwrap();
    motion.run_until(end).unwrap();
    motion
}

/// The value of a channel after a motion.
pub fn reading(mechanism: &Mechanism, settings: &Settings, end: f64, channel: &str) -> Vec<f64> {
    let start = mechanism.assemble().unwrap();
    let motion = run(&start, settings, end);
    start.model.read(channel, motion.now()).unwrap()
}

/// Generalized-α with some damping.
pub fn damped(h: f64) -> Settings {
    Settings::new("generalized-alpha", h).rho(0.8)
}

/// Every formulation.
pub const FORMULATIONS: [Formulation; 3] = Formulation::ALL;
