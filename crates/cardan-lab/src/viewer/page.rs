//! The page of the viewer with its data.

use std::path::Path;

use super::document::ViewDocument;
use cardan::output::origin;

/// The viewer without data; the folder `viewer` builds it.
const VIEWER: &str = include_str!("../../viewer/cardan-viewer.html");
/// The element that takes the data.
const ELEMENT: &str = r#"<script type="application/json" id="cardan-data">"#;
/// The first line of every page.
const HEAD: &str = "<!doctype html><!-- written by cardan view -->\n";

/// The page that shows a document.
pub fn page(document: &ViewDocument) -> String {
    // no name of a model ends the element
    let data = document.to_json().to_string().replace('<', "\\u003c");
    let start = VIEWER.find(ELEMENT).map_or(VIEWER.len(), |at| at + ELEMENT.len());
    let (before, after) = VIEWER.split_at(start);
    let after = after.strip_prefix("null").unwrap_or(after);
    let doctype = "<!doctype html>";
    let body = match before.get(..doctype.len()) {
        Some(first) if first.eq_ignore_ascii_case(doctype) => &before[doctype.len()..],
        _ => before,
    };
    [HEAD, body.trim_start(), &data, after].concat()
}

/// Whether a file is a page that Cardan wrote.
pub fn is_page(path: &Path) -> bool {
    origin::first_bytes(path, HEAD.len() as u64) == HEAD.as_bytes()
}
