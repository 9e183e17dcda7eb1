//! Computes the chosen items, writes the site and returns the verdicts as text.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use cardan::output::{self, ExistingFile, origin};
use serde_json::Value;

use super::bundled::manifests;
use super::compute::StudyResults;
use super::manifest::ExplanationCounts;
use super::options::ReproduceOptions;
use super::site::ItemReport;
use super::write_pages::{ReproductionSite, VERDICTS, WrittenItems};
use super::{items, record, site};
use crate::error::{LabError, LabErrorKind};
use crate::study::CaseProgress;
use crate::table;

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
        let message = "--record and --gallery keep everything that comes with the program\n  try: without names of items, \
                       --manifest and --quick";
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
        let message = "interrupted\n  try: the same command, which continues from here";
        return Err(LabError::input(message).of_kind(LabErrorKind::Interrupted));
    }
    let site = ReproductionSite {
        papers: manifests
            .iter()
            .filter(|manifest| !manifest.item.is_empty())
            .map(|manifest| (manifest.paper.name.clone(), manifest.short_title()))
            .collect(),
        manifests: &manifests,
        studies: &studies,
        results: &results,
        folder,
    };
    site::style(folder)?;
    let WrittenItems { reports, all, mut details } = site.write_items(&chosen, options.quick)?;
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

fn summary(reports: &[ItemReport], wrong_errata: usize, folder: &Path, seconds: f64) -> String {
    let rows: Vec<Vec<String>> = reports
        .iter()
        .map(|report| vec![report.name.clone(), report.title.clone(), report.words()])
        .collect();
    let sum = |of: fn(&ItemReport) -> usize| reports.iter().map(of).sum::<usize>();
    let explanations = ExplanationCounts::sum(reports.iter().map(|report| report.explanations));
    table::render(&["item", "description", "verdict"], &rows)
        + &format!(
            "\n{} numbers and claims agree, {} differ and are explained ({}), {} differ; {} omitted. {}\nopen {}\n",
            sum(|r| r.good),
            sum(|r| r.explained),
            explanations.all(),
            sum(|r| r.bad) + wrong_errata,
            sum(|r| r.skipped),
            table::duration(seconds),
            folder.join("index.html").display()
        )
}
