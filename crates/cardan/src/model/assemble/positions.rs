//! Closes the joints: from inexact positions to the nearest ones that satisfy the constraints.

use super::analysis::{Analysis, masked, norm};
use crate::model::node::GROUND;
use crate::model::{BodyKind, Model, ModelError, OpenRow, Owner, PartKind};
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::{Matrix3, largest};
use cardan_core::stage::{REGULARIZING_COMPLIANCE, REMOVING_COMPLIANCE, SaddlePointSolver};
use cardan_core::system::{Failure, ForceTangent, StateView, System};

/// The largest rotation of a body in one iteration, in rad.
const MAX_TURN: f64 = 0.7;
/// Axes with a smaller cosine are at right angles: the sine has a zero gradient there.
const RIGHT_ANGLE: f64 = 1e-6;
/// Limit of the iterations that close the joints.
const MAX_ITERATIONS: usize = 200;
/// Limit of the iterations that approach the described positions with closed joints.
const MAX_REFINEMENTS: usize = 30;
/// A larger scaled gap means an open joint, unless round-off is larger.
const GAP_TOLERANCE: f64 = 1e-10;
/// Shift of the inverse iteration for the smallest inertia, relative to the largest.
const INERTIA_SHIFT: f64 = 1e-8;
/// A smaller inertia, relative to the largest, is round-off.
const MIN_INERTIA: f64 = 1e-13;

impl Analysis {
    /// Moves q to the nearest configuration with closed joints. If the joints are closed, q is unchanged.
    pub fn assemble(&mut self, model: &Model, t: f64, q: &mut Vec<f64>) -> Result<(), ModelError> {
        let phi = self.constraint(model, t, q);
        if !phi.iter().all(|x| x.is_finite()) {
            return Err(self.open_joints(model, &phi));
        }
        if largest(&phi) <= self.round_off {
            return Ok(());
        }
        let described = q.clone();
        self.perturb_right_angles(model, q);
        self.close(model, t, q)?;
        // find the nearest closed configuration: step against the displacement, then close again
        let distance = |analysis: &Self, q: &[f64]| {
            let d = analysis.minus(&described, q);
            d.iter().zip(&analysis.weights).map(|(d, w)| w * d * d).sum::<f64>()
        };
        let mut best = distance(self, q);
        for _ in 0..MAX_REFINEMENTS {
            let displacement = self.minus(&described, q);
            let Some(step) = self.tangential_step(model, t, q, &displacement) else { break };
            let mut next = self.plus(q, &step);
            let closed = self.close(model, t, &mut next).is_ok();
            let now = distance(self, &next);
            // a smaller decrease is round-off of the distance
            if !closed || now >= best * (1.0 - 1e-12) {
                break;
            }
            (*q, best) = (next, now);
        }
        Ok(())
    }

    /// Rotates axes at right angles that should be parallel a little towards each other: exactly at a
    /// right angle the gradient of their constraint is zero.
    fn perturb_right_angles(&self, model: &Model, q: &mut Vec<f64>) {
        for joint in &model.joints {
            for [e, b] in &joint.aligned {
                let [one, two] = joint.sides.map(|side| model.frame(side, q).rotation);
                let (e, b) = (one * e, two * b);
                if e.dot(&b).abs() > RIGHT_ANGLE {
                    continue;
                }
                // rotate body 2, or body 1 in the opposite direction if body 2 is the ground
                let (side, axis) = match joint.sides {
                    [side, GROUND] => (side, e.cross(&b)),
                    [_, side] => (side, b.cross(&e)),
                };
                let node = &model.nodes[model.base_node(side)];
                let turn = node.frame(q).rotation.tr_mul(&(0.1 * axis));
                let mut motion = vec![0.0; self.units.len()];
                node.add(1, &turn, &mut motion);
                if let Some(turned) = self.space.plus(q, &motion) {
                    *q = turned;
                }
            }
        }
    }

    /// The scaled holonomic constraints, zero in removed rows.
    fn gaps(&self, model: &Model, t: f64, q: &[f64]) -> Vec<f64> {
        let mut phi = self.constraint(model, t, q);
        phi.iter_mut()
            .zip(&self.is_removed)
            .filter(|(_, is_removed)| **is_removed)
            .for_each(|(x, _)| *x = 0.0);
        phi
    }

    /// Closes the joints by damped Gauss–Newton steps; removed rows are ignored.
    pub fn close(&mut self, model: &Model, t: f64, q: &mut Vec<f64>) -> Result<(), ModelError> {
        let mut phi = self.gaps(model, t, q);
        let mut compliance = REGULARIZING_COMPLIANCE;
        for _ in 0..MAX_ITERATIONS {
            if largest(&phi) <= 0.1 * self.round_off {
                break;
            }
            self.evaluate(model, t, q);
            let Self { saddle, space, jacobian, weights, is_removed, .. } = self;
            let saddle = saddle.get(space, jacobian);
            let holonomic = model.holonomic_count();
            // nonholonomic rows are ignored
            let soften = |i: usize| if i < holonomic { compliance } else { REMOVING_COMPLIANCE };
            let soften = masked(is_removed, soften);
            let solved = saddle.factorize(weights, jacobian, soften).and_then(|()| {
                let rows = |i: usize| if i < holonomic { -phi[i] } else { 0.0 };
                saddle.solve(|_| 0.0, rows).map(|(motion, _)| motion.to_vec())
            });
            let Ok(mut step) = solved else { break };
            let rotations =
                step.iter().zip(&self.is_rotation).filter(|(_, is_rotation)| **is_rotation);
            let largest_turn = rotations.fold(0.0_f64, |most, (x, _)| most.max(x.abs()));
            if largest_turn > MAX_TURN {
                step.iter_mut().for_each(|x| *x *= MAX_TURN / largest_turn);
            }
            let mut next = self.plus(q, &step);
            model.count_turns_in(&mut next);
            let after = self.gaps(model, t, &next);
            if norm(&after) < norm(&phi) {
                (*q, phi) = (next, after);
                compliance = (0.1 * compliance).max(REGULARIZING_COMPLIANCE);
            } else if compliance < 1e3 {
                compliance = (30.0 * compliance).max(1e-9);
            } else {
                break;
            }
        }
        match largest(&phi) <= GAP_TOLERANCE.max(10.0 * self.round_off) {
            true => Ok(()),
            false => Err(self.open_joints(model, &phi)),
        }
    }

    /// The step against a displacement that keeps the joints closed to first order.
    fn tangential_step(
        &mut self,
        model: &Model,
        t: f64,
        q: &[f64],
        displacement: &[f64],
    ) -> Option<Vec<f64>> {
        self.evaluate(model, t, q);
        let Self { saddle, space, jacobian, weights, .. } = self;
        let (saddle, holonomic) = (saddle.get(space, jacobian), model.holonomic_count());
        let soften =
            |i: usize| if i < holonomic { REGULARIZING_COMPLIANCE } else { REMOVING_COMPLIANCE };
        saddle.factorize(weights, jacobian, soften).ok()?;
        let (step, _) = saddle.solve(|i| -weights[i] * displacement[i], |_| 0.0).ok()?;
        (largest(step) > self.round_off).then(|| step.to_vec())
    }

    /// The error with the constraints that remain open, the largest gap first.
    fn open_joints(&self, model: &Model, phi: &[f64]) -> ModelError {
        let largest_gap = largest(phi);
        let mut rows: Vec<usize> = (0..phi.len())
            .filter(|&i| phi[i].is_nan() || phi[i].abs() >= 1e-2 * largest_gap)
            .collect();
        rows.sort_by(|&a, &b| phi[b].abs().total_cmp(&phi[a].abs()));
        let open = |&i: &usize| OpenRow {
            row: model.rows[i].row_name(),
            gap: phi[i].abs() / self.factors[i],
            is_angular: model.rows[i].is_angular,
        };
        ModelError::CannotAssemble { open: rows.iter().take(8).map(open).collect() }
    }
}

/// Refuses joints that closed with opposite axes.
pub(super) fn check_branches(model: &Model, q: &[f64]) -> Result<(), ModelError> {
    model.placed(&StateView::at(0.0, q), |place| {
        for joint in &model.joints {
            let [one, two] = joint.sides.map(|side| place.frames[side].rotation);
            for [e, b] in &joint.aligned {
                let cosine = (one * e).dot(&(two * b));
                if cosine.is_nan() || cosine <= 0.0 {
                    let angle = cosine.clamp(-1.0, 1.0).acos().to_degrees();
                    let joint = Owner::part(PartKind::Joint, &joint.name);
                    return Err(ModelError::Antiparallel { joint, angle });
                }
            }
        }
        Ok(())
    })
}

/// The sum of inertia, stiffness and damping in scaled coordinates, each divided by its largest entry.
fn resistance_matrix(
    model: &Model,
    t: f64,
    q: &[f64],
    units: &[f64],
) -> Result<SparseMatrix, Failure> {
    let (n, m) = (units.len(), model.rows.len());
    let mut parts = [(); 4].map(|()| SparseMatrix::new(n, n));
    let [mass, stiffness, damping, states] = &mut parts;
    let mut multipliers = SparseMatrix::new(n, m);
    model.write_mass(&StateView::at(t, q), mass);
    let (v, zeros) = (vec![0.0; n], vec![0.0; m]);
    let mut at = StateView::new(t, q, &v);
    at.multipliers = &zeros;
    let multipliers = &mut multipliers;
    model.force_tangent(&at, &mut ForceTangent { stiffness, damping, multipliers, states })?;
    for part in &mut parts {
        // entries outside the matrix were refused when the model was compiled
        let _ = part.finish();
    }
    let [mass, stiffness, damping, _] = &parts;
    Ok(SparseMatrix::written(n, n, |all| {
        for part in [mass, stiffness, damping] {
            let scaled = |(i, j, x): (usize, usize, f64)| x * units[i] * units[j];
            let most = part.iter().map(|x| scaled(x).abs()).fold(0.0_f64, f64::max);
            if most > 0.0 && most.is_finite() {
                part.iter().for_each(|x| all.add(x.0, x.1, scaled(x) / most));
            }
        }
    }))
}

/// The smallest moment of inertia.
fn smallest_eigenvalue(tensor: &Matrix3) -> f64 {
    let is_diagonal = [(0, 1), (0, 2), (1, 2)].iter().all(|&at| tensor[at] == 0.0);
    match is_diagonal {
        true => tensor.diagonal().min(),
        false => tensor.symmetric_eigenvalues().min(),
    }
}

/// Checks that every unconstrained motion has inertia, or a spring or damper that resists it. Inverse
/// iteration finds the motion with the smallest resistance; it must not be zero. Models in which every
/// body has mass and inertia need no check.
pub(super) fn check_massless(
    model: &Model,
    t: f64,
    q: &[f64],
    inactive: &[usize],
) -> Result<(), ModelError> {
    let lacks_inertia = |i: usize| {
        let (kind, body) = (model.nodes[i + 1].kind, &model.bodies[i]);
        let inertia = match kind.is_some_and(BodyKind::is_in_plane) {
            true => body.tensor[(2, 2)],
            false => smallest_eigenvalue(&body.tensor),
        };
        let has_rotation = kind.is_some_and(BodyKind::has_orientation);
        body.mass == 0.0 || (has_rotation && inertia <= 1e-12 * body.tensor.amax())
    };
    if !(0..model.bodies.len()).any(lacks_inertia) {
        return Ok(());
    }
    let mut analysis = Analysis::new(model, t, q);
    analysis.remove_rows(inactive.iter().copied());
    analysis.evaluate(model, t, q);
    let n = analysis.units.len();
    // a force that fails here is reported when the simulation starts
    let Ok(resistance) = resistance_matrix(model, t, q, &analysis.units) else { return Ok(()) };
    let jacobian = &analysis.jacobian;
    let mut saddle =
        SaddlePointSolver::with_mass(&analysis.space, jacobian, jacobian.rows(), &resistance);
    let mut motion: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * (i % 7) as f64).collect();
    let rigid = masked(&analysis.is_removed, |_| 0.0);
    if saddle.factorize_with_mass(&resistance, |_| INERTIA_SHIFT, jacobian, rigid).is_err() {
        // dependent rows are reported elsewhere
        return Ok(());
    }
    for _ in 0..8 {
        let Ok((next, _)) = saddle.solve(|i| motion[i], |_| 0.0) else { return Ok(()) };
        let size = norm(next);
        if !(size > 0.0 && size.is_finite()) {
            return Ok(());
        }
        motion = next.iter().map(|x| x / size).collect();
    }
    let mut force = vec![0.0; n];
    resistance.iter().for_each(|(i, j, x)| force[i] += x * motion[j]);
    // if the constraints allow no motion, this one violates them
    let is_admissible = norm(&analysis.rates(&motion)) < 1e-6;
    match is_admissible && norm(&force) < MIN_INERTIA {
        true => {
            let worst = (0..n).max_by(|&a, &b| motion[a].abs().total_cmp(&motion[b].abs()));
            let worst = worst.unwrap_or(0);
            let unknown = format!("the motion of {}", model.coordinate_name(worst));
            Err(ModelError::Massless { owner: model.coordinate_owner(worst), unknown })
        }
        false => Ok(()),
    }
}
