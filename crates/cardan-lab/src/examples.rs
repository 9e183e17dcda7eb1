//! The example models that come with Cardan.

use std::path::Path;

use cardan::file::ModelFile;

use crate::error::LabError;

macro_rules! models {
    ($($name:literal)*) => {
        /// The name and the text of each example.
        pub const EXAMPLES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../models/", $name, ".toml")))),*];
    };
}

models! {
    "pendulum" "double_pendulum" "slider_crank" "four_bars" "andrews" "car_axis" "pendulum_spatial"
    "heavy_top" "slider_crank_spatial" "bricard" "flyball" "andrews_spatial" "rolling_disc" "sdof"
    "oscillator" "stiff_soft" "spring_pendulum" "truss_pendulum" "forced_oscillator" "rollup" "bend_45"
    "princeton" "spin_up" "right_angle_cantilever" "flying_spaghetti" "slider_crank_beam"
    "flexible_four_bar" "lateral_buckling" "rotating_shaft" "flexible_slider_crank" "clamped_bar" "membrane" "servo_arm"
    "inverted_pendulum" "quarter_car" "hydraulic_cylinder" "dc_motor" "clutch" "falling_drag" "belt"
    "bouncing_ball" "latch"
}

/// The title in the text of a model.
pub fn title(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("title = "));
    line.map_or("", |title| title.trim().trim_matches('"'))
}

/// Splits NAME=VALUE into the name of a parameter and its value.
pub fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().into(), value.trim().into()))
        }
        _ => Err("expected NAME=VALUE, as in --set length=0.5".into()),
    }
}

/// Reads the example of this name, or else the model file in a folder.
pub(crate) fn example_or_file(
    name: &str,
    folder: &Path,
    set: &[(String, String)],
) -> Result<ModelFile, LabError> {
    match EXAMPLES.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => Ok(ModelFile::parse(&format!("{name}.toml"), text, set)?),
        None => read(&folder.join(name), set),
    }
}

/// Reads a model file; without a file at this path, the example of this name.
pub fn read(path: &Path, set: &[(String, String)]) -> Result<ModelFile, LabError> {
    read_within(path, set, None)
}

/// Reads a model file or an example, unless the estimated memory of its parts exceeds a limit in bytes; without one, the
/// memory that the system has available.
pub fn read_within(
    path: &Path,
    set: &[(String, String)],
    max_memory: Option<u64>,
) -> Result<ModelFile, LabError> {
    let example = EXAMPLES.iter().find(|(name, _)| path == Path::new(name));
    // a folder of the same name, perhaps with results, is not a model
    match example.filter(|_| !path.is_file()) {
        Some((name, text)) => {
            Ok(ModelFile::parse_within(&format!("{name}.toml"), text, set, max_memory)?)
        }
        None if !path.exists() && path.extension().is_none() => {
            let known = EXAMPLES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let name = path.display();
            Err(LabError::input(format!(
                "there is no file and no example `{name}`; examples: {known}"
            )))
        }
        None => Ok(ModelFile::read_within(path, set, max_memory)?),
    }
}
