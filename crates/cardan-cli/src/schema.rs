//! `cardan schema`: the model format as a JSON Schema or as a reference page.

use cardan::file::{json_schema, reference};

use crate::failure::CommandFailure;

#[derive(clap::Args)]
pub struct Arguments {
    /// Print the reference page of the docs instead of the JSON Schema.
    #[arg(long)]
    markdown: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    Ok(match arguments.markdown {
        true => reference(),
        false => format!("{:#}\n", json_schema()),
    })
}
