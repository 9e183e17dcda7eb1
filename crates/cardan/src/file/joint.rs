//! Joints, gears, drives, discs and blades as the file describes them.

use super::diagnostic::Diagnostic;
use super::entry::Entry;
use super::scope::Smooth;
use crate::model::Dimension;
use crate::model::{Drive, Function, Gear, JOINTS, Joint, JointKind, Rolling, Skate};
use cardan_core::math::Vector3;

/// A joint.
pub(super) fn joint(entry: &Entry<'_>) -> Option<Joint> {
    let kind = entry.variant?.name;
    let info = JOINTS.iter().find(|info| info.name == kind)?;
    let [one, two] = entry.pair("between")?;
    let mut joint = Joint::new(info.kind, &entry.name, one, two);
    if let Some(at) = entry.vector("at") {
        joint = joint.at(at);
    }
    if info.axis.is_some() {
        let key = if info.kind == JointKind::Universal { "pins" } else { "axis" };
        entry.exclude(key, "axes_on_bodies");
        if let Some([one, two]) = entry.directions("axes_on_bodies") {
            joint = joint.axes_on_bodies(one, two);
        } else if info.kind != JointKind::Universal {
            if let Some(axis) = entry.direction(key) {
                joint = joint.axis(axis);
            }
        } else if let Some([one, two]) = entry.directions(key) {
            let span = entry.get(key).map_or(entry.span.clone(), |node| node.span());
            if one.normalize().cross(&two.normalize()).norm() < 1e-6 {
                let message =
                    "the pins of a universal joint are at right angles; these are parallel";
                return entry.scope.reader.note(Diagnostic::at(span, message));
            }
            joint = joint.pins(one.into(), two.into());
        }
    }
    if info.kind == JointKind::Distance
        && let Some(length) = entry.function("length", Smooth::Derivatives)
    {
        joint = joint.length(length);
    }
    if !info.coordinates.is_empty() {
        joint = joint.offset(entry.number("offset").unwrap_or(0.0));
        if let Some(rate) = entry.number("rate") {
            joint = joint.rate(rate);
        }
    }
    if info.coordinates.len() > 1 {
        for (coordinate, _, node) in entry.items("rates").unwrap_or_default() {
            joint = joint.rate_of(coordinate, entry.scope.number(node)?);
        }
    }
    Some(joint)
}

/// A gear.
pub(super) fn gear(entry: &Entry<'_>) -> Option<Gear> {
    let [one, two] = entry.pair("joints")?;
    Some(Gear::new(&entry.name, &one, &two, entry.number("ratio")?))
}

/// A drive.
pub(super) fn drive(entry: &Entry<'_>) -> Option<Drive> {
    let name = &entry.name;
    let kind = entry.variant?.name;
    if kind == "point" {
        let along = |key| entry.function(key, Smooth::Derivatives);
        let position = [along("x"), along("y"), along("z")];
        return Some(Drive::point_along(name, entry.text("point")?, position));
    }
    let is_rate = ["angular-velocity", "speed"].contains(&kind);
    let smooth = if is_rate { Smooth::Rate } else { Smooth::Derivatives };
    let (joint, value): (String, Function) =
        (entry.text("joint")?, entry.function("value", smooth)?);
    match kind {
        "angle" => Some(Drive::angle(name, &joint, value)),
        "translation" => Some(Drive::translation(name, &joint, value)),
        "angular-velocity" => Some(Drive::angular_velocity(name, &joint, value)),
        "speed" => Some(Drive::speed(name, &joint, value)),
        _ => None,
    }
}

/// A rolling disc.
pub(super) fn rolling(entry: &Entry<'_>) -> Option<Rolling> {
    let dimension = entry.scope.reader.dimension;
    let (centre, radius) = (entry.text("centre")?, entry.positive("radius")?);
    let mut rolling = Rolling::new(&entry.name, centre, radius);
    if let Some(axis) = entry.direction("axis") {
        rolling = rolling.axis(axis);
    }
    if entry.has("plane_point") || entry.has("plane_normal") {
        let up = match dimension {
            Dimension::Plane => Vector3::y(),
            Dimension::Space => Vector3::z(),
        };
        let normal = entry.direction("plane_normal").unwrap_or(up);
        rolling = rolling.plane(entry.vector("plane_point").unwrap_or_default(), normal);
    }
    Some(rolling)
}

/// A blade.
pub(super) fn skate(entry: &Entry<'_>) -> Option<Skate> {
    Some(Skate::new(&entry.name, entry.text("point")?, entry.direction("across")?))
}
