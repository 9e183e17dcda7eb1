//! Whether the error of a motion follows the tolerance: one grade for each method that takes a tolerance, on each problem.
//!
//! ```text
//! error over tolerance = max |error| / (tolerance · scale)
//! slope                = d log error / d log tolerance, by least squares
//! reversal             = the largest ratio of an error to that of the next looser tolerance
//! ```
//! The scale of positions is one, the size of the mechanisms of the exam; that of v, z, a and λ is their largest value.

use serde::{Deserialize, Serialize};

use super::grade::{compare, zero};
use super::{ExamProblem, GradeNumbers, reference};
use crate::study::AccuracyRun;
use cardan::math::larger;
use cardan::methods::{MethodChoice, MethodInfo, Registry};
use cardan::simulation::{ErrorControl, Settings, Simulation, SimulationError};
use cardan::state::Instant;
use cardan::system::{Space, System};

/// The tolerances of methods of first, second and higher order, as negative powers of ten.
const TOLERANCES: [&[i32]; 3] = [&[2, 3, 4], &[3, 4, 5, 6], &[3, 4, 5, 6, 7, 8, 9]];
/// A tolerance for settings whose order is asked for.
pub(super) const LOOSE: f64 = 1e-3;
/// Errors are taken at the first instants at or after 0.1, 0.2 … 1 s.
const SAMPLES: usize = 10;
/// Exact instants per second, from which those in between are computed.
const KNOWN: usize = 100;
/// Errors below this part of the scale are round-off: they show no slope.
const ROUND_OFF: f64 = 1e-12;

/// Errors of a method on a problem over the tolerance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToleranceGrade {
    /// The method.
    pub method: String,
    /// The problem.
    pub problem: String,
    /// The formulation of the constraints.
    pub constraints: String,
    /// The tolerances, from loose to tight.
    pub tolerances: Vec<f64>,
    /// The errors of q, v, z, a and λ over the tolerance, one for each tolerance.
    pub ratios: Vec<[f64; 5]>,
    /// The slopes of these errors; zero where a quantity does not occur.
    pub slopes: [f64; 5],
    /// The largest factor by which one of these errors grows although the tolerance is smaller.
    pub reversal: f64,
    /// Accepted steps, one number for each tolerance.
    pub steps: Vec<u64>,
    /// Steps that were rejected or could not be computed, one number for each tolerance.
    pub rejected: Vec<u64>,
}

impl ToleranceGrade {
    /// The names of the quantities.
    pub const QUANTITIES: [&'static str; 5] = ["q", "v", "z", "a", "multipliers"];

    /// The grade of completed runs of one model with one method, from loose to tight tolerances.
    pub(super) fn of_runs(runs: &[AccuracyRun]) -> Self {
        let name = |of: fn(&AccuracyRun) -> &String| runs.first().map(of).cloned();
        let grade = Self {
            method: name(|run| &run.method).unwrap_or_default(),
            problem: name(|run| &run.model).unwrap_or_default(),
            tolerances: runs.iter().map(|run| run.tolerance).collect(),
            steps: runs.iter().map(|run| run.steps).collect(),
            rejected: runs.iter().map(|run| run.rejected).collect(),
            ..Self::default()
        };
        let errors: Vec<[f64; 5]> = runs.iter().map(|run| run.errors).collect();
        grade.with_errors(&errors)
    }

    /// The grade with the errors of q, v, z, a and λ, one row for each of its tolerances: their ratios, slopes and reversal.
    pub(super) fn with_errors(mut self, errors: &[[f64; 5]]) -> Self {
        let rows = errors.iter().zip(&self.tolerances);
        self.ratios = rows.map(|(row, tolerance)| row.map(|error| error / tolerance)).collect();
        for i in 0..5 {
            let points: Vec<(f64, f64)> = (self.tolerances.iter().zip(errors))
                .map(|(tolerance, row)| (*tolerance, row[i]))
                .filter(|(_, error)| *error > ROUND_OFF)
                .collect();
            self.slopes[i] = slope(&points);
            for pair in points.windows(2) {
                self.reversal = larger(self.reversal, pair[1].1 / pair[0].1);
            }
        }
        self
    }

    /// The largest error over the tolerance of each quantity.
    pub fn largest(&self) -> [f64; 5] {
        let largest = |i: usize| self.ratios.iter().fold(0.0, |most, row| larger(most, row[i]));
        std::array::from_fn(largest)
    }

    /// The largest share of rejected steps among runs with more than one of them: one is no share where steps are few.
    pub fn rejected_share(&self) -> f64 {
        let runs = self.steps.iter().zip(&self.rejected);
        let share = |(steps, rejected): (&u64, &u64)| *rejected as f64 / (steps + rejected) as f64;
        runs.filter(|(_, rejected)| **rejected > 1).map(share).fold(0.0, larger)
    }
}

/// The exact motion of a problem.
pub(super) struct ControlledReference {
    known: Vec<Instant>,
    scales: [f64; 5],
}

impl ControlledReference {
    pub fn new(problem: &ExamProblem, start: &Instant) -> Result<Self, SimulationError> {
        let times: Vec<f64> = (1..=KNOWN).map(|k| k as f64 / KNOWN as f64).collect();
        let system: &dyn System = problem.system.as_ref();
        let mut known = vec![start.clone()];
        known.extend(reference::solve(system, start, &times)?);
        let space = system.space();
        let mut scales = [0.0_f64; 5];
        for exact in &known {
            let rest = Instant { q: exact.q.clone(), ..zero(exact) };
            let found = five(&compare(&space, &rest, &rest, exact));
            scales = std::array::from_fn(|i| scales[i].max(found[i]));
        }
        scales[0] = 1.0;
        Ok(Self { known, scales })
    }

    /// The exact motion at a time.
    fn at(&self, system: &dyn System, t: f64) -> Result<Instant, SimulationError> {
        let before = self.known.iter().rev().find(|known| known.t <= t);
        let Some(before) = before.or(self.known.first()) else {
            return Err(SimulationError::System(cardan::system::SystemError::NoReference));
        };
        if before.t == t {
            return Ok(before.clone());
        }
        let found = reference::solve(system, before, &[t])?;
        Ok(found.into_iter().next().unwrap_or_else(|| before.clone()))
    }

    /// Runs a method at the tolerances of its order and grades it.
    pub fn grade(
        &self,
        problem: &ExamProblem,
        registry: &Registry,
        info: &MethodInfo,
    ) -> Result<ToleranceGrade, SimulationError> {
        let tolerances = tolerances_of(&controlled(registry, info.name, LOOSE));
        let mut constraints = String::new();
        let (mut errors, mut steps, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
        for &tolerance in &tolerances {
            let settings = controlled(registry, info.name, tolerance);
            constraints = settings.constraints.to_string();
            let (found, simulation) = self.run(problem, &settings)?;
            let counts = simulation.step_counts();
            rejected.push(counts.rejected + counts.failed);
            steps.push(counts.accepted);
            errors.push(found);
        }
        let grade = ToleranceGrade {
            method: info.name.into(),
            problem: problem.name.into(),
            constraints,
            steps,
            rejected,
            tolerances,
            ..ToleranceGrade::default()
        };
        let grade = grade.with_errors(&errors);
        Ok(grade)
    }

    /// One run: the relative errors.
    fn run<'p>(
        &self,
        problem: &'p ExamProblem,
        settings: &Settings,
    ) -> Result<([f64; 5], Simulation<'p>), SimulationError> {
        let system: &dyn System = problem.system.as_ref();
        let space: Space = system.space();
        let mut simulation = Simulation::new(system, settings, &problem.initial)?;
        let mut errors = [0.0; 5];
        for k in 1..=SAMPLES {
            let time = k as f64 / SAMPLES as f64;
            while simulation.now().t < time {
                simulation.advance(1.0)?;
            }
            let now = simulation.now();
            let exact = self.at(system, now.t)?;
            let found = five(&compare(&space, now, now, &exact));
            errors = std::array::from_fn(|i| {
                let scale = if self.scales[i] > 0.0 { self.scales[i] } else { 1.0 };
                larger(errors[i], found[i] / scale)
            });
        }
        Ok((errors, simulation))
    }
}

/// A method with its default parameters whose steps follow from a tolerance.
pub(super) fn controlled(registry: &Registry, method: &str, tolerance: f64) -> Settings {
    let choice = MethodChoice { method: method.into(), parameters: Vec::new() };
    Settings::with_registry(registry, &choice, 1.0).control(ErrorControl::new(tolerance))
}

/// The tolerances at which a method is graded, by the order of its error.
pub(super) fn tolerances_of(settings: &Settings) -> Vec<f64> {
    let order = settings.controlled_order().unwrap_or(1);
    let exponents = TOLERANCES[order.clamp(1, 3) as usize - 1];
    exponents.iter().map(|k| 10_f64.powi(-k)).collect()
}

fn five(numbers: &GradeNumbers) -> [f64; 5] {
    let GradeNumbers { q, v, z, a, multipliers, .. } = *numbers;
    [q, v, z, a, multipliers]
}

/// The slope of log error over log tolerance by least squares; zero for fewer than two points.
fn slope(points: &[(f64, f64)]) -> f64 {
    if points.len() < 2 {
        return 0.0;
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let products: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    products / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}
