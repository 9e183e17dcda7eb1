//! The scatter matrix: every quantity over every parameter.

use std::fmt::Write;
use std::path::Path;

use cardan::output::origin::{SVG_MARK, is_picture};

use super::pictures::{numeric_parameters, range};
use crate::error::LabError;
use crate::overwrite::{self, Overwrite};
use crate::study::parameters::StudyTable;

/// Rows, columns and points of the matrix, at most.
const MAX_CELLS: usize = 8;
const MAX_POINTS: usize = 2000;
/// Sizes in pixels.
const CELL: f64 = 150.0;
const GAP: f64 = 12.0;
const MARGIN: f64 = 40.0;

/// Draws the matrix; the name of the file, or nothing if the study has no numbers.
pub fn draw(
    folder: &Path,
    table: &StudyTable,
    policy: Overwrite,
) -> Result<Option<String>, LabError> {
    let across = numeric_parameters(table);
    let down: Vec<(&String, Vec<f64>)> = table
        .about
        .quantities
        .iter()
        .map(|(name, _)| (name, table.numbers(name)))
        .filter(|(_, values)| range(values).is_some())
        .collect();
    if across.is_empty() || down.is_empty() {
        return Ok(None);
    }
    let svg = matrix(&across, &down).map_err(|error| LabError::input(error.to_string()))?;
    let name = "scatter.svg";
    overwrite::write(&folder.join(name), svg.as_bytes(), policy.existing(&is_picture))?;
    Ok(Some(name.into()))
}

fn matrix(
    across: &[(&String, Vec<f64>)],
    down: &[(&String, Vec<f64>)],
) -> Result<String, std::fmt::Error> {
    let (columns, rows) = (across.len().min(MAX_CELLS), down.len().min(MAX_CELLS));
    let size = |count: usize| 2.0 * MARGIN + count as f64 * (CELL + GAP);
    let (width, height) = (size(columns), size(rows));
    let mut out = String::new();
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="11">"#
    )?;
    writeln!(out, "{SVG_MARK}\n<title>scatter matrix</title>")?;
    writeln!(out, r##"<rect width="{width}" height="{height}" fill="#fff"/>"##)?;
    for (i, (quantity, y)) in down.iter().take(rows).enumerate() {
        let top = MARGIN + i as f64 * (CELL + GAP);
        let middle = top + CELL / 2.0;
        writeln!(
            out,
            r##"<text transform="rotate(-90 22 {middle:.1})" x="22" y="{middle:.1}" text-anchor="middle" fill="#333">{}</text>"##,
            escaped(quantity)
        )?;
        for (j, (_, x)) in across.iter().take(columns).enumerate() {
            cell(&mut out, [MARGIN + j as f64 * (CELL + GAP), top], x, y)?;
        }
    }
    for (j, (parameter, _)) in across.iter().take(columns).enumerate() {
        let (x, y) = (MARGIN + j as f64 * (CELL + GAP) + CELL / 2.0, height - MARGIN + 10.0);
        let name = escaped(parameter);
        writeln!(
            out,
            r##"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" fill="#333">{name}</text>"##
        )?;
    }
    writeln!(out, "</svg>")?;
    Ok(out)
}

/// The points of a quantity over a parameter, in a frame.
fn cell(out: &mut String, [left, top]: [f64; 2], x: &[f64], y: &[f64]) -> std::fmt::Result {
    writeln!(
        out,
        r##"<rect x="{left:.1}" y="{top:.1}" width="{CELL}" height="{CELL}" fill="none" stroke="#b4b4b4"/>"##
    )?;
    let (Some(in_x), Some(in_y)) = (range(x), range(y)) else { return Ok(()) };
    let part = |value: f64, [low, high]: [f64; 2]| match high > low {
        true => (value - low) / (high - low),
        false => 0.5,
    };
    // dots of zero length with round ends
    let mut dots = String::new();
    let every = x.len().div_ceil(MAX_POINTS).max(1);
    let pairs = x.iter().zip(y).step_by(every).filter(|(x, y)| x.is_finite() && y.is_finite());
    for (x, y) in pairs {
        let (u, v) = (part(*x, in_x), part(*y, in_y));
        let inside = CELL - 8.0;
        write!(dots, "M{:.1} {:.1}h0", left + 4.0 + u * inside, top + 4.0 + (1.0 - v) * inside)?;
    }
    writeln!(
        out,
        r##"<path d="{dots}" fill="none" stroke="#0072b2" stroke-width="3" stroke-linecap="round" stroke-opacity="0.5"/>"##
    )
}

/// Text for XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
