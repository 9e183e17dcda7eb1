//! Errors and observed orders of one method on one problem.

use serde::{Deserialize, Serialize};

use super::{ExamProblem, reference};
use cardan::math::{Chart, larger};
use cardan::methods::SettingsError;
use cardan::methods::{Method, MethodInfo};
use cardan::simulation::SimulationError;
use cardan::simulation::{Settings, Simulation};
use cardan::stage::Formulation;
use cardan::state::Instant;
use cardan::system::{Space, System};

/// Errors below this part of what is computed carry too much round-off to show an order: the last
/// halving divides them by up to 32, and rotations, projections and thousands of steps each add some
/// ε.
const ROUND_OFF: f64 = 5e-12;
/// Accelerations and multipliers of position constraints carry the round-off of positions over h²: some
/// ten ε, of which this many leave an order visible.
const DIFFERENTIATED: f64 = 40.0 * f64::EPSILON;
/// Errors are taken at t = 0.1, 0.2 … 1: those of these times that every step reaches.
const SAMPLES: usize = 10;
/// And within the steps that end there, at these parts of them.
const PARTS: [f64; 2] = [0.3, 0.65];
/// A step ends at a time if the two differ by less than this part: round-off of a product.
const SAME_TIME: f64 = 1e-14;

/// One number for each quantity: errors, or observed orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GradeNumbers {
    /// Positions and rotations.
    pub q: f64,
    /// Velocities.
    pub v: f64,
    /// First-order states.
    #[serde(default)]
    pub z: f64,
    /// Accelerations of the stage.
    pub a: f64,
    /// Multipliers of the stage.
    pub multipliers: f64,
    /// Accelerations recomputed from (q, v).
    pub consistent_a: f64,
    /// Multipliers recomputed from (q, v).
    pub consistent_multipliers: f64,
}

/// The indices of accelerations and multipliers of the stage in [`GradeNumbers::named`].
const STAGE: [usize; 2] = [3, 4];

impl GradeNumbers {
    /// The values in order, with their names.
    pub fn named(&self) -> [(&'static str, f64); 7] {
        [
            ("q", self.q),
            ("v", self.v),
            ("z", self.z),
            ("a", self.a),
            ("multipliers", self.multipliers),
            ("consistent a", self.consistent_a),
            ("consistent multipliers", self.consistent_multipliers),
        ]
    }

    /// Each quantity by its index, in the order of [`named`](Self::named).
    fn each(value: impl Fn(usize) -> f64) -> Self {
        Self {
            q: value(0),
            v: value(1),
            z: value(2),
            a: value(3),
            multipliers: value(4),
            consistent_a: value(5),
            consistent_multipliers: value(6),
        }
    }

    fn at(&self, index: usize) -> f64 {
        self.named()[index].1
    }

    fn largest(self, other: Self) -> Self {
        Self::each(|k| larger(self.at(k), other.at(k)))
    }
}

/// The errors and observed orders of a method on a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grade {
    /// The method.
    pub method: String,
    /// The problem.
    pub problem: String,
    /// The constraint formulation.
    pub constraints: String,
    /// The finest step.
    pub step_size: f64,
    /// The errors at the finest step: the largest at those of the times 0.1, 0.2, …, 1 that every step reaches.
    pub errors: GradeNumbers,
    /// The orders observed over the last halving that leaves an error above round-off.
    pub orders: GradeNumbers,
    /// The largest |Φ|, at the finest step.
    pub position_residual: f64,
    /// The largest |G v + b|, at the finest step.
    pub velocity_residual: f64,
    /// The largest |E − E₀|, at the finest step; zero if energy is not conserved.
    pub energy_error: f64,
    /// The order at which the residual of the velocity constraints decreases; `None` if it is round-off.
    pub drift_order: Option<f64>,
    /// The order of the energy error; `None` if energy is not conserved, or the error is round-off.
    pub energy_order: Option<f64>,
    /// Linear solves per stage, from the coarsest to the finest.
    pub solves_per_stage: Vec<f64>,
    /// Errors and orders between two instants.
    #[serde(default)]
    pub between: InterpolantGrade,
}

/// Errors and orders between two instants, within the steps that end at the times of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InterpolantGrade {
    /// The errors at the finest step; those of the consistent quantities are zero.
    pub errors: GradeNumbers,
    /// The observed orders.
    pub orders: GradeNumbers,
    /// The largest |Φ|, at the finest step.
    pub position_residual: f64,
    /// The order at which this residual decreases; `None` if it is round-off.
    pub residual_order: Option<f64>,
}

/// Runs a method at each step size (coarse to fine) and grades it. Errors of all steps are taken at the same times;
/// steps that have none of the times 0.1, 0.2, …, 1 in common are refused.
pub fn grade(
    problem: &ExamProblem,
    settings: &Settings,
    info: &MethodInfo,
    method: impl Fn() -> Box<dyn Method>,
    step_sizes: &[f64],
) -> Result<Grade, SimulationError> {
    let first = Settings { step_size: 1.0, ..settings.clone() };
    let system: &dyn System = problem.system.as_ref();
    let begun = Simulation::with_method(system, &first, info, method(), &problem.initial)?;
    let exact = ReferenceMotion::new(problem, begun.now(), step_sizes)?;
    exact.grade(problem, settings, info, method)
}

/// The exact motion at the times of sampling, and for each step size within the steps that end there.
pub(super) struct ReferenceMotion {
    start: Instant,
    instants: Vec<Instant>,
    steps: Vec<(f64, Vec<Instant>)>,
}

impl ReferenceMotion {
    pub fn new(
        problem: &ExamProblem,
        start: &Instant,
        step_sizes: &[f64],
    ) -> Result<Self, SimulationError> {
        let times = sampling_times(step_sizes)?;
        let solve = |times: &[f64]| reference::solve(problem.system.as_ref(), start, times);
        let within = |h: f64| -> Vec<f64> {
            times.iter().flat_map(|t| PARTS.map(|part| t - (1.0 - part) * h)).collect()
        };
        let steps = step_sizes.iter().map(|&h| Ok::<_, SimulationError>((h, solve(&within(h))?)));
        let steps = steps.collect::<Result<_, _>>()?;
        Ok(Self { start: start.clone(), instants: solve(&times)?, steps })
    }

    /// Runs a method at each step size and grades it against this motion.
    pub fn grade(
        &self,
        problem: &ExamProblem,
        settings: &Settings,
        info: &MethodInfo,
        method: impl Fn() -> Box<dyn Method>,
    ) -> Result<Grade, SimulationError> {
        let system: &dyn System = problem.system.as_ref();
        let space = system.space();
        let begin = |h: f64| {
            let settings = Settings { step_size: h, ..settings.clone() };
            Simulation::with_method(system, &settings, info, method(), &problem.initial)
        };
        let start = &self.start;

        let mut grade = Grade {
            method: info.name.into(),
            problem: problem.name.into(),
            constraints: settings.constraints.to_string(),
            step_size: 0.0,
            errors: GradeNumbers::default(),
            orders: GradeNumbers::default(),
            position_residual: 0.0,
            velocity_residual: 0.0,
            energy_error: 0.0,
            drift_order: None,
            energy_order: None,
            solves_per_stage: Vec::new(),
            between: InterpolantGrade::default(),
        };
        let scale = self.instants.iter().fold(GradeNumbers::default(), |scale, exact| {
            let rest = Instant { q: start.q.clone(), ..zero(exact) };
            scale.largest(compare(&space, &rest, &rest, exact))
        });
        let energy_scale = cardan::system::kinetic_energy(system, &start.q, &start.v).max(1.0);
        for (h, within) in &self.steps {
            let h = *h;
            let mut simulation = begin(h)?;
            let energy = simulation.energy();
            let mut errors = GradeNumbers::default();
            let (drift, energy_error) = (grade.velocity_residual, grade.energy_error);
            (grade.position_residual, grade.velocity_residual, grade.energy_error) =
                (0.0, 0.0, 0.0);
            let (mut between, mut gap) = (GradeNumbers::default(), 0.0);
            let mut scratch = start.clone();
            let mut rows = vec![0.0; system.holonomic_count()];
            for (exact, within) in self.instants.iter().zip(within.chunks(PARTS.len())) {
                simulation.run_until(exact.t)?;
                for exact in within {
                    let Some(step) = simulation.interpolant() else { continue };
                    step.write(exact.t, &mut scratch);
                    between = between.largest(compare(&space, &scratch, exact, exact));
                    rows.fill(0.0);
                    let evaluated = system.constraint(&(&scratch).into(), &mut rows);
                    let open = rows.iter().fold(0.0, |m, x| larger(m, x.abs()));
                    gap = larger(gap, if evaluated.is_ok() { open } else { f64::NAN });
                }
                let consistent = simulation.consistent_instant()?;
                let found = compare(&space, simulation.now(), &consistent, exact);
                errors = errors.largest(found);
                let residuals = simulation.residuals();
                grade.position_residual = larger(grade.position_residual, residuals.position);
                grade.velocity_residual = larger(grade.velocity_residual, residuals.velocity);
                if let (true, Some(before), Some(now)) =
                    (problem.conservative, energy, simulation.energy())
                {
                    grade.energy_error = larger(grade.energy_error, (now - before).abs());
                }
            }
            let effort = simulation.effort();
            let stages = effort.steps as f64 * simulation.stages() as f64;
            grade.solves_per_stage.push(effort.iterations as f64 / stages);
            let halving = (grade.step_size / h).log2();
            let above = |x: f64, unit: f64| x > ROUND_OFF * unit;
            if grade.step_size > 0.0 && above(grade.velocity_residual, scale.v) {
                grade.drift_order = Some(order(drift, grade.velocity_residual, halving));
            }
            if grade.step_size > 0.0 && above(grade.energy_error, energy_scale) {
                grade.energy_order = Some(order(energy_error, grade.energy_error, halving));
            }
            // of positions of size one, differentiated twice by the constraints
            let index_3 =
                settings.constraints == Formulation::Position && system.holonomic_count() > 0;
            let twice = if index_3 { DIFFERENTIATED / (h * h) } else { 0.0 };
            let floor = |k: usize| {
                let stage = if STAGE.contains(&k) { twice } else { 0.0 };
                larger(ROUND_OFF * scale.at(k), stage)
            };
            let observed = |before: &GradeNumbers, coarse: &GradeNumbers, fine: &GradeNumbers| {
                GradeNumbers::each(|k| match fine.at(k) <= floor(k) {
                    true => before.at(k),
                    false => order(coarse.at(k), fine.at(k), halving),
                })
            };
            grade.orders = observed(&grade.orders, &grade.errors, &errors);
            let known = &mut grade.between;
            known.orders = observed(&known.orders, &known.errors, &between);
            // positions are of size one
            if grade.step_size > 0.0 && gap > ROUND_OFF {
                known.residual_order = Some(order(known.position_residual, gap, halving));
            }
            (known.errors, known.position_residual) = (between, gap);
            (grade.errors, grade.step_size) = (errors, h);
        }
        Ok(grade)
    }
}

/// The times at which all steps end.
fn sampling_times(step_sizes: &[f64]) -> Result<Vec<f64>, SettingsError> {
    let refused = |reason| SettingsError::Steps { steps: step_sizes.to_vec(), reason };
    if step_sizes.is_empty() {
        return Err(refused("there are none"));
    }
    if let Some(&step_size) = step_sizes.iter().find(|h| !(h.is_finite() && **h > 0.0)) {
        return Err(SettingsError::StepSize { step_size });
    }
    if !step_sizes.is_sorted_by(|coarse, fine| coarse > fine) {
        return Err(refused("each must be smaller than the one before"));
    }
    let is_reached = |time: f64, h: f64| {
        // as many steps as `run_until` will take
        let steps = Settings::new("", h).steps(0.0, time);
        (steps * h - time).abs() <= SAME_TIME * time
    };
    let mut times: Vec<f64> = (1..=SAMPLES).map(|k| k as f64 / SAMPLES as f64).collect();
    times.retain(|time| step_sizes.iter().all(|h| is_reached(*time, *h)));
    match times.is_empty() {
        true => {
            Err(refused("errors are taken at 0.1, 0.2 … 1 s, of which they have none in common"))
        }
        false => Ok(times),
    }
}

/// An instant of the same sizes with all values zero.
pub(super) fn zero(like: &Instant) -> Instant {
    let mut zero = like.clone();
    zero.vectors_mut().into_iter().flatten().for_each(|x| *x = 0.0);
    zero
}

/// The order observed between two steps.
fn order(coarse: f64, fine: f64, halvings: f64) -> f64 {
    (coarse / fine).log2() / halvings
}

/// The largest differences of two instants.
pub(super) fn compare(
    space: &Space,
    now: &Instant,
    consistent: &Instant,
    exact: &Instant,
) -> GradeNumbers {
    let distance =
        |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (x, y)| larger(m, (x - y).abs()));
    let mut d = vec![0.0; now.v.len()];
    space.difference(Chart::Exponential, &exact.q, &now.q, &mut d);
    GradeNumbers {
        q: d.iter().fold(0.0, |m, x| larger(m, x.abs())),
        v: distance(&now.v, &exact.v),
        z: distance(&now.z, &exact.z),
        a: distance(&now.a, &exact.a),
        multipliers: distance(&now.multipliers, &exact.multipliers),
        consistent_a: distance(&consistent.a, &exact.a),
        consistent_multipliers: distance(&consistent.multipliers, &exact.multipliers),
    }
}
