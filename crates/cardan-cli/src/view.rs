//! `cardan view`: a model or a run as one HTML page that shows it in motion.

use std::path::{Path, PathBuf};

use cardan::output::file_name_of;
use cardan::run::SavedMotion;
use cardan_lab::examples::{parse_setting, read};
use cardan_lab::overwrite;
use cardan_lab::still::is_still;
use cardan_lab::viewer::{PlotChannels, ViewDocument, is_page, page};

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of a run, a model file (TOML), or the name of an example. Several runs of one model are shown together.
    #[arg(required = true)]
    what: Vec<PathBuf>,
    /// Set a parameter of a model to a number or a formula: --set length=0.5.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// The page; view.html in the folder of the results, or NAME.html of a model, by default.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Write a still picture (SVG) too.
    #[arg(long, value_name = "FILE")]
    still: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let Some((first, others)) = arguments.what.split_first() else { return Ok(String::new()) };
    let out = arguments.out.clone().unwrap_or_else(|| beside(first));
    overwrite::check(&out, arguments.overwrite.existing(&is_page))?;
    if let Some(still) = &arguments.still {
        overwrite::check(still, arguments.overwrite.existing(&is_still))?;
    }
    let document = match first.is_dir() {
        true => {
            if !arguments.set.is_empty() {
                let message = "--set changes a model; a run has its parameters";
                return Err(CommandFailure::usage(message.into()));
            }
            runs(first, others)?
        }
        false if others.is_empty() => {
            let file = read(first, &arguments.set)?;
            let title = file.title.as_deref().unwrap_or(&file.source.name);
            ViewDocument::of_model(title, &file.assemble()?)
        }
        false => {
            let message =
                format!("{} is no folder of a run: only runs are compared", first.display());
            return Err(CommandFailure::usage(message));
        }
    };
    let mut written = write(&document, &out, arguments.overwrite)?;
    if let Some(still) = &arguments.still {
        // halfway, where most mechanisms have moved
        let picture = document.still(0.5);
        overwrite::write(still, picture.as_bytes(), arguments.overwrite.existing(&is_still))?;
        written += &format!("{}\n", still.display());
    }
    Ok(written)
}

/// Checks and writes the page of a document; the line for standard output.
pub fn write(
    document: &ViewDocument,
    out: &Path,
    option: OverwriteOption,
) -> Result<String, CommandFailure> {
    overwrite::write(out, page(document).as_bytes(), option.existing(&is_page))?;
    Ok(format!("{}\n", out.display()))
}

/// The default name of a page: in a folder of results, or in the current folder.
pub fn beside(what: &Path) -> PathBuf {
    match what.is_dir() {
        true => what.join("view.html"),
        false => {
            let name = what.file_stem().unwrap_or_default();
            PathBuf::from(format!("{}.html", file_name_of(name)))
        }
    }
}

/// The motions of one or several runs.
pub fn runs(first: &Path, others: &[PathBuf]) -> Result<ViewDocument, CommandFailure> {
    let open = |folder: &Path| {
        let saved =
            SavedMotion::open(folder).map_err(|error| CommandFailure::usage(error.to_string()))?;
        let Some(motion) = saved.motion else {
            return Err(CommandFailure::usage(format!(
                "the run in {} has no record of its motion\n  try: run the model again, without --no-motion",
                folder.display()
            )));
        };
        Ok((saved.file, saved.start, motion))
    };
    let name = |folder: &Path| folder.display().to_string();
    let (file, start, motion) = open(first)?;
    let title = file.title.as_deref().unwrap_or(&file.source.name);
    let channels = PlotChannels::of_folder(first)?;
    let mut document = ViewDocument::of_run(title, &start, (&name(first), &motion), channels)?;
    for other in others {
        let (_, _, motion) = open(other)?;
        document.add_run(&name(other), &motion, PlotChannels::of_folder(other)?)?;
    }
    Ok(document)
}
