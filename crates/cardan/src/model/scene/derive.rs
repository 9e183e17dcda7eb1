//! Shapes of bodies for which none is given: links between their joints, boxes of their inertia.

use std::f64::consts::PI;

use super::data::{Scene, SceneShape, SceneSolid};
use crate::model::compiled::BodyData;
use crate::solid::{BodyShape, Shape};
use cardan_core::math::{Quaternion, Vector3, exponential};

/// Radius of a link, and the smallest and largest edge of a box, in parts of the model's size.
const LINK: f64 = 0.012;
const SMALLEST: f64 = 0.03;
const LARGEST: f64 = 0.5;
/// Points nearer than this part of the model's size are one.
const SAME: f64 = 1e-4;

/// The shapes of a body with connections at some points, from its origin in body axes.
pub(super) fn derived_shapes(
    body: &BodyData,
    connections: &[Vector3],
    scene: &Scene,
    turns: bool,
    node: i64,
) -> Vec<SceneShape> {
    let size = scene.size;
    let discs = scene.joints.iter().filter(|joint| joint.bodies[1] == node);
    let mut shapes: Vec<SceneShape> = discs
        .filter_map(|joint| {
            let solid = SceneSolid::Cylinder { radius: joint.radius?, length: 2.0 * LINK * size };
            Some(along(solid, &joint.points[1].into(), &joint.axis.into()))
        })
        .collect();
    if !turns {
        return vec![at(SceneSolid::Sphere { radius: 2.0 * LINK * size }, &body.centre)];
    }
    let mut points: Vec<Vector3> = Vec::new();
    for point in connections {
        if points.iter().all(|known| (known - point).norm() > SAME * size) {
            points.push(*point);
        }
    }
    match points.as_slice() {
        _ if !shapes.is_empty() => {}
        [one] if (one - body.centre).norm() > SMALLEST * size => {
            shapes.push(link(one, &body.centre, size));
            shapes.push(solid(body, scene, 0.25));
        }
        [] | [_] => shapes.push(solid(body, scene, LARGEST)),
        [one, two] => shapes.push(link(one, two, size)),
        many => match plate(many, scene) {
            Some(outline) => {
                shapes.push(at(SceneSolid::Plate { outline }, &Vector3::zeros()));
            }
            None => {
                let middle = many.iter().sum::<Vector3>() / many.len() as f64;
                let ends = many.iter().filter(|p| (*p - middle).norm() > SAME * size);
                shapes.extend(ends.map(|end| link(&middle, end, size)));
            }
        },
    }
    shapes
}

/// The drawing of a given shape on a body with a centre of mass.
pub(super) fn given_shape(given: &BodyShape, centre: &Vector3) -> SceneShape {
    let solid = match given.shape.clone() {
        Shape::Box { edges } => SceneSolid::Box { edges },
        Shape::Cylinder { radius, length } => SceneSolid::Cylinder { radius, length },
        Shape::Capsule { radius, length } => SceneSolid::Capsule { radius, length },
        Shape::Cone { radius, top, length } => SceneSolid::Cone { radius, top, length },
        Shape::Sphere { radius } => SceneSolid::Sphere { radius },
        Shape::Rod { length } => SceneSolid::Rod { length },
        Shape::Extrusion { outline, length } => SceneSolid::Extrusion { outline, length },
        Shape::Mesh { surface } => SceneSolid::Mesh { surface },
    };
    SceneShape {
        solid,
        position: given.origin(centre).into(),
        orientation: given.orientation.to_array(),
        color: given.colour,
    }
}

fn at(solid: SceneSolid, position: &Vector3) -> SceneShape {
    let orientation = [1.0, 0.0, 0.0, 0.0];
    SceneShape { solid, position: (*position).into(), orientation, color: None }
}

/// A solid whose z axis has a direction.
fn along(solid: SceneSolid, position: &Vector3, direction: &Vector3) -> SceneShape {
    let across = Vector3::z().cross(direction);
    let angle = across.norm().atan2(direction.z);
    let turn = match across.try_normalize(1e-12) {
        Some(axis) => exponential::retract(&(axis * angle)),
        // half a turn about any axis across
        None if direction.z < 0.0 => exponential::retract(&(Vector3::x() * PI)),
        None => Quaternion::IDENTITY,
    };
    let orientation = turn.to_array();
    SceneShape { solid, position: (*position).into(), orientation, color: None }
}

fn link(one: &Vector3, two: &Vector3, size: f64) -> SceneShape {
    let between = two - one;
    let solid = SceneSolid::Capsule { radius: LINK * size, length: between.norm() };
    along(solid, &(0.5 * (one + two)), &between)
}

/// The box with the inertia of the body, within limits of its edges.
fn solid(body: &BodyData, scene: &Scene, largest: f64) -> SceneShape {
    let limited = |square: f64| match square.is_finite() && square > 0.0 {
        true => square.sqrt().clamp(SMALLEST * scene.size, largest * scene.size),
        false => SMALLEST * scene.size,
    };
    if body.mass <= 0.0 {
        return at(SceneSolid::Box { edges: [2.0 * SMALLEST * scene.size; 3] }, &body.centre);
    }
    if scene.planar {
        let edge = limited(6.0 * body.tensor[(2, 2)] / body.mass);
        let edges = [edge, edge, SMALLEST * scene.size];
        return at(SceneSolid::Box { edges }, &body.centre);
    }
    let eigen = body.tensor.symmetric_eigen();
    let mut axes = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        axes = -axes;
    }
    let [x, y, z] = eigen.eigenvalues.into();
    let edges = [y + z - x, z + x - y, x + y - z].map(|sum| limited(6.0 * sum / body.mass));
    SceneShape {
        solid: SceneSolid::Box { edges },
        position: body.centre.into(),
        orientation: Quaternion::from_matrix(&axes).to_array(),
        color: None,
    }
}

/// The corners of a flat link in order, if the points lie in a plane and not on a line.
fn plate(points: &[Vector3], scene: &Scene) -> Option<Vec<[f64; 3]>> {
    let middle = points.iter().sum::<Vector3>() / points.len() as f64;
    let far = points.iter().map(|p| p - middle);
    let first = far.clone().max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    let normal = far.map(|p| first.cross(&p)).max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    let normal = normal.try_normalize(1e-3 * scene.size * scene.size)?;
    if points.iter().any(|p| (p - middle).dot(&normal).abs() > 1e-3 * scene.size) {
        return None;
    }
    let (x, y) = (first.normalize(), normal.cross(&first.normalize()));
    let angle = |p: &Vector3| (p - middle).dot(&y).atan2((p - middle).dot(&x));
    let mut corners = points.to_vec();
    corners.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    Some(corners.into_iter().map(Into::into).collect())
}
