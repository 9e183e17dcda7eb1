//! The choice of chart as a value, so that a method can name its own.

use serde::{Deserialize, Serialize};

use super::{Matrix3, Quaternion, Vector3, cayley, exponential};

/// How a tangent increment moves a rotation: `R ← R·ret(g)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chart {
    /// The rotation vector; exact for steady spin.
    Exponential,
    /// Cayley–Gibbs–Rodrigues; the papers' choice, with a speed limit.
    Cayley,
}

macro_rules! dispatch {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $kind:ty),*) -> $out:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(self, $($arg: $kind),*) -> $out {
            match self {
                Self::Exponential => exponential::$name($($arg),*),
                Self::Cayley => cayley::$name($($arg),*),
            }
        }
    )*};
}

impl Chart {
    dispatch! {
        /// The rotation of a chart vector.
        retract(g: &Vector3) -> Quaternion;
        /// The chart vector of a rotation.
        inverse(rotation: Quaternion) -> Vector3;
        /// T(g): Ω = T ġ.
        tangent(g: &Vector3) -> Matrix3;
        /// T⁻¹(g): ġ = T⁻¹ Ω.
        tangent_inverse(g: &Vector3) -> Matrix3;
        /// L(g, x) = ∂(T(g) x)/∂g.
        tangent_derivative(g: &Vector3, x: &Vector3) -> Matrix3;
        /// ∂(T⁻¹(g) x)/∂g.
        tangent_inverse_derivative(g: &Vector3, x: &Vector3) -> Matrix3;
    }
}
