//! `cardan linearize`: the linear state-space system of a model, with named inputs and outputs.

use std::path::PathBuf;

use cardan::modes::StateSpace;
use serde_json::{Value, json};

use cardan_lab::overwrite;

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::{operating_point, table};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    about: operating_point::Arguments,
    /// Inputs: a motor, a component of a load (push.x), a joint's coordinate (O.angle), a force or moment on a
    /// body or its point (rod.end.force.y), a node of a structure (bar.end), an input of the mechanism, a drive (its value,
    /// rate and acceleration: spin, or spin.rate alone).
    #[arg(long, short, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    input: Vec<String>,
    /// Outputs: channels, as `cardan check --channels` lists them; `*` matches any text.
    #[arg(long, short = 'y', value_name = "CHANNEL", num_args = 1.., value_delimiter = ',')]
    output: Vec<String>,
    /// Write A, B, C, D and the names to a MAT file, which scipy.io.loadmat, MATLAB and Octave read.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Print the matrices and names as JSON.
    #[arg(long)]
    pub json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let existing = arguments.overwrite.existing(&StateSpace::is_mat);
    arguments.out.iter().try_for_each(|path| overwrite::check(path, existing))?;
    let state = arguments.about.state()?;
    if !arguments.json {
        state.notes.iter().for_each(|note| table::print_note(&format!("note: {note}")));
    }
    let model = &state.start.model;
    let outputs: Vec<String> = match arguments.output.is_empty() {
        false => arguments.output.clone(),
        // the channels that a run records by default
        true => model.default_channels().iter().map(|channel| channel.name().to_string()).collect(),
    };
    let system = StateSpace::new(model, &state.at, &state.observer, &arguments.input, &outputs)
        .map_err(cardan::Error::from)?;
    if let Some(path) = &arguments.out {
        overwrite::write(path, &system.to_mat(), existing)?;
    }
    if arguments.json {
        return Ok(format!("{:#}\n", as_json(&state, &system)));
    }
    let title = state.file.title.as_deref().unwrap_or(&state.file.source.name);
    let mut text = format!("{title}, {}\n\n", state.description);
    let list = |names: &[String]| match names.len() {
        0 => "none".to_string(),
        n if n > 8 => format!("{n}: {}, …", names[..8].join(", ")),
        _ => names.join(", "),
    };
    for (what, names) in
        [("states", &system.states), ("inputs", &system.inputs), ("outputs", &system.outputs)]
    {
        text += &format!("{what:<8} {}\n", list(names));
    }
    if system.a.nrows() <= 8 {
        for (name, matrix) in
            [("A", &system.a), ("B", &system.b), ("C", &system.c), ("D", &system.d)]
        {
            text += &format!("\n{name} =\n{}", rows(matrix));
        }
    }
    match &arguments.out {
        Some(path) => text += &format!("\nwritten to {}\n", path.display()),
        None => text += "\n(--out FILE.mat writes the matrices, --json prints them)\n",
    }
    Ok(text)
}

fn rows(matrix: &nalgebra::DMatrix<f64>) -> String {
    let row = |i: usize| {
        let cells: Vec<String> =
            matrix.row(i).iter().map(|x| format!("{:>14}", format!("{:.6e}", x + 0.0))).collect();
        cells.join(" ") + "\n"
    };
    (0..matrix.nrows()).map(row).collect()
}

fn as_json(state: &operating_point::OperatingPoint, system: &StateSpace) -> Value {
    let matrix = |matrix: &nalgebra::DMatrix<f64>| {
        let row = |i: usize| matrix.row(i).iter().copied().collect::<Vec<f64>>();
        (0..matrix.nrows()).map(row).collect::<Vec<_>>()
    };
    json!({
        "model": state.file.source.name,
        "state": state.description,
        "time": system.time,
        "notes": state.notes,
        "A": matrix(&system.a),
        "B": matrix(&system.b),
        "C": matrix(&system.c),
        "D": matrix(&system.d),
        "states": system.states,
        "inputs": system.inputs,
        "outputs": system.outputs,
        "y0": system.values,
    })
}
