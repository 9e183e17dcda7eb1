//! `cardan plot`: channels of runs and quantities of studies as SVG or PNG.
//!
//! ```text
//! single    one run: channels over time, or against each other
//! source    a run or a study as columns
//! overlay   several runs and studies in one picture
//! ```

mod overlay;
mod single;
mod source;

use std::path::{Path, PathBuf};

use cardan::output::origin;
use cardan::results::ResultsTable;
use cardan_lab::chart::{self, ChartFigure};
use cardan_lab::snapshot_chart::draw_snapshots;
use serde_json::{Value, json};

use crate::failure::CommandFailure;
use crate::overwrite_option::OverwriteOption;
use crate::table;
use source::PlotSource;

pub use single::cut;

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of a run or of a study, or a results file (.parquet, .csv).
    results: PathBuf,
    /// Further runs and studies, and the channels or quantities to draw; `*` matches any text. What exists as a file or
    /// folder and is not a channel is drawn in the same picture. Without a channel, an overview of the first channels.
    #[arg(value_name = "RESULTS|CHANNEL")]
    more: Vec<String>,
    /// The channel, or the parameter of studies, on the horizontal axis; time by default, or the first parameter.
    #[arg(long, value_name = "CHANNEL")]
    against: Option<String>,
    /// The picture, .svg or .png; by default plot.svg in the folder of the results, or in this folder if there are several.
    #[arg(long, short)]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteOption,
    /// Draw the snapshots of structures instead: all, or those nearest to TIME. A membrane gives a colour map and
    /// profiles, a bar a line.
    #[arg(long, value_name = "TIME", num_args = 0..=1, conflicts_with_all = ["more", "against"])]
    snapshot: Option<Option<f64>>,
    /// The title of the picture; the model's title by default.
    #[arg(long)]
    title: Option<String>,
    /// Print JSON for scripts: the picture and its curves.
    #[arg(long)]
    pub json: bool,
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let existing = arguments.overwrite.existing(&origin::is_picture);
    if let Some(time) = arguments.snapshot {
        let (out, title) = (arguments.out.as_deref(), arguments.title.as_deref());
        return Ok(draw_snapshots(&arguments.results, time, out, title, existing)?);
    }
    let first = PlotSource::open(&arguments.results)?;
    let (others, channels): (Vec<&String>, Vec<&String>) =
        arguments.more.iter().partition(|name| is_results(name, &first));
    let channels: Vec<String> = channels.into_iter().cloned().collect();
    let out = arguments.out.clone().unwrap_or_else(|| match others.is_empty() {
        true => beside(&arguments.results),
        false => PathBuf::from("plot.svg"),
    });
    chart::check(&out, existing)?;
    let mut sources = vec![(arguments.results.clone(), first)];
    for path in others {
        let path = PathBuf::from(path);
        let source = PlotSource::open(&path)?;
        sources.push((path, source));
    }
    for (path, source) in &sources {
        if let PlotSource::Run(frame) = source {
            print_notes(frame, path);
        }
    }
    let (mut figure, omitted) = match &sources[..] {
        [(path, PlotSource::Run(frame))] => {
            let against = arguments.against.as_deref().unwrap_or("time");
            single::figure(frame, path, &channels, against)?
        }
        _ => overlay::figure(&sources, &channels, arguments.against.as_deref())?,
    };
    if let Some(title) = &arguments.title {
        figure.title.clone_from(title);
    }
    chart::write_as(&figure, &out, existing)?;
    if omitted > 0 {
        table::print_note(&format!(
            "note: {omitted} more columns are not drawn\n  try: name the channels to draw"
        ));
    }
    Ok(match arguments.json {
        true => format!("{:#}\n", describe(&figure, &out, omitted)),
        false => format!("{}\n", out.display()),
    })
}

/// Whether an argument is a run or a study and not a channel of the first one.
fn is_results(name: &str, first: &PlotSource) -> bool {
    let looks_like_file = [".parquet", ".csv"].iter().any(|ending| name.ends_with(ending));
    let is_path = name.contains('/') || looks_like_file || Path::new(name).exists();
    is_path && !first.names().contains(&name)
}

/// Prints what is to be known about the rows of a run.
fn print_notes(frame: &ResultsTable, path: &Path) {
    if frame.is_cut {
        table::print_note(&cut(frame));
    }
    if frame.is_outdated {
        table::print_note(&format!(
            "note: a newer, unfinished run is in {}; these are the results of the earlier run",
            path.join("unfinished").display()
        ));
    }
}

fn beside(results: &Path) -> PathBuf {
    match results.is_dir() {
        true => results.join("plot.svg"),
        false => results.with_file_name("plot.svg"),
    }
}

/// The picture and its curves, for scripts.
fn describe(figure: &ChartFigure, out: &Path, omitted: usize) -> Value {
    let panel = |panel: &chart::ChartPanel| {
        let curve = |series: &chart::ChartSeries| {
            let finite = series.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
            json!({ "name": series.name, "points": finite.count() })
        };
        json!({ "label": panel.y_label, "curves": panel.series.iter().map(curve).collect::<Value>() })
    };
    json!({
        "picture": out,
        "against": figure.x_label,
        "panels": figure.panels.iter().map(panel).collect::<Value>(),
        "omitted": omitted,
    })
}
