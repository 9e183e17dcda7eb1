//! Compiles a description into a model: resolves names, checks values, composes joints of measures.

mod beams;
mod bodies;
mod composition;
mod drives;
mod flexible;
mod forces;
mod gravity;
mod joints;
mod locks;
mod rolling;
mod signal_names;
mod signals;
mod structures;
mod time_formulas;

pub(in crate::model) use beams::MAX_TURN;

use signal_names::SignalNames;

use crate::model::values::Dimension;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::model::checks::{MAX_LENGTH, direction, fail_at, is_usable};
use crate::model::compiled::{JointData, Model, RowInfo};
use crate::model::elements::HolonomicRow;
use crate::model::mesh::Meshed;
use crate::model::node::GROUND;
use crate::model::node_measure::{NodeMeasure, PositionKinematics};
use crate::model::{
    Anchor, BodyKind, CoordinateKind, Frame, InputKey, Mechanism, ModelError, Owner, PartKind,
};
use cardan_core::math::{Matrix3, Vector3};
use cardan_core::suggestion;
use cardan_core::system::Space;

/// A model and its described configuration.
pub(in crate::model) struct Compiled {
    pub model: Model,
    pub q: Vec<f64>,
}

/// Reserved names: channels of the model begin with them.
const RESERVED: [&str; 5] = ["ground", "energy", "power", "work", "momentum"];

/// A point on a node.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct NodePoint {
    pub node: usize,
    /// From the centre of mass, body axes; `None` if only the body was named.
    pub point: Option<Vector3>,
}

/// Two nodes, and a point on each from its centre of mass.
pub(in crate::model) type NodePair = ([usize; 2], [Vector3; 2]);

/// The state of a compilation: the model built so far, and look-up tables.
pub(in crate::model) struct Compiler<'m> {
    pub mechanism: &'m Mechanism,
    pub meshed: &'m Meshed<'m>,
    pub model: Model,
    pub frames: Vec<Frame<f64>>,
    pub q: Vec<f64>,
    /// Node numbers by the names of bodies.
    nodes: HashMap<&'m str, usize>,
    /// Joints by name.
    joints: HashMap<String, usize>,
    /// Signals, states and inputs by name.
    signal_names: SignalNames<'m>,
    /// Number of values of q that belong to the system; points of flexible bodies follow.
    system_values: usize,
    /// The motions that rows prevent.
    motions: HashSet<Arc<str>>,
}

/// A constraint row to be added.
struct NewRow<'a> {
    owner: &'a Arc<Owner>,
    prevents: &'a str,
    is_angular: bool,
    drives: bool,
}

#[cfg(test)]
thread_local! {
    /// Number of models that this thread has compiled.
    pub(in crate::model) static COMPILATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Builds the model of a mechanism, with all its rows.
pub(in crate::model) fn compile(meshed: &Meshed<'_>) -> Result<Compiled, ModelError> {
    #[cfg(test)]
    COMPILATIONS.set(COMPILATIONS.get() + 1);
    let mut compiler = Compiler {
        mechanism: meshed.mechanism,
        meshed,
        model: Model::empty(),
        frames: vec![Frame::ground()],
        q: Vec::new(),
        nodes: HashMap::from([("ground", GROUND)]),
        joints: HashMap::new(),
        signal_names: SignalNames::new(meshed.mechanism),
        system_values: 0,
        motions: HashSet::new(),
    };
    compiler.bodies()?;
    compiler.flexible()?;
    compiler.structures()?;
    compiler.point_nodes();
    compiler.beams()?;
    compiler.holonomic()?;
    compiler.nonholonomic()?;
    compiler.gravity()?;
    compiler.forces()?;
    let signals = compiler.signals()?;
    let angles: Vec<f64> =
        compiler.model.turn_counters.iter().map(|measure| compiler.now(measure)).collect();
    let Compiler { mut model, mut q, system_values, .. } = compiler;
    q.truncate(system_values);
    // turn counters, inputs and memories come before the points of flexible bodies
    let discrete: Vec<f64> = angles.into_iter().chain(signals.initial).collect();
    model.space = std::mem::take(&mut model.space).then(Space::discrete(discrete.len()));
    for point in &model.points.list {
        model.nodes[point.node].q += discrete.len();
    }
    q.extend(discrete);
    model.points.q = q.len();
    model.complete_signals();
    let nodes = &model.nodes;
    model.elements.customs.iter_mut().for_each(|custom| custom.connect(nodes));
    model.shrink_to_fit();
    model.watched = model.watched_elements();
    model.measure_size(&q);
    Ok(Compiled { model, q })
}

impl Mechanism {
    /// Checks that every name is unique and can be part of a channel.
    pub(in crate::model) fn check_names(&self) -> Result<(), ModelError> {
        if let Some((name, key, reason)) = self.wrong_blocks.first() {
            return fail_at(&Owner::part(PartKind::State, name), *key, reason.clone());
        }
        let mut names = BTreeSet::from(RESERVED);
        for (kind, name) in self.parts() {
            let fail = |reason| Err(ModelError::Name { name: name.into(), reason });
            // parts of blocks have names with one point
            let own = match (kind, name.split_once('.')) {
                (PartKind::Signal | PartKind::State, Some((_, part))) => part,
                _ => name,
            };
            if !is_usable(own) {
                return fail("it is empty, or contains a period or a control character");
            }
            if RESERVED.contains(&name) {
                return fail("it is reserved");
            }
            if !names.insert(name) {
                return fail("it is used twice");
            }
        }
        Ok(())
    }
}

impl<'m> Compiler<'m> {
    /// Compiles the holonomic rows: ties, joints, gears, driven coordinates, heights of rolling discs, locks.
    fn holonomic(&mut self) -> Result<(), ModelError> {
        let mechanism = self.mechanism;
        self.ties();
        for joint in &mechanism.joints {
            self.joint(joint)?;
        }
        for joint in &mechanism.custom_joints {
            self.custom_joint(joint)?;
        }
        for gear in &mechanism.gears {
            self.gear(gear)?;
        }
        for drive in &mechanism.drives {
            self.driven_coordinates(drive)?;
        }
        for rolling in &mechanism.rollings {
            self.rolling(rolling, true)?;
        }
        self.locks()?;
        self.model.holonomic = self.model.rows.len();
        Ok(())
    }

    /// Compiles the nonholonomic rows: driven rates, rolling, skates.
    fn nonholonomic(&mut self) -> Result<(), ModelError> {
        let mechanism = self.mechanism;
        for drive in &mechanism.drives {
            self.driven_rates(drive)?;
        }
        for rolling in &mechanism.rollings {
            self.rolling(rolling, false)?;
        }
        for skate in &mechanism.skates {
            self.skate(skate)?;
        }
        Ok(())
    }

    /// The node of a body.
    pub fn node(&self, wanted_by: &Owner, key: InputKey, name: &str) -> Result<usize, ModelError> {
        self.nodes.get(name).copied().ok_or_else(|| {
            let nearest = suggestion::nearest(name, self.nodes.keys().copied());
            self.mechanism.missing(wanted_by, key, "body", name, nearest)
        })
    }

    /// A named joint of the model.
    pub fn joint_named(
        &self,
        wanted_by: &Owner,
        key: InputKey,
        name: &str,
    ) -> Result<&JointData, ModelError> {
        let found = self.joints.get(name).map(|&i| &self.model.joints[i]);
        found.ok_or_else(|| {
            let nearest = suggestion::nearest(name, self.joints.keys().map(String::as_str));
            self.mechanism.missing(wanted_by, key, "joint", name, nearest)
        })
    }

    /// Whether a joint has this name.
    pub fn is_joint(&self, name: &str) -> bool {
        self.joints.contains_key(name)
    }

    /// A joint's coordinate, named `"joint"` (the first one, or the first of a kind) or
    /// `"joint.coordinate"`.
    pub fn coordinate(
        &self,
        owner: &Owner,
        key: InputKey,
        text: &str,
        kind: Option<CoordinateKind>,
    ) -> Result<NodeMeasure, ModelError> {
        let (name, wanted) = match text.split_once('.') {
            Some((name, wanted)) => (name, Some(wanted)),
            None => (text, None),
        };
        let joint = self.joint_named(owner, key, name)?;
        let is_kind = |measure: &NodeMeasure| {
            kind.is_none_or(|kind| measure.measure.is_angle() == (kind == CoordinateKind::Angle))
        };
        let fits = |(known, measure): &&(&'static str, Arc<NodeMeasure>)| {
            wanted.is_none_or(|wanted| wanted == *known) && is_kind(measure)
        };
        if let Some((_, measure)) = joint.coordinates.iter().find(fits) {
            return Ok(NodeMeasure::clone(measure));
        }
        let what = match (wanted, kind) {
            (Some(wanted), _) => format!("coordinate `{wanted}`"),
            (None, Some(CoordinateKind::Angle)) => "angle".into(),
            (None, Some(CoordinateKind::Translation)) => "translation".into(),
            (None, None) => "coordinate".into(),
        };
        let has = joint.coordinates.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
        let has = if has.is_empty() { String::new() } else { format!("; it has {has}") };
        fail_at(owner, key, format!("joint `{name}` has no {what}{has}"))
    }

    /// The node and the point that an anchor names.
    pub fn node_point(
        &self,
        wanted_by: &Owner,
        key: impl Into<InputKey>,
        anchor: &Anchor,
    ) -> Result<NodePoint, ModelError> {
        let key = key.into();
        if let Some(mesh) = self.meshed.mesh_of(&anchor.body) {
            let number = self.meshed.beam_node(wanted_by, key, mesh, anchor)?;
            let node = mesh.nodes[number].host;
            let frame = &self.frames[node];
            let point = frame.rotation.tr_mul(&(mesh.line(number) - frame.position));
            return Ok(NodePoint { node, point: Some(point) });
        }
        if let Some(node) = self.flexible_point(wanted_by, key, anchor) {
            return Ok(NodePoint { node: node?, point: Some(Vector3::zeros()) });
        }
        let node = self.node(wanted_by, key, &anchor.body)?;
        let (points, centre) = match node {
            GROUND => (&self.mechanism.ground, Vector3::zeros()),
            _ => {
                let body = &self.model.bodies[node - 1];
                (&body.points, body.centre)
            }
        };
        let has_rotation = self.model.nodes[node].kind.is_none_or(BodyKind::has_orientation);
        let point = match &anchor.point {
            // a point mass has one point
            None => (!has_rotation).then(Vector3::zeros),
            Some(name) => {
                let found = points.iter().find(|(known, _)| known == name);
                let (_, at) = found.ok_or_else(|| {
                    let known = points.iter().map(|(known, _)| known.as_str());
                    let nearest = suggestion::nearest(name, known);
                    ModelError::missing(wanted_by, key, "point", anchor.to_string(), nearest)
                })?;
                Some(at - centre)
            }
        };
        Ok(NodePoint { node, point })
    }

    /// Both ends of a joint or bushing, which coincide: an end without a point has the position of the
    /// other end.
    pub fn ends(
        &self,
        owner: &Owner,
        anchors: &[Anchor; 2],
        at: Option<Vector3>,
    ) -> Result<NodePair, ModelError> {
        let node_points = self.node_points(owner, anchors, at)?;
        let world = |node_point: NodePoint| {
            node_point.point.map(|point| self.frames[node_point.node].point(&point))
        };
        match at.or(world(node_points[0])).or(world(node_points[1])) {
            Some(place) => self.points(owner, node_points, Some(place)),
            None => fail_at(owner, "at", "its position is missing: name a point, or give `at`"),
        }
    }

    /// Both ends of a spring or rod: an end without a point is at the body's origin, or at `at` if the
    /// other end has a point.
    pub fn line(
        &self,
        owner: &Owner,
        anchors: &[Anchor; 2],
        at: Option<Vector3>,
    ) -> Result<NodePair, ModelError> {
        let node_points = self.node_points(owner, anchors, at)?;
        if at.is_some() && node_points.iter().all(|node_point| node_point.point.is_none()) {
            return fail_at(owner, "at", "`at` is one position for two ends: name their points");
        }
        self.points(owner, node_points, at)
    }

    fn node_points(
        &self,
        owner: &Owner,
        anchors: &[Anchor; 2],
        at: Option<Vector3>,
    ) -> Result<[NodePoint; 2], ModelError> {
        let end = |k: usize| self.node_point(owner, InputKey::entry("between", k), &anchors[k]);
        let node_points = [end(0)?, end(1)?];
        if node_points[0].node == node_points[1].node {
            let reason = format!("both ends are on `{}`", anchors[0].body);
            return fail_at(owner, "between", reason);
        }
        if at.is_some() && node_points.iter().all(|node_point| node_point.point.is_some()) {
            return fail_at(owner, "at", "both ends name their points: remove `at`");
        }
        Ok(node_points)
    }

    /// The points of two ends; an end without a point is at a position in the world if one is given, or at
    /// the origin of its body.
    fn points(
        &self,
        owner: &Owner,
        node_points: [NodePoint; 2],
        place: Option<Vector3>,
    ) -> Result<NodePair, ModelError> {
        let mut points = [Vector3::zeros(); 2];
        for (point, node_point) in points.iter_mut().zip(node_points) {
            let frame = &self.frames[node_point.node];
            let in_world = |place: Vector3| frame.rotation.tr_mul(&(place - frame.position));
            let origin = || {
                -node_point
                    .node
                    .checked_sub(1)
                    .map_or(Vector3::zeros(), |i| self.model.bodies[i].centre)
            };
            *point = node_point.point.or_else(|| place.map(in_world)).unwrap_or_else(origin);
        }
        if !points.iter().flat_map(|p| p.iter()).all(|x| x.abs() < MAX_LENGTH) {
            return fail_at(owner, "at", "its position is not finite or too large");
        }
        if self.dimension() == Dimension::Plane && points.iter().any(|point| point.z != 0.0) {
            return fail_at(owner, "at", "its position is outside the plane z = 0");
        }
        Ok((node_points.map(|node_point| node_point.node), points))
    }

    /// The value of a measure in the described positions of the bodies, without turn counters.
    pub fn now(&self, measure: &NodeMeasure) -> f64 {
        let place =
            PositionKinematics { nodes: &self.model.nodes, frames: &self.frames, q: &self.q };
        NodeMeasure { turn_counter: None, ..measure.clone() }.value(place)
    }

    /// Whether the mechanism moves in the plane or in space.
    pub fn dimension(&self) -> Dimension {
        self.meshed.bodies.first().map_or(Dimension::Space, |x| x.body.kind.dimension())
    }

    /// Adds a row and returns its number.
    fn row(&mut self, row: NewRow<'_>) -> usize {
        let NewRow { owner, prevents, is_angular, drives } = row;
        let prevents = match self.motions.get(prevents) {
            Some(known) => Arc::clone(known),
            None => {
                let new: Arc<str> = prevents.into();
                self.motions.insert(Arc::clone(&new));
                new
            }
        };
        self.model.rows.push(RowInfo { owner: Arc::clone(owner), prevents, is_angular, drives });
        self.model.rows.len() - 1
    }

    /// Adds a holonomic row.
    fn add_holonomic_row(&mut self, row: NewRow<'_>, holonomic: HolonomicRow) {
        let row = self.row(row);
        self.model.holonomic_rows.push(HolonomicRow { row, ..holonomic });
    }
}

/// The unit vector of a direction.
fn unit(
    owner: &Owner,
    key: &'static str,
    what: &str,
    axis: &Vector3,
) -> Result<Vector3, ModelError> {
    match axis.norm() {
        length if length.is_finite() && length > 0.0 => Ok(axis / length),
        0.0 => fail_at(owner, key, format!("its {what} vector is zero")),
        _ => fail_at(owner, key, format!("its {what} vector is not finite: {}", direction(axis))),
    }
}

/// Right-handed axes with a given third axis; the second is perpendicular to the coordinate axis that
/// is least aligned with it.
fn completed(axis: Vector3) -> Matrix3 {
    let least = axis.abs().imin();
    let second = axis.cross(&Vector3::ith(least, 1.0)).normalize();
    Matrix3::from_columns(&[second.cross(&axis), second, axis])
}
