//! Vectors over the columns of two bodies, and a disc on the second.

use cardan_core::math::generic::Vector3;
use cardan_core::math::{Scalar, constants};

/// Velocities, or any vector over the four columns: x₁, θ₁, x₂, θ₂.
pub type PairVelocity<T = f64> = [Vector3<T>; 4];

/// A disc that may touch a plane fixed in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingDisc<T = f64> {
    /// Its centre on body 2.
    pub centre: Vector3<T>,
    /// Its axis on body 2, of length one.
    pub axis: Vector3<T>,
    /// Its radius.
    pub radius: T,
}

impl RollingDisc {
    /// The disc with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> RollingDisc<U> {
        RollingDisc {
            centre: constants(&self.centre),
            axis: constants(&self.axis),
            radius: U::constant(self.radius),
        }
    }
}
