//! The constraints of a model in units of its own: lengths over the mechanism's size, rows of length
//! one, so that one threshold fits all.

use crate::model::Model;
use crate::model::node::Node;
use cardan_core::linalg::SparseMatrix;
use cardan_core::stage::{REGULARIZING_COMPLIANCE, SaddlePointSolver};
use cardan_core::system::StateView;
use cardan_core::system::{Space, System};

/// Rows shorter than this fraction of what is natural are not lengthened to one: two axes at right
/// angles that ought to be parallel have no gradient at all.
const MIN_ROW: f64 = 1e-3;

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
    pub jacobian: SparseMatrix,
    pub saddle: SaddlePointSolver,
    /// Rows that take no part: their gradients are zero, and so are their multipliers.
    pub is_out: Vec<bool>,
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
                weights[node.v + k] = body.assembly_weight;
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
        let mut jacobian = SparseMatrix::written(m, n, |jacobian| {
            model.write_jacobian(&StateView::at(t, q), jacobian)
        });
        let mut squares = vec![0.0; m];
        for (i, j, x) in jacobian.iter() {
            squares[i] += (x * units[j]).powi(2);
        }
        let natural = |i: usize| if model.rows[i].is_angular { 1.0 } else { size };
        let factor = |(i, s): (usize, &f64)| 1.0 / s.sqrt().max(MIN_ROW * natural(i));
        let factors = squares.iter().enumerate().map(factor).collect();
        let far = model.farthest(q);
        let saddle = SaddlePointSolver::new(&space, &jacobian);
        jacobian.begin();
        Self {
            saddle,
            space,
            units,
            turns,
            factors,
            weights,
            jacobian,
            is_out: vec![false; m],
            round_off: 64.0 * f64::EPSILON * (far / size).max(1.0),
            size,
        }
    }

    /// Takes rows out, and all others in.
    pub fn remove_rows(&mut self, rows: impl IntoIterator<Item = usize>) {
        self.is_out.fill(false);
        rows.into_iter().for_each(|row| self.is_out[row] = true);
    }

    /// How many rows take part.
    pub fn rows_in(&self) -> usize {
        self.is_out.iter().filter(|is_out| !**is_out).count()
    }

    /// The scaled holonomic constraints, those of rows that are out as well.
    pub fn constraint(&self, model: &Model, t: f64, q: &[f64]) -> Vec<f64> {
        let mut phi = vec![0.0; model.holonomic_count()];
        model.write_constraint(&StateView::at(t, q), &mut phi);
        phi.iter_mut().zip(&self.factors).for_each(|(x, factor)| *x *= factor);
        phi
    }

    /// Evaluates the scaled Jacobian.
    pub fn evaluate(&mut self, model: &Model, t: f64, q: &[f64]) {
        self.jacobian.begin();
        model.write_jacobian(&StateView::at(t, q), &mut self.jacobian);
        let places = self.jacobian.places().to_vec();
        for (value, (i, j)) in self.jacobian.values_mut().iter_mut().zip(places) {
            let is_out = self.is_out[i as usize];
            let scale = self.factors[i as usize] * self.units[j as usize];
            *value = if is_out { 0.0 } else { *value * scale };
        }
    }

    /// G v + b of every row, scaled, for the velocities that the rows that take part prescribe.
    pub fn prescribed_rates(&mut self, model: &Model, t: f64, q: &[f64]) -> Vec<f64> {
        let (n, m) = (self.units.len(), model.rows.len());
        let mut rates = vec![0.0; m];
        model.write_constraint_rate(t, &mut rates);
        self.evaluate(model, t, q);
        let ones = vec![1.0; n];
        let Self { saddle, jacobian, factors, is_out, .. } = self;
        let right = |i: usize| if is_out[i] { 0.0 } else { -rates[i] * factors[i] };
        let solved = saddle
            .factorize(&ones, jacobian, masked(is_out, |_| REGULARIZING_COMPLIANCE))
            .and_then(|()| saddle.solve(|_| 0.0, right));
        let Ok((motion, _)) = solved else { return vec![0.0; m] };
        let jacobian = SparseMatrix::written(m, n, |jacobian| {
            model.write_jacobian(&StateView::at(t, q), jacobian)
        });
        for (i, j, x) in jacobian.iter() {
            rates[i] += x * motion[j] * self.units[j];
        }
        rates.iter_mut().zip(&*factors).for_each(|(x, factor)| *x *= factor);
        rates
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
        self.space.plus(q, &d).unwrap_or_default()
    }

    /// The scaled increment from one configuration to another.
    pub fn between(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let d = self.space.minus(from, to).unwrap_or_default();
        d.iter().zip(&self.units).map(|(d, unit)| d / unit).collect()
    }
}

/// A compliance that makes the multipliers of rows that are out zero.
pub(super) fn masked<'a>(
    is_out: &'a [bool],
    compliance: impl Fn(usize) -> f64 + 'a,
) -> impl Fn(usize) -> f64 + 'a {
    move |row| if is_out[row] { 1.0 } else { compliance(row) }
}

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}
