//! The record of a reproduction, which the documentation and `cardan methods` read.

use std::collections::BTreeMap;
use std::path::Path;

use cardan::output::{FileNames, origin};
use serde::{Deserialize, Serialize};

use super::manifest::Manifest;
pub use super::purpose::Ranking;
use super::site::ItemReport;
use crate::error::LabError;
use crate::examples::{EXAMPLES, title};
use crate::overwrite::{self, Overwrite};

/// The rankings of methods by purpose, and the pictures of the gallery.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReproductionRecord {
    /// The rankings of methods by purpose.
    pub purposes: Vec<Ranking>,
    /// The pictures of the gallery.
    pub gallery: Vec<Exhibit>,
}

/// A picture of the gallery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Exhibit {
    /// PAPER/ITEM.
    pub item: String,
    /// The title.
    pub title: String,
    /// What the paper shows and what Cardan computes.
    pub text: String,
    /// The verdict in words.
    pub verdict: String,
    /// The figure within the folder of the site.
    pub figure: String,
}

/// The place of a method in a ranking.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RankedMethod {
    /// The purpose.
    pub title: String,
    /// The method with its parameters.
    pub choice: String,
    /// The score.
    pub score: String,
    /// The unit of the score.
    pub unit: String,
    /// The place, counted from one.
    pub place: usize,
    /// The number of methods ranked.
    pub of: usize,
    /// Whether the method is recommended.
    pub is_recommended: bool,
}

/// The record that comes with the program.
const RECORD: &str = include_str!("../../data/reproduced.json");

/// Reads the record that comes with the program.
pub fn recorded() -> ReproductionRecord {
    serde_json::from_str(RECORD)
        .unwrap_or(ReproductionRecord { purposes: Vec::new(), gallery: Vec::new() })
}

impl ReproductionRecord {
    pub(super) fn new(
        manifests: &[Manifest],
        reports: &BTreeMap<String, ItemReport>,
        purposes: Vec<Ranking>,
    ) -> Self {
        let items = manifests.iter().flat_map(|m| m.item.iter().map(move |item| (m, item)));
        let exhibit = |(manifest, item): (&Manifest, &super::manifest::ManifestItem)| {
            let name = format!("{}/{}", manifest.paper.name, item.name);
            let report = reports.get(&name).filter(|_| item.gallery)?;
            Some(Exhibit {
                item: name,
                title: item.title.clone(),
                text: format!(
                    "{}. In the paper: {} Here: {}",
                    manifest.short_title(),
                    item.paper.trim(),
                    item.ours.trim()
                )
                .replace(" In the paper:  Here:", ""),
                verdict: report.words(),
                figure: report.figures.first()?.clone(),
            })
        };
        Self { purposes, gallery: items.filter_map(exhibit).collect() }
    }

    pub(super) fn write(&self, path: &Path, overwrite: Overwrite) -> Result<(), LabError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        let existing = overwrite.existing(&origin::is_json::<Self>);
        overwrite::write(path, text.as_bytes(), existing)
    }

    /// The places of a method in the rankings, the best of its variants in each.
    pub fn purposes_of(&self, method: &str) -> Vec<RankedMethod> {
        let mut found = Vec::new();
        for ranking in &self.purposes {
            let is_it = |choice: &str| choice.split([':', '/']).next() == Some(method);
            let Some(k) = ranking.scores.iter().position(|(choice, _)| is_it(choice)) else {
                continue;
            };
            let (choice, score) = &ranking.scores[k];
            found.push(RankedMethod {
                title: ranking.title.clone(),
                choice: choice.clone(),
                score: super::numbers::short(*score),
                unit: ranking.unit.clone(),
                place: k + 1,
                of: ranking.scores.len() + ranking.failed.len(),
                is_recommended: k < ranking.recommended,
            });
        }
        found
    }

    /// The gallery as Markdown.
    pub fn gallery_page(&self) -> String {
        let mut text = String::from(
            "# Gallery\n\nPictures from `cardan reproduce`, which computes every figure and table with numbers of five papers and \
             compares them with the printed ones.\nThe command that writes this page: `cardan reproduce --record crates/cardan-lab/data/reproduced.json \
             --gallery docs/gallery.md`.\n\n",
        );
        let mut names = FileNames::default();
        for exhibit in &self.gallery {
            let picture = picture_name(&mut names, &exhibit.figure);
            text += &format!(
                "## {}\n\n![{}](figures/{picture})\n\n{}\n\n`cardan reproduce {}`: {}.\n\n",
                exhibit.title, exhibit.title, exhibit.text, exhibit.item, exhibit.verdict
            );
        }
        text += &models();
        text += "## Which method\n\nScores of the methods for each purpose, the best first; `cardan methods NAME` \
                 shows them too.\n";
        for ranking in &self.purposes {
            text += &format!(
                "\n### {}\n\n| method | {} |\n| --- | --- |\n",
                ranking.title, ranking.unit
            );
            for (k, (method, score)) in ranking.scores.iter().enumerate() {
                let mark = if k < ranking.recommended { "**" } else { "" };
                let score = super::numbers::short(*score);
                text += &format!("| {mark}`{method}`{mark} | {score} |\n");
            }
            for method in &ranking.failed {
                text += &format!("| `{method}` | not |\n");
            }
        }
        text
    }

    /// Writes the gallery and copies its figures to the folder `figures` next to it.
    pub(super) fn write_gallery(
        &self,
        path: &Path,
        site: &Path,
        overwrite: Overwrite,
    ) -> Result<(), LabError> {
        let fail = |error: std::io::Error| {
            LabError::input(format!("cannot write {}: {error}", path.display()))
        };
        let figures = path.parent().unwrap_or(Path::new("")).join("figures");
        std::fs::create_dir_all(&figures).map_err(fail)?;
        let mut names = FileNames::default();
        for exhibit in &self.gallery {
            let target = figures.join(picture_name(&mut names, &exhibit.figure));
            let picture = std::fs::read(site.join(&exhibit.figure)).map_err(fail)?;
            overwrite::write(&target, &picture, overwrite.existing(&origin::is_picture))?;
        }
        let page = self.gallery_page();
        overwrite::write(path, page.as_bytes(), overwrite.existing(&is_gallery))
    }
}

/// Models in a row of the gallery.
const COLUMNS: usize = 3;

/// Still pictures of the examples as Markdown. `npm run stills` in the folder `viewer` draws them.
fn models() -> String {
    let mut text = String::from(
        "## Models\n\nThe examples as [the viewer](viewer.md) shows them. `cardan gallery` writes them as one page, `gallery/index.html`, \
         in which a click on a picture shows the model in motion; `cardan run NAME --view` writes the page of one.\n\n| | | |\n| --- | --- | --- |\n",
    );
    for row in EXAMPLES.chunks(COLUMNS) {
        let cell = |(name, model): &(&str, &str)| {
            let title = title(model);
            format!(
                "[![{title}](figures/models/{name}.png)](../models/{name}.toml)<br>{title}: `{name}`"
            )
        };
        let mut cells: Vec<String> = row.iter().map(cell).collect();
        cells.resize(COLUMNS, String::new());
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text + "\n"
}

/// `zhang-2022/fig9.svg` in one folder with others.
fn picture_name(names: &mut FileNames, figure: &str) -> String {
    let name = figure.replace('/', "-");
    names.add(name.strip_suffix(".svg").unwrap_or(&name), ".svg")
}

/// The beginning of the gallery page.
const GALLERY: &str = "# Gallery\n\nPictures from `cardan reproduce`";

fn is_gallery(path: &Path) -> bool {
    origin::first_text(path).starts_with(GALLERY)
}

/// Checks that record and gallery may be written, before hours of computing.
pub(super) fn check(
    record: Option<&Path>,
    gallery: Option<&Path>,
    overwrite: Overwrite,
) -> Result<(), LabError> {
    if let Some(path) = record {
        overwrite::check(path, overwrite.existing(&origin::is_json::<ReproductionRecord>))?;
    }
    match gallery {
        Some(path) => overwrite::check(path, overwrite.existing(&is_gallery)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cardan reproduce --record crates/cardan-lab/data/reproduced.json --gallery docs/gallery.md` renews both.
    #[test]
    fn gallery_page_equals_the_record() {
        let page = include_str!("../../../../docs/gallery.md");
        assert!(recorded().gallery_page() == page, "docs/gallery.md differs from the record");
        assert!(recorded().gallery.len() > 5 && recorded().purposes.len() > 5);
    }

    /// `npm run stills` in the folder `viewer` draws the pictures.
    #[test]
    fn every_example_has_a_small_still_picture() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/figures/models");
        let size = |(name, _): &(&str, &str)| {
            let path = folder.join(format!("{name}.png"));
            let bytes = std::fs::read(&path).unwrap_or_else(|_| panic!("{}", path.display()));
            assert!(bytes.starts_with(b"\x89PNG") && bytes.len() <= 60_000, "{}", path.display());
            bytes.len()
        };
        let total: usize = EXAMPLES.iter().map(size).sum();
        assert!(total <= 2_000_000, "{total} bytes");
    }

    /// Every ranked method is in the registry.
    #[test]
    fn ranked_methods_exist() {
        for ranking in recorded().purposes {
            for (choice, score) in ranking.scores {
                let word = choice.split('/').next().unwrap();
                assert!(
                    word.parse::<cardan::methods::MethodChoice>().unwrap().build().is_ok(),
                    "{choice}"
                );
                assert!(score.is_finite());
            }
        }
    }
}
