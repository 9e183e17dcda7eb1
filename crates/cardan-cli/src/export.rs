//! `cardan export`: the motion of a run in files of other programs.

use std::path::PathBuf;

use cardan::run::SavedMotion;
use cardan_lab::gltf::{glb, is_glb};
use cardan_lab::overwrite;

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of a run.
    folder: PathBuf,
    /// Write an animated glTF 2.0 file (.glb), for Blender, CAD and slides.
    #[arg(long, value_name = "FILE")]
    gltf: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteOption,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let out = &arguments.gltf;
    overwrite::check(out, arguments.overwrite.existing(&is_glb))?;
    let saved = SavedMotion::open(&arguments.folder)
        .map_err(|error| CommandFailure::usage(error.to_string()))?;
    let folder = arguments.folder.display();
    let motion = saved.motion.ok_or_else(|| {
        CommandFailure::usage(format!(
            "the run in {folder} has no record of its motion\n  try: run the model again, without --no-motion"
        ))
    })?;
    let model = &saved.start.model;
    let (scene, tracks) = model.scene(&model.instant_of(&saved.start.initial));
    let title = saved.file.title.as_deref().unwrap_or(&saved.file.source.name);
    let bytes = glb(title, (&scene, &tracks), &motion)
        .map_err(|reason| CommandFailure::usage(format!("cannot export {folder}: {reason}")))?;
    overwrite::write(out, &bytes, arguments.overwrite.existing(&is_glb))?;
    Ok(format!("{}\n", out.display()))
}
