//! Linear structures: surfaces and bars whose vertices move between displaced shapes.

use cardan::model::{Scene, SceneStructure, SceneTracks};
use cardan::run::MotionRecord;
use serde_json::json;

use super::animation::Poses;
use super::draft::{GlbChannel, GlbDraft};
use super::triangulation::Triangulation;

const COLOUR: u32 = 0x5b8db8;
/// Displaced shapes of a structure, at most; frames between them are left out.
const MAX_SHAPES: usize = 100;
/// The largest displacement as it is drawn, and half the thickness of a bar, in parts of the model's size.
const DRAWN: f64 = 0.1;
const HALF: f64 = 0.016;

/// Adds all structures.
pub(super) fn add_structures(
    draft: &mut GlbDraft,
    (scene, tracks): (&Scene, &SceneTracks),
    motion: &MotionRecord,
    poses: &Poses,
) {
    for structure in &scene.structures {
        let values = poses.value(motion, tracks, structure.value);
        let largest = values.iter().flatten().fold(0.0_f64, |most, x| most.max(f64::from(x.abs())));
        let factor = magnification(largest, scene.size);
        // evenly chosen frames, with the first and the last
        let last = values.len() - 1;
        let count = values.len().min(MAX_SHAPES);
        let chosen: Vec<usize> = (0..count).map(|k| k * last / (count - 1).max(1)).collect();
        let shape = |k: &usize| places(structure, &values[*k], factor, scene.size);
        let base = shape(&chosen[0]);
        let surface = Triangulation {
            positions: base.clone(),
            normals: Vec::new(),
            indices: triangles(structure),
        };
        if surface.indices.is_empty() {
            continue;
        }
        let name = match factor > 1.0 {
            true => format!("{}, displacements {factor} times larger", structure.name),
            false => structure.name.clone(),
        };
        let mesh = draft.add_mesh(&name, &surface, &[], COLOUR);
        let node = draft.add_child(0, json!({ "name": name, "mesh": mesh }));
        if chosen.len() < 2 {
            continue;
        }
        let target = |k: &usize| {
            let moved = shape(k);
            let change = moved.iter().zip(&base);
            change.map(|(a, b)| [a[0] - b[0], a[1] - b[1], a[2] - b[2]]).collect::<Vec<_>>()
        };
        let targets: Vec<Vec<[f32; 3]>> = chosen[1..].iter().map(target).collect();
        draft.add_targets(mesh, &targets);
        let times: Vec<f32> = chosen.iter().map(|k| poses.times[*k]).collect();
        // at its time a shape acts alone
        let weight = |k: usize| (1..chosen.len()).map(move |j| if j == k { 1.0 } else { 0.0 });
        let weights: Vec<f32> = (0..chosen.len()).flat_map(weight).collect();
        let [times, values] = [&times, &weights].map(|x| draft.buffer.scalars(x));
        draft.animate(GlbChannel { node, path: "weights", times, values });
    }
}

/// How many times larger displacements are drawn: 1, 2 or 5 times a power of ten, so that the largest is seen.
fn magnification(largest: f64, size: f64) -> f64 {
    let ratio = if largest > 0.0 { DRAWN * size / largest } else { 1.0 };
    if !(ratio > 1.0 && ratio.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(ratio.log10().floor());
    let digit = [5.0, 2.0, 1.0].into_iter().find(|digit| digit * power <= ratio);
    digit.unwrap_or(1.0) * power
}

/// Corners of the section of a bar.
const CORNERS: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];

/// The vertices: points of a surface, or four corners at each point of a bar.
fn places(structure: &SceneStructure, values: &[f32], factor: f64, size: f64) -> Vec<[f32; 3]> {
    let rest = structure.rest.iter().zip(values).map(|(p, x)| (p, factor * f64::from(*x)));
    match structure.kind {
        "grid" => rest.map(|([x, y], u)| [*x as f32, *y as f32, u as f32]).collect(),
        _ => {
            let half = HALF * size;
            let corners = |([x, y], u): (&[f64; 2], f64)| {
                CORNERS.map(|[b, c]| [(x + u) as f32, (y + half * b) as f32, (half * c) as f32])
            };
            rest.flat_map(corners).collect()
        }
    }
}

fn triangles(structure: &SceneStructure) -> Vec<u32> {
    if structure.kind == "grid" {
        return structure.triangles.iter().map(|k| *k as u32).collect();
    }
    let sections = structure.rest.len() as u32;
    let mut all = Vec::new();
    for first in (1..sections).map(|k| 4 * (k - 1)) {
        for k in 0..4 {
            let [a, b] = [first + k, first + (k + 1) % 4];
            all.extend([a, b, b + 4, a, b + 4, a + 4]);
        }
    }
    if sections > 1 {
        let end = 4 * (sections - 1);
        all.extend([0, 2, 1, 0, 3, 2, end, end + 1, end + 2, end, end + 2, end + 3]);
    }
    all
}
