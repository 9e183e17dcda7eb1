//! The description of a line chart: figure, panels, series and the scale of an axis.

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// Linear.
    #[default]
    Linear,
    /// Logarithmic; values that are not positive are omitted.
    Logarithmic,
}

/// A picture with one or more panels stacked above a common x axis.
#[derive(Default)]
pub struct ChartFigure {
    /// The title.
    pub title: String,
    /// A smaller line under the title.
    pub subtitle: String,
    /// Quantity and unit of the x axis, such as `time [s]`.
    pub x_label: String,
    /// The scale of the x axis.
    pub scale: AxisScale,
    /// Whether points are marked, with a different mark for each series.
    pub has_marks: bool,
    /// Whether points are drawn as dots that no line joins.
    pub is_scatter: bool,
    /// Whether x and y have the same scale, as on a map.
    pub is_map: bool,
    /// Values of x that dotted vertical lines mark, with their names.
    pub events: Vec<ChartEvent>,
    /// The panels from top to bottom.
    pub panels: Vec<ChartPanel>,
}

/// A value of x that a dotted vertical line marks.
pub struct ChartEvent {
    /// The value.
    pub x: f64,
    /// The name, shown when the pointer rests on the line.
    pub name: String,
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
