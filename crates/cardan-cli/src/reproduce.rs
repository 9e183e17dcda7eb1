//! `cardan reproduce`: the figures, tables and claims of papers, computed and compared with the printed ones.

use std::path::PathBuf;

use cardan_lab::reproduce::{ReproduceOptions, list, reproduce};

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::progress::{CaseBar, progress};
use crate::signals::interruption;

#[derive(clap::Args)]
pub struct Arguments {
    /// What to reproduce: PAPER, PAPER/ITEM or ITEM; everything by default. --list shows the names.
    items: Vec<String>,
    /// List papers and items.
    #[arg(long)]
    list: bool,
    /// The folder for the pages; reproduced (or reproduced-quick) by default. Runs that the same program has
    /// stored there are not computed again.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Compute a coarser and shorter form in minutes; long runs are omitted.
    #[arg(long)]
    quick: bool,
    /// The number of runs at once; the number of processors by default.
    #[arg(long, short, value_parser = clap::value_parser!(u64).range(1..))]
    jobs: Option<u64>,
    /// Manifest files to use instead of the papers that come with the program.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    manifest: Vec<PathBuf>,
    /// Write the record that `cardan methods` and the gallery of the documentation read.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the gallery of the documentation, with its figures in the folder figures.
    #[arg(long, value_name = "FILE")]
    gallery: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Print the verdicts as JSON for scripts.
    #[arg(long)]
    pub json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let options = ReproduceOptions {
        items: arguments.items.clone(),
        folder: arguments.out.clone(),
        quick: arguments.quick,
        jobs: arguments.jobs,
        manifests: arguments.manifest.clone(),
        record: arguments.record.clone(),
        gallery: arguments.gallery.clone(),
        overwrite: arguments.overwrite.policy(),
        json: arguments.json,
    };
    if arguments.list {
        return Ok(list(&options)?);
    }
    let stop = interruption();
    let bar = progress(1, arguments.json);
    let result = reproduce(&options, &stop, &CaseBar(&bar));
    bar.finish_and_clear();
    Ok(result?)
}
