//! Draws a line chart as an SVG document, or writes it to a picture file.

use std::fmt::{self, Write};
use std::path::Path;

use super::figure::ChartFigure;
use super::layout::{self, FigureLayout};
use super::picture_file::{OURS, begin, write_svg};
use super::{panel, style, text};
use crate::error::LabError;
use cardan::output::ExistingFile;

/// Draws the figure as a complete SVG document.
pub fn svg(figure: &ChartFigure) -> Result<String, String> {
    if figure.panels.is_empty() {
        return Err("the figure has no panels".to_owned());
    }
    let mut out = String::new();
    draw(&mut out, figure).map_err(|error| error.to_string())?;
    Ok(out)
}

/// Writes the figure as SVG or PNG, by the ending of the file name.
pub fn write(figure: &ChartFigure, path: &Path) -> Result<(), LabError> {
    write_as(figure, path, OURS)
}

/// Writes the figure to a file, with a policy for an existing file.
pub fn write_as(
    figure: &ChartFigure,
    path: &Path,
    existing: ExistingFile<'_>,
) -> Result<(), LabError> {
    write_svg(svg(figure).map_err(LabError::input)?, path, existing)
}

fn draw(out: &mut String, figure: &ChartFigure) -> fmt::Result {
    let layout = FigureLayout::new(figure);
    let (width, height) = (layout::WIDTH, layout.height);
    begin(out, [width, height], &figure.title)?;
    draw_heading(out, figure, &layout)?;
    for (index, panel) in figure.panels.iter().enumerate() {
        panel::draw(out, panel, &layout, index, figure)?;
    }
    draw_x_labels(out, figure, &layout)?;
    writeln!(out, "</svg>")
}

fn draw_heading(out: &mut String, figure: &ChartFigure, layout: &FigureLayout) -> fmt::Result {
    let room = layout::WIDTH - 2.0 * layout::MARGIN;
    let title = text::shortened(&figure.title, style::TITLE_SIZE, room);
    let subtitle = text::shortened(&figure.subtitle, style::TEXT_SIZE, room);
    // a thin outline makes the title bold without a second font
    let bold = format!(
        r##"font-size="{}" fill="#111" stroke="#111" stroke-width=".5""##,
        style::TITLE_SIZE
    );
    text::draw(out, (layout::MARGIN, layout.title_baseline), &bold, &title)?;
    let grey = format!(r#"fill="{}""#, style::FAINT);
    text::draw(out, (layout::MARGIN, layout.subtitle_baseline), &grey, &subtitle)
}

fn draw_x_labels(out: &mut String, figure: &ChartFigure, layout: &FigureLayout) -> fmt::Result {
    let bottom = layout.top(figure.panels.len() - 1) + layout.plot_height;
    let below = format!(r#"text-anchor="middle" fill="{}""#, style::INK);
    for (fraction, label) in layout.x_axis.ticks() {
        let x = layout.left + fraction * layout.plot_width;
        text::draw(out, (x, bottom + 20.0), &below, &label)?;
    }
    let note = layout.x_axis.note();
    let right = layout.left + layout.plot_width;
    let end = format!(r#"text-anchor="end" fill="{}""#, style::INK);
    text::draw(out, (right, bottom + 41.0), &end, &note)?;
    let centre = layout.left + layout.plot_width / 2.0;
    // the label stays centred, so the note at the right end takes its room twice
    let room = layout.plot_width - 2.0 * text::width(&note, style::TEXT_SIZE) - 16.0;
    let label = text::shortened(&figure.x_label, style::LABEL_SIZE, room);
    let large = format!(r#"{below} font-size="{}""#, style::LABEL_SIZE);
    text::draw(out, (centre, bottom + 41.0), &large, &label)
}
