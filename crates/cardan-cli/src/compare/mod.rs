//! `cardan compare`: the errors of several methods and step sizes on one model, against a reference.

mod arguments;
mod data;
mod plan;
mod plots;

pub use arguments::Arguments;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use cardan::file::ModelFile;
use cardan::output::{file_name_of, file_sha256, fingerprint};
use cardan::results::ResultsTable;
use cardan_lab::examples::read;
use cardan_lab::study::{
    CaseResult, ComparisonPlan, ComparisonReference, HistoryError, OutcomeStore, StudyCase,
    StudyProblem, TimeHistory, model_identity, program_fingerprint,
};
use indicatif::ProgressBar;

use cardan_lab::overwrite;

use crate::failure::CommandFailure;
use crate::progress::progress;
use crate::signals::interruption;
use crate::version::VERSION;
use crate::{model, table};

/// The file that describes the latest study.
const STUDY: &str = "study.json";
/// The message if no step could be compared.
const NOTHING_COMPARED: &str = "no step ends at a time of the reference\n  try: step sizes that are multiples \
                                of the one of the reference, another --reference, or an earlier --from";

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let mut file = read(&arguments.model, &arguments.set)?;
    model::Form::take(arguments.beams, &mut file);
    if let Some(end) = arguments.end {
        file.plan.end = Some(cardan::file::Located::outside(end));
    }
    let start = file.assemble()?;
    let plan = plan::plan(arguments, &file, &start)?;
    let stop = interruption();
    let StudyProblem { end, until, .. } = plan.problem;
    let folder = arguments.out.clone().unwrap_or_else(|| {
        PathBuf::from("compare").join(file_name_of(arguments.model.file_stem().unwrap_or_default()))
    });
    if arguments.from.is_some_and(|from| from.is_nan() || from > end) {
        return Err(CommandFailure::usage(format!("--from comes after the end, {end} s")));
    }
    // check that all files can be written before the computation
    let existing = arguments.overwrite.existing(&cardan::output::origin::is_picture);
    plots::check(&folder, existing)?;
    data::check(&folder, arguments.overwrite)?;
    let (place, described) = (folder.join(STUDY), arguments.overwrite.existing(&is_study));
    overwrite::check(&place, described)?;
    if end - until > 1e-9 * (end - file.plan.start) {
        let end = table::short(end);
        table::print_note(&format!(
            "note: not every step divides the motion up to {end} s: errors are computed up to {} s",
            table::short(until)
        ));
    }
    let mut store = OutcomeStore::open(&folder)?;
    if store.unreadable > 0 {
        let (count, folder) = (store.unreadable, folder.display());
        table::print_note(&format!(
            "warning: stored results in {folder}: {count} lines cannot be read"
        ));
    }
    let about = format!("{:#}\n", identity(&file, arguments, &plan));
    let study = fingerprint(&about);
    overwrite::write(&place, about.as_bytes(), described)?;
    let is_known = |store: &OutcomeStore, case: &StudyCase| store.outcome(&study, case).is_some();
    let mut open: Vec<&StudyCase> =
        plan.cases.iter().filter(|case| !is_known(&store, case)).collect();
    let known = plan.cases.len() - open.len();
    let doubled = plan.doubled();
    // at which times the reference is kept, and compared with itself, depends on all steps
    let mut steps: Vec<f64> = plan.cases.iter().map(|case| case.step).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let judging = fingerprint(&format!("{study} {steps:?}"));
    let is_case = |case: &StudyCase| plan.cases.contains(case);
    if let Some(case) = doubled.as_ref().filter(|case| !is_case(case))
        && store.outcome(&judging, case).is_none()
    {
        open.push(case);
    }
    if known > 0 {
        table::print_note(&format!(
            "note: {known} of {} cases are known already",
            plan.cases.len()
        ));
    }
    if !open.is_empty() {
        let bar = progress(open.len() as u64, arguments.json);
        let reference = reference(&plan, &stop, &bar)?;
        let keep = |case: &StudyCase, outcome: CaseResult| {
            let key = if is_case(case) { &study } else { &judging };
            store.keep(key, case, outcome)?;
            bar.inc(1);
            Ok::<(), CommandFailure>(())
        };
        plan.compute(&open, &reference, &stop, keep)?;
        bar.finish_and_clear();
    }
    if stop.load(Ordering::Relaxed) {
        let message = "interrupted\n  try: the same command, which continues from here".to_string();
        return Err(CommandFailure { code: 130, ..CommandFailure::usage(message) });
    }
    let result = plan
        .result(|case| store.outcome(if is_case(case) { &study } else { &judging }, case).cloned());
    plots::draw(&folder, &file, &result, existing)?;
    data::write(&folder, &result, arguments.overwrite)?;
    let text = match arguments.json {
        true => result.to_json(),
        false => format!("{}Data and pictures: {}\n", result.table(), folder.display()),
    };
    // the table is printed in spite of the failure
    let failed = |message: &str, code| {
        Err(CommandFailure { text: text.clone(), code, ..CommandFailure::usage(message.into()) })
    };
    if result.rows.iter().all(|row| row.result.failure.is_some()) {
        return failed("every case has failed; the table lists the reasons", 3);
    }
    if result.rows.iter().all(|row| row.result.compared == 0) {
        return failed(NOTHING_COMPARED, 2);
    }
    Ok(text)
}

/// The reference over time: read from a file, or computed.
fn reference(
    plan: &ComparisonPlan<'_>,
    stop: &AtomicBool,
    bar: &ProgressBar,
) -> Result<TimeHistory, CommandFailure> {
    let failed = |error: HistoryError| {
        let is_run = matches!(error, HistoryError::Run(_));
        let message = match is_run {
            true => format!("{error}\n  try: --reference METHOD@STEP with another method or step"),
            false => error.to_string(),
        };
        let code = match error {
            HistoryError::Interrupted => 130,
            _ if is_run => 3,
            _ => 2,
        };
        CommandFailure { code, ..CommandFailure::usage(message) }
    };
    match &plan.reference {
        ComparisonReference::File(path) => {
            let frame = ResultsTable::open(path)?;
            if frame.is_cut {
                table::print_note(&crate::plot::cut(&frame));
            }
            TimeHistory::read(&frame, plan.problem.signals.names()).map_err(failed)
        }
        ComparisonReference::Run(settings) => {
            bar.set_message(format!("reference: {} …", settings.choice()));
            let found = plan.reference(stop).map_err(failed)?;
            bar.set_message("");
            Ok(found)
        }
        ComparisonReference::Known { .. } => plan.reference(stop).map_err(failed),
    }
}

/// What identifies a study: the program, the model with all files it reads, the end, the channels and the
/// reference.
fn identity(
    file: &ModelFile,
    arguments: &Arguments,
    plan: &ComparisonPlan<'_>,
) -> serde_json::Value {
    let reference = match &plan.reference {
        ComparisonReference::File(path) => {
            serde_json::json!({ "file": path, "contents": contents(path) })
        }
        ComparisonReference::Run(settings) => serde_json::to_value(settings).unwrap_or_default(),
        ComparisonReference::Known { name, .. } => serde_json::json!(name),
    };
    serde_json::json!({
        "written_by": VERSION,
        "program": program_fingerprint(),
        "model": model_identity(file),
        "end": plan.problem.end,
        "until": plan.problem.until,
        "from": arguments.from,
        "channels": arguments.channels,
        "beams": arguments.beams.map(|form| format!("{form:?}")),
        "reference": reference,
    })
}

/// The SHA-256 of the files that results are read from.
fn contents(path: &Path) -> Vec<String> {
    let files = ResultsTable::open(path)
        .map_or_else(|_| Vec::new(), |frame| frame.paths().map(Path::to_path_buf).collect());
    files.iter().map(|file| file_sha256(file).unwrap_or_default()).collect()
}

/// Whether a file is the description of a study.
fn is_study(path: &Path) -> bool {
    cardan::output::origin::has_keys(path, &["model", "end", "from", "channels", "reference"])
}
