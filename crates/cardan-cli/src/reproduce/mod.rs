//! `cardan reproduce`: the figures, tables and claims of papers, computed and laid beside print.
//!
//! ```text
//! manifest ── studies ──▶ runs on all processors ──▶ outcomes and histories in a folder
//!    │                                                        │
//!    └── items: figures, tables, claims ── addresses ─────────┴──▶ verdicts ──▶ pages
//! ```
//! A new paper is a new manifest: nothing here knows one by its name.

mod check;
mod compute;
mod erratum;
mod figure;
mod items;
mod manifest;
mod newton;
mod plan;
mod problem;
mod purpose;
mod quantity;
pub mod record;
mod site;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use cardan::output::{self, ExistingFile, origin};
use serde_json::{Value, json};

use crate::overwrite::Overwrite;
use crate::study::{interruption, progress};
use crate::{CommandFailure, table};
use compute::StudyResults;
use manifest::{Manifest, ManifestItem};
use quantity::Quantities;
use record::ReproductionRecord;
use site::ItemReport;

#[derive(clap::Args)]
pub struct Arguments {
    /// What to reproduce: PAPER, PAPER/ITEM or ITEM (--list names them); everything by default.
    items: Vec<String>,
    /// List papers and items.
    #[arg(long)]
    list: bool,
    /// The folder of the site, reproduced (or reproduced-quick) by default. What is there already of the same
    /// program is not computed again.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Coarser and shorter, in minutes; long runs are left out.
    #[arg(long)]
    quick: bool,
    /// How many runs at once; as many as there are processors by default.
    #[arg(long, short, value_parser = clap::value_parser!(u64).range(1..))]
    jobs: Option<u64>,
    /// Manifests of your own instead of the papers that come with the program.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    manifest: Vec<PathBuf>,
    /// Write the record that `cardan methods` and the gallery of the documentation read.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the gallery of the documentation from the record, and its figures beside it.
    #[arg(long, value_name = "FILE")]
    gallery: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Print the verdicts as JSON for scripts.
    #[arg(long)]
    pub json: bool,
}

macro_rules! papers {
    ($($name:literal)*) => {
        /// The manifests that come with the program.
        const PAPERS: &[(&str, &str)] = &[$(
            (concat!($name, ".toml"), include_str!(concat!("../../../../papers/", $name, ".toml")))
        ),*];
    };
}

papers! { "zhang-2022" "zhang-2021" "fernandez-2024" "negrut-2009" "zupan" "beyond" }

/// The errata of the documentation.
const ERRATA: &str = include_str!("../../../../docs/errata.md");
/// The verdicts of the site, kept from one call to the next.
const VERDICTS: &str = "verdicts.json";

const ABOUT: &str = "Every figure and table with numbers of these papers, computed by Cardan \
and laid beside what is printed. Green: what is printed comes out. Yellow: something else comes out, and the page says why. \
Red would be a difference that nobody has explained. Each page ends with the command that redoes it.";

fn manifests(arguments: &Arguments) -> Result<Vec<Manifest>, CommandFailure> {
    let mut all = Vec::new();
    if arguments.manifest.is_empty() {
        for (name, text) in PAPERS {
            all.push(Manifest::parse(name, text)?);
        }
    }
    for path in &arguments.manifest {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| CommandFailure::usage(format!("cannot read {name}: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        all.push(Manifest { folder, file: Some(name.clone()), ..Manifest::parse(&name, &text)? });
    }
    let mut names: Vec<&str> = all.iter().map(|manifest| manifest.paper.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(CommandFailure::usage(format!("two manifests are called `{}`", pair[0]))),
        None => Ok(all),
    }
}

pub fn command(arguments: &Arguments) -> Result<String, CommandFailure> {
    let manifests = manifests(arguments)?;
    let chosen = items::choose(&manifests, &arguments.items)?;
    if arguments.list {
        return Ok(list(&chosen, arguments.json));
    }
    let is_whole = arguments.items.is_empty();
    let is_kept = arguments.record.is_some() || arguments.gallery.is_some();
    if is_kept && (!is_whole || arguments.quick || !arguments.manifest.is_empty()) {
        let message = "--record and --gallery keep everything that comes with the program: name no items, no \
                       --manifest, and not --quick";
        return Err(CommandFailure::usage(message.into()));
    }
    record::check(arguments.record.as_deref(), arguments.gallery.as_deref(), arguments.overwrite)?;
    let usual = if arguments.quick { "reproduced-quick" } else { "reproduced" };
    let folder = &arguments.out.clone().unwrap_or_else(|| PathBuf::from(usual));
    let studies = items::planned(&manifests, &chosen, is_whole, arguments.quick)?;
    site::check(folder, &chosen)?;
    let verdicts = ExistingFile::ReplaceIf(&origin::is_json::<Vec<ItemReport>>);
    output::check(&folder.join(VERDICTS), verdicts)?;
    let results = StudyResults::open(folder, &studies, arguments.quick)?;
    let stop = interruption();
    let bar = progress(1, arguments.json);
    let began = std::time::Instant::now();
    results.compute(&studies, arguments.jobs, &stop, &bar)?;
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) {
        let message = "interrupted; the same command goes on where this one stopped".to_string();
        return Err(CommandFailure { code: 130, ..CommandFailure::usage(message) });
    }
    let papers: Vec<(String, String)> = manifests
        .iter()
        .filter(|manifest| !manifest.item.is_empty())
        .map(|manifest| (manifest.paper.name.clone(), short_title(manifest)))
        .collect();
    site::style(folder)?;
    let quantities = |manifest: &'_ Manifest| Quantities {
        studies: &studies,
        results: &results,
        paper: manifest.paper.name.clone(),
    };
    let (mut reports, mut details, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    for (manifest, item) in &chosen {
        let checks = items::check(&quantities(manifest), manifest, item, folder, arguments.quick)
            .map_err(|failure| within(manifest, item, failure))?;
        details.push(json!({
            "item": checks.report().name,
            "tables": checks.tables.iter().map(|table| table.to_json()).collect::<Vec<_>>(),
            "claims": checks.claims.iter().map(|claim| claim.to_json()).collect::<Vec<_>>(),
        }));
        reports.push(checks.report());
        pages.push(checks);
    }
    let all = merge(folder, &manifests, &reports)?;
    for checks in &pages {
        checks.write(folder, &papers, &all)?;
    }
    for manifest in manifests.iter().filter(|manifest| !manifest.item.is_empty()) {
        site::paper(folder, manifest, &all, &papers)?;
    }
    site::index(folder, &manifests, &all, &papers, ABOUT)?;
    let mut wrong_errata = 0;
    if is_whole {
        let mut rankings = Vec::new();
        let mut evidence = Vec::new();
        for manifest in &manifests {
            let quantities = quantities(manifest);
            for purpose in &manifest.purpose {
                let ranking = purpose::rank(&quantities, manifest, purpose)?;
                rankings.push((purpose, ranking));
            }
            let found: Result<Vec<_>, CommandFailure> = manifest
                .erratum
                .iter()
                .map(|erratum| erratum::evidence(&quantities, erratum))
                .collect();
            let found = found?;
            wrong_errata += found.iter().filter(|x| x.verdict == check::Verdict::Differs).count();
            details.extend(found.iter().map(|x| x.to_json(&manifest.paper.name)));
            evidence.push((manifest, found));
        }
        let about = manifests.iter().find(|manifest| !manifest.purpose.is_empty());
        let about = about.map_or("", |manifest| &manifest.paper.about);
        site::conclusions(folder, about, &rankings, &papers)?;
        let errata = if arguments.manifest.is_empty() { ERRATA } else { "" };
        site::errata(folder, &evidence, errata, &papers)?;
        let rankings = rankings.into_iter().filter_map(|(_, ranking)| ranking).collect();
        let record = ReproductionRecord::new(&manifests, &all, rankings);
        if let Some(path) = &arguments.record {
            record.write(path, arguments.overwrite)?;
        }
        if let Some(path) = &arguments.gallery {
            record.write_gallery(path, folder, arguments.overwrite)?;
        }
    } else {
        site::placeholders(folder, &papers)?;
    }
    let text = match arguments.json {
        true => format!("{:#}\n", Value::Array(details)),
        false => summary(&reports, wrong_errata, folder, began.elapsed().as_secs_f64()),
    };
    let bad: usize = reports.iter().map(|report| report.bad).sum::<usize>() + wrong_errata;
    match bad {
        0 => Ok(text),
        bad => {
            let message = format!("{bad} numbers or claims differ without an explanation");
            Err(CommandFailure { text, code: 3, ..CommandFailure::usage(message) })
        }
    }
}

fn within(manifest: &Manifest, item: &ManifestItem, failure: CommandFailure) -> CommandFailure {
    let message = format!("{}/{}: {}", manifest.paper.name, item.name, failure.message);
    CommandFailure { message, is_rendered: false, ..failure }
}

/// The authors and the year, as the links of the pages have them.
fn short_title(manifest: &Manifest) -> String {
    let title = &manifest.paper.title;
    title.split(':').next().unwrap_or(title).to_string()
}

fn list(chosen: &[(&Manifest, &ManifestItem)], as_json: bool) -> String {
    let items = chosen.iter().map(|(m, item)| (format!("{}/{}", m.paper.name, item.name), item));
    if as_json {
        let all: Value =
            items.map(|(name, item)| json!({ "name": name, "title": item.title })).collect();
        return format!("{all:#}\n");
    }
    let rows: Vec<Vec<String>> = items.map(|(name, item)| vec![name, item.title.clone()]).collect();
    table::render(&["item", "what it is"], &rows)
        + "\n`cardan reproduce PAPER` or `PAPER/ITEM` computes some of them, without a name all.\n"
}

/// The verdicts of this call and of those before it.
fn merge(
    folder: &Path,
    manifests: &[Manifest],
    reports: &[ItemReport],
) -> Result<BTreeMap<String, ItemReport>, CommandFailure> {
    let path = folder.join(VERDICTS);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let known: Vec<ItemReport> = serde_json::from_str(&text).unwrap_or_default();
    let mut all: BTreeMap<String, ItemReport> =
        known.into_iter().map(|report| (report.name.clone(), report)).collect();
    all.extend(reports.iter().map(|report| (report.name.clone(), report.clone())));
    let is_there = |name: &str| {
        let named =
            |m: &Manifest, item: &ManifestItem| format!("{}/{}", m.paper.name, item.name) == name;
        manifests.iter().any(|m| m.item.iter().any(|item| named(m, item)))
    };
    all.retain(|name, _| is_there(name));
    let values: Vec<&ItemReport> = all.values().collect();
    let text = serde_json::to_string_pretty(&values).unwrap_or_default() + "\n";
    let existing = ExistingFile::ReplaceIf(&origin::is_json::<Vec<ItemReport>>);
    output::write(&path, text.as_bytes(), existing)?;
    Ok(all)
}

fn summary(reports: &[ItemReport], wrong_errata: usize, folder: &Path, seconds: f64) -> String {
    let rows: Vec<Vec<String>> = reports
        .iter()
        .map(|report| vec![report.name.clone(), report.title.clone(), report.words()])
        .collect();
    let sum = |of: fn(&ItemReport) -> usize| reports.iter().map(of).sum::<usize>();
    table::render(&["item", "what it is", "verdict"], &rows)
        + &format!(
            "\n{} numbers and claims agree, {} differ and are explained, {} differ; {} left out. {}\nopen {}\n",
            sum(|r| r.good),
            sum(|r| r.explained),
            sum(|r| r.bad) + wrong_errata,
            sum(|r| r.skipped),
            table::duration(seconds),
            folder.join("index.html").display()
        )
}
