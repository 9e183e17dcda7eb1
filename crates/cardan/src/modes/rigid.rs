//! Rigid motions: those whose stiffness is not larger than the round-off of K.
//!
//! For a shape x with xᵀ M x = 1 the square of its frequency is xᵀ K x, a sum of terms that may cancel. Each
//! term is known to a few units of the last digit, so the error of the sum is that fraction of |x|ᵀ |K| |x|, and
//! smaller values cannot be distinguished from zero. This bound depends on the shape: bending of a slender
//! beam is not measured against its stretching, nor a soft spring against a stiff one elsewhere.

use super::linearization::Linearization;

/// Round-off in units of the last digit: an entry of K is a sum of rotated products.
const UNITS: f64 = 16.0;

/// The sizes of the terms of K. The three components of a rotation are taken together, because its axes are
/// turned into each other: each has the round-off of the largest.
pub(super) struct Magnitude {
    /// The set to which a coordinate belongs.
    sets: Vec<u32>,
    count: usize,
    /// (set, set, size).
    sizes: Vec<(u32, u32, f64)>,
    unit: f64,
    /// The smallest ω² that this precision resolves next to the highest one.
    floor: f64,
}

impl Magnitude {
    pub fn new(equations: &Linearization) -> Self {
        let n = equations.size();
        let mut sets: Vec<u32> = (0..n as u32).collect();
        for &first in &equations.rotations {
            sets[first..first + 3].fill(first as u32);
        }
        let (whole, assembled) = (equations.magnitude.iter(), equations.stiffness.iter());
        let mut sizes: Vec<(u32, u32, f64)> = whole
            .chain(assembled)
            .filter(|x| x.2 != 0.0)
            .map(|(i, j, x)| (sets[i], sets[j], x.abs()))
            .collect();
        sizes.sort_unstable_by_key(|&(i, j, _)| (i, j));
        sizes.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 = kept.2.max(next.2);
            }
            same
        });
        let floor = equations.precision.powi(2) * equations.highest();
        Self { sets, count: n, sizes, unit: UNITS * equations.precision, floor }
    }

    /// The error of xᵀ K x by round-off; x is given by the sizes of its components and has xᵀ M x = 1.
    pub fn round_off(&self, x: impl Fn(usize) -> f64) -> f64 {
        let mut most = vec![0.0_f64; self.count];
        for (i, &set) in self.sets.iter().enumerate() {
            let most = &mut most[set as usize];
            *most = most.max(x(i).abs());
        }
        let term = |&(i, j, size): &(u32, u32, f64)| most[i as usize] * size * most[j as usize];
        self.unit * self.sizes.iter().map(term).sum::<f64>() + self.floor
    }

    /// The entry of the symmetric part and of the skew part at which K is least symmetric, against the
    /// sizes of the terms there; zero for a symmetric K.
    pub fn asymmetry(&self, equations: &Linearization) -> f64 {
        let size = |i: usize, j: usize| {
            let key = (self.sets[i], self.sets[j]);
            let found = self.sizes.binary_search_by_key(&key, |&(i, j, _)| (i, j));
            found.map_or(0.0, |k| self.sizes[k].2)
        };
        let gaps = equations.stiffness.asymmetries().map(|(i, j, gap)| {
            let scale = size(i, j).max(size(j, i));
            if scale > 0.0 { gap / scale } else { 0.0 }
        });
        gaps.fold(0.0, f64::max)
    }
}
