//! Forces as the file describes them.

use super::actuator;
use super::entry::Entry;
use super::scope::{Scope, Smooth, TomlNode};
use crate::model::Dimension;
use crate::model::{Force, Function, Matrix6, MechanismItem};

/// A force or torque.
pub(super) fn force(entry: &Entry<'_>) -> Option<MechanismItem> {
    match entry.variant?.name {
        "cable" | "drag" | "clutch" | "dc-motor" | "cylinder" => {
            actuator::actuator(entry).map(MechanismItem::from)
        }
        _ => plain(entry).map(MechanismItem::from),
    }
}

fn plain(entry: &Entry<'_>) -> Option<Force> {
    let name = &entry.name;
    match entry.variant?.name {
        "spring" => {
            let [one, two] = entry.pair("between")?;
            Some(elastic(entry, Force::spring(name, one, two)))
        }
        "joint-spring" => Some(elastic(entry, Force::joint_spring(name, &entry.text("joint")?))),
        "motor" => {
            let value = entry.function("value", Smooth::Value)?;
            Some(Force::motor(name, &entry.text("joint")?, value))
        }
        "bushing" => bushing(entry),
        "load" => {
            let load = Force::load(name, entry.text("point")?, entry.functions("force")?);
            Some(following(entry, load))
        }
        "distributed" => {
            let load = Force::distributed(name, &entry.text("beam")?, entry.functions("force")?);
            Some(following(entry, load))
        }
        "torque" => {
            let torque = Force::torque(name, entry.text("body")?, torque(entry)?);
            Some(following(entry, torque))
        }
        "friction" => {
            let coefficient = entry.amount("coefficient")?;
            let mut friction = Force::friction(name, &entry.text("joint")?, coefficient);
            if let Some(radius) = entry.positive("radius") {
                friction = friction.radius(radius);
            }
            if let Some(speed) = entry.positive("transition_speed") {
                friction = friction.transition_speed(speed);
            }
            Some(friction)
        }
        _ => None,
    }
}

/// Stiffness, damping and rest, or a law.
fn elastic(entry: &Entry<'_>, mut force: Force) -> Force {
    for key in ["stiffness", "damping", "rest"] {
        entry.exclude(key, "law");
    }
    if let Some(law) = entry.law("law") {
        return force.law(law);
    }
    if let Some(stiffness) = entry.number("stiffness") {
        force = force.stiffness(stiffness);
    }
    if let Some(damping) = entry.number("damping") {
        force = force.damping(damping);
    }
    if let Some(rest) = entry.number("rest") {
        force = force.rest(rest);
    }
    force
}

fn following(entry: &Entry<'_>, force: Force) -> Force {
    if entry.flag("following") == Some(true) { force.following() } else { force }
}

/// A torque; in the plane one number about z.
fn torque(entry: &Entry<'_>) -> Option<[Function; 3]> {
    let (node, scope) = (entry.get("torque")?, &entry.scope);
    let zero = || Function::Constant(0.0);
    match (scope.reader.dimension, node.get_ref().is_array()) {
        (Dimension::Plane, false) => Some([zero(), zero(), scope.function(node, Smooth::Value)?]),
        (Dimension::Plane, true) => {
            let list = scope.list(node, &[3], "one number, or three of which the last counts")?;
            let about = |k: usize| scope.function(&list[k], Smooth::Value);
            Some([about(0)?, about(1)?, about(2)?])
        }
        (Dimension::Space, _) => scope.functions(node),
    }
}

fn bushing(entry: &Entry<'_>) -> Option<Force> {
    let [one, two] = entry.pair("between")?;
    let mut bushing = Force::bushing(&entry.name, one, two);
    if let Some(at) = entry.vector("at") {
        bushing = bushing.at(at);
    }
    let matrix = |key| entry.get(key).and_then(|node| six(&entry.scope, node));
    if let Some(stiffness) = matrix("stiffness") {
        bushing = bushing.stiffness_matrix(stiffness);
    }
    if let Some(damping) = matrix("damping") {
        bushing = bushing.damping_matrix(damping);
    }
    if let Some(factor) = entry.function("damping_factor", Smooth::Value) {
        bushing = bushing.damping_factor(factor);
    }
    Some(bushing)
}

/// Six numbers of a diagonal, or six rows.
pub(super) fn six<'a>(scope: &Scope<'a>, node: &TomlNode<'a>) -> Option<Matrix6> {
    let expected = "six numbers (along x, y, z, about x, y, z), or six rows of six";
    let list = scope.list(node, &[6], expected)?;
    if !list.iter().any(|row| row.get_ref().is_array()) {
        let diagonal = scope.numbers::<6>(node, expected)?;
        return Some(Matrix6::from_diagonal(&diagonal.into()));
    }
    let mut matrix = Matrix6::zeros();
    for (i, row) in list.iter().enumerate() {
        matrix.set_row(i, &scope.numbers::<6>(row, "a row of six numbers")?.into());
    }
    Some(matrix)
}
