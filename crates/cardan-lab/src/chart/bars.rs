//! Bar charts: values by name, in groups side by side.

use std::fmt::{self, Write};
use std::path::Path;

use super::axis::ChartAxis;
use super::figure::AxisScale;
use super::picture_file::{OURS, begin, write_svg};
use super::{style, text};
use crate::error::LabError;

/// A bar chart.
pub struct Bars {
    /// The title.
    pub title: String,
    /// A smaller line under it.
    pub subtitle: String,
    /// The panels from top to bottom: the label of the values, and their groups.
    pub panels: Vec<(String, Vec<BarGroup>)>,
    /// The names under the bars.
    pub names: Vec<String>,
}

/// A colour of the legend, and the value of each name.
pub type BarGroup = (String, Vec<f64>);

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 150.0;
const HEIGHT: f64 = 180.0;
const GAP: f64 = 34.0;
const TOP: f64 = 86.0;

/// Writes bars to a file, by its name SVG or PNG.
pub fn write(bars: &Bars, path: &Path) -> Result<(), LabError> {
    let mut out = String::new();
    draw(&mut out, bars).map_err(|error| LabError::input(error.to_string()))?;
    write_svg(out, path, OURS)
}

fn draw(out: &mut String, bars: &Bars) -> fmt::Result {
    let widest = bars.names.iter().map(|name| text::width(name, style::TEXT_SIZE));
    // names are drawn at an angle
    let below = 0.8 * widest.fold(0.0, f64::max) + 24.0;
    let height = TOP + bars.panels.len() as f64 * (HEIGHT + GAP) - GAP + below;
    begin(out, [WIDTH, height], &bars.title)?;
    let bold = format!(
        r##"font-size="{}" fill="#111" stroke="#111" stroke-width=".5""##,
        style::TITLE_SIZE
    );
    text::draw(out, (20.0, 34.0), &bold, &bars.title)?;
    text::draw(out, (20.0, 55.0), &format!(r#"fill="{}""#, style::FAINT), &bars.subtitle)?;
    let wide = WIDTH - LEFT - RIGHT;
    let slot = wide / bars.names.len().max(1) as f64;
    let ink = format!(r#"fill="{}""#, style::INK);
    for (k, (label, groups)) in bars.panels.iter().enumerate() {
        let top = TOP + k as f64 * (HEIGHT + GAP);
        let bottom = top + HEIGHT;
        let finite = groups.iter().flat_map(|(_, values)| values).filter(|x| x.is_finite());
        let axis =
            ChartAxis::new(AxisScale::Linear, finite.copied().chain([0.0]), 0.04, HEIGHT / 36.0);
        let base = axis.fraction(0.0);
        for (fraction, tick) in axis.ticks() {
            let y = bottom - fraction * HEIGHT;
            let (grid, right) = (style::GRID, LEFT + wide);
            writeln!(out, r#"<path d="M{LEFT} {y:.1}H{right:.1}" stroke="{grid}"/>"#)?;
            let end = format!(r#"text-anchor="end" {ink}"#);
            text::draw(out, (LEFT - 8.0, y + 4.0), &end, &tick)?;
        }
        let (x, y) = (26.0, top + 0.5 * HEIGHT);
        let turned = format!(r#"transform="rotate(-90 {x:.1} {y:.1})" text-anchor="middle" {ink}"#);
        text::draw(out, (x, y), &turned, &format!("{label} {}", axis.note()))?;
        let bar = 0.8 * slot / groups.len().max(1) as f64;
        for (g, (name, values)) in groups.iter().enumerate() {
            let colour = style::colour(g);
            for (i, value) in values.iter().enumerate() {
                let x = LEFT + slot * (i as f64 + 0.1) + bar * g as f64;
                if !value.is_finite() {
                    let faint = format!(r#"text-anchor="middle" fill="{}""#, style::FAINT);
                    text::draw(out, (x + 0.5 * bar, bottom - base * HEIGHT - 3.0), &faint, "×")?;
                    continue;
                }
                let tall = (axis.fraction(*value) - base) * HEIGHT;
                let y = bottom - base * HEIGHT - tall.max(0.0);
                writeln!(
                    out,
                    r#"<rect x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{colour}"/>"#,
                    (bar - 0.6).max(0.5),
                    tall.abs()
                )?;
            }
            let y = top + 10.0 + 18.0 * g as f64;
            let x = LEFT + wide + 14.0;
            writeln!(
                out,
                r#"<rect x="{x}" y="{:.1}" width="12" height="12" fill="{colour}"/>"#,
                y - 8.0
            )?;
            text::draw(out, (x + 18.0, y + 3.0), &ink, name)?;
        }
        let (edge, right) = (style::INK, LEFT + wide);
        let zero = bottom - base * HEIGHT;
        writeln!(
            out,
            r#"<path d="M{LEFT} {top:.1}V{bottom:.1}M{LEFT} {zero:.1}H{right:.1}" stroke="{edge}"/>"#
        )?;
    }
    let bottom = TOP + bars.panels.len() as f64 * (HEIGHT + GAP) - GAP;
    for (i, name) in bars.names.iter().enumerate() {
        let (x, y) = (LEFT + slot * (i as f64 + 0.5) + 4.0, bottom + 14.0);
        let aslant = format!(r#"transform="rotate(-52 {x:.1} {y:.1})" text-anchor="end" {ink}"#);
        text::draw(out, (x, y), &aslant, name)?;
    }
    writeln!(out, "</svg>")
}
