//! The settings of a simulation: method, parameters, step size, constraints, Newton.

use serde::{Deserialize, Serialize};

use super::tolerance::ErrorControl;
use crate::methods::SettingsError;
use crate::methods::{
    self, Estimate, Method, MethodChoice, MethodInfo, ParameterValue, Registry, SystemFeature,
};
use crate::stage::{Formulation, NewtonOptions};
use crate::system::System;

/// A step size in seconds for systems that ask for one before the first step under error control.
const FIRST_STEP_SIZE: f64 = 1e-3;

/// Parameters that suit steps under error control, where a method has them: the error of the Cayley chart grows with the cube
/// of the angular velocity; the third stage of `trbdf2` lets undamped vibrations grow without a limit that the error of one
/// step would show.
const CONTROLLED_PARAMETERS: [(&str, &str); 2] = [("chart", "exponential"), ("result", "stage-2")];

/// The default of [`Settings::event_limit`].
fn default_event_limit() -> u64 {
    1000
}

/// The settings of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The method's name.
    pub method: String,
    /// Its parameters.
    pub parameters: Vec<(String, ParameterValue)>,
    /// The step size; under error control it is not used.
    pub step_size: f64,
    /// The requested accuracy, if it determines the steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ErrorControl>,
    /// Whether a step of fixed size that cannot be computed is replaced by shorter ones.
    #[serde(default)]
    pub rescue: bool,
    /// The largest number of instants with crossings that act within the time of one step: more are chattering.
    #[serde(default = "default_event_limit")]
    pub event_limit: u64,
    /// The constraints that stages enforce.
    pub constraints: Formulation,
    /// Newton solver options.
    pub newton: NewtonOptions,
    /// The largest amount of memory for the factors of the stage matrix, in bytes. It is estimated before the first
    /// factorization. It is not saved.
    #[serde(skip)]
    pub max_memory: Option<u64>,
    /// The methods to choose from. It is not saved: a run with a user's method is continued with the registry
    /// given again.
    #[serde(skip)]
    pub registry: Registry,
}

impl Settings {
    /// A standard method and a step size in seconds, with defaults for all other settings: the formulation of the
    /// constraints is the default of the method. [`Settings::with_registry`] accepts other methods too.
    pub fn new(method: &str, step_size: f64) -> Self {
        Self {
            method: method.into(),
            parameters: Vec::new(),
            step_size,
            control: None,
            rescue: false,
            event_limit: default_event_limit(),
            constraints: methods::find(method)
                .map_or(Formulation::Position, MethodInfo::default_formulation),
            newton: NewtonOptions::default(),
            max_memory: None,
            registry: Registry::standard(),
        }
    }

    /// A standard method and a relative tolerance, which determines the steps: see [`Settings::control`].
    pub fn with_tolerance(method: &str, tolerance: f64) -> Self {
        Self::new(method, FIRST_STEP_SIZE).control(ErrorControl::new(tolerance))
    }

    /// Sets the accuracy that determines the steps, the formulation of the constraints that suits steps of variable size,
    /// and the method's parameters that suit them unless they are given. A change of the step disturbs multipliers and accelerations if only positions
    /// are constrained, so that formulations with velocities come first.
    pub fn control(mut self, control: ErrorControl) -> Self {
        self.control = Some(control);
        self.step_size = control.first_step.unwrap_or(FIRST_STEP_SIZE);
        for (name, value) in CONTROLLED_PARAMETERS {
            if let Ok((info, _)) = self.method()
                && info.takes(name)
                && !self.parameters.iter().any(|(given, _)| given == name)
            {
                self = self.parameter(name, value);
            }
        }
        if let Ok((info, method)) = self.method()
            && let Some(found) = info.controlled_formulation(method.as_ref())
        {
            self.constraints = found;
        }
        self
    }

    /// A method with its parameters, and a step size.
    pub fn of(choice: &MethodChoice, step_size: f64) -> Self {
        let parameters = choice.parameters.clone();
        Self { parameters, ..Self::new(&choice.method, step_size) }
    }

    /// A method of a registry with its parameters, and a step size. The formulation of the constraints is the default
    /// of the method.
    pub fn with_registry(registry: &Registry, choice: &MethodChoice, step_size: f64) -> Self {
        let found = registry.find(&choice.method).map(MethodInfo::default_formulation);
        Self {
            registry: registry.clone(),
            constraints: found.unwrap_or(Formulation::Position),
            ..Self::of(choice, step_size)
        }
    }

    /// The method with its parameters.
    pub fn choice(&self) -> MethodChoice {
        MethodChoice { method: self.method.clone(), parameters: self.parameters.clone() }
    }

    /// Sets a parameter of the method.
    pub fn parameter(mut self, name: &str, value: impl Into<ParameterValue>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sets ρ∞.
    pub fn rho(self, rho: f64) -> Self {
        self.parameter("rho", rho)
    }

    /// Sets the constraint formulation.
    pub fn constraints(mut self, formulation: Formulation) -> Self {
        self.constraints = formulation;
        self
    }

    /// Sets the Newton options.
    pub fn newton(mut self, newton: NewtonOptions) -> Self {
        self.newton = newton;
        self
    }

    /// The order of the error of the motion under error control, with constraints; `None` if the method has no error estimate.
    pub fn controlled_order(&self) -> Option<u32> {
        let (info, method) = self.method().ok()?;
        let estimate = method.estimate(Some(self.constraints));
        estimate.filter(|_| info.variable_step).map(|estimate| estimate.order)
    }

    /// The orders of the error estimate of a method for a system; `None` if it cannot be controlled.
    pub(crate) fn estimate(
        &self,
        info: &MethodInfo,
        method: &dyn Method,
        system: &dyn System,
    ) -> Option<Estimate> {
        let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
        let formulation = is_constrained.then_some(self.constraints);
        method.estimate(formulation).filter(|_| info.variable_step)
    }

    /// The error of a method without an error estimate.
    pub(crate) fn no_control(&self, info: &MethodInfo) -> SettingsError {
        let refusal = |info: &MethodInfo, parameters: &[(String, ParameterValue)], constraints| {
            let method = info.build(parameters).ok()?;
            info.tolerance_refusal(method.as_ref(), constraints)
        };
        let reason = refusal(info, &self.parameters, Some(self.constraints));
        let others = self.registry.names(|info| refusal(info, &[], None).is_none());
        SettingsError::NoErrorEstimate {
            method: info.name.into(),
            reason: reason.unwrap_or("it has no error estimate"),
            others,
        }
    }

    /// The number of whole steps between two times.
    pub fn steps(&self, start: f64, end: f64) -> f64 {
        let h = self.step_size;
        // tolerance for the rounding of the quotient
        let slack = 4.0 * f64::EPSILON * (end.abs() + start.abs()) / h;
        ((end - start) / h + slack.min(0.5)).floor()
    }

    /// The method from the registry, with the parameters checked.
    pub fn method(&self) -> Result<(MethodInfo, Box<dyn Method>), SettingsError> {
        self.registry.build(&self.choice()).map(|(info, method)| (*info, method))
    }

    /// An error if the method with its parameters does not support a system.
    pub(crate) fn check_method(
        &self,
        info: &MethodInfo,
        method: &dyn Method,
        system: &dyn System,
    ) -> Result<(), SettingsError> {
        let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
        match method.unsupported_reason(is_constrained) {
            None => Ok(()),
            Some(reason) => Err(SettingsError::Formulation {
                method: info.name.into(),
                formulation: self.constraints.to_string(),
                reason: reason.into(),
            }),
        }
    }

    /// Checks everything that does not depend on the initial values.
    pub(crate) fn check(
        &self,
        info: &MethodInfo,
        system: &dyn System,
    ) -> Result<(), SettingsError> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match &self.control {
            Some(control) => {
                control.check()?;
                let (_, method) = self.method()?;
                if self.estimate(info, method.as_ref(), system).is_none() {
                    return Err(self.no_control(info));
                }
            }
            None if !positive(self.step_size) => {
                return Err(SettingsError::StepSize { step_size: self.step_size });
            }
            None => {}
        }
        if !positive(self.newton.tolerance) {
            let value = self.newton.tolerance;
            return Err(SettingsError::Newton { what: "tolerance", value });
        }
        if self.newton.iterations == 0 {
            return Err(SettingsError::Newton { what: "iteration limit", value: 0.0 });
        }
        let method = || info.name.to_string();
        if let Some(reason) = info.refusal(self.constraints, system) {
            return Err(SettingsError::Formulation {
                method: method(),
                formulation: self.constraints.to_string(),
                reason: reason.into(),
            });
        }
        let unsupported =
            |feature: SystemFeature| info.unsupported_reason(feature).map(|_| feature);
        match SystemFeature::ALL.into_iter().filter(|f| f.is_in(system)).find_map(unsupported) {
            Some(feature) => Err(refusal(self, info, feature, "")),
            None => Ok(()),
        }
    }
}

/// The error of a system with a feature that the method does not support; `who` names the coordinate, if known.
pub(super) fn refusal(
    settings: &Settings,
    info: &MethodInfo,
    feature: SystemFeature,
    who: &str,
) -> SettingsError {
    SettingsError::Feature {
        method: info.name.into(),
        feature: if who.is_empty() { feature.to_string() } else { format!("{feature} ({who})") },
        reason: info.unsupported_reason(feature).unwrap_or("its formula does not cover them"),
        others: settings.registry.names(|other| other.unsupported_reason(feature).is_none()),
    }
}
