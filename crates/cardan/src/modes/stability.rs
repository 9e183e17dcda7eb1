//! Whether an equilibrium is stable: the inertia of its stiffness on the motions that the constraints allow.

use std::fmt;

use super::error::ModesError;
use super::linearization::Linearization;
use super::shift::count_below;
use super::solve::{Mode, SMALL};
use crate::model::RotatingObserver;
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::Vector3;
use cardan_core::state::Instant;
use cardan_core::system::System;

/// How many of the lowest motions are computed.
const LOWEST_COUNT: usize = 12;
/// Growth below this part of |λ| is round-off: repeated eigenvalues are accurate to the square root of ε.
const GROWS: f64 = 5e-7;
/// Growth below this part of the largest |λ| is round-off of full matrices.
const ROUND_OFF: f64 = 1e-12;

/// The stability of an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StabilityVerdict {
    /// Every motion that the constraints allow has a positive stiffness.
    Stable,
    /// Some motions have no stiffness; all others have a positive one.
    Neutral,
    /// At least one motion grows.
    Unstable,
    /// The test could not decide.
    Undecided,
}

/// The test that gave the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StabilityTest {
    /// The stiffness is symmetric, the second derivative of a potential: its negative eigenvalues are
    /// counted.
    Potential,
    /// The stiffness is not symmetric (loads that follow, friction, finite-volume beams under load): the
    /// test is for motions that grow without oscillation (divergence), not for flutter.
    Divergence,
    /// The system has first-order states: eigenvalues with damping, gyroscopic forces and states.
    Eigenvalues,
    /// Everything turns: the stiffness contains centrifugal forces. An even number of negative eigenvalues
    /// may be stabilized by gyroscopic forces, which are not in it.
    Rotating,
}

/// Stability of an equilibrium, determined by its stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticStability {
    /// Whether it is stable.
    pub verdict: StabilityVerdict,
    /// The test.
    pub test: StabilityTest,
    /// How many independent motions have a negative stiffness; with first-order states, how many motions grow.
    pub unstable: usize,
    /// How many independent motions have no stiffness, to round-off; with first-order states, how many eigenvalues are
    /// zero.
    pub neutral: usize,
    /// The fastest growth found, without damping unless there are first-order states, in 1/s: small deviations grow with exp(rate · t).
    pub rate: f64,
    /// The coordinate that moves most in it, or the largest state if nothing moves.
    pub coordinate: Option<String>,
}

/// A motion with its λ² and the coordinate that moves most.
struct Motion {
    square: f64,
    most: usize,
}

impl StaticStability {
    /// Tests an equilibrium of a system; accelerations and multipliers must be those of the instant. With
    /// a rotating observer the equilibrium is relative to the observer.
    pub fn new(
        system: &dyn System,
        at: &Instant,
        observer: &RotatingObserver,
    ) -> Result<Self, ModesError> {
        let equations = Linearization::new(system, at, observer)?;
        if equations.states.count() > 0 {
            return Ok(equations.stability_with_states(system));
        }
        let n = equations.size();
        let still = Linearization { damping: SparseMatrix::written(n, n, |_| {}), ..equations };
        let turning = observer.spin != Vector3::zeros();
        let (test, found) = match still.has_potential() {
            true if turning => (StabilityTest::Rotating, still.negative_stiffness()),
            true => (StabilityTest::Potential, still.negative_stiffness()),
            false => (StabilityTest::Divergence, still.divergence()),
        };
        let Some((motions, unstable)) = found else {
            let verdict = StabilityVerdict::Undecided;
            return Ok(Self {
                verdict,
                test,
                unstable: 0,
                neutral: 0,
                rate: 0.0,
                coordinate: None,
            });
        };
        let neutral = motions.iter().filter(|x| x.square == 0.0).count();
        let fastest =
            motions.iter().filter(|x| x.square < 0.0).min_by(|a, b| a.square.total_cmp(&b.square));
        let verdict = match (unstable, neutral) {
            (0, 0) => StabilityVerdict::Stable,
            (0, _) => StabilityVerdict::Neutral,
            (k, _) if test == StabilityTest::Rotating && k % 2 == 0 => StabilityVerdict::Undecided,
            _ => StabilityVerdict::Unstable,
        };
        Ok(Self {
            verdict,
            test,
            unstable,
            neutral,
            rate: fastest.map_or(0.0, |x| (-x.square).sqrt()),
            coordinate: fastest.map(|x| system.coordinate_name(x.most)),
        })
    }
}

impl Linearization {
    /// Stability from eigenvalues, where forces depend on first-order states. All are computed for small systems, else
    /// the slowest ones: the others can show instability, but not stability.
    fn stability_with_states(&self, system: &dyn System) -> StaticStability {
        let is_small = self.size() + self.states.count() <= SMALL;
        let modes = match is_small {
            true => self.with_full_matrices(),
            false => self.damped_lowest(LOWEST_COUNT),
        };
        let is_known = modes.is_ok();
        let modes = modes.unwrap_or_default();
        let fastest = modes.iter().map(Mode::frequency).fold(0.0, f64::max);
        let grows =
            |mode: &&Mode| mode.eigenvalue.re > GROWS * mode.frequency() + ROUND_OFF * fastest;
        let unstable = modes.iter().filter(grows).count();
        let neutral = modes.iter().filter(|mode| mode.frequency() <= ROUND_OFF * fastest).count();
        let growing =
            modes.iter().filter(grows).max_by(|a, b| a.eigenvalue.re.total_cmp(&b.eigenvalue.re));
        let name = |mode: &Mode| match mode.shape.iter().all(|x| x.norm() == 0.0) {
            false => system.coordinate_name(largest_component(mode.shape.iter().map(|x| x.norm()))),
            true => system.state_name(largest_component(mode.states.iter().map(|x| x.norm()))),
        };
        let verdict = match (unstable, neutral) {
            (1.., _) => StabilityVerdict::Unstable,
            _ if !(is_known && is_small) => StabilityVerdict::Undecided,
            (0, 0) => StabilityVerdict::Stable,
            _ => StabilityVerdict::Neutral,
        };
        StaticStability {
            verdict,
            test: StabilityTest::Eigenvalues,
            unstable,
            neutral,
            rate: growing.map_or(0.0, |mode| mode.eigenvalue.re),
            coordinate: growing.map(name),
        }
    }

    /// The motions with the lowest |ω²|, and how many ω² are negative altogether.
    fn negative_stiffness(&self) -> Option<(Vec<Motion>, usize)> {
        let n = self.size();
        let mut count = LOWEST_COUNT.min(n);
        loop {
            let squares = self.lowest_squares(count).ok()?;
            let held = squares.iter().map(|x| x.value.abs()).filter(|x| *x > 0.0);
            let first = held.fold(f64::INFINITY, f64::min);
            let all = squares.len() < count || count == n;
            // nothing but rigid motions yet
            if first.is_infinite() && !all {
                count = (4 * count).min(n);
                continue;
            }
            let listed = squares.iter().filter(|x| x.value < 0.0).count();
            let counted = match first.is_finite() && !all {
                true => {
                    [0.5, 0.37, 0.71].iter().find_map(|part| count_below(self, -part * first))?
                }
                false => listed,
            };
            // fast growing ones may come later
            if counted > 0 && listed == 0 && count < 100.min(n) {
                count = 100.min(n);
                continue;
            }
            let motions = squares.iter().map(|x| Motion {
                square: x.value,
                most: largest_component(x.shape.iter().map(|x| x.abs())),
            });
            return Some((motions.collect(), counted.max(listed)));
        }
    }

    /// The motions with the lowest |λ|, and how many grow without oscillation.
    fn divergence(&self) -> Option<(Vec<Motion>, usize)> {
        let modes = match self.damped_lowest(LOWEST_COUNT.min(self.size())) {
            Err(_) if self.size() <= SMALL => self.with_full_matrices(),
            found => found,
        };
        let motions: Vec<Motion> = modes
            .ok()?
            .iter()
            .map(|mode| {
                let grows = mode.eigenvalue.im == 0.0 && mode.eigenvalue.re > 0.0;
                let size = mode.frequency().powi(2);
                Motion {
                    square: if grows { -size } else { size },
                    most: largest_component(mode.shape.iter().map(|x| x.norm())),
                }
            })
            .collect();
        let growing = motions.iter().filter(|x| x.square < 0.0).count();
        Some((motions, growing))
    }
}

fn largest_component(sizes: impl Iterator<Item = f64>) -> usize {
    sizes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |x| x.0)
}

impl StaticStability {
    /// The verdict of eigenvalues in words.
    fn write_eigenvalues(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        match self.verdict {
            StabilityVerdict::Stable => write!(f, "stable")?,
            StabilityVerdict::Neutral => {
                write!(
                    f,
                    "stable but for {} eigenvalue{} zero",
                    self.neutral,
                    plural(self.neutral)
                )?;
            }
            StabilityVerdict::Unstable => {
                let n = self.unstable;
                write!(f, "unstable: {n} growing motion{}", plural(n))?;
            }
            StabilityVerdict::Undecided => {
                write!(f, "stability undecided: not all eigenvalues are known")?;
            }
        }
        if let Some(coordinate) = &self.coordinate {
            write!(f, ", {coordinate} grows with exp({:.3} t/s)", self.rate)?;
        }
        write!(f, " (eigenvalues with damping and first-order states)")
    }
}

impl fmt::Display for StaticStability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |n: usize| format!("{n} motion{}", if n == 1 { "" } else { "s" });
        if self.test == StabilityTest::Eigenvalues {
            return self.write_eigenvalues(f);
        }
        match self.verdict {
            StabilityVerdict::Stable => write!(f, "stable")?,
            StabilityVerdict::Neutral => {
                write!(f, "stable but for {} without any stiffness", many(self.neutral))?;
            }
            StabilityVerdict::Unstable => {
                write!(f, "unstable: {} of negative stiffness", many(self.unstable))?;
            }
            StabilityVerdict::Undecided if self.unstable > 0 => {
                write!(f, "stability undecided: {} of negative stiffness", many(self.unstable))?;
            }
            StabilityVerdict::Undecided => {
                write!(f, "stability undecided: the stiffness could not be factorized")?;
            }
        }
        if let Some(coordinate) = &self.coordinate {
            write!(f, ", {coordinate} grows with exp({:.3} t/s) if nothing damps it", self.rate)?;
        }
        match self.test {
            StabilityTest::Potential | StabilityTest::Eigenvalues => Ok(()),
            StabilityTest::Divergence => {
                write!(
                    f,
                    " (the stiffness is not symmetric: tested for divergence, not for flutter)"
                )
            }
            StabilityTest::Rotating => {
                write!(f, " (tested with centrifugal, without gyroscopic forces)")
            }
        }
    }
}
