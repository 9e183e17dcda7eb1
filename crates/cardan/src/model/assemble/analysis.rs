//! Scaled constraints of a model: lengths relative to the size of the mechanism, rows of norm one, so
//! that the same thresholds apply to all rows.

use crate::model::Model;
use crate::model::node::Node;
use cardan_core::linalg::SparseMatrix;
use cardan_core::stage::{REGULARIZING_COMPLIANCE, SaddlePointSolver};
use cardan_core::system::StateView;
use cardan_core::system::{Space, System};

/// Rows with a smaller norm, relative to a typical one, are not scaled to one: two axes at right angles
/// that should be parallel have a zero gradient.
const MIN_ROW_NORM: f64 = 1e-3;

/// Weight of a mode's amplitude in the assembly, relative to the position of a body.
const MODE_WEIGHT: f64 = 1e4;

/// A solver for the rows of a model, made when it is first needed: closed mechanisms without loops do not need it, and
/// it takes more time than the rest of their analysis.
#[derive(Default)]
pub(super) struct DeferredSaddle(Option<SaddlePointSolver>);

impl DeferredSaddle {
    /// The solver for rows with the pattern of the Jacobian.
    pub fn get(&mut self, space: &Space, jacobian: &SparseMatrix) -> &mut SaddlePointSolver {
        self.0.get_or_insert_with(|| SaddlePointSolver::new(space, jacobian))
    }
}

/// Scales and solver for one model.
pub(super) struct Analysis {
    pub space: Space,
    /// The unit of each scaled coordinate, in units of the model.
    pub units: Vec<f64>,
    /// The scaling factor of each row.
    pub factors: Vec<f64>,
    /// Whether each coordinate rotates a body.
    pub is_rotation: Vec<bool>,
    /// Weight of each scaled coordinate in the least-squares assembly.
    pub weights: Vec<f64>,
    pub jacobian: SparseMatrix,
    /// The time and configuration of the Jacobian, if it has not been scaled since it was written.
    unscaled_at: Option<(f64, Vec<f64>)>,
    pub saddle: DeferredSaddle,
    /// Whether each row is removed: its gradient and its multiplier are then zero.
    pub is_removed: Vec<bool>,
    /// The rows that are switched off at the start; they are always removed.
    pub switched_off: Vec<usize>,
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
        let mut is_rotation = vec![true; n];
        for (i, body) in model.moving() {
            let node: &Node = &model.nodes[i];
            for k in 0..node.velocities() {
                weights[node.v + k] = body.assembly_weight;
                if k < node.places() {
                    (units[node.v + k], is_rotation[node.v + k]) = (size, false);
                }
            }
        }
        for flexible in &model.flexible {
            for k in 0..flexible.modal.modes() {
                let i = flexible.v + k;
                // assembly moves bodies before it bends them
                (units[i], is_rotation[i], weights[i]) =
                    (flexible.modal.unit(k, size), false, MODE_WEIGHT);
            }
        }
        for structure in &model.structures {
            is_rotation[structure.v..structure.v + structure.size()].fill(false);
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        weights.iter_mut().for_each(|weight| *weight /= largest);
        let m = model.rows.len();
        let jacobian = SparseMatrix::written(m, n, |jacobian| {
            model.write_jacobian(&StateView::at(t, q), jacobian)
        });
        let mut squares = vec![0.0; m];
        for (i, j, x) in jacobian.iter() {
            squares[i] += (x * units[j]).powi(2);
        }
        let typical = |i: usize| if model.rows[i].is_angular { 1.0 } else { size };
        let factor = |(i, s): (usize, &f64)| 1.0 / s.sqrt().max(MIN_ROW_NORM * typical(i));
        let factors = squares.iter().enumerate().map(factor).collect();
        let far = model.farthest(q);
        let switched_off = model.rows_switched_off(q);
        let mut is_removed = vec![false; m];
        switched_off.iter().for_each(|row| is_removed[*row] = true);
        Self {
            switched_off,
            unscaled_at: Some((t, q.to_vec())),
            saddle: DeferredSaddle::default(),
            space,
            units,
            is_rotation,
            factors,
            weights,
            jacobian,
            is_removed,
            round_off: 64.0 * f64::EPSILON * (far / size).max(1.0),
        }
    }

    /// Removes these rows and restores all others, except those that are switched off.
    pub fn remove_rows(&mut self, rows: impl IntoIterator<Item = usize>) {
        self.is_removed.fill(false);
        let off = self.switched_off.iter().copied();
        rows.into_iter().chain(off).for_each(|row| self.is_removed[row] = true);
    }

    /// Number of rows that are not removed.
    pub fn active_rows(&self) -> usize {
        self.is_removed.iter().filter(|is_removed| !**is_removed).count()
    }

    /// The scaled holonomic constraints, removed rows included.
    pub fn constraint(&self, model: &Model, t: f64, q: &[f64]) -> Vec<f64> {
        let mut phi = vec![0.0; model.holonomic_count()];
        model.write_constraint(&StateView::at(t, q), &mut phi);
        phi.iter_mut().zip(&self.factors).for_each(|(x, factor)| *x *= factor);
        phi
    }

    /// Evaluates the scaled Jacobian.
    pub fn evaluate(&mut self, model: &Model, t: f64, q: &[f64]) {
        let unscaled_at = self.unscaled_at.take();
        if unscaled_at.is_none_or(|(time, at)| time != t || at != q) {
            self.jacobian.begin();
            model.write_jacobian(&StateView::at(t, q), &mut self.jacobian);
        }
        let Self { is_removed, factors, units, jacobian, .. } = self;
        jacobian.change_values(|i, j, value| {
            let scale = factors[i] * units[j];
            *value = if is_removed[i] { 0.0 } else { *value * scale };
        });
    }

    /// G v + b of every row, scaled, for the velocities that the active rows prescribe.
    pub fn prescribed_rates(&mut self, model: &Model, t: f64, q: &[f64]) -> Vec<f64> {
        let (n, m) = (self.units.len(), model.rows.len());
        let mut rates = vec![0.0; m];
        model.write_constraint_rate(t, &mut rates);
        self.evaluate(model, t, q);
        let ones = vec![1.0; n];
        let Self { saddle, space, jacobian, factors, is_removed, .. } = self;
        let saddle = saddle.get(space, jacobian);
        let right = |i: usize| if is_removed[i] { 0.0 } else { -rates[i] * factors[i] };
        let solved = saddle
            .factorize(&ones, jacobian, masked(is_removed, |_| REGULARIZING_COMPLIANCE))
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

    /// The rates of the rows evaluated last for a scaled motion: G v.
    pub fn rates(&self, motion: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.factors.len()];
        self.jacobian.iter().for_each(|(i, j, x)| rates[i] += x * motion[j]);
        rates
    }

    /// q ⊕ d for a scaled increment d.
    pub fn plus(&self, q: &[f64], d: &[f64]) -> Vec<f64> {
        let d: Vec<f64> = d.iter().zip(&self.units).map(|(d, unit)| d * unit).collect();
        self.space.plus(q, &d).unwrap_or_default()
    }

    /// The scaled increment from one configuration to another.
    pub fn minus(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let d = self.space.minus(from, to).unwrap_or_default();
        d.iter().zip(&self.units).map(|(d, unit)| d / unit).collect()
    }
}

/// A compliance that makes the multipliers of removed rows zero.
pub(super) fn masked<'a>(
    is_removed: &'a [bool],
    compliance: impl Fn(usize) -> f64 + 'a,
) -> impl Fn(usize) -> f64 + 'a {
    move |row| if is_removed[row] { 1.0 } else { compliance(row) }
}

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}
