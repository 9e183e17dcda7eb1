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
mod manifest;
mod plan;
mod purpose;
mod quantity;
pub mod record;
mod site;
mod subject;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use cardan::results::fingerprint;
use serde_json::{Value, json};

use crate::study::{interruption, progress};
use crate::{Failure, table};
use compute::Results;
use figure::Drawing;
use manifest::{Item, Manifest};
use plan::Planned;
use quantity::Quantities;
use record::Record;
use site::{Checks, Report};

#[derive(clap::Args)]
pub struct Arguments {
    /// What to reproduce: PAPER, PAPER/ITEM or ITEM (--list names them); everything by default.
    items: Vec<String>,
    /// List papers and items.
    #[arg(long)]
    list: bool,
    /// The folder of the site. What is there already of the same program is not computed again.
    #[arg(long, short, default_value = "reproduced")]
    out: PathBuf,
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

const ABOUT: &str = "Every figure and table of these papers, computed by [Cardan](https://crates.io/crates/cardan) \
and laid beside what is printed. Green: what is printed comes out. Yellow: something else comes out, and the page says why. \
Red would be a difference that nobody has explained. Each page ends with the command that redoes it.";

fn manifests(arguments: &Arguments) -> Result<Vec<Manifest>, Failure> {
    if arguments.manifest.is_empty() {
        return PAPERS.iter().map(|(name, text)| Manifest::parse(name, text)).collect();
    }
    let read = |path: &PathBuf| {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
        let manifest = Manifest::parse(&name.to_string(), &text)?;
        let is_word = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        };
        let names = manifest.item.iter().map(|item| &item.name).chain([&manifest.paper.name]);
        let wrong = names.chain(manifest.study.keys()).find(|name| !is_word(name)).cloned();
        match wrong {
            Some(wrong) => Err(Failure::usage(format!(
                "{name}: `{wrong}` is no name; letters, digits, - and _ make one"
            ))),
            None => Ok(manifest),
        }
    };
    arguments.manifest.iter().map(read).collect()
}

pub fn command(arguments: &Arguments) -> Result<String, Failure> {
    let manifests = manifests(arguments)?;
    if arguments.list {
        return Ok(list(&manifests, arguments.json));
    }
    let chosen = choose(&manifests, &arguments.items)?;
    let is_whole = arguments.items.is_empty();
    let studies = planned(&manifests, &chosen, is_whole, arguments.quick)?;
    let results = Results::open(&arguments.out, &studies)?;
    let stop = interruption();
    let bar = progress(1, arguments.json);
    let began = std::time::Instant::now();
    results.compute(&studies, arguments.jobs, &stop, &bar)?;
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) {
        let message = "interrupted; the same command goes on where this one stopped".to_string();
        return Err(Failure { code: 130, ..Failure::usage(message) });
    }
    let papers: Vec<(String, String)> = manifests
        .iter()
        .filter(|manifest| !manifest.item.is_empty())
        .map(|manifest| (manifest.paper.name.clone(), short_title(manifest)))
        .collect();
    let folder = &arguments.out;
    site::style(folder)?;
    let (mut reports, mut details) = (Vec::new(), Vec::new());
    for (manifest, item) in &chosen {
        let quantities =
            Quantities { studies: &studies, results: &results, paper: &manifest.paper.name };
        let checks = check(&quantities, manifest, item, folder, arguments.quick)
            .map_err(|failure| within(manifest, item, failure))?;
        checks.write(folder, &papers)?;
        details.push(json!({
            "item": checks.report().name,
            "tables": checks.tables.iter().map(|table| table.to_json()).collect::<Vec<_>>(),
            "claims": checks.claims.iter().map(|claim| claim.to_json()).collect::<Vec<_>>(),
        }));
        reports.push(checks.report());
    }
    let all = merge(folder, &manifests, &reports)?;
    for manifest in manifests.iter().filter(|manifest| !manifest.item.is_empty()) {
        site::paper(folder, manifest, &all, &papers)?;
    }
    site::index(folder, &manifests, &all, &papers, ABOUT)?;
    let mut wrong_errata = 0;
    if is_whole {
        let mut rankings = Vec::new();
        let mut evidence = Vec::new();
        for manifest in &manifests {
            let quantities =
                Quantities { studies: &studies, results: &results, paper: &manifest.paper.name };
            for purpose in &manifest.purpose {
                let ranking = purpose::rank(&quantities, manifest, purpose)?;
                rankings.push((purpose, ranking));
            }
            let found: Result<Vec<_>, Failure> = manifest
                .erratum
                .iter()
                .map(|erratum| erratum::evidence(&quantities, erratum))
                .collect();
            let found = found?;
            wrong_errata +=
                found.iter().filter(|x| x.verdict == check::Verdict::Differs).count();
            evidence.push((manifest, found));
        }
        let about = manifests.iter().find(|manifest| !manifest.purpose.is_empty());
        let about = about.map_or("", |manifest| &manifest.paper.about);
        site::conclusions(folder, about, &rankings, &papers)?;
        let errata = if arguments.manifest.is_empty() { ERRATA } else { "" };
        site::errata(folder, &evidence, errata, &papers)?;
        let rankings = rankings.into_iter().filter_map(|(_, ranking)| ranking).collect();
        let record = Record::new(&manifests, &all, rankings);
        if let Some(path) = &arguments.record {
            record.write(path)?;
        }
        if let Some(path) = &arguments.gallery {
            record.write_gallery(path, folder)?;
        }
    } else if arguments.record.is_some() || arguments.gallery.is_some() {
        let message = "--record and --gallery keep everything: name no items";
        return Err(Failure::usage(message.into()));
    }
    let text = match arguments.json {
        true => format!("{:#}\n", Value::Array(details)),
        false => summary(&reports, folder, began.elapsed().as_secs_f64()),
    };
    let bad: usize = reports.iter().map(|report| report.bad).sum::<usize>() + wrong_errata;
    match bad {
        0 => Ok(text),
        bad => {
            let message = format!("{bad} numbers or claims differ without an explanation");
            Err(Failure { text, code: 3, ..Failure::usage(message) })
        }
    }
}

fn within(manifest: &Manifest, item: &Item, failure: Failure) -> Failure {
    let message = format!("{}/{}: {}", manifest.paper.name, item.name, failure.message);
    Failure { message, ..failure }
}

/// The authors and the year, as the links of the pages have them.
fn short_title(manifest: &Manifest) -> String {
    let title = &manifest.paper.title;
    title.split(':').next().unwrap_or(title).to_string()
}

fn list(manifests: &[Manifest], as_json: bool) -> String {
    let items = manifests.iter().flat_map(|manifest| {
        manifest.item.iter().map(move |item| (format!("{}/{}", manifest.paper.name, item.name), item))
    });
    if as_json {
        let all: Value =
            items.map(|(name, item)| json!({ "name": name, "title": item.title })).collect();
        return format!("{all:#}\n");
    }
    let rows: Vec<Vec<String>> = items.map(|(name, item)| vec![name, item.title.clone()]).collect();
    table::render(&["item", "what it is"], &rows)
        + "\n`cardan reproduce PAPER` or `PAPER/ITEM` computes some of them, without a name all.\n"
}

/// The items that are meant.
fn choose<'a>(
    manifests: &'a [Manifest],
    words: &[String],
) -> Result<Vec<(&'a Manifest, &'a Item)>, Failure> {
    let all = || manifests.iter().flat_map(|m| m.item.iter().map(move |item| (m, item)));
    if words.is_empty() {
        return Ok(all().collect());
    }
    let mut chosen: Vec<(&Manifest, &Item)> = Vec::new();
    for word in words {
        let fits = |(manifest, item): &(&Manifest, &Item)| {
            let paper = &manifest.paper.name;
            paper == word || item.name == *word || format!("{paper}/{}", item.name) == *word
        };
        let found: Vec<_> = all().filter(fits).collect();
        if found.is_empty() {
            let names = all().map(|(m, item)| format!("{}/{}", m.paper.name, item.name));
            let near: Vec<String> = names.filter(|name| name.contains(word.as_str())).collect();
            let papers: Vec<&str> = manifests.iter().map(|m| m.paper.name.as_str()).collect();
            let known = if near.is_empty() { papers.join(", ") } else { near.join(", ") };
            return Err(Failure::usage(format!(
                "there is no item `{word}`; there are {known} (--list names all)"
            )));
        }
        for (manifest, item) in found {
            if !chosen.iter().any(|(_, known)| std::ptr::eq(*known, item)) {
                chosen.push((manifest, item));
            }
        }
    }
    Ok(chosen)
}

/// The studies that items, purposes and errata need.
fn planned(
    manifests: &[Manifest],
    chosen: &[(&Manifest, &Item)],
    is_whole: bool,
    is_quick: bool,
) -> Result<Vec<Planned>, Failure> {
    let mut names: BTreeSet<(String, String)> = BTreeSet::new();
    let mut need = |paper: &str, study: &str| match study.split_once('/') {
        Some((paper, study)) => _ = names.insert((paper.into(), study.into())),
        None => _ = names.insert((paper.into(), study.into())),
    };
    let mut formulas: Vec<(&str, String)> = Vec::new();
    for (manifest, item) in chosen {
        let paper = manifest.paper.name.as_str();
        item.drawn().for_each(|study| need(paper, study));
        formulas.extend(item.formulas().into_iter().map(|formula| (paper, formula)));
    }
    for manifest in manifests.iter().filter(|_| is_whole) {
        let paper = manifest.paper.name.as_str();
        for purpose in &manifest.purpose {
            formulas.push((paper, purpose.score.clone()));
            formulas.extend(purpose.unless.iter().map(|test| (paper, test.clone())));
        }
        for erratum in &manifest.erratum {
            let all = erratum.as_printed.iter().chain(&erratum.as_corrected);
            formulas.extend(all.map(|formula| (paper, formula.clone())));
        }
    }
    for (paper, formula) in formulas {
        let (_, addresses) = quantity::addresses(&formula)?;
        for address in addresses {
            if let Some(study) = quantity::study_of(&address) {
                need(paper, study);
            }
        }
    }
    let program = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    let program = fingerprint(&String::from_utf8_lossy(&program));
    let mut studies = Vec::new();
    for (paper, name) in names {
        let Some(manifest) = manifests.iter().find(|m| m.paper.name == paper) else {
            return Err(Failure::usage(format!("there is no paper `{paper}`")));
        };
        if !manifest.study.contains_key(&name) {
            return Err(Failure::usage(format!("there is no study {paper}/{name}")));
        }
        let mut planned = Planned::new(manifest, &name, &program, is_quick)?;
        if is_quick && planned.study.quick.skip {
            planned.cases.clear();
        }
        studies.push(planned);
    }
    Ok(studies)
}

/// Computes tables and claims of an item and draws its figures.
fn check<'a>(
    quantities: &'a Quantities<'a>,
    manifest: &'a Manifest,
    item: &'a Item,
    folder: &Path,
    is_quick: bool,
) -> Result<Checks<'a>, Failure> {
    let tables = item.table.iter().map(|table| check::table(quantities, table));
    let tables = tables.collect::<Result<Vec<_>, Failure>>()?;
    let claims = item.claim.iter().map(|claim| check::claim(quantities, claim));
    let claims = claims.collect::<Result<Vec<_>, Failure>>()?;
    let drawing = Drawing { manifest, quantities };
    let place = folder.join(&manifest.paper.name);
    std::fs::create_dir_all(&place)
        .map_err(|error| Failure::usage(format!("cannot make {}: {error}", place.display())))?;
    let (mut figures, mut data) = (Vec::new(), Vec::new());
    for (k, picture) in item.figure.iter().enumerate() {
        let letter = if item.figure.len() > 1 { format!("-{}", k + 1) } else { String::new() };
        let file = format!("{}/{}{letter}.svg", manifest.paper.name, item.name);
        if drawing.draw(&item.title, picture, &folder.join(&file))? {
            let caption = match picture.caption.is_empty() {
                true => item.title.clone(),
                false => picture.caption.clone(),
            };
            figures.push((file, caption));
        }
        for file in figure::data(&drawing, picture) {
            if !data.contains(&file) && folder.join(&file).exists() {
                data.push(file);
            }
        }
    }
    let seconds = seconds(quantities, item)?;
    Ok(Checks { manifest, item, tables, claims, figures, data, seconds, is_quick })
}

/// Computing time of the studies that an item uses.
fn seconds(quantities: &Quantities<'_>, item: &Item) -> Result<f64, Failure> {
    let mut names: BTreeSet<String> = item.drawn().map(String::from).collect();
    for formula in item.formulas() {
        let (_, addresses) = quantity::addresses(&formula)?;
        names.extend(addresses.iter().filter_map(|a| quantity::study_of(a)).map(String::from));
    }
    let mut sum = 0.0;
    for name in names {
        let study = quantities.study(&name)?;
        let outcomes = study.cases.iter().filter_map(|case| quantities.results.outcome(study, case));
        sum += outcomes.map(|outcome| outcome.seconds).sum::<f64>();
    }
    Ok(sum)
}

/// The verdicts of this call and of those before it.
fn merge(
    folder: &Path,
    manifests: &[Manifest],
    reports: &[Report],
) -> Result<BTreeMap<String, Report>, Failure> {
    let path = folder.join(VERDICTS);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let known: Vec<Report> = serde_json::from_str(&text).unwrap_or_default();
    let mut all: BTreeMap<String, Report> =
        known.into_iter().map(|report| (report.name.clone(), report)).collect();
    all.extend(reports.iter().map(|report| (report.name.clone(), report.clone())));
    let is_there = |name: &str| {
        let named = |m: &Manifest, item: &Item| format!("{}/{}", m.paper.name, item.name) == name;
        manifests.iter().any(|m| m.item.iter().any(|item| named(m, item)))
    };
    all.retain(|name, _| is_there(name));
    let values: Vec<&Report> = all.values().collect();
    let text = serde_json::to_string_pretty(&values).unwrap_or_default() + "\n";
    table::write_whole(&path, text.as_bytes())
        .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
    Ok(all)
}

fn summary(reports: &[Report], folder: &Path, seconds: f64) -> String {
    let rows: Vec<Vec<String>> = reports
        .iter()
        .map(|report| vec![report.name.clone(), report.title.clone(), report.words()])
        .collect();
    let sum = |of: fn(&Report) -> usize| reports.iter().map(of).sum::<usize>();
    table::render(&["item", "what it is", "verdict"], &rows)
        + &format!(
            "\n{} numbers and claims agree, {} differ and are explained, {} differ; {} left out. {}\nopen {}\n",
            sum(|r| r.good),
            sum(|r| r.explained),
            sum(|r| r.bad),
            sum(|r| r.skipped),
            table::duration(seconds),
            folder.join("index.html").display()
        )
}
