//! The scene of a model.

use super::attach::{Attachments, frame_of};
use super::data::{
    Scene, SceneBeam, SceneBody, SceneEnd, SceneFlexible, SceneJoint, ScenePoint, SceneStructure,
};
use super::derive::{derived_shapes, given_shape};
use super::forces::scene_forces;
use super::tracks::{NODE_WIDTH, SceneTracks};
use crate::model::channel_source::{BeamValue, ChannelSource, StructureValue};
use crate::model::compiled::{JointData, Model};
use crate::model::elements::LinearStructure;
use crate::model::node_measure::NodeMeasure;
use crate::model::values::{FunctionInput, NodeLayout, vector};
use crate::model::{BodyKind, Measure};
use cardan_core::math::Vector3;
use cardan_core::simulation::InitialValues;
use cardan_core::state::Instant;
use cardan_core::system::StateView;

/// More points of a structure than this are thinned out along each side.
const MAX_SIDE: usize = 64;
/// The default extent of a scene in which nothing has a size, in m.
const DEFAULT_SIZE: f64 = 1.0;

impl Model {
    /// The scene of this model and the channels that move it; lengths and shapes that are not given follow from the
    /// configuration at an instant. Empty if the instant belongs to another model.
    pub fn scene(&self, at: &Instant) -> (Scene, SceneTracks) {
        if !self.fits(at) {
            return Default::default();
        }
        let mut tracks = SceneTracks::default();
        let carriers = self.add_nodes(&mut tracks);
        let mut row = Vec::new();
        tracks.row(self, at, None, &mut row);
        tracks.place_nodes(self, at, &row);
        let scene = row.chunks_exact(NODE_WIDTH).map(frame_of).collect();
        let frames = self.placed(&StateView::from(at), |place| place.frames.to_vec());
        let attachments = Attachments { frames, carriers: carriers.nodes, scene };
        let joints = self.scene_joints(&attachments, &mut tracks);
        let forces = scene_forces(self, &attachments, &mut tracks);
        let ends: Vec<SceneEnd> = scene_ends(&joints, &forces);
        let structures = self.scene_structures(&mut tracks);
        let extent = [attachments.extent(ends.iter()), structure_extent(&structures)];
        let found = extent.into_iter().fold(0.0, f64::max);
        let found = if found > 0.0 { found } else { self.solid_extent() };
        let size = if found > 0.0 && found.is_finite() { found } else { DEFAULT_SIZE };
        let beams = self.scene_beams(&carriers.stations, &mut tracks);
        let planar =
            self.nodes.get(1).and_then(|node| node.kind).is_some_and(BodyKind::is_in_plane);
        let mut scene = Scene {
            planar,
            gravity: vector(&self.gravity, FunctionInput::time(at.t)).into(),
            size,
            nodes: tracks.nodes(),
            points: self.ground.iter().map(|(name, p)| point(name, p)).collect(),
            bodies: Vec::new(),
            joints,
            forces,
            beams,
            flexible: self.scene_flexible(&attachments),
            structures,
        };
        scene.bodies = self.scene_bodies(&attachments, &scene, &ends);
        tracks.shrink_to_fit();
        (scene, tracks)
    }

    /// The instant of initial values; accelerations and multipliers are zero unless they are known.
    pub fn instant_of(&self, initial: &InitialValues) -> Instant {
        let (n, rows) = (self.space.velocities(), self.rows.len());
        let (a, multipliers) = initial.known.clone().unwrap_or((vec![0.0; n], vec![0.0; rows]));
        let InitialValues { t, q, v, z, .. } = initial.clone();
        Instant { t, q, v, a, multipliers, rates: vec![0.0; z.len()], z, ..Instant::default() }
    }

    /// Adds the nodes of the scene: origins of bodies, points of flexible bodies, then stations of beams.
    fn add_nodes(&self, tracks: &mut SceneTracks) -> Carriers {
        let mut nodes = vec![-1; self.nodes.len()];
        let is_station = |node: usize| self.beams.iter().any(|beam| beam.nodes.contains(&node));
        let mut is_beam_node: Vec<bool> = self.bodies.iter().map(|body| body.is_node).collect();
        let points = self.bodies.len() - self.points.list.len();
        is_beam_node[points..].fill(false);
        for (i, body) in self.bodies.iter().enumerate().filter(|(i, _)| !is_beam_node[*i]) {
            let node = i + 1;
            let turns = self.nodes[node].kind.is_some_and(BodyKind::has_orientation);
            let position = ChannelSource::Point { node, at: -body.centre, order: 0 };
            let orientation = turns.then_some(ChannelSource::Orientation(node));
            nodes[node] = tracks.add_node(self, (node, Some(-body.centre)), position, orientation);
        }
        let mut stations = Vec::new();
        for (beam, data) in self.beams.iter().enumerate() {
            let mut own = Vec::new();
            for (k, &host) in data.nodes.iter().enumerate() {
                let (_, station) = data.node_station(k);
                let of = |value| ChannelSource::Beam { beam, station, value };
                let position = of(BeamValue::Position(0));
                let orientation = Some(of(BeamValue::Orientation));
                own.push(tracks.add_node(self, (host, None), position, orientation));
                if nodes[host] < 0 && host > 0 && is_station(host) {
                    nodes[host] = own[k];
                }
            }
            stations.push(own);
        }
        Carriers { nodes, stations }
    }

    fn scene_joints(&self, places: &Attachments, tracks: &mut SceneTracks) -> Vec<SceneJoint> {
        let each = self.joints.iter().enumerate().map(|(joint, data)| {
            let ends = [0, 1].map(|k| places.end(data.sides[k], &data.points[k]));
            let kind = self.joint_kind(data);
            let disc = self.disc(data);
            let axis = match disc {
                Some(disc) => places.direction(data.sides[1], &disc.0),
                None => places.direction(data.sides[0], &data.axes.column(2).into()),
            };
            let reaction = |tracks: &mut SceneTracks, name: &str, unit, moment| {
                let source = ChannelSource::Reaction { joint, moment, local: false };
                let name = format!("{}.reaction.{name}", data.name);
                tracks.add_value(self, (name, unit), 3, std::iter::once(source))
            };
            let has_reaction = kind != "gear";
            let gear = self.gear_joints(data);
            SceneJoint {
                name: data.name.clone(),
                kind,
                bodies: ends.each_ref().map(|end| end.node),
                points: ends.map(|end| end.position),
                axis,
                driven: self.is_driven(data),
                radius: disc.map(|disc| disc.1),
                gear: gear.map(|gear| gear.0),
                ratio: gear.map(|gear| gear.1),
                reaction: has_reaction.then(|| reaction(tracks, "force", "N", false)),
                moment: has_reaction.then(|| reaction(tracks, "moment", "N·m", true)),
            }
        });
        each.collect()
    }

    fn joint_kind(&self, joint: &JointData) -> &'static str {
        if let Some(kind) = joint.kind {
            return kind.info().name;
        }
        let holonomic = &self.holonomic_rows[joint.holonomic_rows.clone()];
        if holonomic.iter().any(|row| row.partner.is_some()) {
            return "gear";
        }
        let is_skate = |measure: &NodeMeasure| matches!(measure.measure, Measure::Skate { .. });
        let mut nonholonomic = self.nonholonomic_rows[joint.nonholonomic_rows.clone()].iter();
        match () {
            () if self.disc(joint).is_some() => "rolling",
            () if nonholonomic.any(|row| is_skate(&row.measure)) => "skate",
            () => "custom",
        }
    }

    /// Axis on body 2 and radius of a rolling disc.
    fn disc(&self, joint: &JointData) -> Option<(Vector3, f64)> {
        let rows = self.holonomic_rows[joint.holonomic_rows.clone()].iter();
        rows.map(|row| &row.measure.measure).find_map(|measure| match measure {
            Measure::Contact { disc, .. } => Some((disc.axis, disc.radius)),
            _ => None,
        })
    }

    /// The joint one of whose coordinates is a measure.
    pub(super) fn joint_with(&self, measure: &NodeMeasure) -> Option<usize> {
        let is_same =
            |known: &NodeMeasure| known.measure == measure.measure && known.sides == measure.sides;
        self.joints.iter().position(|joint| joint.coordinates.iter().any(|(_, x)| is_same(x)))
    }

    /// The joints that a gear couples, and its ratio.
    fn gear_joints(&self, joint: &JointData) -> Option<([usize; 2], f64)> {
        let mut rows = self.holonomic_rows[joint.holonomic_rows.clone()].iter();
        // second − ratio · first is constant
        let (second, (factor, first)) =
            rows.find_map(|row| row.partner.as_ref().map(|partner| (&row.measure, partner)))?;
        Some(([self.joint_with(first)?, self.joint_with(second)?], -factor))
    }

    fn is_driven(&self, joint: &JointData) -> bool {
        let acts = |measure: &NodeMeasure| {
            joint
                .coordinates
                .iter()
                .any(|(_, own)| own.measure == measure.measure && own.sides == measure.sides)
        };
        let mut drives = self.drives.iter().flat_map(|drive| {
            let holonomic = self.holonomic_rows[drive.holonomic_rows.clone()].iter();
            let rates = self.nonholonomic_rows[drive.rates.clone()].iter();
            holonomic.map(|row| &row.measure).chain(rates.map(|row| &row.measure))
        });
        let mut motors = self.elements.springs.iter().filter(|spring| spring.is_actuator());
        drives.any(acts) || motors.any(|spring| acts(&spring.measure))
    }

    fn scene_beams(&self, stations: &[Vec<i64>], tracks: &mut SceneTracks) -> Vec<SceneBeam> {
        let each = self.beams.iter().enumerate().map(|(beam, data)| {
            let mut value = |name: &str, unit, value: BeamValue| {
                let of =
                    |k: usize| ChannelSource::Beam { beam, station: data.node_station(k).1, value };
                let name = (format!("{}.{name}", data.name), unit);
                tracks.add_value(self, name, 3, (0..data.nodes.len()).map(of))
            };
            let stress = |moment| BeamValue::Stress { moment, world: false };
            SceneBeam {
                name: data.name.clone(),
                nodes: stations[beam].clone(),
                section: data.profile.0,
                estimated: data.profile.1,
                clamped: [data.nodes.first(), data.nodes.last()].map(|node| node == Some(&0)),
                force: value("force", "N", stress(false)),
                moment: value("moment", "N·m", stress(true)),
                strain: value("strain", "", BeamValue::Strain { curvature: false }),
                curvature: value("curvature", "1/m", BeamValue::Strain { curvature: true }),
            }
        });
        each.collect()
    }

    fn scene_flexible(&self, places: &Attachments) -> Vec<SceneFlexible> {
        let each = self.flexible.iter().enumerate().map(|(k, flexible)| {
            let own = self.points.list.iter().filter(|point| point.body == k);
            let mut points: Vec<(i64, Vector3)> =
                own.map(|x| (places.carriers[x.node], x.point.place)).collect();
            let nodes: Vec<i64> = points.iter().map(|x| x.0).collect();
            // a line along the longest side of the body
            let spread = |axis: usize| {
                let along = || points.iter().map(|x| x.1[axis]);
                along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
            };
            let longest = (0..3).max_by(|a, b| spread(*a).total_cmp(&spread(*b))).unwrap_or(0);
            points.sort_by(|a, b| a.1[longest].total_cmp(&b.1[longest]));
            SceneFlexible {
                name: self.bodies[flexible.node - 1].name.clone(),
                node: places.carriers[flexible.node],
                nodes,
                edges: points.windows(2).map(|pair| [pair[0].0, pair[1].0]).collect(),
            }
        });
        each.collect()
    }

    fn scene_structures(&self, tracks: &mut SceneTracks) -> Vec<SceneStructure> {
        let each = self.structures.iter().enumerate().map(|(structure, data)| {
            let (chosen, triangles) = chosen_points(data);
            let of = |&node: &usize| ChannelSource::Structure {
                structure,
                value: StructureValue::Node { node, order: 0 },
            };
            let place = |&node: &usize| data.layout.place(node).unwrap_or([node as f64, 0.0]);
            let name = (format!("{}.displacement", data.name), "m");
            SceneStructure {
                name: data.name.clone(),
                kind: if triangles.is_empty() { "line" } else { "grid" },
                rest: chosen.iter().map(place).collect(),
                triangles,
                value: tracks.add_value(self, name, 1, chosen.iter().map(of)),
            }
        });
        each.collect()
    }

    /// The largest extent of a solid, for a model in which nothing has a distance from another.
    fn solid_extent(&self) -> f64 {
        let gyration = self.bodies.iter().filter(|body| body.mass > 0.0);
        gyration.map(|body| (6.0 * body.tensor.amax() / body.mass).sqrt()).fold(0.0, f64::max)
    }

    fn scene_bodies(
        &self,
        places: &Attachments,
        scene: &Scene,
        ends: &[SceneEnd],
    ) -> Vec<SceneBody> {
        let is_frame = |node: usize| self.flexible.iter().any(|x| x.node == node);
        let count = self.bodies.len() - self.points.list.len();
        let rigid = self.bodies[..count].iter().enumerate();
        let rigid = rigid.filter(|(i, body)| !body.is_node && !is_frame(i + 1));
        let each = rigid.map(|(i, body)| {
            let node = places.carriers[i + 1];
            let shapes = match body.shapes.as_slice() {
                [] => {
                    let own = ends.iter().filter(|end| end.node == node);
                    let mut points: Vec<Vector3> = own.map(|end| end.position.into()).collect();
                    points.extend(body.points.iter().map(|(_, p)| *p));
                    let turns = self.nodes[i + 1].kind.is_some_and(BodyKind::has_orientation);
                    derived_shapes(body, &points, scene, turns, node)
                }
                given => given.iter().map(|shape| given_shape(shape, &body.centre)).collect(),
            };
            SceneBody {
                name: body.name.clone(),
                node,
                centre: body.centre.into(),
                mass: body.mass,
                shapes,
                derived: body.shapes.is_empty(),
                points: body.points.iter().map(|(name, p)| point(name, p)).collect(),
            }
        });
        let ground = (!self.ground_shapes.is_empty()).then(|| SceneBody {
            name: "ground".into(),
            node: -1,
            centre: [0.0; 3],
            mass: 0.0,
            shapes: self.ground_shapes.iter().map(|x| given_shape(x, &Vector3::zeros())).collect(),
            derived: false,
            points: Vec::new(),
        });
        each.chain(ground).collect()
    }
}

/// The nodes of a scene that carry those of its model.
struct Carriers {
    /// For each node of the model; −1 for the ground.
    nodes: Vec<i64>,
    /// For each beam the nodes at its stations.
    stations: Vec<Vec<i64>>,
}

fn point(name: &str, position: &Vector3) -> ScenePoint {
    ScenePoint { name: name.into(), position: (*position).into() }
}

/// All points of joints and forces.
fn scene_ends(joints: &[SceneJoint], forces: &[super::data::SceneForce]) -> Vec<SceneEnd> {
    let of_joints = joints.iter().filter(|joint| joint.kind != "gear").flat_map(|joint| {
        let ends = joint.bodies.into_iter().zip(joint.points);
        ends.map(|(node, position)| SceneEnd { node, position })
    });
    of_joints.chain(forces.iter().flat_map(|force| force.ends.clone())).collect()
}

fn structure_extent(structures: &[SceneStructure]) -> f64 {
    let points = || structures.iter().flat_map(|x| &x.rest);
    let side = |k: usize| {
        let along = || points().map(|p| p[k]);
        (along().fold(f64::MAX, f64::min), along().fold(f64::MIN, f64::max))
    };
    let length = |(low, high): (f64, f64)| if high > low { high - low } else { 0.0 };
    length(side(0)).hypot(length(side(1)))
}

/// The drawn points of a structure, and the triangles between them.
fn chosen_points(structure: &LinearStructure) -> (Vec<usize>, Vec<usize>) {
    let thinned = |count: usize| {
        let stride = count.div_ceil(MAX_SIDE).max(1);
        let mut all: Vec<usize> = (0..=count).step_by(stride).collect();
        if all.last() != Some(&count) {
            all.push(count);
        }
        all
    };
    let NodeLayout::Grid { elements, .. } = structure.layout else {
        let all = structure.free.len().saturating_sub(1);
        let stride = all.div_ceil(MAX_SIDE * MAX_SIDE).max(1);
        return ((0..structure.free.len()).step_by(stride).collect(), Vec::new());
    };
    let (columns, rows) = (thinned(elements[0]), thinned(elements[1]));
    let chosen = rows.iter().flat_map(|j| columns.iter().map(move |i| j * (elements[0] + 1) + i));
    let n = columns.len();
    let cells = (1..rows.len()).flat_map(|j| (1..n).map(move |i| (j - 1) * n + i - 1));
    let triangles = cells.flat_map(|k| [k, k + 1, k + n + 1, k, k + n + 1, k + n]);
    (chosen.collect(), triangles.collect())
}
