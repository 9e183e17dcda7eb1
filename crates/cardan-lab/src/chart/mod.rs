//! Line charts, bar charts and maps as SVG documents and PNG images.
//!
//! ```text
//! figure        what a line chart shows: figure, panels, series
//! line_chart    draws it: layout (places), axis (ticks), panel, curve (polylines)
//! bars, field   bar charts; values over a rectangle as colours
//! matrix        a matrix of small charts: dots, bands, bars
//! picture_file  writes SVG, or PNG by way of raster
//! text, style   text widths, escaping; colours and sizes
//! ```

mod axis;
pub mod bars;
mod curve;
pub mod field;
mod figure;
mod layout;
mod line_chart;
pub mod matrix;
mod panel;
mod picture_file;
mod raster;
mod style;
#[cfg(test)]
mod tests;
mod text;

pub use figure::{AxisScale, ChartEvent, ChartFigure, ChartPanel, ChartSeries};
pub use line_chart::{svg, write, write_as};
pub use picture_file::{OURS, check, write_svg};
pub(crate) use text::escaped;
