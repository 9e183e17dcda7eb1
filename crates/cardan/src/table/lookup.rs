//! Tables of one variable and maps of two: their values and derivatives.

use super::axis::{Axis, Degree, Side};
use super::column::{Column, check_finite, check_rising};
use super::error::{OutsideTable, TableError};
use super::interpolation::{
    Interpolation, MapInterpolation, Outside, monotone_slopes, spline_slopes,
};
use super::sources;

/// Values between given points of one variable, or of two; it never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    name: String,
    shape: Shape,
    outside: Outside,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Curve {
        /// Each point with its value and its slope, which is 0 for straight lines.
        x: Axis<3>,
        interpolation: Interpolation,
    },
    Map {
        axes: [Axis<1>; 2],
        interpolation: MapInterpolation,
        /// The values, row by row; a row has one x.
        values: Vec<f64>,
        /// The derivatives by x, by y, and by both, at the points; empty for bilinear maps.
        slopes: Vec<[f64; 3]>,
    },
}

/// The value of a map with its first and second derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapJet {
    /// The value f.
    pub value: f64,
    /// ∂f/∂x and ∂f/∂y.
    pub first: [f64; 2],
    /// ∂²f/∂x², ∂²f/∂x∂y and ∂²f/∂y².
    pub second: [f64; 3],
}

impl MapJet {
    const NOT_A_NUMBER: Self =
        Self { value: f64::NAN, first: [f64::NAN; 2], second: [f64::NAN; 3] };
}

impl Table {
    /// A table of one variable: the values at points x in strictly rising order. Outside its range it has no values.
    pub fn new(
        x: Vec<f64>,
        values: Vec<f64>,
        interpolation: Interpolation,
    ) -> Result<Self, TableError> {
        Self::from_columns(Column::list("x", x), Column::list("value", values), interpolation)
    }

    /// A map of two variables: `values[i][j]` is the value at `x[i]` and `y[j]`, which rise strictly. Outside its range it has no values.
    pub fn map(
        x: Vec<f64>,
        y: Vec<f64>,
        values: Vec<Vec<f64>>,
        interpolation: MapInterpolation,
    ) -> Result<Self, TableError> {
        let (x, y) = (Column::list("x", x), Column::list("y", y));
        check_rising(&x)?;
        check_rising(&y)?;
        let values = sources::flattened(&values, x.values.len(), y.values.len())?;
        Self::of_grid(x.values, y.values, values, interpolation)
    }

    /// A table of one variable from the bytes of a CSV or Parquet file: the names of the columns with x and with the values. Parquet
    /// needs the feature `results`.
    pub fn from_file(
        bytes: &[u8],
        columns: [&str; 2],
        interpolation: Interpolation,
    ) -> Result<Self, TableError> {
        let [x, values] = sources::read(bytes, columns)?;
        Self::from_columns(x, values, interpolation)
    }

    /// A map of two variables from the bytes of a CSV or Parquet file: the names of the columns with x, with y and with the values.
    /// Each combination of the x and y that occur has one row; the order of the rows does not matter. Parquet needs the feature `results`.
    pub fn map_from_file(
        bytes: &[u8],
        columns: [&str; 3],
        interpolation: MapInterpolation,
    ) -> Result<Self, TableError> {
        let [x, y, values] = sources::read(bytes, columns)?;
        let sources::Grid { x, y, values } = sources::grid(&x, &y, &values)?;
        Self::of_grid(x, y, values, interpolation)
    }

    fn from_columns(
        x: Column,
        values: Column,
        interpolation: Interpolation,
    ) -> Result<Self, TableError> {
        check_rising(&x)?;
        check_finite(&values)?;
        if x.values.len() != values.values.len() {
            let [n, m] = [x.values.len(), values.values.len()];
            let message = format!("`{}` has {n} entries, and `{}` has {m}", x.name, values.name);
            return Err(TableError::new(message));
        }
        let slopes = match interpolation {
            Interpolation::Linear => vec![0.0; x.values.len()],
            Interpolation::Pchip => monotone_slopes(&x.values, &values.values),
            Interpolation::Spline => spline_slopes(&x.values, &values.values),
        };
        check_slopes(slopes.iter())?;
        let numbers = x.values.iter().zip(&values.values).zip(&slopes);
        let points = numbers.map(|((x, value), slope)| [*x, *value, *slope]).collect();
        Ok(Self::of_shape(Shape::Curve { x: Axis::new(points), interpolation }))
    }

    fn of_grid(
        x: Vec<f64>,
        y: Vec<f64>,
        values: Vec<f64>,
        interpolation: MapInterpolation,
    ) -> Result<Self, TableError> {
        let slopes = match interpolation {
            MapInterpolation::Bilinear => Vec::new(),
            MapInterpolation::Bicubic => grid_slopes(&x, &y, &values),
        };
        check_slopes(slopes.iter().flatten())?;
        let axes = [x, y].map(|points| Axis::new(points.into_iter().map(|x| [x]).collect()));
        Ok(Self::of_shape(Shape::Map { axes, interpolation, values, slopes }))
    }

    fn of_shape(shape: Shape) -> Self {
        Self { name: String::new(), shape, outside: Outside::default() }
    }

    /// The table with a name, for messages.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// The table with other values outside its range.
    pub fn outside(mut self, outside: Outside) -> Self {
        self.outside = outside;
        self
    }

    /// The name; empty if it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of variables: 1, or 2 for a map.
    pub fn dimension(&self) -> usize {
        match &self.shape {
            Shape::Curve { .. } => 1,
            Shape::Map { .. } => 2,
        }
    }

    /// The smallest and the largest value of each variable.
    pub fn ranges(&self) -> Vec<[f64; 2]> {
        match &self.shape {
            Shape::Curve { x, .. } => vec![x.range()],
            Shape::Map { axes, .. } => axes.iter().map(Axis::range).collect(),
        }
    }

    /// The value at x; NaN where the table has none, and for a map.
    pub fn value(&self, x: f64) -> f64 {
        self.derivatives::<1>(x, Side::Right)[0]
    }

    /// Value, first and second derivative at x; at a point of the table the derivatives on its right. NaN where the table has none, and for
    /// a map.
    pub fn jet(&self, x: f64) -> [f64; 3] {
        self.derivatives(x, Side::Right)
    }

    /// Value, first and second derivative on one side of x.
    pub(crate) fn jet_towards(&self, x: f64, side: Side) -> [f64; 3] {
        let [_, first, second] = self.derivatives(x, side);
        // the value does not depend on the side, bit by bit
        [self.value(x), first, second]
    }

    /// The first derivatives on one side of x, beginning with the value.
    #[inline]
    fn derivatives<const K: usize>(&self, x: f64, side: Side) -> [f64; K] {
        let nothing = [f64::NAN; K];
        let Shape::Curve { x: axis, interpolation } = &self.shape else { return nothing };
        let degree = match interpolation {
            Interpolation::Linear => Degree::Linear,
            Interpolation::Pchip | Interpolation::Spline => Degree::Cubic,
        };
        let Some(weights) = axis.weights(x, side, degree, self.outside) else { return nothing };
        let [_, left, left_slope] = axis.points()[weights.interval];
        let [_, right, right_slope] = axis.points()[weights.interval + 1];
        std::array::from_fn(|k| weights.combine(k, [left, right], [left_slope, right_slope]))
    }

    /// The value of a map at x and y; NaN where it has none, and for a table of one variable.
    pub fn map_value(&self, x: f64, y: f64) -> f64 {
        self.map_derivative([x, y], [Side::Right; 2], [0, 0])
    }

    /// Value, first and second derivatives of a map at x and y; at a point of the table the derivatives towards larger x and y. NaN where
    /// it has none, and for a table of one variable.
    pub fn map_jet(&self, x: f64, y: f64) -> MapJet {
        self.map_jet_towards([x, y], [Side::Right; 2])
    }

    /// Value, first and second derivatives of a map on one side of x and of y.
    pub(crate) fn map_jet_towards(&self, at: [f64; 2], sides: [Side; 2]) -> MapJet {
        if self.map_value(at[0], at[1]).is_nan() {
            return MapJet::NOT_A_NUMBER;
        }
        let derivative = |orders| self.map_derivative(at, sides, orders);
        MapJet {
            value: self.map_value(at[0], at[1]),
            first: [[1, 0], [0, 1]].map(derivative),
            second: [[2, 0], [1, 1], [0, 2]].map(derivative),
        }
    }

    /// A derivative of a map, of given orders in x and y: first along y at the two x next to the place, then along x.
    fn map_derivative(&self, at: [f64; 2], sides: [Side; 2], orders: [usize; 2]) -> f64 {
        let Shape::Map { axes: [x, y], values, slopes, .. } = &self.shape else { return f64::NAN };
        let degree = if slopes.is_empty() { Degree::Linear } else { Degree::Cubic };
        let (Some(along_x), Some(along_y)) = (
            x.weights(at[0], sides[0], degree, self.outside),
            y.weights(at[1], sides[1], degree, self.outside),
        ) else {
            return f64::NAN;
        };
        let columns = y.points().len();
        let corner = |i: usize| (along_x.interval + i) * columns + along_y.interval;
        let both = |of: &dyn Fn(usize) -> f64, i: usize| [of(corner(i)), of(corner(i) + 1)];
        let slope = |k: usize| move |at: usize| slopes.get(at).map_or(0.0, |slopes| slopes[k]);
        let value = |at: usize| values[at];
        let along = |value: &dyn Fn(usize) -> f64, slope: &dyn Fn(usize) -> f64| {
            [0, 1].map(|i| along_y.combine(orders[1], both(value, i), both(slope, i)))
        };
        let c = along(&value, &slope(1));
        let d = along(&slope(0), &slope(2));
        along_x.combine(orders[0], c, d)
    }

    /// Why the table has no value for these variables: which of them is outside its range. `None` if it has one, or if a variable is NaN.
    pub fn refusal(&self, at: &[f64]) -> Option<OutsideTable> {
        if self.outside != Outside::Refuse {
            return None;
        }
        let outside = |((range, &value), variable): (([f64; 2], &f64), &'static str)| {
            let is_outside = value < range[0] || value > range[1];
            let table = self.name.clone();
            is_outside.then_some(OutsideTable { table, variable, value, range })
        };
        self.ranges().into_iter().zip(at).zip(["x", "y"]).find_map(outside)
    }

    /// Whether a value of a variable is a point of the table.
    pub(crate) fn is_point(&self, variable: usize, x: f64) -> bool {
        match &self.shape {
            Shape::Curve { x: axis, .. } => axis.is_point(x),
            Shape::Map { axes, .. } => axes[variable].is_point(x),
        }
    }

    /// The values of a variable at which the value, the slope or the curvature may jump: all points, or the ends of an interpolation
    /// with continuous curvature.
    pub(crate) fn breakpoints(&self, variable: usize) -> Vec<f64> {
        match &self.shape {
            Shape::Curve { interpolation: Interpolation::Spline, .. }
            | Shape::Map { interpolation: MapInterpolation::Bicubic, .. } => {
                self.ranges()[variable].to_vec()
            }
            Shape::Curve { x, .. } => x.points().iter().map(|point| point[0]).collect(),
            Shape::Map { axes, .. } => axes[variable].points().iter().map(|[x]| *x).collect(),
        }
    }
}

fn check_slopes<'a>(mut slopes: impl Iterator<Item = &'a f64>) -> Result<(), TableError> {
    match slopes.all(|slope| slope.is_finite()) {
        true => Ok(()),
        false => Err(TableError::new("the slopes between the values are too large for numbers")),
    }
}

/// The derivatives of the bicubic spline by x, by y, and by both, at all points.
fn grid_slopes(x: &[f64], y: &[f64], values: &[f64]) -> Vec<[f64; 3]> {
    let columns = y.len();
    let mut slopes = vec![[0.0; 3]; values.len()];
    for j in 0..columns {
        let column: Vec<f64> = (0..x.len()).map(|i| values[i * columns + j]).collect();
        for (i, slope) in spline_slopes(x, &column).into_iter().enumerate() {
            slopes[i * columns + j][0] = slope;
        }
    }
    for i in 0..x.len() {
        let row = i * columns..(i + 1) * columns;
        for (k, slope) in row.clone().zip(spline_slopes(y, &values[row.clone()])) {
            slopes[k][1] = slope;
        }
        // the spline along y of the slopes along x
        let by_x: Vec<f64> = slopes[row.clone()].iter().map(|slopes| slopes[0]).collect();
        for (k, slope) in row.zip(spline_slopes(y, &by_x)) {
            slopes[k][2] = slope;
        }
    }
    slopes
}
