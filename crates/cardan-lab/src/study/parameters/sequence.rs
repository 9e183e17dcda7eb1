//! Points of the unit cube, each computed from its index alone: random, stratified and low-discrepancy.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The number of dimensions of Sobol's sequence here.
pub const SOBOL_DIMENSIONS: usize = 40;

/// Digits of Sobol's points.
const BITS: usize = 32;

/// Primitive polynomials, with their coefficients as binary digits, and initial direction numbers m of the second and
/// later dimensions: S. Joe, F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J.
/// Sci. Comput. 30 (2008), table new-joe-kuo-6.
#[rustfmt::skip]
const DIRECTIONS: [(u32, &[u32]); SOBOL_DIMENSIONS - 1] = [
    (3, &[1]),
    (7, &[1, 3]),
    (11, &[1, 3, 1]),
    (13, &[1, 1, 1]),
    (19, &[1, 1, 3, 3]),
    (25, &[1, 3, 5, 13]),
    (37, &[1, 1, 5, 5, 17]),
    (41, &[1, 1, 5, 5, 5]),
    (47, &[1, 1, 7, 11, 19]),
    (55, &[1, 1, 5, 1, 1]),
    (59, &[1, 1, 1, 3, 11]),
    (61, &[1, 3, 5, 5, 31]),
    (67, &[1, 3, 3, 9, 7, 49]),
    (91, &[1, 1, 1, 15, 21, 21]),
    (97, &[1, 3, 1, 13, 27, 49]),
    (103, &[1, 1, 1, 15, 7, 5]),
    (109, &[1, 3, 1, 15, 13, 25]),
    (115, &[1, 1, 5, 5, 19, 61]),
    (131, &[1, 3, 7, 11, 23, 15, 103]),
    (137, &[1, 3, 7, 13, 13, 15, 69]),
    (143, &[1, 1, 3, 13, 7, 35, 63]),
    (145, &[1, 3, 5, 9, 1, 25, 53]),
    (157, &[1, 3, 1, 13, 9, 35, 107]),
    (167, &[1, 3, 1, 5, 27, 61, 31]),
    (171, &[1, 1, 5, 11, 19, 41, 61]),
    (185, &[1, 3, 5, 3, 3, 13, 69]),
    (191, &[1, 1, 7, 13, 1, 19, 1]),
    (193, &[1, 3, 7, 5, 13, 19, 59]),
    (203, &[1, 1, 3, 9, 25, 29, 41]),
    (211, &[1, 3, 5, 13, 23, 1, 55]),
    (213, &[1, 3, 7, 3, 13, 59, 17]),
    (229, &[1, 3, 1, 3, 5, 53, 69]),
    (239, &[1, 1, 5, 5, 23, 33, 13]),
    (241, &[1, 1, 7, 7, 1, 61, 123]),
    (247, &[1, 1, 7, 9, 13, 61, 49]),
    (253, &[1, 3, 3, 5, 3, 55, 33]),
    (285, &[1, 3, 1, 15, 31, 13, 49, 245]),
    (299, &[1, 3, 5, 15, 31, 59, 63, 97]),
    (301, &[1, 3, 1, 11, 11, 11, 77, 249]),
];

/// A number in (0, 1) from 64 random bits.
fn open_unit(bits: u64) -> f64 {
    ((bits >> 11) as f64 + 0.5) * (-53_f64).exp2()
}

/// Independent uniform numbers in (0, 1) of a case.
pub fn random_point(seed: u64, case: u64, dimensions: usize) -> Vec<f64> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(case);
    (0..dimensions).map(|_| open_unit(generator.next_u64())).collect()
}

/// A point of a Latin hypercube of `count` points: each coordinate takes every interval of length 1/count once.
pub fn latin_point(seed: u64, case: u64, count: u64, dimensions: usize) -> Vec<f64> {
    let within = random_point(seed, case, dimensions);
    let mut keys = ChaCha8Rng::seed_from_u64(seed);
    // the streams of cases are smaller
    keys.set_stream(u64::MAX);
    let coordinate = |inside: f64| {
        let stratum = permuted(case, count, keys.next_u64());
        (stratum as f64 + inside) / count as f64
    };
    within.into_iter().map(coordinate).collect()
}

/// The place of an index in a random permutation of `0..count`: a Feistel network on the next even number of binary
/// digits, applied until the result is below `count`.
fn permuted(index: u64, count: u64, key: u64) -> u64 {
    let digits = (64 - count.saturating_sub(1).leading_zeros()).max(2);
    let half = digits.div_ceil(2);
    let mask = (1_u64 << half) - 1;
    let mut x = index;
    loop {
        let (mut left, mut right) = (x >> half, x & mask);
        for round in 0..6_u64 {
            (left, right) =
                (right, left ^ (mixed(right ^ key.rotate_left(11) ^ (round << 56) ^ key) & mask));
        }
        x = (left << half) | right;
        if x < count {
            return x;
        }
    }
}

/// The finalizer of the generator SplitMix64.
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Sobol's sequence with a random digital shift.
#[derive(Clone, Debug)]
pub struct SobolSequence {
    /// Direction numbers of each dimension.
    directions: Vec<[u32; BITS]>,
    shifts: Vec<u32>,
}

impl SobolSequence {
    /// A sequence of at most [`SOBOL_DIMENSIONS`] dimensions; the seed determines the shift.
    pub fn new(dimensions: usize, seed: u64) -> Self {
        let directions = (0..dimensions.min(SOBOL_DIMENSIONS)).map(direction_numbers).collect();
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let shifts = (0..dimensions).map(|_| generator.next_u32()).collect();
        Self { directions, shifts }
    }

    /// A point; every coordinate is inside (0, 1).
    pub fn point(&self, index: u64) -> Vec<f64> {
        // consecutive points differ in one direction number if the index is in Gray code
        let gray = index ^ (index >> 1);
        let coordinate = |(directions, shift): (&[u32; BITS], &u32)| {
            let bits = (0..BITS).filter(|k| (gray >> k) & 1 == 1);
            let x = bits.fold(0, |x, k| x ^ directions[k]) ^ shift;
            (f64::from(x) + 0.5) * (-32_f64).exp2()
        };
        self.directions.iter().zip(&self.shifts).map(coordinate).collect()
    }
}

/// The direction numbers of a dimension: m_k = 2 a_1 m_{k-1} ⊕ … ⊕ 2^s m_{k-s} ⊕ m_{k-s}, shifted to the highest digit.
fn direction_numbers(dimension: usize) -> [u32; BITS] {
    let mut directions = [0; BITS];
    let Some((polynomial, initial)) = dimension.checked_sub(1).map(|k| DIRECTIONS[k]) else {
        return std::array::from_fn(|k| 1 << (BITS - 1 - k));
    };
    let degree = initial.len();
    for k in 0..BITS {
        directions[k] = match initial.get(k) {
            Some(m) => m << (BITS - 1 - k),
            None => {
                let far = directions[k - degree];
                (1..degree).fold(far ^ (far >> degree), |x, j| {
                    let has = (polynomial >> (degree - j)) & 1 == 1;
                    if has { x ^ directions[k - j] } else { x }
                })
            }
        };
    }
    directions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Latin hypercube has one point in each interval of each coordinate, for every number of points.
    #[test]
    fn latin_points_fill_every_interval_once() {
        for count in [1, 2, 3, 7, 64, 1000] {
            let points: Vec<Vec<f64>> = (0..count).map(|k| latin_point(5, k, count, 3)).collect();
            for d in 0..3 {
                let mut strata: Vec<u64> =
                    points.iter().map(|x| (x[d] * count as f64).floor() as u64).collect();
                assert_eq!(
                    points.iter().filter(|x| x[d] > 0.0 && x[d] < 1.0).count(),
                    count as usize
                );
                strata.sort_unstable();
                assert!(strata.into_iter().eq(0..count), "{count} points, coordinate {d}");
            }
        }
    }

    /// Two coordinates of a Latin hypercube are uncorrelated: |r| of n independent pairs exceeds 5/√n in one of 1e6 seeds.
    #[test]
    fn coordinates_of_latin_points_are_uncorrelated() {
        let n = 4000;
        let points: Vec<Vec<f64>> = (0..n).map(|k| latin_point(1, k, n, 2)).collect();
        let products = points.iter().map(|x| (x[0] - 0.5) * (x[1] - 0.5) * 12.0);
        let r = products.sum::<f64>() / n as f64;
        assert!(r.abs() < 5.0 / (n as f64).sqrt(), "{r}");
    }

    /// Every 2^m consecutive points of one coordinate lie in different intervals of length 2^-m (Sobol 1967), in all
    /// dimensions: a wrong direction number leaves an interval empty.
    #[test]
    fn sobol_points_fill_every_interval_once() {
        let sequence = SobolSequence::new(SOBOL_DIMENSIONS, 9);
        let count = 256;
        let points: Vec<Vec<f64>> = (0..count).map(|k| sequence.point(k)).collect();
        for d in 0..SOBOL_DIMENSIONS {
            let mut strata: Vec<u64> = points.iter().map(|x| (x[d] * 256.0) as u64).collect();
            strata.sort_unstable();
            assert!(strata.into_iter().eq(0..count), "coordinate {d}");
        }
    }

    /// The points without shift, as `scipy.stats.qmc.Sobol(d=5, scramble=False)` of SciPy gives them.
    #[test]
    fn sobol_points_are_those_of_scipy() {
        let sequence = SobolSequence { shifts: vec![0; 5], ..SobolSequence::new(5, 0) };
        let known = [
            (1, [0.5, 0.5, 0.5, 0.5, 0.5]),
            (5, [0.875, 0.875, 0.125, 0.375, 0.875]),
            (37, [0.921875, 0.640625, 0.578125, 0.921875, 0.765625]),
            (63, [0.015625, 0.796875, 0.359375, 0.453125, 0.859375]),
        ];
        for (k, expected) in known {
            let half = (-33_f64).exp2();
            let point: Vec<f64> = sequence.point(k).iter().map(|x| x - half).collect();
            assert_eq!(point, expected, "point {k}");
        }
    }
}
