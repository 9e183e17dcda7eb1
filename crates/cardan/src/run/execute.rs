//! Computes the motion of a model file and writes its results.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::jumps::jump_warnings;
use super::limits::{megabytes, memory_message, resident_memory};
use super::machine::Machine;
use super::motion_recorder::MotionRecorder;
use super::record::{RunRecord, SavedModel};
use super::request::{RunError, RunLimits, RunProgress, RunRequest};
use super::session::{Session, SessionBasis};
use crate::error::Error;
use crate::file::{Diagnostic, Diagnostics, ModelFile, Schedule, SourceFile};
use crate::model::{AssembledMechanism, Model, ModelError};
use crate::output::{Disk, LocalDisk};
use crate::results::{Column, Recorder, ResultsFolder, RowLayout, RunStatus, RunSummary};
use cardan_core::methods;
use cardan_core::methods::SettingsError;
use cardan_core::simulation::{Settings, Simulation, SimulationError, StepCounts};
use cardan_core::stability::{StableStep, stable_step};

/// More steps than this need `force`.
pub(super) const MAX_STEPS: f64 = 1e9;
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
    check_source(file, request.folder)?;
    let recorder = recorder(file, start)?;
    let columns = recorder.columns().len();
    check_output(file, schedule, request, columns)?;
    if let Some(message) = memory_message(&request.limits) {
        let help = "a larger limit (--max-memory), or a smaller model";
        return Err(file
            .diagnostics(vec![Diagnostic::without_location(message).help(help)])
            .into());
    }
    let motion = begin_motion(file, schedule, start, &request.limits)?;
    let unstable = check_stability(schedule, &motion, model).map_err(|x| explained(file, x))?;
    let mut layout = RowLayout::new(request.format, columns);
    layout.rows_per_group = request.rows_per_group.unwrap_or(layout.rows_per_group).max(1);
    let record = RunRecord {
        version: request.version.into(),
        machine: Machine::current(),
        model: SavedModel::new(file),
        schedule: schedule.clone(),
        layout,
        columns: recorder.columns().to_vec(),
        has_motion: request.has_motion,
    };
    let summary = recorded_summary(file, schedule, start, &record, &motion);
    if !request.force {
        check_space(disk, request.folder, file, schedule, &record, &motion, 0)?;
    }
    let folder =
        ResultsFolder::create_on(disk, request.folder, layout, &summary, Some(&record.encode()))?;
    let mut notes: Vec<String> = unstable.into_iter().collect();
    notes.extend(jump_warnings(model, schedule));
    if let Some(place) = &folder.abandoned {
        let place = place.display();
        notes.push(format!(
            "an earlier unfinished run is now in {place}; `cardan resume` continues it there"
        ));
    }
    let limits = request.limits;
    let basis =
        SessionBasis { file, schedule, start, motion, recorder, folder, summary, limits, began };
    let mut session = Session {
        identity: record.identity(),
        checkpoints: request.checkpoints,
        notes,
        picture: request.has_motion.then(|| MotionRecorder::new(start, None)),
        ..Session::new(basis)
    };
    session.begin()?;
    session.complete(watch)
}

/// An error if the run starts from a state in the folder of its own results, which it would replace.
fn check_source(file: &ModelFile, folder: &Path) -> Result<(), Diagnostics> {
    let Some((from, _)) = file.plan.saved_state() else { return Ok(()) };
    let is_here = |path: &Path| {
        let [one, two] = [path, folder].map(|path| path.canonicalize().ok());
        one.is_some() && one == two
    };
    let is_inside = |source: &SourceFile| Path::new(&source.path).ancestors().skip(1).any(is_here);
    if !file.files.iter().any(is_inside) {
        return Ok(());
    }
    let message =
        format!("the results would replace those that the run starts from, {}", folder.display());
    let help = Some("another folder (--out FOLDER)".to_string());
    Err(file.diagnostics(vec![Diagnostic { message, span: from.span.clone(), help }]))
}

/// The simulation at the start.
pub(super) fn begin_motion(
    file: &ModelFile,
    schedule: &Schedule,
    start: &AssembledMechanism,
    limits: &RunLimits,
) -> Result<Simulation<'static>, RunError> {
    let settings = limited(schedule, limits);
    Simulation::new(start.model.clone(), &settings, &start.initial)
        .map_err(|error| explained(file, error.into()))
}

/// The settings of a schedule, with the memory that is left of a limit.
pub(super) fn limited(schedule: &Schedule, limits: &RunLimits) -> Settings {
    let mut settings = schedule.settings.clone();
    let left = |limit: u64| limit.saturating_sub(resident_memory().unwrap_or(0));
    settings.max_memory = limits.memory.map(left);
    settings
}

/// An error if the results will not fit on the disk: their parts, the file they become, and the states.
/// `done` rows are there already.
pub(super) fn check_space(
    disk: &dyn Disk,
    folder: &Path,
    file: &ModelFile,
    schedule: &Schedule,
    record: &RunRecord,
    motion: &Simulation<'_>,
    done: u64,
) -> Result<(), Diagnostics> {
    let Some(available) =
        folder.ancestors().find(|path| path.is_dir()).and_then(|path| disk.available_space(path))
    else {
        return Ok(());
    };
    let columns = record.columns.len() as f64;
    let (numbers, saved) = (rows(file, schedule) * columns, done as f64 * columns);
    let bytes_in_file = record.layout.format.bytes_per_number() as f64;
    let state = motion.state();
    let instants = 2 + state.history.earlier.len() + state.history.auxiliary.len();
    let state_bytes = 9 * 6 * instants * state.now.q.len();
    let parts = (numbers - saved).max(0.0) * 8.0;
    let needed = parts + numbers * bytes_in_file + 3.0 * state_bytes as f64;
    if needed <= available as f64 {
        return Ok(());
    }
    let [needed, available] = [needed as u64, available].map(megabytes);
    let message = format!(
        "the results take up to {needed} MB while they are written, and the disk has {available} MB free"
    );
    let help = "another folder (--out FOLDER), fewer `channels`, a `stride` or a `window` in [output], or --force \
                to run anyway";
    Err(file.diagnostics(vec![Diagnostic::without_location(message).help(help)]))
}

/// A step above this multiple of the longest stable step is refused.
const MAX_STABLE_STEP_RATIO: f64 = 2.0;

/// Refuses a step far above the stability limit of the method; returns a warning for one slightly above it.
pub(super) fn check_stability(
    schedule: &Schedule,
    motion: &Simulation<'_>,
    model: &Model,
) -> Result<Option<String>, Error> {
    let (info, method) = schedule.settings.method()?;
    if schedule.settings.control.is_some() {
        return Ok(None);
    }
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

/// The summary of a run with a record, at its start.
pub(super) fn recorded_summary(
    file: &ModelFile,
    schedule: &Schedule,
    start: &AssembledMechanism,
    record: &RunRecord,
    motion: &Simulation<'_>,
) -> RunSummary {
    let RunRecord { version, columns, layout, .. } = record;
    let results = layout.format.file_name().into();
    RunSummary { results, ..summary(file, schedule, start, motion, version, columns.clone()) }
}

/// The summary of a run at its start.
pub(super) fn summary(
    file: &ModelFile,
    schedule: &Schedule,
    start: &AssembledMechanism,
    motion: &Simulation<'_>,
    version: &str,
    columns: Vec<Column>,
) -> RunSummary {
    let hints = file.diagnostics(file.hints.clone());
    RunSummary {
        status: RunStatus::Running,
        failure: None,
        interruption: None,
        warnings: motion.warnings().iter().map(ToString::to_string).collect(),
        hints: hints.list.iter().map(|hint| hints.line(hint)).collect(),
        assembly: start.report.clone(),
        version: version.into(),
        model: file.source.name.clone(),
        title: file.title.clone(),
        model_sha256: file.sha256(),
        files: file.digests(),
        parameters: file.parameters.iter().map(|(name, x)| (name.clone(), json!(x))).collect(),
        settings: settings(schedule, motion.method().name),
        start: schedule.start,
        end: schedule.end,
        time: schedule.start,
        steps: 0,
        step_counts: StepCounts::default(),
        step_range: None,
        method_choice: schedule.choice.clone(),
        stopped_by: None,
        events: Vec::new(),
        event_count: 0,
        newton_iterations: 0,
        factorizations: 0,
        wall_seconds: 0.0,
        energy_drift: 0.0,
        max_position_residual: 0.0,
        max_velocity_residual: 0.0,
        rows: 0,
        results: String::new(),
        columns,
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

pub(super) fn check_steps(
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

/// The number of rows, approximately; under a tolerance and without times of rows it is not known.
fn rows(file: &ModelFile, schedule: &Schedule) -> f64 {
    if let Some(rows) = schedule.rows.count(schedule.start, schedule.end) {
        return rows;
    }
    let steps = match file.output.window {
        None => schedule.steps,
        Some([from, to]) => schedule.steps.min((to - from) / schedule.settings.step_size),
    };
    1.0 + steps / file.output.stride as f64
}

pub(super) fn check_output(
    file: &ModelFile,
    schedule: &Schedule,
    request: &RunRequest<'_>,
    columns: usize,
) -> Result<(), Diagnostics> {
    let bytes = rows(file, schedule) * columns as f64 * 8.0;
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
