//! Line charts of simulation results as SVG documents and PNG images.

mod axis;
pub mod bars;
mod curve;
pub mod field;
mod layout;
mod panel;
mod raster;
mod style;
#[cfg(test)]
mod tests;
mod text;

use raster::png;

use std::fmt::{self, Write};
use std::path::Path;

use crate::error::LabError;
use crate::overwrite;
use cardan::output::{self, ExistingFile, origin};
use layout::FigureLayout;

/// Pictures that Cardan has drawn may be drawn again.
pub const OURS: ExistingFile<'static> = ExistingFile::ReplaceIf(&origin::is_picture);

/// How values become lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// By their size.
    #[default]
    Linear,
    /// By their logarithm; what is not positive is left out.
    Logarithmic,
}

/// A picture with one or more panels stacked above a common x axis.
#[derive(Default)]
pub struct ChartFigure {
    /// The headline.
    pub title: String,
    /// A smaller line under the headline.
    pub subtitle: String,
    /// Quantity and unit of the x axis, such as `time [s]`.
    pub x_label: String,
    /// The scale of the x axis.
    pub scale: AxisScale,
    /// Whether points are marked, each series by its own sign.
    pub has_marks: bool,
    /// Whether x and y are the same quantity and have one scale, as on a map.
    pub is_map: bool,
    /// The panels from top to bottom.
    pub panels: Vec<ChartPanel>,
}

/// One plot area with its own y axis.
pub struct ChartPanel {
    /// Quantity and unit of the y axis, such as `angle [rad]`.
    pub y_label: String,
    /// The scale of the y axis.
    pub scale: AxisScale,
    /// The curves, in the order of the legend.
    pub series: Vec<ChartSeries>,
}

/// One curve; a point that is not finite interrupts the line.
pub struct ChartSeries {
    /// The name in the legend.
    pub name: String,
    /// The points in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
}

/// Draws the figure as a complete SVG document.
pub fn svg(figure: &ChartFigure) -> Result<String, String> {
    if figure.panels.is_empty() {
        return Err("the figure has no panels".to_owned());
    }
    let mut out = String::new();
    draw(&mut out, figure).map_err(|error| error.to_string())?;
    Ok(out)
}

/// Writes the figure to a file, by its name SVG or PNG.
pub fn write(figure: &ChartFigure, path: &Path) -> Result<(), LabError> {
    write_as(figure, path, OURS)
}

/// Writes the figure to a file, and says what may be done with one that is there.
pub fn write_as(
    figure: &ChartFigure,
    path: &Path,
    existing: ExistingFile<'_>,
) -> Result<(), LabError> {
    write_svg(svg(figure).map_err(LabError::input)?, path, existing)
}

/// Whether a picture may be written: asked before it is computed.
pub fn check(path: &Path, existing: ExistingFile<'_>) -> Result<(), LabError> {
    is_picture_name(path)?;
    overwrite::check(path, existing)
}

fn is_picture_name(path: &Path) -> Result<(), LabError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg" | "png") => Ok(()),
        _ => Err(LabError::input(format!("{}: a picture ends in .svg or .png", path.display()))),
    }
}

fn write_svg(svg: String, path: &Path, existing: ExistingFile<'_>) -> Result<(), LabError> {
    is_picture_name(path)?;
    let bytes = match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => origin::marked_png(&png(&svg).map_err(LabError::input)?),
        _ => svg.into_bytes(),
    };
    Ok(output::write(path, &bytes, existing)?)
}

/// Begins a document with a white ground.
fn begin(out: &mut String, [width, height]: [f64; 2], title: &str) -> fmt::Result {
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

fn draw(out: &mut String, figure: &ChartFigure) -> fmt::Result {
    let layout = FigureLayout::new(figure);
    let (width, height) = (layout::WIDTH, layout.height);
    begin(out, [width, height], &figure.title)?;
    draw_heading(out, figure, &layout)?;
    for (index, panel) in figure.panels.iter().enumerate() {
        panel::draw(out, panel, &layout, index, figure.has_marks)?;
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
