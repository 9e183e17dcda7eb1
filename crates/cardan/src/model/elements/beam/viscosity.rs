//! Rates of strain, and what section viscosity adds to the tangents.

use super::beam_element::BeamElement;
use super::configuration::{ElementConfiguration, PointConfiguration, SectionVelocities};
use super::kinematics::sides;
use super::section_law::SectionMatrix;
use super::spatial_vector::{BeamTangent, SpatialVector};
use crate::model::BeamForm;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, hat};

/// A point's velocities.
struct AngularMotion<T = f64> {
    g: Vector3<T>,
    g_slope: Vector3<T>,
    p_slope: Vector3<T>,
    /// Qᵀω̂_r.
    carried: Vector3<T>,
    omega: Vector3<T>,
}

/// A point of an element at a configuration.
pub(super) struct ElementPoint<'a, const N: usize> {
    pub k: usize,
    pub form: BeamForm,
    pub configuration: &'a ElementConfiguration<N>,
    pub point: &'a PointConfiguration,
}

/// Rows (force, moment) over columns (p, ψ) of every section.
struct StressRows<const N: usize> {
    force_p: [Matrix3; N],
    force_psi: [Matrix3; N],
    moment_p: [Matrix3; N],
    moment_psi: [Matrix3; N],
}

impl<const N: usize> StressRows<N> {
    fn new(law: &SectionMatrix, rows: &Rows<N>) -> Self {
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

/// Rows (ν, κ) over columns (p, ψ) of every section.
struct Rows<const N: usize> {
    nu_p: [Matrix3; N],
    nu_psi: [Matrix3; N],
    kappa_psi: [Matrix3; N],
}

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    pub(super) fn moving(
        &self,
        sections: &ElementConfiguration<N, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> SectionVelocities<N, T> {
        let r = Self::REFERENCE;
        let mut p = [Vector3::zeros(); N];
        let mut omega = [Vector3::zeros(); N];
        for (i, mount) in self.mounts.iter().enumerate() {
            let (node, rotation) = (&at.nodes[self.nodes[i]], &at.frames[self.nodes[i]].rotation);
            let spin = node.velocity(1, v);
            p[i] = node.velocity(0, v) + rotation * spin.cross(&mount.offset);
            omega[i] = mount.rotation.tr_mul(&spin);
        }
        let u: [Vector3<T>; N] = std::array::from_fn(|i| match i == r {
            true => Vector3::zeros(),
            false => omega[i] - sections.relative[i].tr_mul(&omega[r]),
        });
        let g = std::array::from_fn(|i| sections.inverse[i] * u[i]);
        SectionVelocities { p, omega, u, g }
    }

    fn angular_motion(
        &self,
        k: usize,
        at_point: &PointConfiguration<T>,
        moving: &SectionVelocities<N, T>,
    ) -> AngularMotion<T> {
        let shape = &self.shapes[k];
        let mix = |weights: &[T; N], vectors: &[Vector3<T>; N]| -> Vector3<T> {
            weights.iter().zip(vectors).map(|(w, x)| x * *w).sum()
        };
        let g = mix(&shape.value, &moving.g);
        let carried = at_point.relative.tr_mul(&moving.omega[Self::REFERENCE]);
        AngularMotion {
            g,
            g_slope: mix(&shape.slope, &moving.g),
            p_slope: mix(&shape.slope, &moving.p),
            carried,
            omega: carried + at_point.tangent * g,
        }
    }

    /// ν̇ and κ̇ at point k.
    pub(super) fn rate(
        &self,
        k: usize,
        at_point: &PointConfiguration<T>,
        moving: &SectionVelocities<N, T>,
    ) -> SpatialVector<T> {
        let angular = self.angular_motion(k, at_point, moving);
        let xi = at_point.turn.tangent_derivative(&at_point.g_slope);
        SpatialVector {
            linear: at_point.s.tr_mul(&angular.p_slope) + at_point.nu.cross(&angular.omega),
            angular: at_point.tangent * angular.g_slope + xi * angular.g,
        }
    }
}

impl<const N: usize, const P: usize> BeamElement<N, P> {
    /// The strains' derivative: δν = N′ Sᵀδp + ν̂ × δψ, and the rotation of the section itself.
    fn strain_rows(&self, at: &ElementPoint<'_, N>) -> (Rows<N>, [Matrix3; N]) {
        let ElementPoint { k, configuration: sections, point: at_point, .. } = *at;
        let (shape, r) = (&self.shapes[k], Self::REFERENCE);
        let xi = at_point.turn.tangent_derivative(&at_point.g_slope);
        let mut turning = [Matrix3::zeros(); N];
        let mut bending = [Matrix3::zeros(); N];
        turning[r] = at_point.relative.transpose();
        for i in (0..N).filter(|&i| i != r) {
            turning[i] = shape.value[i] * at_point.tangent * sections.inverse[i];
            bending[i] =
                (shape.slope[i] * at_point.tangent + shape.value[i] * xi) * sections.inverse[i];
            turning[r] -= turning[i] * sections.relative[i].transpose();
            bending[r] -= bending[i] * sections.relative[i].transpose();
        }
        let rows = Rows {
            nu_p: std::array::from_fn(|j| shape.slope[j] * at_point.s.transpose()),
            nu_psi: std::array::from_fn(|j| hat(&at_point.nu) * turning[j]),
            kappa_psi: bending,
        };
        (rows, turning)
    }

    /// The derivative of ν̇ and κ̇ at fixed ṗ and ω̂.
    fn rate_rows(
        &self,
        at: &ElementPoint<'_, N>,
        moving: &SectionVelocities<N>,
        strain: &Rows<N>,
        turning: &[Matrix3; N],
    ) -> Rows<N> {
        let ElementPoint { k, configuration: sections, point: at_point, .. } = *at;
        let (shape, r) = (&self.shapes[k], Self::REFERENCE);
        let angular = self.angular_motion(k, at_point, moving);
        let (turn, t) = (&at_point.turn, &at_point.tangent);
        let xi = turn.tangent_derivative(&at_point.g_slope);
        // D²T[ġ, ·] g′ and DT[ġ], row by row and column by column
        let mut second = turn.tangent_derivative(&angular.g_slope);
        let mut first = Matrix3::zeros();
        for i in 0..3 {
            let unit = Vector3::ith(i, 1.0);
            let row = turn.hessian(&at_point.g_slope, &unit) * angular.g;
            let sum = second.row(i) + row.transpose();
            second.set_row(i, &sum);
            first.set_column(i, &(turn.tangent_derivative(&unit) * angular.g));
        }
        let spin_g = hat(&angular.carried) * t + turn.tangent_derivative(&angular.g);
        let mut nu = [Matrix3::zeros(); N];
        let mut kappa = [Matrix3::zeros(); N];
        for i in (0..N).filter(|&i| i != r) {
            let inverse = &sections.inverse[i];
            let carried = sections.relative[i].tr_mul(&moving.omega[r]);
            let rate = sections.chart.tangent_inverse_derivative(&sections.g[i], &moving.u[i])
                * inverse
                - inverse * hat(&carried);
            let (n, d) = (shape.value[i], shape.slope[i]);
            nu[i] = hat(&at_point.nu) * (n * (spin_g * inverse + t * rate));
            kappa[i] = (n * second + d * first) * inverse + (d * t + n * xi) * rate;
            nu[r] -= nu[i] * sections.relative[i].transpose();
            kappa[r] -= kappa[i] * sections.relative[i].transpose();
        }
        let (speed, spin) = (hat(&at_point.s.tr_mul(&angular.p_slope)), hat(&angular.omega));
        for j in 0..N {
            nu[j] += speed * turning[j] - spin * strain.nu_psi[j];
        }
        Rows { nu_p: std::array::from_fn(|j| -spin * strain.nu_p[j]), nu_psi: nu, kappa_psi: kappa }
    }

    /// Adds what stresses that follow rows of strain do to the loads.
    fn add_rows(
        &self,
        at: &ElementPoint<'_, N>,
        strain: &Rows<N>,
        stress: &StressRows<N>,
        out: &mut BeamTangent<N>,
    ) {
        let ElementPoint { k, form, configuration: sections, point: at_point } = *at;
        let StressRows { force_p, force_psi, moment_p, moment_psi } = stress;
        let mut add = |i: usize, pull: &Matrix3, lever: &Matrix3, couple: &Matrix3| {
            for j in 0..N {
                out.force_p[i][j] += pull * force_p[j];
                out.force_psi[i][j] += pull * force_psi[j];
                out.moment_p[i][j] += lever * force_p[j] + couple * moment_p[j];
                out.moment_psi[i][j] += lever * force_psi[j] + couple * moment_psi[j];
            }
        };
        match form {
            BeamForm::Galerkin => {
                let rows = |x: &Matrix3| self.shapes[k].weight * x.transpose();
                for i in 0..N {
                    let (nu, kappa) = (&strain.nu_psi[i], &strain.kappa_psi[i]);
                    add(i, &rows(&strain.nu_p[i]), &rows(nu), &rows(kappa));
                }
            }
            BeamForm::FiniteVolume => {
                for (i, sign) in sides(k) {
                    let arm = hat(&(at_point.p - sections.p[i]));
                    let (pull, back) = (-sign * at_point.s, sections.s[i].transpose());
                    add(i, &pull, &(back * arm * pull), &(back * pull));
                }
            }
        }
    }

    /// Adds the derivatives of the viscous loads by velocities, and by positions through the rates.
    pub(super) fn viscous(
        &self,
        law: &SectionMatrix,
        at: &ElementPoint<'_, N>,
        moving: &SectionVelocities<N>,
        stiffness: &mut BeamTangent<N>,
        damping: &mut BeamTangent<N>,
    ) {
        let (strain, turning) = self.strain_rows(at);
        let rates = self.rate_rows(at, moving, &strain, &turning);
        self.add_rows(at, &strain, &StressRows::new(law, &strain), damping);
        self.add_rows(at, &strain, &StressRows::new(law, &rates), stiffness);
    }
}
