//! Closing the joints: from inexact positions to the nearest ones that fit.

use super::analysis::{Analysis, masked, norm};
use crate::model::node::GROUND;
use crate::model::{BodyKind, Model, ModelError, OpenRow, Owner, PartKind};
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::largest;
use cardan_core::stage::{REGULARIZING_COMPLIANCE, REMOVING_COMPLIANCE, SaddlePointSolver};
use cardan_core::system::{Failure, ForceTangent, StateView, System};

/// The most one iteration turns a body.
const MAX_TURN: f64 = 0.7;
/// A cosine below this is a right angle for a Newton that sees sines.
const RIGHT_ANGLE: f64 = 1e-6;
/// Iterations to close the joints.
const MAX_ITERATIONS: usize = 200;
/// Iterations to come nearer to the described positions.
const POLISHING: usize = 30;
/// A gap of this size, in units of the mechanism, is open, unless round-off is larger.
const OPEN: f64 = 1e-10;
/// What is added to the inertia of every motion to look for the least one, against the largest.
const SLIGHT_INERTIA: f64 = 1e-8;
/// Inertia below this, against the largest, is round-off.
const NO_INERTIA: f64 = 1e-13;

impl Analysis {
    /// Moves q to the nearest configuration with closed joints. A closed one is left alone.
    pub fn assemble(&mut self, model: &Model, t: f64, q: &mut Vec<f64>) -> Result<(), ModelError> {
        let phi = self.constraint(model, t, q);
        if !phi.iter().all(|x| x.is_finite()) {
            return Err(self.open(model, &phi));
        }
        if largest(&phi) <= self.round_off {
            return Ok(());
        }
        let described = q.clone();
        self.leave_right_angles(model, q);
        self.close(model, t, q)?;
        // among closed configurations the nearest: step against the displacement, close again
        let distance = |analysis: &Self, q: &[f64]| {
            let d = analysis.between(&described, q);
            d.iter().zip(&analysis.weights).map(|(d, w)| w * d * d).sum::<f64>()
        };
        let mut best = distance(self, q);
        for _ in 0..POLISHING {
            let back = self.between(&described, q);
            let Some(step) = self.tangential(model, t, q, &back) else { break };
            let mut next = self.moved(q, &step);
            let closed = self.close(model, t, &mut next).is_ok();
            let now = distance(self, &next);
            // a gain below this is round-off of the distance itself
            if !closed || now >= best * (1.0 - 1e-12) {
                break;
            }
            (*q, best) = (next, now);
        }
        Ok(())
    }

    /// Axes exactly at right angles that ought to be parallel give no hint which way to turn: they
    /// are turned a little towards each other.
    fn leave_right_angles(&self, model: &Model, q: &mut Vec<f64>) {
        for joint in &model.joints {
            for [e, b] in &joint.aligned {
                let [one, two] = joint.sides.map(|side| model.frame(side, q).rotation);
                let (e, b) = (one * e, two * b);
                if e.dot(&b).abs() > RIGHT_ANGLE {
                    continue;
                }
                // body 2 turns, or body 1 the other way if body 2 is the ground
                let (side, way) = match joint.sides {
                    [side, GROUND] => (side, e.cross(&b)),
                    [_, side] => (side, b.cross(&e)),
                };
                let node = &model.nodes[model.base_node(side)];
                let turn = node.frame(q).rotation.tr_mul(&(0.1 * way));
                let mut motion = vec![0.0; self.units.len()];
                node.add(1, &turn, &mut motion);
                if let Some(turned) = self.space.plus(q, &motion) {
                    *q = turned;
                }
            }
        }
    }

    /// The scaled holonomic constraints, zero in rows that are out.
    fn gaps(&self, model: &Model, t: f64, q: &[f64]) -> Vec<f64> {
        let mut phi = self.constraint(model, t, q);
        phi.iter_mut().zip(&self.is_out).filter(|(_, is_out)| **is_out).for_each(|(x, _)| *x = 0.0);
        phi
    }

    /// Closes the joints by damped Gauss–Newton steps, but for rows that are out.
    pub fn close(&mut self, model: &Model, t: f64, q: &mut Vec<f64>) -> Result<(), ModelError> {
        let mut phi = self.gaps(model, t, q);
        let mut compliance = REGULARIZING_COMPLIANCE;
        for _ in 0..MAX_ITERATIONS {
            if largest(&phi) <= 0.1 * self.round_off {
                break;
            }
            self.evaluate(model, t, q);
            let Self { saddle, jacobian, weights, is_out, .. } = self;
            let holonomic = model.holonomic_count();
            // nonholonomic rows do not take part
            let soften = |i: usize| if i < holonomic { compliance } else { REMOVING_COMPLIANCE };
            let soften = masked(is_out, soften);
            let solved = saddle.factorize(weights, jacobian, soften).and_then(|()| {
                let rows = |i: usize| if i < holonomic { -phi[i] } else { 0.0 };
                saddle.solve(|_| 0.0, rows).map(|(motion, _)| motion.to_vec())
            });
            let Ok(mut step) = solved else { break };
            let turned = step.iter().zip(&self.turns).filter(|(_, turns)| **turns);
            let longest = turned.fold(0.0_f64, |most, (x, _)| most.max(x.abs()));
            if longest > MAX_TURN {
                step.iter_mut().for_each(|x| *x *= MAX_TURN / longest);
            }
            let mut next = self.moved(q, &step);
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
        match largest(&phi) <= OPEN.max(10.0 * self.round_off) {
            true => Ok(()),
            false => Err(self.open(model, &phi)),
        }
    }

    /// The step that leaves the joints closed to first order and undoes a displacement.
    fn tangential(&mut self, model: &Model, t: f64, q: &[f64], back: &[f64]) -> Option<Vec<f64>> {
        self.evaluate(model, t, q);
        let (weights, holonomic) = (&self.weights, model.holonomic_count());
        let soften =
            |i: usize| if i < holonomic { REGULARIZING_COMPLIANCE } else { REMOVING_COMPLIANCE };
        self.saddle.factorize(weights, &self.jacobian, soften).ok()?;
        let (step, _) = self.saddle.solve(|i| -weights[i] * back[i], |_| 0.0).ok()?;
        (largest(step) > self.round_off).then(|| step.to_vec())
    }

    /// The joints that remain open, the widest first.
    fn open(&self, model: &Model, phi: &[f64]) -> ModelError {
        let widest = largest(phi);
        let mut rows: Vec<usize> =
            (0..phi.len()).filter(|&i| phi[i].is_nan() || phi[i].abs() >= 1e-2 * widest).collect();
        rows.sort_by(|&a, &b| phi[b].abs().total_cmp(&phi[a].abs()));
        let open = |&i: &usize| OpenRow {
            row: model.rows[i].row_name(),
            gap: phi[i].abs() / self.factors[i],
            is_angular: model.rows[i].is_angular,
        };
        ModelError::CannotAssemble { open: rows.iter().take(8).map(open).collect() }
    }
}

/// No axis may have closed the wrong way round.
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

/// Inertia, stiffness and damping in scaled coordinates, each over its largest entry.
fn supports(model: &Model, t: f64, q: &[f64], units: &[f64]) -> Result<SparseMatrix, Failure> {
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
        // what lies outside was refused when the model was compiled
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

/// Every motion that no constraint holds must have inertia, or a spring or damper that holds it. The
/// motion with the least of these is found by inverse iteration; where a body lacks inertia, it must
/// not be zero.
pub(super) fn check_massless(
    model: &Model,
    t: f64,
    q: &[f64],
    inactive: &[usize],
) -> Result<(), ModelError> {
    let lacks = |i: usize| {
        let (freedom, body) = (model.nodes[i + 1].kind, &model.bodies[i]);
        let inertia = match freedom.is_some_and(BodyKind::is_in_plane) {
            true => body.tensor[(2, 2)],
            false => body.tensor.symmetric_eigenvalues().min(),
        };
        let turns = freedom.is_some_and(BodyKind::has_orientation);
        body.mass == 0.0 || (turns && inertia <= 1e-12 * body.tensor.amax())
    };
    if !(0..model.bodies.len()).any(lacks) {
        return Ok(());
    }
    let mut analysis = Analysis::new(model, t, q);
    analysis.remove_rows(inactive.iter().copied());
    analysis.evaluate(model, t, q);
    let n = analysis.units.len();
    // a force that fails at the start will say so itself
    let Ok(mass) = supports(model, t, q, &analysis.units) else { return Ok(()) };
    let jacobian = &analysis.jacobian;
    let mut saddle =
        SaddlePointSolver::with_mass(&analysis.space, jacobian, jacobian.rows(), &mass);
    let mut motion: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * (i % 7) as f64).collect();
    let rigid = masked(&analysis.is_out, |_| 0.0);
    if saddle.factorize_with_mass(&mass, |_| SLIGHT_INERTIA, jacobian, rigid).is_err() {
        // dependent rows are another matter
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
    let mut held = vec![0.0; n];
    mass.iter().for_each(|(i, j, x)| held[i] += x * motion[j]);
    // without any motion left there is none without inertia
    let moves = norm(&analysis.rates(&motion)) < 1e-6;
    match moves && norm(&held) < NO_INERTIA {
        true => {
            let worst = (0..n).max_by(|&a, &b| motion[a].abs().total_cmp(&motion[b].abs()));
            let worst = worst.unwrap_or(0);
            let unknown = format!("the motion of {}", model.coordinate_name(worst));
            Err(ModelError::Massless { owner: model.coordinate_owner(worst), unknown })
        }
        false => Ok(()),
    }
}
