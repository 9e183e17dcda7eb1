//! The exponential chart: `R = R_ref·exp(d̂)`, d the rotation vector.
//!
//! ```text
//! T = I − c₁ d̂ + c₂ d̂²,   T⁻¹ = I + d̂/2 + k d̂²,   Ω = T(d) ḋ
//! ```
//! T is singular at |d| = 2π, and the logarithm is unique below π.

use std::f64::consts::TAU;

use super::generic::{Matrix3, Vector3};
use super::{Quaternion, Scalar, hat, series, square};

/// The rotation exp(d̂).
#[inline]
pub fn retract<T: Scalar>(d: &Vector3<T>) -> Quaternion<T> {
    let [scalar, factor] = series::half_angle(square(d));
    Quaternion { scalar, vector: d * (T::constant(0.5) * factor) }
}

/// The rotation vector of a unit quaternion, of length at most π, to round-off at every angle.
#[inline]
pub fn inverse<T: Scalar>(rotation: Quaternion<T>) -> Vector3<T> {
    let Quaternion { scalar, vector } = rotation;
    let one = T::one();
    let [sign] = scalar.below(0.0, || [-one], || [one]);
    let square = square(&vector);
    // without rotation 2 φ/2 / sin(φ/2) is 2
    let [factor] = square.below(
        MIN_SQUARE,
        || [T::constant(2.0) * sign],
        || {
            let sine = square.sqrt();
            [T::constant(2.0) * sign * sine.atan2(sign * scalar) / sine]
        },
    );
    vector * factor
}

/// The smallest positive number.
const MIN_SQUARE: f64 = f64::from_bits(1);

/// The rotation vector of the same rotation, with more or fewer turns, that is nearest to another.
pub fn nearest(d: &Vector3, to: &Vector3) -> Vector3 {
    let length = d.norm();
    if length == 0.0 {
        return *d;
    }
    let axis = d / length;
    let turns = ((axis.dot(to) - length) / TAU).round();
    d + TAU * turns * axis
}

/// The tangent T(d): Ω = T ḋ.
#[inline]
pub fn tangent<T: Scalar>(d: &Vector3<T>) -> Matrix3<T> {
    let q = square(d);
    quadratic(d, T::one(), -series::c1(q), series::c2(q))
}

/// The inverse tangent T⁻¹(d): ḋ = T⁻¹ Ω.
#[inline(always)]
pub fn tangent_inverse<T: Scalar>(d: &Vector3<T>) -> Matrix3<T> {
    quadratic(d, T::one(), T::constant(0.5), series::k(square(d)))
}

/// T⁻¹(d) x.
#[inline(always)]
pub fn tangent_inverse_product<T: Scalar>(d: &Vector3<T>, x: &Vector3<T>) -> Vector3<T> {
    let q = square(d);
    let k = series::k(q);
    x * (T::one() - k * q) + d.cross(x) * T::constant(0.5) + d * (k * d.dot(x))
}

/// L(d, x) = ∂(T(d) x)/∂d.
#[inline]
pub fn tangent_derivative<T: Scalar>(d: &Vector3<T>, x: &Vector3<T>) -> Matrix3<T> {
    let (q, two) = (square(d), T::constant(2.0));
    let (c1, c2) = (series::c1(q), series::c2(q));
    let (c1_rate, c2_rate) = (two * series::c1_rate(q), two * series::c2_rate(q));
    let dx = d.cross(x);
    hat(x) * c1
        + product_derivative(d, x) * c2
        + (d.cross(&dx) * c2_rate - dx * c1_rate) * d.transpose()
}

/// ∂(T⁻¹(d) x)/∂d.
#[inline(always)]
pub fn tangent_inverse_derivative<T: Scalar>(d: &Vector3<T>, x: &Vector3<T>) -> Matrix3<T> {
    let (q, c) = (square(d), T::constant);
    hat(x) * c(-0.5)
        + product_derivative(d, x) * series::k(q)
        + d.cross(&d.cross(x)) * (c(2.0) * series::k_rate(q)) * d.transpose()
}

/// ∂(d × (d × x))/∂d at fixed coefficients: (d·x) I + d xᵀ − 2 x dᵀ.
#[inline(always)]
fn product_derivative<T: Scalar>(d: &Vector3<T>, x: &Vector3<T>) -> Matrix3<T> {
    Matrix3::from_diagonal_element(d.dot(x)) + d * x.transpose()
        - (x * T::constant(2.0)) * d.transpose()
}

/// a I + b d̂ + c d̂².
#[inline(always)]
fn quadratic<T: Scalar>(d: &Vector3<T>, a: T, b: T, c: T) -> Matrix3<T> {
    // d̂² = d dᵀ − |d|² I
    Matrix3::from_diagonal_element(a - c * square(d)) + hat(d) * b + (d * c) * d.transpose()
}
