//! From `[simulation]` to settings and a number of steps.

use super::auto_method::{self, AUTO, DEFAULT_METHOD};
use super::diagnostic::{Diagnostic, Diagnostics};
use super::model_file::ModelFile;
use super::row_times::RowTimes;
use super::settings::Located;
use cardan_core::methods::{MethodChoice, Parameter, ParameterDomain};
use cardan_core::simulation::Settings;

/// A planned run: settings, start, end and number of steps.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Schedule {
    /// Method, step, constraints, Newton.
    pub settings: Settings,
    /// The time at which the motion starts.
    pub start: f64,
    /// The time at which it ends.
    pub end: f64,
    /// How many whole steps that takes; zero if a tolerance determines the steps.
    pub steps: f64,
    /// The times of rows.
    #[serde(default)]
    pub rows: RowTimes,
    /// Why a method was chosen, if it was not given.
    #[serde(default)]
    pub choice: Option<String>,
}

/// The smallest ratio of the step to the round-off of time.
const RESOLVED: f64 = 1e3;

/// Whether a step is well above the round-off of a time.
pub(crate) fn is_resolved(step: f64, time: f64) -> bool {
    step >= RESOLVED * f64::EPSILON * time.abs()
}

impl ModelFile {
    /// The method of the file, with its parameters. A method that is chosen by the model comes with its reason.
    pub fn method(&self) -> MethodChoice {
        self.method_and_reason().0
    }

    fn method_and_reason(&self) -> (MethodChoice, Option<String>) {
        let plan = &self.plan;
        let given = plan.parameters.iter().map(|(name, x)| (name.clone(), x.value.clone()));
        let mut parameters: Vec<_> = given.collect();
        let name = plan.method.as_ref().map(|given| given.value.as_str());
        let is_auto = name == Some(AUTO) || (name.is_none() && plan.control.is_some());
        if !is_auto {
            let method = name.unwrap_or(DEFAULT_METHOD).to_string();
            return (MethodChoice { method, parameters }, None);
        }
        let tolerance = plan.control.as_ref().map(|control| control.value.relative);
        let auto = auto_method::choose(&self.mechanism, tolerance);
        for (name, value) in auto.choice.parameters {
            if parameters.iter().all(|(known, _)| *known != name) {
                parameters.push((name, value));
            }
        }
        let reason = format!("{}: {}", auto.choice.method, auto.reason);
        (MethodChoice { method: auto.choice.method, parameters }, Some(reason))
    }

    /// The stages of its steps; one if there is no such method.
    pub fn stages(&self) -> usize {
        self.method().build().map_or(1, |(_, method)| method.stages())
    }

    /// The settings of the file.
    pub fn schedule(&self) -> Result<Schedule, Diagnostics> {
        let plan = &self.plan;
        let start = plan.motion_start();
        let fail = |problem: Diagnostic| self.diagnostics(vec![problem]);
        let missing = |what: &str, flag: &str| {
            let message = format!("[simulation] has no `{what}`");
            let help = Some(format!("give it there, or by {flag}"));
            fail(Diagnostic { message, span: self.simulation.clone(), help })
        };
        let wrong = |given: &Located<f64>, message: String| {
            fail(Diagnostic { message, span: given.span.clone(), help: None })
        };
        let (method, choice) = self.method_and_reason();
        let mut settings = Settings::of(&method, 0.0).newton(plan.newton.value);
        settings.rescue = plan.rescue;
        if let Some(control) = &plan.control {
            settings = settings.control(control.value);
        }
        if let Some(constraints) = &plan.constraints {
            settings = settings.constraints(constraints.value);
        }
        let (info, method) = settings.method().map_err(|error| self.explain(&error.into()))?;
        if settings.parameters.is_empty() {
            // so that records contain the values used
            let numbers =
                info.parameters.iter().filter(|p| !matches!(p.domain, ParameterDomain::Word(_)));
            let default = |p: &Parameter| Some((p.name.to_string(), p.default()?));
            settings.parameters = numbers.filter_map(default).collect();
        }
        let rows = self.output.every.value.clone();
        if settings.control.is_some() {
            let end = plan.end.as_ref().ok_or_else(|| missing("end", "--end"))?;
            self.check_end(end, start)?;
            return Ok(Schedule { settings, start, end: end.value, steps: 0.0, rows, choice });
        }
        let (given, step) = match (&plan.step, &plan.substep) {
            (Some(step), _) => (step, step.value),
            (None, Some(substep)) => (substep, substep.value * method.stages() as f64),
            (None, None) => return Err(missing("step` or `tolerance", "--step or --tolerance")),
        };
        if !(step > 0.0 && step.is_finite()) {
            return Err(wrong(given, format!("the step is {step}; it must be positive")));
        }
        let end = plan.end.as_ref().ok_or_else(|| missing("end", "--end"))?;
        self.check_end(end, start)?;
        let latest = start.abs().max(end.value.abs());
        if !is_resolved(step, latest) {
            let message =
                format!("a step of {step:e} is lost in the rounding of the time {latest:e}");
            return Err(wrong(given, message));
        }
        settings.step_size = step;
        let steps = settings.steps(start, end.value);
        if steps < 1.0 && end.value > start {
            let time = end.value - start;
            return Err(wrong(
                given,
                format!("one step of {step:e} is longer than the whole time, {time:e}"),
            ));
        }
        Ok(Schedule { settings, start, end: end.value, steps, rows, choice })
    }

    /// An error if the end is not a time after the start.
    fn check_end(&self, end: &Located<f64>, start: f64) -> Result<(), Diagnostics> {
        let fail = |problem: Diagnostic| self.diagnostics(vec![problem]);
        let wrong = |given: &Located<f64>, message: String| {
            fail(Diagnostic { message, span: given.span.clone(), help: None })
        };
        let plan = &self.plan;
        if !end.value.is_finite() {
            return Err(wrong(end, format!("the end is {}; it must be a number", end.value)));
        }
        if let Some((from, _)) = plan.saved_state().filter(|_| end.value <= start) {
            let end = end.value;
            let message =
                format!("the saved state is at t = {start} s, not before the end, {end} s");
            let help = Some("a later end".to_string());
            return Err(fail(Diagnostic { message, span: from.span.clone(), help }));
        }
        if end.value < start {
            let message = format!("the end, {}, comes before the start, {start}", end.value);
            return Err(wrong(end, message));
        }
        Ok(())
    }
}
