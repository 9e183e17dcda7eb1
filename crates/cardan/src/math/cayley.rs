//! The Cayley–Gibbs–Rodrigues chart: `R = R_ref·cay(ĝ)`, g = 2 tan(φ/2) along the axis.
//!
//! ```text
//! T = τ (I − ĝ/2),   T⁻¹ = I + ĝ/2 + g gᵀ/4,   τ = 4/(4 + |g|²),   Ω = T(g) ġ
//! ```
//! The chart covers rotations below π; no trigonometric function is needed.

use super::{Matrix3, Quaternion, Vector3, hat};

/// The rotation cay(ĝ), quaternion (1, g/2)/√(1 + |g|²/4).
pub fn retract(g: &Vector3) -> Quaternion {
    let half = 0.5 * g;
    let square = half.norm_squared();
    // the square of a length beyond all measure has no value
    let length = if square < 1e300 { (1.0 + square).sqrt() } else { half.norm() };
    let scale = 1.0 / length;
    Quaternion { scalar: scale, vector: scale * half }
}

/// The Gibbs–Rodrigues vector of a unit quaternion; infinite for a rotation by exactly π.
pub fn inverse(rotation: Quaternion) -> Vector3 {
    (2.0 / rotation.scalar) * rotation.vector
}

/// The tangent T(g): Ω = T ġ.
pub fn tangent(g: &Vector3) -> Matrix3 {
    tau(g) * (Matrix3::identity() - 0.5 * hat(g))
}

/// The inverse tangent T⁻¹(g): ġ = T⁻¹ Ω.
#[inline]
pub fn tangent_inverse(g: &Vector3) -> Matrix3 {
    Matrix3::identity() + 0.5 * hat(g) + 0.25 * g * g.transpose()
}

/// L(g, x) = ∂(T(g) x)/∂g.
pub fn tangent_derivative(g: &Vector3, x: &Vector3) -> Matrix3 {
    0.5 * tau(g) * (hat(x) - tangent(g) * x * g.transpose())
}

/// ∂(T⁻¹(g) x)/∂g.
#[inline]
pub fn tangent_inverse_derivative(g: &Vector3, x: &Vector3) -> Matrix3 {
    Matrix3::from_diagonal_element(0.25 * g.dot(x)) + 0.25 * g * x.transpose() - 0.5 * hat(x)
}

fn tau(g: &Vector3) -> f64 {
    4.0 / (4.0 + g.norm_squared())
}
