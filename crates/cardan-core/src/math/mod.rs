//! Rotations: unit quaternions, the exponential and Cayley charts, their tangents and derivatives.
//!
//! Conventions: body to world, right multiplication `R ← R·ret(g)`, angular velocity in the body
//! frame, so that `Ω = T(g) ġ` for `R = R_ref·ret(g)`.

pub mod cayley;
pub mod chart;
pub mod exponential;
pub(crate) mod lane;
mod quaternion;
mod scalar;
mod series;
mod turn;

pub use chart::Chart;
pub use quaternion::Quaternion;
pub use scalar::Scalar;
pub use turn::Turn;

/// A vector in space.
pub type Vector3 = nalgebra::Vector3<f64>;
/// A 3×3 matrix.
pub type Matrix3 = nalgebra::Matrix3<f64>;

/// Vectors and matrices over any scalar, for kernels. Elsewhere the plain ones are used, for which the compiler
/// need not infer the scalar of `Vector3::new(0.0, 0.0, 1.0)`.
pub mod generic {
    /// A vector in space.
    pub type Vector3<T = f64> = nalgebra::Vector3<T>;
    /// A 3×3 matrix.
    pub type Matrix3<T = f64> = nalgebra::Matrix3<T>;
}

/// The cross-product matrix: `hat(a) b = a × b`.
#[inline]
pub fn hat<T: Scalar>(a: &generic::Vector3<T>) -> generic::Matrix3<T> {
    let zero = T::zero();
    generic::Matrix3::new(zero, -a.z, a.y, a.z, zero, -a.x, -a.y, a.x, zero)
}

/// |a|².
#[inline]
pub fn square<T: Scalar>(a: &generic::Vector3<T>) -> T {
    a.dot(a)
}

/// |a|.
#[inline]
pub fn norm<T: Scalar>(a: &generic::Vector3<T>) -> T {
    square(a).sqrt()
}

/// A constant vector, converted to the scalar in use.
#[inline]
pub fn constants<T: Scalar>(a: &Vector3) -> generic::Vector3<T> {
    a.map(T::constant)
}

/// Runs a function compiled for the vector instructions AVX2 and FMA if the processor has them; all that it calls
/// must be inlined into it. Results do not depend on it: products and sums are not fused.
#[inline]
pub fn with_vector_instructions<R>(function: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(processor) = pulp::x86::V3::try_new() {
        return processor.vectorize(function);
    }
    function()
}

/// The largest absolute value.
#[inline]
pub fn largest(values: &[f64]) -> f64 {
    let larger = |largest: f64, x: f64| if x > largest { x } else { largest };
    let (whole, rest) = values.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for values in whole {
        for (lane, x) in lanes.iter_mut().zip(values) {
            *lane = larger(*lane, x.abs());
        }
    }
    lanes.into_iter().chain(rest.iter().map(|x| x.abs())).fold(0.0, larger)
}

/// Whether no value is infinite or NaN.
#[inline]
pub fn all_finite(values: &[f64]) -> bool {
    // zero times a number is zero, times infinity or NaN it is NaN
    let (whole, rest) = values.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for values in whole {
        for (lane, x) in lanes.iter_mut().zip(values) {
            *lane += 0.0 * x;
        }
    }
    lanes == [0.0; 4] && rest.iter().all(|x| x.is_finite())
}

/// aᵀ b.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `y += a x`.
#[inline]
pub fn add_scaled(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// The larger of two; NaN is larger than everything.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}
