//! Computes the motion of a model file and writes its results.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::monitor::RunMonitor;
use crate::error::Error;
use crate::file::{Diagnostic, Diagnostics, ModelFile, Schedule};
use crate::model::{AssembledMechanism, EnergyBalance, Model, ModelError};
use crate::output::{Disk, LocalDisk};
use crate::results::{Recorder, ResultsFolder, ResultsFormat, RunStatus, RunSummary, WriteError};
use cardan_core::methods;
use cardan_core::methods::SettingsError;
use cardan_core::simulation::{Simulation, SimulationError};
use cardan_core::stability::{StableStep, stable_step};

/// Where and how results are written.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// The format.
    pub format: ResultsFormat,
    /// The program and its version, for the record.
    pub version: &'a str,
    /// Whether to run in spite of very many steps or very much output.
    pub force: bool,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunProgress {
    /// The time reached.
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// Steps to take.
    pub total: u64,
}

/// A run that could not begin, or whose results could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The file has errors.
    #[error(transparent)]
    Diagnostics(#[from] Diagnostics),
    /// The motion cannot begin.
    #[error(transparent)]
    Start(#[from] Error),
    /// The results cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// More steps than this need `force`.
const MAX_STEPS: f64 = 1e9;
/// More bytes of results than this need `force`.
const MAX_BYTES: f64 = 2e10;

/// Computes the motion and writes it. `watch` is called before every step; the run stops if it returns false.
/// A step that cannot be computed ends the run with the results so far: see [`RunSummary::status`].
pub fn run(
    file: &ModelFile,
    schedule: &Schedule,
    start: &AssembledMechanism,
    request: &RunRequest<'_>,
    watch: &mut dyn FnMut(&RunProgress) -> bool,
) -> Result<RunSummary, RunError> {
    run_on(&LocalDisk, file, schedule, start, request, watch)
}

/// [`run`] on a given disk, which may fail.
pub fn run_on(
    disk: &dyn Disk,
    file: &ModelFile,
    schedule: &Schedule,
    start: &AssembledMechanism,
    request: &RunRequest<'_>,
    watch: &mut dyn FnMut(&RunProgress) -> bool,
) -> Result<RunSummary, RunError> {
    let began = Instant::now();
    let model = &start.model;
    check_steps(file, schedule, request)?;
    let mut motion = Simulation::new(start.model.clone(), &schedule.settings, &start.initial)
        .map_err(|error| explained(file, error.into()))?;
    let unstable = check_stability(schedule, &motion, model).map_err(|x| explained(file, x))?;
    let mut energy_balance = EnergyBalance::new(model, motion.now());
    let mut recorder = recorder(file, start)?;
    check_output(file, schedule, request, recorder.columns().len())?;
    let mut summary = summary(file, schedule, start, request, &motion, &recorder);
    let mut monitor = RunMonitor::default();
    let mut notes: Vec<String> = unstable.into_iter().collect();
    let mut folder = ResultsFolder::create_on(disk, request.folder, request.format, &summary)?;
    if let Some(place) = &folder.abandoned {
        let place = place.display();
        notes.push(format!("rows of an earlier unfinished run are now in {place}"));
    }

    let (stride, window) = (file.output.stride, file.output.window);
    let slack = 1e-6 * schedule.settings.step_size;
    let is_in_window =
        |time: f64| window.is_none_or(|[from, to]| time >= from - slack && time <= to + slack);
    let whole = schedule.steps.max(0.0) as u64;
    // the last step is shorter if the end requires it
    let rest = schedule.end - (schedule.start + whole as f64 * schedule.settings.step_size);
    let is_shortened = motion.method().variable_step && rest > slack;
    let total = whole + u64::from(is_shortened);
    let residuals = motion.residuals();
    summary.max_position_residual = residuals.position;
    summary.max_velocity_residual = residuals.velocity;
    summary.status = RunStatus::Completed;
    let mut iterations = 0;
    loop {
        let steps = summary.steps;
        let half = 0.5 * schedule.settings.step_size;
        let (now, near) =
            (motion.now().t, |t: &&f64| (**t - motion.now().t).abs() <= half * (1.0 - 1e-9));
        if file.output.snapshots.iter().any(|t| near(&t) || *t == now) {
            folder.snapshots(&model.snapshots(motion.now()))?;
        }
        if steps.is_multiple_of(stride) && is_in_window(motion.now().t) {
            folder.row(recorder.row(model, &energy_balance, &motion, iterations))?;
        }
        if steps == total {
            break;
        }
        if !watch(&RunProgress { time: motion.now().t, steps, total }) {
            summary.status = RunStatus::Interrupted;
            break;
        }
        folder.before_step()?;
        let before = motion.effort().iterations;
        let stepped = match steps < whole {
            true => motion.step(),
            false => motion.step_to(schedule.end),
        };
        let stepped = stepped.map_err(|error| error.to_string());
        energy_balance.record(model, &motion);
        let residuals = motion.residuals();
        if let Err(failure) =
            stepped.and_then(|()| monitor.check(model, &motion, &energy_balance, &residuals))
        {
            summary.status = RunStatus::Failed;
            summary.failure = Some(failure);
            break;
        }
        iterations = motion.effort().iterations - before;
        summary.steps += 1;
        summary.time = motion.now().t;
        summary.energy_drift = summary.energy_drift.max(energy_balance.balance.abs());
        summary.max_position_residual = summary.max_position_residual.max(residuals.position);
        summary.max_velocity_residual = summary.max_velocity_residual.max(residuals.velocity);
    }
    watch(&RunProgress { time: summary.time, steps: summary.steps, total });

    let effort = motion.effort();
    summary.newton_iterations = effort.iterations;
    summary.factorizations = effort.linear.factorizations;
    summary.wall_seconds = began.elapsed().as_secs_f64();
    summary.rows = folder.rows();
    summary.warnings = motion.warnings().iter().map(ToString::to_string).collect();
    summary.warnings.extend(monitor.warnings(&energy_balance, summary.energy_drift));
    summary.warnings.append(&mut notes);
    if let (RunStatus::Completed, Some(failure)) =
        (summary.status, monitor.verdict(&energy_balance, summary.energy_drift))
    {
        summary.status = RunStatus::Failed;
        summary.failure = Some(failure);
    }
    let late =
        |t: &&f64| **t < schedule.start - 1e-9 || **t > summary.time + schedule.settings.step_size;
    if let Some(t) = file.output.snapshots.iter().find(late) {
        summary
            .warnings
            .push(format!("no snapshot at t = {t} s: the run does not contain this time"));
    }
    if summary.rows == 0 {
        summary.warnings.push("no row is within the `window` of [output]".into());
    }
    let place = folder.finish(&summary)?;
    // if complete results stay, the new ones are in a separate folder
    if let Ok(place) = place.strip_prefix(request.folder) {
        summary.results = place.to_string_lossy().into_owned();
    }
    Ok(summary)
}

/// A step above this multiple of the longest stable step is refused.
const MAX_STABLE_STEP_RATIO: f64 = 2.0;

/// Refuses a step far above the stability limit of the method; returns a warning for one slightly above it.
fn check_stability(
    schedule: &Schedule,
    motion: &Simulation<'_>,
    model: &Model,
) -> Result<Option<String>, Error> {
    let (info, method) = schedule.settings.method()?;
    let h = schedule.settings.step_size;
    let Some(longest) = stable_step(&info, method.as_ref(), model, motion.now())? else {
        return Ok(None);
    };
    let StableStep { step: stable, highest } = longest;
    if h > MAX_STABLE_STEP_RATIO * stable {
        return Err(SettingsError::Unstable {
            method: info.name.into(),
            step_size: h,
            stable,
            frequency: highest.frequency,
            highest: highest.coordinate,
        }
        .into());
    }
    Ok((h > stable).then(|| {
        let coordinate = highest.coordinate;
        format!(
            "`{}` is stable up to about {stable:.1e} s at the start, because of {coordinate}; the step \
             is longer",
            info.name
        )
    }))
}

/// The summary of a run at its start.
fn summary(
    file: &ModelFile,
    schedule: &Schedule,
    start: &AssembledMechanism,
    request: &RunRequest<'_>,
    motion: &Simulation<'_>,
    recorder: &Recorder,
) -> RunSummary {
    let hints = file.diagnostics(file.hints.clone());
    RunSummary {
        status: RunStatus::Running,
        failure: None,
        warnings: motion.warnings().iter().map(ToString::to_string).collect(),
        hints: hints.list.iter().map(|hint| hints.line(hint)).collect(),
        assembly: start.report.clone(),
        version: request.version.into(),
        model: file.source.name.clone(),
        title: file.title.clone(),
        model_sha256: file.sha256(),
        files: file.files.clone(),
        parameters: file.parameters.iter().map(|(name, x)| (name.clone(), json!(x))).collect(),
        settings: settings(schedule, motion.method().name),
        start: schedule.start,
        end: schedule.end,
        time: schedule.start,
        steps: 0,
        newton_iterations: 0,
        factorizations: 0,
        wall_seconds: 0.0,
        energy_drift: 0.0,
        max_position_residual: 0.0,
        max_velocity_residual: 0.0,
        rows: 0,
        results: request.format.file_name().into(),
        columns: recorder.columns().to_vec(),
    }
}

/// An error before the first step, with its place in the file if a value there causes it.
pub fn explained(file: &ModelFile, error: Error) -> RunError {
    match error {
        Error::Simulation(SimulationError::Settings(_)) | Error::Model(_) => {
            file.explain(&error).into()
        }
        error => error.into(),
    }
}

/// The recorder of the channels that a file lists; channels that do not exist are diagnostics.
pub fn recorder(file: &ModelFile, start: &AssembledMechanism) -> Result<Recorder, Diagnostics> {
    let given = file.output.channels.as_deref();
    let names: Option<Vec<&str>> =
        given.map(|channels| channels.iter().map(|channel| channel.value.as_str()).collect());
    let problem = |(k, error): (usize, ModelError)| {
        let span = given.and_then(|channels| channels.get(k)).and_then(|x| x.span.clone());
        let list = "`cardan check --channels` lists them".to_string();
        let (message, help) = match error {
            ModelError::Missing { name, nearest, .. } => {
                let help = nearest.map_or(list, |nearest| format!("did you mean `{nearest}`?"));
                (format!("there is no channel `{name}`"), help)
            }
            error => (error.to_string(), list),
        };
        Diagnostic { message, span, help: Some(help) }
    };
    Recorder::new(&start.model, names.as_deref(), file.stages())
        .map_err(|wrong| file.diagnostics(wrong.into_iter().map(problem).collect()))
}

fn check_steps(
    file: &ModelFile,
    schedule: &Schedule,
    request: &RunRequest<'_>,
) -> Result<(), Diagnostics> {
    if schedule.steps <= MAX_STEPS || request.force {
        return Ok(());
    }
    let given = file.plan.step.as_ref().or(file.plan.substep.as_ref());
    let message = format!("this takes {:.1e} steps", schedule.steps);
    let help = "choose a larger step or an earlier end, or use --force to run anyway".to_string();
    let span = given.and_then(|given| given.span.clone());
    Err(file.diagnostics(vec![Diagnostic { message, span, help: Some(help) }]))
}

fn check_output(
    file: &ModelFile,
    schedule: &Schedule,
    request: &RunRequest<'_>,
    columns: usize,
) -> Result<(), Diagnostics> {
    let steps = match file.output.window {
        None => schedule.steps,
        Some([from, to]) => schedule.steps.min((to - from) / schedule.settings.step_size),
    };
    let bytes = steps / file.output.stride as f64 * columns as f64 * 8.0;
    if bytes <= MAX_BYTES || request.force {
        return Ok(());
    }
    let message = format!("this writes {:.0} GB of results", bytes * 1e-9);
    let help = "choose fewer `channels`, a `stride` or a `window` in [output], or use --force to run anyway";
    Err(file.diagnostics(vec![Diagnostic::without_location(message).help(help)]))
}

fn settings(schedule: &Schedule, method: &str) -> Value {
    let mut settings = serde_json::to_value(&schedule.settings).unwrap_or_default();
    // an alias is replaced by the name of the method
    settings["method"] = method.into();
    // the coefficients that follow from the parameters
    let built = methods::find(method).map(|info| info.build(&schedule.settings.parameters));
    if let Some(Ok(built)) = built {
        let all = built.coefficients().into_iter().map(|(name, x)| (name.to_string(), json!(x)));
        settings["coefficients"] = Value::Object(all.collect());
    }
    settings
}
