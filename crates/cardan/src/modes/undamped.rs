//! The lowest ω² of K x = ω² M x under constraints: shift and invert, one shift after the other.
//!
//! A shift s resolves squares of about its own size: those far below it cannot be distinguished, those far above it are
//! lost in round-off. So the shift is lowered until no elastic motion lies far below it, and the shapes found
//! are removed from the space before the search continues above.

use super::error::ModesError;
use super::linearization::Linearization;
use super::rigid::Magnitude;
use super::shift::{ConstraintProjection, Shifted, Symmetry, count_below};
use crate::eigen::{SEED, lowest_from};
use cardan_core::math::{add_scaled, dot};

/// The tolerance of eigenvalues in a Krylov space.
const KNOWN: f64 = 1e-11;
/// Their tolerance while the shift is chosen.
const ROUGH: f64 = 1e-7;
/// Eigenvalues of the inverse below this part of the largest one have lost their digits.
const RESOLVED: f64 = 1e-5;
/// The relative difference of ω² from the inverse and from the matrix that is accepted.
const AGREE: f64 = 1e-8;
/// The largest numbers of changes of the shift, and of searches above the shapes found.
const SHIFTS: usize = 24;
const BATCHES: usize = 40;

/// A shape of unit mass with the square of its frequency.
#[derive(Clone, Debug)]
pub(super) struct UndampedMode {
    /// ω²: zero for a rigid motion, negative if the motion grows.
    pub value: f64,
    /// The error of ω² that round-off of K causes.
    pub round_off: f64,
    pub shape: Vec<f64>,
}

/// The search for shapes, with those found so far.
struct Search<'a> {
    equations: &'a Linearization,
    magnitude: Magnitude,
    projection: ConstraintProjection<'a>,
    /// Shapes found, with M times each.
    found: Vec<(UndampedMode, Vec<f64>)>,
}

impl Linearization {
    /// The lowest |ω²|, in ascending order of |ω²|; K and M are taken to be symmetric.
    pub(super) fn lowest_squares(&self, count: usize) -> Result<Vec<UndampedMode>, ModesError> {
        let projection = ConstraintProjection::new(self).ok_or(ModesError::Diverged)?;
        let magnitude = Magnitude::new(self);
        let mut search = Search { equations: self, magnitude, projection, found: Vec::new() };
        search.run(count.min(self.size()))?;
        let mut found: Vec<UndampedMode> = search.found.into_iter().map(|x| x.0).collect();
        found.sort_by(|a, b| a.value.abs().total_cmp(&b.value.abs()));
        Ok(found)
    }

    /// An estimate of the highest ω²: the largest ratio of diagonal entries.
    pub(super) fn highest(&self) -> f64 {
        let n = self.size();
        let (mut mass, mut stiffness) = (vec![0.0; n], vec![0.0; n]);
        for (matrix, out) in [(&self.mass, &mut mass), (&self.stiffness, &mut stiffness)] {
            matrix.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, x)| out[i] += x);
        }
        let ratios =
            mass.iter().zip(&stiffness).filter(|(m, _)| **m > 0.0).map(|(m, k)| (k / m).abs());
        ratios.fold(0.0, f64::max)
    }
}

impl Search<'_> {
    fn run(&mut self, count: usize) -> Result<(), ModesError> {
        for _ in 0..BATCHES {
            let before = self.found.len();
            let missing = match count.saturating_sub(before) {
                0 => self.missing_below(count),
                missing => missing,
            };
            if missing > 0 {
                self.batch(missing)?;
            }
            // all are known, or no motion is left
            if self.found.len() == before {
                return Ok(());
            }
        }
        Ok(())
    }

    /// How many |ω²| below the largest requested one have been missed: a Krylov space that begins with a few
    /// vectors finds a repeated eigenvalue at most that many times.
    fn missing_below(&self, count: usize) -> usize {
        let mut values: Vec<f64> = self.found.iter().map(|x| x.0.value).collect();
        values.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        // somewhere between two that differ clearly
        let gap = (1..count.min(values.len()))
            .rev()
            .find(|&k| values[k].abs() > 1.0001 * values[k - 1].abs() && values[k] != 0.0);
        let Some(k) = gap else { return 0 };
        let limit = 0.5 * (values[k].abs() + values[k - 1].abs());
        let below = |limit: f64| count_below(self.equations, limit);
        let (Some(above), Some(under)) = (below(limit), below(-limit)) else { return 0 };
        let known = values.iter().filter(|x| x.abs() < limit).count();
        above.saturating_sub(under + known)
    }

    /// Finds more shapes, orthogonal to those found.
    fn batch(&mut self, count: usize) -> Result<(), ModesError> {
        let n = self.equations.size();
        let highest = self.equations.highest();
        let is_held = self.found.iter().all(|x| x.0.value != 0.0);
        // without rigid motions no shift is needed
        if is_held
            && let Some(near) = self.around(0.0, count, KNOWN)
            && near.iter().all(|x| x.value != 0.0)
        {
            self.keep(near);
            return Ok(());
        }
        let mut shift = 1e-9 * if highest > 0.0 { highest } else { 1.0 };
        let mut wanted = count.clamp(1, 8);
        let mut rounds = 0;
        loop {
            let Some(near) = self.around(shift, wanted, ROUGH) else {
                rounds += 1;
                if rounds > SHIFTS {
                    return Err(ModesError::Diverged);
                }
                shift *= 1.7;
                continue;
            };
            rounds += 1;
            let held = near.iter().map(|x| x.value.abs()).filter(|x| *x > 0.0);
            let first = held.fold(f64::INFINITY, f64::min);
            if first.is_infinite() {
                // nothing but rigid motions yet
                if near.len() < wanted || wanted >= n.min(count) {
                    break;
                }
                wanted = (2 * wanted).min(count).min(n);
            } else if first < 0.03 * shift && rounds < SHIFTS {
                shift = (0.3 * first).max(1e-5 * shift);
            } else if first > 30.0 * shift && rounds < SHIFTS {
                shift = 0.3 * first;
            } else {
                break;
            }
        }
        let near = self.around(shift, count, KNOWN).ok_or(ModesError::Diverged)?;
        self.keep(near);
        Ok(())
    }

    fn keep(&mut self, near: Vec<UndampedMode>) {
        for square in near {
            let image = self.equations.mass.product(&square.shape);
            self.found.push((square, image));
        }
    }

    /// Those nearest to −s that are not known yet and that this shift resolves.
    fn around(&mut self, shift: f64, count: usize, tolerance: f64) -> Option<Vec<UndampedMode>> {
        let Self { equations, magnitude, projection, found } = self;
        let sum = [(&equations.stiffness, 1.0), (&equations.mass, shift)];
        let mut shifted = Shifted::new(equations, Symmetry::Symmetric, 1.0, &sum)?;
        let deflate = |x: &mut Vec<f64>| {
            for (known, image) in found.iter() {
                let part = dot(image, x);
                add_scaled(-part, &known.shape, x);
            }
        };
        let size = |x: &[f64]| dot(x, &equations.mass.product(x)).max(0.0).sqrt();
        let apply = |x: &[f64]| {
            let mut start = x.to_vec();
            if !found.is_empty() {
                let before = size(&start);
                deflate(&mut start);
                // only round-off remains
                if size(&start) <= 1e-10 * before {
                    return Some(vec![0.0; x.len()]);
                }
            }
            let mut next = shifted.solve(&equations.mass.product(&start), &[])?;
            projection.displacement(&mut next)?;
            if found.is_empty() {
                return Some(next);
            }
            let before = size(&next);
            deflate(&mut next);
            deflate(&mut next);
            if size(&next) <= 1e-10 * before {
                next.fill(0.0);
            }
            Some(next)
        };
        // start vectors other than those of the shapes found
        let (n, seed) = (equations.size(), SEED + found.len() as u64);
        let inner = |x: &[f64]| equations.mass.product(x);
        let pairs = lowest_from(seed, n, count, apply, inner, tolerance)?;
        let most = pairs.iter().map(|x| x.0.abs()).fold(0.0, f64::max);
        let mut near = Vec::new();
        for (theta, shape) in pairs {
            if theta.abs() < RESOLVED * most || most == 0.0 {
                continue;
            }
            let direct = dot(&shape, &equations.stiffness.product(&shape));
            let round_off = magnitude.round_off(|i| shape[i]);
            let value = 1.0 / theta - shift;
            // the inverse and the matrix itself must agree; a matrix that is nearly singular has no inverse
            let doubt = (direct - value).abs();
            let size = value.abs() + shift;
            if doubt > (if shift == 0.0 { AGREE } else { 1e-3 }) * size + 10.0 * round_off {
                return None;
            }
            let value = match doubt > AGREE * size + round_off {
                true => direct,
                false => value,
            };
            let value = if direct.abs() <= round_off { 0.0 } else { value };
            near.push(UndampedMode { value, round_off, shape });
        }
        Some(near)
    }
}
