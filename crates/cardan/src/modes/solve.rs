//! Natural modes: full matrices for small systems, a Krylov space for large ones.

use nalgebra::{Complex, DVector};

use super::dense::Reduced;
use super::eigen::{eigenvalues, eigenvector};
use super::krylov::{Krylov, lowest};
use super::shift::{Projection, Shifted};
use super::{Linearization, Observer};
use crate::error::Error;
use crate::linalg::Entries;
use crate::math::{add_scaled, dot};
use crate::state::Instant;
use crate::system::System;

/// Entries that differ from their mirror images by less than this, against the largest one, count as
/// symmetric: what is left of loads that are not quite in equilibrium is below it.
const SYMMETRIC: f64 = 1e-8;
/// Systems with up to this many coordinates may be solved with full matrices.
const SMALL: usize = 400;
/// How well an eigenvalue in a Krylov space is to be known.
const KNOWN: f64 = 1e-11;

/// How modes are looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ModesOptions {
    /// How many modes, from the lowest frequency on.
    pub count: usize,
    /// Who looks at them.
    pub observer: Observer,
}

impl Default for ModesOptions {
    fn default() -> Self {
        Self { count: 10, observer: Observer::default() }
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
}

impl Mode {
    /// |λ|: the natural circular frequency.
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.norm()
    }

    /// −Re λ/|λ|: one and more is no oscillation; nothing for a rigid motion.
    pub fn damping_ratio(&self) -> f64 {
        let size = self.frequency();
        if size > 0.0 { -self.eigenvalue.re / size } else { 0.0 }
    }

    /// Whether it is a motion that nothing holds back.
    pub fn is_rigid(&self) -> bool {
        self.eigenvalue == Complex::new(0.0, 0.0)
    }
}

/// The modes of a system about an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// The modes, from the lowest frequency on; of a pair the one that turns forwards. Real eigenvalues
    /// stand for themselves.
    pub modes: Vec<Mode>,
    /// Whether there is neither damping nor anything gyroscopic.
    pub is_conservative: bool,
}

/// Why there are no modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModesError {
    /// Something moves without mass.
    #[error("a motion that the constraints allow has no mass: it has no frequency")]
    Massless,
    /// First-order states are not looked at.
    #[error("first-order states have no modes of this kind")]
    States,
    /// The shifted matrix is singular, or the space does not converge.
    #[error("the modes do not converge; ask for fewer, or for a smaller model")]
    Diverged,
    /// The eigenvalues of a full matrix could not be computed.
    #[error("the eigenvalues of the reduced matrices could not be computed")]
    Eigenvalues,
}

impl Modes {
    /// Looks for the modes of small motions about an instant; accelerations and multipliers must be those
    /// of that instant.
    pub fn new(system: &dyn System, at: &Instant, options: &ModesOptions) -> Result<Self, Error> {
        if system.states() > 0 {
            return Err(ModesError::States.into());
        }
        let equations = Linearization::new(system, at, &options.observer)?;
        Ok(Self::of(&equations, options)?)
    }

    /// The modes of given equations.
    pub fn of(equations: &Linearization, options: &ModesOptions) -> Result<Self, ModesError> {
        let count = options.count.min(2 * equations.size());
        let conservative = equations.is_conservative();
        let modes = match conservative {
            true => {
                let most = equations.highest();
                let found = equations.lowest_squares(count);
                found.map(|x| x.into_iter().map(|(square, x)| undamped(square, x, most)).collect())
            }
            false => equations.damped_lowest(count),
        };
        // a matrix that is singular wherever it is shifted to is left to full matrices
        let mut modes: Vec<Mode> = match modes {
            Err(_) if equations.size() <= SMALL => equations.with_full_matrices()?,
            modes => modes?,
        };
        modes.sort_by(|a: &Mode, b| a.frequency().total_cmp(&b.frequency()));
        modes.truncate(count);
        for mode in &mut modes {
            mode.shape = equations.in_own_axes(&mode.shape);
        }
        Ok(Self { modes, is_conservative: conservative })
    }
}

/// A mode with ω², which may be round-off of zero, or negative for an unstable motion.
fn undamped(square: f64, shape: Vec<f64>, most: f64) -> Mode {
    // K is known to an epsilon of its largest entries, and so is every ω²
    let round_off = 1e3 * f64::EPSILON * most;
    let eigenvalue = match square {
        x if x.abs() <= round_off => Complex::new(0.0, 0.0),
        x if x > 0.0 => Complex::new(0.0, x.sqrt()),
        x => Complex::new((-x).sqrt(), 0.0),
    };
    Mode { eigenvalue, shape: shape.into_iter().map(|x| Complex::new(x, 0.0)).collect() }
}

impl Linearization {
    /// Whether M and K are symmetric and nothing else is there.
    pub(super) fn is_conservative(&self) -> bool {
        let scale = (self.stiffness.largest() * self.mass.largest()).sqrt();
        let even = |a: &Entries| a.asymmetry().is_none_or(|x| x.2 <= SYMMETRIC);
        let quiet = self.damping.largest() <= 1e-12 * scale;
        let pairs = self.reactions.iter().filter(|x| x.2 != 0.0).count()
            == self.jacobian.iter().filter(|x| x.2 != 0.0).count();
        self.holonomic == self.jacobian.rows() && quiet && even(&self.stiffness) && pairs
    }

    /// About the highest ω²: what a coordinate alone would have.
    fn highest(&self) -> f64 {
        let n = self.size();
        let (mut mass, mut stiffness) = (vec![0.0; n], vec![0.0; n]);
        let each = |a: &Entries, out: &mut [f64]| {
            a.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, x)| out[i] += x);
        };
        each(&self.mass, &mut mass);
        each(&self.stiffness, &mut stiffness);
        let ratios =
            mass.iter().zip(&stiffness).filter(|(m, _)| **m > 0.0).map(|(m, k)| (k / m).abs());
        ratios.fold(0.0, f64::max)
    }

    /// The lowest ω² by shift and invert: (K + s M)⁻¹ M.
    fn lowest_squares(&self, count: usize) -> Result<Vec<(f64, Vec<f64>)>, ModesError> {
        let highest = self.highest();
        let mut projection = Projection::new(self).ok_or(ModesError::Diverged)?;
        let mut around = |shift: f64, count: usize, tolerance: f64| {
            let mut shifted =
                Shifted::new(self, 1.0, &[(&self.stiffness, 1.0), (&self.mass, shift)])?;
            let found = lowest(
                self.size(),
                count,
                |x| {
                    let mut next = shifted.solve(&self.mass.product(x), &[])?;
                    projection.displacement(&mut next)?;
                    Some(next)
                },
                |x| self.mass.product(x),
                tolerance,
            )?;
            // a zero is known to an epsilon of the shift, times how stiff the rest is
            let square = |theta: f64| match 1.0 / theta - shift {
                x if x.abs() < 1e-8 * shift => 0.0,
                x => x,
            };
            Some(found.into_iter().map(|(theta, x)| (square(theta), x)).collect::<Vec<_>>())
        };
        // what is held everywhere needs no shift
        if self.jacobian.rows() == 0
            && let Some(found) = around(0.0, count, KNOWN)
            && found.iter().all(|x| x.0 > 1e-11 * highest)
        {
            return Ok(found);
        }
        // first a rough look, then with a shift of the size of what was found
        let small = 1e-9 * if highest > 0.0 { highest } else { 1.0 };
        let rough = around(small, 8.min(self.size()), 1e-3).ok_or(ModesError::Diverged)?;
        let elastic = rough.iter().map(|x| x.0.abs()).filter(|x| *x > 1e-11 * highest);
        let first = elastic.fold(f64::INFINITY, f64::min);
        let shift = if first.is_finite() { 0.3 * first } else { small };
        around(shift, count, KNOWN).ok_or(ModesError::Diverged)
    }

    /// All modes, from full matrices: low frequencies lose digits where others are very high.
    fn with_full_matrices(&self) -> Result<Vec<Mode>, ModesError> {
        let reduced = Reduced::new(self).ok_or(ModesError::Massless)?;
        let values = eigenvalues(&reduced.matrix).ok_or(ModesError::Eigenvalues)?;
        let size = 1e-2 * values.iter().map(|x| x.norm()).fold(0.0, f64::max);
        let mode = |k: usize| {
            let y = eigenvector(&reduced.matrix, values[k], k);
            let real = reduced.motion(&|j| y[j].re);
            let imaginary = reduced.motion(&|j| y[j].im);
            self.mode(values[k], size, &real[0], &imaginary[0])
        };
        Ok(self.rigid_once((0..values.len()).filter_map(mode).collect()))
    }

    /// A rigid motion and its rate are two eigenvectors with one shape: they count once.
    fn rigid_once(&self, modes: Vec<Mode>) -> Vec<Mode> {
        let mut known: Vec<Vec<f64>> = Vec::new();
        let mut is_new = |mode: &Mode| {
            if !mode.is_rigid() {
                return true;
            }
            let mut x: Vec<f64> = mode.shape.iter().map(|x| x.re).collect();
            for _ in 0..2 {
                for other in &known {
                    let part = dot(&self.mass.product(other), &x);
                    add_scaled(-part, other, &mut x);
                }
            }
            let left = square(&self.mass, &x).max(0.0).sqrt();
            if left < 1e-4 {
                return false;
            }
            known.push(x.iter().map(|x| x / left).collect());
            true
        };
        modes.into_iter().filter(|mode| is_new(mode)).collect()
    }

    /// A mode of unit modal mass; nothing for the half of a pair that turns backwards.
    fn mode(&self, value: Complex<f64>, size: f64, a: &[f64], b: &[f64]) -> Option<Mode> {
        // zero is a double eigenvalue: its round-off is that of a square root
        let value = match value.norm() <= 1e-5 * size {
            true => Complex::new(0.0, 0.0),
            false => value,
        };
        let is_real = value.im.abs() <= 1e-9 * value.norm();
        if value.im < 0.0 && !is_real {
            return None;
        }
        let value = if is_real { Complex::new(value.re, 0.0) } else { value };
        let mass = square(&self.mass, a) + square(&self.mass, b);
        let scale = if mass > 0.0 { 1.0 / mass.sqrt() } else { 1.0 };
        let pairs = a.iter().zip(b).map(|(a, b)| Complex::new(scale * a, scale * b));
        // turned so that the largest number is real
        let shape: Vec<Complex<f64>> = pairs.collect();
        let most = shape.iter().copied().max_by(|x, y| x.norm().total_cmp(&y.norm()))?;
        let turn = if most.norm() > 0.0 { most.conj() / most.norm() } else { most + 1.0 };
        Some(Mode { eigenvalue: value, shape: shape.into_iter().map(|x| x * turn).collect() })
    }

    /// The lowest λ by shift and invert of the first-order form, about a real σ:
    /// (σ²M + σD + K) u = −(D + σM) r₁ − r₂, w = r₁ + σu for B y = (r₁, r₂).
    fn damped_lowest(&self, count: usize) -> Result<Vec<Mode>, ModesError> {
        let n = self.size();
        // about where undamped frequencies begin
        let even = self.even();
        let rough = even.lowest_squares(8.min(n))?;
        let squares = rough.iter().map(|x| x.0.abs()).filter(|x| *x > 1e-11 * self.highest());
        let first = squares.fold(f64::INFINITY, f64::min);
        let sigma = if first.is_finite() { 0.5 * first.sqrt() } else { 1.0 };
        let sum = [(&self.stiffness, 1.0), (&self.damping, sigma), (&self.mass, sigma * sigma)];
        let mut shifted = Shifted::new(self, sigma, &sum).ok_or(ModesError::Diverged)?;
        let mut projection = Projection::new(self).ok_or(ModesError::Diverged)?;
        let mut apply = |y: &[f64]| {
            let (u, w) = y.split_at(n);
            let mut right = self.mass.product(w);
            self.damping.multiply_add(1.0, u, &mut right);
            self.mass.multiply_add(sigma, u, &mut right);
            right.iter_mut().for_each(|x| *x = -*x);
            let brought = self.jacobian.product(u);
            let rows: Vec<f64> = brought[self.holonomic..].iter().map(|x| -x).collect();
            let mut next = shifted.solve(&right, &rows)?;
            let mut speed: Vec<f64> =
                next.iter().zip(u).map(|(next, u)| u + sigma * next).collect();
            projection.displacement(&mut next)?;
            projection.velocity(&next, &mut speed)?;
            next.extend(speed);
            Some(next)
        };
        let inner = |y: &[f64]| {
            let (u, w) = y.split_at(n);
            let mut out: Vec<f64> =
                self.mass.product(u).into_iter().map(|x| sigma * sigma * x).collect();
            out.extend(self.mass.product(w));
            out
        };
        let mut space = Krylov::new(2 * n, &mut apply, &inner).ok_or(ModesError::Diverged)?;
        let mut wanted = 4 * count + 30;
        loop {
            let mut exhausted = false;
            while space.size() < wanted && !exhausted {
                exhausted = !space.grow(&mut apply, &inner).ok_or(ModesError::Diverged)?;
            }
            let matrix = space.projected();
            let values = eigenvalues(&matrix).ok_or(ModesError::Eigenvalues)?;
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&a, &b| values[b].norm().total_cmp(&values[a].norm()));
            // pairs count once
            order.truncate(2 * count + 2);
            let vectors: Vec<DVector<Complex<f64>>> =
                order.iter().map(|&k| eigenvector(&matrix, values[k], k)).collect();
            let settled = order.iter().zip(&vectors).all(|(&k, y)| {
                let rest = space.residual(&|j| y[j].re) + space.residual(&|j| y[j].im);
                rest <= 1e-9 * values[k].norm()
            });
            if settled || exhausted {
                let raw = |k: usize| Complex::new(sigma, 0.0) + values[k].inv();
                // a double zero that round-off has torn apart is ±x, and small
                let is_torn = |x: Complex<f64>| {
                    let mirrored = |&k: &usize| (raw(k) + x).norm() < 0.1 * x.norm();
                    x.im.abs() < 1e-3 * x.norm()
                        && x.norm() < 1e-3 * sigma
                        && order.iter().any(mirrored)
                };
                let lambda = |k: usize| match raw(k) {
                    x if is_torn(x) => Complex::new(0.0, 0.0),
                    x => x,
                };
                let found = order.iter().zip(&vectors).filter_map(|(&k, y)| {
                    let a = space.vector(&|j| y[j].re);
                    let b = space.vector(&|j| y[j].im);
                    self.mode(lambda(k), sigma, &a[..n], &b[..n])
                });
                return Ok(self.rigid_once(found.collect()));
            }
            if wanted > 60 * (count + 6) {
                return Err(ModesError::Diverged);
            }
            wanted += wanted / 2;
        }
    }

    /// The same without damping, K made symmetric, constraint forces along the rows.
    fn even(&self) -> Self {
        let n = self.size();
        let stiffness = Entries::written(n, n, |out| {
            for (i, j, x) in self.stiffness.iter() {
                out.add(i, j, 0.5 * x);
                out.add(j, i, 0.5 * x);
            }
        });
        let reactions = Entries::written(n, self.jacobian.rows(), |out| {
            self.jacobian.iter().for_each(|(i, j, x)| out.add(j, i, x));
        });
        let damping = Entries::written(n, n, |_| {});
        Self { stiffness, reactions, damping, ..self.clone() }
    }

    /// What an observer calls ξ, in the axes of the system's own velocities.
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

fn square(a: &Entries, x: &[f64]) -> f64 {
    a.iter().map(|(i, j, value)| x[i] * value * x[j]).sum()
}
