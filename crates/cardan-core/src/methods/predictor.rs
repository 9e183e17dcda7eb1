//! Starting values of Newton: rates extrapolated from points already computed.
//!
//! The polynomial through k values and k rates gives the rate at the target: k = 2 is the cubic of
//! equation (12), k = 3 the quintic of equation (16) of Zhang, Zhang, Zanoni and Masarati 2022, both
//! for any spacing. The weights grow with the cube of the extrapolated interval over the spacing: by default, points that do
//! not precede the target, or are closer to each other than a third of that interval, are omitted. As printed, the last
//! solved points are taken, whatever their times.

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
    /// Accelerations and multipliers of the last instants, as far as they change smoothly; the cubic if they do not.
    Smooth,
    /// As the paper prints it: (12) for multistep methods; (15), the last rates and accelerations, for single-step
    /// methods and second stages; (12) for later stages, and (16) for the last one of methods of order four and five.
    Printed,
}

impl Predictor {
    /// The predictor of a name.
    pub fn of(word: &str) -> Self {
        match word {
            "constant" => Self::Constant,
            "linear" => Self::Linear,
            "second-order" => Self::Cubic,
            "fourth-order" => Self::Quintic,
            "smooth" => Self::Smooth,
            "printed" => Self::Printed,
            // the words have been checked against those of the method
            _ => Self::Hermite,
        }
    }

    /// The number of points it uses.
    pub fn points(self) -> usize {
        match self {
            Self::Constant | Self::Linear | Self::Hermite => 1,
            Self::Cubic | Self::Smooth | Self::Printed => 2,
            Self::Quintic => 3,
        }
    }
}

/// A predicted rate as a sum over points: `Σ value y + rate ẏ`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExtrapolationWeights {
    count: usize,
    terms: [(usize, f64, f64); MAX_POINTS],
    /// The point at the time of the target, where the weights have no value.
    at_target: Option<usize>,
}

impl ExtrapolationWeights {
    /// The weights for a target, from points given latest first. At most `wanted` are used, and only those that precede the
    /// target with sufficient distances.
    pub fn new(target: f64, points: impl Iterator<Item = f64>, wanted: usize) -> Self {
        Self::chosen(target, points, wanted, |chosen, at| match chosen {
            [] => at < target,
            [first, ..] => {
                let last = chosen[chosen.len() - 1].1;
                MAX_EXTRAPOLATION * (last - at) >= target - first.1
            }
        })
    }

    /// The weights for a target, from the last `wanted` points, given latest first, whatever their times. A point at the
    /// time of another one adds nothing and is omitted; at the target, the rate of the last point there is taken.
    pub fn through(target: f64, points: impl Iterator<Item = f64>, wanted: usize) -> Self {
        let is_new = |chosen: &[(usize, f64)], at: f64| chosen.iter().all(|point| point.1 != at);
        let weights = Self::chosen(target, points.take(wanted), wanted, is_new);
        weights.at_target.map_or(weights, Self::rate_of)
    }

    /// The rate of a point.
    fn rate_of(index: usize) -> Self {
        let mut terms = [(0, 0.0, 0.0); MAX_POINTS];
        terms[0] = (index, 0.0, 1.0);
        Self { count: 1, terms, at_target: None }
    }

    /// The weights for a target, from at most `wanted` points that a rule accepts.
    fn chosen(
        target: f64,
        points: impl Iterator<Item = f64>,
        wanted: usize,
        accepts: impl Fn(&[(usize, f64)], f64) -> bool,
    ) -> Self {
        let (mut chosen, mut count) = ([(0, 0.0); MAX_POINTS], 0);
        for (index, at) in points.enumerate() {
            if count < wanted.min(MAX_POINTS) && accepts(&chosen[..count], at) {
                chosen[count] = (index, at);
                count += 1;
            }
        }
        let chosen = &chosen[..count];
        let mut terms = [(0, 0.0, 0.0); MAX_POINTS];
        if let [(index, _)] = *chosen {
            return Self::rate_of(index);
        }
        let at_target = chosen.iter().find(|point| point.1 == target).map(|point| point.0);
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
        Self { count, terms, at_target }
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
/// All instants.
const INSTANTS: usize = EARLIER + 1;
/// The largest multiplicity of the alternating root that is removed.
const MAX_MULTIPLICITY: usize = 3;
/// Values are extrapolated if the error is below this fraction of that of the last values.
const WORTHWHILE: f64 = 0.25;
/// Steps count as equal if they differ by less than this fraction.
const EQUAL_STEPS: f64 = 1e-6;

/// The weights of instants, the latest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    count: usize,
    weights: [f64; INSTANTS],
    /// The largest second difference of the smooth part of accelerations, h² ä; zero if it is not known.
    pub second_difference: f64,
}

impl Weights {
    /// The last values.
    const LAST: Self =
        Self { count: 1, weights: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], second_difference: 0.0 };

    /// The weights with which accelerations and multipliers are extrapolated to a time after equal steps.
    ///
    /// The values are the sum of a smooth part and one that a method multiplies by −root in every step. With the shift S to the
    /// next instant, (S − 1)ⁿ removes polynomials of degree n − 1, and (S + root)ᵐ removes (−root)ᵏ times polynomials of degree
    /// m − 1: the root of generalized-α at infinite frequency is threefold. The weights are those for which
    /// (S − 1)ⁿ (S + root)ᵐ x = 0, with the n and m that would have predicted the last accelerations best: noise is not
    /// extrapolated, because it would have increased that error.
    pub fn new(target: f64, instants: &LastInstants<'_>, root: f64) -> Self {
        let known = instants.equal_steps(target);
        if known < 3 {
            return Self::LAST;
        }
        // an instant that is not known takes no part: the errors that contain it are not used
        let accelerations = instants.values(|instant| &instant.a);
        let errors = lane::run(ExtrapolationErrors { accelerations, root });
        let (mut found, mut least) = (None, WORTHWHILE * errors.of_last);
        let mut second_difference = f64::INFINITY;
        let mut scale = 1.0;
        for (m, errors) in (1..).zip(&errors.of_roots) {
            scale *= 1.0 + root;
            // (S − 1)ⁿ (S + root)ᵐ takes 1 + n + m instants
            for (n, &error) in (1..known.saturating_sub(m)).zip(errors) {
                if error < least {
                    (found, least) = (Some((n, m)), error);
                }
                if n == 2 {
                    second_difference = second_difference.min(error / scale);
                }
            }
        }
        let weights = found.map_or(Self::LAST, |(n, m)| Self::of_roots(n, m, root));
        let is_known = second_difference < f64::INFINITY;
        Self { second_difference: if is_known { second_difference } else { 0.0 }, ..weights }
    }

    /// Whether values are extrapolated.
    pub fn extrapolates(&self) -> bool {
        self.count > 1
    }

    /// The weights for which (S − 1)ⁿ (S + root)ᵐ x = 0.
    fn of_roots(n: usize, m: usize, root: f64) -> Self {
        let mut weights = [0.0; INSTANTS];
        let count = n + m;
        // multiplied by S − r: the polynomial without its leading one, and with the other sign, is the weights
        for degree in 0..count {
            let r = if degree < n { 1.0 } else { -root };
            for k in (1..=degree).rev() {
                weights[k] -= r * weights[k - 1];
            }
            weights[0] += r;
        }
        Self { count, weights, second_difference: 0.0 }
    }

    /// Extrapolates vectors of the instants, the latest first.
    pub fn apply(&self, out: &mut [f64], vectors: &[&[f64]; INSTANTS]) {
        if !out.is_empty() {
            let (weights, vectors) = (&self.weights[..self.count], &vectors[..self.count]);
            lane::run(Sum { weights, vectors, out });
        }
    }
}

/// The last instants, the latest first; the current one stands for those that are not known.
pub(super) struct LastInstants<'a> {
    instants: [&'a Instant; INSTANTS],
    known: usize,
}

impl<'a> LastInstants<'a> {
    pub fn new(now: &'a Instant, earlier: &'a [Instant]) -> Self {
        let mut instants = [now; INSTANTS];
        let known = (1 + earlier.len()).min(INSTANTS);
        for (place, instant) in instants[1..].iter_mut().zip(earlier) {
            *place = instant;
        }
        Self { instants, known }
    }

    /// A vector of each instant.
    #[inline(always)]
    pub fn values(&self, vector: impl Fn(&'a Instant) -> &'a [f64]) -> [&'a [f64]; INSTANTS] {
        let mut values: [&[f64]; INSTANTS] = [&[]; INSTANTS];
        for k in 0..INSTANTS {
            values[k] = vector(self.instants[k]);
        }
        values
    }

    /// The number of instants that are followed by steps of the size of the step to a time.
    fn equal_steps(&self, target: f64) -> usize {
        let h = target - self.instants[0].t;
        let mut count = 0;
        while count < self.known {
            let distance = (count + 1) as f64 * h;
            if (target - self.instants[count].t - distance).abs() > EQUAL_STEPS * distance {
                break;
            }
            count += 1;
        }
        count
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
        out.fill(0.0);
        let (whole, rest) = out.as_chunks_mut::<4>();
        for (weight, values) in weights.iter().zip(vectors) {
            let (values, last) = values.as_chunks::<4>();
            for (out, values) in whole.iter_mut().zip(values) {
                *out = arithmetic.sum(*out, arithmetic.product(*values, [*weight; 4]));
            }
            rest.iter_mut().zip(last).for_each(|(out, value)| *out += weight * value);
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

/// The largest errors that extrapolations of the last accelerations from earlier ones would have had.
struct LargestErrors {
    /// With the last values.
    of_last: f64,
    /// With (S − 1)ⁿ (S + root)ᵐ x = 0, at m − 1 and n − 1.
    of_roots: [[f64; EARLIER]; MAX_MULTIPLICITY],
}

/// Computes the errors of extrapolations from accelerations, the latest first.
struct ExtrapolationErrors<'a> {
    accelerations: [&'a [f64]; INSTANTS],
    root: f64,
}

impl Computation for ExtrapolationErrors<'_> {
    type Output = LargestErrors;

    #[inline(always)]
    fn with<A: Arithmetic>(self, arithmetic: A) -> LargestErrors {
        let Self { accelerations, root } = self;
        let mut of_last = [0.0; 4];
        let mut of_roots = [[[0.0; 4]; EARLIER]; MAX_MULTIPLICITY];
        for at in (0..accelerations[0].len()).step_by(4) {
            let mut smooth = [[0.0; 4]; INSTANTS];
            for k in 0..INSTANTS {
                smooth[k] = four(accelerations[k], at);
            }
            of_last = arithmetic.larger(of_last, arithmetic.difference(smooth[0], smooth[1]));
            // loops of constant lengths, so that values stay in registers; not all differences are used
            macro_rules! remove_root {
                ($m:literal) => {
                    for k in 0..INSTANTS - $m {
                        let alternating = arithmetic.product(smooth[k + 1], [root; 4]);
                        smooth[k] = arithmetic.sum(smooth[k], alternating);
                    }
                    let mut difference = smooth;
                    for error in &mut of_roots[$m - 1][..EARLIER - $m] {
                        for k in 0..EARLIER - $m {
                            difference[k] = arithmetic.difference(difference[k], difference[k + 1]);
                        }
                        *error = arithmetic.larger(*error, difference[0]);
                    }
                };
            }
            remove_root!(1);
            remove_root!(2);
            remove_root!(3);
        }
        let largest = |lane: Lane| lane.into_iter().fold(0.0, f64::max);
        LargestErrors {
            of_last: largest(of_last),
            of_roots: of_roots.map(|errors| errors.map(largest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes give the bits of plain loops, for lengths with and without a remainder.
    #[test]
    fn lanes_have_the_bits_of_single_numbers() {
        for n in [1, 4, 7, 21] {
            let vectors: Vec<Vec<f64>> = (0..INSTANTS)
                .map(|k| (0..n).map(|i| (1.0 + 0.1 * k as f64 + 3.7 * i as f64).sin()).collect())
                .collect();
            let weights = Weights {
                count: 5,
                weights: [5.3, -9.1, 8.7, -4.2, 0.3, 0.0, 0.0],
                second_difference: 0.0,
            };
            let mut accelerations: [&[f64]; INSTANTS] = [&[]; INSTANTS];
            accelerations.iter_mut().zip(&vectors).for_each(|(a, x)| *a = x);
            let mut found = vec![f64::NAN; n];
            weights.apply(&mut found, &accelerations);
            let root = 0.3;
            let LargestErrors { of_last, of_roots } =
                lane::run(ExtrapolationErrors { accelerations, root });
            let mut last = 0.0_f64;
            let mut expected = [[0.0_f64; EARLIER]; MAX_MULTIPLICITY];
            for i in 0..n {
                let mut sum = 0.0;
                for (weight, x) in weights.weights[..weights.count].iter().zip(&vectors) {
                    sum += weight * x[i];
                }
                assert_eq!(found[i], sum);
                let mut smooth: Vec<f64> = vectors.iter().map(|x| x[i]).collect();
                last = last.max((smooth[0] - smooth[1]).abs());
                for (m, expected) in (1..).zip(&mut expected) {
                    smooth = smooth.windows(2).map(|x| x[0] + root * x[1]).collect();
                    let mut difference = smooth.clone();
                    for error in &mut expected[..EARLIER - m] {
                        difference = difference.windows(2).map(|x| x[0] - x[1]).collect();
                        *error = error.max(difference[0].abs());
                    }
                }
            }
            assert_eq!(of_last, last);
            for (m, (found, expected)) in (1..).zip(of_roots.iter().zip(&expected)) {
                assert_eq!(found[..EARLIER - m], expected[..EARLIER - m]);
            }
        }
    }

    /// A polynomial and an alternating part that decays like (−root)ᵏ k² are continued up to round-off.
    #[test]
    fn polynomial_with_alternating_part_is_continued() {
        let root: f64 = 0.9;
        let value = |k: i32, i: usize| {
            let (t, scale) = (f64::from(k), 1.0 + i as f64);
            let smooth = scale + 0.3 * t - 0.02 * scale * t * t;
            smooth + (-root).powi(k) * (0.4 + 0.1 * t - 0.03 * scale * t * t)
        };
        let instant = |k: i32| {
            let a: Vec<f64> = (0..5).map(|i| value(k, i)).collect();
            Instant { t: f64::from(k), a, ..Instant::default() }
        };
        let instants: Vec<Instant> = (0..7).rev().map(instant).collect();
        let last = LastInstants::new(&instants[0], &instants[1..]);
        let weights = Weights::new(7.0, &last, root);
        let mut found = vec![0.0; 5];
        weights.apply(&mut found, &last.values(|x| &x.a));
        for (i, found) in found.iter().enumerate() {
            assert!((found - value(7, i)).abs() < 1e-12, "{found} {}", value(7, i));
        }
        // the largest second derivative over h²
        assert!((weights.second_difference - 0.04 * 5.0).abs() < 1e-12, "{weights:?}");
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

    /// As printed, the last points are taken in the order in which they were solved: the last stage of ESDIRK4(3)6L[2]SA₂ at 1
    /// has those at 1361/1300, 5/8 and (2 − √2)/8 before it. The polynomial is exact for degree five.
    #[test]
    fn the_printed_points_are_the_last_ones_whatever_their_times() {
        let points = [1361.0 / 1300.0, 0.625, 0.25 * (1.0 - 0.5_f64.sqrt()), 0.5, 0.0];
        let weights = ExtrapolationWeights::through(1.0, points.into_iter(), 3);
        let used: Vec<usize> = weights.terms().iter().map(|term| term.0).collect();
        assert_eq!(used, [0, 1, 2]);
        let sum: f64 = weights
            .terms()
            .iter()
            .map(|&(k, value, rate)| value * points[k].powi(5) + rate * 5.0 * points[k].powi(4))
            .sum();
        assert!((sum - 5.0).abs() < 1e-11, "{sum}");
        // where the polynomial has no weights: the rate of the point at the target; one of two points at one time
        let terms = |target, points: &[f64], wanted| {
            ExtrapolationWeights::through(target, points.iter().copied(), wanted).terms().to_vec()
        };
        assert_eq!(terms(1.0, &[0.5, 1.0, 0.0], 2), [(1, 0.0, 1.0)]);
        assert_eq!(terms(1.0, &[0.5, 0.5, 0.0], 2), [(0, 0.0, 1.0)]);
        assert_eq!(terms(1.0, &[0.5], 2), [(0, 0.0, 1.0)]);
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
