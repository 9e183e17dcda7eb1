//! The models of a paper: a still picture of each that becomes live on click.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::error::LabError;
use crate::examples;
use crate::live_models::{ModelPages, figure, write_model};
use crate::reproduce::manifest::Manifest;

/// The folder of the pictures and pages in that of the site.
const FOLDER: &str = "models";

/// Writes pictures and pages of the examples that the studies of a paper use; the part of its page that shows them.
pub fn models(folder: &Path, manifest: &Manifest, pages: ModelPages) -> Result<String, LabError> {
    let used: BTreeSet<&str> =
        manifest.study.values().filter_map(|study| study.model.as_deref()).collect();
    let known = examples::EXAMPLES.iter().filter(|(name, _)| used.contains(name));
    let (mut html, stop) = (String::new(), AtomicBool::new(false));
    for (name, text) in known {
        let title = write_model(&folder.join(FOLDER), (name, text), pages, &stop)?;
        let place = format!("../{FOLDER}");
        html += &title.map_or(String::new(), |title| figure(&place, name, &title));
    }
    match html.is_empty() {
        true => Ok(html),
        false => Ok(format!(
            "<h2>Models</h2>\n<p>Click a picture to see the model move.</p>\n<div class=\"models\">\n{html}</div>\n"
        )),
    }
}
