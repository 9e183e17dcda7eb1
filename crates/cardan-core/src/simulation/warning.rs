//! Warnings about a combination of method, formulation and system.

use super::settings::Settings;
use crate::methods::{Method, MethodInfo, Permission};
use crate::stage::Formulation;
use crate::system::{System, ValidityLimit};

/// A warning that does not stop a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// The method does not damp the constrained directions.
    #[error(
        "`{method}` does not damp the constrained directions (radius {radius:.3}): with position \
         constraints its accelerations and multipliers need not converge, and long runs may diverge; {remedy}"
    )]
    UndampedConstraints {
        /// The method.
        method: String,
        /// What to try.
        remedy: &'static str,
        /// Its spectral radius in a constrained direction.
        radius: f64,
    },
    /// The method lets errors in the constrained directions grow.
    #[error(
        "`{method}` with these parameters is unstable in constrained directions: velocities and \
         multipliers grow {radius:.3} times in every step of any size; use other parameters"
    )]
    UnstableConstraints {
        /// The method.
        method: String,
        /// Its spectral radius in a constrained direction.
        radius: f64,
    },
    /// A warning of the method about its parameters.
    #[error("`{method}`: {remark}")]
    Remark {
        /// The method.
        method: String,
        /// The text.
        remark: &'static str,
    },
    /// Forces depend on multipliers that do not converge.
    #[error(
        "friction takes its load from multipliers that `{method}` does not damp under position constraints \
         (radius {radius:.3}): they oscillate, and the motion converges to a wrong solution; use a method with \
         dissipation (rho < 1), or constraints = \"stabilized\" or \"acceleration\""
    )]
    UndampedFriction {
        /// The method.
        method: String,
        /// Its spectral radius in a constrained direction.
        radius: f64,
    },
    /// A part has exceeded the limit of its validity.
    #[error("{}", validity(limit, *since, *worst, *worst_time))]
    Validity {
        /// The limit.
        limit: ValidityLimit,
        /// The time of the first instant above the limit.
        since: f64,
        /// The largest value.
        worst: f64,
        /// Its time.
        worst_time: f64,
    },
}

fn validity(limit: &ValidityLimit, since: f64, worst: f64, worst_time: f64) -> String {
    let ValidityLimit { part, quantity, unit, limit, beyond } = limit;
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    format!(
        "{part}: {quantity} {worst:.3e}{unit} at t = {worst_time:.6} s, above {limit:.3e}{unit} since \
         t = {since:.6} s: {beyond}"
    )
}

/// With a radius this close to one errors do not decay within a run.
const UNDAMPED: f64 = 1.0 - 1e-9;

/// A radius above this is not round-off.
const GROWING: f64 = 1.0 + 1e-6;

const STABILIZE: &str = "use a method with dissipation (rho < 1), or constraints = \"stabilized\"";
const CHANGE: &str = "use other parameters";

pub(super) fn for_method(
    info: &MethodInfo,
    method: &dyn Method,
    settings: &Settings,
    system: &dyn System,
) -> Vec<Warning> {
    let radius = method.constrained_radius();
    let exposed = settings.constraints == Formulation::Position && system.holonomic_count() > 0;
    let undamped = exposed && radius >= UNDAMPED;
    let undamped = undamped.then(|| {
        let method = info.name.into();
        let takes_stabilized = info.permission(Formulation::Stabilized) == Permission::Allowed;
        match (radius > GROWING, takes_stabilized) {
            (true, _) => Warning::UnstableConstraints { method, radius },
            (false, true) => Warning::UndampedConstraints { method, remedy: STABILIZE, radius },
            (false, false) => Warning::UndampedConstraints { method, remedy: CHANGE, radius },
        }
    });
    let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
    let remark = method.parameter_warning(is_constrained.then_some(settings.constraints));
    let remark = remark.map(|remark| Warning::Remark { method: info.name.into(), remark });
    let friction = (exposed && radius >= UNDAMPED && system.force_needs_multipliers())
        .then(|| Warning::UndampedFriction { method: info.name.into(), radius });
    undamped.into_iter().chain(friction).chain(remark).collect()
}
