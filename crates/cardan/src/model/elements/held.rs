//! Measures that are held or prescribed: Φ = Σ cᵢ sᵢ − y(t), and rates: Σ cᵢ ṡᵢ − y(t) = 0.

use super::super::Function;
use super::super::gauge::{Gauge, Placed};
use crate::linalg::{Entries, Sink};
use crate::math::Scalar;

/// A holonomic row. Gears hold a combination of two measures.
#[derive(Clone, Debug)]
pub(in crate::model) struct Held<T = f64> {
    pub gauge: Gauge<T>,
    pub partner: Option<(T, Gauge<T>)>,
    pub target: Function,
    pub row: usize,
}

/// A nonholonomic row.
#[derive(Clone, Debug)]
pub(in crate::model) struct Rate<T = f64> {
    pub gauge: Gauge<T>,
    pub target: Function,
    pub row: usize,
}

impl<T: Scalar> Held<T> {
    /// The measures with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (T, &Gauge<T>)> {
        let partner = self.partner.iter().map(|(c, gauge)| (*c, gauge));
        std::iter::once((T::one(), &self.gauge)).chain(partner)
    }

    /// Σ cᵢ sᵢ − y(t).
    pub fn gap(&self, t: T, at: Placed<'_, T>) -> T {
        self.terms().map(|(c, gauge)| c * gauge.value(at)).sum::<T>() - self.target.value(t)
    }

    pub fn value(&self, t: T, at: Placed<'_, T>, phi: &mut [T]) {
        phi[self.row] = self.gap(t, at);
    }

    pub fn jacobian(&self, at: Placed<'_, T>, jacobian: &mut impl Sink<T>) {
        for (c, gauge) in self.terms() {
            write_gradient(gauge, at, self.row, c, jacobian);
        }
    }

    pub fn rate(&self, t: T, rate: &mut [T]) {
        rate[self.row] = -self.target.rate(t);
    }
}

impl Held {
    pub fn new(gauge: Gauge) -> Self {
        Self { gauge, partner: None, target: Function::Constant(0.0), row: 0 }
    }

    pub fn acceleration(&self, t: f64, at: Placed<'_>, v: &[f64], out: &mut [f64]) {
        let sum: f64 = self.terms().map(|(c, gauge)| c * gauge.acceleration(at, v)).sum();
        out[self.row] = sum - self.target.at(t)[2];
    }

    pub fn multiplier_tangent(&self, at: Placed<'_>, multipliers: &[f64], tangent: &mut Entries) {
        for (c, gauge) in self.terms() {
            gauge.add_curvature(at, c * multipliers[self.row], tangent);
        }
    }

    pub fn velocity_tangent(&self, at: Placed<'_>, v: &[f64], out: &mut Entries) {
        for (c, gauge) in self.terms() {
            write_rate_gradient(gauge, at, v, self.row, c, out);
        }
    }

    /// The row with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Held<U> {
        let partner = self.partner.as_ref().map(|(c, gauge)| (U::constant(*c), gauge.cast()));
        let target = self.target.clone();
        Held { gauge: self.gauge.cast(), partner, target, row: self.row }
    }
}

impl<T: Scalar> Rate<T> {
    pub fn jacobian(&self, at: Placed<'_, T>, jacobian: &mut impl Sink<T>) {
        write_gradient(&self.gauge, at, self.row, T::one(), jacobian);
    }

    pub fn rate(&self, t: T, rate: &mut [T]) {
        rate[self.row] = -self.target.value(t);
    }
}

impl Rate {
    pub fn acceleration(&self, t: f64, at: Placed<'_>, v: &[f64], out: &mut [f64]) {
        out[self.row] = self.gauge.acceleration(at, v) - self.target.at(t)[1];
    }

    pub fn multiplier_tangent(&self, at: Placed<'_>, multipliers: &[f64], tangent: &mut Entries) {
        self.gauge.add_curvature(at, multipliers[self.row], tangent);
    }

    pub fn velocity_tangent(&self, at: Placed<'_>, v: &[f64], out: &mut Entries) {
        write_rate_gradient(&self.gauge, at, v, self.row, 1.0, out);
    }

    /// The row with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Rate<U> {
        Rate { gauge: self.gauge.cast(), target: self.target.clone(), row: self.row }
    }
}

fn write_gradient<T: Scalar>(
    gauge: &Gauge<T>,
    at: Placed<'_, T>,
    row: usize,
    scale: T,
    jacobian: &mut impl Sink<T>,
) {
    let (columns, gradient) = (gauge.measure.touched(), gauge.gradient(at));
    gauge.add_row(at.nodes, columns, row, scale, &gradient, jacobian);
}

fn write_rate_gradient(
    gauge: &Gauge,
    at: Placed<'_>,
    v: &[f64],
    row: usize,
    scale: f64,
    out: &mut Entries,
) {
    let gradient = gauge.rate_gradient(at, &gauge.motion(at.nodes, v));
    gauge.add_row(at.nodes, gauge.measure.turned_by(), row, scale, &gradient, out);
}
