//! `cardan modes`: natural frequencies, damping ratios and mode shapes of a model about a state.

use std::path::PathBuf;

use cardan::System;
use cardan::modes::{Mode, Modes, ModesOptions};
use serde_json::{Value, json};

use cardan_lab::overwrite;
use cardan_lab::viewer::{self, ViewDocument};

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::{operating_point, table, view};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    about: operating_point::Arguments,
    /// The number of modes, from the lowest frequency.
    #[arg(long, short = 'n', default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,
    /// Write frequencies and mode shapes as JSON: the complex translation and rotation of each body, node and point.
    /// A picture or an animation shows position + scale * Re(translation * exp(i phase)).
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write a page that shows the mode shapes in motion.
    #[arg(long, value_name = "FILE.html")]
    view: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Print JSON for scripts, without mode shapes.
    #[arg(long)]
    pub json: bool,
}

/// Damping ratios below this are round-off: repeated eigenvalues are accurate to the square root of ε only.
const ROUND_OFF: f64 = 5e-7;

/// Keys of every file of modes.
const KEYS: [&str; 4] = ["model", "state", "conservative", "modes"];
/// Round-off of this part of a squared frequency is mentioned.
const DOUBT: f64 = 1e-3;
/// Round-off is mentioned if it hides frequencies of this part of the lowest one.
const VISIBLE: f64 = 1e-2;

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let is_ours = |path: &std::path::Path| cardan::output::origin::has_keys(path, &KEYS);
    let existing = arguments.overwrite.existing(&is_ours);
    arguments.out.iter().try_for_each(|path| overwrite::check(path, existing))?;
    let is_page = arguments.overwrite.existing(&viewer::is_page);
    arguments.view.iter().try_for_each(|path| overwrite::check(path, is_page))?;
    let state = arguments.about.state()?;
    let model = &state.start.model;
    let options =
        ModesOptions { count: arguments.count as usize, observer: state.observer.clone() };
    let modes = Modes::new(model, &state.at, &options).map_err(cardan::Error::from)?;
    let notes: Vec<String> = state.notes.iter().cloned().chain(round_off(&modes)).collect();
    if !arguments.json {
        notes.iter().for_each(|note| table::print_note(&format!("note: {note}")));
    }
    let about = |with_shapes: bool| {
        let each = modes.modes.iter().enumerate().map(|(k, mode)| {
            let mut about = numbers(k, mode);
            about["moves_most"] = json!(largest_coordinate(model, mode));
            if with_shapes {
                about["shape"] = shape(&state, mode);
                about["states"] = states(model, mode);
            }
            about
        });
        json!({
            "model": state.file.source.name,
            "title": state.file.title,
            "state": state.description,
            "time": state.at.t,
            "conservative": modes.is_conservative,
            "notes": notes,
            "modes": each.collect::<Value>(),
        })
    };
    if let Some(path) = &arguments.out {
        let text = format!("{:#}\n", about(true));
        overwrite::write(path, text.as_bytes(), existing)?;
    }
    if let Some(path) = &arguments.view {
        let title = state.file.title.as_deref().unwrap_or(&state.file.source.name);
        let document = ViewDocument::of_modes(title, &state.start, &state.at, &modes.modes);
        view::write(&document, path, arguments.overwrite)?;
    }
    if arguments.json {
        return Ok(format!("{:#}\n", about(false)));
    }
    let title = state.file.title.as_deref().unwrap_or(&state.file.source.name);
    let mut text = format!("{title}, {}\n\n", state.description);
    let row = |(k, mode): (usize, &Mode)| {
        let (omega, ratio) = (mode.frequency(), mode.damping_ratio());
        let what = match () {
            () if mode.is_rigid() => "rigid: ".to_string(),
            () if mode.eigenvalue.re > ROUND_OFF * omega => "unstable: ".to_string(),
            () if mode.eigenvalue.im == 0.0 => "non-oscillatory: ".to_string(),
            () => String::new(),
        };
        vec![
            (k + 1).to_string(),
            number(omega / std::f64::consts::TAU),
            number(omega),
            // round-off of a conservative system
            if ratio.abs() < ROUND_OFF { "0".into() } else { format!("{ratio:.6}") },
            what + &largest_coordinate(model, mode),
        ]
    };
    let rows: Vec<Vec<String>> = modes.modes.iter().enumerate().map(row).collect();
    text += &table::render(&["mode", "Hz", "rad/s", "damping", "moves most"], &rows);
    if rows.is_empty() {
        text += "no modes: no degrees of freedom\n";
    }
    if let Some(path) = &arguments.out {
        text += &format!("\nshapes: {}\n", path.display());
    }
    Ok(text)
}

/// A note if round-off of the stiffness hides slow motions or changes their frequencies.
fn round_off(modes: &Modes) -> Option<String> {
    let doubt = |mode: &Mode| (mode.resolution / mode.frequency()).powi(2);
    let doubtful = modes.modes.iter().position(|mode| !mode.is_rigid() && doubt(mode) > DOUBT);
    if let Some(k) = doubtful {
        let digits = doubt(&modes.modes[k]);
        return Some(format!(
            "the frequency of mode {} has a relative error of up to {digits:.0e}: round-off of the stiffness",
            k + 1
        ));
    }
    let rigid = modes.modes.iter().filter(|mode| mode.is_rigid());
    let hidden = rigid.map(|mode| mode.resolution).fold(0.0, f64::max);
    let others = modes.modes.iter().filter(|mode| !mode.is_rigid());
    let first = others.map(Mode::frequency).fold(f64::INFINITY, f64::min);
    (first.is_finite() && hidden > VISIBLE * first).then(|| {
        format!(
            "modes slower than {hidden:.1e} rad/s are listed as rigid: round-off of the stiffness hides their frequencies"
        )
    })
}

/// A number with up to nine digits.
fn number(value: f64) -> String {
    if value == 0.0 { "0".into() } else { table::short(value) }
}

/// The coordinate that moves most, or the largest first-order state if nothing moves.
fn largest_coordinate(model: &cardan::model::Model, mode: &Mode) -> String {
    let size = |i: &usize| mode.shape[*i].norm();
    let most = (0..mode.shape.len()).max_by(|a, b| size(a).total_cmp(&size(b)));
    match most.filter(|i| size(i) > 0.0 || mode.states.is_empty()) {
        Some(i) => model.coordinate_name(i),
        // nothing moves
        None => {
            let size = |i: &usize| mode.states[*i].norm();
            let most = (0..mode.states.len()).max_by(|a, b| size(a).total_cmp(&size(b)));
            most.map_or(String::new(), |i| model.state_name(i))
        }
    }
}

fn numbers(k: usize, mode: &Mode) -> Value {
    json!({
        "mode": k + 1,
        "hertz": mode.frequency() / std::f64::consts::TAU,
        "frequency": mode.frequency(),
        "damping_ratio": mode.damping_ratio(),
        "eigenvalue": [mode.eigenvalue.re, mode.eigenvalue.im],
        "rigid": mode.is_rigid(),
    })
}

/// The first-order states in a mode, by name.
fn states(model: &cardan::model::Model, mode: &Mode) -> Value {
    let each = mode.states.iter().enumerate();
    each.map(|(i, x)| json!({ "name": model.state_name(i), "re": x.re, "im": x.im })).collect()
}

/// The mode shape: position, translation and rotation of everything that can be drawn.
fn shape(state: &operating_point::OperatingPoint, mode: &Mode) -> Value {
    let part = |of: fn(&nalgebra::Complex<f64>) -> f64| {
        let motion: Vec<f64> = mode.shape.iter().map(of).collect();
        state.start.model.displacements(&state.at, &motion)
    };
    let (real, imaginary) = (part(|x| x.re), part(|x| x.im));
    let each = real.iter().zip(&imaginary).map(|(a, b)| {
        json!({
            "name": a.name,
            "position": a.position.as_slice(),
            "translation": { "re": a.translation.as_slice(), "im": b.translation.as_slice() },
            "rotation": { "re": a.rotation.as_slice(), "im": b.rotation.as_slice() },
        })
    });
    each.collect()
}
