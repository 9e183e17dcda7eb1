//! Flexible bodies: their points, joined by round bars that follow both ends.

use std::f64::consts::TAU;

use cardan::math::Vector3;
use cardan::model::{Scene, SceneEnd};

use super::animation::Poses;
use super::draft::{GlbDraft, carrier};
use super::triangulation::Triangulation;

/// Radius of a bar, in parts of the model's size.
const RADIUS: f64 = 0.006;
/// Corners of a bar.
const CORNERS: u32 = 12;

/// Adds the lines of all flexible bodies.
pub(super) fn add_flexible(draft: &mut GlbDraft, scene: &Scene, poses: &Poses, colour: u32) {
    for body in &scene.flexible {
        let mut surface = Triangulation::default();
        let (mut carriers, mut joints) = (Vec::new(), Vec::new());
        for edge in body.edges.iter().take(usize::from(u16::MAX) / 2) {
            add_bar(&mut surface, &mut carriers, &mut joints, *edge, scene.size, poses);
        }
        draft.add_skinned(&body.name, (&surface, &carriers), &joints, colour);
    }
}

/// A bar between two nodes. Its rings are across its first direction and turn with their nodes.
fn add_bar(
    surface: &mut Triangulation,
    carriers: &mut Vec<u16>,
    joints: &mut Vec<usize>,
    edge: [i64; 2],
    size: f64,
    poses: &Poses,
) {
    let [a, b] = edge.map(|node| poses.point(&SceneEnd { node, position: [0.0; 3] }, 0));
    let Some(along) = (b - a).try_normalize(0.0) else { return };
    let across = if along.z.abs() < 0.9 { Vector3::z() } else { Vector3::x() };
    let Some(u) = along.cross(&across).try_normalize(0.0) else { return };
    let v = along.cross(&u);
    let first = surface.positions.len() as u32;
    for node in edge {
        let back = poses.orientation(node, 0);
        for k in 0..CORNERS {
            let (sine, cosine) = (TAU * f64::from(k) / f64::from(CORNERS)).sin_cos();
            let normal = back.rotate_back(&(cosine * u + sine * v));
            surface.vertex(&(RADIUS * size * normal), &normal);
            carriers.push(joints.len() as u16);
        }
        joints.push(carrier(node));
    }
    for k in 0..CORNERS {
        let [p, q] = [first + k, first + (k + 1) % CORNERS];
        surface.indices.extend([p, q, q + CORNERS, p, q + CORNERS, p + CORNERS]);
    }
}
