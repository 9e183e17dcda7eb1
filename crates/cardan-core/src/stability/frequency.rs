//! The highest frequency of a system at an instant, which bounds the steps of explicit methods.

use super::limit::stability_limit;
use crate::methods::{Method, MethodInfo, Stability};
use crate::simulation::SimulationError;
use crate::stage::{Formulation, Stage};
use crate::state::Instant;
use crate::system::{Evaluator, StateView, System, SystemMatrix, check_instant};

/// Number of power iterations: the highest frequencies of a mesh are close to each other, and each is a good
/// estimate.
const ITERATIONS: usize = 60;

/// The highest circular frequency of small motions about an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct HighestFrequency {
    /// ω.
    pub frequency: f64,
    /// The coordinate that moves most in it.
    pub coordinate: String,
}

/// Computes the highest frequency by power iteration with M⁻¹K under the constraints; `None` if nothing is stiff, or M
/// cannot be inverted. An error if the instant is not one of the system.
pub fn highest_frequency(
    system: &dyn System,
    at: &Instant,
) -> Result<Option<HighestFrequency>, SimulationError> {
    check_instant(system, at)?;
    let point = StateView::from(at);
    let mut evaluator = Evaluator::at_instant(system, at)?;
    evaluator.force_tangent(system, &point)?;
    if !at.multipliers.is_empty() {
        evaluator.multiplier_tangent(system, at.t, &at.q, &at.multipliers)?;
    }
    let mut stage = Stage::new(system, &evaluator, Formulation::Acceleration);
    stage.q.copy_from_slice(&at.q);
    stage.v.copy_from_slice(&at.v);
    stage.z.copy_from_slice(&at.z);
    stage.map.freeze(at.t, &at.q, &at.v, &at.z);
    if stage.factorize_saddle(system, &mut evaluator, [0.0; 2]).is_err() {
        return Ok(None);
    }
    let n = at.v.len();
    // a start that is not orthogonal to a mode
    let mut x: Vec<f64> = (0..n).map(|i| 1.0 + (1.7 * i as f64).sin()).collect();
    let mut squared = 0.0;
    for _ in 0..ITERATIONS {
        let mut y = vec![0.0; n];
        evaluator.part(SystemMatrix::Stiffness).multiply_add(1.0, &x, &mut y);
        if !at.multipliers.is_empty() {
            evaluator.part(SystemMatrix::MultiplierTangent).multiply_add(1.0, &x, &mut y);
        }
        if stage.solve_dynamics(system, &mut y).is_err() {
            return Ok(None);
        }
        let mut momentum = vec![0.0; n];
        evaluator.part(SystemMatrix::Mass).multiply_add(1.0, &y, &mut momentum);
        let size = y.iter().zip(&momentum).map(|(y, p)| y * p).sum::<f64>().sqrt();
        if !(size > 0.0 && size.is_finite()) {
            return Ok(None);
        }
        // x has length one from the second time on
        squared = size;
        x = y.iter().map(|y| y / size).collect();
    }
    let worst = (0..n).max_by(|&a, &b| x[a].abs().total_cmp(&x[b].abs())).unwrap_or(0);
    Ok(Some(HighestFrequency {
        frequency: squared.sqrt(),
        coordinate: system.coordinate_name(worst),
    }))
}

/// The longest stable step of a method for a system at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct StableStep {
    /// The longest stable step.
    pub step: f64,
    /// The frequency that limits the step.
    pub highest: HighestFrequency,
}

/// The longest stable step of a method that is stable for small steps only; `None` for all others, and
/// if nothing is stiff.
pub fn stable_step(
    info: &MethodInfo,
    method: &dyn Method,
    system: &dyn System,
    at: &Instant,
) -> Result<Option<StableStep>, SimulationError> {
    if info.stability != Stability::Conditional {
        return Ok(None);
    }
    let Some(highest) = highest_frequency(system, at)? else { return Ok(None) };
    let limit = stability_limit(info, method, 0.0)?;
    let step = limit / highest.frequency;
    // a method that is unstable for every step has no limit
    Ok((limit > 0.0 && step.is_finite()).then_some(StableStep { step, highest }))
}
