//! Order and error constant, stability region and overshoot of a method.

use std::f64::consts::{PI, TAU};

use nalgebra::Complex;

use cardan::methods::{Method, MethodInfo};
use cardan::simulation::SimulationError;
use cardan::simulation::{InitialValues, Simulation};
use cardan::stability::{Oscillator, characteristic_roots, linear_settings, spectral_radius};

/// How well small steps follow an oscillation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Accuracy {
    /// The order p observed.
    pub order: f64,
    /// |C| of ln μ = z + C z^(p+1) + …, z = iωh, for a step as long as the work of one stage.
    pub error_constant: f64,
}

/// Order and error constant, from the principal root at small steps.
pub fn accuracy(info: &MethodInfo, method: &dyn Method) -> Result<Accuracy, SimulationError> {
    // small enough to neglect the next term, large enough for an error above round-off
    let per_stage = match info.order {
        ..=2 => 0.01,
        3 => 0.02,
        4 => 0.03,
        _ => 0.05,
    };
    let frequency = per_stage * method.stages() as f64;
    let error = |frequency: f64| -> Result<f64, SimulationError> {
        let exact = Complex::new(0.0, frequency);
        let oscillator = Oscillator { frequency, damping: 0.0 };
        let roots = characteristic_roots(&oscillator, info, method)?;
        let distance = |root: &Complex<f64>| (root.ln() - exact).norm();
        Ok(roots.iter().map(distance).fold(f64::INFINITY, f64::min))
    };
    let (coarse, fine) = (error(frequency)?, error(0.5 * frequency)?);
    // parameters may lower the order of a method
    let order = (coarse / fine).log2() - 1.0;
    let power = order.round() as i32 + 1;
    let constant = |error: f64, frequency: f64| error / frequency.powi(power);
    let (coarse_constant, fine_constant) =
        (constant(coarse, frequency), constant(fine, 0.5 * frequency));
    // the next term, D z^(p+2), is at a right angle to C z^(p+1), since z is imaginary: the modulus
    // has even powers of the step only
    let limit = fine_constant + (fine_constant - coarse_constant) / 3.0;
    Ok(Accuracy { order, error_constant: limit * (method.stages() as f64).powi(power - 1) })
}

/// A point z = λh on the boundary of the stability region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryPoint {
    /// Its real part.
    pub re: f64,
    /// Its imaginary part.
    pub im: f64,
}

/// Where the spectral radius passes one, along rays from the origin in the upper half-plane; roots
/// are λh = −ξωh ± iωh√(1 − ξ²). Empty if no boundary is found.
pub fn region(
    info: &MethodInfo,
    method: &dyn Method,
    rays: usize,
) -> Result<Vec<BoundaryPoint>, SimulationError> {
    const SAMPLES: i32 = 64;
    const MIN_RADIUS: f64 = 0.05;
    const MAX_RADIUS: f64 = 1000.0;
    let mut crossings = Vec::new();
    for ray in 1..rays {
        let angle = PI * ray as f64 / rays as f64;
        let is_stable = |length: f64| -> Result<bool, SimulationError> {
            // on the imaginary axis undamped methods are at one, give or take round-off
            Ok(spectral_radius(info, method, length, -angle.cos())? <= 1.0 + 1e-7)
        };
        let length =
            |k: i32| MIN_RADIUS * (MAX_RADIUS / MIN_RADIUS).powf(f64::from(k) / f64::from(SAMPLES));
        let mut before = is_stable(length(0))?;
        for k in 1..=SAMPLES {
            let now = is_stable(length(k))?;
            if now != before {
                let (mut low, mut high) = (length(k - 1), length(k));
                for _ in 0..30 {
                    let middle = (low * high).sqrt();
                    match is_stable(middle)? == before {
                        true => low = middle,
                        false => high = middle,
                    }
                }
                crossings.push(BoundaryPoint { re: low * angle.cos(), im: low * angle.sin() });
            }
            before = now;
        }
    }
    Ok(crossings)
}

/// The motion of q̈ + (2π)² q = 0 from q = 1 at rest, in steps of many periods.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Overshoot {
    /// q at the end of each step, the start included.
    pub displacements: Vec<f64>,
    /// q̇ over ω.
    pub velocities: Vec<f64>,
}

impl Overshoot {
    /// The largest displacement after the start, over the initial one.
    pub fn displacement(&self) -> f64 {
        self.displacements.iter().skip(1).fold(0.0, |most, x| x.abs().max(most))
    }

    /// The largest velocity, over that of the exact motion.
    pub fn velocity(&self) -> f64 {
        self.velocities.iter().fold(0.0, |most, x| x.abs().max(most))
    }
}

/// Takes steps of `periods` periods each, with relative damping ξ.
pub fn overshoot(
    info: &MethodInfo,
    method: &dyn Method,
    damping: f64,
    periods: f64,
    steps: usize,
) -> Result<Overshoot, SimulationError> {
    let oscillator = Oscillator { frequency: TAU, damping };
    let settings = linear_settings(info, periods);
    let initial = InitialValues::new(&[1.0], &[0.0]);
    let method = method.with_coefficients(&[]);
    let mut motion = Simulation::with_method(&oscillator, &settings, info, method, &initial)?;
    let mut found = Overshoot { displacements: vec![1.0], velocities: vec![0.0] };
    for _ in 0..steps {
        motion.step()?;
        found.displacements.push(motion.now().q[0]);
        found.velocities.push(motion.now().v[0] / TAU);
    }
    Ok(found)
}
