//! Measures that are held or prescribed: Φ = Σ cᵢ sᵢ − y(t), and rates: Σ cᵢ ṡᵢ − y(t) = 0.

use super::super::Function;
use super::super::gauge::{Gauge, Placed};
use crate::linalg::Entries;

/// A holonomic row. Gears hold a combination of two measures.
#[derive(Clone, Debug)]
pub(in crate::model) struct Held {
    pub gauge: Gauge,
    pub partner: Option<(f64, Gauge)>,
    pub target: Function,
    pub row: usize,
}

/// A nonholonomic row.
#[derive(Clone, Debug)]
pub(in crate::model) struct Rate {
    pub gauge: Gauge,
    pub target: Function,
    pub row: usize,
}

impl Held {
    pub fn new(gauge: Gauge) -> Self {
        Self { gauge, partner: None, target: Function::Constant(0.0), row: 0 }
    }

    /// The measures with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (f64, &Gauge)> {
        std::iter::once((1.0, &self.gauge)).chain(self.partner.iter().map(|(c, gauge)| (*c, gauge)))
    }

    /// Σ cᵢ sᵢ − y(t).
    pub fn gap(&self, t: f64, at: Placed<'_>) -> f64 {
        self.terms().map(|(c, gauge)| c * gauge.value(at)).sum::<f64>() - self.target.value(t)
    }

    pub fn value(&self, t: f64, at: Placed<'_>, phi: &mut [f64]) {
        phi[self.row] = self.gap(t, at);
    }

    pub fn jacobian(&self, at: Placed<'_>, jacobian: &mut Entries) {
        for (c, gauge) in self.terms() {
            write_gradient(gauge, at, self.row, c, jacobian);
        }
    }

    pub fn rate(&self, t: f64, rate: &mut [f64]) {
        rate[self.row] = -self.target.at(t)[1];
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
}

impl Rate {
    pub fn jacobian(&self, at: Placed<'_>, jacobian: &mut Entries) {
        write_gradient(&self.gauge, at, self.row, 1.0, jacobian);
    }

    pub fn rate(&self, t: f64, rate: &mut [f64]) {
        rate[self.row] = -self.target.value(t);
    }

    pub fn acceleration(&self, t: f64, at: Placed<'_>, v: &[f64], out: &mut [f64]) {
        out[self.row] = self.gauge.acceleration(at, v) - self.target.at(t)[1];
    }

    pub fn multiplier_tangent(&self, at: Placed<'_>, multipliers: &[f64], tangent: &mut Entries) {
        self.gauge.add_curvature(at, multipliers[self.row], tangent);
    }

    pub fn velocity_tangent(&self, at: Placed<'_>, v: &[f64], out: &mut Entries) {
        write_rate_gradient(&self.gauge, at, v, self.row, 1.0, out);
    }
}

fn write_gradient(gauge: &Gauge, at: Placed<'_>, row: usize, scale: f64, jacobian: &mut Entries) {
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
