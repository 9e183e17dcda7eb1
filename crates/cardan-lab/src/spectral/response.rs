//! Spectral radius, amplitude decay and period elongation of a method over the step size.

use std::f64::consts::{PI, TAU};

use nalgebra::Complex;

use cardan::methods::{Method, MethodInfo};
use cardan::simulation::SimulationError;
use cardan::stability::{Oscillator, characteristic_roots};

/// The response of a method at one frequency.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SpectralResponse {
    /// Δt/(nT): the step over the period and the number of stages.
    pub abscissa: f64,
    /// The largest modulus of a characteristic root.
    pub radius: f64,
    /// The numerical damping ratio, in percent.
    pub amplitude_decay: f64,
    /// How much longer the numerical period is, in percent.
    pub period_elongation: f64,
    /// Whether the oscillation turns by half a turn per step or more: then it cannot be distinguished from its
    /// aliases, and only the radius is meaningful.
    pub is_aliased: bool,
    /// All characteristic roots, the largest first.
    pub roots: Vec<Complex<f64>>,
}

/// ωh at which the search for the principal root begins.
const FIRST: f64 = 1e-3;
/// The root must be found this near to where it is expected, as a part of itself.
const NEAR: f64 = 0.01;
/// How often roots are computed on the way from one frequency to the next.
const MAX_TRIES: usize = 500;
/// The largest change of ωh on the way, as a part of it.
const GROWTH: f64 = 0.1;
/// The smallest change of ωh on the way, as a part of it.
const MIN_STEP_RATIO: f64 = 1e-4;

/// The responses at frequencies given as Δt/(nT), in ascending order, with relative damping ξ.
pub fn responses(
    info: &MethodInfo,
    method: &dyn Method,
    abscissae: &[f64],
    damping: f64,
) -> Result<Vec<SpectralResponse>, SimulationError> {
    let roots_at = |frequency: f64| -> Result<Vec<Complex<f64>>, SimulationError> {
        characteristic_roots(&Oscillator { frequency, damping }, info, method)
    };
    let stages = method.stages() as f64;
    let mut principal = Principal::new(damping);
    let mut all = Vec::new();
    for &abscissa in abscissae {
        let frequency = TAU * abscissa * stages;
        if frequency < principal.frequency {
            principal = Principal::new(damping);
        }
        if frequency < principal.frequency {
            principal.take(frequency, &roots_at(frequency)?, f64::INFINITY);
        }
        match damping.abs() < 1.0 {
            true => principal.follow(frequency, &roots_at)?,
            // what does not oscillate has no period
            false => principal.phase = f64::NAN,
        }
        let roots = roots_at(frequency)?;
        let (decay, phase) = (-principal.root.norm().ln(), principal.phase);
        let length = phase.hypot(decay);
        all.push(SpectralResponse {
            abscissa,
            radius: roots.first().map_or(f64::NAN, |root| root.norm()),
            amplitude_decay: 100.0 * decay / length,
            period_elongation: 100.0 * (frequency / length - 1.0),
            is_aliased: phase >= PI * (1.0 - 1e-9),
            roots,
        });
    }
    Ok(all)
}

/// The root that goes with the oscillation itself, followed from small steps on.
struct Principal {
    frequency: f64,
    root: Complex<f64>,
    /// Its angle, continued past half a turn.
    phase: f64,
    /// The change of the logarithm per frequency, for the next guess.
    slope: Complex<f64>,
}

impl Principal {
    fn new(damping: f64) -> Self {
        let slope = Complex::new(-damping, (1.0 - damping * damping).max(0.0).sqrt());
        let root = (slope * FIRST).exp();
        Self { frequency: FIRST, root, phase: root.arg(), slope }
    }

    /// Goes to a frequency in steps small enough not to mistake one root for another.
    fn follow(
        &mut self,
        frequency: f64,
        roots_at: &impl Fn(f64) -> Result<Vec<Complex<f64>>, SimulationError>,
    ) -> Result<(), SimulationError> {
        let mut step = 0.05_f64.min(frequency);
        let mut tries = 0;
        while self.frequency < frequency {
            // roots that jump cannot be followed
            tries += 1;
            if tries > MAX_TRIES {
                self.take(frequency, &roots_at(frequency)?, f64::INFINITY);
                return Ok(());
            }
            // less than half a turn, so that turns are counted
            let turn = if self.slope.norm() * step > 1.0 { 1.0 / self.slope.norm() } else { step };
            step = turn.min(GROWTH * self.frequency).min(frequency - self.frequency);
            let next =
                if step == frequency - self.frequency { frequency } else { self.frequency + step };
            let near = if step <= MIN_STEP_RATIO * self.frequency { f64::INFINITY } else { NEAR };
            step = match self.take(next, &roots_at(next)?, near) {
                true => 1.5 * step,
                false => 0.5 * step,
            };
        }
        Ok(())
    }

    /// Takes the root nearest to the guess, if it is near enough.
    fn take(&mut self, frequency: f64, roots: &[Complex<f64>], near: f64) -> bool {
        let step = frequency - self.frequency;
        let guess = self.root * (self.slope * step).exp();
        let distance = |root: &Complex<f64>| (root - guess).norm();
        let nearest = roots.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        // no roots here; there may be some at a slightly different frequency
        let Some(&root) = nearest else {
            if near.is_finite() {
                return false;
            }
            (self.frequency, self.phase) = (frequency, f64::NAN);
            return true;
        };
        let off = distance(&root);
        if off > near * guess.norm() {
            return false;
        }
        let turned = (root / self.root).ln();
        // where conjugate roots pass the real axis one may be taken for the other; going straight on
        // finds the right one behind it
        if step != 0.0 && root.im.abs() > 3.0 * off {
            self.slope = turned / step;
        }
        self.phase += turned.im;
        (self.frequency, self.root) = (frequency, root);
        true
    }
}
