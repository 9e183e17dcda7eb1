//! Bodies as the file describes them.

use crate::model::Dimension;
use toml::de::DeValue;

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items, words};
use super::scope::{Scope, TomlNode};
use crate::model::{Body, Inertia, InertiaError, Shape, Tensor};
use cardan_core::math::{Matrix3, Quaternion, Vector3, exponential};
use cardan_core::suggestion;

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
        if let Some(solid) = entry.get("shape").and_then(|node| solid(entry, node)) {
            let (solid, shape) = solid;
            body = body.mass(solid.mass).inertia(solid.tensor).drawn_as(shape);
        }
        if let Some(tensor) = entry.get("inertia").and_then(|node| inertia(&entry.scope, node)) {
            body = body.inertia(tensor);
        }
        if entry.has("mass") && !entry.has("inertia") && !entry.has("shape") {
            let message = format!("body `{name}` has a mass and no inertia: it is like a point");
            let help = "give its `inertia` (0 if that is meant) or its `shape`";
            entry.scope.reader.hint(Diagnostic::at(entry.span.clone(), message).help(help));
        }
        if !entry.has("mass") && !entry.has("shape") {
            let message = format!("body `{name}` has no mass");
            let help = "give its `mass` (0 if that is meant) or a `shape` with a density";
            entry.scope.reader.hint(Diagnostic::at(entry.span.clone(), message).help(help));
        }
        if let Some(centre) = entry.vector("centre") {
            body = body.centre(centre);
        }
        body = with_rotation(entry, body, dimension);
    }
    if let Some(mass) = entry.amount("mass") {
        body = body.mass(mass);
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

/// The kinds of solids with the keys they take.
pub(super) const SHAPES: [(&str, &[&str]); 4] = [
    ("box", &["edges"]),
    ("cylinder", &["radius", "length"]),
    ("sphere", &["radius"]),
    ("rod", &["length"]),
];

/// Mass and inertia of a solid: of its density, or of the body's mass.
fn solid<'a>(entry: &Entry<'a>, node: &'a TomlNode<'a>) -> Option<(Inertia, Shape)> {
    let scope = &entry.scope;
    let DeValue::Table(table) = node.get_ref() else {
        return scope.unexpected(node, "a table such as { box = [1, 0.1, 0.1], density = 7800 }");
    };
    let fail = |problem| scope.reader.note(problem);
    let all = items(table);
    let Some((kind, keys)) =
        SHAPES.iter().find(|(kind, _)| all.iter().any(|(key, ..)| key == kind))
    else {
        let known = words(SHAPES.map(|(kind, _)| kind));
        let problem =
            Diagnostic::at(node.span(), format!("this names no solid; there are {known}"));
        let given = all.first().map_or("", |(key, ..)| key);
        return fail(
            problem.with_suggestion(suggestion::nearest(given, SHAPES.map(|x| x.0).into_iter())),
        );
    };
    if let Some((key, span, _)) = all.iter().find(|(key, ..)| key != kind && *key != "density") {
        let message = format!("a {kind} does not take `{key}`");
        let help = format!("it is written {{ {kind} = {}, density = … }}", written(keys));
        return fail(Diagnostic::at(span.clone(), message).help(help));
    }
    let value = find(table, kind)?;
    let sizes: Vec<f64> = match keys {
        ["edges"] => scope.numbers::<3>(value, "three edges")?.to_vec(),
        [_] => vec![scope.number(value)?],
        _ => scope.numbers::<2>(value, "a radius and a length")?.to_vec(),
    };
    let shape = match (*kind, sizes.as_slice()) {
        ("box", &[x, y, z]) => Shape::Box { edges: [x, y, z] },
        ("cylinder", &[radius, length]) => Shape::Cylinder { radius, length },
        ("sphere", &[radius]) => Shape::Sphere { radius },
        (_, &[length]) => Shape::Rod { length },
        _ => return None,
    };
    let density = find(table, "density");
    let known = match (density, entry.get("mass")) {
        (Some(node), None) => (node, scope.number(node)?),
        (None, Some(_)) => (value, 1.0),
        (Some(node), Some(_)) => {
            let message = "the body has a `mass` too: the mass or the density, not both";
            return fail(Diagnostic::at(node.span(), message));
        }
        (None, None) => {
            let message = "neither the solid's `density` nor the body's `mass` is given";
            return fail(Diagnostic::at(node.span(), message));
        }
    };
    let solid = match Inertia::of(&shape, known.1) {
        Ok(solid) => solid,
        Err(error) => {
            let is_density = matches!(error, InertiaError::Shape { what: "density", .. });
            let place = if is_density { known.0 } else { value };
            return fail(Diagnostic::at(place.span(), error.to_string()));
        }
    };
    match (density, entry.number("mass")) {
        (None, Some(mass)) => {
            let tensor = solid.tensor * (mass / solid.mass);
            Some((Inertia { mass, tensor, ..solid }, shape))
        }
        _ => Some((solid, shape)),
    }
}

fn written(keys: &[&str]) -> String {
    match keys {
        ["edges"] => "[x, y, z]".into(),
        [one] => one.to_string(),
        _ => format!("[{}]", keys.join(", ")),
    }
}

/// A quaternion, or a table with one description of the rotation.
fn orientation<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<Quaternion> {
    let DeValue::Table(table) = node.get_ref() else { return quaternion(scope, node) };
    let keys: Vec<&str> = items(table).into_iter().map(|(key, ..)| key).collect();
    let value = |key| find(table, key);
    match (value("quaternion"), value("axis"), value("rotation_vector"), value("euler")) {
        (Some(node), None, None, None) if keys.len() == 1 => quaternion(scope, node),
        (None, Some(axis), None, None) if keys.len() == 2 && keys.contains(&"angle") => {
            let angle = scope.angle(value("angle")?)?;
            let axis = scope.direction(axis)?.normalize();
            Some(exponential::retract(&(axis * angle)))
        }
        (None, None, Some(node), None) if keys.len() == 1 => {
            scope.vector(node).map(|vector| exponential::retract(&vector))
        }
        (None, None, None, Some(sequence)) if keys.len() == 2 && keys.contains(&"angles") => {
            let list = scope.list(value("angles")?, &[3], "three angles")?;
            let angle = |k: usize| scope.angle(&list[k]);
            euler(scope, sequence, [angle(0)?, angle(1)?, angle(2)?])
        }
        _ => {
            let message = "this is not one rotation";
            let help = "one of [w, x, y, z]; { axis = […], angle = … }; { euler = \"ZXZ\", angles = […] }; \
                        { rotation_vector = […] }";
            scope.reader.note(Diagnostic::at(node.span(), message).help(help))
        }
    }
}

fn quaternion<'a>(scope: &Scope<'a>, node: &TomlNode<'a>) -> Option<Quaternion> {
    let [w, x, y, z] = scope.numbers::<4>(node, "a quaternion of four numbers, w, x, y, z")?;
    Quaternion::new(w, x, y, z)
        .normalized()
        .or_else(|| scope.reader.note(Diagnostic::at(node.span(), "the quaternion is zero")))
}

/// Three turns about axes by name: capitals about the axes as they turn with the body, small letters
/// about the fixed ones.
fn euler<'a>(scope: &Scope<'a>, sequence: &TomlNode<'a>, angles: [f64; 3]) -> Option<Quaternion> {
    let word = scope.text(sequence)?;
    let axes: Vec<usize> =
        word.chars().filter_map(|c| "xyz".find(c.to_ascii_lowercase())).collect();
    let is_one_case =
        word.chars().all(|c| c.is_uppercase()) || word.chars().all(|c| c.is_lowercase());
    let distinct = axes.windows(2).all(|pair| pair[0] != pair[1]);
    if !(word.chars().count() == 3 && axes.len() == 3 && is_one_case && distinct) {
        let message = format!("`{word}` is no sequence of three axes");
        let help = "such as \"ZXZ\" or \"ZYX\" (each axis as turned by the angles before), or \"zxz\" \
                    (about the fixed axes)";
        return scope.reader.note(Diagnostic::at(sequence.span(), message).help(help));
    }
    let turn = |k: usize| exponential::retract(&(Vector3::ith(axes[k], angles[k])));
    let (first, second, third) = (turn(0), turn(1), turn(2));
    match word.chars().all(char::is_uppercase) {
        true => Some(first * second * third),
        false => Some(third * second * first),
    }
}
