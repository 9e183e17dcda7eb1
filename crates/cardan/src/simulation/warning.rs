//! What to know about a combination of method, formulation and system before trusting it.

use super::Settings;
use crate::methods::{Method, MethodInfo};
use crate::stage::Formulation;
use crate::system::System;

/// A caveat that does not stop a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Warning {
    /// The method does not damp the constrained directions.
    #[error(
        "`{method}` does not damp the constrained directions (radius {radius:.3}): with position \
         constraints its accelerations and multipliers do not converge and long runs blow up; \
         use a method with dissipation (rho < 1), or constraints = \"stabilized\""
    )]
    UndampedConstraints {
        /// The method.
        method: String,
        /// Its spectral radius in a constrained direction.
        radius: f64,
    },
    /// What the method says of its parameters.
    #[error("`{method}`: {remark}")]
    Remark {
        /// The method.
        method: String,
        /// What it says.
        remark: &'static str,
    },
}

/// A radius this close to one forgets nothing within any run.
const UNDAMPED: f64 = 1.0 - 1e-9;

pub(super) fn for_method(
    info: &MethodInfo,
    method: &dyn Method,
    settings: &Settings,
    system: &dyn System,
) -> Vec<Warning> {
    let radius = method.constrained_radius();
    let exposed = settings.constraints == Formulation::Position && system.holonomic() > 0;
    let undamped = exposed && radius >= UNDAMPED;
    let undamped =
        undamped.then(|| Warning::UndampedConstraints { method: info.name.into(), radius });
    let remark = method.remark();
    let remark = remark.map(|remark| Warning::Remark { method: info.name.into(), remark });
    undamped.into_iter().chain(remark).collect()
}
