//! The constraints of a model in units of its own: lengths over the mechanism's size, rows of length
//! one, so that one threshold fits all.

use crate::linalg::Entries;
use crate::model::Model;
use crate::model::node::Node;
use crate::stage::saddle::{SLIGHT, Saddle};
use crate::system::Point;
use crate::system::{Space, System};

/// Rows shorter than this fraction of what is natural are not lengthened to one: two axes at right
/// angles that ought to be parallel have no gradient at all.
const LEAST_ROW: f64 = 1e-3;

/// How firmly a mode stays at its amplitude, against the place of a body.
const STIFF: f64 = 1e4;

/// Scales and solver for one model.
pub(super) struct Analysis {
    pub space: Space,
    /// A typical arm: the length that makes a turn by one comparable with a displacement.
    pub size: f64,
    /// What a unit of each scaled coordinate means in the model's own.
    pub units: Vec<f64>,
    /// The factor of each row.
    pub factors: Vec<f64>,
    /// Which coordinates turn a body.
    pub turns: Vec<bool>,
    /// How firmly each scaled coordinate stays.
    pub weights: Vec<f64>,
    pub jacobian: Entries,
    pub saddle: Saddle,
    /// Round-off of the scaled constraints.
    pub round_off: f64,
}

impl Analysis {
    pub fn new(model: &Model, t: f64, q: &[f64]) -> Self {
        let space = model.space();
        let n = space.velocities();
        let size = model.size;
        let mut units = vec![1.0; n];
        let mut weights = vec![1.0; n];
        let mut turns = vec![true; n];
        for (i, body) in model.moving() {
            let node: &Node = &model.nodes[i];
            for k in 0..node.velocities() {
                weights[node.v + k] = body.weight;
                if k < node.places() {
                    (units[node.v + k], turns[node.v + k]) = (size, false);
                }
            }
        }
        for flexible in &model.flexible {
            for k in 0..flexible.modal.modes() {
                let i = flexible.v + k;
                // bodies rather move than bend
                (units[i], turns[i], weights[i]) = (flexible.modal.unit(k, size), false, STIFF);
            }
        }
        for structure in &model.structures {
            turns[structure.v..structure.v + structure.size()].fill(false);
        }
        let firmest = weights.iter().copied().fold(0.0, f64::max);
        weights.iter_mut().for_each(|weight| *weight /= firmest);
        let m = model.rows.len();
        let mut jacobian =
            Entries::written(m, n, |jacobian| model.write_jacobian(&Point::at(t, q), jacobian));
        let mut squares = vec![0.0; m];
        for (i, j, x) in jacobian.iter() {
            squares[i] += (x * units[j]).powi(2);
        }
        let natural = |i: usize| if model.rows[i].is_angular { 1.0 } else { size };
        let factor = |(i, s): (usize, &f64)| 1.0 / s.sqrt().max(LEAST_ROW * natural(i));
        let factors = squares.iter().enumerate().map(factor).collect();
        let far = model.farthest(q);
        let saddle = Saddle::new(&space, &jacobian);
        jacobian.begin();
        Self {
            saddle,
            space,
            units,
            turns,
            factors,
            weights,
            jacobian,
            round_off: 64.0 * f64::EPSILON * (far / size).max(1.0),
            size,
        }
    }

    /// The scaled holonomic constraints.
    pub fn constraint(&self, model: &Model, t: f64, q: &[f64]) -> Vec<f64> {
        let mut phi = vec![0.0; model.holonomic()];
        model.write_constraint(&Point::at(t, q), &mut phi);
        phi.iter_mut().zip(&self.factors).for_each(|(x, factor)| *x *= factor);
        phi
    }

    /// Evaluates the scaled Jacobian.
    pub fn evaluate(&mut self, model: &Model, t: f64, q: &[f64]) {
        self.jacobian.begin();
        model.write_jacobian(&Point::at(t, q), &mut self.jacobian);
        let places = self.jacobian.places().to_vec();
        for (value, (i, j)) in self.jacobian.values_mut().iter_mut().zip(places) {
            *value *= self.factors[i as usize] * self.units[j as usize];
        }
    }

    /// The rates that this model's rows prescribe, and by how much they miss those of another model
    /// with more rows: G v + b of each of its rows, scaled.
    pub fn rates_of(
        &mut self,
        own: &Model,
        t: f64,
        q: &[f64],
        other: &Model,
        scales: &Self,
    ) -> Vec<f64> {
        let (n, m) = (self.units.len(), other.rows.len());
        let mut rate = vec![0.0; own.rows.len()];
        own.write_constraint_rate(t, &mut rate);
        self.evaluate(own, t, q);
        let ones = vec![1.0; n];
        let factors = &self.factors;
        let solved = self
            .saddle
            .factorize(&ones, &self.jacobian, |_| SLIGHT)
            .and_then(|()| self.saddle.solve(|_| 0.0, |i| -rate[i] * factors[i]));
        let Ok((motion, _)) = solved else { return vec![0.0; m] };
        let mut out = vec![0.0; m];
        other.write_constraint_rate(t, &mut out);
        let jacobian =
            Entries::written(m, n, |jacobian| other.write_jacobian(&Point::at(t, q), jacobian));
        for (i, j, x) in jacobian.iter() {
            out[i] += x * motion[j] * self.units[j];
        }
        out.iter_mut().zip(&scales.factors).for_each(|(x, factor)| *x *= factor);
        out
    }

    /// What a scaled motion does to the rows evaluated last.
    pub fn rates(&self, motion: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.factors.len()];
        self.jacobian.iter().for_each(|(i, j, x)| rates[i] += x * motion[j]);
        rates
    }

    /// q moved by a scaled increment.
    pub fn moved(&self, q: &[f64], d: &[f64]) -> Vec<f64> {
        let d: Vec<f64> = d.iter().zip(&self.units).map(|(d, unit)| d * unit).collect();
        self.space.moved(q, &d).unwrap_or_default()
    }

    /// The scaled increment from one configuration to another.
    pub fn between(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let d = self.space.between(from, to).unwrap_or_default();
        d.iter().zip(&self.units).map(|(d, unit)| d / unit).collect()
    }
}

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}
