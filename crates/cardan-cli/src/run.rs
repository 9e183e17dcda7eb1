//! `cardan run`: from a model file to results.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cardan::output::file_name_of;
use cardan::results::{ResultsFormat, RunStatus, RunSummary};
use cardan::run::{RunProgress, RunRequest, run};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::CommandFailure;
use crate::version::VERSION;
use crate::{model, table};

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
    /// Print warnings and errors only: no progress, no notes, no summary.
    #[arg(long, short)]
    quiet: bool,
    /// Print the summary as JSON for scripts.
    #[arg(long)]
    pub json: bool,
    /// Run in spite of a limit: more steps, larger output or a larger step than is accepted by default.
    #[arg(long)]
    force: bool,
}

/// Beginnings of the lines of the assembly report that are notes; the other lines are warnings.
const NOTES: [&str; 4] =
    ["joint closed:", "moved:", "redundant constraint removed:", "the motion is unique"];

#[derive(Clone, Copy, clap::ValueEnum)]
enum StorageFormat {
    Parquet,
    Csv,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let (file, notes) = arguments.model.load()?;
    let schedule = file.schedule()?;
    let start = file.assemble()?;
    // --quiet hides notes, never a warning that may mean a wrong number
    let print = |kind: &str, line: &str| table::print_note(&format!("{kind}: {line}"));
    let print_note = |line: &str| {
        if !arguments.quiet {
            print("note", line);
        }
    };
    notes.iter().for_each(|note| print_note(note));
    let hints = file.diagnostics(file.hints.clone());
    hints.list.iter().for_each(|hint| print("hint", &hints.line(hint)));
    for line in start.report.to_string().lines().filter(|x| !x.contains("degrees of freedom: ")) {
        match NOTES.iter().any(|note| line.starts_with(note)) {
            true => print_note(line),
            false => print("warning", line),
        }
    }
    let folder = arguments.out.clone().unwrap_or_else(|| {
        let name = arguments.model.model.file_stem().unwrap_or_default();
        PathBuf::from("results").join(file_name_of(name))
    });
    let format = match arguments.format {
        StorageFormat::Parquet => ResultsFormat::Parquet,
        StorageFormat::Csv => ResultsFormat::Csv,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    // without a handler Ctrl-C ends the program at once
    let _ = ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed));
    let mut bar = Bar::new(!arguments.quiet && !arguments.json);
    let request = RunRequest { folder: &folder, format, version: VERSION, force: arguments.force };
    let summary = run(&file, &schedule, &start, &request, &mut |progress| {
        bar.show(progress);
        !stop.load(Ordering::Relaxed)
    });
    bar.clear();
    let summary = summary?;
    summary.warnings.iter().for_each(|warning| print("warning", warning));
    let place = folder.join(&summary.results);
    let step = schedule.settings.step_size;
    if summary.time < schedule.end - 1e-6 * step && summary.status == RunStatus::Completed {
        print_note(&format!(
            "the run ends at t = {} s: one more step of {} s would pass the end",
            table::short(summary.time),
            table::short(step)
        ));
    }
    let text = match (arguments.quiet, arguments.json) {
        (_, true) => serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n",
        (true, false) => String::new(),
        _ => summary_table(&summary, &place.display().to_string()),
    };
    // incomplete results do not replace complete ones
    let stay = match place.parent() == Some(folder.as_path()) {
        true => String::new(),
        false => format!("\n  the complete results of an earlier run stay in {}", folder.display()),
    };
    match summary.status {
        RunStatus::Completed | RunStatus::Running => Ok(text),
        RunStatus::Interrupted => {
            let message = format!(
                "interrupted at t = {}; the results so far are in {}{stay}",
                table::short(summary.time),
                place.display()
            );
            Err(CommandFailure { text, code: 130, ..CommandFailure::usage(message) })
        }
        RunStatus::Failed => {
            let failure = summary.failure.unwrap_or_default();
            let message =
                format!("{failure}\n  the results so far are in {}{stay}", place.display());
            Err(CommandFailure { text, code: 3, ..CommandFailure::usage(message) })
        }
    }
}

/// The summary at the end of a run.
fn summary_table(summary: &RunSummary, place: &str) -> String {
    let per_step = |count: u64| match summary.steps {
        0 => String::new(),
        steps => format!(" ({:.2} per step)", count as f64 / steps as f64),
    };
    let speed = match summary.steps {
        0 => String::new(),
        steps => format!(" ({} per step)", table::duration(summary.wall_seconds / steps as f64)),
    };
    let rows = [
        ("method", summary.method()),
        ("time", format!("{} … {} s", table::short(summary.start), table::short(summary.time))),
        ("steps", format!("{} of {} s", summary.steps, table::short(summary.step_size()))),
        (
            "Newton iterations",
            format!("{}{}", summary.newton_iterations, per_step(summary.newton_iterations)),
        ),
        ("wall time", table::duration(summary.wall_seconds) + &speed),
        ("energy balance error", format!("{:.2e} J", summary.energy_drift)),
        (
            "constraint residuals",
            format!(
                "position {:.1e}, velocity {:.1e}",
                summary.max_position_residual, summary.max_velocity_residual
            ),
        ),
        (
            "results",
            format!("{place} (rows: {}, columns: {})", summary.rows, summary.columns.len()),
        ),
    ];
    rows.iter().map(|(name, value)| format!("{name:<21} {value}\n")).collect()
}

/// A progress bar on a terminal, nothing elsewhere.
struct Bar {
    bar: Option<ProgressBar>,
    shown: Instant,
}

impl Bar {
    fn new(wanted: bool) -> Self {
        let bar = (wanted && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = "{bar:30} {percent:>3} %  t = {msg}  {elapsed} (remaining {eta})";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, shown: Instant::now() }
    }

    fn show(&mut self, progress: &RunProgress) {
        let Some(bar) = &self.bar else { return };
        // drawing takes longer than a step
        if self.shown.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.shown = Instant::now();
        bar.set_length(progress.total);
        bar.set_position(progress.steps);
        bar.set_message(table::short(progress.time));
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
