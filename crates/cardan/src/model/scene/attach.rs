//! Where points of the model's nodes are on the nodes of a scene.

use super::data::SceneEnd;
use crate::model::Frame;
use cardan_core::math::{Quaternion, Vector3};

/// The nodes of a model, and those of its scene that carry them.
pub(super) struct Attachments {
    /// The poses of the nodes of the model, the ground first.
    pub frames: Vec<Frame>,
    /// For each of them the node of the scene that carries it; −1 for the ground.
    pub carriers: Vec<i64>,
    /// The poses of the nodes of the scene.
    pub scene: Vec<Frame>,
}

impl Attachments {
    fn carrier(&self, node: usize) -> (i64, Frame) {
        match self.carriers[node] {
            -1 => (-1, Frame::ground()),
            k => (k, self.scene[k as usize]),
        }
    }

    /// A point of a node of the model, from its centre of mass in its axes.
    pub fn end(&self, node: usize, point: &Vector3) -> SceneEnd {
        let (carrier, frame) = self.carrier(node);
        let place = self.frames[node].point(point);
        let local = frame.rotation.tr_mul(&(place - frame.position));
        SceneEnd { node: carrier, position: local.into() }
    }

    /// A direction in the axes of a node of the model.
    pub fn direction(&self, node: usize, along: &Vector3) -> [f64; 3] {
        let (_, frame) = self.carrier(node);
        frame.rotation.tr_mul(&(self.frames[node].rotation * along)).into()
    }

    /// The diagonal of the box that contains all nodes and some points of them.
    pub fn extent<'e>(&self, ends: impl Iterator<Item = &'e SceneEnd>) -> f64 {
        let points = ends.map(|end| {
            let p = Vector3::from(end.position);
            if end.node < 0 { p } else { self.scene[end.node as usize].point(&p) }
        });
        let all: Vec<Vector3> = points.chain(self.scene.iter().map(|x| x.position)).collect();
        let Some(first) = all.first() else { return 0.0 };
        let (low, high) =
            all.iter().fold((*first, *first), |(low, high), x| (low.inf(x), high.sup(x)));
        (high - low).norm()
    }
}

/// The pose of a row of seven numbers.
pub(super) fn frame_of(node: &[f64]) -> Frame {
    let orientation = Quaternion::new(node[3], node[4], node[5], node[6]);
    Frame { position: Vector3::new(node[0], node[1], node[2]), rotation: orientation.to_matrix() }
}
