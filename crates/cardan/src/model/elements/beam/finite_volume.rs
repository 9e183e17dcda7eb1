//! Loads of the finite-volume form: the beam is cut at its evaluation points, and each node is loaded by the
//! stresses on the faces of its volume. These loads are not the gradient of an energy.

use super::beam_element::BeamElement;
use super::configuration::{ElementConfiguration, PointConfiguration, SectionVelocities};
use super::kinematics::sides;
use super::section_law::SectionLaw;
use super::spatial_vector::{BeamTangent, NodeLoads, SpatialVector};
use cardan_core::math::{Matrix3, Scalar, Vector3, hat};

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    /// Adds the stress at point k to the sections on both sides, with moments in world axes.
    #[inline(always)]
    pub(super) fn add_cut(
        &self,
        k: usize,
        sections: &ElementConfiguration<N, T>,
        at_point: &PointConfiguration<T>,
        stress: &SpatialVector<T>,
        loads: &mut NodeLoads<N, T>,
    ) {
        let (force_W, moment_W) = (at_point.s * stress.linear, at_point.s * stress.angular);
        for (i, sign) in sides(k) {
            let sign = T::constant(sign);
            loads[i].linear += force_W * sign;
            loads[i].angular += (moment_W + (at_point.p - sections.p[i]).cross(&force_W)) * sign;
        }
    }

    /// Transforms the moments from world to section axes.
    #[inline(always)]
    pub(super) fn transform_cut_moments(
        sections: &ElementConfiguration<N, T>,
        loads: &mut NodeLoads<N, T>,
    ) {
        for (load, s) in loads.iter_mut().zip(&sections.s) {
            load.angular = s.tr_mul(&load.angular);
        }
    }
}

impl<const N: usize, const P: usize> BeamElement<N, P> {
    /// The loads; their tangent is added to `k`.
    #[inline(always)]
    pub(super) fn finite_volume(
        &self,
        section_law: &SectionLaw,
        sections: &ElementConfiguration<N>,
        velocities: Option<&SectionVelocities<N>>,
        k: &mut BeamTangent<N>,
    ) -> NodeLoads<N> {
        let r = Self::REFERENCE;
        let law = &section_law.stiffness;
        let mut loads = [SpatialVector::default(); N];
        // derivatives by g of the other sections, before T⁻¹; moments in world axes
        let mut force_g = [[Matrix3::zeros(); N]; N];
        let mut moment_g = [[Matrix3::zeros(); N]; N];
        for (point, shape) in self.shapes.iter().enumerate() {
            let at_point = self.point_configuration(sections, point);
            let stress = self.stress(section_law, point, &at_point, velocities);
            self.add_cut(point, sections, &at_point, &stress, &mut loads);
            let (s, t) = (&at_point.s, &at_point.tangent);
            let (force, moment, nu) = (&stress.linear, &stress.angular, &at_point.nu);
            let xi = at_point.turn.tangent_derivative(&at_point.g_slope);
            let force_W: Vector3 = s * force;
            // derivatives of f = S F and n = S M by p′, g, g′
            let f_p = s * law.nn * s.transpose();
            let mut f_g = (law.nn * hat(nu) - hat(force)) * t;
            let mut n_g = law.kk * xi - hat(moment) * t;
            let n_slope = s * (law.kk * t);
            let (mut f_slope, mut n_p) = (Matrix3::zeros(), Matrix3::zeros());
            if section_law.is_coupled {
                f_g += law.nk * xi;
                n_g += law.kn * hat(nu) * t;
                f_slope = s * (law.nk * t);
                n_p = s * law.kn * s.transpose();
            }
            let (f_g, n_g) = (s * f_g, s * n_g);
            let force_hat = hat(&force_W);
            for (i, sign) in sides(point) {
                let arm = hat(&(at_point.p - sections.p[i]));
                let (mut m_p, mut m_slope) = (arm * f_p, n_slope);
                if section_law.is_coupled {
                    m_p += n_p;
                    m_slope += arm * f_slope;
                }
                let m_g = n_g + arm * f_g;
                for j in 0..N {
                    let (value, slope) = (sign * shape.value[j], sign * shape.slope[j]);
                    k.force_p[i][j] -= slope * f_p;
                    let own = if i == j { sign } else { 0.0 };
                    k.moment_p[i][j] -= slope * m_p - (value - own) * force_hat;
                    if j != r {
                        force_g[i][j] -= value * f_g;
                        moment_g[i][j] -= value * m_g + slope * m_slope;
                        if section_law.is_coupled {
                            force_g[i][j] -= slope * f_slope;
                        }
                    }
                }
            }
        }
        Self::transform_cut_moments(sections, &mut loads);
        let mut inverse = [Matrix3::identity(); N];
        for j in (0..N).filter(|&j| j != r) {
            inverse[j] = sections.inverse(j);
        }
        for i in 0..N {
            let to_section = sections.s[i].transpose();
            for j in 0..N {
                k.moment_p[i][j] = to_section * k.moment_p[i][j];
                if j != r {
                    k.force_psi[i][j] = force_g[i][j] * inverse[j];
                    k.moment_psi[i][j] = to_section * moment_g[i][j] * inverse[j];
                    if i == j {
                        k.moment_psi[i][i] -= hat(&loads[i].angular);
                    }
                }
            }
            k.force_psi[i][r] = sections.rigid(&k.force_p[i], &k.force_psi[i])
                + hat(&loads[i].linear) * sections.s[r];
            k.moment_psi[i][r] = sections.rigid(&k.moment_p[i], &k.moment_psi[i]);
        }
        loads
    }
}
