//! The models of a paper: a still picture of each, which leads to a page that shows it in motion.

use std::collections::BTreeSet;
use std::path::Path;

use cardan::file::ModelFile;
use cardan::output::{self, ExistingFile};
use cardan::run::{RunRequest, run_in_memory};

use super::html::{escaped, link};
use crate::error::LabError;
use crate::examples;
use crate::reproduce::manifest::Manifest;
use crate::still::is_still;
use crate::viewer::{PlotChannels, ViewDocument, is_page, page};

/// The folder of the pictures and pages in that of the site.
const FOLDER: &str = "models";

/// How pages of models are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelPages {
    /// They show the motion, which takes about a minute for all papers.
    Moving,
    /// They show the assembled model, unless there is a page with its motion.
    Still,
    /// Those that are there already are linked.
    Existing,
}

/// Writes pictures and pages of the examples that the studies of a paper use; the part of its page that shows them.
pub fn models(folder: &Path, manifest: &Manifest, pages: ModelPages) -> Result<String, LabError> {
    let used: BTreeSet<&str> =
        manifest.study.values().filter_map(|study| study.model.as_deref()).collect();
    let known = examples::EXAMPLES.iter().filter(|(name, _)| used.contains(name));
    let mut html = String::new();
    for (name, text) in known {
        let file = ModelFile::parse(&format!("{name}.toml"), text, &[])?;
        let title = file.title.clone().unwrap_or_else(|| (*name).into());
        if !write(folder, name, &title, &file, pages)? {
            continue;
        }
        let (target, title) = (link(&format!("{FOLDER}/{name}")), escaped(&title));
        html += &format!(
            "<figure><a href=\"../{target}.html\"><img src=\"../{target}.svg\" alt=\"{title}, a model\" loading=\"lazy\" \
             width=\"320\"></a><figcaption><a href=\"../{target}.html\">{title}</a>: open it to see it move</figcaption></figure>\n"
        );
    }
    match html.is_empty() {
        true => Ok(html),
        false => Ok(format!("<h2>Models</h2>\n<div class=\"models\">\n{html}</div>\n")),
    }
}

/// Writes picture and page of a model if they are needed; whether they are there.
fn write(
    folder: &Path,
    name: &str,
    title: &str,
    file: &ModelFile,
    pages: ModelPages,
) -> Result<bool, LabError> {
    let place = folder.join(FOLDER);
    let [live, still] = ["html", "svg"].map(|ending| place.join(format!("{name}.{ending}")));
    // a page of the same model and program is not computed again
    let version = env!("CARGO_PKG_VERSION");
    let mark = |pages: ModelPages| format!("<!-- {pages:?} {version} {} -->\n", file.sha256());
    let existing = std::fs::read_to_string(&still).unwrap_or_default();
    let has = |pages: ModelPages| existing.ends_with(&mark(pages));
    let is_there = match pages {
        ModelPages::Moving => has(pages),
        _ => has(ModelPages::Moving) || has(ModelPages::Still),
    };
    if is_there && is_page(&live) || pages == ModelPages::Existing {
        return Ok(is_there && is_page(&live));
    }
    std::fs::create_dir_all(&place)
        .map_err(|error| LabError::input(format!("cannot create {}: {error}", place.display())))?;
    let document = document(title, file, pages)?;
    let picture = document.still(0.5) + &mark(pages);
    output::write(&still, picture.as_bytes(), ExistingFile::ReplaceIf(&is_still))?;
    output::write(&live, page(&document).as_bytes(), ExistingFile::ReplaceIf(&is_page))?;
    Ok(true)
}

/// The motion of a model with the settings of its file; the assembled model if it has none.
fn document(title: &str, file: &ModelFile, pages: ModelPages) -> Result<ViewDocument, LabError> {
    let start = file.assemble()?;
    let schedule = file.schedule().ok().filter(|_| pages == ModelPages::Moving);
    let request = RunRequest::new(Path::new(""));
    let done = schedule
        .and_then(|schedule| run_in_memory(file, &schedule, &start, &request, &mut |_| true).ok());
    let Some((done, motion)) = done.and_then(|done| done.motion().map(|motion| (done, motion)))
    else {
        return Ok(ViewDocument::of_model(title, &start));
    };
    let columns = done.summary.columns.iter().zip(done.columns);
    let columns = columns.map(|(x, values)| (x.name.clone(), x.unit.clone(), values));
    ViewDocument::of_run(title, &start, ("run", &motion), PlotChannels::of_columns(columns))
}
