//! `cardan results`: the runs in a folder, whether their files are as they were written, and what was lost.

use std::fmt::Write;
use std::path::PathBuf;

use cardan::results::{FileCheck, RunReport, RunStatus, inspect, join};

use crate::failure::CommandFailure;
use crate::table;

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of a run, or a folder with several of them.
    folder: PathBuf,
    /// Join the rows of a run that died into one file: Parquet, or CSV if its name ends in .csv. Without a name:
    /// joined.parquet in the folder.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    join: Option<Option<PathBuf>>,
    /// List every file, also those that are as they were written.
    #[arg(long)]
    all: bool,
    /// Print the list as JSON for scripts.
    #[arg(long)]
    pub json: bool,
}

/// More damaged files than this are not listed.
const MAX_LISTED: usize = 20;

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let folder = arguments.folder.as_path();
    if !folder.is_dir() {
        let message = format!("{}: there is no such folder", folder.display());
        return Err(CommandFailure::usage(message));
    }
    let runs = inspect(folder);
    if runs.is_empty() {
        let message = format!("{}: there is no run in this folder", folder.display());
        return Err(CommandFailure::usage(message));
    }
    let mut text = match arguments.json {
        true => serde_json::to_string_pretty(&runs).unwrap_or_default() + "\n",
        false => runs.iter().map(|run| describe(run, arguments.all)).collect::<Vec<_>>().join("\n"),
    };
    if let Some(out) = &arguments.join {
        let default = folder.join("joined.parquet");
        let out = out.as_deref().unwrap_or(&default);
        let rows = join(folder, out).map_err(|error| CommandFailure {
            text: std::mem::take(&mut text),
            ..CommandFailure::usage(error.to_string())
        })?;
        if !arguments.json {
            let _ = writeln!(text, "\n{rows} rows joined in {}", out.display());
        }
    }
    let damaged: Vec<String> = runs
        .iter()
        .filter(|run| !run.is_intact())
        .map(|run| run.folder.display().to_string())
        .collect();
    match damaged.is_empty() {
        true => Ok(text),
        false => {
            let message = format!("files were altered or are missing in {}", damaged.join(", "));
            Err(CommandFailure { text, ..CommandFailure::usage(message) })
        }
    }
}

/// A run as text.
fn describe(run: &RunReport, lists_all: bool) -> String {
    let mut text = format!("{}: {}\n", run.folder.display(), state(run));
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<9} {value}");
    };
    if let Some(summary) = &run.summary {
        line("model", format!("{} ({})", summary.model, summary.method()));
        let [start, time, end] =
            [summary.start, run.time.unwrap_or(summary.start), summary.end].map(table::short);
        line("time", format!("{start} … {time} s; end {end} s"));
    }
    line("rows", run.rows.to_string());
    for rows in &run.lost {
        line("lost", format!("rows {} … {}", rows.start, rows.end - 1));
    }
    let count = |check| run.files.iter().filter(|file| file.check == check).count();
    let intact = count(Some(FileCheck::Intact));
    let unknown = match count(None) {
        0 => String::new(),
        n => format!(", {n} without a checksum"),
    };
    let total = run.files.len();
    line("files", format!("{intact} of {total} verified{unknown}"));
    let shown = run
        .files
        .iter()
        .filter(|file| lists_all || file.check.is_some_and(|check| check != FileCheck::Intact));
    for file in shown.take(if lists_all { usize::MAX } else { MAX_LISTED }) {
        let check = match file.check {
            Some(FileCheck::Intact) => "verified",
            Some(FileCheck::Altered) => "ALTERED",
            Some(_) => "MISSING",
            None => "no checksum",
        };
        let rows = match &file.rows {
            Some(rows) => format!(" (rows {} … {})", rows.start, rows.end.saturating_sub(1)),
            None => String::new(),
        };
        line("", format!("{check:<11} {}{rows}", file.name));
    }
    if let Some(advice) = advice(run) {
        line("next", advice);
    }
    text
}

fn state(run: &RunReport) -> &'static str {
    match (run.status, run.is_active) {
        (RunStatus::Completed, _) => "complete",
        (RunStatus::Interrupted, _) => "interrupted",
        (RunStatus::Failed, _) => "failed",
        (RunStatus::Running, true) => "running",
        (RunStatus::Running, false) => "unfinished: killed, or stopped",
    }
}

/// What can be done with a run that is not complete.
fn advice(run: &RunReport) -> Option<String> {
    let folder = table::shell_word(&run.folder);
    match (run.status, run.is_active) {
        (RunStatus::Completed, _) | (_, true) => None,
        (RunStatus::Failed, _) => None,
        (RunStatus::Interrupted, _) if run.can_resume => Some(format!("cardan resume {folder}")),
        (RunStatus::Running, _) if run.can_resume && run.lost.is_empty() => {
            Some(format!("cardan resume {folder}, or cardan results {folder} --join FILE"))
        }
        (RunStatus::Running, _) if run.rows > 0 => {
            Some(format!("cardan results {folder} --join FILE saves the rows; run the model again"))
        }
        _ => Some("run the model again".into()),
    }
}
