//! Rotations: unit quaternions, the exponential and Cayley charts, their tangents and derivatives.
//!
//! Conventions: body to world, right multiplication `R ← R·ret(g)`, angular velocity in the body
//! frame, so that `Ω = T(g) ġ` for `R = R_ref·ret(g)`.

pub mod cayley;
pub mod chart;
pub mod exponential;
mod quaternion;
mod series;
mod turn;

pub use chart::Chart;
pub use quaternion::Quaternion;
pub use turn::Turn;

/// A vector in space.
pub type Vector3 = nalgebra::Vector3<f64>;
/// A 3×3 matrix.
pub type Matrix3 = nalgebra::Matrix3<f64>;

/// The cross-product matrix: `hat(a) b = a × b`.
#[inline]
pub fn hat(a: &Vector3) -> Matrix3 {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// The largest absolute value.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()))
}

/// aᵀ b.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `y += a x`.
pub(crate) fn add_scaled(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// The larger of two; not a number is larger than anything.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}
