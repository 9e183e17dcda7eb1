//! One variable of a table: its points, the search among them, and the weights of an interpolation.

use super::interpolation::Outside;

/// The side from which a point of a table is approached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// From smaller values of the variable.
    Left,
    /// From larger values of the variable.
    Right,
}

/// The mean number of points in one of the equal parts of the range.
const POINTS_IN_PART: usize = 4;
/// The most points of a part that are all compared; among more, bisection finds one.
const MAX_COMPARED: usize = 16;

/// The degree of the polynomials between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Degree {
    Linear,
    Cubic,
}

/// Points of a variable in rising order, with an index for the search. Each is followed by N − 1 other numbers of the point, so that a
/// lookup in a large table reads one place of the memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis<const N: usize> {
    points: Vec<[f64; N]>,
    /// Equal parts of the range per unit.
    scale: f64,
    /// How many points are before each of the equal parts of the range; the number of all points at the end.
    before: Vec<u32>,
}

/// The weights of a value and its two derivatives: for the change c₁ − c₀ between two points and for the slopes at both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// The number of the point on the left.
    pub interval: usize,
    orders: [[f64; 3]; 3],
}

impl Weights {
    /// A derivative of the interpolant with values c and slopes d at the two points; order 0 is the value.
    #[inline]
    pub fn combine(&self, order: usize, c: [f64; 2], d: [f64; 2]) -> f64 {
        let [change, first, second] = self.orders[order];
        let inner = match order {
            // exact at both points
            0 => (1.0 - change) * c[0] + change * c[1],
            _ => change * (c[1] - c[0]),
        };
        inner + first * d[0] + second * d[1]
    }
}

impl<const N: usize> Axis<N> {
    /// An axis with at least two points in strictly rising order.
    pub fn new(points: Vec<[f64; N]>) -> Self {
        let (first, last) = (points[0][0], points[points.len() - 1][0]);
        let parts = points.len().div_ceil(POINTS_IN_PART);
        let scale = parts as f64 / (last - first);
        // a range that is too wide or too narrow for numbers has one part
        let (parts, scale) = match scale.is_normal() {
            true => (parts, scale),
            false => (1, 0.0),
        };
        let mut axis = Self { points, scale, before: vec![0; parts + 1] };
        for k in 0..axis.points.len() {
            let part = axis.part(axis.points[k][0]);
            axis.before[part + 1] += 1;
        }
        for k in 0..parts {
            axis.before[k + 1] += axis.before[k];
        }
        axis
    }

    /// The points with their other numbers.
    pub fn points(&self) -> &[[f64; N]] {
        &self.points
    }

    pub fn range(&self) -> [f64; 2] {
        [self.points[0][0], self.points[self.points.len() - 1][0]]
    }

    pub fn contains(&self, x: f64) -> bool {
        let [first, last] = self.range();
        first <= x && x <= last
    }

    /// The part of the range that a value is in. It never falls as x rises, also with round-off: the search depends on it.
    #[inline]
    fn part(&self, x: f64) -> usize {
        // conversion to whole numbers saturates
        (((x - self.points[0][0]) * self.scale) as usize).min(self.before.len() - 2)
    }

    /// The number of the point on the left of a value within the range.
    #[inline]
    fn interval(&self, x: f64, side: Side) -> usize {
        let part = self.part(x);
        let (from, to) = (self.before[part] as usize, self.before[part + 1] as usize);
        let points = &self.points[from..to];
        let is_below = |point: &[f64; N]| match side {
            Side::Right => point[0] <= x,
            Side::Left => point[0] < x,
        };
        // comparisons that do not depend on each other wait for the memory once, steps of a bisection one after the other
        let below = from
            + match points.len() <= MAX_COMPARED {
                true => points.iter().map(|point| usize::from(is_below(point))).sum::<usize>(),
                false => points.partition_point(is_below),
            };
        below.saturating_sub(1).min(self.points.len() - 2)
    }

    /// Whether a value is a point of the table.
    pub fn is_point(&self, x: f64) -> bool {
        self.contains(x) && {
            let k = self.interval(x, Side::Right);
            self.points[k][0] == x || self.points[k + 1][0] == x
        }
    }

    /// The weights at a value, approached from one side; `None` where the table has no value.
    #[inline]
    pub fn weights(&self, x: f64, side: Side, degree: Degree, outside: Outside) -> Option<Weights> {
        let [first, last] = self.range();
        if self.contains(x) {
            let weights = self.inner_weights(x, side, degree);
            let is_left_of_all = x == first && side == Side::Left;
            let is_right_of_all = x == last && side == Side::Right;
            return Some(match is_left_of_all || is_right_of_all {
                true => continued(weights, 0.0, outside),
                false => weights,
            });
        }
        if x.is_nan() || outside == Outside::Refuse {
            return None;
        }
        let end = if x < first { first } else { last };
        // the end as it is approached from within
        let side = if x < first { Side::Right } else { Side::Left };
        Some(continued(self.inner_weights(end, side, degree), x - end, outside))
    }

    /// The weights within the range. With u from 0 to 1 between two points of distance h a cubic has the weights
    /// u²(3 − 2u) of the change, h u(1 − u)² and −h u²(1 − u) of the slopes.
    #[inline]
    fn inner_weights(&self, x: f64, side: Side, degree: Degree) -> Weights {
        let interval = self.interval(x, side);
        let (left, right) = (self.points[interval][0], self.points[interval + 1][0]);
        let h = right - left;
        let u = (x - left) / h;
        let r = 1.0 / h;
        let orders = match degree {
            Degree::Linear => [[u, 0.0, 0.0], [r, 0.0, 0.0], [0.0; 3]],
            Degree::Cubic => {
                let v = 1.0 - u;
                [
                    [u * u * (1.0 + 2.0 * v), h * u * v * v, -h * u * u * v],
                    [6.0 * u * v * r, v * (1.0 - 3.0 * u), u * (3.0 * u - 2.0)],
                    [6.0 * (1.0 - 2.0 * u) * r * r, (6.0 * u - 4.0) * r, (6.0 * u - 2.0) * r],
                ]
            }
        };
        Weights { interval, orders }
    }
}

/// The weights beyond an end at a distance from it, from those at the end.
#[inline]
fn continued(end: Weights, distance: f64, outside: Outside) -> Weights {
    let [value, slope, _] = end.orders;
    let zero = [0.0; 3];
    let orders = match outside {
        Outside::Refuse => end.orders,
        Outside::Hold => [value, zero, zero],
        Outside::Extend => {
            let moved = std::array::from_fn(|k| match slope[k] == 0.0 {
                true => value[k],
                false => value[k] + distance * slope[k],
            });
            [moved, slope, zero]
        }
    };
    Weights { orders, ..end }
}
