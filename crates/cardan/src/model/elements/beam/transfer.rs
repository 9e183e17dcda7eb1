//! Tangents over sections, transferred to nodes.

use super::beam_element::BeamElement;
use super::spatial_vector::{BeamTangent, NodeLoads};
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::{Vector3, hat};

impl<const N: usize, const P: usize> BeamElement<N, P> {
    /// Carries a tangent from sections to nodes; with loads also what turning the arms does to them.
    ///
    /// δp = δx − R[o]δθ, δψ = R̃ᵀδθ; μ = R̃μ̂ + o × Rᵀφ.
    pub(super) fn transfer_tangent(
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
            let angular = at.frames[node].rotation * hat(&omega.cross(&mount.offset));
            // k still has columns over ψ: δθ = R̃ δψ
            let angular = angular * mount.rotation;
            for i in 0..N {
                k.force_psi[i][j] -= damping.force_p[i][j] * angular;
                k.moment_psi[i][j] -= damping.moment_p[i][j] * angular;
            }
        }
    }
}
