//! `cardan accuracy`: work and precision of methods with a tolerance over the example models.

use std::path::{Path, PathBuf};

use cardan::methods::MethodChoice;
use cardan::output::origin;
use cardan_lab::chart::{self, AxisScale, ChartFigure, ChartPanel, ChartSeries};
use cardan_lab::exam::ProportionalityRequest;
use cardan_lab::examples::parse_setting;
use cardan_lab::overwrite;
use cardan_lab::study::{AccuracyRecord, AccuracyRun, CANDIDATES, accuracy_recorded};
use cardan_lab::table::TextTable;

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::table;

/// The tolerances at which the automatic choice is compared, if none is given.
const COMPARED: [f64; 3] = [1e-3, 1e-6, 1e-8];

#[derive(clap::Args)]
pub struct Arguments {
    /// Example models or model files; all examples of the study by default.
    models: Vec<String>,
    /// The tolerances; 1e-2 to 1e-8 by default.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "TOL,…")]
    tolerances: Vec<f64>,
    /// Set a parameter of the models to a number or a formula, for models that the rules of `auto` have not seen.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting, conflicts_with_all = ["recorded", "write"])]
    set: Vec<(String, String)>,
    /// Take the runs of the record instead of computing them.
    #[arg(long)]
    recorded: bool,
    /// Show what `method = "auto"` chooses, and its work over that of the best method at equal error.
    #[arg(long)]
    auto: bool,
    /// Grade how errors follow the tolerance: ratio, slope, reversal and rejections for each model and method; rigid, stiff,
    /// flexible and controlled models by default.
    #[arg(long, conflicts_with_all = ["recorded", "auto", "write", "picture"])]
    proportionality: bool,
    /// The methods of --proportionality, as `generalized-alpha:rho=0.8`; all that take a tolerance by default.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "METHOD,…", requires = "proportionality")]
    methods: Vec<String>,
    /// The length of the motions of --proportionality, in seconds; that of the study by default.
    #[arg(long, value_name = "SECONDS", requires = "proportionality")]
    length: Option<f64>,
    /// Ask for accelerations too in --proportionality: their absolute tolerances are the tolerance times the largest acceleration.
    #[arg(long, requires = "proportionality")]
    accelerations: bool,
    /// Write the runs to a file. The record is crates/cardan-lab/data/accuracy.json.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Draw error over work, one panel for each model (SVG or PNG).
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    if arguments.proportionality {
        return proportionality(arguments);
    }
    let existing = arguments.overwrite.existing(&origin::is_json::<AccuracyRecord>);
    let pictures = arguments.overwrite.existing(&origin::is_picture);
    arguments.write.iter().try_for_each(|path| overwrite::check(path, existing))?;
    arguments.picture.iter().try_for_each(|path| chart::check(path, pictures))?;
    let record = match arguments.recorded {
        true => {
            let mut record = accuracy_recorded();
            let is_named = |run: &AccuracyRun| {
                arguments.models.is_empty() || arguments.models.contains(&run.model)
            };
            record.runs.retain(is_named);
            record
        }
        false => {
            let omitted = |reason: String| table::print_note(&format!("note: {reason}"));
            let Arguments { models, set, tolerances, .. } = arguments;
            AccuracyRecord::compute(models, set, tolerances, |_| {}, omitted)?
        }
    };
    if let Some(path) = &arguments.write {
        overwrite::write(path, format!("{}\n", record.to_json()).as_bytes(), existing)?;
    }
    if let Some(path) = &arguments.picture {
        chart::write_as(&figure(&record), Path::new(path), pictures)?;
    }
    if arguments.json {
        return Ok(format!("{}\n", record.to_json()));
    }
    Ok(match arguments.auto {
        true => {
            let given = arguments.tolerances.as_slice();
            record.table_of_choices(if given.is_empty() { &COMPARED } else { given })?.to_string()
        }
        false => record.table().to_string(),
    })
}

/// The grades of methods on models, after one line for each run.
fn proportionality(arguments: &Arguments) -> Result<String, CommandFailure> {
    let methods = arguments.methods.iter().map(|text| text.parse().map_err(CommandFailure::usage));
    let methods: Vec<MethodChoice> = methods.collect::<Result<_, _>>()?;
    let mut request =
        ProportionalityRequest::new(&arguments.models, &methods, &arguments.tolerances);
    request.length = arguments.length;
    request.has_accelerations = arguments.accelerations;
    request.set.clone_from(&arguments.set);
    let progress = |run: &AccuracyRun| {
        let ratios = run.errors.map(|error| format!("{:9.2e}", error / run.tolerance)).join(" ");
        let AccuracyRun { model, method, tolerance, steps, rejected, .. } = run;
        let work = run.work();
        table::print_note(&format!(
            "{model:22} {method:18} {tolerance:.0e} {ratios} {steps:6} {rejected:4} {work:8.0} {:.2} s",
            run.seconds
        ));
    };
    let omitted = |reason: String| table::print_note(&format!("note: {reason}"));
    let grades = request.grade(progress, omitted)?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&grades).unwrap_or_default();
        return Ok(format!("{text}\n"));
    }
    Ok(TextTable::of(&grades).to_string())
}

/// The error of q, v and z over the work, one panel for each model.
fn figure(record: &AccuracyRecord) -> ChartFigure {
    let series = |model: &str| -> Vec<ChartSeries> {
        let of = |method: &str| {
            let runs = record
                .runs
                .iter()
                .filter(|run| run.model == model && run.method == method && run.failure.is_none());
            let points = runs.map(|run| (run.work(), run.error())).collect();
            ChartSeries { name: method.into(), points }
        };
        CANDIDATES.iter().map(|method| of(method)).collect()
    };
    let panel = |model: &&str| ChartPanel {
        y_label: format!("{model} error"),
        scale: AxisScale::Logarithmic,
        series: series(model),
    };
    ChartFigure {
        title: "Work and precision under a tolerance".into(),
        subtitle: "the largest relative error of q, v and z; tolerances from 1e-2 on".into(),
        x_label: "Newton iterations + 2 × factorizations".into(),
        scale: AxisScale::Logarithmic,
        has_marks: true,
        panels: record.models().iter().map(panel).collect(),
        ..ChartFigure::default()
    }
}
