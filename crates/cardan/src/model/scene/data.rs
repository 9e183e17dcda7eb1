//! The parts of a scene, as the viewer reads them.

use crate::model::values::Profile;
use crate::solid::{Colour, SurfaceMesh};
use serde::Serialize;
use std::sync::Arc;

/// A vector of three numbers.
type Vec3 = [f64; 3];

/// What a picture of a model shows. Nodes are numbered from 0; −1 is the ground.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scene {
    /// Whether all motion is in the plane z = 0.
    pub planar: bool,
    /// Gravity at the start.
    pub gravity: Vec3,
    /// The extent of the model at the start.
    pub size: f64,
    /// The number of nodes.
    pub nodes: usize,
    /// Named points of the ground.
    pub points: Vec<ScenePoint>,
    /// Rigid bodies and point masses.
    pub bodies: Vec<SceneBody>,
    /// Joints, gears, rolling discs and skates.
    pub joints: Vec<SceneJoint>,
    /// Forces of all kinds.
    pub forces: Vec<SceneForce>,
    /// Beams.
    pub beams: Vec<SceneBeam>,
    /// Flexible bodies in floating frames.
    pub flexible: Vec<SceneFlexible>,
    /// Linear structures.
    pub structures: Vec<SceneStructure>,
}

/// A named point, from its node in the axes of the node.
#[derive(Clone, Debug, Serialize)]
pub struct ScenePoint {
    /// The name.
    pub name: String,
    /// The position.
    pub position: Vec3,
}

/// A body.
#[derive(Clone, Debug, Serialize)]
pub struct SceneBody {
    /// The name.
    pub name: String,
    /// The node at its origin.
    pub node: i64,
    /// The centre of mass from the node.
    pub centre: Vec3,
    /// The mass.
    pub mass: f64,
    /// The shapes it is drawn with.
    pub shapes: Vec<SceneShape>,
    /// Whether the shapes follow from joints, points and inertia.
    pub derived: bool,
    /// Its named points.
    pub points: Vec<ScenePoint>,
}

/// A solid at a place on its body.
#[derive(Clone, Debug, Serialize)]
pub struct SceneShape {
    /// The solid.
    #[serde(flatten)]
    pub solid: SceneSolid,
    /// The position of its frame on the body.
    pub position: Vec3,
    /// The orientation of its frame on the body, as a quaternion w, x, y, z.
    pub orientation: [f64; 4],
    /// Its colour, if one is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Colour>,
}

/// The kinds of solids that a scene contains.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum SceneSolid {
    /// A box about its centre.
    Box {
        /// Lengths of the edges.
        edges: Vec3,
    },
    /// A cylinder along z about its centre.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length.
        length: f64,
    },
    /// A cylinder along z with round ends.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centres of the ends.
        length: f64,
    },
    /// A cone along z about the middle between its ends.
    Cone {
        /// Radius at negative z.
        radius: f64,
        /// Radius at positive z.
        top: f64,
        /// Length.
        length: f64,
    },
    /// A plane outline moved along z, about the middle between its ends.
    Extrusion {
        /// The corners in order.
        outline: Vec<[f64; 2]>,
        /// Length.
        length: f64,
    },
    /// A surface of triangles; it is written by the program that writes the scene.
    Mesh {
        /// The surface.
        #[serde(skip)]
        surface: Arc<SurfaceMesh>,
    },
    /// A sphere.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A thin rod along x.
    Rod {
        /// Length.
        length: f64,
    },
    /// A flat link through points.
    Plate {
        /// The corners in order.
        outline: Vec<Vec3>,
    },
}

/// A joint.
#[derive(Clone, Debug, Serialize)]
pub struct SceneJoint {
    /// The name.
    pub name: String,
    /// The kind: a name of the table of joints, or `gear`, `rolling`, `skate`, `custom`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The nodes of both bodies.
    pub bodies: [i64; 2],
    /// Its points on both bodies.
    pub points: [Vec3; 2],
    /// Its axis on body 1; that of a rolling disc on body 2.
    pub axis: Vec3,
    /// Whether a drive or a motor acts on it.
    pub driven: bool,
    /// The radius of a rolling disc.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// The indices of the joints that a gear couples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gear: Option<[usize; 2]>,
    /// How far the second of them moves when the first moves by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The index of its reaction force among the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction: Option<usize>,
    /// The index of its reaction moment among the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moment: Option<usize>,
}

/// An end of a force.
#[derive(Clone, Debug, Serialize)]
pub struct SceneEnd {
    /// The node.
    pub node: i64,
    /// The position from the node.
    pub position: Vec3,
}

/// A force.
#[derive(Clone, Debug, Serialize)]
pub struct SceneForce {
    /// The name.
    pub name: String,
    /// The kind of the drawing.
    pub kind: &'static str,
    /// Where it acts.
    pub ends: Vec<SceneEnd>,
    /// The index of the joint in which it acts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<usize>,
    /// The index of its tension or vector among the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<usize>,
}

/// A beam.
#[derive(Clone, Debug, Serialize)]
pub struct SceneBeam {
    /// The name.
    pub name: String,
    /// The nodes at its stations.
    pub nodes: Vec<i64>,
    /// The outline of its section.
    pub section: Profile,
    /// Whether the section was computed from stiffnesses.
    pub estimated: bool,
    /// Whether its start and its end are on the ground.
    pub clamped: [bool; 2],
    /// Indices of values of all stations: forces.
    pub force: usize,
    /// Moments.
    pub moment: usize,
    /// Strains.
    pub strain: usize,
    /// Curvatures.
    pub curvature: usize,
}

/// A flexible body.
#[derive(Clone, Debug, Serialize)]
pub struct SceneFlexible {
    /// The name.
    pub name: String,
    /// The node of its floating frame.
    pub node: i64,
    /// The nodes of its points.
    pub nodes: Vec<i64>,
    /// Pairs of nodes that a line connects.
    pub edges: Vec<[i64; 2]>,
}

/// A linear structure.
#[derive(Clone, Debug, Serialize)]
pub struct SceneStructure {
    /// The name.
    pub name: String,
    /// `line` or `grid`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// x and y of each point.
    pub rest: Vec<[f64; 2]>,
    /// Three indices of points for each triangle.
    pub triangles: Vec<usize>,
    /// The index of the displacements among the values.
    pub value: usize,
}
