//! What is to be computed: cases and the reference.

use std::path::PathBuf;

use cardan::methods::{MethodInfo, Registry};
use cardan::system::System;

use super::*;

/// What results are compared with.
pub enum Standard {
    /// A run.
    Run(Settings),
    /// Results of one.
    File(PathBuf),
}

/// The study as asked for.
pub struct Plan {
    pub cases: Vec<Case>,
    pub reference: Standard,
    pub end: f64,
}

impl Plan {
    /// The time up to which errors of all cases are taken.
    pub fn last_common_time(&self, start: f64) -> f64 {
        last_common_time(start, self.end, self.cases.iter().map(|case| case.step))
    }

    /// The reference run with doubled steps, by which it is judged itself.
    pub fn doubled(&self) -> Option<Case> {
        let Standard::Run(settings) = &self.reference else { return None };
        let (constraints, step) = (settings.constraints, 2.0 * settings.step_size);
        Some(Case { choice: settings.choice(), constraints, step })
    }
}

/// The cases of a command; what a method does not take is told and left out.
pub fn plan(arguments: &Arguments, file: &ModelFile, model: &Model) -> Result<Plan, Failure> {
    let usage = |message: String| Failure::usage(message);
    let end = file.plan.end.as_ref().map(|given| given.value);
    let end = end.ok_or_else(|| usage("the model does not say when to end: give --end".into()))?;
    let length = end - file.plan.start;
    if !(length.is_finite() && length > 0.0) {
        return Err(usage(format!("the end, {end}, is not after the start, {}", file.plan.start)));
    }
    let (steps, are_substeps) = match (&arguments.steps[..], &arguments.substeps[..]) {
        ([], []) => {
            let step = file.schedule()?.settings.step_size;
            (vec![4.0 * step, 2.0 * step, step, 0.5 * step], false)
        }
        ([], substeps) => (substeps.to_vec(), true),
        (steps, _) => (steps.to_vec(), false),
    };
    if let Some(bad) = steps.iter().find(|step| !(step.is_finite() && **step > 0.0)) {
        return Err(usage(format!("a step of {bad} is not positive")));
    }
    let wanted = file.plan.constraints.as_ref().map(|given| given.value);
    let mut cases: Vec<Case> = Vec::new();
    for choice in &arguments.methods {
        for variant in choice.with_each(&Registry::standard(), "rho", &arguments.rho) {
            let (info, method) = variant.build().map_err(|error| usage(error.to_string()))?;
            let is_constrained = model.holonomic() > 0 || model.nonholonomic() > 0;
            if let Some(reason) = method.objection(is_constrained) {
                table::tell(&format!("note: `{variant}` is left out: {reason}"));
                continue;
            }
            let formulations = match arguments.constraints.is_empty() {
                true => vec![formulation(info, wanted)],
                false => arguments.constraints.clone(),
            };
            for constraints in formulations {
                if let Some(reason) = info.refusal(constraints, model) {
                    let name = info.name;
                    table::tell(&format!("note: `{name}` does not take {constraints}: {reason}"));
                    continue;
                }
                for step in &steps {
                    let stages = if are_substeps { method.stages() as f64 } else { 1.0 };
                    let case = Case { choice: variant.clone(), constraints, step: step * stages };
                    if !cases.contains(&case) {
                        cases.push(case);
                    }
                }
            }
        }
    }
    if let Some(short) = cases.iter().find(|case| length / case.step > MOST_STEPS) {
        let count = length / short.step;
        let message = format!(
            "a step of {:e} takes {count:.1e} steps; take larger ones, or an earlier --end (at most \
             {MOST_STEPS:.0e} steps)",
            short.step
        );
        return Err(usage(message));
    }
    if let Some(long) = cases.iter().find(|case| case.step > length * (1.0 + 1e-9)) {
        return Err(usage(format!(
            "one step of {} is longer than the motion, {length}",
            long.step
        )));
    }
    if cases.is_empty() {
        return Err(usage("there is nothing to compare: no method takes these constraints".into()));
    }
    let reference = standard(arguments, file, &cases)?;
    Ok(Plan { cases, reference, end })
}

/// What the file asks for, if the method takes it; else the method's own.
fn formulation(info: &MethodInfo, wanted: Option<Formulation>) -> Formulation {
    let takes = |f: &Formulation| info.permission(*f) == Permission::Allowed;
    wanted.filter(takes).unwrap_or(info.natural())
}

fn standard(arguments: &Arguments, file: &ModelFile, cases: &[Case]) -> Result<Standard, Failure> {
    let finest = cases.iter().fold(f64::INFINITY, |least, case| least.min(case.step));
    let (choice, step) = match arguments.reference.as_deref() {
        None => (REFERENCE.parse().map_err(Failure::usage)?, finest / FINER),
        Some(text) => match text.rsplit_once('@') {
            Some((method, step)) => {
                let step: f64 = step.trim().parse().map_err(|_| {
                    Failure::usage(format!("`{step}` of --reference {text} is not a step"))
                })?;
                (method.parse().map_err(Failure::usage)?, step)
            }
            None => {
                let path = PathBuf::from(text);
                if !path.exists() {
                    let message = format!(
                        "--reference {text}: there is no such file, and a run is written METHOD@STEP"
                    );
                    return Err(Failure::usage(message));
                }
                if arguments.channels.is_empty() {
                    let message =
                        "with a file as reference, --channels says which columns to compare";
                    return Err(Failure::usage(message.into()));
                }
                return Ok(Standard::File(path));
            }
        },
    };
    let choice: Choice = choice;
    let (info, _) = choice.build().map_err(|error| Failure::usage(error.to_string()))?;
    // where an order is at stake, constraints on accelerations keep it
    let constraints = match info.permission(Formulation::Acceleration) {
        Permission::Allowed => Formulation::Acceleration,
        Permission::Refused(_) => info.natural(),
    };
    let end = file.plan.end.as_ref().map_or(0.0, |given| given.value);
    let length = end - file.plan.start;
    if !(step.is_finite() && step > 0.0 && step <= length) {
        let message = format!("the step of the reference, {step}, is not between 0 and {length}");
        return Err(Failure::usage(message));
    }
    if length / step > MOST_STEPS {
        let message = format!(
            "the reference takes {:.1e} steps of {step:e}; take larger ones, or --reference METHOD@STEP",
            length / step
        );
        return Err(Failure::usage(message));
    }
    Ok(Standard::Run(Settings::of(&choice, step).constraints(constraints)))
}
