//! The channels that move a scene: the frames of its nodes, then its values.

use crate::model::channel::Channel;
use crate::model::channel_source::ChannelSource;
use crate::model::compiled::Model;
use cardan_core::math::{Quaternion, Vector3, exponential};
use cardan_core::state::Instant;
use cardan_core::system::{Scratch, StateView};

/// Numbers of a node in a row: position, and orientation as a quaternion w, x, y, z.
pub const NODE_WIDTH: usize = 7;

/// A value of a scene: a scalar, or the components of one or several vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneValue {
    /// The name.
    pub name: String,
    /// The unit.
    pub unit: &'static str,
    /// How many numbers it has.
    pub width: usize,
}

/// The place of a node of a scene on the node of the model that carries it.
#[derive(Clone, Copy, Debug)]
struct CarriedNode {
    carrier: usize,
    /// The position in the axes of the carrier; `None` if it follows from the first row.
    point: Option<Vector3>,
    /// The rotation relative to the carrier, if there may be one.
    turn: Option<Quaternion>,
}

/// The channels of a scene. A row contains the frames of all nodes, then all values.
#[derive(Clone, Debug, Default)]
pub struct SceneTracks {
    nodes: usize,
    /// The place of each node.
    carried: Vec<CarriedNode>,
    values: Vec<SceneValue>,
    /// Channels, each with its place in a row.
    channels: Vec<(Channel, usize)>,
    width: usize,
}

impl SceneTracks {
    /// Adds the node with a position and, if it turns, an orientation; all nodes come before all values. `carrier` is the
    /// node of the model that it is fixed to, at a point that is given or follows from the first row.
    pub(super) fn add_node(
        &mut self,
        model: &Model,
        (carrier, point): (usize, Option<Vector3>),
        position: ChannelSource,
        orientation: Option<ChannelSource>,
    ) -> i64 {
        self.carried.push(CarriedNode { carrier, point, turn: None });
        let first = NODE_WIDTH * self.nodes;
        self.channels.push((Channel::of_source(model, "m", 3, position), first));
        let turning = orientation.map(|source| Channel::of_source(model, "", 4, source));
        self.channels.extend(turning.map(|channel| (channel, first + 3)));
        self.nodes += 1;
        self.width = NODE_WIDTH * self.nodes;
        self.nodes as i64 - 1
    }

    /// Adds a value with the numbers of some sources, each of a width; the index of the value.
    pub(super) fn add_value(
        &mut self,
        model: &Model,
        (name, unit): (String, &'static str),
        width: usize,
        sources: impl Iterator<Item = ChannelSource>,
    ) -> usize {
        let first = self.width;
        for source in sources {
            self.channels.push((Channel::of_source(model, unit, width, source), self.width));
            self.width += width;
        }
        self.values.push(SceneValue { name, unit, width: self.width - first });
        self.values.len() - 1
    }

    /// Frees the memory that its lists have in reserve.
    pub(super) fn shrink_to_fit(&mut self) {
        self.carried.shrink_to_fit();
        self.channels.shrink_to_fit();
    }

    /// Places the nodes that have no point yet by the row of an instant.
    pub(super) fn place_nodes(&mut self, model: &Model, at: &Instant, row: &[f64]) {
        model.placed(&StateView::from(at), |kinematics| {
            let nodes = self.carried.iter_mut().zip(row.chunks_exact(NODE_WIDTH));
            for (node, row) in nodes.filter(|(node, _)| node.point.is_none()) {
                let frame = &kinematics.frames[node.carrier];
                let position = Vector3::new(row[0], row[1], row[2]);
                let carrier = model.nodes[node.carrier].orientation(kinematics.q);
                let unit = Quaternion::new(row[3], row[4], row[5], row[6]);
                node.point = Some(frame.rotation.tr_mul(&(position - frame.position)));
                node.turn = Some(carrier.conjugate() * unit);
            }
        });
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The values, in their order in a row.
    pub fn values(&self) -> &[SceneValue] {
        &self.values
    }

    /// The length of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The small motion of each node in a complex motion over the velocities of the system: real and imaginary parts
    /// of the translation and of the rotation vector, world axes.
    pub fn small_motion(&self, model: &Model, at: &Instant, re: &[f64], im: &[f64]) -> Vec<f64> {
        let [re, im] = [re, im].map(|motion| self.rates(model, at, motion));
        re.iter().zip(&im).flat_map(|(a, b)| [a[0], b[0], a[1], b[1]]).flatten().collect()
    }

    /// Translation and rotation of each node, from a difference along a motion.
    fn rates(&self, model: &Model, at: &Instant, motion: &[f64]) -> Vec<[[f64; 3]; 2]> {
        let largest = motion.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        let step = if largest > 0.0 { 1e-6 / largest } else { 1.0 };
        let mut rows = [Vec::new(), Vec::new()];
        for (row, sign) in rows.iter_mut().zip([-1.0, 1.0]) {
            let change: Vec<f64> = motion.iter().map(|x| sign * step * x).collect();
            let q = model.space.plus(&at.q, &change).unwrap_or_else(|| at.q.clone());
            self.row(model, &Instant { q, ..at.clone() }, None, row);
        }
        let [back, ahead] = &rows;
        let pairs = back.chunks_exact(NODE_WIDTH).zip(ahead.chunks_exact(NODE_WIDTH));
        let node = |(a, b): (&[f64], &[f64])| {
            let part = |k: usize| (b[k] - a[k]) / (2.0 * step);
            let [qa, qb] = [a, b].map(|x| Quaternion::new(x[3], x[4], x[5], x[6]));
            let turn = exponential::inverse(qb * qa.conjugate()) / (2.0 * step);
            [[part(0), part(1), part(2)], turn.into()]
        };
        pairs.take(self.nodes).map(node).collect()
    }

    /// Writes the row of an instant. Orientations have the sign nearest to those of `out` before the call.
    pub fn row(&self, model: &Model, at: &Instant, scratch: Option<&Scratch>, out: &mut Vec<f64>) {
        let mut row = vec![0.0; self.width];
        // a node without orientation keeps the axes of the world
        row.chunks_exact_mut(NODE_WIDTH).take(self.nodes).for_each(|node| node[3] = 1.0);
        self.add_columns(model, at, scratch, |_| true, &mut row);
        if out.len() == row.len() {
            let nodes = row.chunks_exact_mut(NODE_WIDTH).zip(out.chunks_exact(NODE_WIDTH));
            nodes.take(self.nodes).for_each(|(now, before)| choose_sign(now, before));
        }
        *out = row;
    }

    /// Writes the poses of all nodes to the beginning of a row: those of [`row`](Self::row) up to round-off, from the nodes of
    /// the model, which are cheaper than channels. Orientations have the sign nearest to those of `before`.
    #[cfg(feature = "results")]
    pub(crate) fn write_poses(
        &self,
        model: &Model,
        at: &Instant,
        scratch: Option<&Scratch>,
        before: &[f64],
        row: &mut [f64],
    ) {
        model.placed(&StateView::from(at).with_scratch(scratch), |kinematics| {
            let rows = row.chunks_exact_mut(NODE_WIDTH).zip(before.chunks_exact(NODE_WIDTH));
            for (node, (out, before)) in self.carried.iter().zip(rows) {
                let point = node.point.unwrap_or_default();
                let position = kinematics.frames[node.carrier].point(&point);
                let carrier = model.nodes[node.carrier].orientation(kinematics.q);
                let unit = node.turn.map_or(carrier, |turn| carrier * turn);
                out[..3].copy_from_slice(position.as_slice());
                out[3..].copy_from_slice(&unit.to_array());
                choose_sign(out, before);
            }
        });
    }

    /// Writes the columns of a row for which `is_wanted`, and leaves the others as they are.
    pub(crate) fn add_columns(
        &self,
        model: &Model,
        at: &Instant,
        scratch: Option<&Scratch>,
        is_wanted: impl Fn(usize) -> bool,
        row: &mut [f64],
    ) {
        let channels = self.channels.iter().filter(|(_, first)| is_wanted(*first));
        model.evaluate_with(channels.map(|(channel, first)| (channel, *first)), at, scratch, row);
    }
}

/// Chooses the sign of the quaternion of a node that is nearer to that of an earlier row.
#[inline]
fn choose_sign(now: &mut [f64], before: &[f64]) {
    let cosine: f64 = now[3..].iter().zip(&before[3..]).map(|(a, b)| a * b).sum();
    if cosine < 0.0 {
        now[3..].iter_mut().for_each(|x| *x = -*x);
    }
}
