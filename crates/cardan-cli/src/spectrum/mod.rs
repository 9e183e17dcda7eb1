//! `cardan spectrum`: what linear analysis says of the methods, from their own steps.

mod pictures;
mod tables;

use std::path::PathBuf;

use crate::overwrite::Overwrite;
use crate::{Failure, table};
use cardan::methods::{Choice, Method, MethodInfo, Registry, Value as Given, all};

use pictures::draw;
use tables::{overshoot, region, rows, summary};

#[derive(clap::Args)]
pub struct Arguments {
    /// The methods, as lms3 or bathe:rho=0:splitting=0.9; all if none is named.
    methods: Vec<Choice>,
    /// Dissipation of those that take it and do not say their own, one or several values.
    #[arg(long, num_args = 1.., value_delimiter = ',', allow_negative_numbers = true)]
    rho: Vec<String>,
    /// The damping ratio of the oscillator.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    damping: f64,
    /// Steps over the period and the number of stages, for rows and roots, instead of the usual ones.
    #[arg(long, value_delimiter = ',', value_name = "DT/NT")]
    at: Vec<f64>,
    /// What to print.
    #[arg(long, value_enum)]
    show: Option<Show>,
    /// Draw radius, decay, period, region and overshoot as pictures in a folder.
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Show {
    /// Order, error constant, limits.
    Summary,
    /// Radius, decay and period at each step.
    Rows,
    /// All characteristic roots at each step.
    Roots,
    /// The edge of the stability region, λh.
    Region,
    /// The motion from a displacement in steps of ten periods.
    Overshoot,
}

/// Δt/(nT) of the rows.
const USUAL: [f64; 17] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 3.0, 10.0,
    100.0,
];
/// Steps of the overshoot experiment, and their length in periods.
const OVERSHOOT: (usize, f64) = (20, 10.0);
/// Rays on which the edge of the stability region is looked for.
const RAYS: usize = 90;

/// A method to analyse.
struct Subject {
    /// As it was written.
    label: String,
    info: &'static MethodInfo,
    method: Box<dyn Method>,
    rho: Option<f64>,
}

pub fn command(arguments: &Arguments) -> Result<String, Failure> {
    if !(-1.0..=1.0).contains(&arguments.damping) {
        return Err(Failure::usage("the damping ratio lies between -1 and 1".into()));
    }
    let mut at = if arguments.at.is_empty() { USUAL.to_vec() } else { arguments.at.clone() };
    if at.iter().any(|x| !(1e-6..=1e6).contains(x)) {
        return Err(Failure::usage("--at takes numbers between 1e-6 and 1e6".into()));
    }
    at.sort_by(f64::total_cmp);
    at.dedup();
    // methods may follow after the numbers
    let (mut methods, mut rho) = (arguments.methods.clone(), Vec::new());
    for text in &arguments.rho {
        match text.trim().parse() {
            Ok(number) => rho.push(number),
            Err(_) => methods.push(text.parse().map_err(Failure::usage)?),
        }
    }
    let subjects = subjects(&methods, &rho)?;
    if let Some(folder) = &arguments.out {
        let existing = arguments.overwrite.existing(&cardan::output::origin::is_picture);
        draw(folder, &subjects, arguments.damping, existing)?;
    }
    let show = arguments.show.unwrap_or(match arguments.json {
        true => Show::Rows,
        false => Show::Summary,
    });
    match (show, arguments.json) {
        (Show::Summary, is_json) => summary(&subjects, arguments.damping, is_json),
        (Show::Region, is_json) => region(&subjects, is_json),
        (Show::Overshoot, is_json) => overshoot(&subjects, arguments.damping, is_json),
        (Show::Rows | Show::Roots, _) => {
            rows(&subjects, &at, arguments.damping, show == Show::Roots, arguments.json)
        }
    }
}

/// Every method with every dissipation it takes; what cannot be is told and left out.
fn subjects(choices: &[Choice], rho: &[f64]) -> Result<Vec<Subject>, Failure> {
    let everything: Vec<Choice> =
        all().map(|info| Choice { method: info.name.into(), parameters: Vec::new() }).collect();
    let is_everything = choices.is_empty();
    let mut subjects: Vec<Subject> = Vec::new();
    for choice in if is_everything { &everything } else { choices } {
        for variant in choice.with_each(&Registry::standard(), "rho", rho) {
            let label = variant.to_string();
            if subjects.iter().any(|known| known.label == label) {
                continue;
            }
            match variant.build() {
                Ok((info, method)) => {
                    let rho = dissipation(info, &variant);
                    subjects.push(Subject { label, info, method, rho });
                }
                Err(error) if is_everything => table::tell(&format!("note: left out: {error}")),
                Err(error) => return Err(Failure::usage(error.to_string())),
            }
        }
    }
    Ok(subjects)
}

/// ρ∞ as given or by default.
fn dissipation(info: &MethodInfo, choice: &Choice) -> Option<f64> {
    let given = choice.parameters.iter().find(|(name, _)| name == "rho").map(|(_, x)| x.clone());
    let known = info.parameters.iter().find(|p| p.name == "rho");
    match given.or_else(|| known?.default())? {
        Given::Number(rho) => Some(rho),
        Given::Word(_) => None,
    }
}
