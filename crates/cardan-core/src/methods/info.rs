//! What a method declares about itself: name, order, stability, parameters, and what it does not support.

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
    /// Stable for small steps at most.
    Conditional,
}

/// Something a system may have and a method may not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemFeature {
    /// First-order states.
    FirstOrderStates,
    /// Forces that depend on multipliers: friction in joints.
    Friction,
    /// Constraints on velocities that are not those of positions.
    Nonholonomic,
    /// Coordinates without inertia, where M must be inverted.
    Massless,
}

impl SystemFeature {
    /// Every feature.
    pub const ALL: [Self; 4] =
        [Self::FirstOrderStates, Self::Friction, Self::Nonholonomic, Self::Massless];

    /// Whether a system has it; coordinates without inertia show only when M is inverted.
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

/// What methods of second-order equations say of first-order states.
pub(super) const NO_STATES: &[(SystemFeature, &str)] = &[(
    SystemFeature::FirstOrderStates,
    "its formula gives positions and velocities from accelerations; first-order states have none",
)];

/// Whether a method takes a constraint formulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It does.
    Allowed,
    /// It does not, for this reason.
    Refused(&'static str),
}

/// All three formulations.
pub(super) const ALLOWED: [Permission; 3] = [Permission::Allowed; 3];

/// What the words for stabilized index 2 take.
pub(super) const STABILIZED: [Permission; 3] =
    [Permission::Refused(BY_NAME), Permission::Allowed, Permission::Refused(BY_NAME)];

const BY_NAME: &str = "the word stands for position and velocity constraints together (stabilized \
                       index 2); without the ending `-si2` the same formula takes others";

/// What multistep methods take.
pub(super) const NOT_PROJECTED: [Permission; 3] = [
    Permission::Allowed,
    Permission::Allowed,
    Permission::Refused(
        "a multistep method must not be projected between its steps: its smooth velocity defect is \
         part of the solution",
    ),
];

/// What multistep methods and their single-step forms say at ρ∞ = 1.
pub(super) const TRAPEZOIDAL: &str = "with rho = 1 its formula is the trapezoidal rule times a multiple root, which \
                           lets round-off grow; the trapezoidal rule itself is taken";

/// What is known of a method.
#[derive(Clone, Copy)]
pub struct MethodInfo {
    /// The word users write.
    pub name: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// The family, one file of formulas.
    pub family: &'static str,
    /// One line on what it is.
    pub title: &'static str,
    /// Nominal order.
    pub order: u32,
    /// Its chart for rotations, unless another is chosen.
    pub chart: Chart,
    /// Its stability.
    pub stability: Stability,
    /// The parameters it takes.
    pub parameters: &'static [Parameter],
    /// Which formulations it takes, in the order of [`Formulation::ALL`].
    pub formulations: [Permission; 3],
    /// What it does not take, each with the reason.
    pub refuses: &'static [(SystemFeature, &'static str)],
    /// The highest order that multipliers between two instants reach, which are not solved for there.
    pub multipliers_between: u32,
    /// Whether its steps may change in size.
    pub variable_step: bool,
    /// What to choose it for.
    pub typical_use: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Makes the method of its parameters.
    pub build: fn(&ParameterValues) -> Result<Box<dyn Method>, ParameterError>,
}

impl std::fmt::Debug for MethodInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MethodInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MethodInfo {
    /// A method with a name, its order and what makes it of its parameters, of which it has none yet: A-stable, in the
    /// exponential chart, with steps of one size, taking every formulation and refusing nothing. The rest is written
    /// around it: `MethodInfo { parameters: &[…], ..MethodInfo::new("mine", 2, build) }`.
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

    /// Whether the method takes a formulation.
    pub fn permission(&self, formulation: Formulation) -> Permission {
        self.formulations[formulation as usize]
    }

    /// The formulation it is taken with unless another is asked for.
    pub fn default_formulation(&self) -> Formulation {
        let allowed = |f: &Formulation| self.permission(*f) == Permission::Allowed;
        Formulation::ALL.into_iter().find(allowed).unwrap_or(Formulation::Position)
    }

    /// Why the method does not take a feature, if it does not.
    pub fn unsupported_reason(&self, feature: SystemFeature) -> Option<&'static str> {
        self.refuses.iter().find(|(refused, _)| *refused == feature).map(|(_, reason)| *reason)
    }

    /// Why the method does not take a formulation for a system, if it does not.
    pub fn refusal(&self, formulation: Formulation, system: &dyn System) -> Option<&'static str> {
        let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
        match self.permission(formulation) {
            Permission::Refused(reason) if is_constrained => Some(reason),
            _ => None,
        }
    }

    /// The orders that q, v, z, a and λ reach between two instants, if they are of the method's order at the instants:
    /// see [`Interpolant`](crate::simulation::Interpolant).
    pub fn orders_between(&self) -> [u32; 5] {
        let p = self.order;
        [p, p.min(5), p.min(4), p.min(3), p.min(self.multipliers_between)]
    }

    /// Whether the method takes a parameter.
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
