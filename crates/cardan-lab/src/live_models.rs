//! Example models on web pages: a still picture of each that becomes live on click.
//!
//! A page needs no script for that: each picture is a link in a small frame, which leads this frame to the page of the viewer.
//! Nothing of a model is loaded before.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cardan::file::ModelFile;
use cardan::output::{ExistingFile, origin};
use cardan::run::{RunRequest, run_in_memory};

use crate::chart::escaped;
use crate::error::LabError;
use crate::examples::EXAMPLES;
use crate::overwrite::{self, Overwrite};
use crate::still::is_still;
use crate::study::CaseProgress;
use crate::viewer::{PlotChannels, ViewDocument, is_page, page};

/// The time that a model of a gallery is computed, at most; the page shows the motion until then.
const MAX_TIME: Duration = Duration::from_secs(60);

/// The rules of style sheets for [`figure`].
pub const STYLE: &str = "\
.model { margin: 14px 0; width: 504px; max-width: 100%; }
.model iframe { display: block; width: 100%; height: 348px; border: 1px solid #dcdcdc; border-radius: 4px; background: #f4f6f8; resize: both; }
";

/// What a content security policy of a page with such figures needs besides its own: frames of the same site or folder.
pub const FRAME_POLICY: &str = "frame-src 'self' file:";

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

/// The HTML of a model: a frame with its still picture `PLACE/NAME.svg`, which leads to the live page `PLACE/NAME.html`.
/// `place` is a path of plain characters.
pub fn figure(place: &str, name: &str, title: &str) -> String {
    let title = escaped(title);
    // without rules of style, which the policy of the page may not allow here
    let inside = format!(
        "<!doctype html><html lang=\"en\"><body marginwidth=\"0\" marginheight=\"0\" bgcolor=\"#f4f6f8\"><a \
         href=\"{place}/{name}.html\"><img src=\"{place}/{name}.svg\" width=\"100%\" alt=\"{title}: show it move\"></a>"
    );
    format!(
        "<figure class=\"model\"><iframe srcdoc=\"{}\" title=\"{title}\"></iframe>\
         <figcaption><a href=\"{place}/{name}.html\">{title}</a></figcaption></figure>\n",
        escaped(&inside)
    )
}

/// Writes picture and page of an example to a folder if they are needed; its title, or nothing if they are not there.
pub fn write_model(
    place: &Path,
    (name, text): (&str, &str),
    pages: ModelPages,
    stop: &AtomicBool,
) -> Result<Option<String>, LabError> {
    let file = ModelFile::parse(&format!("{name}.toml"), text, &[])?;
    let title = file.title.clone().unwrap_or_else(|| name.into());
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
        return Ok((is_there && is_page(&live)).then_some(title));
    }
    std::fs::create_dir_all(place)
        .map_err(|error| LabError::input(format!("cannot create {}: {error}", place.display())))?;
    let document = document(&title, &file, pages, stop)?;
    let picture = document.still(0.5) + &mark(pages);
    overwrite::write(&still, picture.as_bytes(), ExistingFile::ReplaceIf(&is_still))?;
    overwrite::write(&live, page(&document).as_bytes(), ExistingFile::ReplaceIf(&is_page))?;
    Ok(Some(title))
}

/// The motion of a model with the settings of its file; the assembled model if it has none.
fn document(
    title: &str,
    file: &ModelFile,
    pages: ModelPages,
    stop: &AtomicBool,
) -> Result<ViewDocument, LabError> {
    let start = file.assemble()?;
    let schedule = file.schedule().ok().filter(|_| pages == ModelPages::Moving);
    let (request, began) = (RunRequest::new(Path::new("")), Instant::now());
    let mut goes_on = |_: &_| began.elapsed() < MAX_TIME && !stop.load(Ordering::Relaxed);
    let done = schedule
        .and_then(|schedule| run_in_memory(file, &schedule, &start, &request, &mut goes_on).ok());
    if stop.load(Ordering::Relaxed) {
        return Err(LabError::input("interrupted; pages that were written stay"));
    }
    let Some((done, motion)) = done.and_then(|done| done.motion().map(|motion| (done, motion)))
    else {
        return Ok(ViewDocument::of_model(title, &start));
    };
    let columns = done.summary.columns.iter().zip(done.columns);
    let columns = columns.map(|(x, values)| (x.name.clone(), x.unit.clone(), values));
    ViewDocument::of_run(title, &start, ("run", &motion), PlotChannels::of_columns(columns))
}

/// The first line of the page of a gallery.
const HEAD: &str = "<!doctype html>\n<!-- written by cardan gallery -->\n";

/// Whether a file is the page of a gallery.
fn is_gallery(path: &Path) -> bool {
    origin::first_bytes(path, HEAD.len() as u64) == HEAD.as_bytes()
}

/// Writes a gallery of examples, or of all if no names are given: `index.html` with their pictures, and the page of each.
/// Returns the text for standard output.
pub fn gallery(
    folder: &Path,
    names: &[String],
    policy: Overwrite,
    stop: &AtomicBool,
    progress: &dyn CaseProgress,
) -> Result<String, LabError> {
    if let Some(name) = names.iter().find(|name| EXAMPLES.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        let message = format!("there is no example `{name}`; examples: {}", known.join(", "));
        return Err(LabError::input(message));
    }
    let index = folder.join("index.html");
    overwrite::check(&index, policy.existing(&is_gallery))?;
    let is_chosen =
        |name: &str| names.is_empty() || names.iter().any(|wanted| wanted.as_str() == name);
    let chosen: Vec<_> = EXAMPLES.iter().filter(|(name, _)| is_chosen(name)).collect();
    progress.set_total(chosen.len() as u64);
    let mut figures = String::new();
    for (name, text) in chosen {
        progress.begin_case((*name).into());
        let title = write_model(folder, (name, text), ModelPages::Moving, stop)?;
        progress.end_case();
        figures += &title.map_or(String::new(), |title| figure(".", name, &title));
    }
    let html = format!(
        "{HEAD}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'; {FRAME_POLICY}; base-uri 'none'; \
         form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Cardan: \
         models</title>\n<style>\nbody {{ margin: 0 auto; padding: 0 24px 60px; max-width: 1080px; font: 16px/1.5 system-ui, \
         sans-serif; color: #1c1c1c; background: #fff; }}\n.models {{ display: flex; flex-wrap: wrap; gap: 0 24px; }}\nfigcaption \
         {{ font-size: 14px; }}\n{STYLE}</style>\n</head>\n<body>\n<h1>Models of Cardan</h1>\n<p>Click a picture to see the model \
         move.</p>\n<div class=\"models\">\n{figures}</div>\n</body>\n</html>\n"
    );
    overwrite::write(&index, html.as_bytes(), policy.existing(&is_gallery))?;
    Ok(format!("{}\n", index.display()))
}
