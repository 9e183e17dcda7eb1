//! The terms of a rigid body: inertia, weight, and the gyroscopic moment −Ω × JΩ; and masses spread evenly
//! between two point masses. Ω is w_WB_B, the angular velocity of the body in body axes.

use super::super::BodyKind;
use super::super::node::Node;
use cardan_core::linalg::{MatrixSink, SparseMatrix};
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, hat};

/// The inertia of a rigid body, whose node is at its centre of mass.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct RigidBody<T = f64> {
    pub node: usize,
    pub mass: T,
    /// J, body axes.
    pub tensor: Matrix3<T>,
}

impl<T: Scalar> RigidBody<T> {
    /// M.
    #[inline]
    pub fn mass(&self, nodes: &[Node], mass: &mut impl MatrixSink<T>) {
        let node = &nodes[self.node];
        node.add_diagonal(self.mass, mass);
        node.add_block(1, node, 1, &self.tensor, mass);
    }

    /// Weight and gyroscopic moment.
    #[inline]
    pub fn force(&self, gravity: &Vector3<T>, nodes: &[Node], v: &[T], force: &mut [T]) {
        let node = &nodes[self.node];
        node.add(0, &(gravity * self.mass), force);
        if node.kind == Some(BodyKind::Spatial) {
            let w_WB_B = node.velocity(1, v);
            node.add(1, &(self.tensor * w_WB_B).cross(&w_WB_B), force);
        }
    }
}

impl RigidBody {
    /// ∂(Ω × JΩ)/∂Ω.
    #[inline]
    pub fn tangent(&self, nodes: &[Node], v: &[f64], damping: &mut SparseMatrix) {
        let node = &nodes[self.node];
        if node.kind == Some(BodyKind::Spatial) {
            let w_WB_B = node.velocity(1, v);
            let block = hat(&w_WB_B) * self.tensor - hat(&(self.tensor * w_WB_B));
            node.add_block(1, node, 1, &block, damping);
        }
    }

    /// The body with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> RigidBody<U> {
        let (mass, tensor) = (U::constant(self.mass), self.tensor.map(U::constant));
        RigidBody { node: self.node, mass, tensor }
    }
}

/// A mass that is spread evenly between two point masses, or between a point mass and the ground.
#[derive(Clone, Debug)]
pub(in crate::model) struct SharedMass<T = f64> {
    pub sides: [usize; 2],
    pub mass: T,
}

impl<T: Scalar> SharedMass<T> {
    /// M.
    pub fn mass(&self, nodes: &[Node], mass: &mut impl MatrixSink<T>) {
        let [one, two] = self.sides.map(|side| &nodes[side]);
        let block = |share: f64| Matrix3::from_diagonal_element(self.mass * T::constant(share));
        one.add_block(0, one, 0, &block(1.0 / 3.0), mass);
        two.add_block(0, two, 0, &block(1.0 / 3.0), mass);
        one.add_block(0, two, 0, &block(1.0 / 6.0), mass);
        two.add_block(0, one, 0, &block(1.0 / 6.0), mass);
    }

    /// The weight.
    pub fn force(&self, gravity: &Vector3<T>, nodes: &[Node], force: &mut [T]) {
        let half = gravity * (T::constant(0.5) * self.mass);
        self.sides.iter().for_each(|&side| nodes[side].add(0, &half, force));
    }
}

impl SharedMass {
    /// The mass as another scalar.
    pub fn cast<U: Scalar>(&self) -> SharedMass<U> {
        SharedMass { sides: self.sides, mass: U::constant(self.mass) }
    }
}
