//! `cardan gallery`: pictures of the example models on one page, each of which becomes live on click.

use std::path::PathBuf;

use cardan_lab::live_models::gallery;

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::progress::{CaseBar, progress};
use crate::signals::interruption;

#[derive(clap::Args)]
pub struct Arguments {
    /// The examples to show; all by default.
    names: Vec<String>,
    /// The folder for the pages. Pages of the same models and program are not computed again.
    #[arg(long, short, default_value = "gallery")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteOption,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let bar = progress(1, false);
    let result = gallery(
        &arguments.out,
        &arguments.names,
        arguments.overwrite.policy(),
        &interruption(),
        &CaseBar(&bar),
    );
    bar.finish_and_clear();
    Ok(result?)
}
