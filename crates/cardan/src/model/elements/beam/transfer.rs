//! Transfer of tangents from sections to nodes.

use super::beam_element::BeamElement;
use super::spatial_vector::{BeamTangent, NodeLoads};
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::{Vector3, hat};

impl<const N: usize, const P: usize> BeamElement<N, P> {
    /// Transfers a tangent from sections to nodes. `loads` add the derivative of the moments o × Rᵀφ by the rotation
    /// of the node.
    ///
    /// δp = δx − R[o]δθ, δψ = R̃ᵀδθ; the force φ acts on the node unchanged, the moment μ̂ as μ = R̃μ̂ + o × Rᵀφ.
    /// Here x = p_WN_W, R = R_WN, o = p_NS_N, R̃ = R_NS.
    #[inline(always)]
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
            let R_WN = &at.frames[self.nodes[j]].rotation;
            let arm = R_WN * hat(&mount.offset);
            for i in 0..N {
                k.force_psi[i][j] =
                    k.force_psi[i][j] * mount.rotation.transpose() - k.force_p[i][j] * arm;
                k.moment_psi[i][j] =
                    k.moment_psi[i][j] * mount.rotation.transpose() - k.moment_p[i][j] * arm;
            }
        }
        for (j, mount) in self.mounts.iter().enumerate() {
            if mount.is_plain {
                continue;
            }
            let R_WN = &at.frames[self.nodes[j]].rotation;
            let arm = hat(&mount.offset) * R_WN.transpose();
            for i in 0..N {
                k.moment_p[j][i] = mount.rotation * k.moment_p[j][i] + arm * k.force_p[j][i];
                k.moment_psi[j][i] = mount.rotation * k.moment_psi[j][i] + arm * k.force_psi[j][i];
            }
            if let Some(loads) = loads {
                let force_hat_N = hat(&R_WN.tr_mul(&loads[j].linear));
                k.moment_psi[j][j] -= hat(&mount.offset) * force_hat_N;
            }
        }
    }

    /// Adds to the stiffness that ṗ = ẋ + R(ω × o) depends on the rotation of the node, through the damping.
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
            let w_WN_N = at.nodes[node].velocity(1, v);
            let by_theta = at.frames[node].rotation * hat(&w_WN_N.cross(&mount.offset));
            // the columns of k are over ψ: δθ = R̃ δψ
            let by_psi = by_theta * mount.rotation;
            for i in 0..N {
                k.force_psi[i][j] -= damping.force_p[i][j] * by_psi;
                k.moment_psi[i][j] -= damping.moment_p[i][j] * by_psi;
            }
        }
    }
}
