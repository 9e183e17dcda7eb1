//! The scalar functions of the squared angle q = φ² behind the exponential chart.
//!
//! Each is computed to round-off for every angle: by its power series where the closed form would
//! cancel (q < 1), by the closed form beyond.

/// Below this squared angle the series are used. At q = 1 the closed forms lose one digit at most,
/// and the last term kept in the series is below 1e-19.
const SWITCH: f64 = 1.0;

/// Below this squared angle six terms are exact to round-off in every series here.
const SMALL: f64 = 0.06;

/// Σ_k coefficient(k) q^k by Horner's rule.
#[inline]
fn horner<const N: usize>(coefficients: &[f64; N], q: f64) -> f64 {
    let sum = |coefficients: &[f64]| coefficients.iter().rev().fold(0.0, |sum, c| sum * q + c);
    if q < SMALL { sum(&coefficients[..6]) } else { sum(coefficients) }
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
pub fn c0(q: f64) -> f64 {
    let angle = q.sqrt();
    if angle == 0.0 { 1.0 } else { angle.sin() / angle }
}

/// (1 − cos φ)/φ², as ½ (sin(φ/2)/(φ/2))²: no cancellation at any angle.
#[inline]
pub fn c1(q: f64) -> f64 {
    let half = c0(0.25 * q);
    0.5 * half * half
}

/// (φ − sin φ)/φ³.
#[inline]
pub fn c2(q: f64) -> f64 {
    if q < SWITCH { horner(&C2, q) } else { (1.0 - c0(q)) / q }
}

/// dc₁/dq.
#[inline]
pub fn c1_rate(q: f64) -> f64 {
    if q < SWITCH { horner(&C1_RATE, q) } else { (c0(q) - 2.0 * c1(q)) / (2.0 * q) }
}

/// dc₂/dq.
#[inline]
pub fn c2_rate(q: f64) -> f64 {
    if q < SWITCH { horner(&C2_RATE, q) } else { (c1(q) - 3.0 * c2(q)) / (2.0 * q) }
}

/// k = (1 − (φ/2) cot(φ/2))/φ².
#[inline]
pub fn k(q: f64) -> f64 {
    if q < SWITCH {
        horner(&K, q)
    } else {
        let half = 0.5 * q.sqrt();
        (1.0 - half * half.cos() / half.sin()) / q
    }
}

/// dk/dq.
#[inline]
pub fn k_rate(q: f64) -> f64 {
    if q < SWITCH {
        let mut rates = [0.0; 11];
        for (n, rate) in rates.iter_mut().enumerate() {
            *rate = (n + 1) as f64 * K[n + 1];
        }
        horner(&rates, q)
    } else {
        // d/dφ[(φ/2) cot(φ/2)] = ½ cot(φ/2) − (φ/4)/sin²(φ/2), and dq = 2φ dφ
        let half = 0.5 * q.sqrt();
        let (sine, cosine) = half.sin_cos();
        let slope = 0.5 * cosine / sine - 0.5 * half / (sine * sine);
        (-slope / (4.0 * half) - k(q)) / q
    }
}

/// d²c₁/dq².
#[inline]
pub fn c1_bend(q: f64) -> f64 {
    if q < SWITCH {
        return horner(&C1_BEND, q);
    }
    let c0_rate = (q.sqrt().cos() - c0(q)) / (2.0 * q);
    (c0_rate - 4.0 * c1_rate(q)) / (2.0 * q)
}

/// d²c₂/dq².
#[inline]
pub fn c2_bend(q: f64) -> f64 {
    if q < SWITCH { horner(&C2_BEND, q) } else { (c1_rate(q) - 5.0 * c2_rate(q)) / (2.0 * q) }
}

/// c₀, c₁, c₂ at once.
#[inline]
pub fn first(q: f64) -> [f64; 3] {
    match q < SWITCH {
        true => [&C0, &C1, &C2].map(|coefficients| horner(coefficients, q)),
        false => [c0(q), c1(q), c2(q)],
    }
}
