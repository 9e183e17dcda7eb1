//! The Cayley–Gibbs–Rodrigues chart: `R = R_ref·cay(ĝ)`, g = 2 tan(φ/2) along the axis.
//!
//! ```text
//! T = τ (I − ĝ/2),   T⁻¹ = I + ĝ/2 + g gᵀ/4,   τ = 4/(4 + |g|²),   Ω = T(g) ġ
//! ```
//! The chart covers rotations below π; no trigonometric function is needed.

use super::generic::{Matrix3, Vector3};
use super::{Quaternion, Scalar, hat, norm, square};

/// The rotation cay(ĝ), quaternion (1, g/2)/√(1 + |g|²/4).
#[inline]
pub fn retract<T: Scalar>(g: &Vector3<T>) -> Quaternion<T> {
    let half = g * T::constant(0.5);
    let square = square(&half);
    // above the limit the square overflows
    let [length] = square.below(1e300, || [(T::one() + square).sqrt()], || [norm(&half)]);
    let scale = T::one() / length;
    Quaternion { scalar: scale, vector: half * scale }
}

/// The Gibbs–Rodrigues vector of a unit quaternion; infinite for a rotation by exactly π.
#[inline]
pub fn inverse<T: Scalar>(rotation: Quaternion<T>) -> Vector3<T> {
    rotation.vector * (T::constant(2.0) / rotation.scalar)
}

/// The tangent T(g): Ω = T ġ.
#[inline]
pub fn tangent<T: Scalar>(g: &Vector3<T>) -> Matrix3<T> {
    (Matrix3::identity() - hat(g) * T::constant(0.5)) * tau(g)
}

/// The inverse tangent T⁻¹(g): ġ = T⁻¹ Ω.
#[inline]
pub fn tangent_inverse<T: Scalar>(g: &Vector3<T>) -> Matrix3<T> {
    let c = T::constant;
    Matrix3::identity() + hat(g) * c(0.5) + (g * c(0.25)) * g.transpose()
}

/// T⁻¹(g) x.
#[inline]
pub fn tangent_inverse_product<T: Scalar>(g: &Vector3<T>, x: &Vector3<T>) -> Vector3<T> {
    let c = T::constant;
    x + g.cross(x) * c(0.5) + g * (c(0.25) * g.dot(x))
}

/// L(g, x) = ∂(T(g) x)/∂g.
#[inline]
pub fn tangent_derivative<T: Scalar>(g: &Vector3<T>, x: &Vector3<T>) -> Matrix3<T> {
    (hat(x) - tangent(g) * x * g.transpose()) * (T::constant(0.5) * tau(g))
}

/// ∂(T⁻¹(g) x)/∂g.
#[inline]
pub fn tangent_inverse_derivative<T: Scalar>(g: &Vector3<T>, x: &Vector3<T>) -> Matrix3<T> {
    let c = T::constant;
    Matrix3::from_diagonal_element(c(0.25) * g.dot(x)) + (g * c(0.25)) * x.transpose()
        - hat(x) * c(0.5)
}

fn tau<T: Scalar>(g: &Vector3<T>) -> T {
    T::constant(4.0) / (T::constant(4.0) + square(g))
}
