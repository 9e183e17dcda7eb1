//! `cardan static`: the equilibrium of a model under its loads.

use std::path::PathBuf;

use cardan::model::{AssembledMechanism, EnergyBalance};
use cardan::output::origin;
use cardan::results::run_channels;
use cardan::run::recorder;
use cardan::stage::StaticIteration;
use cardan::statics::{Equilibrium, StaticOptions};
use serde_json::{Value, json};

use cardan_lab::overwrite;
use cardan_lab::viewer::{self, ViewDocument};

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::{model, operating_point, table, view};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    model: model::Static,
    /// The number of equal steps in which the load is applied, or in which time advances.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,
    /// Follow the loads over time up to this time in s, instead of increasing the loads of the start from zero.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    until: Option<f64>,
    /// Newton's tolerance for corrections: angles in rad, lengths relative to the size of the model.
    #[arg(long, default_value_t = 1e-10)]
    tolerance: f64,
    /// The maximum number of iterations per step.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    iterations: u32,
    /// Print the iterations of all steps, not only of the last one.
    #[arg(long)]
    log: bool,
    /// Write the equilibria of all steps as comma-separated values (CSV).
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write a page that shows the equilibria of all steps.
    #[arg(long, value_name = "FILE.html")]
    view: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Print JSON for scripts.
    #[arg(long)]
    pub json: bool,
}

/// The equilibria of all steps: names of columns with their units, and rows.
struct Path {
    columns: Vec<(String, String)>,
    rows: Vec<Vec<f64>>,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    // a CSV file has no mark of its origin: its first column and its number format identify it
    let is_ours = |path: &std::path::Path| origin::is_scientific_table(path, &["load", "time"]);
    let existing = arguments.overwrite.existing(&is_ours);
    arguments.out.iter().try_for_each(|place| overwrite::check(place, existing))?;
    let is_page = arguments.overwrite.existing(&viewer::is_page);
    arguments.view.iter().try_for_each(|place| overwrite::check(place, is_page))?;
    let file = arguments.model.load()?;
    let start = file.assemble()?;
    if let Some(until) = arguments.until.filter(|until| !until.is_finite()) {
        return Err(CommandFailure::usage(format!("--until {until}: expected a finite number")));
    }
    let begin = start.initial.t;
    if let Some(until) = arguments.until.filter(|until| *until < begin) {
        return Err(CommandFailure::usage(format!(
            "--until {until} is before the start, t = {begin} s"
        )));
    }
    if !(arguments.tolerance >= 1e-14 && arguments.tolerance < 1.0) {
        return Err(CommandFailure::usage(
            "--tolerance must be between 1e-14 (round-off) and 1".into(),
        ));
    }
    let mut options = StaticOptions { steps: arguments.steps as usize, ..StaticOptions::default() };
    options.until = arguments.until;
    options.newton.tolerance = arguments.tolerance;
    options.newton.iterations = arguments.iterations as usize;
    let mut found = Equilibrium::default();
    let failed = start.follow_equilibrium(&options, &mut found).err();
    if let (Some(place), false) = (&arguments.view, found.path.is_empty()) {
        let title = file.title.as_deref().unwrap_or(&file.source.name);
        let parameter = first_column(arguments);
        let document = ViewDocument::of_equilibria(title, &start, parameter, &found.path);
        view::write(&document, place, arguments.overwrite)?;
    }
    let path = read(&file, &start, &found)?;
    if let Some(place) = &arguments.out {
        overwrite::write(place, comma_separated(arguments, &path).as_bytes(), existing)?;
    }
    if !arguments.json {
        let notes = operating_point::held_states(&found).into_iter().chain(found.warnings.clone());
        notes.for_each(|note| table::print_note(&format!("note: {note}")));
    }
    let text = match arguments.json {
        true => format!("{:#}\n", as_json(arguments, &path, &found, failed.is_none())),
        false => {
            let title = file.title.as_ref().map_or(String::new(), |title| format!("{title}\n"));
            title + &describe(arguments, &path, &found, failed.is_none())
        }
    };
    match failed {
        None => Ok(text),
        Some(error) => {
            Err(CommandFailure { text, code: 3, ..CommandFailure::usage(error.to_string()) })
        }
    }
}

/// The channels that the file records, at each equilibrium.
fn read(
    file: &cardan::file::ModelFile,
    start: &AssembledMechanism,
    found: &Equilibrium,
) -> Result<Path, CommandFailure> {
    let mut recorder = recorder(file, start)?;
    let own = run_channels(1);
    // the channels of the energy balance and of the run do not apply to an equilibrium
    let is_still = |name: &str| {
        name != "time" && !EnergyBalance::CHANNELS.contains(&name) && !own.iter().any(|x| x == name)
    };
    let kept: Vec<usize> =
        (0..recorder.columns().len()).filter(|&k| is_still(&recorder.columns()[k].name)).collect();
    let column = |k: &usize| {
        let column = &recorder.columns()[*k];
        (column.name.clone(), column.unit.clone())
    };
    let columns = kept.iter().map(column).collect();
    let mut rows = Vec::new();
    for (load, at) in &found.path {
        let row = recorder.at_rest(&start.model, at);
        rows.push(std::iter::once(*load).chain(kept.iter().map(|&k| row[k])).collect());
    }
    Ok(Path { columns, rows })
}

fn first_column(arguments: &Arguments) -> &'static str {
    if arguments.until.is_some() { "time" } else { "load" }
}

fn comma_separated(arguments: &Arguments, path: &Path) -> String {
    let names = path.columns.iter().map(|(name, _)| name.as_str());
    let header: Vec<&str> = std::iter::once(first_column(arguments)).chain(names).collect();
    let mut text = header.join(",") + "\n";
    for row in &path.rows {
        let cells: Vec<String> = row.iter().map(|x| format!("{x:e}")).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn as_json(arguments: &Arguments, path: &Path, found: &Equilibrium, converged: bool) -> Value {
    let log = |x: &StaticIteration| {
        json!({
            "load": x.load, "iteration": x.number, "imbalance": x.imbalance,
            "correction": x.correction, "part": x.part,
        })
    };
    let columns = path.columns.iter().map(|(name, unit)| json!({ "name": name, "unit": unit }));
    json!({
        "converged": converged,
        "parameter": first_column(arguments),
        "columns": columns.collect::<Value>(),
        "path": path.rows,
        "held_states": found.held_states,
        "warnings": found.warnings,
        "stability": found.stability.as_ref().map(operating_point::stability),
        "log": found.log.iter().map(log).collect::<Value>(),
    })
}

fn describe(arguments: &Arguments, path: &Path, found: &Equilibrium, converged: bool) -> String {
    let last = found.log.last().map(|x| x.load);
    let shown = found.log.iter().filter(|x| arguments.log || Some(x.load) == last);
    let row = |x: &StaticIteration| {
        vec![
            table::short(x.load),
            x.number.to_string(),
            format!("{:.2e}", x.imbalance),
            format!("{:.2e}", x.correction),
            table::short(x.part),
        ]
    };
    let rows: Vec<Vec<String>> = shown.map(row).collect();
    let first = first_column(arguments);
    let mut text =
        table::render(&[first, "iteration", "imbalance", "correction", "step fraction"], &rows);
    let (steps, iterations) = (path.rows.len(), found.log.len());
    if let (true, Some(values)) = (converged, path.rows.last()) {
        let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (steps, iterations) = (many(steps, "step"), many(iterations, "iteration"));
        text += &format!("\nin equilibrium after {steps} and {iterations}\n");
        if let Some(stability) = &found.stability {
            text += &format!("{stability}\n");
        }
        text += "\n";
        let row = |((name, unit), x): (&(String, String), &f64)| {
            vec![name.clone(), format!("{x:.10e}"), unit.clone()]
        };
        let rows: Vec<Vec<String>> = path.columns.iter().zip(&values[1..]).map(row).collect();
        text += &table::render(&["channel", "value", "unit"], &rows);
    }
    text
}
