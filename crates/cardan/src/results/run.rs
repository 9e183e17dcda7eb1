//! From a model file to results in a folder.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::folder::{Folder, Format, WriteError};
use super::recorder::Recorder;
use super::summary::{Status, Summary};
use crate::error::Error;
use crate::file::{Mistake, Mistakes, ModelFile, Schedule};
use crate::model::{Ledger, ModelError, Start};
use crate::simulation::Simulation;

/// Where and how results are written.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// The format.
    pub format: Format,
    /// The program and its version, for the record.
    pub version: &'a str,
    /// Whether to compute what looks like a mistake: very many steps, very much output.
    pub force: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The time reached.
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// Steps to take.
    pub total: u64,
}

/// A run that could not begin, or whose results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Something is wrong with the file.
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
    /// The motion cannot begin.
    #[error(transparent)]
    Start(#[from] Error),
    /// The results cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// More steps than this are a mistake.
const MOST_STEPS: f64 = 1e9;
/// A drift beyond this part of the energy that moved is worth telling.
const LARGE_DRIFT: f64 = 0.1;
/// More bytes of results than this are a mistake.
const MOST_BYTES: f64 = 2e10;

/// Computes the motion and writes it. `watch` sees every step, and stops the run by saying false.
/// A step that cannot be computed ends the run with what there is: see [`Summary::status`].
pub fn run(
    file: &ModelFile,
    schedule: &Schedule,
    start: &Start,
    request: &Request<'_>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Summary, RunError> {
    let began = Instant::now();
    let model = &start.model;
    check_steps(file, schedule, request)?;
    let mut motion = Simulation::new(model, &schedule.settings, &start.initial)
        .map_err(|error| explained(file, error))?;
    let mut ledger = Ledger::new(model, motion.now());
    let mut recorder = recorder(file, start, &ledger)?;
    check_output(file, schedule, request, recorder.columns().len())?;
    let mut folder = Folder::create(request.folder, request.format, recorder.columns())?;

    let (stride, window) = (file.output.stride, file.output.window);
    let slack = 1e-6 * schedule.settings.step_size;
    let is_wanted = |time: f64| {
        window.is_none_or(|[from, to]| time >= from - slack && time <= to + slack)
    };
    let total = schedule.steps.max(0.0) as u64;
    let (mut residuals, mut drift) = (motion.residuals(), 0.0_f64);
    let (mut status, mut failure) = (Status::Completed, None);
    let mut iterations = 0;
    let mut steps = 0;
    loop {
        if steps % stride == 0 && is_wanted(motion.now().t) {
            folder.row(recorder.row(model, &ledger, &motion, iterations))?;
        }
        if steps == total {
            break;
        }
        if !watch(&Progress { time: motion.now().t, steps, total }) {
            status = Status::Interrupted;
            break;
        }
        let before = motion.effort().iterations;
        if let Err(error) = motion.step() {
            (status, failure) = (Status::Failed, Some(error.to_string()));
            break;
        }
        iterations = motion.effort().iterations - before;
        steps += 1;
        ledger.record(model, motion.now());
        drift = drift.max(ledger.balance.abs());
        let now = motion.residuals();
        residuals.position = residuals.position.max(now.position);
        residuals.velocity = residuals.velocity.max(now.velocity);
    }
    watch(&Progress { time: motion.now().t, steps, total });

    let effort = motion.effort();
    let mut warnings: Vec<String> = motion.warnings().iter().map(ToString::to_string).collect();
    // a drift is large or small against what moved at all
    if drift > LARGE_DRIFT * ledger.largest {
        let percent = 100.0 * drift / ledger.largest;
        warnings.push(format!(
            "the energy does not balance: it drifts by {percent:.0} % of the largest energy that moved; \
             take a smaller step, and see docs/failures.md"
        ));
    }
    let summary = Summary {
        status,
        failure,
        warnings,
        version: request.version.into(),
        model: file.source.name.clone(),
        title: file.title.clone(),
        model_sha256: hash(&file.source.text),
        parameters: file.parameters.iter().map(|(name, x)| (name.clone(), json!(x))).collect(),
        settings: settings(schedule, motion.method().name),
        start: schedule.start,
        end: schedule.end,
        time: motion.now().t,
        steps,
        newton_iterations: effort.iterations,
        factorizations: effort.linear.factorizations,
        wall_seconds: began.elapsed().as_secs_f64(),
        energy_drift: drift,
        max_position_residual: residuals.position,
        max_velocity_residual: residuals.velocity,
        rows: folder.rows(),
        results: request.format.file_name().into(),
        columns: recorder.columns().to_vec(),
    };
    folder.finish(&summary)?;
    Ok(summary)
}

/// An error before the first step: in the file if it is one of its values.
fn explained(file: &ModelFile, error: Error) -> RunError {
    match error {
        Error::Settings(_) | Error::Model(_) => file.explain(&error).into(),
        error => error.into(),
    }
}

fn recorder(file: &ModelFile, start: &Start, ledger: &Ledger) -> Result<Recorder, RunError> {
    let given = file.output.channels.as_deref();
    let names: Option<Vec<&str>> =
        given.map(|channels| channels.iter().map(|channel| channel.value.as_str()).collect());
    Recorder::new(&start.model, ledger, names.as_deref()).map_err(|(k, error)| {
        let span = given.and_then(|channels| channels.get(k)).and_then(|x| x.span.clone());
        let (message, help) = match error {
            ModelError::Missing { name, nearest: Some(nearest), .. } => {
                (format!("there is no channel `{name}`"), format!("did you mean `{nearest}`?"))
            }
            ModelError::Missing { name, .. } => {
                let help = "`cardan check --channels` lists them";
                (format!("there is no channel `{name}`"), help.into())
            }
            error => (error.to_string(), "`cardan check --channels` lists them".into()),
        };
        file.mistakes(vec![Mistake { message, span, help: Some(help) }]).into()
    })
}

fn check_steps(
    file: &ModelFile,
    schedule: &Schedule,
    request: &Request<'_>,
) -> Result<(), Mistakes> {
    if schedule.steps <= MOST_STEPS || request.force {
        return Ok(());
    }
    let given = file.plan.step.as_ref().or(file.plan.substep.as_ref());
    let message = format!("this takes {:.1e} steps", schedule.steps);
    let help = "a larger step or an earlier end; --force if it is meant".to_string();
    let span = given.and_then(|given| given.span.clone());
    Err(file.mistakes(vec![Mistake { message, span, help: Some(help) }]))
}

fn check_output(
    file: &ModelFile,
    schedule: &Schedule,
    request: &Request<'_>,
    columns: usize,
) -> Result<(), Mistakes> {
    let bytes = schedule.steps / file.output.stride as f64 * columns as f64 * 8.0;
    if bytes <= MOST_BYTES || request.force || file.output.window.is_some() {
        return Ok(());
    }
    let message = format!("this writes {:.0} GB of results", bytes * 1e-9);
    let help = "fewer `channels`, a `stride` or a `window` in [output]; --force if it is meant";
    Err(file.mistakes(vec![Mistake::anywhere(message).help(help)]))
}

fn settings(schedule: &Schedule, method: &str) -> Value {
    let mut settings = serde_json::to_value(&schedule.settings).unwrap_or_default();
    // an alias is written by its proper name
    settings["method"] = method.into();
    settings
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
