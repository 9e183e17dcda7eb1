//! The model files that come with Cardan.

use std::path::Path;

use cardan::file::ModelFile;

use crate::error::LabError;

macro_rules! models {
    ($($name:literal)*) => {
        /// The examples: name and text.
        pub const EXAMPLES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../models/", $name, ".toml")))),*];
    };
}

models! {
    "pendulum" "double_pendulum" "slider_crank" "four_bars" "andrews" "car_axis" "pendulum_spatial"
    "heavy_top" "slider_crank_spatial" "bricard" "flyball" "andrews_spatial" "rolling_disc" "sdof"
    "oscillator" "stiff_soft" "spring_pendulum" "truss_pendulum" "forced_oscillator" "rollup" "bend_45"
    "princeton" "spin_up" "right_angle_cantilever" "flying_spaghetti" "slider_crank_beam"
    "flexible_four_bar" "lateral_buckling" "rotating_shaft" "flexible_slider_crank" "clamped_bar" "membrane"
}

/// The title of a model.
pub fn title(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("title = "));
    line.map_or("", |title| title.trim().trim_matches('"'))
}

/// A parameter and its value, written NAME=VALUE.
pub fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().into(), value.trim().into()))
        }
        _ => Err("it is written NAME=VALUE, as in --set length=0.5".into()),
    }
}

/// The example of a name, or else a model file.
pub fn example_or_file(
    name: &str,
    folder: &Path,
    set: &[(String, String)],
) -> Result<ModelFile, LabError> {
    match EXAMPLES.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => Ok(ModelFile::parse(&format!("{name}.toml"), text, set)?),
        None => read(&folder.join(name), set),
    }
}

/// Reads a model file; where there is none, the example of that name.
pub fn read(path: &Path, set: &[(String, String)]) -> Result<ModelFile, LabError> {
    let example = EXAMPLES.iter().find(|(name, _)| path == Path::new(name));
    // a folder of that name, of results perhaps, is no model
    match example.filter(|_| !path.is_file()) {
        Some((name, text)) => Ok(ModelFile::parse(&format!("{name}.toml"), text, set)?),
        None if !path.exists() && path.extension().is_none() => {
            let known = EXAMPLES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let name = path.display();
            Err(LabError::input(format!(
                "there is no file and no example `{name}`; examples: {known}"
            )))
        }
        None => Ok(ModelFile::read(path, set)?),
    }
}
