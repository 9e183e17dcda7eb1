//! Modes with damping, gyroscopic terms or loads without a potential: the first-order form in a Krylov space,
//! or with full matrices where that fails.

use nalgebra::{Complex, DMatrix, DVector};

use super::dense::ReducedSystem;
use super::error::ModesError;
use super::linearization::Linearization;
use super::rigid::Magnitude;
use super::shift::{ConstraintProjection, Shifted, Symmetry};
use super::solve::Mode;
use crate::eigen::{Krylov, SEED, WIDTH};
use crate::eigen::{balanced_eigenvalues, eigenvalues, eigenvector};
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::{add_scaled, dot};

/// Zero is a double eigenvalue where nothing damps a rigid motion, and round-off moves it by its square root:
/// what lies below this part of the shift may be zero.
const NEAR_ZERO: f64 = 1e-3;
/// Damping between rigid motions below this part of its terms is that of shapes and states that are off by
/// about as much.
const DAMPED_RIGID: f64 = 1e-7;
/// Eigenvalues of the inverse below this part of the largest one are not used.
const RESOLVED: f64 = 1e-9;
/// With first-order states, only what lies below this part of the shift may be zero: a controller can make a rigid motion slow.
const NEAR_ZERO_WITH_STATES: f64 = 1e-7;
/// Round-off of a double zero of full matrices, in units of √(ε |λ|) with the largest |λ|.
const DOUBLE: f64 = 10.0;
/// A shape with less than this part of the energy of its states has no motion.
const STILL: f64 = 1e-20;
/// The shape of such a double eigenvalue is off by as much, and its energy by the square of that.
const SLACK: f64 = 1e3;

/// An eigenvalue with its shape of unit modal mass.
struct Pair {
    value: Complex<f64>,
    shape: Vec<Complex<f64>>,
    states: Vec<Complex<f64>>,
}

impl Linearization {
    /// All modes, from full matrices: low frequencies lose digits where others are very high.
    pub(super) fn with_full_matrices(&self) -> Result<Vec<Mode>, ModesError> {
        let reduced = ReducedSystem::new(self).ok_or(ModesError::Massless)?;
        let values = match self.states.count() {
            0 => eigenvalues(&reduced.matrix),
            // states have other units than displacements
            _ => balanced_eigenvalues(&reduced.matrix),
        };
        let values = values.ok_or(ModesError::Eigenvalues)?;
        let first = reduced.matrix.nrows() - self.states.count();
        let size = values.iter().map(|x| x.norm()).fold(0.0, f64::max);
        let pair = |k: usize| {
            let y = eigenvector(&reduced.matrix, values[k], k);
            let real = reduced.motion(&|j| y[j].re);
            let imaginary = reduced.motion(&|j| y[j].im);
            self.pair(values[k], &real[0], &imaginary[0], y.iter().copied().skip(first))
        };
        let pairs = (0..values.len()).map(pair).collect();
        Ok(match self.states.count() {
            0 => self.modes_of(pairs, size, 0.0),
            _ => self.modes_of(pairs, self.real_shift(), DOUBLE * (f64::EPSILON * size).sqrt()),
        })
    }

    /// The shift: below the undamped frequencies, or at the rate that damping alone gives.
    fn real_shift(&self) -> f64 {
        if self.states.count() > 0 {
            return self.with_settled_states().real_shift().min(0.5 * self.slowest_state());
        }
        let squares = self.even().lowest_squares(8.min(self.size())).unwrap_or_default();
        let held = squares.iter().map(|x| x.value.abs()).filter(|x| *x > 0.0);
        let first = held.fold(f64::INFINITY, f64::min);
        if first.is_finite() {
            return 0.5 * first.sqrt();
        }
        let n = self.size();
        let (mut mass, mut damping) = (vec![0.0; n], vec![0.0; n]);
        for (matrix, out) in [(&self.mass, &mut mass), (&self.damping, &mut damping)] {
            matrix.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, x)| out[i] += x);
        }
        let rates = mass.iter().zip(&damping).filter(|(m, c)| **m > 0.0 && **c != 0.0);
        let slowest = rates.map(|(m, c)| (c / m).abs()).fold(f64::INFINITY, f64::min);
        if slowest.is_finite() { 0.5 * slowest } else { 1.0 }
    }

    /// The lowest λ by shift and invert of the first-order form, about a real σ:
    /// (σ²M + σD + K) u = −(D + σM) r₁ − r₂, w = r₁ + σu for B y = (r₁, r₂). First-order states ζ add F ζ, and
    /// (σR_ż + R_z) ζ + (σR_v + R_q) u + R_λ μ = −R_ż r₃ − R_v r₁.
    pub(super) fn damped_lowest(&self, count: usize) -> Result<Vec<Mode>, ModesError> {
        let n = self.size();
        let sigma = self.real_shift();
        let sum = [(&self.stiffness, 1.0), (&self.damping, sigma), (&self.mass, sigma * sigma)];
        let mut shifted =
            Shifted::new(self, Symmetry::General, sigma, &sum).ok_or(ModesError::Diverged)?;
        let mut projection = ConstraintProjection::new(self).ok_or(ModesError::Diverged)?;
        let weights = self.state_weights(sigma);
        let mut apply = |y: &[f64]| {
            let (u, rest) = y.split_at(n);
            let (w, zeta) = rest.split_at(n);
            let mut right = self.mass.product(w);
            self.damping.multiply_add(1.0, u, &mut right);
            self.mass.multiply_add(sigma, u, &mut right);
            right.iter_mut().for_each(|x| *x = -*x);
            let brought = self.jacobian.product(u);
            let rows: Vec<f64> = brought[self.holonomic..].iter().map(|x| -x).collect();
            let mut state_rows = vec![0.0; zeta.len()];
            if !zeta.is_empty() {
                self.states.rate.multiply_add(-1.0, zeta, &mut state_rows);
                self.states.velocity.multiply_add(-1.0, u, &mut state_rows);
            }
            let [mut next, states] = shifted.solve_with_states(&right, &rows, &state_rows)?;
            let mut speed: Vec<f64> =
                next.iter().zip(u).map(|(next, u)| u + sigma * next).collect();
            projection.displacement(&mut next)?;
            projection.velocity(&next, &mut speed)?;
            next.extend(speed);
            next.extend(states);
            Some(next)
        };
        let inner = |y: &[f64]| {
            let (u, rest) = y.split_at(n);
            let (w, zeta) = rest.split_at(n);
            let mut out: Vec<f64> =
                self.mass.product(u).into_iter().map(|x| sigma * sigma * x).collect();
            out.extend(self.mass.product(w));
            out.extend(zeta.iter().zip(&weights).map(|(x, weight)| x * weight));
            out
        };
        // repeated eigenvalues are found as often as there are start vectors
        let width = count.clamp(WIDTH, 3 * WIDTH);
        let mut space = Krylov::new(2 * n + self.states.count(), width, SEED, &mut apply, &inner)
            .ok_or(ModesError::Diverged)?;
        if space.is_empty() {
            return Ok(Vec::new());
        }
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
            // pairs count once; values far above the shift have lost their digits
            order.truncate(2 * count + 2);
            let most = order.first().map_or(0.0, |&k| values[k].norm());
            order.retain(|&k| values[k].norm() > RESOLVED * most);
            let vectors: Vec<DVector<Complex<f64>>> =
                order.iter().map(|&k| eigenvector(&matrix, values[k], k)).collect();
            let settled = order.iter().zip(&vectors).all(|(&k, y)| {
                let rest = space.residual(&|j| y[j].re) + space.residual(&|j| y[j].im);
                rest <= 1e-9 * values[k].norm()
            });
            if settled || exhausted {
                let raw = |k: usize| Complex::new(sigma, 0.0) + values[k].inv();
                let pairs = order.iter().zip(&vectors).map(|(&k, y)| {
                    let a = space.vector(&|j| y[j].re);
                    let b = space.vector(&|j| y[j].im);
                    let states = a[2 * n..].iter().zip(&b[2 * n..]);
                    let states = states.map(|(a, b)| Complex::new(*a, *b));
                    self.pair(raw(k), &a[..n], &b[..n], states)
                });
                return Ok(self.modes_of(pairs.collect(), sigma, 0.0));
            }
            if wanted > 60 * (count + width) {
                return Err(ModesError::Diverged);
            }
            wanted += wanted / 2;
        }
    }

    /// A shape of unit modal mass, turned so that its largest number is real. If nothing moves, the largest state is one.
    fn pair(
        &self,
        value: Complex<f64>,
        a: &[f64],
        b: &[f64],
        states: impl Iterator<Item = Complex<f64>>,
    ) -> Pair {
        let mut states: Vec<Complex<f64>> = states.collect();
        let largest = |of: &[Complex<f64>]| {
            of.iter().copied().max_by(|x, y| x.norm().total_cmp(&y.norm())).unwrap_or_default()
        };
        let mass = square(&self.mass, a) + square(&self.mass, b);
        let scale = if mass > 0.0 { 1.0 / mass.sqrt() } else { 1.0 };
        let mut shape: Vec<Complex<f64>> =
            a.iter().zip(b).map(|(a, b)| Complex::new(scale * a, scale * b)).collect();
        states.iter_mut().for_each(|x| *x *= scale);
        let is_still = !states.is_empty() && self.is_still(value, &shape, &states);
        let most = match is_still {
            true => largest(&states),
            false => largest(&shape),
        };
        if is_still {
            shape.fill(Complex::default());
            let size = most.norm();
            states.iter_mut().for_each(|x| *x /= size);
        }
        let turn = match most.norm() > 0.0 {
            true => most.conj() / most.norm(),
            false => Complex::new(1.0, 0.0),
        };
        let turned = |x: Vec<Complex<f64>>| x.into_iter().map(|x| x * turn).collect();
        Pair { value, shape: turned(shape), states: turned(states) }
    }

    /// Whether forces of states balance the inertia of a slow motion, |uᴴ F ζ| ≈ |λ²| uᴴ M u.
    fn is_moved_by_states(&self, pair: &Pair) -> bool {
        let work: Complex<f64> = self
            .states
            .force
            .iter()
            .map(|(i, k, x)| pair.shape[i].conj() * x * pair.states[k])
            .sum();
        work.norm() > 0.1 * pair.value.norm_sqr()
    }

    /// Whether the motion in a shape is round-off next to its states.
    fn is_still(
        &self,
        value: Complex<f64>,
        shape: &[Complex<f64>],
        states: &[Complex<f64>],
    ) -> bool {
        let sigma = value.norm().max(1.0);
        let weights = self.state_weights(sigma);
        let stored: f64 = states.iter().zip(weights).map(|(x, weight)| weight * x.norm_sqr()).sum();
        let part = |of: fn(&Complex<f64>) -> f64| -> f64 {
            square(&self.mass, &shape.iter().map(of).collect::<Vec<f64>>())
        };
        let moving = sigma.powi(2) * (part(|x| x.re) + part(|x| x.im));
        moving <= STILL * stored
    }

    /// Modes of pairs: rigid motions get the eigenvalue zero and are listed once; of a conjugate pair the
    /// half that turns forwards is kept. `noise` is the error of a double zero, if it is not a part of `size`.
    fn modes_of(&self, mut pairs: Vec<Pair>, size: f64, noise: f64) -> Vec<Mode> {
        let magnitude = Magnitude::new(self);
        let round_off = |pair: &Pair| magnitude.round_off(|i| pair.shape[i].norm());
        let may_be_rigid = |pair: &Pair| {
            let energy = |of: fn(&Complex<f64>) -> f64| {
                let x: Vec<f64> = pair.shape.iter().map(of).collect();
                square(&self.stiffness, &x)
            };
            let is_near = match pair.states.is_empty() {
                true => pair.value.norm() <= NEAR_ZERO * size,
                false => {
                    pair.value.norm() <= NEAR_ZERO_WITH_STATES * size
                        || pair.value.norm() <= noise && !self.is_moved_by_states(pair)
                }
            };
            is_near && (energy(|x| x.re) + energy(|x| x.im)).abs() <= SLACK * round_off(pair)
        };
        pairs.sort_by(|a, b| a.value.norm().total_cmp(&b.value.norm()));
        let rigid: Vec<usize> = (0..pairs.len()).filter(|&k| may_be_rigid(&pairs[k])).collect();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for &k in &rigid {
            for of in [|x: &Complex<f64>| x.re, |x: &Complex<f64>| x.im] {
                let shape: Vec<f64> = pairs[k].shape.iter().map(of).collect();
                basis.extend(self.new_direction(&basis, &shape));
            }
        }
        // zero is counted twice for each rigid motion, once for each that is damped or turned
        let zeros = match self.states.count() {
            0 => 2 * basis.len() - self.damped_directions(&basis).min(basis.len()),
            _ => rigid.len(),
        };
        rigid.iter().take(zeros).for_each(|&k| pairs[k].value = Complex::new(0.0, 0.0));
        let mut listed: Vec<Vec<f64>> = Vec::new();
        let mut modes = Vec::new();
        for pair in pairs {
            let Pair { mut value, shape, states } = pair;
            let is_real = value.im.abs() <= 1e-9 * value.norm();
            if value.im < 0.0 && !is_real {
                continue;
            }
            if is_real {
                value.im = 0.0;
            }
            let resolution = magnitude.round_off(|i| shape[i].norm()).sqrt();
            if value.norm() > 0.0 {
                modes.push(Mode { eigenvalue: value, shape, states, resolution });
                continue;
            }
            let real: Vec<f64> = shape.iter().map(|x| x.re).collect();
            if real.iter().all(|x| *x == 0.0) && !states.is_empty() {
                modes.push(Mode { eigenvalue: value, shape, states, resolution });
                continue;
            }
            if let Some(direction) = self.new_direction(&listed, &real) {
                let shape = direction.iter().map(|x| Complex::new(*x, 0.0)).collect();
                modes.push(Mode { eigenvalue: value, shape, states, resolution });
                listed.push(direction);
            }
        }
        modes
    }

    /// The component of a shape that is orthogonal in M to known shapes, with unit modal mass; `None` if it is
    /// a combination of them.
    fn new_direction(&self, known: &[Vec<f64>], shape: &[f64]) -> Option<Vec<f64>> {
        let mut x = shape.to_vec();
        for _ in 0..2 {
            for other in known {
                let part = dot(&self.mass.product(other), &x);
                add_scaled(-part, other, &mut x);
            }
        }
        let left = square(&self.mass, &x).max(0.0).sqrt();
        (left >= 1e-4).then(|| x.iter().map(|x| x / left).collect())
    }

    /// The rank of the damping matrix on some shapes.
    fn damped_directions(&self, shapes: &[Vec<f64>]) -> usize {
        let k = shapes.len();
        if k == 0 {
            return 0;
        }
        let images: Vec<Vec<f64>> = shapes.iter().map(|x| self.damping.product(x)).collect();
        let between = DMatrix::from_fn(k, k, |i, j| dot(&shapes[i], &images[j]));
        // against the whole force of the damping matrix, of which this is the part along rigid motions
        let mut mass = vec![0.0; self.size()];
        self.mass.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, x)| mass[i] += x);
        let force = |image: &Vec<f64>| -> f64 {
            let squares =
                image.iter().zip(&mass).filter(|(_, m)| **m > 0.0).map(|(x, m)| x * x / m);
            squares.sum::<f64>().sqrt()
        };
        let sizes: Vec<f64> = images.iter().map(force).collect();
        let relative = DMatrix::from_fn(k, k, |i, j| {
            let size = sizes[i].max(sizes[j]);
            if size > 0.0 { between[(i, j)] / size } else { 0.0 }
        });
        relative.singular_values().iter().filter(|x| **x > DAMPED_RIGID).count()
    }

    /// These equations without damping, K made symmetric, constraint forces along the rows.
    fn even(&self) -> Self {
        let n = self.size();
        let stiffness = SparseMatrix::written(n, n, |out| {
            for (i, j, x) in self.stiffness.iter() {
                out.add(i, j, 0.5 * x);
                out.add(j, i, 0.5 * x);
            }
        });
        let reactions = SparseMatrix::written(n, self.jacobian.rows(), |out| {
            self.jacobian.iter().for_each(|(i, j, x)| out.add(j, i, x));
        });
        let damping = SparseMatrix::written(n, n, |_| {});
        Self { stiffness, reactions, damping, ..self.clone() }
    }
}

fn square(a: &SparseMatrix, x: &[f64]) -> f64 {
    a.iter().map(|(i, j, value)| x[i] * value * x[j]).sum()
}
