//! `cardan compare`: one model, many methods and steps, errors against a reference.

mod cases;
mod pictures;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use cardan::Settings;
use cardan::file::{ModelFile, file_sha256};
use cardan::methods::{Choice, Permission};
use cardan::model::Model;
use cardan::output::file_name_of;
use cardan::results::{Frame, fingerprint, matches};
use cardan::stage::Formulation;
use cardan::study::{Case, History, HistoryError, Outcome, Signals, Subject, last_common_time};
use indicatif::ProgressBar;

use crate::overwrite::{self, Overwrite};
use crate::study::{self, Ledger, in_parallel, interruption, program, progress};
use crate::{Failure, VERSION, model, table};

#[derive(clap::Args)]
pub struct Arguments {
    /// The model file (TOML), or the name of an example (`cardan new` lists them).
    model: PathBuf,
    /// Set a parameter of the model, a number or a formula: --set length=0.5.
    #[arg(long, value_name = "NAME=VALUE", value_parser = model::pair)]
    set: Vec<(String, String)>,
    /// The form of all beams, instead of the model's: galerkin or finite-volume.
    #[arg(long, value_name = "FORM")]
    beams: Option<model::Form>,
    /// The methods, as lms3 or bathe:rho=0:splitting=0.9.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "METHOD,…", default_value = USUAL)]
    methods: Vec<Choice>,
    /// The steps; by default four, two, one and half times the model's.
    #[arg(long, num_args = 1.., value_delimiter = ',', conflicts_with = "substeps", value_name = "H,…")]
    steps: Vec<f64>,
    /// Steps over the number of stages, so that all methods do the same work.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "H/N,…")]
    substeps: Vec<f64>,
    /// Dissipation of those that take it and do not say their own, one or several values.
    #[arg(long, num_args = 1.., value_delimiter = ',', allow_negative_numbers = true)]
    rho: Vec<f64>,
    /// Which constraints a step enforces, one or several; the model's by default, or the method's own.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "position,…")]
    constraints: Vec<Formulation>,
    /// The time at which the motion ends; the model's by default.
    #[arg(long, allow_negative_numbers = true)]
    end: Option<f64>,
    /// Compare from this time on, when the start is forgotten.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    from: Option<f64>,
    /// Channels to compare instead of all positions, velocities, accelerations and reactions.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "CHANNEL,…")]
    channels: Vec<String>,
    /// What to compare with: METHOD@STEP, or a folder or file of results; by default a fine run of
    /// esdirk436 with constraints on accelerations.
    #[arg(long, value_name = "METHOD@STEP|FILE")]
    reference: Option<String>,
    /// The folder of data and pictures; compare/NAME by default. What is there of the same study is
    /// not computed again.
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// How many runs at once; as many as there are processors by default.
    #[arg(long, short, value_parser = clap::value_parser!(u64).range(1..))]
    jobs: Option<u64>,
    /// Print JSON for scripts.
    #[arg(long)]
    pub json: bool,
}

/// What is compared if nobody says.
const USUAL: &str = "generalized-alpha,lms2,lms3,lms4,bathe,msstc4,esdirk325,esdirk436";
/// The default reference, and how much finer than the finest step it is.
const REFERENCE: &str = "esdirk436";
const FINER: f64 = 8.0;
/// More steps than this in one run are a mistake.
const MOST_STEPS: f64 = 1e8;
/// The file that says what the latest study is.
const STUDY: &str = "study.json";
/// Why there may be no errors.
const NOTHING_COMPARED: &str = "no step ends at a time that the reference knows: choose steps that are \
                                multiples of the reference's, another --reference, or an earlier --from";

pub fn command(arguments: &Arguments) -> Result<String, Failure> {
    let mut file = model::read(&arguments.model, &arguments.set)?;
    model::Form::take(arguments.beams, &mut file);
    if let Some(end) = arguments.end {
        file.plan.end = Some(cardan::file::Given::outside(end));
    }
    let start = file.assemble()?;
    let plan = cases::plan(arguments, &file, &start.model)?;
    let stop = interruption();
    let signals = match arguments.channels.is_empty() {
        true => Signals::motion(&start.model),
        false => Signals::channels(&start.model, &columns(&start.model, &arguments.channels)?)
            .map_err(|error| Failure::usage(error.to_string()))?,
    };
    let until = plan.last_common_time(file.plan.start);
    let subject = Subject {
        system: &start.model,
        initial: &start.initial,
        end: plan.end,
        from: arguments.from.unwrap_or(f64::NEG_INFINITY),
        until,
        newton: file.plan.newton.value,
        signals,
    };
    let folder = arguments.out.clone().unwrap_or_else(|| {
        PathBuf::from("compare").join(file_name_of(arguments.model.file_stem().unwrap_or_default()))
    });
    if arguments.from.is_some_and(|from| from.is_nan() || from > plan.end) {
        return Err(Failure::usage(format!("--from comes after the end, {}", plan.end)));
    }
    // nothing is computed that could not be written
    let existing = arguments.overwrite.existing(&cardan::output::origin::is_picture);
    pictures::check(&folder, existing)?;
    report::check(&folder, arguments.overwrite)?;
    let (place, described) = (folder.join(STUDY), arguments.overwrite.existing(&is_study));
    overwrite::check(&place, described)?;
    if plan.end - until > 1e-9 * (plan.end - file.plan.start) {
        let end = table::short(plan.end);
        table::tell(&format!(
            "note: not every step divides the motion up to {end} s: errors are taken up to {} s",
            table::short(until)
        ));
    }
    let mut ledger = Ledger::open(&folder)?;
    let about = format!("{:#}\n", identity(&file, arguments, &plan));
    let study = fingerprint(&about);
    overwrite::write(&place, about.as_bytes(), described)?;
    let knows = |ledger: &Ledger, case: &Case| ledger.outcome(&study, case).is_some();
    let mut open: Vec<&Case> = plan.cases.iter().filter(|case| !knows(&ledger, case)).collect();
    let known = plan.cases.len() - open.len();
    let doubled = plan.doubled();
    // at which times the reference is kept, and compared with itself, depends on all steps
    let mut steps: Vec<f64> = plan.cases.iter().map(|case| case.step).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let judging = fingerprint(&format!("{study} {steps:?}"));
    let is_case = |case: &Case| plan.cases.contains(case);
    if let Some(case) = doubled.as_ref().filter(|case| !is_case(case))
        && ledger.outcome(&judging, case).is_none()
    {
        open.push(case);
    }
    if known > 0 {
        table::tell(&format!("note: {known} of {} cases are known already", plan.cases.len()));
    }
    if !open.is_empty() {
        let bar = progress(open.len() as u64, arguments.json);
        let reference = reference(&plan, &subject, &stop, &bar)?;
        let keep = |case: &Case, outcome: Outcome| {
            let key = if is_case(case) { &study } else { &judging };
            ledger.keep(key, case, outcome)
        };
        compute(&open, &subject, &reference, &stop, keep, arguments.jobs, &bar)?;
        bar.finish_and_clear();
    }
    if stop.load(Ordering::Relaxed) {
        let message = "interrupted; the same command goes on where this one stopped".to_string();
        return Err(Failure { code: 130, ..Failure::usage(message) });
    }
    let outcomes: Vec<(&Case, &Outcome)> =
        plan.cases.iter().filter_map(|case| Some((case, ledger.outcome(&study, case)?))).collect();
    pictures::draw(&folder, &file, &subject, &outcomes, existing)?;
    let doubled = doubled
        .as_ref()
        .and_then(|case| ledger.outcome(if is_case(case) { &study } else { &judging }, case));
    report::write(&folder, subject.signals.names(), &outcomes, arguments.overwrite)?;
    let text = report::render(&subject, &outcomes, doubled, &folder, &plan, arguments.json);
    // what can be told is printed all the same
    let failed = |message: &str, code| {
        Err(Failure { text: text.clone(), code, ..Failure::usage(message.into()) })
    };
    if outcomes.iter().all(|(_, outcome)| outcome.failure.is_some()) {
        return failed("every case has failed; see above", 3);
    }
    if outcomes.iter().all(|(_, outcome)| outcome.compared == 0) {
        return failed(NOTHING_COMPARED, 2);
    }
    Ok(text)
}

/// The single columns that channel names stand for: a vector's components are signals of their own,
/// so that a file of results can hold them.
fn columns(model: &Model, names: &[String]) -> Result<Vec<String>, Failure> {
    let mut columns: Vec<String> = Vec::new();
    for name in names {
        let channels = match name.contains('*') {
            true => model.channels(),
            false => vec![model.channel(name).map_err(|error| {
                Failure::usage(format!("{error}; `cardan check --channels` lists them"))
            })?],
        };
        let significant = channels.into_iter().flat_map(|channel| model.significant(channel));
        let components = significant.flat_map(|channel| channel.components());
        let fits = |column: &String| !name.contains('*') || matches(name, column);
        let found: Vec<String> = components.filter(fits).collect();
        if found.is_empty() {
            let message = format!("no channel fits `{name}`; `cardan check --channels` lists them");
            return Err(Failure::usage(message));
        }
        columns.extend(found);
    }
    let mut seen = std::collections::HashSet::new();
    columns.retain(|column| seen.insert(column.clone()));
    Ok(columns)
}

/// The reference that was asked for, or a fine run.
fn reference(
    plan: &cases::Plan,
    subject: &Subject<'_>,
    stop: &AtomicBool,
    bar: &ProgressBar,
) -> Result<History, Failure> {
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
        Failure { code, ..Failure::usage(message) }
    };
    match &plan.reference {
        cases::Standard::File(path) => {
            let frame = Frame::open(path)?;
            if frame.is_cut {
                table::tell(&crate::plot::cut(&frame));
            }
            History::read(&frame, subject.signals.names()).map_err(failed)
        }
        cases::Standard::Run(settings) => {
            bar.set_message(format!("reference: {} …", settings.choice()));
            let grids: Vec<f64> = plan.cases.iter().map(|case| case.step).collect();
            let found = History::compute(subject, settings, &grids, stop).map_err(failed)?;
            bar.set_message("");
            Ok(found)
        }
    }
}

/// Runs the cases on all processors, the longest first, and keeps each as soon as it is there.
fn compute(
    cases: &[&Case],
    subject: &Subject<'_>,
    reference: &History,
    stop: &AtomicBool,
    keep: impl FnMut(&Case, Outcome) -> Result<(), Failure> + Send,
    jobs: Option<u64>,
    bar: &ProgressBar,
) -> Result<(), Failure> {
    let mut order: Vec<&Case> = cases.to_vec();
    order.sort_by(|a, b| a.step.total_cmp(&b.step));
    let kept = Mutex::new((keep, Ok(())));
    in_parallel(&order, jobs, stop, |case| {
        let Some(run) = case.run(subject, Some(reference), 0, stop) else { return };
        let Ok(mut guard) = kept.lock() else { return };
        let (keep, result) = &mut *guard;
        if let Err(error) = keep(case, run.outcome) {
            *result = Err(error);
            stop.store(true, Ordering::Relaxed);
        }
        bar.inc(1);
    });
    kept.into_inner().map_or(Ok(()), |(_, result)| result)
}

/// What makes a study the same one: the program, the model with all it reads, its end, what is looked at
/// and against what.
fn identity(file: &ModelFile, arguments: &Arguments, plan: &cases::Plan) -> serde_json::Value {
    let reference = match &plan.reference {
        cases::Standard::File(path) => {
            serde_json::json!({ "file": path, "contents": contents(path) })
        }
        cases::Standard::Run(settings) => serde_json::to_value(settings).unwrap_or_default(),
    };
    serde_json::json!({
        "written_by": VERSION,
        "program": program(),
        "model": study::identity(file),
        "end": plan.end,
        "until": plan.last_common_time(file.plan.start),
        "from": arguments.from,
        "channels": arguments.channels,
        "beams": arguments.beams.map(|form| format!("{form:?}")),
        "reference": reference,
    })
}

/// The SHA-256 of the files that results are read from.
fn contents(path: &Path) -> Vec<String> {
    let files = Frame::open(path).map_or_else(|_| Vec::new(), |frame| frame.paths().to_vec());
    files.iter().map(|file| file_sha256(file).unwrap_or_default()).collect()
}

/// Whether a file is the description of a study.
fn is_study(path: &Path) -> bool {
    cardan::output::origin::has_keys(path, &["model", "end", "from", "channels", "reference"])
}
