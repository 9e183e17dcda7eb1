//! `cardan joints`: the table of all joint types.

use cardan::model::{JOINTS, JointInfo};
use serde_json::{Value, json};

use crate::failure::CommandFailure;
use crate::table;

#[derive(clap::Args)]
pub struct Arguments {
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    if arguments.json {
        return Ok(format!("{:#}\n", Value::Array(JOINTS.iter().map(to_json).collect())));
    }
    let header = ["joint", "allows", "coordinates", "rows", "in the plane"];
    let rows: Vec<Vec<String>> = JOINTS.iter().map(row).collect();
    let text = table::render(&header, &rows);
    Ok(text + "\nRows: constraints between two bodies in space, and between planar bodies.\n")
}

fn coordinates(info: &JointInfo) -> Vec<&'static str> {
    info.coordinates.iter().map(|(name, _)| *name).collect()
}

fn row(info: &JointInfo) -> Vec<String> {
    let planar =
        info.planar_rows.map_or_else(|instead| format!("– ({instead})"), |n| n.to_string());
    let coordinates = coordinates(info).join(", ");
    vec![info.name.into(), info.allows.into(), coordinates, info.rows.to_string(), planar]
}

fn to_json(info: &JointInfo) -> Value {
    json!({
        "name": info.name,
        "allows": info.allows,
        "axis": info.axis,
        "coordinates": coordinates(info),
        "rows": info.rows,
        "planar_rows": info.planar_rows.ok(),
    })
}
