//! A scene as JSON, with the surfaces of its meshes.

use cardan::model::{Scene, SceneSolid};
use serde_json::{Value, json};

use super::blob::singles;

/// A scene as JSON.
pub(super) fn scene_json(scene: &Scene) -> Value {
    let mut value = json!(scene);
    for (i, body) in scene.bodies.iter().enumerate() {
        for (j, shape) in body.shapes.iter().enumerate() {
            if let SceneSolid::Mesh { surface } = &shape.solid {
                let corners = surface.vertices();
                let numbers = corners.iter().flat_map(|corner| corner.iter().map(|x| *x as f32));
                let shape = &mut value["bodies"][i]["shapes"][j];
                shape["vertices"] = singles(&[corners.len(), 3], numbers);
                shape["triangles"] = surface.triangles().iter().flatten().copied().collect();
            }
        }
    }
    value
}
