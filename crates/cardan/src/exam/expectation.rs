//! The orders every method must show: its nominal one, but for the exceptions listed here.

use crate::methods::MethodInfo;
use crate::stage::Formulation;

/// A combination that falls short of the nominal order, and why.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The method.
    pub method: &'static str,
    /// The formulation.
    pub constraints: Formulation,
    /// The quantities, as [`super::Errors::named`] calls them.
    pub quantities: &'static [&'static str],
    /// The order to expect instead.
    pub order: u32,
    /// Why.
    pub reason: &'static str,
}

/// The exceptions.
pub const EXCEPTIONS: &[Exception] = &[Exception {
    method: "trapezoidal",
    constraints: Formulation::Position,
    quantities: &["a", "multipliers"],
    order: 0,
    reason: "with position constraints and no dissipation the initial error of the accelerations \
             and multipliers is never damped",
}];

/// The order a quantity must show on a problem with or without constraints.
pub fn expected_order(
    info: &MethodInfo,
    constraints: Formulation,
    constrained: bool,
    quantity: &str,
) -> u32 {
    let applies = |e: &&Exception| {
        e.method == info.name && e.constraints == constraints && e.quantities.contains(&quantity)
    };
    match EXCEPTIONS.iter().find(applies) {
        Some(exception) if constrained => exception.order,
        _ => info.order,
    }
}
