//! `cardan spectrum`: linear analysis of methods on the oscillator, computed from their steps.

mod plots;

use std::path::PathBuf;

use cardan::methods::{MethodChoice, Registry};
use cardan_lab::spectral::Spectrum;
use cardan_lab::table::{TableRow, TextTable, to_json};

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::table;
use plots::draw;

#[derive(clap::Args)]
pub struct Arguments {
    /// The methods, as lms3 or bathe:rho=0:splitting=0.9; all by default.
    methods: Vec<MethodChoice>,
    /// One or several values of the parameter rho, for methods that have it and for which none is given.
    #[arg(long, num_args = 1.., value_delimiter = ',', allow_negative_numbers = true)]
    rho: Vec<String>,
    /// The damping ratio of the oscillator.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    damping: f64,
    /// Step sizes Δt/(nT) for rows and roots: step over period T and number of stages n.
    #[arg(long, value_delimiter = ',', value_name = "DT/NT")]
    at: Vec<f64>,
    /// The table to print; summary by default.
    #[arg(long, value_enum)]
    show: Option<SpectrumTable>,
    /// Draw radius, decay, period, region and overshoot as SVG pictures in this folder.
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SpectrumTable {
    /// Order, error constant and stability limit of each method.
    Summary,
    /// Spectral radius, amplitude decay and period elongation at each step size.
    Rows,
    /// All characteristic roots at each step size.
    Roots,
    /// The boundary of the stability region, as points λh.
    Region,
    /// The motion from an initial displacement, in steps of ten periods.
    Overshoot,
}

/// The line after the summary.
const MORE: &str =
    "--show rows prints radius, decay and period over the step size, --out FOLDER draws them.\n";

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    if !(-1.0..=1.0).contains(&arguments.damping) {
        return Err(CommandFailure::usage("--damping must be between -1 and 1".into()));
    }
    let at = &arguments.at;
    if at.iter().any(|x| !(1e-6..=1e6).contains(x)) {
        return Err(CommandFailure::usage("--at takes numbers between 1e-6 and 1e6".into()));
    }
    // methods may follow after the numbers
    let (mut methods, mut rho) = (arguments.methods.clone(), Vec::new());
    for text in &arguments.rho {
        match text.trim().parse() {
            Ok(number) => rho.push(number),
            Err(_) => methods.push(text.parse().map_err(CommandFailure::usage)?),
        }
    }
    let registry = Registry::standard();
    let spectrum = Spectrum::new(&registry, &methods, &rho)
        .map_err(|error| CommandFailure::usage(error.to_string()))?
        .with_damping(arguments.damping);
    for error in &spectrum.omitted {
        table::print_note(&format!("note: omitted: {error}"));
    }
    if let Some(folder) = &arguments.out {
        let existing = arguments.overwrite.existing(&cardan::output::origin::is_picture);
        draw(folder, &spectrum, existing)?;
    }
    let is_json = arguments.json;
    let show = arguments.show.unwrap_or(if is_json {
        SpectrumTable::Rows
    } else {
        SpectrumTable::Summary
    });
    Ok(match show {
        SpectrumTable::Summary => {
            render(&spectrum.summary()?, is_json) + if is_json { "" } else { MORE }
        }
        SpectrumTable::Rows => render(&spectrum.rows(at)?, is_json),
        SpectrumTable::Roots => render(&spectrum.roots(at)?, is_json),
        SpectrumTable::Region => render(&spectrum.region()?, is_json),
        SpectrumTable::Overshoot => render(&spectrum.overshoot()?, is_json),
    })
}

/// Rows as a table, or as JSON.
fn render<R: TableRow + serde::Serialize>(rows: &[R], is_json: bool) -> String {
    if is_json { to_json(&rows) } else { TextTable::of(rows).to_string() }
}
