//! A scene as JSON, with the surfaces of its meshes.

use cardan::math::{Quaternion, Vector3};
use cardan::model::{Scene, SceneSolid};
use serde_json::{Value, json};

use super::blob::singles;

/// The triangles of all meshes of a page, at most; further meshes are drawn as boxes around them.
const MAX_TRIANGLES: usize = 200_000;

/// A scene as JSON.
pub(super) fn scene_json(scene: &Scene) -> Value {
    let mut value = json!(scene);
    let mut triangles = 0;
    for (i, body) in scene.bodies.iter().enumerate() {
        for (j, shape) in body.shapes.iter().enumerate() {
            if let SceneSolid::Mesh { surface } = &shape.solid {
                triangles += surface.triangles().len();
                let corners = surface.vertices();
                if triangles > MAX_TRIANGLES {
                    triangles -= surface.triangles().len();
                    let first = corners[0];
                    let (low, high) =
                        corners.iter().fold((first, first), |(a, b), x| (a.inf(x), b.sup(x)));
                    let middle =
                        Quaternion::from_array(shape.orientation).rotate(&(0.5 * (low + high)));
                    let shape_json = &mut value["bodies"][i]["shapes"][j];
                    shape_json["type"] = "box".into();
                    shape_json["edges"] = json!(<[f64; 3]>::from(high - low));
                    shape_json["position"] =
                        json!(<[f64; 3]>::from(middle + Vector3::from(shape.position)));
                    continue;
                }
                let numbers = corners.iter().flat_map(|corner| corner.iter().map(|x| *x as f32));
                let shape = &mut value["bodies"][i]["shapes"][j];
                shape["vertices"] = singles(&[corners.len(), 3], numbers);
                shape["triangles"] = surface.triangles().iter().flatten().copied().collect();
            }
        }
    }
    value
}
