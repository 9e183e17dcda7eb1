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
use std::sync::atomic::{AtomicBool, Ordering};

use cardan::output::{self, ExistingFile, origin};
use serde_json::{Value, json};

use crate::error::{LabError, LabErrorKind};
use crate::overwrite::Overwrite;
use crate::study::CaseProgress;
use crate::table;
use compute::StudyResults;
use manifest::{Manifest, ManifestItem};
use plan::Planned;
use quantity::Quantities;
use record::ReproductionRecord;
use site::ItemReport;

/// What to reproduce, where, and how.
#[derive(Clone, Debug, Default)]
pub struct ReproduceOptions {
    /// PAPER, PAPER/ITEM or ITEM; everything if empty.
    pub items: Vec<String>,
    /// The folder of the site; `reproduced` or `reproduced-quick` by default.
    pub folder: Option<PathBuf>,
    /// Whether to compute the quick form: coarser and shorter, long runs omitted.
    pub quick: bool,
    /// Number of runs at once; the number of processors by default.
    pub jobs: Option<u64>,
    /// Manifests to use instead of those that come with Cardan.
    pub manifests: Vec<PathBuf>,
    /// Where to write the record that `cardan methods` and the gallery read.
    pub record: Option<PathBuf>,
    /// Where to write the gallery page, with its figures beside it.
    pub gallery: Option<PathBuf>,
    /// Whether files of others may be replaced.
    pub overwrite: Overwrite,
    /// Whether the text returned is JSON.
    pub json: bool,
}

macro_rules! papers {
    ($($name:literal)*) => {
        /// The manifests that come with the program.
        const PAPERS: &[(&str, &str)] = &[$(
            (concat!($name, ".toml"), include_str!(concat!("../../papers/", $name, ".toml")))
        ),*];
    };
}

papers! { "zhang-2022" "zhang-2021" "fernandez-2024" "negrut-2009" "zupan" "beyond" }

/// The errata of the documentation.
const ERRATA: &str = include_str!("../../errata.md");
/// The verdicts of the site, kept from one call to the next.
const VERDICTS: &str = "verdicts.json";

const ABOUT: &str = "Every figure and table with numbers of these papers, computed by Cardan \
and laid beside what is printed. Green: what is printed comes out. Yellow: something else comes out, and the page says why. \
Red would be a difference that nobody has explained. Each page ends with the command that redoes it.";

fn manifests(options: &ReproduceOptions) -> Result<Vec<Manifest>, LabError> {
    let mut all = Vec::new();
    if options.manifests.is_empty() {
        for (name, text) in PAPERS {
            all.push(Manifest::parse(name, text)?);
        }
    }
    for path in &options.manifests {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| LabError::input(format!("cannot read {name}: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        all.push(Manifest { folder, file: Some(name.clone()), ..Manifest::parse(&name, &text)? });
    }
    let mut names: Vec<&str> = all.iter().map(|manifest| manifest.paper.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(LabError::input(format!("two manifests are called `{}`", pair[0]))),
        None => Ok(all),
    }
}

/// The papers and items that the options choose, as a table or JSON.
pub fn list(options: &ReproduceOptions) -> Result<String, LabError> {
    let manifests = manifests(options)?;
    Ok(list_items(&items::choose(&manifests, &options.items)?, options.json))
}

/// Computes the items, writes the site and returns the verdicts as text. `stop` ends the work early; what was computed is
/// kept, and the same call continues.
pub fn reproduce(
    options: &ReproduceOptions,
    stop: &AtomicBool,
    progress: &dyn CaseProgress,
) -> Result<String, LabError> {
    let manifests = manifests(options)?;
    let chosen = items::choose(&manifests, &options.items)?;
    let is_whole = options.items.is_empty();
    let is_kept = options.record.is_some() || options.gallery.is_some();
    if is_kept && (!is_whole || options.quick || !options.manifests.is_empty()) {
        let message = "--record and --gallery keep everything that comes with the program: name no items, no \
                       --manifest, and not --quick";
        return Err(LabError::input(message));
    }
    record::check(options.record.as_deref(), options.gallery.as_deref(), options.overwrite)?;
    let default = if options.quick { "reproduced-quick" } else { "reproduced" };
    let folder = &options.folder.clone().unwrap_or_else(|| PathBuf::from(default));
    let studies = items::planned(&manifests, &chosen, is_whole, options.quick)?;
    site::check(folder, &chosen)?;
    let verdicts = ExistingFile::ReplaceIf(&origin::is_json::<Vec<ItemReport>>);
    output::check(&folder.join(VERDICTS), verdicts)?;
    let results = StudyResults::open(folder, &studies, options.quick)?;
    let began = std::time::Instant::now();
    results.compute(&studies, options.jobs, stop, progress)?;
    if stop.load(Ordering::Relaxed) {
        let message = "interrupted; the same command continues where this one stopped";
        return Err(LabError::input(message).of_kind(LabErrorKind::Interrupted));
    }
    let site = Site {
        papers: manifests
            .iter()
            .filter(|manifest| !manifest.item.is_empty())
            .map(|manifest| (manifest.paper.name.clone(), short_title(manifest)))
            .collect(),
        manifests: &manifests,
        studies: &studies,
        results: &results,
        folder,
    };
    site::style(folder)?;
    let (reports, all, mut details) = site.write_items(&chosen, options.quick)?;
    let mut wrong_errata = 0;
    match is_whole {
        true => wrong_errata = site.write_conclusions(options, &all, &mut details)?,
        false => site::placeholders(folder, &site.papers)?,
    }
    let text = match options.json {
        true => format!("{:#}\n", Value::Array(details)),
        false => summary(&reports, wrong_errata, folder, began.elapsed().as_secs_f64()),
    };
    match reports.iter().map(|report| report.bad).sum::<usize>() + wrong_errata {
        0 => Ok(text),
        bad => {
            let message = format!("{bad} numbers or claims differ without an explanation");
            let error = LabError::input(message).of_kind(LabErrorKind::Numerical);
            Err(LabError { text, ..error })
        }
    }
}

/// The results of all studies, and where their pages go.
struct Site<'a> {
    manifests: &'a [Manifest],
    studies: &'a [Planned],
    results: &'a StudyResults,
    folder: &'a Path,
    /// Names and short titles of the papers, for the links of the pages.
    papers: Vec<(String, String)>,
}

impl Site<'_> {
    fn quantities(&self, manifest: &Manifest) -> Quantities<'_> {
        Quantities {
            studies: self.studies,
            results: self.results,
            paper: manifest.paper.name.clone(),
        }
    }

    /// Writes the pages of the items, the papers and the index. Returns the reports of these items, of all known items, and
    /// the numbers behind them.
    fn write_items(
        &self,
        chosen: &[(&Manifest, &ManifestItem)],
        quick: bool,
    ) -> Result<(Vec<ItemReport>, BTreeMap<String, ItemReport>, Vec<Value>), LabError> {
        let (mut reports, mut details, mut pages) = (Vec::new(), Vec::new(), Vec::new());
        for (manifest, item) in chosen {
            let checks =
                items::check(&self.quantities(manifest), manifest, item, self.folder, quick)
                    .map_err(|failure| within(manifest, item, failure))?;
            details.push(json!({
                "item": checks.report().name,
                "tables": checks.tables.iter().map(|table| table.to_json()).collect::<Vec<_>>(),
                "claims": checks.claims.iter().map(|claim| claim.to_json()).collect::<Vec<_>>(),
            }));
            reports.push(checks.report());
            pages.push(checks);
        }
        let all = merge(self.folder, self.manifests, &reports)?;
        for checks in &pages {
            checks.write(self.folder, &self.papers, &all)?;
        }
        for manifest in self.manifests.iter().filter(|manifest| !manifest.item.is_empty()) {
            site::paper(self.folder, manifest, &all, &self.papers)?;
        }
        site::index(self.folder, self.manifests, &all, &self.papers, ABOUT)?;
        Ok((reports, all, details))
    }

    /// Writes rankings, errata, the record and the gallery. Returns the number of errata whose evidence differs.
    fn write_conclusions(
        &self,
        options: &ReproduceOptions,
        all: &BTreeMap<String, ItemReport>,
        details: &mut Vec<Value>,
    ) -> Result<usize, LabError> {
        let (mut rankings, mut evidence, mut wrong) = (Vec::new(), Vec::new(), 0);
        for manifest in self.manifests {
            let quantities = self.quantities(manifest);
            for purpose in &manifest.purpose {
                rankings.push((purpose, purpose::rank(&quantities, manifest, purpose)?));
            }
            let found: Result<Vec<_>, LabError> = manifest
                .erratum
                .iter()
                .map(|erratum| erratum::evidence(&quantities, erratum))
                .collect();
            let found = found?;
            wrong += found.iter().filter(|x| x.verdict == check::Verdict::Differs).count();
            details.extend(found.iter().map(|x| x.to_json(&manifest.paper.name)));
            evidence.push((manifest, found));
        }
        let about = self.manifests.iter().find(|manifest| !manifest.purpose.is_empty());
        let about = about.map_or("", |manifest| &manifest.paper.about);
        site::conclusions(self.folder, about, &rankings, &self.papers)?;
        let errata = if options.manifests.is_empty() { ERRATA } else { "" };
        site::errata(self.folder, &evidence, errata, &self.papers)?;
        let rankings = rankings.into_iter().filter_map(|(_, ranking)| ranking).collect();
        let record = ReproductionRecord::new(self.manifests, all, rankings);
        if let Some(path) = &options.record {
            record.write(path, options.overwrite)?;
        }
        if let Some(path) = &options.gallery {
            record.write_gallery(path, self.folder, options.overwrite)?;
        }
        Ok(wrong)
    }
}

fn within(manifest: &Manifest, item: &ManifestItem, failure: LabError) -> LabError {
    let message = format!("{}/{}: {}", manifest.paper.name, item.name, failure.message);
    LabError { message, ..failure }
}

/// The authors and the year, as the links of the pages have them.
fn short_title(manifest: &Manifest) -> String {
    let title = &manifest.paper.title;
    title.split(':').next().unwrap_or(title).to_string()
}

fn list_items(chosen: &[(&Manifest, &ManifestItem)], as_json: bool) -> String {
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
) -> Result<BTreeMap<String, ItemReport>, LabError> {
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
