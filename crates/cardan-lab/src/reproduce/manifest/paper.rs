//! A manifest as a whole: the paper, its groups of methods, studies, items, purposes and errata.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::item::ManifestItem;
use super::study::ManifestStudy;
use super::text;
use crate::error::LabError;

/// The maximum length of a name, which is also a file name.
const MAX_NAME: usize = 60;
/// A paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Where its model files are.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Its file, if it is none that comes with the program.
    #[serde(skip)]
    pub file: Option<String>,
    pub paper: Paper,
    /// Methods by the name of a group.
    #[serde(default)]
    pub group: BTreeMap<String, Vec<String>>,
    /// How methods are called in figures and tables.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    #[serde(default)]
    pub study: BTreeMap<String, ManifestStudy>,
    #[serde(default)]
    pub item: Vec<ManifestItem>,
    #[serde(default)]
    pub purpose: Vec<Purpose>,
    #[serde(default)]
    pub erratum: Vec<Erratum>,
}

/// The source of the paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// The name in commands.
    pub name: String,
    pub title: String,
    #[serde(default)]
    pub source: String,
    /// The subject of the paper and the conclusions, in Markdown.
    #[serde(default)]
    pub about: String,
}

/// What methods are for: those that do best in a measure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purpose {
    pub name: String,
    pub title: String,
    /// The purpose and what the numbers show, in Markdown.
    pub text: String,
    pub methods: Vec<String>,
    /// The number that is small for a good method; `{method}` is replaced by the method.
    pub score: String,
    /// The unit of the score.
    pub unit: String,
    /// Methods up to this factor times the best score are recommended.
    pub within: f64,
    /// A method for which one of these comparisons holds is excluded.
    #[serde(default)]
    pub unless: Vec<String>,
}

/// An error in print, and the evidence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erratum {
    pub place: String,
    pub printed: String,
    pub right: String,
    /// What is measured, and for what is printed and what is right.
    pub evidence: String,
    pub as_printed: Vec<String>,
    pub as_corrected: Vec<String>,
    /// The comparison of `p0`, `p1` … and `c0`, `c1` … that shows the error.
    pub shows: String,
}

impl Purpose {
    /// The first error in its content.
    fn mistake(&self) -> Option<String> {
        if self.methods.is_empty() {
            return Some("it has no methods".into());
        }
        let is_factor = self.within.is_finite() && self.within >= 1.0;
        (!is_factor).then(|| format!("`within` is {}, not a finite number from 1 on", self.within))
    }
}

impl Manifest {
    /// Reads a manifest; errors name their place.
    pub fn parse(name: &str, text: &str) -> Result<Self, LabError> {
        let wrong = |error: toml::de::Error| {
            LabError::input(format!("{name}: {}", error.to_string().trim_end()))
        };
        let whole: toml::Table = toml::from_str(text).map_err(wrong)?;
        let mut place = String::new();
        if let Some(mistake) = text::first_problem(&toml::Value::Table(whole), &mut place) {
            return Err(LabError::input(format!("{name}: {mistake}")));
        }
        let manifest: Self = toml::from_str(text).map_err(wrong)?;
        match manifest.mistake() {
            Some(mistake) => Err(LabError::input(format!("{name}: {mistake}"))),
            None => Ok(manifest),
        }
    }

    /// The first error in its content, such as a name that cannot be a file name.
    fn mistake(&self) -> Option<String> {
        let is_word = |name: &str| {
            (1..=MAX_NAME).contains(&name.len())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
                && cardan::output::file_name(name) == name
        };
        let items = || self.item.iter().map(|item| item.name.as_str());
        let studies = self.study.keys().map(String::as_str);
        let mut names = items().chain(studies).chain([self.paper.name.as_str()]);
        if let Some(wrong) = names.find(|name| !is_word(name)) {
            return Some(format!(
                "`{wrong}` is no name\n  try: up to {MAX_NAME} letters, digits, - and _"
            ));
        }
        // some file systems do not distinguish capitals
        let is_twice =
            |name: &&str| items().filter(|other| other.eq_ignore_ascii_case(name)).count() > 1;
        if let Some(twice) = items().find(is_twice) {
            return Some(format!("two items are called `{twice}`"));
        }
        let studies = || self.study.keys();
        let is_twice =
            |name: &&String| studies().filter(|other| other.eq_ignore_ascii_case(name)).count() > 1;
        if let Some(twice) = studies().find(is_twice) {
            return Some(format!("two studies are called `{twice}`"));
        }
        // figures of an item are numbered
        let numbered = |item: &ManifestItem| {
            let count = if item.figure.len() > 1 { item.figure.len() } else { 0 };
            let file = |k: usize| format!("{}-{k}", item.name);
            (1..=count).map(file).find(|file| items().any(|x| x.eq_ignore_ascii_case(file)))
        };
        if let Some(file) = self.item.iter().find_map(numbered) {
            return Some(format!("an item is called `{file}`, as a figure of another one"));
        }
        if let Some(reserved) = items().find(|name| name.eq_ignore_ascii_case("index")) {
            return Some(format!("an item cannot be called `{reserved}`: its page is the paper's"));
        }
        let paper = self.paper.name.to_ascii_lowercase();
        if paper == "data" || paper.starts_with("data-") {
            return Some("a paper cannot be called `data`: that folder holds the runs".into());
        }
        for item in &self.item {
            if let Some(mistake) = item.mistake() {
                return Some(format!("item {}: {mistake}", item.name));
            }
        }
        for (name, study) in &self.study {
            if let Some(mistake) = study.mistake() {
                return Some(format!("study {name}: {mistake}"));
            }
        }
        if let Some((name, _)) = self.group.iter().find(|(_, methods)| methods.is_empty()) {
            return Some(format!("the group {name} has no methods"));
        }
        for purpose in &self.purpose {
            if let Some(mistake) = purpose.mistake() {
                return Some(format!("purpose {}: {mistake}", purpose.name));
            }
        }
        let is_bare =
            |erratum: &&Erratum| erratum.as_printed.is_empty() && erratum.as_corrected.is_empty();
        let bare = self.erratum.iter().find(is_bare);
        bare.map(|erratum| format!("the erratum at {} has no evidence", erratum.place))
    }

    /// How a method is called in figures and tables.
    pub fn called(&self, method: &str) -> String {
        self.names.get(method).cloned().unwrap_or_else(|| method.into())
    }

    /// Methods with groups replaced by their members.
    pub fn methods(&self, words: &[String]) -> Result<Vec<String>, LabError> {
        let mut all = Vec::new();
        for word in words {
            let Some(name) = word.strip_prefix('@') else {
                all.push(word.clone());
                continue;
            };
            let paper = &self.paper.name;
            let missing = || LabError::input(format!("{paper}: there is no group `{name}`"));
            let group = self.group.get(name).ok_or_else(missing)?;
            if let Some(nested) = group.iter().find(|word| word.starts_with('@')) {
                return Err(LabError::input(format!(
                    "{paper}: the group `{name}` contains the group `{nested}`; groups do not nest"
                )));
            }
            all.extend(group.iter().cloned());
        }
        Ok(all)
    }

    /// The authors and the year, as the links of the pages have them.
    pub fn short_title(&self) -> String {
        let title = &self.paper.title;
        title.split(':').next().unwrap_or(title).to_string()
    }
}
