//! One point of a flexible body: where it is, J, and how J changes.

use nalgebra::DMatrix;

use crate::model::BodyKind;
use crate::model::elements::FloatingFrameBody;
use crate::model::flexible::ModalPoint;
use crate::model::node::Node;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Quaternion, Scalar, exponential, hat};

/// A point of a flexible body that has a node.
#[derive(Clone, Debug)]
pub(in crate::model) struct Attachment<T = f64> {
    /// The flexible body.
    pub body: usize,
    /// Its node, which stands behind all coordinates.
    pub node: usize,
    pub point: ModalPoint<T>,
}

/// Which of the six components of a motion a node has, in the order of its velocities.
fn components(freedom: Option<BodyKind>) -> &'static [usize] {
    match freedom {
        Some(BodyKind::Planar) => &[0, 1, 5],
        _ => &[0, 1, 2, 3, 4, 5],
    }
}

/// Where a point is in its body's frame, and how it turns with the modes.
pub(in crate::model) struct LocalPoint<T = f64> {
    pub u: Vector3<T>,
    turn: Vector3<T>,
    pub rotation: Matrix3<T>,
    tangent: Matrix3<T>,
}

fn combined<T: Scalar>(shapes: &[Vector3<T>], x: &[T]) -> Vector3<T> {
    shapes.iter().zip(x).map(|(shape, x)| shape * *x).sum()
}

impl<T: Scalar> Attachment<T> {
    pub fn local(&self, eta: &[T]) -> LocalPoint<T> {
        let turn = combined(&self.point.turns, eta);
        LocalPoint {
            u: self.point.place + combined(&self.point.shapes, eta),
            rotation: exponential::retract(&turn).to_matrix(),
            tangent: exponential::tangent(&turn),
            turn,
        }
    }

    /// Writes the configuration of the node behind the others.
    pub fn place(&self, body: &FloatingFrameBody<T>, nodes: &[Node], q: &mut [T]) {
        let (own, frame) = (&nodes[self.node], nodes[body.node].frame(q));
        let eta = body.eta(q);
        let turn = combined(&self.point.turns, eta);
        let x = frame.point(&(self.point.place + combined(&self.point.shapes, eta)));
        if own.kind == Some(BodyKind::Planar) {
            let angle = nodes[body.node].angle(q) + turn.z;
            q[own.q..own.q + 3].copy_from_slice(&[x.x, x.y, angle]);
            return;
        }
        let rotation: Quaternion<T> = nodes[body.node].quaternion(q) * exponential::retract(&turn);
        q[own.q..own.q + 3].copy_from_slice(x.as_slice());
        q[own.q + 3..own.q + 7].copy_from_slice(&rotation.to_array());
    }

    /// Fills a matrix column by column with pairs of a linear and an angular part.
    fn fill(
        body: &FloatingFrameBody<T>,
        freedom: Option<BodyKind>,
        out: &mut DMatrix<T>,
        frame: impl Fn(usize) -> [Vector3<T>; 2],
        mode: impl Fn(usize) -> [Vector3<T>; 2],
    ) {
        let rows = components(freedom);
        let mut write = |column: usize, parts: [Vector3<T>; 2]| {
            for (i, &row) in rows.iter().enumerate() {
                out[(i, column)] = parts[row / 3][row % 3];
            }
        };
        rows.iter().enumerate().for_each(|(j, &component)| write(j, frame(component)));
        (0..body.modal.modes()).for_each(|k| write(rows.len() + k, mode(k)));
    }

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
        let speed = omega.cross(&local.u) + combined(&self.point.shapes, rates);
        let frame = |i: usize| match i < 3 {
            true => [Vector3::zeros(); 2],
            false => [rotation * Vector3::ith(i % 3, 1.0).cross(&speed), Vector3::zeros()],
        };
        let turning = self.angular_velocity_tangent(&local, &omega, rates);
        let mode = |k: usize| {
            [rotation * omega.cross(&self.point.shapes[k]), turning * self.point.turns[k]]
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
        let rate = combined(&self.point.turns, rates);
        hat(&local.rotation.tr_mul(omega)) * local.tangent
            + exponential::tangent_derivative(&local.turn, &rate)
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
        let speed = combined(&self.point.shapes, rates);
        let linear = omega.cross(&omega.cross(&local.u)) + 2.0 * omega.cross(&speed);
        let rate = combined(&self.point.turns, rates);
        [rotation * linear, self.angular_velocity_tangent(&local, &omega, rates) * rate]
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
        let g = rotation.tr_mul(&force);
        let rows = components(at.nodes[self.node].kind);
        let first = rows.len();
        out.fill(0.0);
        let about = hat(&local.u) * hat(&g);
        let angular = || rows.iter().enumerate().filter(|(_, row)| **row >= 3);
        for (i, &row) in angular() {
            for (j, &column) in angular() {
                out[(i, j)] = about[(row - 3, column - 3)];
            }
        }
        let bent = -exponential::tangent_derivative(&-local.turn, &moment);
        for (k, (shape, turn)) in self.point.shapes.iter().zip(&self.point.turns).enumerate() {
            let swing = shape.cross(&g);
            let twist = local.rotation * (local.tangent * turn).cross(&moment);
            for (i, &row) in angular() {
                out[(i, first + k)] = swing[row - 3] + twist[row - 3];
                out[(first + k, i)] = swing[row - 3];
            }
            for (l, other) in self.point.turns.iter().enumerate() {
                out[(first + l, first + k)] = other.dot(&(bent * turn));
            }
        }
    }
}
