//! The choice of chart as a value, so that each method has its default.

use serde::{Deserialize, Serialize};

use super::generic::{Matrix3, Vector3};
use super::{Quaternion, Scalar, cayley, exponential, series, square};

/// How a tangent increment moves a rotation: `R ← R·ret(g)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chart {
    /// The rotation vector; exact for steady spin.
    Exponential,
    /// Cayley–Gibbs–Rodrigues, as in the papers; the rotation per step is limited.
    Cayley,
}

macro_rules! dispatch {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $kind:ty),*) -> $out:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name<T: Scalar>(self, $($arg: $kind),*) -> $out {
            match self {
                Self::Exponential => exponential::$name($($arg),*),
                Self::Cayley => cayley::$name($($arg),*),
            }
        }
    )*};
}

/// asin(s)/s = Σ cₖ s²ᵏ.
const ARCSINE: [f64; 10] = [
    1.0,
    1.0 / 6.0,
    3.0 / 40.0,
    5.0 / 112.0,
    35.0 / 1152.0,
    63.0 / 2816.0,
    231.0 / 13312.0,
    143.0 / 10240.0,
    6435.0 / 557_056.0,
    12155.0 / 1_245_184.0,
];

/// Below this squared sine the ten terms above are exact to round-off.
const SMALL_SINE: f64 = 0.02;
/// Below this squared sine six of them are.
const TINY_SINE: f64 = 2e-3;

impl Chart {
    /// The chart vector of a rotation matrix.
    #[inline(always)]
    pub fn of_matrix<T: Scalar>(self, r: &Matrix3<T>) -> Vector3<T> {
        let c = T::constant;
        // sin φ along the axis; 1 + tr R = 2 (1 + cos φ)
        let sine =
            Vector3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)])
                * c(0.5);
        let trace = r.trace();
        let general = || self.inverse(Quaternion::from_matrix(r)).into();
        let vector: [T; 3] = match self {
            Self::Exponential => {
                let square = square(&sine);
                let small = || {
                    let all =
                        || [ARCSINE.iter().rev().fold(T::zero(), |sum, x| sum * square + c(*x))];
                    let few = || match ARCSINE.first_chunk() {
                        Some(first) => [series::six_terms(first, square)],
                        None => all(),
                    };
                    let [sum] = square.below(TINY_SINE, few, all);
                    (sine * sum).into()
                };
                square.below(SMALL_SINE, || trace.below(1.0, general, small), general)
            }
            Self::Cayley => {
                trace.below(0.0, general, || (sine * (c(4.0) / (T::one() + trace))).into())
            }
        };
        vector.into()
    }

    dispatch! {
        /// The rotation of a chart vector.
        retract(g: &Vector3<T>) -> Quaternion<T>;
        /// The chart vector of a rotation.
        inverse(rotation: Quaternion<T>) -> Vector3<T>;
        /// T(g): Ω = T ġ.
        tangent(g: &Vector3<T>) -> Matrix3<T>;
        /// T⁻¹(g): ġ = T⁻¹ Ω.
        tangent_inverse(g: &Vector3<T>) -> Matrix3<T>;
        /// T⁻¹(g) x.
        tangent_inverse_product(g: &Vector3<T>, x: &Vector3<T>) -> Vector3<T>;
        /// L(g, x) = ∂(T(g) x)/∂g.
        tangent_derivative(g: &Vector3<T>, x: &Vector3<T>) -> Matrix3<T>;
        /// ∂(T⁻¹(g) x)/∂g.
        tangent_inverse_derivative(g: &Vector3<T>, x: &Vector3<T>) -> Matrix3<T>;
    }
}
