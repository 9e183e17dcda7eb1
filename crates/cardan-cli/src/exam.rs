//! `cardan exam`: run the verification problems, and renew the record.

use std::path::PathBuf;

use cardan::SimulationError;
use cardan::methods::Registry;
use cardan::output::origin;
use cardan_lab::exam::{ExamRecord, run_exam, run_tolerances};

use crate::failure::CommandFailure;
use cardan_lab::overwrite;

use crate::overwrite_option::OverwriteOption;

#[derive(clap::Args)]
pub struct Arguments {
    /// The methods; all by default.
    methods: Vec<String>,
    /// Write the record of all methods to a file. The one that `cardan methods` reads is crates/cardan-lab/data/exam.json.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Show errors and orders between two steps instead of at their ends.
    #[arg(long)]
    between: bool,
    /// Show errors of runs with a tolerance instead of those with fixed steps.
    #[arg(long, conflicts_with = "between")]
    tolerance: bool,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    if arguments.write.is_some() && !arguments.methods.is_empty() {
        let message = "--write keeps the record of all methods\n  try: name no method";
        return Err(CommandFailure::usage(message.into()));
    }
    let existing = arguments.overwrite.existing(&origin::is_json::<ExamRecord>);
    arguments.write.iter().try_for_each(|path| overwrite::check(path, existing))?;
    let names: Vec<&str> = arguments.methods.iter().map(String::as_str).collect();
    let registry = Registry::standard();
    let record = match arguments.tolerance && arguments.write.is_none() {
        true => run_tolerances(&registry, &names),
        false => run_exam(&registry, &names, |_| {}),
    };
    let record = record.map_err(|error| match error {
        SimulationError::Settings(cause) => CommandFailure::usage(cause.to_string()),
        error => error.into(),
    })?;
    if let Some(path) = &arguments.write {
        let text = format!("{}\n", record.to_json());
        overwrite::write(path, text.as_bytes(), existing)?;
    }
    if arguments.json {
        return Ok(format!("{}\n", record.to_json()));
    }
    Ok(match (arguments.between, arguments.tolerance) {
        (true, _) => record.table_between().to_string(),
        (_, true) => record.table_of_tolerances().to_string(),
        _ => record.table().to_string(),
    })
}
