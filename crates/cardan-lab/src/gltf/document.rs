//! The parts of a scene in motion as nodes, meshes and animations.

use cardan::model::{Scene, SceneTracks};
use cardan::run::MotionRecord;
use serde_json::json;

use super::animation::{Poses, is_constant};
use super::draft::{GlbChannel, GlbDraft, carrier};
use super::flexible::add_flexible;
use super::sections::tube;
use super::structures::add_structures;
use super::symbols::{add_forces, add_joints};

/// Colours of bodies without a given one, in turn.
pub(crate) const TONES: [u32; 7] =
    [0x5b8db8, 0xd08a4e, 0x6fa57a, 0xb5697a, 0x8f86b8, 0xb3a05a, 0x6f9ea3];
/// The colours of beams and of the ground.
const BEAM: u32 = 0x9aa7b4;
const GROUND: u32 = 0x8a8f98;

/// A scene in motion as a binary glTF file; the error is the reason why there is none.
pub fn glb(
    title: &str,
    (scene, tracks): (&Scene, &SceneTracks),
    motion: &MotionRecord,
) -> Result<Vec<u8>, String> {
    let is_same = motion.nodes() == scene.nodes && motion.width() == tracks.width();
    if !is_same || motion.times.is_empty() {
        return Err("the record of the motion does not belong to the model".into());
    }
    let poses = Poses::new(motion);
    let mut draft = GlbDraft::default();
    // y points upwards in glTF, and here in the plane or against gravity along y; else z
    let [x, y, z] = scene.gravity;
    let is_upright = scene.planar || -y > 0.8 * (x * x + y * y + z * z).sqrt();
    let half = if is_upright { 0.0 } else { std::f64::consts::FRAC_1_SQRT_2 };
    let rotation = [-half, 0.0, 0.0, (1.0 - half * half).sqrt()];
    draft.add_root(json!({ "name": title, "rotation": rotation, "children": [] }));
    let names = node_names(scene);
    for (name, pose) in names.iter().zip(&poses.nodes) {
        let node = json!({
            "name": name, "translation": pose.positions[0], "rotation": pose.orientations[0],
        });
        draft.add_child(0, node);
    }
    for (k, body) in scene.bodies.iter().enumerate() {
        let tone = if body.node < 0 { GROUND } else { TONES[k % TONES.len()] };
        let parent = carrier(body.node);
        for shape in &body.shapes {
            draft.add_shape(parent, &body.name, shape, scene.size, tone);
        }
    }
    for beam in &scene.beams {
        let (surface, carriers) = tube(beam);
        let joints: Vec<usize> = beam.nodes.iter().map(|node| carrier(*node)).collect();
        draft.add_skinned(&beam.name, (&surface, &carriers), &joints, BEAM);
    }
    let times = draft.buffer.scalars(&poses.times);
    add_flexible(&mut draft, scene, &poses, BEAM);
    add_joints(&mut draft, scene);
    add_forces(&mut draft, (scene, tracks), motion, &poses, times);
    add_structures(&mut draft, (scene, tracks), motion, &poses);
    animate_nodes(&mut draft, &poses, times);
    draft.write(title)
}

fn animate_nodes(draft: &mut GlbDraft, poses: &Poses, times: usize) {
    if poses.times.len() < 2 {
        return;
    }
    for (k, node) in poses.nodes.iter().enumerate() {
        let at = carrier(k as i64);
        if !is_constant(&node.positions) {
            let values = draft.buffer.vectors(&node.positions, false);
            draft.animate(GlbChannel { node: at, path: "translation", times, values });
        }
        if !is_constant(&node.orientations) {
            let values = draft.buffer.vectors(&node.orientations, false);
            draft.animate(GlbChannel { node: at, path: "rotation", times, values });
        }
    }
}

fn node_names(scene: &Scene) -> Vec<String> {
    let mut names: Vec<String> = (0..scene.nodes).map(|k| format!("node {k}")).collect();
    let mut set = |node: i64, name: String| {
        if let Some(place) = usize::try_from(node).ok().and_then(|node| names.get_mut(node)) {
            *place = name;
        }
    };
    for beam in &scene.beams {
        let stations = beam.nodes.iter().enumerate();
        stations.for_each(|(k, node)| set(*node, format!("{} station {k}", beam.name)));
    }
    for body in &scene.flexible {
        let points = body.nodes.iter().enumerate();
        points.for_each(|(k, node)| set(*node, format!("{} point {k}", body.name)));
        set(body.node, body.name.clone());
    }
    scene.bodies.iter().for_each(|body| set(body.node, body.name.clone()));
    names
}
