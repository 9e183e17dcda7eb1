//! `cardan exam`: let methods sit the exam, and renew the record.

use std::path::PathBuf;

use cardan::exam::{Grade, Record, sit};
use cardan::methods::{all, find};
use cardan::output::origin;

use crate::overwrite::{self, Overwrite};
use crate::{Failure, table};

#[derive(clap::Args)]
pub struct Arguments {
    /// The methods; all if none is named.
    methods: Vec<String>,
    /// Write the record to a file (crates/cardan/data/exam.json is the one that tables read).
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let mut chosen = Vec::new();
    for name in &arguments.methods {
        let info = find(name).ok_or_else(|| {
            let known: Vec<_> = all().map(|info| info.name).collect();
            Failure::usage(format!("there is no method `{name}`; methods: {}", known.join(", ")))
        })?;
        chosen.push(info.name);
    }
    if arguments.write.is_some() && !chosen.is_empty() {
        let message = "--write keeps the record of all methods: name none";
        return Err(Failure::usage(message.into()));
    }
    let existing = arguments.overwrite.existing(&origin::is_json::<Record>);
    arguments.write.iter().try_for_each(|path| overwrite::check(path, existing))?;
    let record = sit(|name| chosen.is_empty() || chosen.contains(&name), |_| {})?;
    if let Some(path) = &arguments.write {
        let text = format!("{}\n", record.to_json());
        overwrite::write(path, text.as_bytes(), existing)?;
    }
    if arguments.json {
        return Ok(format!("{}\n", record.to_json()));
    }
    let header = [
        "method",
        "constraints",
        "problem",
        "q",
        "v",
        "a",
        "λ",
        "a again",
        "λ again",
        "error q",
        "error λ",
        "|Φ|",
        "|Gv+b|",
        "order",
        "|ΔE|",
        "order",
        "solves/stage",
    ];
    let rows: Vec<Vec<String>> = record.grades.iter().map(row).collect();
    Ok(table::render(&header, &rows)
        + "\nq, v, a, λ: orders observed when the step is halved, as far as round-off allows; \"again\": a and λ solved \
           once more from (q, v).\n|Gv+b|, |ΔE|: violation of the velocity constraints and change of energy at the finest step, and the order \
           at which they fall; – where\nthey are round-off, or energy is not conserved. solves/stage: Newton iterations at the coarsest and the finest step.\n")
}

fn row(grade: &Grade) -> Vec<String> {
    let mut row = vec![grade.method.clone(), grade.constraints.clone(), grade.problem.clone()];
    let constrained = grade.errors.multipliers > 0.0;
    for (name, order) in grade.orders.named() {
        let shown = constrained || !name.contains("multipliers");
        row.push(if shown { table::decimal(order, 2) } else { "–".into() });
    }
    let small = |x: f64| if constrained { format!("{x:.0e}") } else { "–".into() };
    row.push(format!("{:.1e}", grade.errors.q));
    row.push(if constrained { format!("{:.1e}", grade.errors.multipliers) } else { "–".into() });
    row.push(small(grade.position_residual));
    row.push(small(grade.velocity_residual));
    let order = |order: Option<f64>| order.map_or("–".into(), |order| table::decimal(order, 1));
    row.push(order(grade.drift_order));
    let energy = grade.energy_error;
    row.push(if energy > 0.0 { format!("{energy:.0e}") } else { "–".into() });
    row.push(order(grade.energy_order));
    let ends = [grade.solves_per_stage.first(), grade.solves_per_stage.last()];
    row.push(ends.into_iter().flatten().map(|s| format!("{s:.1}")).collect::<Vec<_>>().join(" … "));
    row
}
