//! Vectors over the columns of two bodies, and a rolling disc on body 2.

use cardan_core::math::generic::Vector3;
use cardan_core::math::{Scalar, constants};

/// Velocities, or any vector over the four columns p_WA_W, θ_A, p_WB_W, θ_B of body 1 (A) and body 2 (B).
pub type PairVelocity<T = f64> = [Vector3<T>; 4];

/// A disc on body 2 that touches a plane fixed in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingDisc<T = f64> {
    /// The centre of the disc, axes of body 2.
    pub centre: Vector3<T>,
    /// The unit vector along the axis of the disc, axes of body 2.
    pub axis: Vector3<T>,
    /// The radius of the disc.
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
