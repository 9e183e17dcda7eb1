//! Natural modes: full matrices for small systems, a Krylov space for large ones.

use nalgebra::Complex;

use super::error::ModesError;
use super::linearization::Linearization;
use super::rigid::Magnitude;
use super::undamped::UndampedMode;
use crate::model::RotatingObserver;
use cardan_core::state::Instant;
use cardan_core::system::System;

/// Entries that differ from their mirror images by less than this, against the terms they are made of, count
/// as symmetric: residual loads at an approximate equilibrium cause less.
const SYMMETRIC: f64 = 1e-10;
/// Damping below this fraction of the critical damping of its coordinates counts as none.
const UNDAMPED: f64 = 1e-13;
/// Systems with up to this many coordinates may be solved with full matrices.
pub(super) const SMALL: usize = 400;

/// Options of the search for modes.
#[derive(Clone, Debug, PartialEq)]
pub struct ModesOptions {
    /// How many modes, from the lowest frequency on.
    pub count: usize,
    /// The observer in whose axes the equations are written.
    pub observer: RotatingObserver,
}

impl Default for ModesOptions {
    fn default() -> Self {
        Self { count: 10, observer: RotatingObserver::default() }
    }
}

/// A natural mode: ξ(t) = Re(shape · exp(λ t)).
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// λ.
    pub eigenvalue: Complex<f64>,
    /// Displacements and rotations over the coordinates of the system, in its own tangent space; of unit
    /// modal mass xᴴ M x = 1.
    pub shape: Vec<Complex<f64>>,
    /// First-order states in the same motion, ζ(t) = Re(states · exp(λ t)). If nothing moves, the largest is one.
    pub states: Vec<Complex<f64>>,
    /// The frequency below which this shape could not be distinguished from a rigid motion, because the
    /// stiffness matrix is known to round-off only.
    pub resolution: f64,
}

impl Mode {
    /// |λ|: the natural circular frequency.
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.norm()
    }

    /// −Re λ/|λ|: no oscillation from one on; zero for a rigid motion.
    pub fn damping_ratio(&self) -> f64 {
        let size = self.frequency();
        if size > 0.0 { -self.eigenvalue.re / size } else { 0.0 }
    }

    /// Whether it is a rigid motion.
    pub fn is_rigid(&self) -> bool {
        self.eigenvalue == Complex::new(0.0, 0.0)
    }
}

/// The modes of a system about an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// The modes, from the lowest frequency on; of a pair the one that turns forwards. Real eigenvalues
    /// are listed one by one.
    pub modes: Vec<Mode>,
    /// Whether there are neither damping nor gyroscopic terms nor first-order states.
    pub is_conservative: bool,
}

impl Modes {
    /// Computes the modes of small motions about an instant; accelerations and multipliers must be those
    /// of that instant.
    pub fn new(
        system: &dyn System,
        at: &Instant,
        options: &ModesOptions,
    ) -> Result<Self, ModesError> {
        let equations = Linearization::new(system, at, &options.observer)?;
        Self::of(&equations, options)
    }

    /// The modes of given equations.
    pub fn of(equations: &Linearization, options: &ModesOptions) -> Result<Self, ModesError> {
        if !equations.is_consistent() {
            return Err(ModesError::Sizes);
        }
        let states = equations.states.count();
        let count = options.count.min(equations.size().saturating_mul(2).saturating_add(states));
        let conservative = equations.is_conservative();
        let modes = match conservative {
            true => {
                let found = equations.lowest_squares(count);
                found.map(|x| x.into_iter().map(undamped).collect())
            }
            false => equations.damped_lowest(count),
        };
        // full matrices, if the shifted matrix is singular for every shift
        let is_small = equations.size() + states <= SMALL;
        let mut modes: Vec<Mode> = match modes {
            Err(_) if is_small => equations.with_full_matrices()?,
            modes => modes?,
        };
        // as are motions with eigenvalues far above the shift
        if !conservative && is_small && modes.len() < count {
            let known = modes.iter().map(Mode::frequency).fold(0.0, f64::max);
            let all = equations.with_full_matrices().unwrap_or_default();
            modes.extend(all.into_iter().filter(|mode| mode.frequency() > 1.0001 * known));
        }
        modes.sort_by(|a: &Mode, b| a.frequency().total_cmp(&b.frequency()));
        modes.truncate(count);
        for mode in &mut modes {
            mode.shape = equations.in_own_axes(&mode.shape);
        }
        Ok(Self { modes, is_conservative: conservative })
    }
}

/// A mode with ω², which is negative for an unstable motion.
fn undamped(square: UndampedMode) -> Mode {
    let eigenvalue = match square.value {
        x if x > 0.0 => Complex::new(0.0, x.sqrt()),
        x => Complex::new((-x).sqrt(), 0.0),
    };
    let shape = square.shape.into_iter().map(|x| Complex::new(x, 0.0)).collect();
    Mode { eigenvalue, shape, states: Vec::new(), resolution: square.round_off.sqrt() }
}

impl Linearization {
    /// Whether M and K are symmetric and there is neither damping nor a first-order state.
    pub(super) fn is_conservative(&self) -> bool {
        self.states.count() == 0 && self.has_potential() && self.is_undamped()
    }

    /// Whether K is symmetric and constraint forces act along their rows.
    pub(super) fn has_potential(&self) -> bool {
        let reactions = self.reactions.iter().filter(|x| x.2 != 0.0);
        let mut along: Vec<_> = reactions.map(|(i, j, x)| (j, i, x)).collect();
        let mut rows: Vec<_> = self.jacobian.iter().filter(|x| x.2 != 0.0).collect();
        let place = |x: &(usize, usize, f64)| (x.0, x.1);
        along.sort_by_key(place);
        rows.sort_by_key(place);
        self.holonomic == self.jacobian.rows()
            && along == rows
            && Magnitude::new(self).asymmetry(self) <= SYMMETRIC.max(100.0 * self.precision)
    }

    fn is_undamped(&self) -> bool {
        let n = self.size();
        let (mut mass, mut stiffness) = (vec![0.0; n], vec![0.0; n]);
        for (matrix, out) in [(&self.mass, &mut mass), (&self.magnitude, &mut stiffness)] {
            matrix.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, x)| out[i] += x);
        }
        let critical = |i: usize| (mass[i] * stiffness[i]).abs().sqrt();
        let is_quiet = |(i, j, x): (usize, usize, f64)| {
            x.abs() <= UNDAMPED * (critical(i) * critical(j)).sqrt()
        };
        self.damping.iter().all(is_quiet)
    }

    /// A shape ξ of the observer, in the axes of the system's velocities.
    fn in_own_axes(&self, shape: &[Complex<f64>]) -> Vec<Complex<f64>> {
        let mut out = shape.to_vec();
        for (first, turn) in &self.turns {
            for i in 0..3 {
                out[first + i] = (0..3).map(|j| shape[first + j] * turn[(i, j)]).sum();
            }
        }
        out
    }
}
