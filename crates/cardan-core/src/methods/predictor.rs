//! Starting values of Newton: rates extrapolated from points already computed.
//!
//! The polynomial through k values and k rates gives the rate at the target: k = 2 is the cubic of
//! equation (12), k = 3 the quintic of equation (16) of Zhang, Zhang, Zanoni and Masarati 2022, both
//! for any spacing. Points that do not precede the target, or are closer to each other than a third of
//! the extrapolated interval, are omitted: the weights grow with the cube of that ratio.

use crate::math::lane::{self, Arithmetic, Computation, Lane};
use crate::state::Instant;

/// The largest number of points.
const MAX_POINTS: usize = 3;
/// The largest extrapolated interval, in units of the distance of the last two points.
pub(super) const MAX_EXTRAPOLATION: f64 = 3.0;

/// How a rate is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predictor {
    /// The last rate.
    Constant,
    /// The last rate and acceleration.
    Linear,
    /// The parabola through the rates of the step's start and its last stage, with the acceleration
    /// at the start.
    Hermite,
    /// The cubic through two points.
    Cubic,
    /// The quintic through three points.
    Quintic,
}

impl Predictor {
    /// The predictor of a name.
    pub fn of(word: &str) -> Self {
        match word {
            "constant" => Self::Constant,
            "linear" => Self::Linear,
            "second-order" => Self::Cubic,
            "fourth-order" => Self::Quintic,
            // the words have been checked against those of the method
            _ => Self::Hermite,
        }
    }

    /// The number of points it uses.
    pub fn points(self) -> usize {
        match self {
            Self::Constant | Self::Linear | Self::Hermite => 1,
            Self::Cubic => 2,
            Self::Quintic => 3,
        }
    }
}

/// A predicted rate as a sum over points: `Σ value y + rate ẏ`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExtrapolationWeights {
    count: usize,
    terms: [(usize, f64, f64); MAX_POINTS],
}

impl ExtrapolationWeights {
    /// The weights for a target, from points given latest first; at most `wanted` are used.
    pub fn new(target: f64, points: impl Iterator<Item = f64>, wanted: usize) -> Self {
        let (mut chosen, mut count) = ([(0, 0.0); MAX_POINTS], 0);
        for (index, at) in points.enumerate() {
            let follows = match count {
                0 => at < target,
                _ => MAX_EXTRAPOLATION * (chosen[count - 1].1 - at) >= target - chosen[0].1,
            };
            if count < wanted.min(MAX_POINTS) && follows {
                chosen[count] = (index, at);
                count += 1;
            }
        }
        let chosen = &chosen[..count];
        let mut terms = [(0, 0.0, 0.0); MAX_POINTS];
        if let [(index, _)] = *chosen {
            terms[0] = (index, 0.0, 1.0);
            return Self { count, terms };
        }
        for (term, &(index, own)) in terms.iter_mut().zip(chosen) {
            // the Lagrange polynomial of the point, its slope at the target and at the point itself
            let others = || chosen.iter().map(|&(_, at)| at).filter(|&at| at != own);
            let basis: f64 = others().map(|at| (target - at) / (own - at)).product();
            let slope = basis * others().map(|at| 1.0 / (target - at)).sum::<f64>();
            let own_slope: f64 = others().map(|at| 1.0 / (own - at)).sum();
            let ahead = target - own;
            let square = 2.0 * basis * slope;
            let value = (1.0 - 2.0 * own_slope * ahead) * square - 2.0 * own_slope * basis * basis;
            *term = (index, value, basis * basis + ahead * square);
        }
        Self { count, terms }
    }

    /// The points with the weights of their value and rate.
    pub fn terms(&self) -> &[(usize, f64, f64)] {
        &self.terms[..self.count]
    }

    /// The weights of one point.
    pub fn of(&self, point: usize) -> (f64, f64) {
        let found = self.terms().iter().find(|term| term.0 == point);
        found.map_or((0.0, 0.0), |&(_, value, rate)| (value, rate))
    }
}

/// Earlier instants from which accelerations are extrapolated.
pub(super) const EARLIER: usize = 6;
/// A difference must be this much smaller than the one before it for the polynomial to gain a degree.
const SMOOTH: f64 = 0.5;
/// Values are extrapolated if the error is below this fraction of that of the last values.
const WORTHWHILE: f64 = 0.25;
/// Steps count as equal if they differ by less than this fraction.
const EQUAL_STEPS: f64 = 1e-6;

/// The weights of instants, the latest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    count: usize,
    weights: [f64; EARLIER + 1],
}

impl Weights {
    /// The last values.
    const LAST: Self = Self { count: 1, weights: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] };

    /// The weights with which accelerations and multipliers are extrapolated to a time after equal steps.
    ///
    /// They are the sum of a smooth part and one that a method multiplies by −root in every step. The sum b = a + root a₋
    /// of two neighbours has only the smooth part. b is extrapolated along the polynomial of the highest degree up to
    /// which its differences become smaller, so that noise is not extrapolated; then a₊ = b₊ − root a.
    pub fn new(target: f64, now: &Instant, earlier: &[Instant], root: f64) -> Self {
        let h = target - now.t;
        let times = std::iter::once(now.t).chain(earlier.iter().map(|x| x.t));
        let is_equal = |(k, time): (usize, f64)| {
            (target - time - (k + 1) as f64 * h).abs() <= EQUAL_STEPS * (k + 1) as f64 * h
        };
        let known = times.take(EARLIER + 1).enumerate().take_while(|x| is_equal(*x)).count();
        let degree = match known {
            0..=2 => return Self::LAST,
            3 => degree::<3>(now, earlier, root),
            4 => degree::<4>(now, earlier, root),
            5 => degree::<5>(now, earlier, root),
            6 => degree::<6>(now, earlier, root),
            _ => degree::<7>(now, earlier, root),
        };
        let Some(degree) = degree else { return Self::LAST };
        let mut weights = [0.0; EARLIER + 1];
        weights[0] = -root;
        // binomial coefficients with alternating signs
        let mut weight = 1.0;
        for k in 0..=degree {
            weight *= (degree + 1 - k) as f64 / (k + 1) as f64;
            weights[k] += weight;
            weights[k + 1] += root * weight;
            weight = -weight;
        }
        Self { count: degree + 2, weights }
    }

    /// Extrapolates vectors of the instants.
    pub fn apply<'a>(&self, out: &mut [f64], values: impl Iterator<Item = &'a [f64]>) {
        let mut vectors: [&[f64]; EARLIER + 1] = [&[]; EARLIER + 1];
        vectors.iter_mut().zip(values).for_each(|(vector, values)| *vector = values);
        let (weights, vectors) = (&self.weights[..self.count], &vectors[..self.count]);
        lane::run(Sum { weights, vectors, out });
    }
}

/// The sum of vectors with weights. Products and sums are not fused: accelerations of constrained bodies repeat the
/// roundings of their prediction, divided by c_q.
struct Sum<'a, 'b> {
    weights: &'a [f64],
    vectors: &'a [&'b [f64]],
    out: &'a mut [f64],
}

impl Computation for Sum<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with<A: Arithmetic>(self, arithmetic: A) {
        let Self { weights, vectors, out } = self;
        let sum = |at: usize| {
            let terms = weights.iter().zip(vectors);
            terms.fold([0.0; 4], |sum, (weight, values)| {
                arithmetic.sum(sum, arithmetic.product(four(values, at), [*weight; 4]))
            })
        };
        let (whole, rest) = out.as_chunks_mut::<4>();
        let first = 4 * whole.len();
        whole.iter_mut().enumerate().for_each(|(i, out)| *out = sum(4 * i));
        if !rest.is_empty() {
            rest.iter_mut().zip(sum(first)).for_each(|(out, sum)| *out = sum);
        }
    }
}

/// Four values from an index on, zero where there are fewer.
#[inline(always)]
fn four(values: &[f64], at: usize) -> Lane {
    let values = values.get(at..).unwrap_or_default();
    values.first_chunk().copied().unwrap_or_else(|| {
        let mut lane = [0.0; 4];
        lane.iter_mut().zip(values).for_each(|(lane, x)| *lane = *x);
        lane
    })
}

/// The largest differences of each order of accelerations: the first of the accelerations themselves, later ones of their
/// smooth part.
struct LargestDifferences<'a, const P: usize> {
    accelerations: [&'a [f64]; P],
    root: f64,
}

impl<const P: usize> Computation for LargestDifferences<'_, P> {
    type Output = [f64; P];

    #[inline(always)]
    fn with<A: Arithmetic>(self, arithmetic: A) -> [f64; P] {
        let Self { accelerations, root } = self;
        let mut largest = [[0.0; 4]; P];
        let count = accelerations[0].len();
        let mut at = 0;
        while at < count {
            let mut a = [[0.0; 4]; P];
            for k in 0..P {
                a[k] = four(accelerations[k], at);
            }
            largest[0] = arithmetic.larger(largest[0], arithmetic.difference(a[0], a[1]));
            for k in 0..P - 1 {
                a[k] = arithmetic.sum(a[k], arithmetic.product(a[k + 1], [root; 4]));
            }
            for order in 1..P - 1 {
                for k in 0..P - 1 - order {
                    a[k] = arithmetic.difference(a[k], a[k + 1]);
                }
                largest[order] = arithmetic.larger(largest[order], a[0]);
            }
            at += 4;
        }
        let mut out = [0.0; P];
        for k in 0..P {
            out[k] = largest[k].into_iter().fold(0.0, f64::max);
        }
        out
    }
}

/// The degree up to which differences of the smooth part of accelerations become smaller, from P instants; `None` if the
/// last values were better in the last step.
fn degree<const P: usize>(now: &Instant, earlier: &[Instant], root: f64) -> Option<usize> {
    let mut accelerations: [&[f64]; P] = [&now.a; P];
    accelerations[1..].iter_mut().zip(earlier).for_each(|(a, instant)| *a = &instant.a);
    let largest = lane::run(LargestDifferences { accelerations, root });
    let is_smooth = |order: &usize| largest[*order] <= SMOOTH * largest[order - 1];
    let degree = (2..P - 1).take_while(is_smooth).count();
    // the next difference is the error of a polynomial in the last step; extrapolated round-off would grow
    (largest[degree + 1] < WORTHWHILE * largest[0]).then_some(degree)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes give the bits of plain loops, for lengths with and without a remainder.
    #[test]
    fn lanes_have_the_bits_of_single_numbers() {
        for n in [1, 4, 7, 21] {
            let vectors: Vec<Vec<f64>> = (0..EARLIER + 1)
                .map(|k| (0..n).map(|i| (1.0 + 0.1 * k as f64 + 3.7 * i as f64).sin()).collect())
                .collect();
            let weights = Weights { count: 5, weights: [5.3, -9.1, 8.7, -4.2, 0.3, 0.0, 0.0] };
            let mut found = vec![f64::NAN; n];
            weights.apply(&mut found, vectors.iter().map(|x| &x[..]));
            let root = 0.3;
            let mut accelerations: [&[f64]; EARLIER + 1] = [&[]; EARLIER + 1];
            accelerations.iter_mut().zip(&vectors).for_each(|(a, x)| *a = x);
            let largest = lane::run(LargestDifferences { accelerations, root });
            let mut expected = [0.0_f64; EARLIER + 1];
            for i in 0..n {
                let mut sum = 0.0;
                for (weight, x) in weights.weights[..weights.count].iter().zip(&vectors) {
                    sum += weight * x[i];
                }
                assert_eq!(found[i], sum);
                let a: Vec<f64> = vectors.iter().map(|x| x[i]).collect();
                expected[0] = expected[0].max((a[0] - a[1]).abs());
                let mut b: Vec<f64> = a.windows(2).map(|a| a[0] + root * a[1]).collect();
                for order in 1..EARLIER {
                    b = b.windows(2).map(|b| b[0] - b[1]).collect();
                    expected[order] = expected[order].max(b[0].abs());
                }
            }
            assert_eq!(largest, expected);
        }
    }

    /// Equation (14): α = h/(t₁ − t₂).
    #[test]
    fn two_points_give_the_printed_cubic() {
        let (h, spacing) = (0.3, 0.2);
        let a: f64 = h / spacing;
        let weights = ExtrapolationWeights::new(1.0, [1.0 - h, 1.0 - h - spacing].into_iter(), 2);
        let m0 = -6.0 * a * a * (1.0 + a) / h;
        let expected = [(m0, (1.0 + a) * (1.0 + 3.0 * a)), (-m0, a * (2.0 + 3.0 * a))];
        for (point, (value, rate)) in expected.into_iter().enumerate() {
            let found = weights.of(point);
            assert!((found.0 - value).abs() < 1e-12 * value.abs(), "{found:?} {value}");
            assert!((found.1 - rate).abs() < 1e-12 * rate.abs(), "{found:?} {rate}");
        }
    }

    /// Equation (17) in its factored form, with equal and with unequal spacing.
    #[test]
    fn three_points_give_the_printed_quintic() {
        for (h, one, two) in [(1.0_f64, 1.0_f64, 1.0_f64), (0.4, 0.3, 0.7)] {
            let (a, b) = (h / one, h / two);
            let (s, q) = (a * b + a + b, a + b);
            let common = 5.0 * a * a * b + 3.0 * a * a;
            let m0 = -2.0 * a * a * (1.0 + a) * s / q.powi(3)
                * (common + 10.0 * a * b * b + 10.0 * a * b + 10.0 * b * b);
            let m1 = 2.0 * (1.0 + a) * s * (common - 5.0 * a * b * b + a * b - 2.0 * b * b) / a;
            let n0 = (1.0 + a) * s * (common + 6.0 * a * b + a + b) / (q * q);
            let n1 = s * (common + 7.0 * a * b + 2.0 * a + 2.0 * b) / a;
            let tail = 5.0 * a * a * b + 4.0 * a * a + 7.0 * a * b + 2.0 * a + 2.0 * b;
            let n2 = b.powi(3) * (1.0 + a) * tail / (a * q * q);
            let weights = ExtrapolationWeights::new(h, [0.0, -one, -one - two].into_iter(), 3);
            let expected = [(m0, n0), (m1, n1), (-m0 - m1, n2)];
            for (point, (value, rate)) in expected.into_iter().enumerate() {
                let found = weights.of(point);
                assert!((found.0 - value / h).abs() < 1e-11 * value.abs(), "{found:?} {value}");
                assert!((found.1 - rate).abs() < 1e-11 * rate.abs(), "{found:?} {rate}");
            }
        }
    }

    /// Stages need not come in the order of their times: points that would lead to a division by
    /// zero, or by a small number, are omitted.
    #[test]
    fn awkward_points_are_left_out() {
        let used = |target: f64, points: &[f64]| -> Vec<usize> {
            let weights = ExtrapolationWeights::new(target, points.iter().copied(), 3);
            assert!(weights.terms().iter().all(|(_, value, rate)| (value + rate).is_finite()));
            weights.terms().iter().map(|term| term.0).collect()
        };
        assert_eq!(used(0.6, &[0.87, 0.0]), [1], "a later point");
        assert_eq!(used(1.0, &[0.6, 0.6, 0.0]), [0, 2], "two at one time");
        assert_eq!(used(1.0, &[0.6, 0.599, 0.0]), [0, 2], "two that almost coincide");
        assert_eq!(used(1.0, &[0.6, 0.7, 0.0]), [0, 2], "decreasing ones");
        assert_eq!(used(1.0, &[1.0, 2.0]), [0; 0], "none that precedes");
    }
}
