//! Options that several commands share: the model file, and settings that replace those in the file.

use std::path::PathBuf;

use cardan::ErrorControl;
use cardan::Formulation;
use cardan::file::{AUTO, Located, ModelFile, RowTimes};
use cardan::methods::{self, MethodChoice, Permission};
use cardan::model::BeamForm;

use cardan_lab::examples::{parse_setting, read, read_within};

use crate::failure::CommandFailure;

/// The model file, and settings that replace those in the file.
#[derive(clap::Args)]
#[group(id = "what")]
pub struct Arguments {
    /// The model file (TOML), or the name of an example (`cardan new` lists them).
    pub model: PathBuf,
    /// Set a parameter of the model to a number or a formula: --set length=0.5.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// The integration method, as lms3 or bathe:splitting=0.9; `cardan methods` lists them.
    #[arg(long)]
    method: Option<MethodChoice>,
    /// The spectral radius of the method at infinite frequency: 1 gives no numerical dissipation, 0 the most.
    #[arg(long, allow_negative_numbers = true)]
    rho: Option<f64>,
    /// The constraint formulation: position, stabilized or acceleration. By default that of the model file, or
    /// else that of the method.
    #[arg(long)]
    constraints: Option<Formulation>,
    /// The form of all beam elements, galerkin or finite-volume, instead of that in the model file.
    #[arg(long, value_name = "FORM")]
    beams: Option<Form>,
    /// The step size in s.
    #[arg(long, conflicts_with = "substep", allow_negative_numbers = true)]
    step: Option<f64>,
    /// The step size divided by the number of stages of the method, in s.
    #[arg(long, allow_negative_numbers = true)]
    substep: Option<f64>,
    /// The error of the motion, relative to the size of the mechanism and to the largest speeds, instead of a step.
    #[arg(long, conflicts_with_all = ["step", "substep"], allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// The times of rows: an interval in s, or `step` for every step.
    #[arg(long, value_parser = row_times)]
    every: Option<RowTimes>,
    /// The end time in s.
    #[arg(long, allow_negative_numbers = true)]
    end: Option<f64>,
}

/// The model file, for commands without time integration.
#[derive(clap::Args)]
pub struct Static {
    /// The model file (TOML), or the name of an example (`cardan new` lists them).
    model: PathBuf,
    /// Set a parameter of the model to a number or a formula: --set length=0.5.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// The form of all beam elements, galerkin or finite-volume, instead of that in the model file.
    #[arg(long, value_name = "FORM")]
    beams: Option<Form>,
}

impl Static {
    /// Reads the file.
    pub fn load(&self) -> Result<ModelFile, CommandFailure> {
        let mut file = read(&self.model, &self.set)?;
        Form::take(self.beams, &mut file);
        Ok(file)
    }
}

/// `--every`: an interval, or `step`.
fn row_times(text: &str) -> Result<RowTimes, String> {
    match text.parse::<f64>() {
        _ if text == "step" => Ok(RowTimes::Steps),
        Ok(interval) if interval > 0.0 && interval.is_finite() => Ok(RowTimes::Interval(interval)),
        _ => Err("expected a positive number of seconds, or `step`".into()),
    }
}

/// The forms of beams.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Form {
    Galerkin,
    FiniteVolume,
}

impl Form {
    /// Sets the form of all beams of a model, if one is given.
    pub fn take(form: Option<Self>, file: &mut ModelFile) {
        if let Some(form) = form {
            file.set_beam_form(match form {
                Self::Galerkin => BeamForm::Galerkin,
                Self::FiniteVolume => BeamForm::FiniteVolume,
            });
        }
    }
}

impl Arguments {
    /// Reads the file and applies the options. The notes name settings of the file that no longer apply.
    pub fn load(&self) -> Result<(ModelFile, Vec<String>), CommandFailure> {
        self.load_within(None)
    }

    /// Reads the file, unless its parts need more memory than is allowed, and applies the options.
    pub fn load_within(
        &self,
        max_memory: Option<u64>,
    ) -> Result<(ModelFile, Vec<String>), CommandFailure> {
        let mut file = read_within(&self.model, &self.set, max_memory)?;
        Form::take(self.beams, &mut file);
        let mut notes = Vec::new();
        let plan = &mut file.plan;
        if let Some(MethodChoice { method, parameters }) = &self.method {
            plan.method = Some(Located::outside(method.clone()));
            // the parameters of the file belong to the method of the file; given ones replace all of them
            if !parameters.is_empty() {
                plan.parameters.clear();
            }
            if method == AUTO {
                // those of the file belong to another method
                for (name, given) in plan.parameters.drain(..) {
                    notes.push(format!(
                        "`{name} = {}` of the file is not used: the method is chosen by the model",
                        given.value
                    ));
                }
                plan.constraints = None;
            }
            if let Some(info) = methods::find(method) {
                let mut left_out = |what: String, why: &str| {
                    notes.push(format!("`{what}` of the file is not used: `{}` {why}", info.name));
                };
                plan.parameters.retain(|(name, given)| {
                    let fits = info.build(&[(name.clone(), given.value.clone())]).is_ok();
                    if !fits {
                        left_out(format!("{name} = {}", given.value), "does not take it");
                    }
                    fits
                });
                let asked = plan.constraints.as_ref().map(|given| given.value);
                let taken = |asked| info.permission(asked) == Permission::Allowed;
                if let Some(asked) = asked.filter(|asked| !taken(*asked)) {
                    left_out(format!("constraints = \"{asked}\""), "does not take them");
                    plan.constraints = None;
                }
            }
        }
        for (name, value) in self.method.iter().flat_map(|choice| &choice.parameters) {
            plan.parameters.push((name.clone(), Located::outside(value.clone())));
        }
        if let Some(rho) = self.rho {
            plan.parameters.retain(|(name, _)| name != "rho");
            plan.parameters.push(("rho".into(), Located::outside(rho.into())));
        }
        if let Some(constraints) = self.constraints {
            plan.constraints = Some(Located::outside(constraints));
        }
        if let Some(step) = self.step {
            (plan.step, plan.substep) = (Some(Located::outside(step)), None);
        }
        if let Some(substep) = self.substep {
            (plan.step, plan.substep) = (None, Some(Located::outside(substep)));
        }
        if self.step.is_some() || self.substep.is_some() {
            plan.control = None;
        }
        if let Some(tolerance) = self.tolerance {
            let control = match &plan.control {
                Some(given) => ErrorControl { relative: tolerance, ..given.value },
                None => ErrorControl::new(tolerance),
            };
            (plan.step, plan.substep) = (None, None);
            plan.control = Some(Located::outside(control));
        }
        if let Some(every) = &self.every {
            file.output.every = Located::outside(every.clone());
            file.output.stride = 1;
        }
        if let Some(end) = self.end {
            plan.end = Some(Located::outside(end));
        }
        Ok((file, notes))
    }
}
