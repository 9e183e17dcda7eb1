//! One case of a study (method, formulation, step size) and its result.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant as Clock;

use serde::{Deserialize, Serialize};

use super::statistics::{SignalStatistics, Sums};
use super::{StudyProblem, TimeHistory, number};
use cardan::methods::MethodChoice;
use cardan::simulation::SimulationError;
use cardan::simulation::{Settings, Simulation};
use cardan::stage::Formulation;
use cardan::state::Instant;
use cardan::system::System;

/// A method, a constraint formulation and a step size.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyCase {
    /// The method with its parameters.
    pub choice: MethodChoice,
    /// The constraint formulation.
    pub constraints: Formulation,
    /// The step size.
    pub step: f64,
}

impl fmt::Display for StudyCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:e}", self.choice, self.constraints, self.step)
    }
}

/// The result of a case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CaseResult {
    /// The statistics of each signal.
    pub signals: Vec<SignalStatistics>,
    /// Steps compared with the reference.
    pub compared: u64,
    /// The time of the last of them.
    #[serde(with = "number")]
    pub compared_until: f64,
    /// Steps taken.
    pub steps: u64,
    /// Newton iterations per stage.
    #[serde(with = "number")]
    pub iterations: f64,
    /// Wall-clock time of the steps.
    #[serde(with = "number")]
    pub seconds: f64,
    /// The time that was reached.
    #[serde(with = "number")]
    pub reached: f64,
    /// The reason of a failure.
    pub failure: Option<String>,
}

/// A computed case: its result, and the rows kept of its motion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ComputedCase {
    /// The result.
    pub result: CaseResult,
    /// The signals over time.
    pub history: TimeHistory,
    /// The last instant, if there is one.
    pub last: Option<Instant>,
}

impl StudyCase {
    /// Computes the case, compares it with the reference if there is one, and keeps about `rows` rows of its signals;
    /// `None` if it was stopped.
    pub fn run(
        &self,
        subject: &StudyProblem<'_>,
        reference: Option<&TimeHistory>,
        rows: usize,
        stop: &AtomicBool,
    ) -> Option<ComputedCase> {
        let signals = &subject.signals;
        let outcome = CaseResult {
            signals: vec![SignalStatistics::UNKNOWN; signals.names().len()],
            compared_until: f64::NAN,
            reached: f64::NAN,
            ..CaseResult::default()
        };
        let mut run = ComputedCase {
            result: outcome,
            history: TimeHistory::empty(signals.columns()),
            last: None,
        };
        match self.integrate(subject, reference, rows, stop, &mut run) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => run.result.failure = Some(error.to_string()),
        }
        Some(run)
    }

    fn integrate(
        &self,
        subject: &StudyProblem<'_>,
        reference: Option<&TimeHistory>,
        rows: usize,
        stop: &AtomicBool,
        run: &mut ComputedCase,
    ) -> Result<bool, SimulationError> {
        let settings = Settings {
            constraints: self.constraints,
            newton: subject.newton,
            ..Settings::with_registry(&subject.registry, &self.choice, self.step)
        };
        let system: &dyn System = subject.system;
        let mut motion = Simulation::new(system, &settings, subject.initial)?;
        let (outcome, history) = (&mut run.result, &mut run.history);
        let steps = settings.steps(motion.now().t, subject.end);
        let signals = &subject.signals;
        let mut row = vec![0.0; signals.columns()];
        signals.read(motion.now(), &mut row);
        let each = |k: usize| Sums::start(&row[signals.of(k)]);
        let mut sums: Vec<Sums> = (0..signals.names().len()).map(each).collect();
        // rows are spread evenly over the part that is compared
        let compared = (steps * (subject.end - motion.now().t.max(subject.from))
            / (subject.end - motion.now().t))
            .clamp(1.0, steps.max(1.0));
        let stride =
            if rows > 0 { (compared / rows as f64).ceil().max(1.0) } else { f64::INFINITY };
        if rows > 0 && motion.now().t >= subject.from {
            history.push(motion.now().t, &row);
        }
        let mut place = 0;
        let mut since = 0.0;
        let mut taken = 0.0;
        let failure = loop {
            if taken >= steps {
                break None;
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let began = Clock::now();
            let stepped = motion.step();
            outcome.seconds += began.elapsed().as_secs_f64();
            if let Err(error) = stepped {
                break Some(error);
            }
            taken += 1.0;
            let time = motion.now().t;
            // a step that ends at `from` but for round-off counts
            if time < subject.from - 1e-6 * self.step {
                continue;
            }
            signals.read(motion.now(), &mut row);
            for (k, sums) in sums.iter_mut().enumerate() {
                sums.add(&row[signals.of(k)]);
            }
            since += 1.0;
            if since >= stride {
                since = 0.0;
                history.push(time, &row);
            }
            if time > subject.until + 1e-6 * self.step {
                continue;
            }
            let exact = reference.and_then(|known| known.row(time, self.step, &mut place));
            let Some(exact) = exact else { continue };
            outcome.compared += 1;
            outcome.compared_until = time;
            for (k, sums) in sums.iter_mut().enumerate() {
                sums.compare(&row[signals.of(k)], &exact[signals.of(k)]);
            }
        };
        let effort = motion.effort();
        outcome.steps = effort.steps;
        outcome.iterations =
            effort.iterations as f64 / (effort.steps.max(1) as f64 * motion.stages() as f64);
        outcome.reached = motion.now().t;
        outcome.signals = sums.iter().map(Sums::measures).collect();
        run.last = Some(motion.now().clone());
        match failure {
            None => Ok(true),
            Some(error) => {
                // errors are defined for a complete motion only
                for measures in &mut outcome.signals {
                    measures.error = f64::NAN;
                    measures.largest_error = f64::NAN;
                    measures.last_error = f64::NAN;
                }
                Err(error)
            }
        }
    }
}

/// The last time that the run of every step reaches, if the steps are multiples of each other: where a step does not
/// divide the motion, its last one ends before the end, and errors up to different times give no order.
pub fn last_common_time(start: f64, end: f64, step_sizes: impl IntoIterator<Item = f64>) -> f64 {
    let reached = |step: f64| start + Settings::new("", step).steps(start, end) * step;
    step_sizes.into_iter().map(reached).fold(end, f64::min)
}

/// The observed order from two step sizes and their errors.
pub fn observed_order(coarse: (f64, f64), fine: (f64, f64)) -> f64 {
    (coarse.1 / fine.1).ln() / (coarse.0 / fine.0).ln()
}
