//! Picture files: the head of an SVG document, and writing it as SVG or PNG.

use std::fmt::{self, Write};
use std::path::Path;

use super::raster::png;
use super::{style, text};
use crate::error::LabError;
use crate::overwrite;
use cardan::output::{self, ExistingFile, origin};

/// The default policy: pictures drawn by Cardan are replaced, other files are not.
pub const OURS: ExistingFile<'static> = ExistingFile::ReplaceIf(&origin::is_picture);

/// Checks that a picture may be written, before it is computed.
pub fn check(path: &Path, existing: ExistingFile<'_>) -> Result<(), LabError> {
    is_picture_name(path)?;
    overwrite::check(path, existing)
}

fn is_picture_name(path: &Path) -> Result<(), LabError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg" | "png") => Ok(()),
        _ => Err(LabError::input(format!(
            "{}: the name of a picture must end in .svg or .png",
            path.display()
        ))),
    }
}

/// Writes an SVG document as SVG or PNG, by the ending of the file name.
pub fn write_svg(svg: String, path: &Path, existing: ExistingFile<'_>) -> Result<(), LabError> {
    is_picture_name(path)?;
    let bytes = match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => origin::marked_png(&png(&svg).map_err(LabError::input)?),
        _ => svg.into_bytes(),
    };
    Ok(output::write(path, &bytes, existing)?)
}

/// Begins a document with a white background.
pub(super) fn begin(out: &mut String, [width, height]: [f64; 2], title: &str) -> fmt::Result {
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{}" font-size="{}">"#,
        text::FAMILY,
        style::TEXT_SIZE
    )?;
    writeln!(out, "{}", origin::SVG_MARK)?;
    writeln!(out, "<title>{}</title>", text::escaped(title))?;
    writeln!(out, r##"<rect width="{width}" height="{height}" fill="#fff"/>"##)
}
