//! Loads of the Galerkin form, the negative gradient of the elastic energy V, and their derivatives.
//!
//! At a point, with f = S F and c = F × ν̂,
//!
//! ```text
//! δV = w (f·δp′ + Qc·δψ_r + h·δg + l·δg′),   h = Tᵀc + Ξ(g′)ᵀM,   l = TᵀM
//! ```
//! Second derivatives are summed over the points in δp and δg, whose columns share blocks, and transformed from δg
//! to δψ by T⁻¹ once per element. The column of the reference section follows from the others: a rigid rotation
//! only rotates the loads.

use super::beam_element::BeamElement;
use super::configuration::SectionVelocities;
use super::configuration::{ElementConfiguration, PointConfiguration};
use super::section_law::SectionLaw;
use super::spatial_vector::{BeamTangent, NodeLoads, SpatialVector};
use cardan_core::math::{Matrix3, Scalar, Vector3, hat};

/// â b̂ = b aᵀ − (a·b) I.
#[inline(always)]
fn hat_hat(a: &Vector3, b: &Vector3) -> Matrix3 {
    b * a.transpose() - Matrix3::from_diagonal_element(a.dot(b))
}

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    /// Adds point k. Forces are final. `angular` is −Σ w (N h + N′ l), for the reference section −Σ w Q c;
    /// `transform_gradient_moments` makes moments of it.
    #[inline(always)]
    pub(super) fn add_gradient(
        &self,
        k: usize,
        at_point: &PointConfiguration<T>,
        stress: &SpatialVector<T>,
        loads: &mut NodeLoads<N, T>,
    ) {
        let shape = &self.shapes[k];
        let c = stress.linear.cross(&at_point.nu);
        let h = at_point.tangent.tr_mul(&c)
            + at_point.turn.gradient(&at_point.g_slope, &stress.angular);
        let l = at_point.tangent.tr_mul(&stress.angular) * shape.weight;
        let h = h * shape.weight;
        let force_W = (at_point.s * stress.linear) * shape.weight;
        for i in 0..N {
            loads[i].linear -= force_W * shape.slope[i];
            match i == Self::REFERENCE {
                true => loads[i].angular -= (at_point.relative * c) * shape.weight,
                false => loads[i].angular -= h * shape.value[i] + l * shape.slope[i],
            }
        }
    }

    /// Transforms the sums of `add_gradient` to moments in section axes.
    #[inline(always)]
    pub(super) fn transform_gradient_moments(
        sections: &ElementConfiguration<N, T>,
        loads: &mut NodeLoads<N, T>,
    ) {
        for i in (0..N).filter(|&i| i != Self::REFERENCE) {
            // the transpose of T⁻¹(g) is T⁻¹(−g)
            let moment = sections.chart.tangent_inverse_product(&-sections.g[i], &loads[i].angular);
            loads[i].angular = moment;
            loads[Self::REFERENCE].angular -= sections.relative[i] * moment;
        }
    }
}

impl<const N: usize, const P: usize> BeamElement<N, P> {
    /// The loads; their tangent is added to `k`.
    #[inline(always)]
    pub(super) fn galerkin(
        &self,
        section_law: &SectionLaw,
        sections: &ElementConfiguration<N>,
        velocities: Option<&SectionVelocities<N>>,
        k: &mut BeamTangent<N>,
    ) -> NodeLoads<N> {
        let r = Self::REFERENCE;
        let law = &section_law.stiffness;
        let mut loads = [SpatialVector::default(); N];
        // derivatives by g of the other sections, before T⁻¹
        let mut force_g = [[Matrix3::zeros(); N]; N];
        let mut moment_g = [[Matrix3::zeros(); N]; N];
        for (point, shape) in self.shapes.iter().enumerate() {
            let at_point = self.point_configuration(sections, point);
            let stress = self.stress(section_law, point, &at_point, velocities);
            self.add_gradient(point, &at_point, &stress, &mut loads);
            let (s, t, w) = (&at_point.s, &at_point.tangent, shape.weight);
            let (force, moment, nu) = (&stress.linear, &stress.angular, &at_point.nu);
            let xi = at_point.turn.tangent_derivative(&at_point.g_slope);
            // derivatives of f
            let nn_nu = law.nn * hat(nu);
            let f_p = w * (s * law.nn * s.transpose());
            let mut f_g = (nn_nu - hat(force)) * t;
            let kk_t = law.kk * t;
            let mut kk_xi = law.kk * xi;
            // derivatives of h and l
            let c = force.cross(nu);
            let inverse_turn = at_point.turn.reversed();
            let mut h_g = t.tr_mul(&((hat_hat(force, nu) - hat(nu) * nn_nu) * t))
                - inverse_turn.tangent_derivative(&c)
                + at_point.turn.hessian(&at_point.g_slope, moment);
            let mut h_slope =
                xi.tr_mul(&kk_t) - inverse_turn.tangent_derivative(moment).transpose();
            let mut f_slope = Matrix3::zeros();
            if section_law.is_coupled {
                let (nk_t, nk_xi) = (law.nk * t, law.nk * xi);
                f_g += nk_xi;
                kk_xi += law.kn * hat(nu) * t;
                h_g -= t.tr_mul(&(hat(nu) * nk_xi));
                h_slope -= t.tr_mul(&(hat(nu) * nk_t));
                f_slope = w * (s * nk_t);
            }
            h_g += xi.tr_mul(&kk_xi);
            let (f_g, h_g, h_slope) = (w * (s * f_g), w * h_g, w * h_slope);
            let l_slope = w * t.tr_mul(&kk_t);
            for i in 0..N {
                for j in 0..=i {
                    k.force_p[i][j] += (shape.slope[i] * shape.slope[j]) * f_p;
                }
            }
            for j in (0..N).filter(|&j| j != r) {
                let mut column = shape.value[j] * f_g;
                if section_law.is_coupled {
                    column += shape.slope[j] * f_slope;
                }
                for i in 0..N {
                    force_g[i][j] += shape.slope[i] * column;
                }
                let (n, d) = (shape.value[j], shape.slope[j]);
                for i in (0..=j).filter(|&i| i != r) {
                    let (ni, di) = (shape.value[i], shape.slope[i]);
                    moment_g[i][j] += (ni * n) * h_g
                        + (ni * d) * h_slope
                        + (di * n) * h_slope.transpose()
                        + (di * d) * l_slope;
                }
            }
        }
        let gradient_sums = loads;
        Self::transform_gradient_moments(sections, &mut loads);
        for i in 0..N {
            for j in 0..i {
                k.force_p[j][i] = k.force_p[i][j];
            }
        }
        let mut inverse = [Matrix3::identity(); N];
        for j in (0..N).filter(|&j| j != r) {
            inverse[j] = sections.inverse(j);
        }
        for j in (0..N).filter(|&j| j != r) {
            for i in 0..N {
                k.force_psi[i][j] = force_g[i][j] * inverse[j];
                k.moment_p[j][i] = k.force_psi[i][j].transpose();
            }
            for i in (0..=j).filter(|&i| i != r) {
                let mut block = inverse[i].tr_mul(&moment_g[i][j]);
                if i == j {
                    let b = &gradient_sums[i].angular;
                    block += sections.chart.tangent_inverse_derivative(&-sections.g[i], b);
                }
                k.moment_psi[i][j] = block * inverse[j];
                if i != j {
                    k.moment_psi[j][i] = k.moment_psi[i][j].transpose();
                }
            }
        }
        // the column of the reference section, then its row by symmetry
        for i in 0..N {
            k.force_psi[i][r] = sections.rigid(&k.force_p[i], &k.force_psi[i])
                + hat(&loads[i].linear) * sections.s[r];
            k.moment_p[r][i] = k.force_psi[i][r].transpose();
        }
        for i in (0..N).filter(|&i| i != r) {
            k.moment_psi[i][r] = sections.rigid(&k.moment_p[i], &k.moment_psi[i]);
            k.moment_psi[r][i] = k.moment_psi[i][r].transpose();
        }
        k.moment_psi[r][r] = sections.rigid(&k.moment_p[r], &k.moment_psi[r]);
        loads
    }
}

impl<const N: usize> ElementConfiguration<N> {
    /// The column over the rotation of the reference section that makes a rigid rotation about it leave the load
    /// unchanged: Σ K_p [p − p_r] S_r − Σ K_ψ Qᵀ.
    #[inline(always)]
    pub(super) fn rigid(&self, p: &[Matrix3; N], psi: &[Matrix3; N]) -> Matrix3 {
        let r = (N - 1) / 2;
        let mut by_positions = Matrix3::zeros();
        let mut by_rotations = Matrix3::zeros();
        for i in (0..N).filter(|&i| i != r) {
            by_positions += p[i] * hat(&(self.p[i] - self.p[r]));
            by_rotations += psi[i] * self.relative[i].transpose();
        }
        by_positions * self.s[r] - by_rotations
    }
}
