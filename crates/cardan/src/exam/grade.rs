//! Errors and observed orders of one method on one problem.

use serde::{Deserialize, Serialize};

use super::{Problem, reference};
use crate::error::Error;
use crate::math::Chart;
use crate::methods::{Method, MethodInfo};
use crate::simulation::{Settings, Simulation};
use crate::state::Instant;
use crate::system::Space;

/// The instants at which errors are taken.
const SAMPLES: usize = 10;

/// One number for each quantity: errors, or observed orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// Positions and rotations.
    pub q: f64,
    /// Velocities.
    pub v: f64,
    /// Accelerations of the stage.
    pub a: f64,
    /// Multipliers of the stage.
    pub multipliers: f64,
    /// Accelerations solved again at (q, v).
    pub consistent_a: f64,
    /// Multipliers solved again at (q, v).
    pub consistent_multipliers: f64,
}

impl Errors {
    /// The values in order, with their names.
    pub fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("q", self.q),
            ("v", self.v),
            ("a", self.a),
            ("multipliers", self.multipliers),
            ("consistent a", self.consistent_a),
            ("consistent multipliers", self.consistent_multipliers),
        ]
    }

    fn combine(self, other: Self, with: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            q: with(self.q, other.q),
            v: with(self.v, other.v),
            a: with(self.a, other.a),
            multipliers: with(self.multipliers, other.multipliers),
            consistent_a: with(self.consistent_a, other.consistent_a),
            consistent_multipliers: with(self.consistent_multipliers, other.consistent_multipliers),
        }
    }
}

/// How a method did on a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// The method.
    pub method: String,
    /// The problem.
    pub problem: String,
    /// The constraint formulation.
    pub constraints: String,
    /// The finest step.
    pub step_size: f64,
    /// The errors at the finest step: the largest at t = 0.1, 0.2, …, 1.
    pub errors: Errors,
    /// The orders observed over the last halving.
    pub orders: Errors,
    /// The largest |Φ|, at the finest step.
    pub position_residual: f64,
    /// The largest |G v + b|, at the finest step.
    pub velocity_residual: f64,
    /// The largest |E − E₀|, at the finest step; zero if energy is not conserved.
    pub energy_error: f64,
    /// Linear solves per step, from the coarsest to the finest.
    pub solves_per_step: Vec<f64>,
}

/// Runs a method at each step size (coarse to fine) and grades it.
pub fn grade(
    problem: &Problem,
    settings: &Settings,
    info: &'static MethodInfo,
    method: impl Fn() -> Box<dyn Method>,
    step_sizes: &[f64],
) -> Result<Grade, Error> {
    let system: &dyn crate::system::System = problem.system.as_ref();
    let begin = |h: f64| {
        let settings = Settings { step_size: h, ..settings.clone() };
        Simulation::with_method(system, &settings, info, method(), &problem.initial)
    };
    let times: Vec<f64> = (1..=SAMPLES).map(|k| k as f64 / SAMPLES as f64).collect();
    let start = begin(1.0)?.now().clone();
    let exact = reference::solve(system, &start, &times)?;
    let space = system.space();

    let mut grade = Grade {
        method: info.name.into(),
        problem: problem.name.into(),
        constraints: settings.constraints.to_string(),
        step_size: 0.0,
        errors: Errors::default(),
        orders: Errors::default(),
        position_residual: 0.0,
        velocity_residual: 0.0,
        energy_error: 0.0,
        solves_per_step: Vec::new(),
    };
    for &h in step_sizes {
        let mut simulation = begin(h)?;
        let energy = simulation.energy();
        let mut errors = Errors::default();
        (grade.position_residual, grade.velocity_residual, grade.energy_error) = (0.0, 0.0, 0.0);
        for exact in &exact {
            simulation.run_until(exact.t)?;
            let consistent = simulation.consistent()?;
            let found = compare(&space, simulation.now(), &consistent, exact);
            errors = errors.combine(found, larger);
            let residuals = simulation.residuals();
            grade.position_residual = grade.position_residual.max(residuals.position);
            grade.velocity_residual = grade.velocity_residual.max(residuals.velocity);
            if let (true, Some(before), Some(now)) =
                (problem.conservative, energy, simulation.energy())
            {
                grade.energy_error = grade.energy_error.max((now - before).abs());
            }
        }
        let effort = simulation.effort();
        grade.solves_per_step.push(effort.iterations as f64 / effort.steps as f64);
        let halving = (grade.step_size / h).log2();
        grade.orders = grade.errors.combine(errors, |coarse, fine| order(coarse, fine, halving));
        (grade.errors, grade.step_size) = (errors, h);
    }
    Ok(grade)
}

/// The order seen between two steps; zero where there is nothing to see, not a number where an
/// error is none.
fn order(coarse: f64, fine: f64, halvings: f64) -> f64 {
    match coarse == 0.0 && fine == 0.0 {
        true => 0.0,
        false => (coarse / fine).log2() / halvings,
    }
}

/// The larger of two; not a number is larger than anything.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

fn compare(space: &Space, now: &Instant, consistent: &Instant, exact: &Instant) -> Errors {
    let distance =
        |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (x, y)| larger(m, (x - y).abs()));
    let mut d = vec![0.0; now.v.len()];
    space.difference(Chart::Exponential, &exact.q, &now.q, &mut d);
    Errors {
        q: d.iter().fold(0.0, |m, x| larger(m, x.abs())),
        v: distance(&now.v, &exact.v),
        a: distance(&now.a, &exact.a),
        multipliers: distance(&now.multipliers, &exact.multipliers),
        consistent_a: distance(&consistent.a, &exact.a),
        consistent_multipliers: distance(&consistent.multipliers, &exact.multipliers),
    }
}
