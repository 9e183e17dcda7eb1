//! Where a beam sits on a node, and how loads and tangents over sections are carried to nodes.

use super::super::super::node_measure::PositionKinematics;
use super::{BeamElement, BeamTangent, NodeLoads, SpatialVector};
use crate::model::Frame;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, hat};

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

impl<const N: usize, const P: usize> BeamElement<N, P> {
    /// Carries a tangent from sections to nodes; with loads also what turning the arms does to them.
    ///
    /// δp = δx − R[o]δθ, δψ = R̃ᵀδθ; μ = R̃μ̂ + o × Rᵀφ.
    pub(super) fn carry(
        &self,
        at: PositionKinematics<'_>,
        k: &mut BeamTangent<N>,
        loads: Option<&NodeLoads<N>>,
    ) {
        for (j, mount) in self.mounts.iter().enumerate() {
            if mount.is_plain {
                continue;
            }
            let rotation = &at.frames[self.nodes[j]].rotation;
            let lever = rotation * hat(&mount.offset);
            for i in 0..N {
                k.force_psi[i][j] =
                    k.force_psi[i][j] * mount.rotation.transpose() - k.force_p[i][j] * lever;
                k.moment_psi[i][j] =
                    k.moment_psi[i][j] * mount.rotation.transpose() - k.moment_p[i][j] * lever;
            }
        }
        for (j, mount) in self.mounts.iter().enumerate() {
            if mount.is_plain {
                continue;
            }
            let rotation = &at.frames[self.nodes[j]].rotation;
            let arm = hat(&mount.offset) * rotation.transpose();
            for i in 0..N {
                k.moment_p[j][i] = mount.rotation * k.moment_p[j][i] + arm * k.force_p[j][i];
                k.moment_psi[j][i] = mount.rotation * k.moment_psi[j][i] + arm * k.force_psi[j][i];
            }
            if let Some(loads) = loads {
                let turned = hat(&rotation.tr_mul(&loads[j].linear));
                k.moment_psi[j][j] -= hat(&mount.offset) * turned;
            }
        }
    }

    /// At fixed node velocities ṗ = ẋ + R(ω × o) turns with the node: what damping makes of that.
    pub(super) fn viscous_tangent(
        &self,
        at: PositionKinematics<'_>,
        v: &[f64],
        damping: &BeamTangent<N>,
        k: &mut BeamTangent<N>,
    ) {
        for (j, mount) in self.mounts.iter().enumerate() {
            if mount.offset == Vector3::zeros() {
                continue;
            }
            let node = self.nodes[j];
            let omega = at.nodes[node].velocity(1, v);
            let swing = at.frames[node].rotation * hat(&omega.cross(&mount.offset));
            // k still has columns over ψ: δθ = R̃ δψ
            let swing = swing * mount.rotation;
            for i in 0..N {
                k.force_psi[i][j] -= damping.force_p[i][j] * swing;
                k.moment_psi[i][j] -= damping.moment_p[i][j] * swing;
            }
        }
    }
}
