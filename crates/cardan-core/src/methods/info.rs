//! The properties of a method: name, order, stability, parameters, supported formulations and systems.

use super::method::Method;
use super::parameters::{Parameter, ParameterError, ParameterValue, ParameterValues};
use crate::math::Chart;
use crate::stage::Formulation;
use crate::system::System;

/// Stability on the linear test equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// Stable for every step.
    A,
    /// A-stable and annihilating at infinity.
    L,
    /// Stable for small steps only.
    Conditional,
}

/// A feature of a system that some methods do not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemFeature {
    /// First-order states.
    FirstOrderStates,
    /// Forces that depend on multipliers: friction in joints.
    Friction,
    /// Constraints on velocities that do not follow from position constraints.
    Nonholonomic,
    /// Coordinates without inertia, for methods that invert M.
    Massless,
}

impl SystemFeature {
    /// Every feature.
    pub const ALL: [Self; 4] =
        [Self::FirstOrderStates, Self::Friction, Self::Nonholonomic, Self::Massless];

    /// Whether a system has the feature; coordinates without inertia are detected when M is factorized.
    pub fn is_in(self, system: &dyn System) -> bool {
        match self {
            Self::FirstOrderStates => system.state_count() > 0,
            Self::Friction => system.force_needs_multipliers(),
            Self::Nonholonomic => system.nonholonomic_count() > 0,
            Self::Massless => false,
        }
    }
}

impl std::fmt::Display for SystemFeature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::FirstOrderStates => "first-order states",
            Self::Friction => "friction that depends on multipliers",
            Self::Nonholonomic => "nonholonomic constraints",
            Self::Massless => "coordinates without inertia",
        })
    }
}

/// The feature that methods for second-order equations do not support.
pub(super) const NO_STATES: &[(SystemFeature, &str)] = &[(
    SystemFeature::FirstOrderStates,
    "its formula gives positions and velocities from accelerations; first-order states have none",
)];

/// Whether a method supports a constraint formulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Supported.
    Allowed,
    /// Not supported, with the reason.
    Refused(&'static str),
}

/// Every formulation is supported.
pub(super) const ALLOWED: [Permission; 3] = [Permission::Allowed; 3];

/// The formulations of methods whose name ends in `-si2`.
pub(super) const STABILIZED: [Permission; 3] =
    [Permission::Refused(BY_NAME), Permission::Allowed, Permission::Refused(BY_NAME)];

const BY_NAME: &str = "the ending `-si2` means position and velocity constraints together (stabilized \
                       index 2); without it the same formula supports others";

/// The formulations of multistep methods.
pub(super) const NOT_PROJECTED: [Permission; 3] = [
    Permission::Allowed,
    Permission::Allowed,
    Permission::Refused(
        "a multistep method must not be projected between its steps: its smooth velocity defect is \
         part of the solution",
    ),
];

/// The warning of multistep methods and their single-step forms at ρ∞ = 1.
pub(super) const TRAPEZOIDAL: &str = "with rho = 1 its formula is the trapezoidal rule times a multiple root, which \
                           lets round-off grow; the trapezoidal rule itself is taken";

/// The properties of a method, and the function that builds it.
#[derive(Clone, Copy)]
pub struct MethodInfo {
    /// The name in settings and model files.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The family: methods with a common formula.
    pub family: &'static str,
    /// A title of one line.
    pub title: &'static str,
    /// Nominal order.
    pub order: u32,
    /// The default chart for rotations.
    pub chart: Chart,
    /// Its stability.
    pub stability: Stability,
    /// The parameters of the method.
    pub parameters: &'static [Parameter],
    /// The supported formulations, in the order of [`Formulation::ALL`].
    pub formulations: [Permission; 3],
    /// The features of systems that are not supported, each with the reason.
    pub refuses: &'static [(SystemFeature, &'static str)],
    /// The highest order of interpolated multipliers between two instants.
    pub multipliers_between: u32,
    /// Whether the step size may change.
    pub variable_step: bool,
    /// The typical use.
    pub typical_use: &'static str,
    /// The literature.
    pub source: &'static str,
    /// Builds the method from its parameters.
    pub build: fn(&ParameterValues) -> Result<Box<dyn Method>, ParameterError>,
}

impl std::fmt::Debug for MethodInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MethodInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MethodInfo {
    /// A method with a name, an order and the function that builds it: without parameters, A-stable, in the
    /// exponential chart, with a fixed step size, supporting every formulation and system. Other properties are set
    /// by struct update: `MethodInfo { parameters: &[…], ..MethodInfo::new("mine", 2, build) }`.
    pub const fn new(
        name: &'static str,
        order: u32,
        build: fn(&ParameterValues) -> Result<Box<dyn Method>, ParameterError>,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            family: "",
            title: "",
            order,
            chart: Chart::Exponential,
            stability: Stability::A,
            parameters: &[],
            formulations: ALLOWED,
            refuses: &[],
            multipliers_between: 2,
            variable_step: false,
            typical_use: "",
            source: "",
            build,
        }
    }

    /// Whether the method supports a formulation.
    pub fn permission(&self, formulation: Formulation) -> Permission {
        self.formulations[formulation as usize]
    }

    /// The default formulation.
    pub fn default_formulation(&self) -> Formulation {
        let allowed = |f: &Formulation| self.permission(*f) == Permission::Allowed;
        Formulation::ALL.into_iter().find(allowed).unwrap_or(Formulation::Position)
    }

    /// The reason why the method does not support a feature, or `None` if it does.
    pub fn unsupported_reason(&self, feature: SystemFeature) -> Option<&'static str> {
        self.refuses.iter().find(|(refused, _)| *refused == feature).map(|(_, reason)| *reason)
    }

    /// The reason why the method does not support a formulation for a system, or `None` if it does.
    pub fn refusal(&self, formulation: Formulation, system: &dyn System) -> Option<&'static str> {
        let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
        match self.permission(formulation) {
            Permission::Refused(reason) if is_constrained => Some(reason),
            _ => None,
        }
    }

    /// The orders of q, v, z, a and λ between two instants, if they have the method's order at the instants:
    /// see [`Interpolant`](crate::simulation::Interpolant).
    pub fn orders_between(&self) -> [u32; 5] {
        let p = self.order;
        [p, p.min(5), p.min(4), p.min(3), p.min(self.multipliers_between)]
    }

    /// The formulation under which the method chooses its steps by a tolerance; `None` if it takes none with constraints.
    /// A change of the step disturbs multipliers and accelerations if only positions are constrained, so that
    /// formulations with velocities come first.
    pub fn controlled_formulation(&self, method: &dyn Method) -> Option<Formulation> {
        let preferred = [Formulation::Stabilized, Formulation::Acceleration, Formulation::Position];
        preferred.into_iter().find(|formulation| {
            self.permission(*formulation) == Permission::Allowed
                && self.tolerance_refusal(method, Some(*formulation)).is_none()
        })
    }

    /// The reason why the method takes no tolerance, for systems without constraints (`None`) or with constraints in this
    /// formulation; `None` if it takes one.
    pub fn tolerance_refusal(
        &self,
        method: &dyn Method,
        constraints: Option<Formulation>,
    ) -> Option<&'static str> {
        if !self.variable_step {
            return Some("its formula holds for steps of one size");
        }
        if method.estimate(constraints).is_some() {
            return None;
        }
        Some(match method.estimate(None) {
            None => "it has no error estimate",
            Some(_) if method.constrained_radius() > 0.99 => {
                "errors of its multipliers and accelerations do not decay, and would be taken for \
                 errors of the motion; a smaller rho, or constraints = \"acceleration\", avoids that"
            }
            Some(_) => {
                "with constraints on positions its order is lower and its error estimate too small; \
                 constraints = \"acceleration\" has neither defect"
            }
        })
    }

    /// Whether the method has a parameter.
    pub fn takes(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    /// Implicit stages per step, with the default parameters.
    pub fn stages(&self) -> usize {
        self.build(&[]).map_or(1, |method| method.stages())
    }

    /// The method with these parameters.
    pub fn build(
        &self,
        given: &[(String, ParameterValue)],
    ) -> Result<Box<dyn Method>, ParameterError> {
        (self.build)(&ParameterValues::new(self.name, self.parameters, given)?)
    }
}
