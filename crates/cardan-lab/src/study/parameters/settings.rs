//! Settings that vary like parameters: `simulation.method`, `simulation.step` and the others of `[simulation]`, and the
//! rotation about which modes are computed.

use cardan::ErrorControl;
use cardan::file::{Located, ModelFile};
use cardan::math::Vector3;
use cardan::methods::{self, MethodChoice, ParameterValue, Permission};

use super::problem::StudyProblem;
use super::values::CaseValue;

/// The beginnings of names of settings.
const SIMULATION: &str = "simulation.";
const SPIN: [&str; 3] = ["modes.spin.x", "modes.spin.y", "modes.spin.z"];

/// Whether a name is that of a setting and not of a parameter of the model.
pub fn is_setting(name: &str) -> bool {
    name.starts_with(SIMULATION) || name.starts_with("modes.")
}

/// Names of settings beside the parameters of methods.
const SETTINGS: [&str; 9] = [
    "simulation.method",
    "simulation.step",
    "simulation.substep",
    "simulation.tolerance",
    "simulation.end",
    "simulation.constraints",
    SPIN[0],
    SPIN[1],
    SPIN[2],
];

/// The names of all settings: of the simulation, parameters of methods, and the rotation of modes.
pub fn setting_names() -> Vec<String> {
    let mut names: Vec<String> = SETTINGS.map(String::from).to_vec();
    for parameter in methods::all().flat_map(|method| method.parameters) {
        let name = format!("{SIMULATION}{}", parameter.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A problem if there is no such setting.
pub fn check_setting(name: &str) -> Result<(), StudyProblem> {
    let known = setting_names();
    match known.iter().any(|setting| setting == name) {
        true => Ok(()),
        false => {
            let problem = StudyProblem::new(format!("there is no setting `{name}`"));
            Err(problem.among(name, known.iter().map(String::as_str)))
        }
    }
}

/// Applies a setting to a model.
pub fn apply(
    file: &mut ModelFile,
    spin: &mut Vector3,
    name: &str,
    value: &CaseValue,
) -> Result<(), String> {
    let number = || match value {
        CaseValue::Number(x) => Ok(*x),
        CaseValue::Text(text) => Err(format!("`{name}` is a number, not `{text}`")),
    };
    if let Some(axis) = SPIN.iter().position(|known| *known == name) {
        spin[axis] = number()?;
        return Ok(());
    }
    let plan = &mut file.plan;
    match name.strip_prefix(SIMULATION) {
        Some("method") => set_method(file, value.to_string().parse()?),
        Some("constraints") => {
            plan.constraints = Some(Located::outside(value.to_string().parse()?));
        }
        Some("step") => {
            (plan.step, plan.substep) = (Some(Located::outside(number()?)), None);
            plan.control = None;
        }
        Some("substep") => {
            (plan.step, plan.substep) = (None, Some(Located::outside(number()?)));
            plan.control = None;
        }
        Some("tolerance") => {
            let relative = number()?;
            let control = match &plan.control {
                Some(given) => ErrorControl { relative, ..given.value },
                None => ErrorControl::new(relative),
            };
            (plan.step, plan.substep) = (None, None);
            plan.control = Some(Located::outside(control));
        }
        Some("end") => plan.end = Some(Located::outside(number()?)),
        Some(parameter) => {
            let value = match value {
                CaseValue::Number(x) => ParameterValue::Number(*x),
                CaseValue::Text(text) => ParameterValue::Word(text.clone()),
            };
            plan.parameters.retain(|(known, _)| known != parameter);
            plan.parameters.push((parameter.into(), Located::outside(value)));
        }
        None => {
            let known = SPIN.join(", ");
            return Err(format!("there is no setting `{name}`\n  try: simulation.step, {known}"));
        }
    }
    Ok(())
}

/// Replaces the method; what the file gives for its own method and the new one does not take is dropped.
fn set_method(file: &mut ModelFile, choice: MethodChoice) {
    let MethodChoice { method, parameters } = choice;
    let plan = &mut file.plan;
    match methods::find(&method) {
        Some(info) => {
            plan.parameters
                .retain(|(name, given)| info.build(&[(name.clone(), given.value.clone())]).is_ok());
            let taken = |asked| info.permission(asked) == Permission::Allowed;
            plan.constraints = plan.constraints.take().filter(|asked| taken(asked.value));
        }
        None => {
            plan.parameters.clear();
            plan.constraints = None;
        }
    }
    if !parameters.is_empty() {
        plan.parameters.clear();
    }
    plan.parameters.extend(parameters.into_iter().map(|(name, x)| (name, Located::outside(x))));
    plan.method = Some(Located::outside(method));
}
