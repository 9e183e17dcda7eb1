//! Shares out the area of a figure among its parts.

use super::axis::ChartAxis;
use super::figure::{ChartFigure, ChartPanel, ChartSeries};
use super::{style, text};

/// Width of a figure in pixels.
pub const WIDTH: f64 = 1000.0;
/// Empty space around a figure.
pub const MARGIN: f64 = 20.0;
/// Length of the sample lines in a legend, with the space on both sides.
pub const SAMPLE: f64 = 52.0;
/// From one line of a legend to the next.
pub const LINE: f64 = 17.5;

const MAX_NAME: f64 = 235.0;
const GAP: f64 = 30.0;

/// Where the parts of a figure are, and its axes.
pub struct FigureLayout {
    pub height: f64,
    pub title_baseline: f64,
    pub subtitle_baseline: f64,
    pub left: f64,
    pub plot_width: f64,
    pub plot_height: f64,
    pub x_axis: ChartAxis,
    pub y_axes: Vec<ChartAxis>,
    /// The number of series that a legend names.
    pub named: usize,
    /// Whether all panels show the same series, so that one legend serves them all.
    pub is_legend_shared: bool,
    first_top: f64,
}

impl FigureLayout {
    /// The layout of the figure.
    pub fn new(figure: &ChartFigure) -> FigureLayout {
        let plot_height = match (figure.panels.len(), figure.is_map) {
            (1, true) => 620.0,
            (1, false) => 420.0,
            _ => 232.0,
        };
        let mut y_axes: Vec<ChartAxis> =
            figure.panels.iter().map(|panel| y_axis(panel, plot_height)).collect();
        let labels = y_axes.iter().flat_map(ChartAxis::ticks).map(|(_, label)| label);
        let left = MARGIN + 32.0 + widest(labels);
        let is_legend_shared = figure.panels.len() > 1
            && figure.panels.iter().all(|panel| same_names(panel, &figure.panels[0]));
        let height = match is_legend_shared {
            true => figure.panels.len() as f64 * (plot_height + GAP) - GAP,
            false => plot_height,
        };
        let named = ((height / LINE) as usize).saturating_sub(1).max(1);
        let names = figure.panels.iter().flat_map(|panel| legend(panel, named));
        let legend_width = widest(names);
        let right = if legend_width > 0.0 { SAMPLE + legend_width } else { 10.0 };
        let plot_width = WIDTH - left - right - MARGIN;

        let mut x_axis = x_axis(figure, plot_width);
        if let ([y_axis], true) = (&mut y_axes[..], figure.is_map) {
            let scale = (x_axis.range() / plot_width).max(y_axis.range() / plot_height);
            x_axis.widen(scale * plot_width);
            y_axis.widen(scale * plot_height);
        }

        let title_baseline = if figure.title.is_empty() { 8.0 } else { 34.0 };
        let subtitle_baseline =
            title_baseline + if figure.subtitle.is_empty() { 0.0 } else { 21.0 };
        let first_top = subtitle_baseline + 32.0;
        let count = figure.panels.len() as f64;
        FigureLayout {
            height: first_top + count * plot_height + (count - 1.0) * GAP + 58.0,
            title_baseline,
            subtitle_baseline,
            left,
            plot_width,
            plot_height,
            x_axis,
            y_axes,
            named,
            is_legend_shared,
            first_top,
        }
    }

    /// The upper edge of a panel's plot area.
    pub fn top(&self, panel: usize) -> f64 {
        self.first_top + panel as f64 * (self.plot_height + GAP)
    }
}

/// The lines of text in the legend of a panel; none if the y label already names the series.
pub fn legend(panel: &ChartPanel, named: usize) -> Vec<String> {
    if let [series] = &panel.series[..]
        && (series.name.is_empty() || panel.y_label.contains(&series.name))
    {
        return Vec::new();
    }
    let more = panel.series.len().saturating_sub(named);
    let names = panel.series.iter().take(named).map(name);
    names.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

fn same_names(one: &ChartPanel, two: &ChartPanel) -> bool {
    let names = |panel: &ChartPanel| -> Vec<String> { panel.series.iter().map(name).collect() };
    names(one) == names(two)
}

fn name(series: &ChartSeries) -> String {
    let mut name = series.name.clone();
    if finite_points(series) == 0 {
        name.push_str(" (no data)");
    }
    text::shortened(&name, style::TEXT_SIZE, MAX_NAME)
}

/// How many points of a series can be drawn: none, one or, shown as two, more.
pub fn finite_points(series: &ChartSeries) -> usize {
    series.points.iter().filter(|&&point| is_finite(point)).take(2).count()
}

/// Whether a point can be drawn.
pub fn is_finite(point: (f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}

fn x_axis(figure: &ChartFigure, plot_width: f64) -> ChartAxis {
    let series = || figure.panels.iter().flat_map(|panel| &panel.series);
    // a time axis fills the width; a closed curve needs air around it
    let time_like = series().all(|series| {
        let finite = series.points.iter().filter(|point| point.0.is_finite());
        finite.is_sorted_by(|a, b| a.0 <= b.0)
    });
    let values = series().flat_map(|series| series.points.iter().map(|point| point.0));
    // marks need room only where the curve ends at them
    let is_short = series().all(|series| series.points.len() <= 30);
    let padding = if time_like && !(figure.has_marks && is_short) { 0.0 } else { 0.05 };
    ChartAxis::new(figure.scale, values, padding, plot_width / 72.0)
}

fn y_axis(panel: &ChartPanel, plot_height: f64) -> ChartAxis {
    let points = panel.series.iter().flat_map(|series| series.points.iter().copied());
    let values = points.filter(|&point| is_finite(point)).map(|point| point.1);
    let spacing = if plot_height > 300.0 { 38.0 } else { 31.0 };
    ChartAxis::new(panel.scale, values, 0.06, plot_height / spacing)
}

fn widest(texts: impl Iterator<Item = String>) -> f64 {
    texts.map(|text| text::width(&text, style::TEXT_SIZE)).fold(0.0, f64::max)
}
