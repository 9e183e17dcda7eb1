//! `cardan check`: degrees of freedom, constraints, sizes and channels of a model.

use cardan::System;
use cardan::model::{AssembledMechanism, AssemblyReport, EnergyBalance, TimeJump};
use cardan::results::run_channels;
use cardan::run::{explained, jump_warnings, recorder};
use cardan::{Simulation, file::ModelFile};
use serde_json::{Value, json};

use crate::failure::CommandFailure;
use crate::{model, table};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    model: model::Arguments,
    /// List every channel that can be recorded, with its unit.
    #[arg(long)]
    channels: bool,
    /// Print JSON for scripts.
    #[arg(long)]
    pub json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let (file, notes) = arguments.model.load()?;
    notes.iter().for_each(|note| table::print_note(&format!("note: {note}")));
    let start = file.assemble()?;
    if arguments.channels {
        return Ok(channels(&start, file.stages(), arguments.json));
    }
    let columns = recorder(&file, &start)?.columns().len();
    let plan = &file.plan;
    let has_step = plan.step.is_some() || plan.substep.is_some() || plan.control.is_some();
    let schedule = match has_step && file.plan.end.is_some() {
        true => Some(file.schedule()?),
        false => None,
    };
    // the start of a run adds its warnings and residuals
    let mut warnings = Vec::new();
    let mut residuals = None;
    if let Some(schedule) = &schedule {
        let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial)
            .map_err(|error| explained(&file, error.into()))?;
        warnings = motion.warnings().iter().map(ToString::to_string).collect();
        warnings.extend(jump_warnings(&start.model, schedule));
        residuals = Some(motion.residuals());
    }
    let jumps = schedule
        .as_ref()
        .map_or(Vec::new(), |schedule| start.model.time_jumps(schedule.start, schedule.end));
    let sizes = sizes(&start);
    let hints = file.diagnostics(file.hints.clone());
    if arguments.json {
        let residuals =
            residuals.map(|x| json!({ "position": x.position, "velocity": x.velocity }));
        let value = json!({
            "model": file.source.name,
            "title": file.title,
            "parameters": file.parameters.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "sizes": sizes.iter().map(|(name, n)| (name.replace(' ', "_"), json!(n))).collect::<serde_json::Map<_, _>>(),
            "report": report(&start.report),
            "residuals": residuals,
            "steps": schedule.as_ref().filter(|x| x.settings.control.is_none()).map(|x| x.steps as u64),
            "tolerance": schedule.as_ref().and_then(|x| Some(x.settings.control?.relative)),
            "method": schedule.as_ref().map(|x| x.settings.method.clone()),
            "method_choice": schedule.as_ref().and_then(|x| x.choice.clone()),
            "hints": hints.list.iter().map(|hint| hints.line(hint)).collect::<Value>(),
            "columns": columns,
            "warnings": warnings,
            "jumps": jumps.iter().map(jump_json).collect::<Vec<_>>(),
        });
        return Ok(format!("{value:#}\n"));
    }
    let mut text = title(&file);
    hints.list.iter().for_each(|hint| text += &format!("hint: {}\n", hints.line(hint)));
    text += &format!("{}", start.report);
    let parts: Vec<String> =
        sizes.iter().filter(|(_, n)| *n > 0).map(|(name, n)| count(*n, name)).collect();
    text += &format!("model size: {}\n", parts.join(", "));
    if let Some(residuals) = residuals {
        text += &format!(
            "initial residuals: position {}, velocity {}\n",
            amount(residuals.position),
            amount(residuals.velocity)
        );
    }
    if let Some(schedule) = schedule {
        let settings = &schedule.settings;
        let steps = match &settings.control {
            Some(control) => format!("steps under tolerance {:e}", control.relative),
            None => format!("{} steps of {} s", schedule.steps, settings.step_size),
        };
        text += &format!("planned run: {steps} with {}, {columns} columns\n", settings.method);
        if let Some(choice) = &schedule.choice {
            text += &format!("method chosen: {choice}\n");
        }
    }
    text += &jump_lines(&jumps);
    warnings.iter().for_each(|warning| text += &format!("warning: {warning}\n"));
    Ok(text)
}

/// More jumps than this are counted only.
const MAX_LISTED_JUMPS: usize = 8;

const DERIVATIVES: [&str; 3] = ["value", "slope", "curvature"];

/// The times at which formulas of time jump.
fn jump_lines(jumps: &[TimeJump]) -> String {
    if jumps.is_empty() {
        return String::new();
    }
    let one = |jump: &TimeJump| {
        format!("{} s ({} of {})", jump.time, DERIVATIVES[jump.derivative.min(2)], jump.owner)
    };
    let mut list: Vec<String> = jumps.iter().take(MAX_LISTED_JUMPS).map(one).collect();
    if let Some(more) = jumps.len().checked_sub(MAX_LISTED_JUMPS).filter(|more| *more > 0) {
        list.push(format!("{more} more"));
    }
    format!("jumps in time: {}\n", list.join(", "))
}

fn jump_json(jump: &TimeJump) -> Value {
    let what = DERIVATIVES[jump.derivative.min(2)];
    json!({ "time": jump.time, "part": jump.owner.to_string(), "jumps": what })
}

fn amount(x: f64) -> String {
    if x == 0.0 { "0".into() } else { format!("{x:.1e}") }
}

/// A count with its noun: "1 body", "3 bodies".
fn count(n: usize, plural: &str) -> String {
    match (n, plural) {
        (1, "bodies") => "1 body".into(),
        (1, "flexible bodies") => "1 flexible body".into(),
        (1, plural) => format!("1 {}", plural.trim_end_matches('s')),
        _ => format!("{n} {plural}"),
    }
}

fn title(file: &ModelFile) -> String {
    file.title.as_ref().map_or(String::new(), |title| format!("{title}\n"))
}

fn sizes(start: &AssembledMechanism) -> [(&'static str, usize); 15] {
    let model = &start.model;
    let counts = model.counts();
    // redundant rows are inactive
    let inactive = &start.initial.inactive;
    let holonomic = inactive.iter().filter(|row| **row < model.holonomic_count()).count();
    [
        ("bodies", counts.bodies),
        ("flexible bodies", counts.flexible),
        ("structures", counts.structures),
        ("beams", counts.beams),
        ("elements", counts.elements),
        ("joints", counts.joints),
        ("drives", counts.drives),
        ("forces", counts.forces),
        ("signals", counts.signals),
        ("states", counts.states),
        ("inputs", counts.inputs),
        ("events", model.event_names().len()),
        ("coordinates", model.space().velocities()),
        ("constraints", model.holonomic_count() - holonomic),
        ("velocity constraints", model.nonholonomic_count() + holonomic - inactive.len()),
    ]
}

fn report(report: &AssemblyReport) -> Value {
    let dependent = |all: &[cardan::model::RedundantConstraint]| -> Value {
        all.iter()
            .map(|x| {
                json!({ "joint": x.joint, "prevents": x.prevents, "follows_from": x.follows_from })
            })
            .collect()
    };
    json!({
        "degrees_of_freedom": report.degrees_of_freedom,
        "driven": report.driven,
        "locked": report.is_locked(),
        "gaps": report.gaps.iter().map(|x| json!({
            "joint": x.joint, "distance": x.distance, "angle": x.angle,
        })).collect::<Value>(),
        "moved": report.moved.iter().map(|x| json!({
            "body": x.body, "distance": x.distance, "angle": x.angle,
        })).collect::<Value>(),
        "velocities": report.velocities.iter().map(|x| json!({
            "owner": x.owner, "given": x.given, "became": x.became,
        })).collect::<Value>(),
        "redundant": dependent(&report.redundant),
        "singular": dependent(&report.singular),
        "nearly_redundant": report.nearly_redundant.as_ref().map(|(row, distance)| json!({
            "row": row, "distance": distance,
        })),
        "uncertain_friction": report.uncertain_friction,
        "equilibrium": report.equilibrium,
    })
}

/// Every channel with its unit, those of the energy balance and of the run included.
fn channels(start: &AssembledMechanism, stages: usize, as_json: bool) -> String {
    let model = &start.model;
    let own = model.channels();
    let own = own.iter().map(|x| {
        let significant = model.significant(x.clone());
        (significant.iter().flat_map(|part| part.components()).collect::<Vec<_>>(), x.unit())
    });
    let energy = EnergyBalance::CHANNELS.into_iter().map(|name| (vec![name.to_string()], "J"));
    let run = run_channels(stages).into_iter().map(|name| (vec![name], ""));
    let all = own.chain(energy).chain(run);
    if as_json {
        let rows = all.flat_map(|(names, unit)| names.into_iter().map(move |name| (name, unit)));
        let rows: Value = rows.map(|(name, unit)| json!({ "name": name, "unit": unit })).collect();
        return format!("{rows:#}\n");
    }
    let rows: Vec<Vec<String>> = all
        .map(|(names, unit)| {
            let (first, more) = (names[0].clone(), &names[1..]);
            let rest = more.iter().filter_map(|name| name.rsplit('.').next());
            let rest: String = rest.map(|letter| format!(", .{letter}")).collect();
            vec![first + &rest, unit.to_string()]
        })
        .collect();
    table::render(&["channel", "unit"], &rows)
}
