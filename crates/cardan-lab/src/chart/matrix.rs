//! A matrix of small charts: the columns share their horizontal axes, the rows their vertical ones.

use std::fmt::{self, Write};

use super::axis::ChartAxis;
use super::figure::AxisScale;
use super::picture_file::begin;
use super::{style, text};

/// A matrix of small charts.
#[derive(Default)]
pub struct ChartMatrix {
    /// The title.
    pub title: String,
    /// A smaller line under it.
    pub subtitle: String,
    /// The labels of the columns, under them.
    pub columns: Vec<String>,
    /// The labels of the rows, left of them.
    pub rows: Vec<String>,
    /// The charts, row by row.
    pub cells: Vec<Vec<ChartCell>>,
    /// Whether each chart has a horizontal axis of its own.
    pub has_own_x: bool,
}

/// The contents of a small chart.
#[derive(Clone, Debug, Default)]
pub struct ChartCell {
    /// Dots.
    pub dots: Vec<(f64, f64)>,
    /// Thin lines.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// A filled area: x, lower and upper bound.
    pub band: Vec<(f64, f64, f64)>,
    /// A strong line.
    pub line: Vec<(f64, f64)>,
    /// Bars from zero: from x, to x, height.
    pub bars: Vec<(f64, f64, f64)>,
    /// Vertical lines with a label each.
    pub rules: Vec<(f64, String)>,
}

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 20.0;
const GAP: f64 = 16.0;
const BELOW: f64 = 46.0;
/// Sizes of a chart.
const MAX_CELL: [f64; 2] = [872.0, 340.0];
const MIN_HEIGHT: f64 = 130.0;
/// Dots, points of a curve and curves, at most.
const MAX_DOTS: usize = 2000;
const MAX_POINTS: usize = 400;
const LABEL_SIZE: f64 = 11.0;

const LIGHT: &str = "#9ecae1";
const STRONG: &str = "#0072b2";
const ACCENT: &str = "#d55e00";

/// The matrix as a complete SVG document.
pub fn svg(matrix: &ChartMatrix) -> Result<String, String> {
    if matrix.cells.iter().all(Vec::is_empty) {
        return Err("the matrix has no charts".to_owned());
    }
    let mut out = String::new();
    draw(&mut out, matrix).map_err(|error| error.to_string())?;
    Ok(out)
}

/// Where a chart is.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

fn draw(out: &mut String, matrix: &ChartMatrix) -> fmt::Result {
    let columns = matrix.cells.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let width = ((WIDTH - LEFT - RIGHT) / columns as f64 - GAP).min(MAX_CELL[0]);
    let height = (0.72 * width).clamp(MIN_HEIGHT, MAX_CELL[1]);
    let below = if matrix.has_own_x { BELOW } else { 0.0 };
    let top = if matrix.subtitle.is_empty() { 52.0 } else { 74.0 };
    let rules = matrix.cells.iter().flatten().any(|cell| !cell.rules.is_empty());
    let above = if rules { 16.0 } else { 0.0 };
    let row_height = height + GAP + below + above;
    let total = top + matrix.cells.len() as f64 * row_height + BELOW - below;
    begin(out, [WIDTH, total], &matrix.title)?;
    let bold = format!(
        r##"font-size="{}" fill="#111" stroke="#111" stroke-width=".5""##,
        style::TITLE_SIZE
    );
    let room = WIDTH - 40.0;
    text::draw(out, (20.0, 34.0), &bold, &text::shortened(&matrix.title, style::TITLE_SIZE, room))?;
    let faint = format!(r#"fill="{}""#, style::FAINT);
    let subtitle = text::shortened(&matrix.subtitle, style::TEXT_SIZE, room);
    text::draw(out, (20.0, 55.0), &faint, &subtitle)?;
    for (i, row) in matrix.cells.iter().enumerate() {
        let y_axis = axis(row.iter().flat_map(ChartCell::heights), height / 34.0);
        for (j, cell) in row.iter().enumerate() {
            let frame = Frame {
                left: LEFT + j as f64 * (width + GAP),
                top: top + above + i as f64 * row_height,
                width,
                height,
            };
            let column = matrix.cells.iter().filter_map(|row| row.get(j));
            let across: Vec<f64> = match matrix.has_own_x {
                true => cell.places().collect(),
                false => column.flat_map(ChartCell::places).collect(),
            };
            let x_axis = axis(across.into_iter(), width / 64.0);
            draw_axes(out, frame, &x_axis, &y_axis)?;
            draw_cell(out, cell, frame, &x_axis, &y_axis)?;
            let is_last = matrix.has_own_x || i + 1 == matrix.cells.len();
            if is_last {
                let label = matrix.columns.get(j).map_or("", String::as_str);
                draw_below(out, frame, &x_axis, label)?;
            }
            if j == 0 {
                draw_left(out, frame, &y_axis, matrix.rows.get(i).map_or("", String::as_str))?;
            }
        }
    }
    writeln!(out, "</svg>")
}

fn axis(values: impl Iterator<Item = f64>, ticks: f64) -> ChartAxis {
    ChartAxis::new(AxisScale::Linear, values, 0.04, ticks)
}

impl ChartCell {
    fn places(&self) -> impl Iterator<Item = f64> {
        let points = self.dots.iter().chain(&self.line).chain(self.curves.iter().flatten());
        let bars = self.bars.iter().flat_map(|(from, to, _)| [*from, *to]);
        points.map(|(x, _)| *x).chain(self.band.iter().map(|(x, ..)| *x)).chain(bars)
    }

    fn heights(&self) -> impl Iterator<Item = f64> {
        let points = self.dots.iter().chain(&self.line).chain(self.curves.iter().flatten());
        let bars = self.bars.iter().flat_map(|(.., height)| [0.0, *height]);
        let band = self.band.iter().flat_map(|(_, low, high)| [*low, *high]);
        points.map(|(_, y)| *y).chain(band).chain(bars)
    }
}

fn draw_axes(out: &mut String, frame: Frame, x: &ChartAxis, y: &ChartAxis) -> fmt::Result {
    let Frame { left, top, width, height } = frame;
    let mut grid = String::new();
    for (fraction, _) in x.ticks() {
        write!(grid, "M{:.1} {top:.1}v{height:.1}", left + fraction * width)?;
    }
    for (fraction, _) in y.ticks() {
        write!(grid, "M{left:.1} {:.1}h{width:.1}", top + (1.0 - fraction) * height)?;
    }
    let (light, ink) = (style::GRID, style::INK);
    writeln!(out, r#"<path d="{grid}" fill="none" stroke="{light}"/>"#)?;
    writeln!(
        out,
        r#"<rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" fill="none" stroke="{ink}" stroke-opacity=".6"/>"#
    )
}

fn draw_cell(
    out: &mut String,
    cell: &ChartCell,
    frame: Frame,
    x_axis: &ChartAxis,
    y_axis: &ChartAxis,
) -> fmt::Result {
    let Frame { left, top, width, height } = frame;
    let place = |x: f64, y: f64| {
        let at = [left + x_axis.fraction(x) * width, top + (1.0 - y_axis.fraction(y)) * height];
        at.iter().all(|x| x.is_finite()).then_some(at)
    };
    for (from, to, value) in &cell.bars {
        if let (Some([a, y]), Some([b, base])) = (place(*from, *value), place(*to, 0.0)) {
            let (wide, high) = ((b - a - 0.6).max(0.5), base - y);
            writeln!(
                out,
                r#"<rect x="{a:.1}" y="{y:.1}" width="{wide:.1}" height="{high:.1}" fill="{LIGHT}"/>"#
            )?;
        }
    }
    if !cell.band.is_empty() {
        let upper = cell.band.iter().map(|(x, _, high)| (*x, *high));
        let lower = cell.band.iter().rev().map(|(x, low, _)| (*x, *low));
        let path = polyline(upper.chain(lower).filter_map(|(x, y)| place(x, y)));
        writeln!(out, r#"<path d="{path}Z" fill="{LIGHT}" fill-opacity=".45"/>"#)?;
    }
    for curve in &cell.curves {
        let every = curve.len().div_ceil(MAX_POINTS).max(1);
        let last = curve.len().saturating_sub(1);
        let kept = curve.iter().enumerate().filter(|(k, _)| k % every == 0 || *k == last);
        let path = polyline(kept.filter_map(|(_, (x, y))| place(*x, *y)));
        writeln!(out, r#"<path d="{path}" fill="none" stroke="{STRONG}" stroke-opacity=".3"/>"#)?;
    }
    let mut dots = String::new();
    let every = cell.dots.len().div_ceil(MAX_DOTS).max(1);
    for [x, y] in cell.dots.iter().step_by(every).filter_map(|(x, y)| place(*x, *y)) {
        write!(dots, "M{x:.1} {y:.1}h0")?;
    }
    if !dots.is_empty() {
        let size = if cell.dots.len() > 400 { 2.4 } else { 4.0 };
        writeln!(
            out,
            r#"<path d="{dots}" fill="none" stroke="{STRONG}" stroke-width="{size}" stroke-linecap="round" stroke-opacity=".5"/>"#
        )?;
    }
    if !cell.line.is_empty() {
        let path = polyline(cell.line.iter().filter_map(|(x, y)| place(*x, *y)));
        writeln!(out, r#"<path d="{path}" fill="none" stroke="{ACCENT}" stroke-width="2"/>"#)?;
    }
    let mut end = f64::NEG_INFINITY;
    for (at, label) in &cell.rules {
        let x = left + x_axis.fraction(*at) * width;
        if !x.is_finite() {
            continue;
        }
        writeln!(
            out,
            r#"<path d="M{x:.1} {top:.1}v{height:.1}" stroke="{ACCENT}" stroke-width="1.5"/>"#
        )?;
        // a label that would cover the one before is omitted
        let half = text::width(label, LABEL_SIZE) / 2.0;
        if x - half > end {
            let middle =
                format!(r#"text-anchor="middle" font-size="{LABEL_SIZE}" fill="{ACCENT}""#);
            text::draw(out, (x, top - 5.0), &middle, label)?;
            end = x + half + 4.0;
        }
    }
    Ok(())
}

fn polyline(points: impl Iterator<Item = [f64; 2]>) -> String {
    let mut path = String::new();
    for (k, [x, y]) in points.enumerate() {
        path += &format!("{}{x:.1} {y:.1}", if k == 0 { "M" } else { "L" });
    }
    path
}

fn draw_below(out: &mut String, frame: Frame, axis: &ChartAxis, label: &str) -> fmt::Result {
    let Frame { left, top, width, height } = frame;
    let middle = format!(r#"text-anchor="middle" font-size="{LABEL_SIZE}" fill="{}""#, style::INK);
    for (fraction, tick) in axis.ticks() {
        text::draw(out, (left + fraction * width, top + height + 15.0), &middle, &tick)?;
    }
    let label = with_note(label, axis);
    let label = text::shortened(&label, style::LABEL_SIZE, width + GAP - 6.0);
    let large =
        format!(r#"text-anchor="middle" font-size="{}" fill="{}""#, style::LABEL_SIZE, style::INK);
    text::draw(out, (left + width / 2.0, top + height + 34.0), &large, &label)
}

fn draw_left(out: &mut String, frame: Frame, axis: &ChartAxis, label: &str) -> fmt::Result {
    let Frame { left, top, height, .. } = frame;
    let end = format!(r#"text-anchor="end" font-size="{LABEL_SIZE}" fill="{}""#, style::INK);
    for (fraction, tick) in axis.ticks() {
        text::draw(out, (left - 6.0, top + (1.0 - fraction) * height + 4.0), &end, &tick)?;
    }
    let label = text::shortened(&with_note(label, axis), style::LABEL_SIZE, height + GAP - 4.0);
    let (x, y) = (28.0, top + height / 2.0);
    let turned = format!(
        r#"transform="rotate(-90 {x:.1} {y:.1})" text-anchor="middle" font-size="{}" fill="{}""#,
        style::LABEL_SIZE,
        style::INK
    );
    text::draw(out, (x, y), &turned, &label)
}

/// A label with the power of ten and the offset that the ticks omit.
fn with_note(label: &str, axis: &ChartAxis) -> String {
    match axis.note() {
        note if note.is_empty() => label.to_owned(),
        note => format!("{label} ({note})"),
    }
}
