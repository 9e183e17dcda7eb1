//! The pose of a beam section on a node. N is the frame of the node, S that of the section.

use super::spatial_vector::SpatialVector;
use crate::model::Frame;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants};

/// The pose of a section on its node, body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct Mount<T = f64> {
    /// o = p_NS_N: p_WS_W = p_WN_W + R_WN o.
    pub offset: Vector3<T>,
    /// R̃ = R_NS: R_WS = R_WN R̃.
    pub rotation: Matrix3<T>,
    /// Whether the section coincides with the node.
    pub is_plain: bool,
}

impl Mount {
    /// The mount of a section with position p_WS_W and rotation R_WS on a node with pose X_WN.
    pub fn new(X_WN: &Frame<f64>, p_WS_W: &Vector3, R_WS: &Matrix3, length: f64) -> Self {
        // differences at the level of round-off are no offset
        let remove_round_off = |x: f64| if x.abs() < 1e-13 * length { 0.0 } else { x };
        let p_NS_N = X_WN.rotation.tr_mul(&(p_WS_W - X_WN.position)).map(remove_round_off);
        let R_NS = X_WN.rotation.tr_mul(R_WS);
        let is_rotated = (R_NS - Matrix3::identity()).amax() > 1e-15;
        let rotation = if is_rotated { R_NS } else { Matrix3::identity() };
        let is_plain = !is_rotated && p_NS_N == Vector3::zeros();
        Self { offset: p_NS_N, rotation, is_plain }
    }

    /// The mount with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Mount<U> {
        let (offset, rotation) = (constants(&self.offset), self.rotation.map(U::constant));
        Mount { offset, rotation, is_plain: self.is_plain }
    }
}

impl<T: Scalar> Mount<T> {
    /// p_WS_W.
    #[inline]
    pub fn point(&self, X_WN: &Frame<T>) -> Vector3<T> {
        if self.is_plain { X_WN.position } else { X_WN.position + X_WN.rotation * self.offset }
    }

    /// R_WS.
    #[inline]
    pub fn section_rotation(&self, R_WN: &Matrix3<T>) -> Matrix3<T> {
        if self.is_plain { *R_WN } else { R_WN * self.rotation }
    }

    /// Transfers a load on the section (moment in section axes) to the node: a force in world axes, and a moment
    /// about the node in body axes.
    #[inline]
    pub fn transfer(&self, load: &SpatialVector<T>, R_WN: &Matrix3<T>) -> (Vector3<T>, Vector3<T>) {
        if self.is_plain {
            return (load.linear, load.angular);
        }
        let moment_of_force_N = self.offset.cross(&R_WN.tr_mul(&load.linear));
        (load.linear, self.rotation * load.angular + moment_of_force_N)
    }
}
