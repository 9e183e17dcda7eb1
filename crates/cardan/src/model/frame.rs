//! The pose of a body: position and rotation.

use cardan_core::math::Scalar;
use cardan_core::math::generic::{Matrix3, Vector3};

/// The pose of a frame B in the world W: X_WB in the notation of docs/notation.md.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame<T = f64> {
    /// p_WB_W: the origin of the frame, world axes.
    pub position: Vector3<T>,
    /// R_WB: the rotation from body to world axes.
    pub rotation: Matrix3<T>,
}

impl<T: Scalar> Frame<T> {
    /// The pose of the ground.
    pub fn ground() -> Self {
        Self { position: Vector3::zeros(), rotation: Matrix3::identity() }
    }

    /// Transforms a vector from body to world axes.
    #[inline]
    pub(in crate::model) fn world_vector(&self, a: &Vector3<T>) -> Vector3<T> {
        self.rotation * a
    }

    /// The position in the world of a point given in body axes.
    #[inline]
    pub(in crate::model) fn point(&self, s: &Vector3<T>) -> Vector3<T> {
        self.position + self.world_vector(s)
    }
}
