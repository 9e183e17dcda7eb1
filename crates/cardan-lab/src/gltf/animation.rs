//! The motion of nodes over time.

use cardan::math::{Quaternion, Vector3};
use cardan::model::{NODE_WIDTH, SceneEnd, SceneTracks};
use cardan::run::MotionRecord;

/// Poses of nodes at strictly increasing times from zero on.
pub(super) struct Poses {
    pub times: Vec<f32>,
    /// For each node its poses.
    pub nodes: Vec<NodePoses>,
    /// The frames of the record at these times.
    kept: Vec<usize>,
}

/// Positions and orientations (x, y, z, w) of a node.
pub(super) struct NodePoses {
    pub positions: Vec<[f32; 3]>,
    pub orientations: Vec<[f32; 4]>,
}

impl Poses {
    /// The poses of a motion. Times are single: frames that have the same single time are left out.
    pub fn new(motion: &MotionRecord) -> Self {
        let start = motion.times.first().copied().unwrap_or(0.0);
        let mut times: Vec<f32> = Vec::new();
        let mut kept = Vec::new();
        for (k, time) in motion.times.iter().enumerate() {
            let time = (time - start) as f32;
            if times.last().is_none_or(|last| time > *last) {
                times.push(time);
                kept.push(k);
            }
        }
        let width = NODE_WIDTH * motion.nodes();
        let rows = motion.columns(0..width);
        let node = |node: usize| {
            let pose = |k: &usize| &rows[k * width + NODE_WIDTH * node..][..NODE_WIDTH];
            let unit = |q: [f32; 4]| {
                let norm = q.iter().map(|x| x * x).sum::<f32>().sqrt();
                if norm > 0.0 { q.map(|x| x / norm) } else { [0.0, 0.0, 0.0, 1.0] }
            };
            NodePoses {
                positions: kept.iter().map(pose).map(|x| [x[0], x[1], x[2]]).collect(),
                orientations: kept
                    .iter()
                    .map(pose)
                    .map(|x| unit([x[4], x[5], x[6], x[3]]))
                    .collect(),
            }
        };
        let nodes = (0..motion.nodes()).map(node).collect();
        Self { times, nodes, kept }
    }

    /// The orientation of a node at one of the times.
    pub fn orientation(&self, node: i64, k: usize) -> Quaternion {
        match usize::try_from(node).ok().and_then(|node| self.nodes.get(node)) {
            Some(poses) => {
                let [x, y, z, w] = poses.orientations[k].map(f64::from);
                Quaternion::new(w, x, y, z)
            }
            None => Quaternion::IDENTITY,
        }
    }

    /// A point of a node, or of the ground, in the world at one of the times.
    pub fn point(&self, end: &SceneEnd, k: usize) -> Vector3 {
        let local = Vector3::from(end.position);
        match usize::try_from(end.node).ok().and_then(|node| self.nodes.get(node)) {
            Some(poses) => {
                let [x, y, z] = poses.positions[k].map(f64::from);
                Vector3::new(x, y, z) + self.orientation(end.node, k).rotate(&local)
            }
            None => local,
        }
    }

    /// The numbers of a value of the scene at the times.
    pub fn value(
        &self,
        motion: &MotionRecord,
        tracks: &SceneTracks,
        index: usize,
    ) -> Vec<Vec<f32>> {
        let before: usize = tracks.values().iter().take(index).map(|x| x.width).sum();
        let width = tracks.values().get(index).map_or(0, |x| x.width);
        let first = NODE_WIDTH * motion.nodes() + before;
        let all = motion.columns(first..first + width);
        self.kept.iter().map(|k| all[k * width..(k + 1) * width].to_vec()).collect()
    }
}

/// Whether all entries are equal.
pub(super) fn is_constant<T: PartialEq>(values: &[T]) -> bool {
    values.iter().all(|x| *x == values[0])
}
