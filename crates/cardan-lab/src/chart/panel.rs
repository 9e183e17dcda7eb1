//! Draws one panel: grid, axes, curves and legend.

use std::fmt::{self, Write};

use super::figure::{ChartFigure, ChartPanel, ChartSeries};
use super::layout::{self, FigureLayout};
use super::{curve, style, text};

/// Points of all curves of a panel together, which keeps its SVG text below a megabyte.
const POINT_BUDGET: usize = 70_000;

/// Dots of one series, at most.
const MAX_DOTS: usize = 5000;

/// A curve of so many points is marked at each of them.
const ALL_MARKED: usize = 30;
/// A longer one gets so many marks.
const MARKS: usize = 10;

/// Draws the panel at its place in the stack.
pub fn draw(
    out: &mut String,
    panel: &ChartPanel,
    layout: &FigureLayout,
    index: usize,
    figure: &ChartFigure,
) -> fmt::Result {
    draw_grid(out, layout, index)?;
    draw_y_labels(out, panel, layout, index)?;
    draw_events(out, layout, index, figure)?;
    let budget = (POINT_BUDGET / panel.series.len().max(1)).max(200);
    for (number, series) in panel.series.iter().enumerate() {
        match figure.is_scatter {
            true => draw_dots(out, series, layout, index, number)?,
            false => draw_series(out, series, layout, index, number, budget)?,
        }
        if figure.has_marks {
            draw_marks(out, series, layout, index, number)?;
        }
    }
    if panel.series.iter().all(|series| layout::finite_points(series) == 0) {
        let middle =
            (layout.left + layout.plot_width / 2.0, layout.top(index) + layout.plot_height / 2.0);
        let faint = format!(r#"text-anchor="middle" fill="{}""#, style::FAINT);
        text::draw(out, middle, &faint, "no data")?;
    }
    draw_legend(out, panel, layout, index, figure)
}

fn draw_grid(out: &mut String, layout: &FigureLayout, index: usize) -> fmt::Result {
    let (left, top) = (pixel_aligned(layout.left), layout.top(index));
    let (right, bottom) = (left + layout.plot_width, pixel_aligned(top + layout.plot_height));
    let y_axis = &layout.y_axes[index];
    let (mut grid, mut zero, mut marks) = (String::new(), String::new(), String::new());
    for (fraction, _) in layout.x_axis.ticks() {
        let x = pixel_aligned(layout.left + fraction * layout.plot_width);
        write!(grid, "M{x:.1} {top:.1}V{bottom:.1}")?;
        write!(marks, "M{x:.1} {bottom:.1}v5")?;
    }
    for (fraction, label) in y_axis.ticks() {
        let y = pixel_aligned(top + (1.0 - fraction) * layout.plot_height);
        let line = if label == "0" && !y_axis.has_offset() { &mut zero } else { &mut grid };
        write!(line, "M{left:.1} {y:.1}H{right:.1}")?;
        write!(marks, "M{left:.1} {y:.1}h-5")?;
    }
    write!(marks, "M{left:.1} {top:.1}V{bottom:.1}H{right:.1}")?;
    for (path, colour) in [(grid, style::GRID), (zero, style::ZERO), (marks, style::INK)] {
        if !path.is_empty() {
            writeln!(out, r#"<path d="{path}" fill="none" stroke="{colour}"/>"#)?;
        }
    }
    Ok(())
}

fn draw_events(
    out: &mut String,
    layout: &FigureLayout,
    index: usize,
    figure: &ChartFigure,
) -> fmt::Result {
    let (top, colour) = (layout.top(index), style::FAINT);
    let bottom = top + layout.plot_height;
    for event in &figure.events {
        let fraction = layout.x_axis.fraction(event.x);
        if !(0.0..=1.0).contains(&fraction) {
            continue;
        }
        let x = layout.left + fraction * layout.plot_width;
        let name = text::escaped(&event.name);
        writeln!(
            out,
            r#"<path d="M{x:.1} {top:.1}V{bottom:.1}" fill="none" stroke="{colour}" stroke-dasharray="2 3"><title>{name}</title></path>"#
        )?;
    }
    Ok(())
}

fn draw_y_labels(
    out: &mut String,
    panel: &ChartPanel,
    layout: &FigureLayout,
    index: usize,
) -> fmt::Result {
    let top = layout.top(index);
    let left_of = format!(r#"text-anchor="end" fill="{}""#, style::INK);
    for (fraction, label) in layout.y_axes[index].ticks() {
        let y = top + (1.0 - fraction) * layout.plot_height + 4.3;
        text::draw(out, (layout.left - 9.0, y), &left_of, &label)?;
    }
    let note = layout.y_axes[index].note();
    text::draw(out, (layout.left, top - 8.0), &format!(r#"fill="{}""#, style::INK), &note)?;
    let label = text::shortened(&panel.y_label, style::LABEL_SIZE, layout.plot_height);
    let (x, y) = (layout::MARGIN + 11.0, top + layout.plot_height / 2.0);
    let turned = format!(
        r#"transform="rotate(-90 {x:.1} {y:.1})" text-anchor="middle" font-size="{}" fill="{}""#,
        style::LABEL_SIZE,
        style::INK
    );
    text::draw(out, (x, y), &turned, &label)
}

fn draw_series(
    out: &mut String,
    series: &ChartSeries,
    layout: &FigureLayout,
    index: usize,
    number: usize,
    budget: usize,
) -> fmt::Result {
    let pieces = curve::pieces(series.points.iter().map(|&at| place(at, layout, index)), budget);
    let (lines, dots) = curve::path_data(&pieces);
    let (stroke, colour) = (style::stroke(number), style::colour(number));
    // viewers show the title when the pointer rests on the curve
    writeln!(out, r#"<g fill="none"><title>{}</title>"#, text::escaped(&series.name))?;
    for data in lines {
        writeln!(out, r#"<path d="{data}" stroke-width="1.7" stroke-linejoin="round" {stroke}/>"#)?;
    }
    for data in dots {
        let round = format!(r#"stroke-width="5" stroke-linecap="round" stroke="{colour}""#);
        writeln!(out, r#"<path d="{data}" {round}/>"#)?;
    }
    writeln!(out, "</g>")
}

/// The points of a series as dots that no line joins.
fn draw_dots(
    out: &mut String,
    series: &ChartSeries,
    layout: &FigureLayout,
    index: usize,
    number: usize,
) -> fmt::Result {
    let stride = series.points.len().div_ceil(MAX_DOTS).max(1);
    let mut data = String::new();
    for point in series.points.iter().step_by(stride) {
        if let Some((x, y)) = place(*point, layout, index) {
            write!(data, "M{x:.1} {y:.1}h0")?;
        }
    }
    let colour = style::colour(number);
    writeln!(
        out,
        r#"<path d="{data}" fill="none" stroke="{colour}" stroke-width="4" stroke-linecap="round" stroke-opacity="0.6"><title>{}</title></path>"#,
        text::escaped(&series.name)
    )
}

/// Where a point is in the picture, if it can be drawn.
fn place(point: (f64, f64), layout: &FigureLayout, index: usize) -> Option<curve::CurvePoint> {
    let x = layout.x_axis.fraction(point.0);
    let y = layout.y_axes[index].fraction(point.1);
    let bottom = layout.top(index) + layout.plot_height;
    let at = (layout.left + x * layout.plot_width, bottom - y * layout.plot_height);
    layout::is_finite(at).then_some(at)
}

fn draw_marks(
    out: &mut String,
    series: &ChartSeries,
    layout: &FigureLayout,
    index: usize,
    number: usize,
) -> fmt::Result {
    let places: Vec<_> = series.points.iter().filter_map(|&at| place(at, layout, index)).collect();
    // a long curve is marked here and there, each at places of its own
    let (stride, first) = match places.len() <= ALL_MARKED {
        true => (1, 0),
        false => {
            let stride = places.len().div_ceil(MARKS);
            (stride, 3 * number % stride)
        }
    };
    let marked = places.into_iter().skip(first).step_by(stride);
    let data: String = marked.map(|at| style::mark(number, at)).collect();
    match data.is_empty() {
        true => Ok(()),
        false => draw_outlines(out, &data, number),
    }
}

/// Marks of a series, white inside so that they are visible on lines.
fn draw_outlines(out: &mut String, data: &str, number: usize) -> fmt::Result {
    let colour = style::colour(number);
    writeln!(out, r##"<path d="{data}" fill="#fff" stroke="{colour}" stroke-width="1.4"/>"##)
}

fn draw_legend(
    out: &mut String,
    panel: &ChartPanel,
    layout: &FigureLayout,
    index: usize,
    figure: &ChartFigure,
) -> fmt::Result {
    if layout.is_legend_shared && index > 0 {
        return Ok(());
    }
    let left = layout.left + layout.plot_width + 14.0;
    for (number, name) in layout::legend(panel, layout.named).iter().enumerate() {
        let y = layout.top(index) + 8.0 + layout::LINE * number as f64;
        let named = panel.series.get(number).filter(|_| number < layout.named);
        let points = named.map_or(0, layout::finite_points);
        let (colour, stroke) = (style::colour(number), style::stroke(number));
        match points {
            0 => (),
            1.. if figure.is_scatter || points == 1 => writeln!(
                out,
                r#"<circle cx="{:.1}" cy="{y:.1}" r="2.5" fill="{colour}"/>"#,
                left + 15.0
            )?,
            _ => writeln!(out, r#"<path d="M{left:.1} {y:.1}h30" stroke-width="2" {stroke}/>"#)?,
        }
        if figure.has_marks && points > 0 {
            draw_outlines(out, &style::mark(number, (left + 15.0, y)), number)?;
        }
        let fill = format!(r#"fill="{}""#, if points == 0 { style::FAINT } else { style::INK });
        text::draw(out, (layout.left + layout.plot_width + layout::SAMPLE, y + 4.3), &fill, name)?;
    }
    Ok(())
}

/// The middle of the nearest pixel, where thin lines are sharp.
fn pixel_aligned(position: f64) -> f64 {
    position.floor() + 0.5
}
