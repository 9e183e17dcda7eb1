//! The pages: static HTML that needs nothing but a browser.

mod html;
mod item;
mod pages;

pub use item::{Checks, Report};
pub use pages::{conclusions, errata, index, paper, placeholders};

use std::path::Path;

use crate::{Failure, table};

/// Writes the style sheet.
pub fn style(folder: &Path) -> Result<(), Failure> {
    write(&folder.join("style.css"), include_str!("style.css"))
}

/// Writes a page whole or not at all.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let fail = |error| Failure::usage(format!("cannot write {}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(fail)?;
    }
    table::write_whole(path, text.as_bytes()).map_err(fail)
}
