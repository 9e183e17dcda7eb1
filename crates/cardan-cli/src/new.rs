//! `cardan new`: the examples, and a copy of one to begin with.

use std::path::PathBuf;

use crate::overwrite::{self, Overwrite};
use crate::{CommandFailure, table};

#[derive(clap::Args)]
pub struct Arguments {
    /// The example to write out; without it, they are listed.
    name: Option<String>,
    /// The file to write; NAME.toml by default.
    file: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
}

macro_rules! models {
    ($($name:literal)*) => {
        /// The examples: name and text.
        pub const MODELS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../models/", $name, ".toml")))),*];
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
fn title(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("title = "));
    line.map_or("", |title| title.trim().trim_matches('"'))
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let Some(name) = &arguments.name else { return Ok(list(arguments.json)) };
    let wanted = name.strip_suffix(".toml").unwrap_or(name);
    let Some((name, text)) = MODELS.iter().find(|(known, _)| *known == wanted) else {
        let known: Vec<_> = MODELS.iter().map(|(known, _)| *known).collect();
        let message = format!("there is no example `{wanted}`; there are {}", known.join(", "));
        return Err(CommandFailure::usage(message));
    };
    let path = arguments.file.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.toml")));
    overwrite::write(&path, text.as_bytes(), arguments.overwrite.existing_work())?;
    let path = path.display();
    Ok(format!("{path} written; next: cardan check {path}, cardan run {path}\n"))
}

fn list(as_json: bool) -> String {
    if as_json {
        let all: serde_json::Value = MODELS
            .iter()
            .map(|(name, text)| serde_json::json!({ "name": name, "title": title(text) }))
            .collect();
        return format!("{all:#}\n");
    }
    let rows: Vec<Vec<String>> =
        MODELS.iter().map(|(name, text)| vec![name.to_string(), title(text).into()]).collect();
    let text = table::render(&["example", "what it is"], &rows);
    text + "\n`cardan new NAME` writes one out to begin with.\n"
}
