//! The method of a file that does not name one.

use crate::model::{Mechanism, RecommendedMethod};

/// The word for a method that is chosen by the model and the tolerance.
pub const AUTO: &str = "auto";
/// The method of fixed steps, if none is given.
pub(super) const DEFAULT_METHOD: &str = "generalized-alpha";
/// The tolerance by which a method is chosen if the step is fixed.
const FIXED_STEP_TOLERANCE: f64 = 1e-4;

/// The method for a mechanism.
pub(super) fn choose(mechanism: &Mechanism, tolerance: Option<f64>) -> RecommendedMethod {
    mechanism.recommended_method(tolerance.unwrap_or(FIXED_STEP_TOLERANCE))
}
