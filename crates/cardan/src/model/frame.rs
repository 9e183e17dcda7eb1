//! A body as its constraints see it: where it is and how it is turned.

use cardan_core::math::Scalar;
use cardan_core::math::generic::{Matrix3, Vector3};

/// A position in inertial axes and a rotation from body to world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame<T = f64> {
    /// The origin of the frame.
    pub position: Vector3<T>,
    /// Body to world.
    pub rotation: Matrix3<T>,
}

impl<T: Scalar> Frame<T> {
    /// The ground.
    pub fn ground() -> Self {
        Self { position: Vector3::zeros(), rotation: Matrix3::identity() }
    }

    /// A vector given in body axes, in the world.
    #[inline]
    pub(in crate::model) fn to_world(&self, a: &Vector3<T>) -> Vector3<T> {
        self.rotation * a
    }

    /// A point given in body axes, in the world.
    #[inline]
    pub(in crate::model) fn point(&self, s: &Vector3<T>) -> Vector3<T> {
        self.position + self.to_world(s)
    }
}
