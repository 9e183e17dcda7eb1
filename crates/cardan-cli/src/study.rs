//! `cardan study`: many cases of a model from a study file, as a table.

use std::path::PathBuf;

use cardan::output::file_name_of;
use cardan_lab::study::parameters::{
    QuantityStatistics, StudyPlan, StudyStore, TABLE, WrittenStudy,
};
use cardan_lab::study::program_fingerprint;
use cardan_lab::study_chart::draw_study;
use serde_json::{Value, json};

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::progress::{CaseBar, progress};
use crate::signals::interruption;
use crate::table;

#[derive(clap::Args)]
pub struct Arguments {
    /// The study file (TOML).
    study: PathBuf,
    /// The number of cases that are computed at the same time; the number of processors by default.
    #[arg(long, short, value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    /// The folder of the table; study/NAME by default. Cases that are stored there are not computed again.
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Draw the pictures and write the report page.
    #[arg(long)]
    plot: bool,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Print JSON for scripts.
    #[arg(long)]
    pub json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let plan = StudyPlan::read(&arguments.study, &program_fingerprint())?;
    let folder = arguments.out.clone().unwrap_or_else(|| {
        PathBuf::from("study").join(file_name_of(arguments.study.file_stem().unwrap_or_default()))
    });
    StudyPlan::check_tables(&folder)?;
    let mut store = StudyStore::open(&folder)?;
    if store.removed > 0 {
        table::print_note(&format!(
            "note: {} bytes of an incomplete case were removed from {}",
            store.removed,
            folder.display()
        ));
    }
    let pending = plan.pending(&store);
    let computed = pending.len() as u64;
    let known = plan.design.cases() - computed;
    if known > 0 {
        let cases = plan.design.cases();
        table::print_note(&format!("note: {known} of {cases} cases are known already, or equal"));
    }
    let stop = interruption();
    let bar = progress(computed, arguments.json);
    let jobs = arguments.jobs.map(|jobs| jobs as usize);
    let ran = plan.run(&mut store, &pending, jobs, &stop, &CaseBar(&bar));
    drop(pending);
    bar.finish_and_clear();
    ran?;
    let written = plan.write_tables(&store, &folder)?;
    // statistics need the memory, and not the places of the cases
    drop(store);
    let pictures = match arguments.plot {
        true => draw_study(&folder, arguments.overwrite.policy())?,
        false => Vec::new(),
    };
    let text = match arguments.json {
        true => {
            let about = json!({
                "cases": plan.design.cases(),
                "computed": computed,
                "completed": written.completed,
                "failed": written.failures.cases,
                "table": folder.join(TABLE),
                "quantities": written.quantities.statistics().iter().map(statistics).collect::<Value>(),
                "failures": written.failures.reasons(),
                "sensitivity": written.quantities.sensitivity(),
                "pictures": pictures,
            });
            format!("{about:#}\n")
        }
        false => describe(&written) + &format!("\n{}\n", folder.join(TABLE).display()),
    };
    match written.completed == 0 {
        true => {
            let message = "every case has failed; the table has the reasons".to_string();
            Err(CommandFailure { text, code: 3, ..CommandFailure::usage(message) })
        }
        false => Ok(text),
    }
}

/// The statistics of a quantity for scripts; numbers that are not finite are omitted.
fn statistics(of: &QuantityStatistics) -> Value {
    let mut about = json!(of);
    if let Some(fields) = about.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    about
}

fn describe(written: &WrittenStudy) -> String {
    let WrittenStudy { completed, failures, quantities } = written;
    let row = |x: QuantityStatistics| {
        let numbers = [x.min, x.mean, x.max, x.deviation];
        let cells = numbers.map(|x| if x.is_finite() { table::short(x) } else { String::new() });
        std::iter::once(x.quantity).chain(cells).collect::<Vec<String>>()
    };
    let statistics = quantities.statistics();
    let unusable: String = statistics
        .iter()
        .map(|x| (completed.saturating_sub(x.cases as u64), &x.quantity))
        .filter(|(missing, _)| *missing > 0)
        .map(|(missing, name)| {
            format!(
                "\n`{name}` is not a finite number in {missing} of {completed} completed cases\n"
            )
        })
        .collect();
    let rows: Vec<Vec<String>> = statistics.into_iter().map(row).collect();
    let mut text = format!("{completed} cases completed, {} failed\n\n", failures.cases);
    text += &table::render(&["quantity", "min", "mean", "max", "deviation"], &rows);
    let indices: Vec<Vec<String>> = quantities
        .sensitivity()
        .into_iter()
        .map(|x| {
            vec![x.quantity, x.parameter, format!("{:.3}", x.first), format!("{:.3}", x.total)]
        })
        .collect();
    if !indices.is_empty() {
        text += "\nsensitivity indices\n";
        text += &table::render(&["quantity", "parameter", "first order", "total"], &indices);
    }
    text += &unusable;
    for (reason, count) in failures.reasons().into_iter().take(5) {
        text += &format!("\n{count} × {reason}\n");
    }
    text
}
