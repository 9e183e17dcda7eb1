//! Band-limited noise as a smooth function of time.

use std::f64::consts::TAU;

use super::rules::Rule;

/// The number of sines.
const SINES: usize = 64;

/// A sum of sines with random phases, Σ √(2/N) sin(ωₖ t + φₖ), whose mean square is 1. The frequencies are spread over the band,
/// one at random in each of N equal parts of it, so that the sum does not repeat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BandNoise {
    /// Angular frequency and phase.
    sines: Vec<[f64; 2]>,
}

impl BandNoise {
    /// A noise up to a frequency in Hz; the same for the same seed.
    pub fn new(seed: f64, bandwidth: f64) -> Self {
        // adding zero makes the two zeros equal
        let mut state = (seed + 0.0).to_bits();
        let part = bandwidth / SINES as f64;
        let sines = (0..SINES)
            .map(|k| [TAU * part * (k as f64 + uniform(&mut state)), TAU * uniform(&mut state)])
            .collect();
        Self { sines }
    }

    pub fn value(&self, t: f64) -> f64 {
        let sum: f64 = self.sines.iter().map(|[rate, phase]| (rate * t + phase).sin()).sum();
        amplitude() * sum
    }

    /// Value, first and second derivative.
    pub fn rule(&self, t: f64) -> Rule {
        let mut derivatives = [0.0; 2];
        for [rate, phase] in &self.sines {
            let (sine, cosine) = (rate * t + phase).sin_cos();
            derivatives[0] += rate * cosine;
            derivatives[1] -= rate * rate * sine;
        }
        let [first, second] = derivatives.map(|sum| amplitude() * sum);
        [self.value(t), first, second]
    }
}

fn amplitude() -> f64 {
    (2.0 / SINES as f64).sqrt()
}

/// A random number above 0 and at most 1, by the generator SplitMix64 (Steele, Lea, Flood 2014).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    ((z >> 11) + 1) as f64 / (1_u64 << 53) as f64
}
