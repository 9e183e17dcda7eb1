//! A flexible body in a floating frame: inertia that depends on its shape, the forces of its own
//! motion, its weight and its stiffness.
//!
//! With b = Aᵀẍ the inertia is
//! ```text
//! A (m b + ω̇ × h + Σ H_k η̈_k),   h × b + J ω̇ + Σ B_k η̈_k,   H_k·b + B_k·ω̇ + Σ M_kl η̈_l
//! ```
//! and the forces of motion, from Hamel's equations for the same kinetic energy,
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
    /// The node of its frame.
    pub node: usize,
    /// Where its modal coordinates begin in q and in v.
    pub q: usize,
    pub v: usize,
    pub modal: Arc<ModalBasis<T>>,
}

/// How a flexible body moves.
struct FloatingFrameMotion<'a, T> {
    node: &'a Node,
    frame: &'a Frame<T>,
    omega: Vector3<T>,
    eta: &'a [T],
    rates: &'a [T],
}

impl<T: Scalar> FloatingFrameBody<T> {
    /// Its modal coordinates.
    #[inline]
    pub fn eta<'a>(&self, q: &'a [T]) -> &'a [T] {
        &q[self.q..self.q + self.modal.modes()]
    }

    /// What belongs to them in a velocity-like vector.
    #[inline]
    pub fn rates<'a>(&self, v: &'a [T]) -> &'a [T] {
        &v[self.v..self.v + self.modal.modes()]
    }

    #[inline]
    fn moving<'a>(&self, at: PositionKinematics<'a, T>, v: &'a [T]) -> FloatingFrameMotion<'a, T> {
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
        let arm = -frame.rotation * hat(&modal.first(eta));
        node.add_diagonal(modal.mass, mass);
        node.add_block(0, node, 1, &arm, mass);
        node.add_block(1, node, 0, &arm.transpose(), mass);
        node.add_block(1, node, 1, &modal.inertia(eta), mass);
        for k in 0..modal.modes() {
            let (push, lever) = (frame.rotation * modal.push[k], modal.lever(k, eta));
            node.add_column(0, self.v + k, &push, mass);
            node.add_column(1, self.v + k, &lever, mass);
            node.add_row(self.v + k, 0, &push, mass);
            node.add_row(self.v + k, 1, &lever, mass);
        }
        self.add_constant(&modal.masses, mass);
    }

    /// Adds a matrix over the modes; its zeros stay zeros.
    fn add_constant(&self, matrix: &nalgebra::DMatrix<T>, entries: &mut impl MatrixSink<T>) {
        for (i, j) in (0..matrix.ncols()).flat_map(|j| (0..matrix.nrows()).map(move |i| (i, j))) {
            if !matrix[(i, j)].vanishes() {
                entries.add(self.v + i, self.v + j, matrix[(i, j)]);
            }
        }
    }

    /// Weight, forces of motion, stiffness and damping.
    pub fn force(
        &self,
        gravity: &Vector3<T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
        force: &mut [T],
    ) {
        let (modal, c) = (&*self.modal, T::constant);
        let FloatingFrameMotion { node, frame, omega, eta, rates } = self.moving(at, v);
        let (h, down) = (modal.first(eta), frame.rotation.tr_mul(gravity));
        let swing = omega.cross(&omega.cross(&h)) + omega.cross(&modal.pushed(rates)) * c(2.0);
        node.add(0, &(gravity * modal.mass - frame.rotation * swing), force);
        let spin = modal.inertia(eta) * omega + modal.mode_coupling_product(eta, rates);
        let about = h.cross(&down) - modal.inertia_rate(eta, rates) * omega - omega.cross(&spin);
        node.add(1, &about, force);
        for k in 0..modal.modes() {
            let outwards = c(0.5) * omega.dot(&(modal.inertia_slope(k, eta) * omega));
            let sideways = c(2.0) * omega.dot(&modal.mode_coupling(k, rates));
            force[self.v + k] += modal.push[k].dot(&down) + outwards + sideways
                - product(&modal.stiffness, k, eta)
                - product(&modal.damping, k, rates);
        }
    }

    /// Linear momentum in world axes, and angular momentum about the frame's origin in its own.
    pub fn momentum(&self, at: PositionKinematics<'_, T>, v: &[T]) -> [Vector3<T>; 2] {
        let modal = &*self.modal;
        let FloatingFrameMotion { node, frame, omega, eta, rates } = self.moving(at, v);
        let (h, velocity) = (modal.first(eta), node.velocity(0, v));
        let linear =
            velocity * modal.mass + frame.rotation * (omega.cross(&h) + modal.pushed(rates));
        let angular = h.cross(&frame.rotation.tr_mul(&velocity))
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
        let (velocity, omega) = (node.velocity(0, v), node.velocity(1, v));
        let b = frame.rotation.tr_mul(&velocity);
        let own: T = (0..modal.modes())
            .map(|k| {
                let rest = modal.push[k].dot(&b) + modal.lever(k, eta).dot(&omega);
                rates[k] * (rest + product(&modal.masses, k, rates))
            })
            .sum();
        T::constant(0.5) * (linear.dot(&velocity) + angular.dot(&omega) + own)
    }

    /// The energy of its bending.
    pub fn elastic(&self, q: &[T]) -> T {
        let eta = self.eta(q);
        let twice = (0..eta.len()).map(|k| eta[k] * product(&self.modal.stiffness, k, eta));
        T::constant(0.5) * twice.sum::<T>()
    }

    /// m times the place of its centre of mass, world axes.
    pub fn first(&self, at: PositionKinematics<'_, T>) -> Vector3<T> {
        let frame = &at.frames[self.node];
        frame.position * self.modal.mass + frame.rotation * self.modal.first(self.eta(at.q))
    }

    /// The power lost in its damping.
    pub fn dissipation(&self, v: &[T]) -> T {
        let rates = self.rates(v);
        (0..rates.len()).map(|k| rates[k] * product(&self.modal.damping, k, rates)).sum()
    }
}

impl FloatingFrameBody {
    /// ∂(M a)/∂q.
    pub fn mass_tangent(&self, at: PositionKinematics<'_>, a: &[f64], tangent: &mut SparseMatrix) {
        let modal = &*self.modal;
        let FloatingFrameMotion { node, frame, omega: turn, eta, rates: bend } = self.moving(at, a);
        let b = frame.rotation.tr_mul(&node.velocity(0, a));
        let h = modal.first(eta);
        let swing = turn.cross(&h) + modal.pushed(bend);
        node.add_block(0, node, 1, &(-frame.rotation * hat(&swing)), tangent);
        node.add_block(1, node, 1, &(hat(&h) * hat(&b)), tangent);
        for k in 0..modal.modes() {
            let (push, column) = (&modal.push[k], self.v + k);
            node.add_column(0, column, &(frame.rotation * turn.cross(push)), tangent);
            let about =
                push.cross(&b) + modal.inertia_slope(k, eta) * turn + modal.mode_coupling(k, bend);
            node.add_column(1, column, &about, tangent);
            node.add_row(column, 1, &push.cross(&b), tangent);
            for l in 0..modal.modes() {
                let swirl = &modal.mode_couplings[l * modal.modes() + k];
                tangent.add(column, self.v + l, turn.dot(swirl));
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
        let FloatingFrameMotion { node, frame, omega, eta, rates } = self.moving(at, v);
        let (h, down) = (modal.first(eta), frame.rotation.tr_mul(gravity));
        let (turn, pushed) = (hat(&omega), modal.pushed(rates));
        let swing = omega.cross(&omega.cross(&h)) + 2.0 * omega.cross(&pushed);
        let spin = modal.inertia(eta) * omega + modal.mode_coupling_product(eta, rates);
        let (stiffness, damping) = (&mut *tangent.stiffness, &mut *tangent.damping);
        node.add_block(0, node, 1, &(-frame.rotation * hat(&swing)), stiffness);
        node.add_block(1, node, 1, &(-hat(&h) * hat(&down)), stiffness);
        let swung = -hat(&omega.cross(&h)) - turn * hat(&h) - 2.0 * hat(&pushed);
        node.add_block(0, node, 1, &(frame.rotation * swung), damping);
        let spun = modal.inertia_rate(eta, rates) + turn * modal.inertia(eta) - hat(&spin);
        node.add_block(1, node, 1, &spun, damping);
        for k in 0..n {
            let (push, column) = (&modal.push[k], self.v + k);
            let slope = modal.inertia_slope(k, eta) * omega;
            let swirl = modal.mode_coupling(k, rates);
            let out = frame.rotation * omega.cross(&omega.cross(push));
            node.add_column(0, column, &out, stiffness);
            let bent = 2.0 * modal.inertia_bend(k, rates) * omega;
            let about = bent - push.cross(&down) + omega.cross(&(slope + swirl));
            node.add_column(1, column, &about, stiffness);
            node.add_row(column, 1, &-push.cross(&down), stiffness);
            let sideways = 2.0 * frame.rotation * omega.cross(push);
            node.add_column(0, column, &sideways, damping);
            let about = slope + omega.cross(&modal.lever(k, eta));
            node.add_column(1, column, &about, damping);
            node.add_row(column, 1, &-(slope + 2.0 * swirl), damping);
            for l in 0..n {
                let bend = &modal.inertia_bends[k * n + l];
                stiffness.add(column, self.v + l, -omega.dot(&(bend * omega)));
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
