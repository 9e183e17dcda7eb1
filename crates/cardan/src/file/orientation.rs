//! Rotations as the file describes them.

use toml::de::DeValue;

use super::diagnostic::Diagnostic;
use super::entry::{find, items};
use super::scope::{Scope, TomlNode};
use cardan_core::math::{Quaternion, Vector3, exponential};

/// A quaternion, or a table with one description of the rotation.
pub(super) fn orientation<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<Quaternion> {
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
