//! The compiled model: elements of a kind together, names beside them, nothing that changes.

use std::sync::atomic::{AtomicU64, Ordering};

use super::element::Element;
use super::elements::{
    Alignment, Coincidence, FloatingFrameBody, HolonomicRow, LinearStructure, NonholonomicRow,
    RigidBody, SectionLaw, SharedMass,
};
use super::elements::{ElementKind, Elements};
use super::node::Node;
use super::node_measure::NodeMeasure;
use super::points::Points;
use super::{Function, JointKind, Owner, RowName};
use cardan_core::math::{Matrix3, Quaternion, Vector3};
use cardan_core::system::Space;

/// A mechanism ready to move: the equations of motion, and the names of everything in them.
///
/// It is made by [`Mechanism::assemble`](super::Mechanism::assemble) and never changes.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) space: Space,
    /// The ground, then the bodies.
    pub(super) nodes: Vec<Node>,
    pub(super) bodies: Vec<BodyData>,
    pub(super) gravity: [Function; 3],
    pub(super) coincidences: Vec<Coincidence>,
    pub(super) alignments: Vec<Alignment>,
    pub(super) holonomic_rows: Vec<HolonomicRow>,
    pub(super) nonholonomic_rows: Vec<NonholonomicRow>,
    /// What acts between the bodies.
    pub(super) elements: Elements,
    /// Elements with limits of validity: kind, index, and how many.
    pub(super) watched: Vec<(ElementKind, usize, usize)>,
    pub(super) beams: Vec<BeamData>,
    pub(super) flexible: Vec<FloatingFrameBody>,
    /// Points of flexible bodies, which are the last nodes.
    pub(super) points: Points,
    pub(super) structures: Vec<LinearStructure>,
    /// Masses that two point masses share.
    pub(super) shared: Vec<SharedMass>,
    /// Angles whose last accepted value q carries.
    pub(super) turn_counters: Vec<NodeMeasure>,
    /// The longest arm of a joint: what lengths are compared with.
    pub(super) size: f64,
    pub(super) joints: Vec<JointData>,
    pub(super) drives: Vec<DriveData>,
    pub(super) forces: Vec<ForceData>,
    /// What each constraint row is called, in the order of the multipliers.
    pub(super) rows: Vec<RowInfo>,
    pub(super) holonomic: usize,
    /// Every model that is compiled has a number of its own, which its copies share: channels know
    /// their model by it.
    pub(super) number: u64,
}

/// The number of the next model.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// How many parts a model has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bodies.
    pub bodies: usize,
    /// Flexible bodies in floating frames.
    pub flexible: usize,
    /// Linear structures.
    pub structures: usize,
    /// Their coordinates.
    pub coordinates: usize,
    /// Beams.
    pub beams: usize,
    /// Their elements.
    pub elements: usize,
    /// Joints, gears, rolling discs and blades.
    pub joints: usize,
    /// Drives.
    pub drives: usize,
    /// Forces and torques.
    pub forces: usize,
}

/// A body's mass and the points on it.
#[derive(Clone, Debug)]
pub(super) struct BodyData {
    pub name: String,
    pub mass: f64,
    pub tensor: Matrix3,
    /// From the body's origin to its centre of mass.
    pub centre: Vector3,
    pub points: Vec<(String, Vector3)>,
    /// The body's weight in an assembly.
    pub assembly_weight: f64,
    /// Whether it is a node of a beam.
    pub is_node: bool,
}

/// A beam: its elements, its nodes, and the stations it reports.
#[derive(Clone, Debug)]
pub(super) struct BeamData {
    pub name: String,
    /// Nodes of an element.
    pub order: usize,
    /// Its elements among those of this order.
    pub elements: std::ops::Range<usize>,
    /// The model's nodes along it.
    pub nodes: Vec<usize>,
    /// How the sections are turned there as described.
    pub axes: Vec<Quaternion>,
    /// Named stations.
    pub named: Vec<(String, Station)>,
    pub ends: [BeamEnd; 2],
    pub length: f64,
}

/// An end of a beam on its node, body axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeamEnd {
    /// Where the end is, from the node.
    pub point: Vector3,
    /// What the beam gives of its mass to the node there, with its centre from the end.
    pub mass: f64,
    pub centre: Vector3,
    pub tensor: Matrix3,
}

/// A place on a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Station {
    /// The element, counted along the beam.
    pub element: usize,
    /// Where in the element, −1…1.
    pub xi: f64,
    /// How the section is turned there as described.
    pub initial: Quaternion,
}

impl Station {
    /// No place of its own.
    pub const WHOLE: Self = Self { element: 0, xi: 0.0, initial: Quaternion::IDENTITY };
}

impl BeamData {
    /// The station of a node, by its number; the element before it, if there is one.
    pub fn node_station(&self, number: usize) -> (String, Station) {
        let parts = self.order - 1;
        let element = number.saturating_sub(1) / parts;
        let within = (number - element * parts) as f64 / parts as f64;
        let initial = self.axes[number];
        (format!("node{number}"), Station { element, xi: 2.0 * within - 1.0, initial })
    }
}

/// What a joint consists of, and what it reports.
#[derive(Clone, Debug)]
pub(super) struct JointData {
    pub name: String,
    /// `None` for gears, rolling discs and blades.
    pub kind: Option<JointKind>,
    pub sides: [usize; 2],
    /// The joint's point on each body, from the centre of mass.
    pub points: [Vector3; 2],
    /// The joint's axes on body 1.
    pub axes: Matrix3,
    pub coincidence: Option<usize>,
    pub alignment: Option<usize>,
    pub holonomic_rows: std::ops::Range<usize>,
    pub nonholonomic_rows: std::ops::Range<usize>,
    pub coordinates: Vec<(&'static str, NodeMeasure)>,
    /// Axes of body 1 and body 2 that must not be opposite.
    pub aligned: Vec<[Vector3; 2]>,
}

impl JointData {
    /// A joint that consists of nothing yet.
    pub fn new(name: &str, sides: [usize; 2], points: [Vector3; 2]) -> Self {
        Self {
            name: name.into(),
            kind: None,
            sides,
            points,
            axes: Matrix3::identity(),
            coincidence: None,
            alignment: None,
            holonomic_rows: 0..0,
            nonholonomic_rows: 0..0,
            coordinates: Vec::new(),
            aligned: Vec::new(),
        }
    }
}

/// The rows of a drive.
#[derive(Clone, Debug)]
pub(super) struct DriveData {
    pub name: String,
    pub holonomic_rows: std::ops::Range<usize>,
    pub rates: std::ops::Range<usize>,
}

/// Where a force is found among the elements: it may consist of several of a kind.
#[derive(Clone, Debug)]
pub(super) struct ForceData {
    pub name: String,
    pub kind: ElementKind,
    pub range: std::ops::Range<usize>,
}

/// What a constraint row is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RowInfo {
    pub owner: Owner,
    /// What it prevents: "moving along x", "turning about z".
    pub prevents: String,
    /// Whether it is an angle or a direction cosine; a length otherwise.
    pub is_angular: bool,
    /// Whether it prescribes a motion; such rows are the last to be dropped.
    pub drives: bool,
}

impl RowInfo {
    pub fn name(&self) -> String {
        self.row_name().to_string()
    }

    pub fn row_name(&self) -> RowName {
        RowName { owner: self.owner.clone(), prevents: self.prevents.clone() }
    }
}

impl Model {
    /// A model without anything in it.
    pub(super) fn empty() -> Self {
        Self {
            space: Space::default(),
            nodes: vec![Node::GROUND],
            bodies: Vec::new(),
            gravity: [0.0; 3].map(Function::Constant),
            coincidences: Vec::new(),
            alignments: Vec::new(),
            holonomic_rows: Vec::new(),
            nonholonomic_rows: Vec::new(),
            elements: Elements::default(),
            watched: Vec::new(),
            beams: Vec::new(),
            flexible: Vec::new(),
            points: Points::default(),
            structures: Vec::new(),
            shared: Vec::new(),
            turn_counters: Vec::new(),
            size: 1.0,
            joints: Vec::new(),
            drives: Vec::new(),
            forces: Vec::new(),
            rows: Vec::new(),
            holonomic: 0,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Gives the last elements of a kind a name.
    pub(super) fn name_force(&mut self, name: &str, kind: ElementKind, count: usize) {
        let last = self.elements.count(kind);
        self.forces.push(ForceData { name: name.into(), kind, range: last - count..last });
    }

    /// The elements of a force.
    pub(super) fn parts_of(&self, force: &ForceData) -> impl Iterator<Item = &dyn Element> {
        let kind = force.kind;
        force.range.clone().map(move |i| self.elements.get(kind, i))
    }

    /// The longest arm of a joint: what lengths are compared with.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// How many parts it has.
    pub fn counts(&self) -> Counts {
        Counts {
            bodies: self.bodies.iter().filter(|body| !body.is_node).count() - self.flexible.len(),
            flexible: self.flexible.len(),
            structures: self.structures.len(),
            coordinates: self.structures.iter().map(LinearStructure::size).sum(),
            beams: self.beams.len(),
            elements: self.elements.beams2.len() + self.elements.beams3.len(),
            joints: self.joints.len(),
            drives: self.drives.len(),
            forces: self.forces.len(),
        }
    }

    /// Gravity, if it is the same at all times.
    pub(super) fn constant_gravity(&self) -> Option<Vector3> {
        let constant = self.gravity.iter().all(Function::is_constant);
        constant.then(|| super::values::vector(&self.gravity, 0.0))
    }

    /// The farthest body from the origin.
    pub(super) fn farthest(&self, q: &[f64]) -> f64 {
        let bodies = 1..self.nodes.len() - self.points.list.len();
        let places = self.nodes[bodies].iter().map(|node| node.frame(q).position.amax());
        places.fold(0.0_f64, f64::max)
    }

    /// The longest arm of a joint, or else the distance between bodies, or else one.
    pub(super) fn longest_arm(&self, q: &[f64]) -> f64 {
        let arms = self.joints.iter().flat_map(|joint| {
            let bodies = joint.sides.into_iter().zip(joint.points);
            bodies.filter(|(side, _)| *side > 0).map(|(_, point)| point.norm())
        });
        let beams = self.beams.iter().map(|beam| beam.length);
        let points = self.points.list.iter().map(|x| x.point.place.norm());
        let longest = arms.chain(beams).chain(points).fold(0.0_f64, f64::max);
        let far = self.farthest(q);
        [longest, far].into_iter().find(|x| *x > 1e-12 * far && *x > 0.0).unwrap_or(1.0)
    }

    /// What the elements of a beam are made of.
    pub(super) fn section_laws_of(&self, beam: &BeamData) -> impl Iterator<Item = &SectionLaw> {
        let order = beam.order;
        beam.elements.clone().map(move |i| match order {
            3 => &*self.elements.beams3[i].section_law,
            _ => &*self.elements.beams2[i].section_law,
        })
    }

    /// The inertia of the bodies.
    #[inline]
    pub(super) fn rigid(&self) -> impl Iterator<Item = RigidBody> {
        self.moving().map(|(node, body)| RigidBody { node, mass: body.mass, tensor: body.tensor })
    }

    /// The bodies with their nodes.
    pub(super) fn moving(&self) -> impl Iterator<Item = (usize, &BodyData)> {
        let count = self.bodies.len() - self.points.list.len();
        self.bodies[..count].iter().enumerate().map(|(i, body)| (i + 1, body))
    }

    /// Whether all there is is linear: one factorization serves a whole run.
    pub(super) fn is_linear(&self) -> bool {
        self.bodies.is_empty()
    }
}
