//! Where a beam sits on a node.

use super::spatial_vector::SpatialVector;
use crate::model::Frame;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants};

/// A section's place on its node, body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct Mount<T = f64> {
    /// o: p = x + R o.
    pub offset: Vector3<T>,
    /// R̃: S = R R̃.
    pub rotation: Matrix3<T>,
    /// Whether the section is the node itself.
    pub is_plain: bool,
}

impl Mount {
    /// A section at p turned by S, on a node at a frame.
    pub fn new(frame: &Frame<f64>, p: &Vector3, s: &Matrix3, length: f64) -> Self {
        // round-off of equal halves is not an offset
        let tidy = |x: f64| if x.abs() < 1e-13 * length { 0.0 } else { x };
        let offset = frame.rotation.tr_mul(&(p - frame.position)).map(tidy);
        let rotation = frame.rotation.tr_mul(s);
        let turned = (rotation - Matrix3::identity()).amax() > 1e-15;
        let rotation = if turned { rotation } else { Matrix3::identity() };
        Self { offset, rotation, is_plain: !turned && offset == Vector3::zeros() }
    }

    /// The mount with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Mount<U> {
        let (offset, rotation) = (constants(&self.offset), self.rotation.map(U::constant));
        Mount { offset, rotation, is_plain: self.is_plain }
    }
}

impl<T: Scalar> Mount<T> {
    /// p.
    #[inline]
    pub fn point(&self, frame: &Frame<T>) -> Vector3<T> {
        if self.is_plain { frame.position } else { frame.position + frame.rotation * self.offset }
    }

    /// S.
    #[inline]
    pub fn turned(&self, rotation: &Matrix3<T>) -> Matrix3<T> {
        if self.is_plain { *rotation } else { rotation * self.rotation }
    }

    /// A load on the section as a force in world axes and a moment about the node in body axes.
    #[inline]
    pub fn transfer(
        &self,
        load: &SpatialVector<T>,
        rotation: &Matrix3<T>,
    ) -> (Vector3<T>, Vector3<T>) {
        if self.is_plain {
            return (load.linear, load.angular);
        }
        let arm = self.offset.cross(&rotation.tr_mul(&load.linear));
        (load.linear, self.rotation * load.angular + arm)
    }
}
