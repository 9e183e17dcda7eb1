//! The scalar functions of the squared angle q = φ² behind the exponential chart.
//!
//! Each is computed to round-off for every angle: by its power series where the closed form would
//! cancel (q < 1), by the closed form above.

use super::Scalar;

/// Below this squared angle the series are used. At q = 1 the closed forms lose one digit at most,
/// and the last term kept in the series is below 1e-19.
const SWITCH: f64 = 1.0;

/// Below this squared angle six terms are exact to round-off in every series here.
const SMALL: f64 = 0.06;

/// Below this squared angle sin φ/φ and cos φ are one to round-off. A dual number takes their
/// derivatives from the next term there, where √q has none.
const TINY: f64 = 1e-16;

/// Σ_k coefficient(k) q^k.
#[inline]
fn horner<T: Scalar, const N: usize>(coefficients: &[f64; N], q: T) -> T {
    let few = || match coefficients.first_chunk() {
        Some(first) => [six_terms(first, q)],
        None => [T::constant(f64::NAN)],
    };
    let all = || [coefficients.iter().rev().fold(T::zero(), |sum, c| sum * q + T::constant(*c))];
    let [sum] = q.below(SMALL, few, all);
    sum
}

/// Six terms of a power series, as a sum of three pairs: Horner's rule would wait for the result of each operation.
#[inline]
pub(super) fn six_terms<T: Scalar>(coefficients: &[f64; 6], q: T) -> T {
    let [c0, c1, c2, c3, c4, c5] = coefficients.map(T::constant);
    let square = q * q;
    (c0 + c1 * q) + ((c2 + c3 * q) + (c4 + c5 * q) * square) * square
}

/// A series where the closed form would cancel, the closed form elsewhere.
#[inline]
fn series_or<T: Scalar, const N: usize>(
    coefficients: &[f64; N],
    q: T,
    closed: impl FnOnce() -> T,
) -> T {
    let [value] = q.below(SWITCH, || [horner(coefficients, q)], || [closed()]);
    value
}

/// Coefficients (−1)^k / (2k + shift)! of a trigonometric series, or of one of its derivatives.
const fn trigonometric<const N: usize>(shift: usize, derivative: usize) -> [f64; N] {
    let mut coefficients = [0.0; N];
    let mut k = 0;
    while k < N {
        // differentiation with respect to q moves (k + 1) q^k down one place
        let m = k + derivative;
        let mut factorial = 1.0;
        let mut i = 2;
        while i <= 2 * m + shift {
            factorial *= i as f64;
            i += 1;
        }
        let weight = match derivative {
            0 => 1.0,
            1 => m as f64,
            _ => (m * (m - 1)) as f64,
        };
        coefficients[k] =
            if m.is_multiple_of(2) { weight / factorial } else { -weight / factorial };
        k += 1;
    }
    coefficients
}

/// cos φ and sin φ/φ.
const COSINE: [f64; 6] = trigonometric(0, 0);
const SINE: [f64; 6] = trigonometric(1, 0);

const C0: [f64; 11] = trigonometric(1, 0);
const C1: [f64; 11] = trigonometric(2, 0);
const C2: [f64; 11] = trigonometric(3, 0);
const C1_RATE: [f64; 11] = trigonometric(2, 1);
const C2_RATE: [f64; 11] = trigonometric(3, 1);
const C1_BEND: [f64; 11] = trigonometric(2, 2);
const C2_BEND: [f64; 11] = trigonometric(3, 2);

/// |B₂ₙ|/(2n)!, n = 1, 2, …: the series of (1 − (φ/2) cot(φ/2))/φ², radius φ = 2π.
const K: [f64; 12] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30240.0,
    1.0 / 1209600.0,
    1.0 / 47900160.0,
    691.0 / 1307674368000.0,
    1.0 / 74724249600.0,
    3617.0 / 10670622842880000.0,
    43867.0 / 5109094217170944000.0,
    174611.0 / 802857662698291200000.0,
    77683.0 / 14101100039391805440000.0,
    236364091.0 / 1693824136731743669452800000.0,
];

/// sin φ/φ.
#[inline]
pub fn c0<T: Scalar>(q: T) -> T {
    let closed = || {
        let angle = q.sqrt();
        [angle.sin() / angle]
    };
    let [value] = q.below(TINY, || [tiny_c0(q)], closed);
    value
}

/// 1 − q/6 + q²/120.
#[inline]
fn tiny_c0<T: Scalar>(q: T) -> T {
    T::one() + q * (T::constant(-1.0 / 6.0) + q * T::constant(1.0 / 120.0))
}

/// cos(φ/2) and sin(φ/2)/(φ/2).
#[inline]
pub fn half_angle<T: Scalar>(q: T) -> [T; 2] {
    let c = T::constant;
    let tiny = || {
        let q = c(0.25) * q;
        [T::one() + q * (c(-0.5) + q * c(1.0 / 24.0)), tiny_c0(q)]
    };
    let closed = || {
        let half = c(0.5) * q.sqrt();
        [half.cos(), c0(half * half)]
    };
    let series = || [&COSINE, &SINE].map(|coefficients| six_terms(coefficients, c(0.25) * q));
    q.below(4.0 * TINY, tiny, || q.below(4.0 * SMALL, series, closed))
}

/// (1 − cos φ)/φ², as ½ (sin(φ/2)/(φ/2))²: no cancellation at any angle.
#[inline]
pub fn c1<T: Scalar>(q: T) -> T {
    let half = c0(T::constant(0.25) * q);
    T::constant(0.5) * half * half
}

/// (φ − sin φ)/φ³.
#[inline]
pub fn c2<T: Scalar>(q: T) -> T {
    series_or(&C2, q, || (T::one() - c0(q)) / q)
}

/// dc₁/dq.
#[inline]
pub fn c1_rate<T: Scalar>(q: T) -> T {
    let two = T::constant(2.0);
    series_or(&C1_RATE, q, || (c0(q) - two * c1(q)) / (two * q))
}

/// dc₂/dq.
#[inline]
pub fn c2_rate<T: Scalar>(q: T) -> T {
    let c = T::constant;
    series_or(&C2_RATE, q, || (c1(q) - c(3.0) * c2(q)) / (c(2.0) * q))
}

/// k = (1 − (φ/2) cot(φ/2))/φ².
#[inline]
pub fn k<T: Scalar>(q: T) -> T {
    series_or(&K, q, || {
        let half = T::constant(0.5) * q.sqrt();
        (T::one() - half * half.cos() / half.sin()) / q
    })
}

/// The series of dk/dq.
const K_RATE: [f64; 11] = {
    let mut rates = [0.0; 11];
    let mut n = 0;
    while n < 11 {
        rates[n] = (n + 1) as f64 * K[n + 1];
        n += 1;
    }
    rates
};

/// dk/dq.
#[inline]
pub fn k_rate<T: Scalar>(q: T) -> T {
    let c = T::constant;
    series_or(&K_RATE, q, || {
        // d/dφ[(φ/2) cot(φ/2)] = ½ cot(φ/2) − (φ/4)/sin²(φ/2), and dq = 2φ dφ
        let half = c(0.5) * q.sqrt();
        let (sine, cosine) = half.sin_cos();
        let slope = c(0.5) * cosine / sine - c(0.5) * half / (sine * sine);
        (-slope / (c(4.0) * half) - k(q)) / q
    })
}

/// d²c₁/dq².
#[inline]
pub fn c1_bend<T: Scalar>(q: T) -> T {
    let c = T::constant;
    series_or(&C1_BEND, q, || {
        let c0_rate = (q.sqrt().cos() - c0(q)) / (c(2.0) * q);
        (c0_rate - c(4.0) * c1_rate(q)) / (c(2.0) * q)
    })
}

/// d²c₂/dq².
#[inline]
pub fn c2_bend<T: Scalar>(q: T) -> T {
    let c = T::constant;
    series_or(&C2_BEND, q, || (c1_rate(q) - c(5.0) * c2_rate(q)) / (c(2.0) * q))
}

/// c₀, c₁, c₂ at once.
#[inline]
pub fn first<T: Scalar>(q: T) -> [T; 3] {
    q.below(
        SWITCH,
        || [&C0, &C1, &C2].map(|coefficients| horner(coefficients, q)),
        || [c0(q), c1(q), c2(q)],
    )
}
