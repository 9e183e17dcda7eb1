//! `cardan schema`: the formats of model files and study files as a JSON Schema or as a reference page.

use cardan::file::{json_schema, reference};
use cardan_lab::study::parameters::{study_reference, study_schema};

use crate::failure::CommandFailure;

#[derive(clap::Args)]
pub struct Arguments {
    /// Print the reference page of the docs instead of the JSON Schema.
    #[arg(long)]
    markdown: bool,
    /// Describe study files instead of model files.
    #[arg(long)]
    study: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    Ok(match (arguments.study, arguments.markdown) {
        (false, true) => reference(),
        (false, false) => format!("{:#}\n", json_schema()),
        (true, true) => study_reference(),
        (true, false) => format!("{:#}\n", study_schema()),
    })
}
