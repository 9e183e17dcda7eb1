//! The manifests that come with the program, and those that the options name.

use std::path::Path;

use super::manifest::Manifest;
use super::options::ReproduceOptions;
use crate::error::LabError;

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
pub const ERRATA: &str = include_str!("../../errata.md");
/// Reads the manifests that the options name; those of the program if they name none.
pub fn manifests(options: &ReproduceOptions) -> Result<Vec<Manifest>, LabError> {
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
