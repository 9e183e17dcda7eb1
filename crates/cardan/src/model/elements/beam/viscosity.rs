//! Rates of strain, and what section viscosity adds to the tangents.

use super::super::super::gauge::Placed;
use super::finite_volume::sides;
use super::kinematics::{Bend, Bends, Bent};
use super::law::Blocks;
use super::{BeamElement, Pair, Tangent};
use crate::math::{Matrix3, Vector3, hat};
use crate::model::BeamForm;

/// The sections' velocities.
pub(super) struct Moving<const N: usize> {
    /// ṗ.
    pub p: [Vector3; N],
    /// ω̂, section axes.
    pub omega: [Vector3; N],
    /// u = ω̂ − Qᵀω̂_r.
    u: [Vector3; N],
    /// ġ.
    g: [Vector3; N],
}

impl<const N: usize> Moving<N> {
    /// The angular velocity at a point with given shape functions, section axes there.
    pub fn spin(&self, bend: &Bend, value: &[f64; N]) -> Vector3 {
        let g: Vector3 = value.iter().zip(&self.g).map(|(w, x)| *w * x).sum();
        bend.relative.tr_mul(&self.omega[(N - 1) / 2]) + bend.tangent * g
    }
}

/// A point's velocities.
struct Swing {
    g: Vector3,
    g_slope: Vector3,
    p_slope: Vector3,
    /// Qᵀω̂_r.
    carried: Vector3,
    omega: Vector3,
}

/// Rows (ν, κ) over columns (p, ψ) of every section.
struct Rows<const N: usize> {
    nu_p: [Matrix3; N],
    nu_psi: [Matrix3; N],
    kappa_psi: [Matrix3; N],
}

impl<const N: usize, const P: usize> BeamElement<N, P> {
    pub(super) fn moving(&self, bent: &Bent<N>, at: Placed<'_>, v: &[f64]) -> Moving<N> {
        let r = Self::REFERENCE;
        let mut p = [Vector3::zeros(); N];
        let mut omega = [Vector3::zeros(); N];
        for (i, mount) in self.mounts.iter().enumerate() {
            let (node, rotation) =
                (&at.nodes[self.nodes[i]], &at.frames[self.nodes[i]].rotation);
            let spin = node.velocity(1, v);
            p[i] = node.velocity(0, v) + rotation * spin.cross(&mount.offset);
            omega[i] = mount.rotation.tr_mul(&spin);
        }
        let u: [Vector3; N] = std::array::from_fn(|i| match i == r {
            true => Vector3::zeros(),
            false => omega[i] - bent.relative[i].tr_mul(&omega[r]),
        });
        let g = std::array::from_fn(|i| bent.inverse[i] * u[i]);
        Moving { p, omega, u, g }
    }

    fn swing(&self, k: usize, bend: &Bend, moving: &Moving<N>) -> Swing {
        let shape = &self.shapes[k];
        let mix = |weights: &[f64; N], vectors: &[Vector3; N]| -> Vector3 {
            weights.iter().zip(vectors).map(|(w, x)| *w * x).sum()
        };
        let g = mix(&shape.value, &moving.g);
        let carried = bend.relative.tr_mul(&moving.omega[Self::REFERENCE]);
        Swing {
            g,
            g_slope: mix(&shape.slope, &moving.g),
            p_slope: mix(&shape.slope, &moving.p),
            carried,
            omega: carried + bend.tangent * g,
        }
    }

    /// ν̇ and κ̇ at the points.
    pub(super) fn rates(&self, bends: &Bends<P>, moving: &Moving<N>) -> [Pair; P] {
        std::array::from_fn(|k| {
            let bend = &bends[k];
            let swing = self.swing(k, bend, moving);
            let xi = bend.turn.tangent_derivative(&bend.g_slope);
            Pair {
                linear: bend.s.tr_mul(&swing.p_slope) + bend.nu.cross(&swing.omega),
                angular: bend.tangent * swing.g_slope + xi * swing.g,
            }
        })
    }

    /// The strains' derivative: δν = N′ Sᵀδp + ν̂ × δψ, and the rotation of the section itself.
    fn strain_rows(&self, k: usize, bent: &Bent<N>, bend: &Bend) -> (Rows<N>, [Matrix3; N]) {
        let (shape, r) = (&self.shapes[k], Self::REFERENCE);
        let xi = bend.turn.tangent_derivative(&bend.g_slope);
        let mut turning = [Matrix3::zeros(); N];
        let mut bending = [Matrix3::zeros(); N];
        turning[r] = bend.relative.transpose();
        for i in (0..N).filter(|&i| i != r) {
            turning[i] = shape.value[i] * bend.tangent * bent.inverse[i];
            bending[i] = (shape.slope[i] * bend.tangent + shape.value[i] * xi) * bent.inverse[i];
            turning[r] -= turning[i] * bent.relative[i].transpose();
            bending[r] -= bending[i] * bent.relative[i].transpose();
        }
        let rows = Rows {
            nu_p: std::array::from_fn(|j| shape.slope[j] * bend.s.transpose()),
            nu_psi: std::array::from_fn(|j| hat(&bend.nu) * turning[j]),
            kappa_psi: bending,
        };
        (rows, turning)
    }

    /// The derivative of ν̇ and κ̇ at fixed ṗ and ω̂.
    fn rate_rows(
        &self,
        k: usize,
        bent: &Bent<N>,
        bend: &Bend,
        moving: &Moving<N>,
        strain: &Rows<N>,
        turning: &[Matrix3; N],
    ) -> Rows<N> {
        let (shape, r) = (&self.shapes[k], Self::REFERENCE);
        let swing = self.swing(k, bend, moving);
        let (turn, t) = (&bend.turn, &bend.tangent);
        let xi = turn.tangent_derivative(&bend.g_slope);
        // D²T[ġ, ·] g′ and DT[ġ], row by row and column by column
        let mut second = turn.tangent_derivative(&swing.g_slope);
        let mut first = Matrix3::zeros();
        for i in 0..3 {
            let unit = Vector3::ith(i, 1.0);
            let row = turn.hessian(&bend.g_slope, &unit) * swing.g;
            let sum = second.row(i) + row.transpose();
            second.set_row(i, &sum);
            first.set_column(i, &(turn.tangent_derivative(&unit) * swing.g));
        }
        let spin_g = hat(&swing.carried) * t + turn.tangent_derivative(&swing.g);
        let mut nu = [Matrix3::zeros(); N];
        let mut kappa = [Matrix3::zeros(); N];
        for i in (0..N).filter(|&i| i != r) {
            let inverse = &bent.inverse[i];
            let carried = bent.relative[i].tr_mul(&moving.omega[r]);
            let rate =
                bent.chart.tangent_inverse_derivative(&bent.g[i], &moving.u[i]) * inverse
                    - inverse * hat(&carried);
            let (n, d) = (shape.value[i], shape.slope[i]);
            nu[i] = hat(&bend.nu) * (n * (spin_g * inverse + t * rate));
            kappa[i] = (n * second + d * first) * inverse + (d * t + n * xi) * rate;
            nu[r] -= nu[i] * bent.relative[i].transpose();
            kappa[r] -= kappa[i] * bent.relative[i].transpose();
        }
        let (speed, spin) = (hat(&bend.s.tr_mul(&swing.p_slope)), hat(&swing.omega));
        for j in 0..N {
            nu[j] += speed * turning[j] - spin * strain.nu_psi[j];
        }
        Rows { nu_p: std::array::from_fn(|j| -spin * strain.nu_p[j]), nu_psi: nu, kappa_psi: kappa }
    }

    /// Adds what stresses that follow rows of strain do to the loads.
    fn add_loads(
        &self,
        k: usize,
        form: BeamForm,
        bent: &Bent<N>,
        bend: &Bend,
        strain: &Rows<N>,
        (force_p, force_psi): (&[Matrix3; N], &[Matrix3; N]),
        (moment_p, moment_psi): (&[Matrix3; N], &[Matrix3; N]),
        out: &mut Tangent<N>,
    ) {
        let weight = self.shapes[k].weight;
        match form {
            BeamForm::Galerkin => {
                for i in 0..N {
                    let (p, psi) = (weight * strain.nu_p[i].transpose(), weight * strain.nu_psi[i].transpose());
                    let kappa = weight * strain.kappa_psi[i].transpose();
                    for j in 0..N {
                        out.force_p[i][j] += p * force_p[j];
                        out.force_psi[i][j] += p * force_psi[j];
                        out.moment_p[i][j] += psi * force_p[j] + kappa * moment_p[j];
                        out.moment_psi[i][j] += psi * force_psi[j] + kappa * moment_psi[j];
                    }
                }
            }
            BeamForm::FiniteVolume => {
                for (i, sign) in sides(k) {
                    let arm = hat(&(bend.p - bent.p[i]));
                    let (pull, back) = (-sign * bend.s, bent.s[i].transpose());
                    let (lever, couple) = (back * arm * pull, back * pull);
                    for j in 0..N {
                        out.force_p[i][j] += pull * force_p[j];
                        out.force_psi[i][j] += pull * force_psi[j];
                        out.moment_p[i][j] += lever * force_p[j] + couple * moment_p[j];
                        out.moment_psi[i][j] += lever * force_psi[j] + couple * moment_psi[j];
                    }
                }
            }
        }
    }

    /// Adds the derivatives of the viscous loads by velocities, and by positions through the rates.
    pub(super) fn viscous(
        &self,
        law: &Blocks,
        form: BeamForm,
        bent: &Bent<N>,
        bends: &Bends<P>,
        moving: &Moving<N>,
        stiffness: &mut Tangent<N>,
        damping: &mut Tangent<N>,
    ) {
        for (k, bend) in bends.iter().enumerate() {
            let (strain, turning) = self.strain_rows(k, bent, bend);
            let rates = self.rate_rows(k, bent, bend, moving, &strain, &turning);
            for (rows, out) in [(&strain, &mut *damping), (&rates, &mut *stiffness)] {
                let force_p = std::array::from_fn(|j| law.nn * rows.nu_p[j]);
                let force_psi =
                    std::array::from_fn(|j| law.nn * rows.nu_psi[j] + law.nk * rows.kappa_psi[j]);
                let moment_p = std::array::from_fn(|j| law.kn * rows.nu_p[j]);
                let moment_psi =
                    std::array::from_fn(|j| law.kn * rows.nu_psi[j] + law.kk * rows.kappa_psi[j]);
                let (force, moment) = ((&force_p, &force_psi), (&moment_p, &moment_psi));
                self.add_loads(k, form, bent, bend, &strain, force, moment, out);
            }
        }
    }
}
