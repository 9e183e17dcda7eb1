//! The files of a site: the style sheet, and which files may be written.

use std::path::Path;

use cardan::output::{self, ExistingFile, origin};

use super::html;
use crate::error::LabError;
use crate::live_models;
use crate::reproduce::manifest::{Manifest, ManifestItem};

/// Writes the style sheet.
pub fn style(folder: &Path) -> Result<(), LabError> {
    write(
        &folder.join("style.css"),
        &format!("{STYLE}\n{}{}", include_str!("style.css"), live_models::STYLE),
    )
}

/// Checks that the pages of items may be written, before hours of computing.
pub fn check(folder: &Path, chosen: &[(&Manifest, &ManifestItem)]) -> Result<(), LabError> {
    let may_be = |path: &Path| output::check(path, ExistingFile::ReplaceIf(&is_ours));
    for name in ["style.css", "index.html", "conclusions.html", "errata.html"] {
        may_be(&folder.join(name))?;
    }
    for (manifest, item) in chosen {
        let place = folder.join(&manifest.paper.name);
        may_be(&place.join("index.html"))?;
        may_be(&place.join(format!("{}.html", item.name)))?;
    }
    Ok(())
}

/// Writes a page atomically.
pub fn write(path: &Path, text: &str) -> Result<(), LabError> {
    let fail =
        |error| LabError::input(format!("cannot create the folder of {}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(fail)?;
    }
    Ok(output::write(path, text.as_bytes(), ExistingFile::ReplaceIf(&is_ours))?)
}

/// The first line of the style sheet.
const STYLE: &str = "/* written by cardan */";

/// Whether a page or style sheet was written by Cardan, in this version or an earlier one.
fn is_ours(path: &Path) -> bool {
    let text = origin::first_text(path);
    let is_style = text.starts_with(STYLE) || text.starts_with(":root { --ink:");
    is_style || text.contains(html::MARK) || text.contains("<header><a class=\"home\"")
}
