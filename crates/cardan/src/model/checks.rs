//! Constructors of errors about a part and its keys, and limits of values.

use super::error::ModelError;
use super::owner::{InputKey, Owner};
use cardan_core::math::Vector3;

/// Larger lengths are refused: their squares overflow.
pub(in crate::model) const MAX_LENGTH: f64 = 1e100;

/// Whether a name can be part of a channel.
pub(in crate::model) fn is_usable(name: &str) -> bool {
    !name.trim().is_empty() && !name.contains('.') && !name.chars().any(char::is_control)
}

/// An error about a part.
pub(in crate::model) fn fail<T>(owner: &Owner, reason: impl Into<String>) -> Result<T, ModelError> {
    Err(ModelError::value(owner, reason))
}

/// An error about a key of a part.
pub(in crate::model) fn fail_at<T>(
    owner: &Owner,
    key: impl Into<InputKey>,
    reason: impl Into<String>,
) -> Result<T, ModelError> {
    Err(ModelError::value(owner, reason).with_key(key))
}

/// The name of the coordinate axis along a direction, or its components.
pub(in crate::model) fn direction(axis: &Vector3) -> String {
    let k = axis.iamax();
    let rest = (axis - Vector3::ith(k, axis[k])).norm();
    match rest <= 1e-6 * axis[k].abs() && axis[k] != 0.0 {
        true => ["x", "y", "z"][k].into(),
        false => format!("({:.3}, {:.3}, {:.3})", axis.x, axis.y, axis.z),
    }
}
