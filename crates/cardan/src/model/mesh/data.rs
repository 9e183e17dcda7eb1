//! A beam divided into elements.

use cardan_core::math::{Matrix3, Vector3};

/// A beam divided into elements.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct Mesh {
    /// Which beam of the mechanism.
    pub beam: usize,
    pub nodes: Vec<MeshNode>,
    /// Each with two or three nodes, and its section at each.
    pub elements: Vec<MeshElement>,
    /// Its length as described.
    pub length: f64,
}

/// A node of a beam.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct MeshNode {
    /// Where the path is.
    pub p: Vector3,
    /// The body it belongs to, by its node; the ground is none.
    pub host: usize,
    /// Where along the beam, 0…1.
    pub station: f64,
    /// The length whose loads it carries, and their centre from p, world axes.
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
    /// Where the beam's line is at each, and the section's axes.
    pub p: [Vector3; 3],
    pub s: [Matrix3; 3],
    pub length: f64,
}
