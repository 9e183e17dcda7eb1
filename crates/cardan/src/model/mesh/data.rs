//! A beam divided into elements.

use cardan_core::math::{Matrix3, Vector3};

/// A beam divided into elements.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct Mesh {
    /// The number of the beam in the mechanism.
    pub beam: usize,
    pub nodes: Vec<MeshNode>,
    /// The elements, each with two or three nodes.
    pub elements: Vec<MeshElement>,
    /// The described length.
    pub length: f64,
}

/// A node of a beam.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct MeshNode {
    /// The position of the path.
    pub p: Vector3,
    /// The node of the body to which it belongs.
    pub host: usize,
    /// The position along the beam, 0…1.
    pub station: f64,
    /// The length of beam whose distributed loads act on it, and their centre from p, world axes.
    pub share: f64,
    pub arm: Vector3,
    /// The mass lumped onto it, its centre from p, and its inertia about that, world axes.
    pub mass: f64,
    pub centre: Vector3,
    pub tensor: Matrix3,
}

/// An element of a beam.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct MeshElement {
    /// The nodes; the third is unused if there are two.
    pub nodes: [usize; 3],
    /// The position of the beam's line and the section's axes at each node.
    pub p: [Vector3; 3],
    pub s: [Matrix3; 3],
    pub length: f64,
}
