//! The comparison that the options describe.

use std::path::PathBuf;

use cardan::file::ModelFile;
use cardan::methods::{MethodChoice, Registry};
use cardan::model::{AssembledMechanism, Model};
use cardan::results::matches;
use cardan_lab::study::{
    Comparison, ComparisonError, ComparisonPlan, ComparisonReference, Signals, StudyProblem,
};

use super::arguments::Arguments;
use crate::failure::CommandFailure;
use crate::table;

/// The cases to compute. Cases that a method does not support are reported and omitted.
pub fn plan<'a>(
    arguments: &Arguments,
    file: &ModelFile,
    start: &'a AssembledMechanism,
) -> Result<ComparisonPlan<'a>, CommandFailure> {
    let usage = |message: String| CommandFailure::usage(message);
    let end = file.plan.end.as_ref().map(|given| given.value);
    let end = end.ok_or_else(|| usage("the model has no end time\n  try: --end TIME".into()))?;
    let mut steps = arguments.steps.clone();
    if steps.is_empty() && arguments.substeps.is_empty() {
        let schedule = file.schedule()?;
        if schedule.settings.control.is_some() {
            let message = "the model has a tolerance instead of a step\n  try: --steps H1,H2,…";
            return Err(usage(message.into()));
        }
        let step = schedule.settings.step_size;
        steps = vec![4.0 * step, 2.0 * step, step, 0.5 * step];
    }
    let signals = match arguments.channels.is_empty() {
        true => Signals::motion(&start.model),
        false => Signals::channels(&start.model, &columns(&start.model, &arguments.channels)?)
            .map_err(|error| usage(error.to_string()))?,
    };
    let subject = StudyProblem {
        from: arguments.from.unwrap_or(f64::NEG_INFINITY),
        newton: file.plan.newton.value,
        signals,
        ..StudyProblem::new(&start.model, &start.initial, end)
    };
    let comparison = Comparison {
        methods: arguments.methods.clone(),
        steps,
        substeps: arguments.substeps.clone(),
        rho: arguments.rho.clone(),
        constraints: arguments.constraints.clone(),
        preferred: file.plan.constraints.as_ref().map(|given| given.value),
        reference: reference(arguments)?,
        threads: arguments.jobs.and_then(|jobs| usize::try_from(jobs).ok()),
        ..Comparison::new(subject)
    };
    let plan = comparison.plan().map_err(|error| usage(explain(&error)))?;
    plan.omitted.iter().for_each(|left_out| table::print_note(&format!("note: {left_out}")));
    Ok(plan)
}

/// The message of an error, with the options of the command.
fn explain(error: &ComparisonError) -> String {
    match error {
        ComparisonError::TooManySteps { step, steps, most } => format!(
            "a step of {step:e} takes {steps:.1e} steps; take larger ones, or an earlier --end (at most \
             {most:.0e} steps)"
        ),
        ComparisonError::TooManyReferenceSteps { step, steps } => format!(
            "the reference takes {steps:.1e} steps of {step:e}; take larger ones, or --reference METHOD@STEP"
        ),
        ComparisonError::Nothing { left_out } => {
            left_out.iter().for_each(|left_out| table::print_note(&format!("note: {left_out}")));
            error.to_string()
        }
        _ => error.to_string(),
    }
}

/// The reference that the options give: METHOD@STEP, or results.
fn reference(arguments: &Arguments) -> Result<Option<ComparisonReference>, CommandFailure> {
    let Some(text) = arguments.reference.as_deref() else { return Ok(None) };
    if let Some((method, step)) = text.rsplit_once('@') {
        let step: f64 = step.trim().parse().map_err(|_| {
            CommandFailure::usage(format!("`{step}` of --reference {text} is not a step size"))
        })?;
        let choice: MethodChoice = method.parse().map_err(CommandFailure::usage)?;
        let run = ComparisonReference::run(&Registry::standard(), &choice, step);
        return run.map(Some).map_err(|error| CommandFailure::usage(error.to_string()));
    }
    let path = PathBuf::from(text);
    if !path.exists() {
        return Err(CommandFailure::usage(format!(
            "--reference {text}: there is no such file\n  try: a file or folder of results, or METHOD@STEP"
        )));
    }
    if arguments.channels.is_empty() {
        let message =
            "--reference with a file needs the columns to compare\n  try: --channels NAME,…";
        return Err(CommandFailure::usage(message.into()));
    }
    Ok(Some(ComparisonReference::File(path)))
}

/// The columns of the channels: each component of a vector is one signal, as in a file of results.
fn columns(model: &Model, names: &[String]) -> Result<Vec<String>, CommandFailure> {
    let mut columns: Vec<String> = Vec::new();
    for name in names {
        let channels = match name.contains('*') {
            true => model.channels(),
            false => vec![model.channel(name).map_err(|error| {
                CommandFailure::usage(format!("{error}; `cardan check --channels` lists them"))
            })?],
        };
        let significant = channels.into_iter().flat_map(|channel| model.significant(channel));
        let components = significant.flat_map(|channel| channel.components());
        let fits = |column: &String| !name.contains('*') || matches(name, column);
        let found: Vec<String> = components.filter(fits).collect();
        if found.is_empty() {
            let message =
                format!("no channel matches `{name}`; `cardan check --channels` lists them");
            return Err(CommandFailure::usage(message));
        }
        columns.extend(found);
    }
    let mut seen = std::collections::HashSet::new();
    columns.retain(|column| seen.insert(column.clone()));
    Ok(columns)
}
