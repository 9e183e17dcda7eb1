//! Displacements of bodies, nodes of beams, points of flexible bodies and nodes of structures in a small
//! motion, for drawings.

use super::compiled::Model;
use super::values::NodeLayout;
use cardan_core::math::Vector3;
use cardan_core::state::Instant;

/// The position of a body, node or point and its displacement in a small motion, world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Displacement {
    /// The name: `crank`, `blade.node3`, `rod.end`.
    pub name: String,
    /// The position before the motion.
    pub position: Vector3,
    /// The displacement.
    pub translation: Vector3,
    /// The rotation, as a small rotation vector.
    pub rotation: Vector3,
}

impl Model {
    /// The displacements in a small motion, which is given over the velocities of the system.
    pub fn displacements(&self, at: &Instant, motion: &[f64]) -> Vec<Displacement> {
        if !self.fits(at) || motion.len() != at.v.len() {
            return Vec::new();
        }
        let mut all: Vec<Displacement> = self.moved(&at.into(), motion, |kinematics, v| {
            let each = self.bodies.iter().enumerate().map(|(i, body)| {
                let (node, frame) = (&self.nodes[i + 1], &kinematics.frames[i + 1]);
                Displacement {
                    name: body.name.clone(),
                    position: frame.position,
                    translation: node.velocity(0, v),
                    rotation: frame.rotation * node.velocity(1, v),
                }
            });
            each.collect()
        });
        for structure in &self.structures {
            for node in 0..structure.free.len() {
                let [x, y] = structure.layout.place(node).unwrap_or([node as f64, 0.0]);
                let along = match structure.layout {
                    NodeLayout::Grid { .. } => Vector3::z(),
                    _ => Vector3::x(),
                };
                all.push(Displacement {
                    name: format!("{}.node{node}", structure.name),
                    position: Vector3::new(x, y, 0.0),
                    translation: structure.value(node, structure.v, motion) * along,
                    rotation: Vector3::zeros(),
                });
            }
        }
        all
    }
}
