//! `cardan run`: from a model file to results.

use std::path::PathBuf;

use cardan::file::{Located, ModelFile, StartSource};
use cardan::model::AssembledMechanism;
use cardan::output::{ExistingFile, file_name_of};
use cardan::results::ResultsFormat;
use cardan::run::{RunRequest, run};
use cardan_lab::overwrite;
use cardan_lab::viewer::{self, is_page};

use crate::failure::CommandFailure;
use crate::run_outcome::{Bar, report};
use crate::signals::Signals;
use crate::version::VERSION;
use crate::{model, run_options, table, view};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    model: model::Arguments,
    /// The folder for the results; results/NAME by default.
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The format of the results file.
    #[arg(long, value_enum, default_value = "parquet")]
    format: StorageFormat,
    #[command(flatten)]
    pub options: run_options::Arguments,
    /// Start at rest in the equilibrium under the loads at the start.
    #[arg(long = "static")]
    from_static: bool,
    /// Run in spite of a limit: more steps, larger output or a larger step than is accepted by default.
    #[arg(long)]
    force: bool,
    /// Write the page view.html into the folder of the results, which shows the motion; see `cardan view`.
    #[arg(long, conflicts_with = "no_motion")]
    view: bool,
    /// Do not record how everything moved: `cardan view` cannot show the run.
    #[arg(long)]
    no_motion: bool,
}

/// Beginnings of the lines of the assembly report that are notes; the other lines are warnings.
const NOTES: [&str; 6] = [
    "joint closed:",
    "moved:",
    "redundant constraint removed:",
    "the motion is unique",
    "start in equilibrium:",
    "start at rest:",
];

/// The beginning of the line about a velocity.
const VELOCITY: &str = "velocity adjusted";

#[derive(Clone, Copy, clap::ValueEnum)]
enum StorageFormat {
    Parquet,
    Csv,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let options = &arguments.options;
    let (mut file, notes) = arguments.model.load_within(options.limits().memory)?;
    if arguments.from_static {
        file.plan.from = Some(Located::outside(StartSource::Equilibrium));
    }
    let schedule = file.schedule()?;
    let start = file.assemble()?;
    file.release_mechanism();
    print_findings(&file, &start, &notes, options.quiet);
    let folder = arguments.out.clone().unwrap_or_else(|| {
        let name = arguments.model.model.file_stem().unwrap_or_default();
        PathBuf::from("results").join(file_name_of(name))
    });
    let format = match arguments.format {
        StorageFormat::Parquet => ResultsFormat::Parquet,
        StorageFormat::Csv => ResultsFormat::Csv,
    };
    let signals = Signals::new();
    let mut bar = Bar::new(!options.quiet && !options.json);
    let request = RunRequest {
        format,
        version: VERSION,
        force: arguments.force,
        checkpoints: options.checkpoints(),
        limits: options.limits(),
        has_motion: !arguments.no_motion,
        ..RunRequest::new(&folder)
    };
    let summary = run(&file, &schedule, &start, &request, &mut |progress| {
        bar.show(progress);
        signals.is_quiet()
    });
    bar.clear();
    let summary = summary?;
    let shown = folder.join(&summary.results);
    let shown = shown.parent().unwrap_or(&folder).to_path_buf();
    let text = report(summary, &folder, options, &signals)?;
    if !arguments.view {
        return Ok(text);
    }
    let page = shown.join("view.html");
    let existing = ExistingFile::ReplaceIf(&is_page);
    let document = view::runs(&shown, &[])?;
    overwrite::write(&page, viewer::page(&document).as_bytes(), existing)?;
    // JSON for scripts stays alone
    Ok(if options.json { text } else { format!("{text}{}\n", page.display()) })
}

/// Prints what is known about a model before it is computed. `--quiet` hides notes, never a warning that may mean a
/// wrong number.
pub fn print_findings(
    file: &ModelFile,
    start: &AssembledMechanism,
    notes: &[String],
    is_quiet: bool,
) {
    let print = |kind: &str, line: &str| table::print_note(&format!("{kind}: {line}"));
    let print_note = |line: &str| {
        if !is_quiet {
            print("note", line);
        }
    };
    notes.iter().for_each(|note| print_note(note));
    let hints = file.diagnostics(file.hints.clone());
    hints.list.iter().for_each(|hint| print("hint", &hints.line(hint)));
    for line in start.report.to_string().lines().filter(|x| !x.contains("degrees of freedom: ")) {
        // a method leaves errors in the velocities of a saved state, which nobody gave
        let is_method_error = file.plan.from.is_some() && line.starts_with(VELOCITY);
        match is_method_error || NOTES.iter().any(|note| line.starts_with(note)) {
            true => print_note(line),
            false => print("warning", line),
        }
    }
}
