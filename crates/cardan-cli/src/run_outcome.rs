//! The end of a run: summary, messages and exit code.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use cardan::results::{Interruption, RunStatus, RunSummary};
use cardan::run::RunProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::CommandFailure;
use crate::run_options;
use crate::signals::Signals;
use crate::table;

/// The positions of the progress bar.
const BAR_LENGTH: u64 = 1000;
/// The exit code of a run that a limit of memory or space stopped.
const OUT_OF_RESOURCES: u8 = 4;

/// Prints warnings, and returns the text for standard output or the failure.
pub fn report(
    summary: RunSummary,
    folder: &Path,
    options: &run_options::Arguments,
    signals: &Signals,
) -> Result<String, CommandFailure> {
    let print = |kind: &str, line: &str| table::print_note(&format!("{kind}: {line}"));
    summary.warnings.iter().for_each(|warning| print("warning", warning));
    let place = folder.join(&summary.results);
    let step = if summary.tolerance().is_some() { 0.0 } else { summary.step_size() };
    let is_complete = summary.status == RunStatus::Completed;
    if summary.time < summary.end - 1e-6 * step && is_complete && !options.quiet {
        let (time, step) = (table::short(summary.time), table::short(step));
        let reason = match &summary.stopped_by {
            Some(event) => format!("event `{event}` stopped it"),
            None => format!("one more step of {step} s would pass the end"),
        };
        print("note", &format!("the run ends at t = {time} s: {reason}"));
    }
    let text = match (options.quiet, options.json) {
        (_, true) => serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n",
        (true, false) => String::new(),
        _ => summary_table(&summary, &place.display().to_string()),
    };
    // incomplete results do not replace complete ones
    let own = place.parent().unwrap_or(folder);
    let stay = match own == folder {
        true => String::new(),
        false => format!("\n  the complete results of an earlier run stay in {}", folder.display()),
    };
    let so_far = format!("\n  the results so far are in {}{stay}", place.display());
    let go_on = format!("\n  continue with: cardan resume {}", table::shell_word(own));
    let time = table::short(summary.time);
    match (summary.status, summary.interruption) {
        (RunStatus::Completed | RunStatus::Running, _) => Ok(text),
        // the end that was asked for
        (RunStatus::Interrupted, Some(Interruption::Time)) => {
            let reason = summary.failure.unwrap_or_default();
            if !options.quiet {
                print("note", &format!("stopped at t = {time}: {reason}{so_far}{go_on}"));
            }
            Ok(text)
        }
        (RunStatus::Interrupted, Some(Interruption::Memory | Interruption::Space)) => {
            let reason = summary.failure.unwrap_or_default();
            let message = format!("stopped at t = {time}: {reason}{so_far}{go_on}");
            Err(CommandFailure { text, code: OUT_OF_RESOURCES, ..CommandFailure::usage(message) })
        }
        (RunStatus::Interrupted, _) => {
            let (name, code) = signals.name_and_code();
            let message = format!("interrupted at t = {time} by {name}{so_far}{go_on}");
            Err(CommandFailure { text, code, ..CommandFailure::usage(message) })
        }
        (RunStatus::Failed, _) => {
            let failure = summary.failure.unwrap_or_default();
            let message = format!("{failure}{so_far}");
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
    let steps = match summary.tolerance() {
        Some(tolerance) => controlled_steps(summary, tolerance),
        None => format!("{} of {} s", summary.steps, table::short(summary.step_size())),
    };
    let method = match &summary.method_choice {
        Some(choice) => {
            let reason = choice.split_once(": ").map_or("", |(_, reason)| reason);
            format!("{}, chosen because {reason}", summary.method())
        }
        None => summary.method(),
    };
    let rows = [
        ("method", method),
        ("time", format!("{} … {} s", table::short(summary.start), table::short(summary.time))),
        ("steps", steps),
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
    let events = (summary.event_count > 0).then(|| ("events", events(summary)));
    rows[..3]
        .iter()
        .chain(&events)
        .chain(&rows[3..])
        .map(|(name, value)| format!("{name:<21} {value}\n"))
        .collect()
}

/// More kinds of events than this are not listed.
const MAX_EVENT_KINDS: usize = 6;

/// The number of events, in all and of each kind.
fn events(summary: &RunSummary) -> String {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for event in &summary.events {
        match counts.iter_mut().find(|(name, _)| *name == event.name) {
            Some((_, count)) => *count += 1,
            None => counts.push((&event.name, 1)),
        }
    }
    let all = summary.event_count;
    if counts.len() > MAX_EVENT_KINDS || all as usize > summary.events.len() {
        return all.to_string();
    }
    let list: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    format!("{all} ({})", list.join(", "))
}

/// The steps of a run whose steps a tolerance determined.
fn controlled_steps(summary: &RunSummary, tolerance: f64) -> String {
    let counts = summary.step_counts;
    let mut text = format!("{} under tolerance {tolerance:e}", summary.steps);
    if let Some([least, most]) = summary.step_range {
        text += &format!(", {least:.1e} … {most:.1e} s");
    }
    let more = [
        (counts.rejected, "rejected because of their error"),
        (counts.failed, "not computable and repeated with a smaller size"),
        (counts.landed, "ended at a jump in time"),
    ];
    for (count, what) in more.into_iter().filter(|(count, _)| *count > 0) {
        text += &format!("; {count} {what}");
    }
    text
}

/// A progress bar on a terminal, nothing elsewhere.
pub struct Bar {
    bar: Option<ProgressBar>,
    shown: Instant,
}

impl Bar {
    pub fn new(wanted: bool) -> Self {
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

    pub fn show(&mut self, progress: &RunProgress) {
        let Some(bar) = &self.bar else { return };
        // drawing takes longer than a step
        if self.shown.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.shown = Instant::now();
        bar.set_length(BAR_LENGTH);
        bar.set_position((progress.fraction * BAR_LENGTH as f64) as u64);
        bar.set_message(table::short(progress.time));
    }

    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
