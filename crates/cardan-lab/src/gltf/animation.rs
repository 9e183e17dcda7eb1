//! The motion of nodes over time.

use cardan::model::NODE_WIDTH;
use cardan::run::MotionRecord;

/// Poses of nodes at strictly increasing times from zero on.
pub(super) struct Poses {
    pub times: Vec<f32>,
    /// For each node its poses.
    pub nodes: Vec<NodePoses>,
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
        Self { times, nodes: (0..motion.nodes()).map(node).collect() }
    }
}

/// Whether all entries are equal.
pub(super) fn is_constant<T: PartialEq>(values: &[T]) -> bool {
    values.iter().all(|x| *x == values[0])
}
