//! `cardan resume`: continues a run that was killed or interrupted, or extends one that is complete.

use std::path::PathBuf;

use cardan::results::{RunStatus, inspect};
use cardan::run::{ResumeRequest, SavedRun};

use crate::failure::CommandFailure;
use crate::run_outcome::{Bar, report};
use crate::signals::Signals;
use crate::version::VERSION;
use crate::{run_options, table};

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of the results.
    folder: PathBuf,
    /// Another end time than that of the run, in s; after the time that it has reached.
    #[arg(long, allow_negative_numbers = true)]
    end: Option<f64>,
    #[command(flatten)]
    pub options: run_options::Arguments,
    /// Continue in spite of a limit: more steps or larger output than is accepted by default.
    #[arg(long)]
    force: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let Arguments { folder, options, .. } = arguments;
    let request = ResumeRequest {
        end: arguments.end,
        version: VERSION,
        checkpoints: options.checkpoints(),
        limits: options.limits(),
        force: arguments.force,
        ..ResumeRequest::default()
    };
    let saved = SavedRun::open(folder, &request)?;
    // what may mean other digits is printed even with --quiet
    saved.notes.iter().for_each(|note| table::print_note(&format!("warning: {note}")));
    if !options.quiet {
        let (time, end) = (table::short(saved.time()), table::short(saved.schedule.end));
        table::print_note(&match (saved.is_complete(), saved.stopped_by()) {
            (true, Some(event)) => format!("note: event `{event}` stopped the run at t = {time} s"),
            (true, None) => {
                format!("note: the run has reached its end, t = {end} s; --end extends it")
            }
            (false, _) => format!("note: continuing from t = {time} s to {end} s"),
        });
    }
    if saved.is_complete() {
        for run in inspect(folder).iter().filter(|run| run.status == RunStatus::Interrupted) {
            let place = table::shell_word(&run.folder);
            table::print_note(&format!("note: another run was interrupted: cardan resume {place}"));
        }
    }
    let signals = Signals::new();
    let mut bar = Bar::new(!options.quiet && !options.json);
    let summary = saved.run(&request, &mut |progress| {
        bar.show(progress);
        signals.is_quiet()
    });
    bar.clear();
    report(summary?, folder, options, &signals)
}
