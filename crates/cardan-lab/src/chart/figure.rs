//! The description of a line chart: figure, panels, series and the scale of an axis.

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
