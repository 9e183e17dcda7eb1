//! Colour maps: values over a rectangle, one or more side by side with a common scale.

use std::fmt::{self, Write};
use std::path::Path;

use super::axis::ChartAxis;
use super::figure::AxisScale;
use super::picture_file::{OURS, begin, write_svg};
use super::{style, text};
use crate::error::LabError;
use cardan::output::ExistingFile;

/// Values at the nodes of a grid, row after row along x.
pub struct FieldChart {
    /// The title above the field.
    pub title: String,
    /// Nodes along x and along y.
    pub nodes: [usize; 2],
    /// The sides of the rectangle.
    pub sides: [f64; 2],
    /// The values.
    pub values: Vec<f64>,
}

/// A figure of one or more fields.
pub struct ColorMap {
    /// The title.
    pub title: String,
    /// A smaller line under it.
    pub subtitle: String,
    /// The quantity and unit of the colours.
    pub quantity: String,
    /// The fields.
    pub fields: Vec<FieldChart>,
}

/// Fields in a row.
const COLUMNS: usize = 4;

const SIZE: f64 = 340.0;
const GAP: f64 = 70.0;
const LEFT: f64 = 50.0;
const TOP: f64 = 96.0;
const ROW: f64 = SIZE + 76.0;
const BAR: f64 = 16.0;
/// Shades of the scale.
const SHADES: usize = 64;

// dark blue, green, yellow: brightness rises evenly, in grey too
const COLOURS: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 44.0, 122.0],
    [59.0, 81.0, 139.0],
    [44.0, 113.0, 142.0],
    [33.0, 144.0, 141.0],
    [39.0, 173.0, 129.0],
    [92.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
];

fn colour(shade: usize) -> String {
    let at = shade as f64 / (SHADES - 1) as f64 * (COLOURS.len() - 1) as f64;
    let k = (at as usize).min(COLOURS.len() - 2);
    let mixed = [0, 1, 2].map(|c| {
        let part = at - k as f64;
        (COLOURS[k][c] * (1.0 - part) + COLOURS[k + 1][c] * part).round() as u8
    });
    format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
}

/// Writes a map to a file, by its name SVG or PNG.
pub fn write(map: &ColorMap, path: &Path) -> Result<(), LabError> {
    write_as(map, path, OURS)
}

/// Writes a map to a file, with a policy for an existing file.
pub fn write_as(map: &ColorMap, path: &Path, existing: ExistingFile<'_>) -> Result<(), LabError> {
    let mut out = String::new();
    draw(&mut out, map).map_err(|error| LabError::input(error.to_string()))?;
    write_svg(out, path, existing)
}

fn draw(out: &mut String, map: &ColorMap) -> fmt::Result {
    let finite = || map.fields.iter().flat_map(|field| &field.values).filter(|x| x.is_finite());
    let low = finite().fold(f64::INFINITY, |least, x| least.min(*x));
    let high = finite().fold(f64::NEG_INFINITY, |most, x| most.max(*x));
    let range = if high > low { high - low } else { 1.0 };
    let columns = map.fields.len().clamp(1, COLUMNS);
    let rows = map.fields.len().div_ceil(columns).max(1);
    let count = columns as f64;
    let width = LEFT + count * (SIZE + GAP) + 70.0;
    let height = TOP + SIZE + 64.0 + (rows - 1) as f64 * ROW;
    begin(out, [width, height], &map.title)?;
    let bold = format!(
        r##"font-size="{}" fill="#111" stroke="#111" stroke-width=".5""##,
        style::TITLE_SIZE
    );
    text::draw(out, (LEFT, 32.0), &bold, &map.title)?;
    text::draw(out, (LEFT, 54.0), &format!(r#"fill="{}""#, style::FAINT), &map.subtitle)?;
    for (k, field) in map.fields.iter().enumerate() {
        let left = LEFT + (k % columns) as f64 * (SIZE + GAP);
        writeln!(out, r#"<g transform="translate(0 {})">"#, (k / columns) as f64 * ROW)?;
        let label = format!(r#"fill="{}" font-size="{}""#, style::INK, style::LABEL_SIZE);
        text::draw(out, (left, TOP - 10.0), &label, &field.title)?;
        cells(out, field, left, |x| ((x - low) / range * SHADES as f64) as usize)?;
        axes(out, field, left)?;
        writeln!(out, "</g>")?;
    }
    let left = LEFT + count * (SIZE + GAP) - 30.0;
    for shade in 0..SHADES {
        let high = SIZE / SHADES as f64;
        let y = TOP + SIZE - (shade + 1) as f64 * high;
        let fill = colour(shade);
        // a little overlap hides the seams
        let tall = high + 0.4;
        writeln!(
            out,
            r#"<rect x="{left}" y="{y:.2}" width="{BAR}" height="{tall:.2}" fill="{fill}"/>"#
        )?;
    }
    let axis = ChartAxis::new(AxisScale::Linear, [low, low + range].into_iter(), 0.0, 6.0);
    let ink = format!(r#"fill="{}""#, style::INK);
    for (fraction, label) in axis.ticks() {
        let y = TOP + SIZE * (1.0 - fraction);
        text::draw(out, (left + BAR + 6.0, y + 4.0), &ink, &label)?;
    }
    let quantity = format!("{} {}", map.quantity, axis.note());
    text::draw(out, (left - 10.0, TOP - 10.0), &ink, quantity.trim_end())?;
    writeln!(out, "</svg>")
}

/// Each element with the mean of its corners; runs of one shade are one rectangle.
fn cells(
    out: &mut String,
    field: &FieldChart,
    left: f64,
    shade: impl Fn(f64) -> usize,
) -> fmt::Result {
    let [nx, ny] = field.nodes;
    let (columns, rows) = (nx - 1, ny - 1);
    let (wide, high) = (SIZE / columns as f64, SIZE / rows as f64);
    let mut paths = vec![String::new(); SHADES];
    for j in 0..rows {
        let mean = |i: usize| {
            let at = |i: usize, j: usize| field.values[j * nx + i];
            0.25 * (at(i, j) + at(i + 1, j) + at(i, j + 1) + at(i + 1, j + 1))
        };
        let mut first = 0;
        while first < columns {
            let here = shade(mean(first)).min(SHADES - 1);
            let mut last = first + 1;
            while last < columns && shade(mean(last)).min(SHADES - 1) == here {
                last += 1;
            }
            // corners are rounded, not widths: neighbours share them
            let x = |i: usize| left + i as f64 * wide;
            let y = |j: usize| TOP + SIZE - j as f64 * high;
            let (x, w, y, h) = (x(first), x(last), y(j + 1), y(j));
            write!(paths[here], "M{x:.2} {y:.2}H{w:.2}V{h:.2}H{x:.2}z")?;
            first = last;
        }
    }
    for (shade, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        writeln!(
            out,
            r#"<path fill="{}" shape-rendering="crispEdges" d="{path}"/>"#,
            colour(shade)
        )?;
    }
    Ok(())
}

fn axes(out: &mut String, field: &FieldChart, left: f64) -> fmt::Result {
    writeln!(
        out,
        r#"<rect x="{left}" y="{TOP}" width="{SIZE}" height="{SIZE}" fill="none" stroke="{}"/>"#,
        style::INK
    )?;
    let centred = format!(r#"text-anchor="middle" fill="{}""#, style::INK);
    let right = format!(r#"text-anchor="end" fill="{}""#, style::INK);
    for (k, side) in field.sides.into_iter().enumerate() {
        let axis = ChartAxis::new(AxisScale::Linear, [0.0, side].into_iter(), 0.0, 5.0);
        for (fraction, label) in axis.ticks() {
            let at = match k {
                0 => (left + fraction * SIZE, TOP + SIZE + 18.0),
                _ => (left - 6.0, TOP + SIZE * (1.0 - fraction) + 4.0),
            };
            text::draw(out, at, if k == 0 { &centred } else { &right }, &label)?;
        }
    }
    text::draw(out, (left + 0.5 * SIZE, TOP + SIZE + 40.0), &centred, "x [m]")
}
