//! One way of computing the motion, and what came of it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant as Clock;

use super::{Reference, Subject};
use crate::error::Error;
use crate::math::larger;
use crate::methods::Choice;
use crate::simulation::{Settings, Simulation};
use crate::stage::Formulation;
use crate::system::System;

/// A method, a constraint formulation and a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The method with its parameters.
    pub choice: Choice,
    /// Which constraints a step enforces.
    pub constraints: Formulation,
    /// The step.
    pub step: f64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:e}", self.choice, self.constraints, self.step)
    }
}

/// What came of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// √(Σ |x − x_ref|² / Σ |x_ref|²) of each signal over the steps the reference knows; the root mean
    /// square of the difference alone where the reference is zero but for round-off.
    pub errors: Vec<f64>,
    /// The largest |x − x_ref| of each signal.
    pub largest: Vec<f64>,
    /// Steps compared with the reference.
    pub compared: u64,
    /// Steps taken.
    pub steps: u64,
    /// Newton iterations per stage.
    pub iterations: f64,
    /// Wall-clock time of the steps.
    pub seconds: f64,
    /// Why it ended early.
    pub failure: Option<String>,
}

impl Case {
    /// Computes it; `None` if it was stopped.
    pub fn run(
        &self,
        subject: &Subject<'_>,
        reference: &Reference,
        stop: &AtomicBool,
    ) -> Option<Outcome> {
        let signals = subject.signals.names().len();
        let mut outcome = Outcome {
            errors: vec![f64::NAN; signals],
            largest: vec![f64::NAN; signals],
            ..Outcome::default()
        };
        match self.compare(subject, reference, stop, &mut outcome) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => outcome.failure = Some(error.to_string()),
        }
        Some(outcome)
    }

    fn compare(
        &self,
        subject: &Subject<'_>,
        reference: &Reference,
        stop: &AtomicBool,
        outcome: &mut Outcome,
    ) -> Result<bool, Error> {
        let settings = Settings {
            constraints: self.constraints,
            newton: subject.newton,
            ..Settings::of(&self.choice, self.step)
        };
        let system: &dyn System = subject.system;
        let mut motion = Simulation::new(system, &settings, subject.initial)?;
        let steps = settings.steps(motion.now().t, subject.end);
        let signals = &subject.signals;
        let mut row = vec![0.0; signals.columns()];
        let mut sums = vec![(0.0, 0.0, 0.0_f64); signals.names().len()];
        let mut place = 0;
        let mut taken = 0.0;
        while taken < steps {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let began = Clock::now();
            let stepped = motion.step();
            outcome.seconds += began.elapsed().as_secs_f64();
            let effort = motion.effort();
            outcome.steps = effort.steps;
            outcome.iterations =
                effort.iterations as f64 / (effort.steps.max(1) as f64 * motion.stages() as f64);
            stepped?;
            taken += 1.0;
            let time = motion.now().t;
            let exact = reference.row(time, self.step, &mut place);
            let Some(exact) = exact.filter(|_| time >= subject.from) else { continue };
            signals.read(motion.now(), &mut row);
            outcome.compared += 1;
            for (k, (difference, size, largest)) in sums.iter_mut().enumerate() {
                for column in signals.of(k) {
                    let error = row[column] - exact[column];
                    *difference += error * error;
                    *size += exact[column] * exact[column];
                    *largest = larger(*largest, error.abs());
                }
            }
        }
        if outcome.compared > 0 {
            for (k, (difference, size, largest)) in sums.into_iter().enumerate() {
                let count = outcome.compared as f64;
                let is_zero = (size / count).sqrt() <= ZERO;
                outcome.errors[k] = (difference / if is_zero { count } else { size }).sqrt();
                outcome.largest[k] = largest;
            }
        }
        Ok(true)
    }
}

/// Root mean squares below this are those of a signal that is zero.
const ZERO: f64 = 1e-12;

/// The order seen between two steps and their errors.
pub fn observed_order(coarse: (f64, f64), fine: (f64, f64)) -> f64 {
    (coarse.1 / fine.1).ln() / (coarse.0 / fine.0).ln()
}
