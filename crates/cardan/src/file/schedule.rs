//! From `[simulation]` to settings and a number of steps.

use super::diagnostic::{Diagnostic, Diagnostics};
use super::model_file::ModelFile;
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
    /// How many whole steps that takes.
    pub steps: f64,
}

/// The smallest ratio of the step to the round-off of time.
const RESOLVED: f64 = 1e3;

/// Whether a step is well above the round-off of a time.
pub(crate) fn is_resolved(step: f64, time: f64) -> bool {
    step >= RESOLVED * f64::EPSILON * time.abs()
}

impl ModelFile {
    /// The method of the file, with its parameters.
    pub fn method(&self) -> MethodChoice {
        let parameters = self.plan.parameters.iter();
        let parameters = parameters.map(|(name, given)| (name.clone(), given.value.clone()));
        MethodChoice { method: self.plan.method.value.clone(), parameters: parameters.collect() }
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
        let mut settings = Settings::of(&self.method(), 0.0).newton(plan.newton.value);
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
        let (given, step) = match (&plan.step, &plan.substep) {
            (Some(step), _) => (step, step.value),
            (None, Some(substep)) => (substep, substep.value * method.stages() as f64),
            (None, None) => return Err(missing("step", "--step")),
        };
        if !(step > 0.0 && step.is_finite()) {
            return Err(wrong(given, format!("the step is {step}; it must be positive")));
        }
        let end = plan.end.as_ref().ok_or_else(|| missing("end", "--end"))?;
        if !end.value.is_finite() {
            return Err(wrong(end, format!("the end is {}; it must be a number", end.value)));
        }
        if let Some(from) = plan.from.as_ref().filter(|_| end.value <= start) {
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
        Ok(Schedule { settings, start, end: end.value, steps })
    }
}
