//! The compiled model: constant data of all elements, one list per kind, and the names of all parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::channel_source::Station;
use super::element::Element;
use super::elements::{
    Alignment, Coincidence, FloatingFrameBody, HolonomicRow, LinearStructure, NonholonomicRow,
    RigidBody, SectionLaw, SharedMass,
};
use super::elements::{ElementKind, Elements};
use super::event_data::ModelEvents;
use super::node::Node;
use super::node_measure::NodeMeasure;
use super::points::Points;
use super::signals::Signals;
use super::switch_data::SwitchData;
use super::values::FunctionInput;
use super::{Function, JointKind, Owner, PartKind, Profile, RowName};
use crate::solid::BodyShape;
use cardan_core::math::{Matrix3, Quaternion, Vector3};
use cardan_core::system::Space;

/// A compiled mechanism: the equations of motion, and the names of their coordinates and constraints.
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
    /// The force elements.
    pub(super) elements: Elements,
    /// Elements with limits of validity: kind, index, and number of limits.
    pub(super) watched: Vec<(ElementKind, usize, usize)>,
    pub(super) beams: Vec<BeamData>,
    pub(super) flexible: Vec<FloatingFrameBody>,
    /// Points of flexible bodies; they are the last nodes.
    pub(super) points: Points,
    /// Named points of the ground.
    pub(super) ground: Vec<(String, Vector3)>,
    /// Shapes of the ground.
    pub(super) ground_shapes: Vec<BodyShape>,
    pub(super) structures: Vec<LinearStructure>,
    /// Masses that two point masses share.
    pub(super) shared: Vec<SharedMass>,
    /// Angles whose last accepted value is stored at the end of q, to count turns.
    pub(super) turn_counters: Vec<Arc<NodeMeasure>>,
    /// The longest arm of a joint, beam or point, if there is one.
    pub(super) longest_arm: Option<f64>,
    /// The reference length of the model: the longest arm, else the largest coordinate of a body.
    pub(super) size: f64,
    pub(super) joints: Vec<JointData>,
    pub(super) drives: Vec<DriveData>,
    pub(super) forces: Vec<ForceData>,
    /// The name and type of each constraint row, in the order of the multipliers.
    pub(super) rows: Vec<RowInfo>,
    /// The number of holonomic rows.
    pub(super) holonomic: usize,
    /// Formulas of the state of the machine, states and inputs.
    pub(super) signals: Signals,
    /// Parts that events switch.
    pub(super) switches: Vec<SwitchData>,
    pub(super) events: ModelEvents,
    /// A unique number of the compiled model, shared by its copies. Channels store it to identify their model.
    pub(super) number: u64,
}

/// The number of the next model.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// The numbers of parts of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bodies.
    pub bodies: usize,
    /// Flexible bodies in floating frames.
    pub flexible: usize,
    /// Linear structures.
    pub structures: usize,
    /// Coordinates of linear structures.
    pub coordinates: usize,
    /// Beams.
    pub beams: usize,
    /// Elements of beams.
    pub elements: usize,
    /// Joints, gears, rolling discs and blades.
    pub joints: usize,
    /// Drives.
    pub drives: usize,
    /// Forces and torques.
    pub forces: usize,
    /// Named signals.
    pub signals: usize,
    /// First-order states.
    pub states: usize,
    /// Values that are set from outside.
    pub inputs: usize,
}

/// Mass properties and points of a body.
#[derive(Clone, Debug)]
pub(super) struct BodyData {
    pub name: String,
    pub mass: f64,
    pub tensor: Matrix3,
    /// From the body's origin to its centre of mass.
    pub centre: Vector3,
    pub points: Vec<(String, Vector3)>,
    /// The shapes that are given.
    pub shapes: Vec<BodyShape>,
    /// The weight in the least-squares assembly.
    pub assembly_weight: f64,
    /// Whether it is a node of a beam.
    pub is_node: bool,
}

/// A beam: its elements, its nodes and its named stations.
#[derive(Clone, Debug)]
pub(super) struct BeamData {
    pub name: String,
    /// The number of nodes of an element: 2 or 3.
    pub order: usize,
    /// The indices of its elements among those of this order.
    pub elements: std::ops::Range<usize>,
    /// The nodes of the model along the beam.
    pub nodes: Vec<usize>,
    /// The described orientations of the sections at the nodes.
    pub axes: Vec<Quaternion>,
    /// The named stations.
    pub named: Vec<(String, Station)>,
    pub ends: [BeamEnd; 2],
    pub length: f64,
    /// The outline of its section, and whether it was computed from stiffnesses.
    pub profile: (Profile, bool),
}

/// An end of a beam on its node, body axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeamEnd {
    /// The position of the end from the node.
    pub point: Vector3,
    /// The mass of the beam that is lumped at the node.
    pub mass: f64,
    /// The centre of the lumped mass from the end.
    pub centre: Vector3,
    pub tensor: Matrix3,
}

impl BeamData {
    /// The station of a node by its number. At a node between two elements it is on the first one.
    pub fn node_station(&self, number: usize) -> (String, Station) {
        let parts = self.order - 1;
        let element = number.saturating_sub(1) / parts;
        let within = (number - element * parts) as f64 / parts as f64;
        let initial = self.axes[number];
        (format!("node{number}"), Station { element, xi: 2.0 * within - 1.0, initial })
    }
}

/// The constraints and coordinates of a joint.
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
    /// Names and measures; those of angles are turn counters too.
    pub coordinates: Vec<(&'static str, Arc<NodeMeasure>)>,
    /// Axes of body 1 and body 2 that must not be opposite.
    pub aligned: Vec<[Vector3; 2]>,
}

impl JointData {
    /// A joint without constraints and coordinates.
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
    /// The axis of each row of a driven point; empty for a joint.
    pub axes: Vec<&'static str>,
}

/// The elements of a named force: one or several of the same kind.
#[derive(Clone, Debug)]
pub(super) struct ForceData {
    pub name: String,
    pub kind: ElementKind,
    pub range: std::ops::Range<usize>,
    /// The symbol of the picture, if it does not follow from the elements.
    pub symbol: Option<&'static str>,
}

/// The name and type of a constraint row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RowInfo {
    /// The part, shared by its rows.
    pub owner: Arc<Owner>,
    /// The prevented motion: "moving along x", "turning about z"; shared by all rows that prevent the same.
    pub prevents: Arc<str>,
    /// Whether it is an angle or a direction cosine; otherwise it is a length.
    pub is_angular: bool,
    /// Whether it prescribes a motion; redundant rows of this type are removed last.
    pub drives: bool,
}

impl RowInfo {
    pub fn name(&self) -> String {
        format!("{} ({})", self.owner, self.prevents)
    }

    pub fn row_name(&self) -> RowName {
        RowName { owner: Owner::clone(&self.owner), prevents: self.prevents.to_string() }
    }
}

impl Model {
    /// A model without parts.
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
            ground: Vec::new(),
            ground_shapes: Vec::new(),
            structures: Vec::new(),
            shared: Vec::new(),
            turn_counters: Vec::new(),
            longest_arm: None,
            size: 1.0,
            joints: Vec::new(),
            drives: Vec::new(),
            forces: Vec::new(),
            rows: Vec::new(),
            holonomic: 0,
            signals: Signals::default(),
            switches: Vec::new(),
            events: ModelEvents::default(),
            number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Frees the memory that its lists have in reserve.
    pub(super) fn shrink_to_fit(&mut self) {
        self.nodes.shrink_to_fit();
        self.bodies.shrink_to_fit();
        self.coincidences.shrink_to_fit();
        self.alignments.shrink_to_fit();
        self.holonomic_rows.shrink_to_fit();
        self.joints.shrink_to_fit();
        self.turn_counters.shrink_to_fit();
        self.rows.shrink_to_fit();
    }

    /// Adds a named force that consists of the last `count` elements of a kind.
    pub(super) fn name_force(
        &mut self,
        name: &str,
        (kind, count): (ElementKind, usize),
        symbol: Option<&'static str>,
    ) {
        let last = self.elements.count(kind);
        self.forces.push(ForceData { name: name.into(), kind, range: last - count..last, symbol });
    }

    /// The force to which an element belongs; gravity has no name.
    pub(super) fn owner_of_element(&self, kind: ElementKind, index: usize) -> Owner {
        let found = self.forces.iter().find(|x| x.kind == kind && x.range.contains(&index));
        found.map_or(Owner::Gravity, |force| Owner::part(PartKind::Force, &force.name))
    }

    /// The elements of a force.
    pub(super) fn parts_of(&self, force: &ForceData) -> impl Iterator<Item = &dyn Element> {
        let kind = force.kind;
        force.range.clone().map(move |i| self.elements.get(kind, i))
    }

    /// The reference length of the model: the longest arm of a joint, beam or point, else the largest coordinate of a body.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The numbers of parts.
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
            signals: self.signals.names.len(),
            states: self.elements.customs.last().map_or(0, |last| last.states.end)
                + self.signals.states.len(),
            inputs: self.signals.inputs.len(),
        }
    }

    /// Gravity, if it is constant.
    pub(super) fn constant_gravity(&self) -> Option<Vector3> {
        let constant = self.gravity.iter().all(Function::is_constant);
        constant.then(|| super::values::vector(&self.gravity, FunctionInput::time(0.0)))
    }

    /// The largest coordinate of a body in q.
    pub(super) fn farthest(&self, q: &[f64]) -> f64 {
        let bodies = 1..self.nodes.len() - self.points.list.len();
        let largest = self.nodes[bodies].iter().map(|node| node.frame(q).position.amax());
        largest.fold(0.0_f64, f64::max)
    }

    /// Finds the longest arm and the reference length. Arms that are round-off of the coordinates are none.
    pub(super) fn measure_size(&mut self, q: &[f64]) {
        let arms = self.joints.iter().flat_map(|joint| {
            let bodies = joint.sides.into_iter().zip(joint.points);
            bodies.filter(|(side, _)| *side > 0).map(|(_, point)| point.norm())
        });
        let beams = self.beams.iter().map(|beam| beam.length);
        let points = self.points.list.iter().map(|x| x.point.place.norm());
        let longest = arms.chain(beams).chain(points).fold(0.0_f64, f64::max);
        let farthest = self.farthest(q);
        let is_length = |x: &f64| *x > 1e-12 * farthest && *x > 0.0;
        self.longest_arm = Some(longest).filter(is_length);
        self.size = self.longest_arm.or(Some(farthest).filter(is_length)).unwrap_or(1.0);
    }

    /// The first beam whose forces are not the gradient of an energy.
    #[cfg(feature = "results")]
    pub(crate) fn beam_without_energy(&self) -> Option<&str> {
        let has_none = |beam: &&BeamData| {
            self.section_laws_of(beam).any(|law| law.form == super::BeamForm::FiniteVolume)
        };
        self.beams.iter().find(has_none).map(|beam| beam.name.as_str())
    }

    /// The section laws of the elements of a beam.
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

    /// The bodies with the indices of their nodes, without points of flexible bodies.
    pub(super) fn moving(&self) -> impl Iterator<Item = (usize, &BodyData)> {
        let count = self.bodies.len() - self.points.list.len();
        self.bodies[..count].iter().enumerate().map(|(i, body)| (i + 1, body))
    }

    /// Whether the model has linear structures only: one factorization is enough for a whole run.
    pub(super) fn is_linear(&self) -> bool {
        self.bodies.is_empty()
    }
}
