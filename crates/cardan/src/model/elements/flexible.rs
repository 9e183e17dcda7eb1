//! A flexible body in a floating frame F: inertia that depends on its deformation, inertia forces quadratic in the
//! velocities, weight, stiffness and damping.
//!
//! x = p_WF_W is the origin of F, A = R_WF, ω = w_WF_F, and η are the modal coordinates. With b = Aᵀẍ the inertia
//! terms are
//! ```text
//! A (m b + ω̇ × h + Σ H_k η̈_k),   h × b + J ω̇ + Σ B_k η̈_k,   H_k·b + B_k·ω̇ + Σ M_kl η̈_l
//! ```
//! and the quadratic inertia forces, from Hamel's equations for the same kinetic energy, are
//! ```text
//! −A (ω × (ω × h) + 2 ω × Σ H_k η̇_k),   −J̇ω − ω × (Jω + Σ B_k η̇_k),   ½ ωᵀ J_,k ω + 2 ω·Σ B_kl η̇_l
//! ```

use std::sync::Arc;

use crate::model::Frame;
use crate::model::flexible::ModalBasis;
use crate::model::node::Node;
use crate::model::node_measure::PositionKinematics;
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::generic::Vector3;
use cardan_core::math::{Scalar, hat};
use cardan_core::system::ForceTangent;

/// A flexible body of a model.
#[derive(Clone, Debug)]
pub(in crate::model) struct FloatingFrameBody<T = f64> {
    /// The node of the floating frame.
    pub node: usize,
    /// The index of its first modal coordinate in q.
    pub q: usize,
    /// The index of its first modal coordinate in v.
    pub v: usize,
    pub modal: Arc<ModalBasis<T>>,
}

/// The motion of a flexible body.
struct FloatingFrameMotion<'a, T> {
    node: &'a Node,
    frame: &'a Frame<T>,
    /// w_WF_F.
    omega: Vector3<T>,
    eta: &'a [T],
    rates: &'a [T],
}

impl<T: Scalar> FloatingFrameBody<T> {
    /// η: the modal coordinates.
    #[inline]
    pub fn eta<'a>(&self, q: &'a [T]) -> &'a [T] {
        &q[self.q..self.q + self.modal.modes()]
    }

    /// The modal part of a velocity or acceleration vector.
    #[inline]
    pub fn rates<'a>(&self, v: &'a [T]) -> &'a [T] {
        &v[self.v..self.v + self.modal.modes()]
    }

    #[inline]
    fn motion<'a>(&self, at: PositionKinematics<'a, T>, v: &'a [T]) -> FloatingFrameMotion<'a, T> {
        let node = &at.nodes[self.node];
        FloatingFrameMotion {
            node,
            frame: &at.frames[self.node],
            omega: node.velocity(1, v),
            eta: self.eta(at.q),
            rates: self.rates(v),
        }
    }

    /// M.
    pub fn mass(&self, at: PositionKinematics<'_, T>, mass: &mut impl MatrixSink<T>) {
        let (modal, node, frame) = (&*self.modal, &at.nodes[self.node], &at.frames[self.node]);
        let eta = self.eta(at.q);
        // −A [h]
        let coupling = -frame.rotation * hat(&modal.first(eta));
        node.add_diagonal(modal.mass, mass);
        node.add_block(0, node, 1, &coupling, mass);
        node.add_block(1, node, 0, &coupling.transpose(), mass);
        node.add_block(1, node, 1, &modal.inertia(eta), mass);
        for k in 0..modal.modes() {
            // A H_k and B_k
            let (h_k_W, b_k_F) = (frame.rotation * modal.push[k], modal.lever(k, eta));
            node.add_column(0, self.v + k, &h_k_W, mass);
            node.add_column(1, self.v + k, &b_k_F, mass);
            node.add_row(self.v + k, 0, &h_k_W, mass);
            node.add_row(self.v + k, 1, &b_k_F, mass);
        }
        self.add_constant(&modal.masses, mass);
    }

    /// Adds a matrix over the modes; entries that are zero are not added.
    fn add_constant(&self, matrix: &nalgebra::DMatrix<T>, entries: &mut impl MatrixSink<T>) {
        for (i, j) in (0..matrix.ncols()).flat_map(|j| (0..matrix.nrows()).map(move |i| (i, j))) {
            if !matrix[(i, j)].vanishes() {
                entries.add(self.v + i, self.v + j, matrix[(i, j)]);
            }
        }
    }

    /// Weight, quadratic inertia forces, stiffness and damping.
    pub fn force(
        &self,
        gravity: &Vector3<T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
        force: &mut [T],
    ) {
        let (modal, c) = (&*self.modal, T::constant);
        let FloatingFrameMotion { node, frame, omega, eta, rates } = self.motion(at, v);
        let (h_F, gravity_F) = (modal.first(eta), frame.rotation.tr_mul(gravity));
        let inertial_F =
            omega.cross(&omega.cross(&h_F)) + omega.cross(&modal.pushed(rates)) * c(2.0);
        node.add(0, &(gravity * modal.mass - frame.rotation * inertial_F), force);
        let momentum_F = modal.inertia(eta) * omega + modal.mode_coupling_product(eta, rates);
        let moment_F = h_F.cross(&gravity_F)
            - modal.inertia_rate(eta, rates) * omega
            - omega.cross(&momentum_F);
        node.add(1, &moment_F, force);
        for k in 0..modal.modes() {
            let centrifugal = c(0.5) * omega.dot(&(modal.inertia_slope(k, eta) * omega));
            let coriolis = c(2.0) * omega.dot(&modal.mode_coupling(k, rates));
            force[self.v + k] += modal.push[k].dot(&gravity_F) + centrifugal + coriolis
                - product(&modal.stiffness, k, eta)
                - product(&modal.damping, k, rates);
        }
    }

    /// Linear momentum in world axes, and angular momentum about the origin of F in axes of F.
    pub fn momentum(&self, at: PositionKinematics<'_, T>, v: &[T]) -> [Vector3<T>; 2] {
        let modal = &*self.modal;
        let FloatingFrameMotion { node, frame, omega, eta, rates } = self.motion(at, v);
        let (h_F, v_WF_W) = (modal.first(eta), node.velocity(0, v));
        let linear =
            v_WF_W * modal.mass + frame.rotation * (omega.cross(&h_F) + modal.pushed(rates));
        let angular = h_F.cross(&frame.rotation.tr_mul(&v_WF_W))
            + modal.inertia(eta) * omega
            + modal.mode_coupling_product(eta, rates);
        [linear, angular]
    }

    /// ½ vᵀ M v.
    pub fn kinetic(&self, at: PositionKinematics<'_, T>, v: &[T]) -> T {
        let [linear, angular] = self.momentum(at, v);
        let (node, modal) = (&at.nodes[self.node], &*self.modal);
        let frame = &at.frames[self.node];
        let (eta, rates) = (self.eta(at.q), self.rates(v));
        let (v_WF_W, w_WF_F) = (node.velocity(0, v), node.velocity(1, v));
        let v_WF_F = frame.rotation.tr_mul(&v_WF_W);
        let modal_part: T = (0..modal.modes())
            .map(|k| {
                let coupling = modal.push[k].dot(&v_WF_F) + modal.lever(k, eta).dot(&w_WF_F);
                rates[k] * (coupling + product(&modal.masses, k, rates))
            })
            .sum();
        T::constant(0.5) * (linear.dot(&v_WF_W) + angular.dot(&w_WF_F) + modal_part)
    }

    /// The elastic energy ½ ηᵀ K η.
    pub fn elastic(&self, q: &[T]) -> T {
        let eta = self.eta(q);
        let twice = (0..eta.len()).map(|k| eta[k] * product(&self.modal.stiffness, k, eta));
        T::constant(0.5) * twice.sum::<T>()
    }

    /// The mass times the position of the centre of mass, world axes.
    pub fn first(&self, at: PositionKinematics<'_, T>) -> Vector3<T> {
        let frame = &at.frames[self.node];
        frame.position * self.modal.mass + frame.rotation * self.modal.first(self.eta(at.q))
    }

    /// The power dissipated by modal damping.
    pub fn dissipation(&self, v: &[T]) -> T {
        let rates = self.rates(v);
        (0..rates.len()).map(|k| rates[k] * product(&self.modal.damping, k, rates)).sum()
    }
}

impl FloatingFrameBody {
    /// ∂(M a)/∂q.
    pub fn mass_tangent(&self, at: PositionKinematics<'_>, a: &[f64], tangent: &mut SparseMatrix) {
        let modal = &*self.modal;
        // of accelerations: omega is ω̇, rates are η̈
        let FloatingFrameMotion { node, frame, omega: alpha, eta, rates: eta_accelerations } =
            self.motion(at, a);
        let b_F = frame.rotation.tr_mul(&node.velocity(0, a));
        let h_F = modal.first(eta);
        let inertial_F = alpha.cross(&h_F) + modal.pushed(eta_accelerations);
        node.add_block(0, node, 1, &(-frame.rotation * hat(&inertial_F)), tangent);
        node.add_block(1, node, 1, &(hat(&h_F) * hat(&b_F)), tangent);
        for k in 0..modal.modes() {
            let (h_k_F, column) = (&modal.push[k], self.v + k);
            node.add_column(0, column, &(frame.rotation * alpha.cross(h_k_F)), tangent);
            let moment_F = h_k_F.cross(&b_F)
                + modal.inertia_slope(k, eta) * alpha
                + modal.mode_coupling(k, eta_accelerations);
            node.add_column(1, column, &moment_F, tangent);
            node.add_row(column, 1, &h_k_F.cross(&b_F), tangent);
            for l in 0..modal.modes() {
                let b_lk_F = &modal.mode_couplings[l * modal.modes() + k];
                tangent.add(column, self.v + l, alpha.dot(b_lk_F));
            }
        }
    }

    /// −∂f/∂q and −∂f/∂v.
    pub fn tangent(
        &self,
        gravity: &Vector3,
        at: PositionKinematics<'_>,
        v: &[f64],
        tangent: &mut ForceTangent<'_>,
    ) {
        let (modal, n) = (&*self.modal, self.modal.modes());
        let FloatingFrameMotion { node, frame, omega, eta, rates } = self.motion(at, v);
        let (h_F, gravity_F) = (modal.first(eta), frame.rotation.tr_mul(gravity));
        let (omega_hat, h_rate_F) = (hat(&omega), modal.pushed(rates));
        let inertial_F = omega.cross(&omega.cross(&h_F)) + 2.0 * omega.cross(&h_rate_F);
        let momentum_F = modal.inertia(eta) * omega + modal.mode_coupling_product(eta, rates);
        let (stiffness, damping) = (&mut *tangent.stiffness, &mut *tangent.damping);
        node.add_block(0, node, 1, &(-frame.rotation * hat(&inertial_F)), stiffness);
        node.add_block(1, node, 1, &(-hat(&h_F) * hat(&gravity_F)), stiffness);
        let force_by_omega =
            -hat(&omega.cross(&h_F)) - omega_hat * hat(&h_F) - 2.0 * hat(&h_rate_F);
        node.add_block(0, node, 1, &(frame.rotation * force_by_omega), damping);
        let moment_by_omega =
            modal.inertia_rate(eta, rates) + omega_hat * modal.inertia(eta) - hat(&momentum_F);
        node.add_block(1, node, 1, &moment_by_omega, damping);
        for k in 0..n {
            let (h_k_F, column) = (&modal.push[k], self.v + k);
            // ∂(J ω)/∂η_k and Σ B_kl η̇_l
            let slope_F = modal.inertia_slope(k, eta) * omega;
            let coupling_F = modal.mode_coupling(k, rates);
            let centrifugal_W = frame.rotation * omega.cross(&omega.cross(h_k_F));
            node.add_column(0, column, &centrifugal_W, stiffness);
            let inertia_rate_slope_F = 2.0 * modal.inertia_bend(k, rates) * omega;
            let moment_F = inertia_rate_slope_F - h_k_F.cross(&gravity_F)
                + omega.cross(&(slope_F + coupling_F));
            node.add_column(1, column, &moment_F, stiffness);
            node.add_row(column, 1, &-h_k_F.cross(&gravity_F), stiffness);
            let coriolis_W = 2.0 * frame.rotation * omega.cross(h_k_F);
            node.add_column(0, column, &coriolis_W, damping);
            let moment_F = slope_F + omega.cross(&modal.lever(k, eta));
            node.add_column(1, column, &moment_F, damping);
            node.add_row(column, 1, &-(slope_F + 2.0 * coupling_F), damping);
            for l in 0..n {
                let j_kl_F = &modal.inertia_bends[k * n + l];
                stiffness.add(column, self.v + l, -omega.dot(&(j_kl_F * omega)));
                damping.add(column, self.v + l, -2.0 * omega.dot(&modal.mode_couplings[k * n + l]));
            }
        }
        self.add_constant(&modal.stiffness, stiffness);
        self.add_constant(&modal.damping, damping);
    }

    /// The body with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> FloatingFrameBody<U> {
        let modal = Arc::new(self.modal.cast());
        FloatingFrameBody { node: self.node, q: self.q, v: self.v, modal }
    }
}

/// Row k of a matrix times a vector.
#[inline]
fn product<T: Scalar>(matrix: &nalgebra::DMatrix<T>, k: usize, x: &[T]) -> T {
    x.iter().enumerate().map(|(l, x)| matrix[(k, l)] * *x).sum()
}
