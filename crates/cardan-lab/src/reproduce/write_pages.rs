//! Writes the pages of a site from the results of all studies.

use std::collections::BTreeMap;
use std::path::Path;

use cardan::output::{self, ExistingFile, origin};
use serde_json::{Value, json};

use super::bundled::ERRATA;
use super::compute::StudyResults;
use super::manifest::{Manifest, ManifestItem};
use super::options::ReproduceOptions;
use super::plan::Planned;
use super::quantity::Quantities;
use super::record::ReproductionRecord;
use super::site::ItemReport;
use super::{check, erratum, items, purpose, site};
use crate::error::LabError;
use crate::live_models::ModelPages;

/// The verdicts of the site, kept from one call to the next.
pub const VERDICTS: &str = "verdicts.json";

const ABOUT: &str = "Every figure and table with numbers of these papers, computed by Cardan \
and compared with the printed numbers. Green: the printed result is reproduced. Yellow: the result differs, and the page gives \
the reason: a misprint with evidence, a choice that the paper does not state, with the choices that were tried, or *open*. Red: the result differs without an explanation. Each page ends with the command that repeats it.";

/// The results of all studies, and where their pages go.
pub struct ReproductionSite<'a> {
    pub manifests: &'a [Manifest],
    pub studies: &'a [Planned],
    pub results: &'a StudyResults,
    pub folder: &'a Path,
    /// Names and short titles of the papers, for the links of the pages.
    pub papers: Vec<(String, String)>,
}

/// The pages that were written, with their verdicts.
pub struct WrittenItems {
    /// The reports of the chosen items.
    pub reports: Vec<ItemReport>,
    /// The reports of all known items by name.
    pub all: BTreeMap<String, ItemReport>,
    /// The numbers of the chosen items as JSON.
    pub details: Vec<Value>,
}

impl ReproductionSite<'_> {
    fn quantities(&self, manifest: &Manifest) -> Quantities<'_> {
        Quantities {
            studies: self.studies,
            results: self.results,
            paper: manifest.paper.name.clone(),
        }
    }

    /// Writes the pages of the items, the papers and the index. Returns their reports and
    /// numbers.
    pub fn write_items(
        &self,
        chosen: &[(&Manifest, &ManifestItem)],
        quick: bool,
    ) -> Result<WrittenItems, LabError> {
        let (mut reports, mut details, mut pages) = (Vec::new(), Vec::new(), Vec::new());
        for (manifest, item) in chosen {
            let checks =
                items::check(&self.quantities(manifest), manifest, item, self.folder, quick)
                    .map_err(|failure| within(manifest, item, failure))?;
            details.push(json!({
                "item": checks.report().name,
                "kind": checks.item.kind,
                "because": checks.item.because,
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
            let is_chosen = chosen.iter().any(|(of, _)| of.paper.name == manifest.paper.name);
            let shown = match (is_chosen, quick) {
                (false, _) => ModelPages::Existing,
                (true, true) => ModelPages::Still,
                (true, false) => ModelPages::Moving,
            };
            site::paper(self.folder, manifest, &all, &self.papers, shown)?;
        }
        site::index(self.folder, self.manifests, &all, &self.papers, ABOUT)?;
        Ok(WrittenItems { reports, all, details })
    }

    /// Writes rankings, errata, the record and the gallery. Returns the number of errata whose evidence differs.
    pub fn write_conclusions(
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
