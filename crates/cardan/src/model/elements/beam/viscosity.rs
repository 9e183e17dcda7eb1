//! Rates of strain, and the terms of section viscosity in the tangents.

use super::beam_element::BeamElement;
use super::configuration::{ElementConfiguration, PointConfiguration, SectionVelocities};
use super::kinematics::sides;
use super::section_law::SectionMatrix;
use super::spatial_vector::{BeamTangent, SpatialVector};
use crate::model::BeamForm;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, hat};

/// The velocities of an evaluation point.
struct PointVelocities<T = f64> {
    /// ġ.
    g: Vector3<T>,
    /// ġ′.
    g_slope: Vector3<T>,
    /// ṗ′.
    p_slope: Vector3<T>,
    /// Qᵀω̂_r.
    reference_omega: Vector3<T>,
    /// ω̂ = Qᵀω̂_r + T ġ.
    omega: Vector3<T>,
}

/// An evaluation point of an element at a configuration.
pub(super) struct ElementPoint<'a, const N: usize> {
    pub k: usize,
    pub form: BeamForm,
    pub configuration: &'a ElementConfiguration<N>,
    pub point: &'a PointConfiguration,
}

/// Derivatives of force and moment (rows) by p and ψ of every section (columns).
struct StressRows<const N: usize> {
    force_p: [Matrix3; N],
    force_psi: [Matrix3; N],
    moment_p: [Matrix3; N],
    moment_psi: [Matrix3; N],
}

impl<const N: usize> StressRows<N> {
    fn new(law: &SectionMatrix, rows: &StrainRows<N>) -> Self {
        let nu = &rows.nu_psi;
        let kappa = &rows.kappa_psi;
        Self {
            force_p: rows.nu_p.map(|x| law.nn * x),
            force_psi: std::array::from_fn(|j| law.nn * nu[j] + law.nk * kappa[j]),
            moment_p: rows.nu_p.map(|x| law.kn * x),
            moment_psi: std::array::from_fn(|j| law.kn * nu[j] + law.kk * kappa[j]),
        }
    }
}

/// Derivatives of ν and κ (rows) by p and ψ of every section (columns).
struct StrainRows<const N: usize> {
    nu_p: [Matrix3; N],
    nu_psi: [Matrix3; N],
    kappa_psi: [Matrix3; N],
}

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    /// The velocities of the sections.
    pub(super) fn section_velocities(
        &self,
        sections: &ElementConfiguration<N, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> SectionVelocities<N, T> {
        let r = Self::REFERENCE;
        let mut p = [Vector3::zeros(); N];
        let mut omega = [Vector3::zeros(); N];
        for (i, mount) in self.mounts.iter().enumerate() {
            let (node, R_WN) = (&at.nodes[self.nodes[i]], &at.frames[self.nodes[i]].rotation);
            let w_WN_N = node.velocity(1, v);
            p[i] = node.velocity(0, v) + R_WN * w_WN_N.cross(&mount.offset);
            omega[i] = mount.rotation.tr_mul(&w_WN_N);
        }
        let u: [Vector3<T>; N] = std::array::from_fn(|i| match i == r {
            true => Vector3::zeros(),
            false => omega[i] - sections.relative[i].tr_mul(&omega[r]),
        });
        let g =
            std::array::from_fn(|i| sections.chart.tangent_inverse_product(&sections.g[i], &u[i]));
        SectionVelocities { p, omega, u, g }
    }

    /// The velocities of evaluation point k.
    fn point_velocities(
        &self,
        k: usize,
        at_point: &PointConfiguration<T>,
        motion: &SectionVelocities<N, T>,
    ) -> PointVelocities<T> {
        let shape = &self.shapes[k];
        let interpolate = |weights: &[T; N], vectors: &[Vector3<T>; N]| -> Vector3<T> {
            weights.iter().zip(vectors).map(|(w, x)| x * *w).sum()
        };
        let g = interpolate(&shape.value, &motion.g);
        let reference_omega = at_point.relative.tr_mul(&motion.omega[Self::REFERENCE]);
        PointVelocities {
            g,
            g_slope: interpolate(&shape.slope, &motion.g),
            p_slope: interpolate(&shape.slope, &motion.p),
            reference_omega,
            omega: reference_omega + at_point.tangent * g,
        }
    }

    /// ν̇ and κ̇ at point k.
    pub(super) fn rate(
        &self,
        k: usize,
        at_point: &PointConfiguration<T>,
        motion: &SectionVelocities<N, T>,
    ) -> SpatialVector<T> {
        let velocities = self.point_velocities(k, at_point, motion);
        let xi = at_point.turn.tangent_derivative(&at_point.g_slope);
        SpatialVector {
            linear: at_point.s.tr_mul(&velocities.p_slope) + at_point.nu.cross(&velocities.omega),
            angular: at_point.tangent * velocities.g_slope + xi * velocities.g,
        }
    }
}

impl<const N: usize, const P: usize> BeamElement<N, P> {
    /// The derivatives of the strains, δν = N′ Sᵀδp + ν̂ × δψ, and of the rotation ψ at the point.
    fn strain_rows(&self, at: &ElementPoint<'_, N>) -> (StrainRows<N>, [Matrix3; N]) {
        let ElementPoint { k, configuration: sections, point: at_point, .. } = *at;
        let (shape, r) = (&self.shapes[k], Self::REFERENCE);
        let xi = at_point.turn.tangent_derivative(&at_point.g_slope);
        let mut psi_rows = [Matrix3::zeros(); N];
        let mut kappa_psi = [Matrix3::zeros(); N];
        psi_rows[r] = at_point.relative.transpose();
        for i in (0..N).filter(|&i| i != r) {
            let inverse = sections.inverse(i);
            psi_rows[i] = shape.value[i] * at_point.tangent * inverse;
            kappa_psi[i] = (shape.slope[i] * at_point.tangent + shape.value[i] * xi) * inverse;
            psi_rows[r] -= psi_rows[i] * sections.relative[i].transpose();
            kappa_psi[r] -= kappa_psi[i] * sections.relative[i].transpose();
        }
        let rows = StrainRows {
            nu_p: std::array::from_fn(|j| shape.slope[j] * at_point.s.transpose()),
            nu_psi: std::array::from_fn(|j| hat(&at_point.nu) * psi_rows[j]),
            kappa_psi,
        };
        (rows, psi_rows)
    }

    /// The derivatives of ν̇ and κ̇ at fixed ṗ and ω̂.
    fn rate_rows(
        &self,
        at: &ElementPoint<'_, N>,
        motion: &SectionVelocities<N>,
        strain: &StrainRows<N>,
        psi_rows: &[Matrix3; N],
    ) -> StrainRows<N> {
        let ElementPoint { k, configuration: sections, point: at_point, .. } = *at;
        let (shape, r) = (&self.shapes[k], Self::REFERENCE);
        let velocities = self.point_velocities(k, at_point, motion);
        let (turn, t) = (&at_point.turn, &at_point.tangent);
        let xi = turn.tangent_derivative(&at_point.g_slope);
        // D²T[ġ, ·] g′ and DT[ġ], row by row and column by column
        let mut second = turn.tangent_derivative(&velocities.g_slope);
        let mut first = Matrix3::zeros();
        for i in 0..3 {
            let unit = Vector3::ith(i, 1.0);
            let row = turn.hessian(&at_point.g_slope, &unit) * velocities.g;
            let sum = second.row(i) + row.transpose();
            second.set_row(i, &sum);
            first.set_column(i, &(turn.tangent_derivative(&unit) * velocities.g));
        }
        let omega_g = hat(&velocities.reference_omega) * t + turn.tangent_derivative(&velocities.g);
        let mut nu = [Matrix3::zeros(); N];
        let mut kappa = [Matrix3::zeros(); N];
        for i in (0..N).filter(|&i| i != r) {
            let inverse = &sections.inverse(i);
            let reference_omega = sections.relative[i].tr_mul(&motion.omega[r]);
            let rate = sections.chart.tangent_inverse_derivative(&sections.g[i], &motion.u[i])
                * inverse
                - inverse * hat(&reference_omega);
            let (n, d) = (shape.value[i], shape.slope[i]);
            nu[i] = hat(&at_point.nu) * (n * (omega_g * inverse + t * rate));
            kappa[i] = (n * second + d * first) * inverse + (d * t + n * xi) * rate;
            nu[r] -= nu[i] * sections.relative[i].transpose();
            kappa[r] -= kappa[i] * sections.relative[i].transpose();
        }
        let (p_slope_hat, omega_hat) =
            (hat(&at_point.s.tr_mul(&velocities.p_slope)), hat(&velocities.omega));
        for j in 0..N {
            nu[j] += p_slope_hat * psi_rows[j] - omega_hat * strain.nu_psi[j];
        }
        StrainRows {
            nu_p: std::array::from_fn(|j| -omega_hat * strain.nu_p[j]),
            nu_psi: nu,
            kappa_psi: kappa,
        }
    }

    /// Adds the derivatives of the loads by derivatives of the stresses.
    fn add_rows(
        &self,
        at: &ElementPoint<'_, N>,
        strain: &StrainRows<N>,
        stress: &StressRows<N>,
        out: &mut BeamTangent<N>,
    ) {
        let ElementPoint { k, form, configuration: sections, point: at_point } = *at;
        let StressRows { force_p, force_psi, moment_p, moment_psi } = stress;
        // −load of section i: force a F, moment b F + c M
        let mut add = |i: usize, a: &Matrix3, b: &Matrix3, c: &Matrix3| {
            for j in 0..N {
                out.force_p[i][j] += a * force_p[j];
                out.force_psi[i][j] += a * force_psi[j];
                out.moment_p[i][j] += b * force_p[j] + c * moment_p[j];
                out.moment_psi[i][j] += b * force_psi[j] + c * moment_psi[j];
            }
        };
        match form {
            BeamForm::Galerkin => {
                let weighted = |x: &Matrix3| self.shapes[k].weight * x.transpose();
                for i in 0..N {
                    let (nu, kappa) = (&strain.nu_psi[i], &strain.kappa_psi[i]);
                    add(i, &weighted(&strain.nu_p[i]), &weighted(nu), &weighted(kappa));
                }
            }
            BeamForm::FiniteVolume => {
                for (i, sign) in sides(k) {
                    let arm = hat(&(at_point.p - sections.p[i]));
                    let (a, to_section) = (-sign * at_point.s, sections.s[i].transpose());
                    add(i, &a, &(to_section * arm * a), &(to_section * a));
                }
            }
        }
    }

    /// Adds the derivatives of the viscous loads by velocities to `damping`, and by positions at fixed velocities to
    /// `stiffness`.
    pub(super) fn add_viscous(
        &self,
        law: &SectionMatrix,
        at: &ElementPoint<'_, N>,
        motion: &SectionVelocities<N>,
        stiffness: &mut BeamTangent<N>,
        damping: &mut BeamTangent<N>,
    ) {
        let (strain, psi_rows) = self.strain_rows(at);
        let rates = self.rate_rows(at, motion, &strain, &psi_rows);
        self.add_rows(at, &strain, &StressRows::new(law, &strain), damping);
        self.add_rows(at, &strain, &StressRows::new(law, &rates), stiffness);
    }
}
