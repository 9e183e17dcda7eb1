//! Named sets of parameters: those of the paper, some of them unstable, and stable ones.

use super::recursion::{Degree, Recursion};

/// A set by name.
pub(super) struct Preset {
    pub name: &'static str,
    pub recursion: Recursion,
}

const fn g3(name: &'static str, alpha: f64) -> Preset {
    let (beta, gamma, zeta) = (0.5, 1.0, 1.0);
    Preset { name, recursion: Recursion { degree: Degree::Three, alpha, beta, gamma, zeta } }
}

const fn g4(name: &'static str, alpha: f64, beta: f64, gamma: f64) -> Preset {
    Preset { name, recursion: Recursion { degree: Degree::Four, alpha, beta, gamma, zeta: 1.0 } }
}

const fn g5(name: &'static str, [alpha, beta, gamma, zeta]: [f64; 4]) -> Preset {
    Preset { name, recursion: Recursion { degree: Degree::Five, alpha, beta, gamma, zeta } }
}

impl Preset {
    /// Central differences.
    pub const CENTRAL: Self = g3("central", 1.0);
}

pub(super) const G3_NAMES: &[&str] = &["central", "four-thirds", "two"];
pub(super) const G3: &[Preset] = &[Preset::CENTRAL, g3("four-thirds", 4.0 / 3.0), g3("two", 2.0)];

pub(super) const G4_NAMES: &[&str] = &[
    "sound",
    "sound-wide",
    "quarter",
    "three-quarters",
    "five-quarters",
    "perturbed-gamma",
    "perturbed-both",
];
/// `sound` and `sound-wide` satisfy β = γ − 1/6, the condition for third order.
pub(super) const G4: &[Preset] = &[
    g4("sound", 1.0, 5.0 / 6.0, 1.0),
    g4("sound-wide", 0.875, 5.0 / 6.0, 1.0),
    g4("quarter", 0.25, 1.0 / 3.0, 0.5),
    g4("three-quarters", 0.75, 1.0 / 3.0, 0.5),
    g4("five-quarters", 1.25, 1.0 / 3.0, 0.5),
    g4("perturbed-gamma", 1.25, 1.0 / 3.0, 0.5005),
    g4("perturbed-both", 1.25, 1.0 / 3.0 + 0.01, 0.5005),
];

pub(super) const G5_NAMES: &[&str] = &["sound", "four-fifths", "ones", "tuned"];
/// `sound` satisfies 2β + ζ = 3γ, the condition for fourth order.
pub(super) const G5: &[Preset] = &[
    g5("sound", [0.5, 1.75, 1.5, 1.0]),
    g5("four-fifths", [0.8, 1.0, 1.0, 1.0]),
    g5("ones", [1.0; 4]),
    g5("tuned", [1.62, 1.03522, 1.0291293, 1.016]),
];

/// Radii above one by more than this are not round-off: double roots are accurate to 1e-8.
const GROWTH: f64 = 1e-7;
/// Values of ωh and ξ at which a set for mechanisms must be stable.
const SMALL: f64 = 0.02;
const MODERATE: f64 = 0.3;
const DAMPED: f64 = 0.1;

/// The warning about a set of parameters.
pub(super) fn stability_warning(recursion: &Recursion) -> Option<&'static str> {
    let grows = |omega, xi| recursion.radius(omega, xi) > 1.0 + GROWTH;
    if grows(SMALL, 0.0) {
        Some(
            "these parameters are unstable for every step: oscillations grow without bound, slowly with small \
             steps; `cardan spectrum` gives the rate. The default set is \
             stable",
        )
    } else if grows(SMALL, DAMPED) {
        Some(
            "these parameters are unstable with damping, for every step size; the default set is \
             stable",
        )
    } else if grows(MODERATE, 0.0) {
        Some(
            "these parameters are stable for very small steps only (ωh up to about 0.1; `cardan \
             spectrum` gives the limit); the default set is stable for much larger ones",
        )
    } else if recursion.constrained_radius() > 1.0 + GROWTH {
        Some(
            "with constraints these parameters are unstable for every step: velocities and \
             multipliers grow without bound; the default set is stable there too",
        )
    } else {
        None
    }
}
