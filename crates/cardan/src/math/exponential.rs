//! The exponential chart: `R = R_ref·exp(d̂)`, d the rotation vector.
//!
//! ```text
//! T = I − c₁ d̂ + c₂ d̂²,   T⁻¹ = I + d̂/2 + k d̂²,   Ω = T(d) ḋ
//! ```
//! T is singular at |d| = 2π, and the logarithm is unique below π.

use std::f64::consts::TAU;

use super::{Matrix3, Quaternion, Vector3, hat, series};

/// The rotation exp(d̂).
pub fn retract(d: &Vector3) -> Quaternion {
    let half = 0.5 * d.norm();
    Quaternion { scalar: half.cos(), vector: 0.5 * series::c0(half * half) * d }
}

/// The rotation vector of a unit quaternion, of length at most π, to round-off at every angle.
pub fn inverse(rotation: Quaternion) -> Vector3 {
    let sign = if rotation.scalar < 0.0 { -1.0 } else { 1.0 };
    let sine = rotation.vector.norm();
    if sine == 0.0 {
        return Vector3::zeros();
    }
    let half = sine.atan2(sign * rotation.scalar);
    (2.0 * sign * half / sine) * rotation.vector
}

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
pub fn tangent(d: &Vector3) -> Matrix3 {
    let q = d.norm_squared();
    quadratic(d, 1.0, -series::c1(q), series::c2(q))
}

/// The inverse tangent T⁻¹(d): ḋ = T⁻¹ Ω.
#[inline]
pub fn tangent_inverse(d: &Vector3) -> Matrix3 {
    quadratic(d, 1.0, 0.5, series::k(d.norm_squared()))
}

/// L(d, x) = ∂(T(d) x)/∂d.
pub fn tangent_derivative(d: &Vector3, x: &Vector3) -> Matrix3 {
    let q = d.norm_squared();
    let (c1, c2) = (series::c1(q), series::c2(q));
    let (c1_rate, c2_rate) = (2.0 * series::c1_rate(q), 2.0 * series::c2_rate(q));
    let dx = d.cross(x);
    c1 * hat(x)
        + c2 * product_derivative(d, x)
        + (c2_rate * d.cross(&dx) - c1_rate * dx) * d.transpose()
}

/// ∂(T⁻¹(d) x)/∂d.
#[inline]
pub fn tangent_inverse_derivative(d: &Vector3, x: &Vector3) -> Matrix3 {
    let q = d.norm_squared();
    -0.5 * hat(x)
        + series::k(q) * product_derivative(d, x)
        + 2.0 * series::k_rate(q) * d.cross(&d.cross(x)) * d.transpose()
}

/// ∂(d × (d × x))/∂d at fixed coefficients: (d·x) I + d xᵀ − 2 x dᵀ.
fn product_derivative(d: &Vector3, x: &Vector3) -> Matrix3 {
    Matrix3::from_diagonal_element(d.dot(x)) + d * x.transpose() - 2.0 * x * d.transpose()
}

/// a I + b d̂ + c d̂².
#[inline]
fn quadratic(d: &Vector3, a: f64, b: f64, c: f64) -> Matrix3 {
    // d̂² = d dᵀ − |d|² I
    Matrix3::from_diagonal_element(a - c * d.norm_squared()) + b * hat(d) + c * d * d.transpose()
}
