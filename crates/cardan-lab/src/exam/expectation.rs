//! The orders that every method must show: its nominal one, except for the exceptions listed here.

use cardan::methods::MethodInfo;
use cardan::stage::Formulation;

/// A combination that falls short of the nominal order on constrained problems, and why.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The name of a method or of a family of methods.
    pub of: &'static str,
    /// The formulation.
    pub constraints: Formulation,
    /// The quantities, as [`GradeNumbers::named`](super::GradeNumbers::named) calls them.
    pub quantities: &'static [&'static str],
    /// The highest order to expect.
    pub order: u32,
    /// The reason.
    pub reason: &'static str,
}

impl Exception {
    /// Whether the exception applies to a method.
    pub fn concerns(&self, info: &MethodInfo) -> bool {
        self.of == info.name || self.of == info.family
    }
}

const MOTION: &[&str] = &["q", "v", "z", "consistent a", "consistent multipliers"];
const STAGE: &[&str] = &["a", "multipliers"];
const UNDAMPED: &str = "with position constraints and no dissipation the initial error of the \
                        accelerations and multipliers is never damped";
const INDEX_3: &str = "the stages are of order two, and differentiating a position constraint twice \
                       takes one order from the velocity's and one from the acceleration's equation";
const SECOND_STAGE: &str = "with these constraints the second stage is the result: the third gains \
                            nothing over it";
const INDEX_2: &str = "the stages are of order two: positions and velocities gain one over them at the \
                       end of the step, accelerations and multipliers do not";

/// The exceptions.
pub const EXCEPTIONS: &[Exception] = &[
    Exception {
        of: "trapezoidal",
        constraints: Formulation::Position,
        quantities: STAGE,
        order: 0,
        reason: UNDAMPED,
    },
    Exception {
        of: "newmark-so3",
        constraints: Formulation::Position,
        quantities: STAGE,
        order: 0,
        reason: UNDAMPED,
    },
    Exception {
        of: "runge-kutta",
        constraints: Formulation::Position,
        quantities: MOTION,
        order: 2,
        reason: INDEX_3,
    },
    Exception {
        of: "runge-kutta",
        constraints: Formulation::Position,
        quantities: STAGE,
        order: 1,
        reason: INDEX_3,
    },
    Exception {
        of: "runge-kutta",
        constraints: Formulation::Stabilized,
        quantities: MOTION,
        order: 3,
        reason: INDEX_2,
    },
    Exception {
        of: "runge-kutta",
        constraints: Formulation::Stabilized,
        quantities: STAGE,
        order: 2,
        reason: INDEX_2,
    },
    Exception {
        of: "trbdf2",
        constraints: Formulation::Position,
        quantities: MOTION,
        order: 2,
        reason: SECOND_STAGE,
    },
    Exception {
        of: "trbdf2",
        constraints: Formulation::Position,
        quantities: STAGE,
        order: 1,
        reason: INDEX_3,
    },
    Exception {
        of: "trbdf2",
        constraints: Formulation::Stabilized,
        quantities: &["q", "v", "z", "a", "multipliers", "consistent a", "consistent multipliers"],
        order: 2,
        reason: SECOND_STAGE,
    },
];

/// The exception that applies to a quantity, on a problem with or without constraints.
pub fn exception(
    info: &MethodInfo,
    constraints: Formulation,
    constrained: bool,
    quantity: &str,
) -> Option<&'static Exception> {
    let applies = |e: &&Exception| {
        e.concerns(info) && e.constraints == constraints && e.quantities.contains(&quantity)
    };
    EXCEPTIONS.iter().find(applies).filter(|_| constrained)
}

/// The order a quantity must show on a problem with or without constraints: the nominal one of the method, unless there
/// is an exception for it or its family. First-order states z show the order of v.
pub fn expected_order(
    info: &MethodInfo,
    constraints: Formulation,
    constrained: bool,
    quantity: &str,
) -> u32 {
    let exception = exception(info, constraints, constrained, quantity);
    exception.map_or(info.order, |exception| exception.order.min(info.order))
}

/// The order a quantity must show between two instants: that of the instants, as far as the interpolant keeps it
/// ([`MethodInfo::orders_between`]).
pub fn expected_between(
    info: &MethodInfo,
    constraints: Formulation,
    constrained: bool,
    quantity: &str,
) -> u32 {
    let [q, v, z, a, multipliers] = info.orders_between();
    let highest = match quantity {
        "q" => q,
        "v" => v,
        "z" => z,
        "a" => a,
        _ => multipliers,
    };
    expected_order(info, constraints, constrained, quantity).min(highest)
}

/// A quantity whose error does not follow the tolerance on a problem, and why.
#[derive(Clone, Copy, Debug)]
pub struct ToleranceException {
    /// The name of a method or of a family of methods.
    pub of: &'static str,
    /// The problem.
    pub problem: &'static str,
    /// The quantities.
    pub quantities: &'static [&'static str],
    /// The reason.
    pub reason: &'static str,
}

impl ToleranceException {
    /// Whether the exception applies to a method on a problem.
    pub fn concerns(&self, info: &MethodInfo, problem: &str, quantity: &str) -> bool {
        (self.of == info.name || self.of == info.family)
            && self.problem == problem
            && self.quantities.contains(&quantity)
    }
}

/// The exceptions of methods with a tolerance.
pub const TOLERANCE_EXCEPTIONS: &[ToleranceException] = &[];
