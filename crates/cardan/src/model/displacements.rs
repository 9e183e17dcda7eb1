//! What a small motion does to everything that can be drawn: bodies, nodes of beams, points of flexible
//! bodies, nodes of structures.

use super::compiled::Model;
use super::values::NodeLayout;
use cardan_core::math::Vector3;
use cardan_core::state::Instant;

/// Where something is, and how a motion displaces it, world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Displacement {
    /// `crank`, `blade.node3`, `rod.end`.
    pub name: String,
    /// Where it is.
    pub position: Vector3,
    /// How it moves.
    pub translation: Vector3,
    /// How it turns: a small rotation vector.
    pub rotation: Vector3,
}

impl Model {
    /// What a motion, given over the velocities of the system, does at an instant.
    pub fn displacements(&self, at: &Instant, motion: &[f64]) -> Vec<Displacement> {
        if !self.fits(at) || motion.len() != at.v.len() {
            return Vec::new();
        }
        let mut all: Vec<Displacement> = self.moved(&at.into(), motion, |place, v| {
            let each = self.bodies.iter().enumerate().map(|(i, body)| {
                let (node, frame) = (&self.nodes[i + 1], &place.frames[i + 1]);
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
