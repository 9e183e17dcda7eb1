//! Bodies as the file describes them.

use crate::model::Dimension;
use toml::de::DeValue;

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find};
use super::orientation::orientation;
use super::scope::{Scope, TomlNode};
use super::shape::{drawn_shapes, with_shapes};
use crate::model::{Body, Tensor};
use cardan_core::math::{Matrix3, Quaternion};

/// A body, as far as it could be read.
pub(super) fn body(entry: &Entry<'_>) -> Option<Body> {
    let (name, dimension) = (&entry.name, entry.scope.reader.dimension);
    let is_point = entry.variant.is_some_and(|variant| variant.name == "point-mass");
    let mut body = match (is_point, dimension) {
        (true, Dimension::Plane) => Body::planar_point_mass(name, 0.0),
        (true, Dimension::Space) => Body::point_mass(name, 0.0),
        (false, Dimension::Plane) => Body::planar(name),
        (false, Dimension::Space) => Body::spatial(name),
    };
    if !is_point {
        entry.exclude("shape", "inertia");
        if let Some(tensor) = entry.get("inertia").and_then(|node| inertia(&entry.scope, node)) {
            body = body.inertia(tensor);
        }
        if entry.has("mass") && !["inertia", "shape", "shapes"].iter().any(|key| entry.has(key)) {
            let message = format!("body `{name}` has a mass and no inertia: it is like a point");
            let help = "give its `inertia` (0 if that is meant) or its `shape`";
            entry.scope.reader.hint(Diagnostic::at(entry.span.clone(), message).help(help));
        }
        if !gives_mass(entry) {
            let message = format!("body `{name}` has no mass");
            let help = "give its `mass` (0 if that is meant) or a `shape` with a density";
            entry.scope.reader.hint(Diagnostic::at(entry.span.clone(), message).help(help));
        }
        if let Some(centre) = entry.vector("centre") {
            body = body.centre(centre);
        }
        body = with_rotation(entry, body, dimension);
    } else if let Some(node) = entry.get("shapes") {
        body = body.shapes(drawn_shapes(&entry.scope, node));
    }
    if let Some(mass) = entry.amount("mass") {
        body = body.mass(mass);
    }
    if !is_point {
        body = with_shapes(entry, body);
    }
    if let Some(position) = entry.vector("position") {
        body = body.position(position);
    }
    if let Some(velocity) = entry.vector("velocity") {
        body = body.velocity(velocity);
    }
    if let Some(weight) = entry.positive("assembly_weight") {
        body = body.assembly_weight(weight);
    }
    for (point, span, node) in entry.items("points").unwrap_or_default() {
        let (Some(name), Some(at)) = (entry.scope.name(point, span), entry.scope.vector(node))
        else {
            continue;
        };
        body = body.point(&name, at);
    }
    Some(body)
}

/// Whether an entry has a mass, or shapes that give one.
fn gives_mass(entry: &Entry<'_>) -> bool {
    let has_density = |node: &TomlNode<'_>| match node.get_ref() {
        DeValue::Table(table) => find(table, "density").is_some(),
        _ => false,
    };
    let list = find(entry.table, "shapes").and_then(|node| node.get_ref().as_array());
    ["mass", "shape"].iter().any(|key| entry.has(key))
        || list.is_some_and(|list| list.iter().any(has_density))
}

/// Orientation and spin.
pub(super) fn with_rotation(entry: &Entry<'_>, mut body: Body, dimension: Dimension) -> Body {
    let wrong = |key: &str, instead: &str| {
        if let Some(node) = find(entry.table, key) {
            let message = format!("`{key}` is not for {instead}");
            entry.scope.reader.note::<()>(Diagnostic::at(node.span(), message));
        }
    };
    if dimension == Dimension::Plane {
        wrong("orientation", "a planar body: give its `angle`");
        let angle = entry.get("angle").and_then(|node| entry.scope.angle(node));
        body = body.angle(angle.unwrap_or(0.0));
    } else {
        wrong("angle", "a body in space: give its `orientation`");
        let orientation = entry.get("orientation").and_then(|node| orientation(&entry.scope, node));
        body = body.orientation(orientation.unwrap_or(Quaternion::IDENTITY));
    }
    let Some(node) = entry.get("angular_velocity") else { return body };
    match dimension == Dimension::Plane && !node.get_ref().is_array() {
        true => entry.scope.number(node).map_or(body.clone(), |spin| body.spin(spin)),
        false => entry
            .scope
            .numbers::<3>(node, "a vector of three numbers")
            .map_or(body.clone(), |spin| body.angular_velocity(spin)),
    }
}

/// One number in the plane, three principal values, or the tensor.
fn inertia<'a>(scope: &Scope<'a>, node: &TomlNode<'a>) -> Option<Tensor> {
    let DeValue::Array(list) = node.get_ref() else {
        if scope.reader.dimension == Dimension::Space {
            let expected = "three principal inertias, or three rows of three numbers";
            return scope.unexpected(node, expected);
        }
        return scope.number(node).map(Tensor::from);
    };
    if list.iter().any(|entry| entry.get_ref().is_array()) {
        let rows = scope.list(node, &[3], "three rows of three numbers")?;
        let mut tensor = Matrix3::zeros();
        for (i, row) in rows.iter().enumerate() {
            let row = scope.numbers::<3>(row, "a row of three numbers")?;
            tensor.set_row(i, &row.into());
        }
        return Some(tensor.into());
    }
    scope.numbers::<3>(node, "three principal inertias, or three rows").map(Tensor::from)
}
