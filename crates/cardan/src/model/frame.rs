//! A body as its constraints see it: where it is and how it is turned.

use nalgebra::{Matrix3, RealField, Vector3};

/// A position in inertial axes and a rotation from body to world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame<T: RealField + Copy> {
    /// The origin of the frame.
    pub position: Vector3<T>,
    /// Body to world.
    pub rotation: Matrix3<T>,
}

impl<T: RealField + Copy> Frame<T> {
    /// The ground.
    pub fn ground() -> Self {
        Self { position: Vector3::zeros(), rotation: Matrix3::identity() }
    }

    /// A vector given in body axes, in the world.
    pub(in crate::model) fn turned(&self, a: &crate::math::Vector3) -> Vector3<T> {
        self.rotation * a.map(scalar)
    }

    /// A point given in body axes, in the world.
    pub(in crate::model) fn point(&self, s: &crate::math::Vector3) -> Vector3<T> {
        self.position + self.turned(s)
    }
}

/// A plain number as the scalar in use.
pub(in crate::model) fn scalar<T: RealField + Copy>(x: f64) -> T {
    nalgebra::convert(x)
}
