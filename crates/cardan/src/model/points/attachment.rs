//! One point of a flexible body: its position and rotation, its Jacobian J, and the derivatives of J.

use nalgebra::DMatrix;

use crate::model::BodyKind;
use crate::model::elements::FloatingFrameBody;
use crate::model::flexible::ModalPoint;
use crate::model::node::Node;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Quaternion, Scalar, exponential, hat};

/// A point of a flexible body that is a node.
#[derive(Clone, Debug)]
pub(in crate::model) struct Attachment<T = f64> {
    /// The index of the flexible body.
    pub body: usize,
    /// The index of its node; its coordinates follow those of the system.
    pub node: usize,
    pub point: ModalPoint<T>,
}

/// The indices of the velocities of a node among the six components (linear, angular).
fn components(kind: Option<BodyKind>) -> &'static [usize] {
    match kind {
        Some(BodyKind::Planar) => &[0, 1, 5],
        _ => &[0, 1, 2, 3, 4, 5],
    }
}

/// Position and rotation of a point in the floating frame of its body.
pub(in crate::model) struct LocalPoint<T = f64> {
    /// u = c + S η.
    pub u: Vector3<T>,
    /// ψ = Ψ η.
    psi: Vector3<T>,
    /// C = exp(ψ).
    pub rotation: Matrix3<T>,
    /// T(ψ).
    tangent: Matrix3<T>,
}

/// Σ shape_k x_k.
fn modal_sum<T: Scalar>(shapes: &[Vector3<T>], x: &[T]) -> Vector3<T> {
    shapes.iter().zip(x).map(|(shape, x)| shape * *x).sum()
}

impl<T: Scalar> Attachment<T> {
    pub fn local(&self, eta: &[T]) -> LocalPoint<T> {
        let psi = modal_sum(&self.point.turns, eta);
        LocalPoint {
            u: self.point.place + modal_sum(&self.point.shapes, eta),
            rotation: exponential::retract(&psi).to_matrix(),
            tangent: exponential::tangent(&psi),
            psi,
        }
    }

    /// Writes the configuration of the node to q, after the coordinates of the system.
    pub fn place(&self, body: &FloatingFrameBody<T>, nodes: &[Node], q: &mut [T]) {
        let (node, frame) = (&nodes[self.node], nodes[body.node].frame(q));
        let eta = body.eta(q);
        let psi = modal_sum(&self.point.turns, eta);
        let x = frame.point(&(self.point.place + modal_sum(&self.point.shapes, eta)));
        if node.kind == Some(BodyKind::Planar) {
            let angle = nodes[body.node].angle(q) + psi.z;
            q[node.q..node.q + 3].copy_from_slice(&[x.x, x.y, angle]);
            return;
        }
        let rotation: Quaternion<T> = nodes[body.node].quaternion(q) * exponential::retract(&psi);
        q[node.q..node.q + 3].copy_from_slice(x.as_slice());
        q[node.q + 3..node.q + 7].copy_from_slice(&rotation.to_array());
    }

    /// Fills a matrix column by column, first those of the frame, then those of the modes. A column has a linear and
    /// an angular part.
    fn fill(
        body: &FloatingFrameBody<T>,
        kind: Option<BodyKind>,
        out: &mut DMatrix<T>,
        frame: impl Fn(usize) -> [Vector3<T>; 2],
        mode: impl Fn(usize) -> [Vector3<T>; 2],
    ) {
        let rows = components(kind);
        let mut write = |column: usize, parts: [Vector3<T>; 2]| {
            for (i, &row) in rows.iter().enumerate() {
                out[(i, column)] = parts[row / 3][row % 3];
            }
        };
        rows.iter().enumerate().for_each(|(j, &component)| write(j, frame(component)));
        (0..body.modal.modes()).for_each(|k| write(rows.len() + k, mode(k)));
    }

    /// J.
    pub fn jacobian(
        &self,
        body: &FloatingFrameBody<T>,
        at: PositionKinematics<'_, T>,
        out: &mut DMatrix<T>,
    ) {
        let (rotation, local) = (at.frames[body.node].rotation, self.local(body.eta(at.q)));
        let frame = |i: usize| {
            let axis = Vector3::ith(i % 3, T::one());
            match i < 3 {
                true => [axis, Vector3::zeros()],
                false => [rotation * axis.cross(&local.u), local.rotation.tr_mul(&axis)],
            }
        };
        let mode =
            |k: usize| [rotation * self.point.shapes[k], local.tangent * self.point.turns[k]];
        Self::fill(body, at.nodes[self.node].kind, out, frame, mode);
    }
}

impl Attachment {
    /// The point with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Attachment<U> {
        Attachment { body: self.body, node: self.node, point: self.point.cast() }
    }

    /// ∂(J v)/∂q.
    pub fn rate(
        &self,
        body: &FloatingFrameBody,
        at: PositionKinematics<'_>,
        v: &[f64],
        out: &mut DMatrix<f64>,
    ) {
        let (rotation, local) = (at.frames[body.node].rotation, self.local(body.eta(at.q)));
        let (omega, rates) = (at.nodes[body.node].velocity(1, v), body.rates(v));
        let relative_velocity = omega.cross(&local.u) + modal_sum(&self.point.shapes, rates);
        let frame = |i: usize| match i < 3 {
            true => [Vector3::zeros(); 2],
            false => {
                [rotation * Vector3::ith(i % 3, 1.0).cross(&relative_velocity), Vector3::zeros()]
            }
        };
        let omega_by_psi = self.angular_velocity_tangent(&local, &omega, rates);
        let mode = |k: usize| {
            [rotation * omega.cross(&self.point.shapes[k]), omega_by_psi * self.point.turns[k]]
        };
        Self::fill(body, at.nodes[self.node].kind, out, frame, mode);
    }

    /// ∂(Cᵀω + T ψ̇)/∂ψ.
    fn angular_velocity_tangent(
        &self,
        local: &LocalPoint,
        omega: &Vector3,
        rates: &[f64],
    ) -> Matrix3 {
        let psi_rate = modal_sum(&self.point.turns, rates);
        hat(&local.rotation.tr_mul(omega)) * local.tangent
            + exponential::tangent_derivative(&local.psi, &psi_rate)
    }

    /// J̇ v.
    pub fn acceleration(
        &self,
        body: &FloatingFrameBody,
        at: PositionKinematics<'_>,
        v: &[f64],
    ) -> [Vector3; 2] {
        let (rotation, local) = (at.frames[body.node].rotation, self.local(body.eta(at.q)));
        let (omega, rates) = (at.nodes[body.node].velocity(1, v), body.rates(v));
        let u_rate = modal_sum(&self.point.shapes, rates);
        let linear = omega.cross(&omega.cross(&local.u)) + 2.0 * omega.cross(&u_rate);
        let psi_rate = modal_sum(&self.point.turns, rates);
        [rotation * linear, self.angular_velocity_tangent(&local, &omega, rates) * psi_rate]
    }

    /// ∂(Jᵀ f)/∂q for a force in world axes and a moment in axes of the node.
    pub fn force_tangent(
        &self,
        body: &FloatingFrameBody,
        at: PositionKinematics<'_>,
        [force, moment]: [Vector3; 2],
        out: &mut DMatrix<f64>,
    ) {
        let (rotation, local) = (at.frames[body.node].rotation, self.local(body.eta(at.q)));
        let force_in_frame = rotation.tr_mul(&force);
        let rows = components(at.nodes[self.node].kind);
        let first = rows.len();
        out.fill(0.0);
        let angular_block = hat(&local.u) * hat(&force_in_frame);
        let angular = || rows.iter().enumerate().filter(|(_, row)| **row >= 3);
        for (i, &row) in angular() {
            for (j, &column) in angular() {
                out[(i, j)] = angular_block[(row - 3, column - 3)];
            }
        }
        let modal_block = -exponential::tangent_derivative(&-local.psi, &moment);
        for (k, (shape, turn)) in self.point.shapes.iter().zip(&self.point.turns).enumerate() {
            let by_force = shape.cross(&force_in_frame);
            let by_moment = local.rotation * (local.tangent * turn).cross(&moment);
            for (i, &row) in angular() {
                out[(i, first + k)] = by_force[row - 3] + by_moment[row - 3];
                out[(first + k, i)] = by_force[row - 3];
            }
            for (l, other) in self.point.turns.iter().enumerate() {
                out[(first + l, first + k)] = other.dot(&(modal_block * turn));
            }
        }
    }
}
