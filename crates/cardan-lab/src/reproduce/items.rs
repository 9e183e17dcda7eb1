//! Items: choosing them, the studies they need, and their tables, claims and figures.

use std::collections::BTreeSet;
use std::path::Path;

use super::figure::{self, Drawing};
use super::manifest::{Manifest, ManifestItem};
use super::plan::{Planned, Standard};
use super::quantity::{self, Quantities};
use super::site::Checks;
use crate::error::LabError;

/// The items that are chosen.
pub fn choose<'a>(
    manifests: &'a [Manifest],
    words: &[String],
) -> Result<Vec<(&'a Manifest, &'a ManifestItem)>, LabError> {
    let all = || manifests.iter().flat_map(|m| m.item.iter().map(move |item| (m, item)));
    if words.is_empty() {
        return Ok(all().collect());
    }
    let mut chosen: Vec<(&Manifest, &ManifestItem)> = Vec::new();
    for word in words {
        let fits = |(manifest, item): &(&Manifest, &ManifestItem)| {
            let paper = &manifest.paper.name;
            paper == word || item.name == *word || format!("{paper}/{}", item.name) == *word
        };
        let found: Vec<_> = all().filter(fits).collect();
        if found.is_empty() {
            let names = all().map(|(m, item)| format!("{}/{}", m.paper.name, item.name));
            let near: Vec<String> = names.filter(|name| name.contains(word.as_str())).collect();
            let papers: Vec<&str> = manifests.iter().map(|m| m.paper.name.as_str()).collect();
            let known = if near.is_empty() { papers.join(", ") } else { near.join(", ") };
            return Err(LabError::input(format!(
                "there is no item `{word}`; items: {known} (--list shows all)"
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
pub fn planned(
    manifests: &[Manifest],
    chosen: &[(&Manifest, &ManifestItem)],
    is_whole: bool,
    is_quick: bool,
) -> Result<Vec<Planned>, LabError> {
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
    let program = crate::study::program_fingerprint();
    let mut studies = Vec::new();
    for (paper, name) in names {
        let Some(manifest) = manifests.iter().find(|m| m.paper.name == paper) else {
            return Err(LabError::input(format!("there is no paper `{paper}`")));
        };
        if !manifest.study.contains_key(&name) {
            return Err(LabError::input(format!("there is no study {paper}/{name}")));
        }
        studies.push(Planned::new(manifest, &name, &program, is_quick)?);
    }
    Ok(studies)
}

/// Computes tables and claims of an item and draws its figures.
pub fn check<'a>(
    quantities: &Quantities<'_>,
    manifest: &'a Manifest,
    item: &'a ManifestItem,
    folder: &Path,
    is_quick: bool,
) -> Result<Checks<'a>, LabError> {
    let tables = item.table.iter().map(|table| super::check::table(quantities, table));
    let tables = tables.collect::<Result<Vec<_>, LabError>>()?;
    let claims = item.claim.iter().map(|claim| super::check::claim(quantities, claim));
    let claims = claims.collect::<Result<Vec<_>, LabError>>()?;
    let drawing = Drawing { manifest, quantities };
    let place = folder.join(&manifest.paper.name);
    std::fs::create_dir_all(&place)
        .map_err(|error| LabError::input(format!("cannot create {}: {error}", place.display())))?;
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
    let used = used(quantities, item)?;
    let outcomes = used.iter().flat_map(|study| {
        study.cases.iter().filter_map(|case| quantities.results.outcome(study, case))
    });
    let seconds = outcomes.map(|outcome| outcome.seconds).sum();
    let failed = |study: &&Planned| {
        matches!(study.reference, Some(Standard::Run(_)))
            && !study.cases.is_empty()
            && quantities.results.reference(study).is_none()
    };
    let note = |study: &Planned| format!("The reference run of {} has failed.", study.name);
    let notes = used.into_iter().filter(failed).map(note).collect();
    Ok(Checks { manifest, item, tables, claims, figures, data, seconds, notes, is_quick })
}

/// The studies that an item uses.
fn used<'a>(
    quantities: &'a Quantities<'_>,
    item: &ManifestItem,
) -> Result<Vec<&'a Planned>, LabError> {
    let mut names: BTreeSet<String> = item.drawn().map(String::from).collect();
    for formula in item.formulas() {
        let (_, addresses) = quantity::addresses(&formula)?;
        names.extend(addresses.iter().filter_map(|a| quantity::study_of(a)).map(String::from));
    }
    names.iter().map(|name| quantities.study(name)).collect()
}
