//! The channels that move a scene: the frames of its nodes, then its values.

use crate::model::channel::Channel;
use crate::model::channel_source::ChannelSource;
use crate::model::compiled::Model;
use cardan_core::math::{Quaternion, exponential};
use cardan_core::state::Instant;
use cardan_core::system::Scratch;

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

/// The channels of a scene. A row contains the frames of all nodes, then all values.
#[derive(Clone, Debug, Default)]
pub struct SceneTracks {
    nodes: usize,
    values: Vec<SceneValue>,
    /// Channels, each with its place in a row.
    channels: Vec<(Channel, usize)>,
    width: usize,
}

impl SceneTracks {
    /// Adds the node with a position and, if it turns, an orientation; all nodes come before all values.
    pub(super) fn add_node(
        &mut self,
        model: &Model,
        position: ChannelSource,
        orientation: Option<ChannelSource>,
    ) -> i64 {
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
        self.columns_of_row(model, at, scratch, |_| true, out);
    }

    /// Writes the columns of a row for which `is_wanted`; the others are zero. Orientations have the sign nearest to those
    /// of `out` before the call.
    pub(crate) fn columns_of_row(
        &self,
        model: &Model,
        at: &Instant,
        scratch: Option<&Scratch>,
        is_wanted: impl Fn(usize) -> bool,
        out: &mut Vec<f64>,
    ) {
        let mut row = vec![0.0; self.width];
        // a node without orientation keeps the axes of the world
        row.chunks_exact_mut(NODE_WIDTH).take(self.nodes).for_each(|node| node[3] = 1.0);
        let channels = self.channels.iter().filter(|(_, first)| is_wanted(*first));
        let channels = channels.map(|(channel, first)| (channel, *first));
        model.evaluate_with(channels, at, scratch, &mut row);
        if out.len() == row.len() {
            let nodes = row.chunks_exact_mut(NODE_WIDTH).zip(out.chunks_exact(NODE_WIDTH));
            for (now, before) in nodes.take(self.nodes) {
                let cosine: f64 = now[3..].iter().zip(&before[3..]).map(|(a, b)| a * b).sum();
                if cosine < 0.0 {
                    now[3..].iter_mut().for_each(|x| *x = -*x);
                }
            }
        }
        *out = row;
    }

    /// Writes the columns of a row for which `is_wanted`, and leaves the others as they are.
    pub(crate) fn add_columns(
        &self,
        model: &Model,
        at: &Instant,
        is_wanted: impl Fn(usize) -> bool,
        row: &mut [f64],
    ) {
        let channels = self.channels.iter().filter(|(_, first)| is_wanted(*first));
        model.evaluate_with(channels.map(|(channel, first)| (channel, *first)), at, None, row);
    }
}
