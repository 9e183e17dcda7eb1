//! How constraints act on a motion: the constraint forces in the dynamics of a stage.
//!
//! ```text
//! Multipliers   Gᵀλ                                     position and acceleration constraints
//! Stabilized    Gᵀλ, and separate velocities with μ       position and velocity constraints together
//! ```
//! A method in which constraints act in another way implements [`ConstraintForces`] and returns it from
//! [`Method::constraint_forces`](crate::methods::Method::constraint_forces).

use std::any::Any;

use super::correction_solve::CorrectionSolve;
use super::velocity_corrector::VelocityCorrector;
use super::{StageMap, Unknowns};
use crate::linalg::{LinearError, Solver};
use crate::math::add_scaled;
use crate::system::{Evaluator, SystemMatrix};

/// The current iterate: M and G are evaluated there.
#[derive(Clone, Copy)]
pub struct Iterate<'a> {
    /// M, G and the other parts.
    pub evaluator: &'a Evaluator,
    /// The relation of q, v and a.
    pub map: &'a StageMap,
    /// The unknowns.
    pub unknowns: &'a Unknowns,
}

/// How constraints act on a motion.
pub trait ConstraintForces: Any + Send {
    /// Adds the constraint forces to the rows of the dynamics.
    fn add(&mut self, at: &Iterate<'_>, rows: &mut [f64]) -> Result<(), LinearError>;

    /// Solves for a correction, given the negative residual.
    fn solve(&mut self, linear: &mut CorrectionSolve<'_>) -> Result<(), LinearError> {
        linear.solve()
    }

    /// Corrects the unknowns other than p and λ; `multipliers` is the correction of λ, already applied.
    fn correct(&mut self, _map: &StageMap, _multipliers: &[f64], _unknowns: &mut Unknowns) {}

    /// The solver for the velocities, if they are separate unknowns.
    fn velocities(&mut self) -> Option<&mut VelocityCorrector> {
        None
    }

    /// Adds the constraint forces to the link of the separate velocities, which holds M (κ(p) − x).
    fn add_link(&mut self, _at: &Iterate<'_>) {}

    /// The accelerations of ∂(M a)/∂q and the multipliers of ∂(Gᵀλ)/∂q.
    fn tangent_vectors<'a>(&'a self, a: &'a [f64], multipliers: &'a [f64]) -> [&'a [f64]; 2] {
        [a, multipliers]
    }

    /// Whether constraints act within the step instead of at its end: constraint forces then use the G of
    /// its start, which the method has evaluated, and inertia forces use p.
    fn acts_within_step(&self) -> bool {
        false
    }

    /// Whether they are Gᵀλ and nothing else, so that G itself is needed for the matrix only.
    fn is_product(&self) -> bool {
        false
    }

    /// Called at the start of the motion, with M and G evaluated there; an error if M must be inverted and is singular.
    fn prepare(&mut self, _evaluator: &Evaluator) -> Result<(), LinearError> {
        Ok(())
    }

    /// Discards factorizations that are kept for the whole run.
    fn invalidate_factors(&mut self) {}

    /// Calls a function with each linear solver, always in the same order.
    fn visit_solvers(&mut self, _visit: &mut dyn FnMut(&mut Solver)) {}
}

/// Constraint forces by multipliers alone.
pub(super) struct Multipliers;

impl ConstraintForces for Multipliers {
    fn is_product(&self) -> bool {
        true
    }

    fn add(&mut self, at: &Iterate<'_>, rows: &mut [f64]) -> Result<(), LinearError> {
        add_constraint_forces(at, rows);
        Ok(())
    }
}

fn add_constraint_forces(at: &Iterate<'_>, rows: &mut [f64]) {
    let jacobian = at.evaluator.part(SystemMatrix::Jacobian);
    jacobian.transpose_multiply_add(1.0, &at.unknowns.multipliers, rows);
}

/// Constraint forces, and separate velocities that satisfy the velocity constraints: M (κ(p) − x) = Gᵀμ.
pub(super) struct Stabilized {
    velocities: VelocityCorrector,
}

impl Stabilized {
    pub fn new(evaluator: &Evaluator) -> Self {
        Self { velocities: VelocityCorrector::new(evaluator) }
    }
}

impl ConstraintForces for Stabilized {
    fn add(&mut self, at: &Iterate<'_>, rows: &mut [f64]) -> Result<(), LinearError> {
        add_constraint_forces(at, rows);
        Ok(())
    }

    fn solve(&mut self, linear: &mut CorrectionSolve<'_>) -> Result<(), LinearError> {
        // the difference between κ(p) and x changes the inertia forces too
        let link = &self.velocities.link;
        add_scaled(-linear.map.c_a, link, &mut linear.correction[..link.len()]);
        linear.solve()?;
        match self.velocities.solve(linear)? {
            true => self.velocities.add_damping_feedback(linear),
            false => Ok(()),
        }
    }

    fn correct(&mut self, map: &StageMap, _multipliers: &[f64], unknowns: &mut Unknowns) {
        let mu = &self.velocities.multipliers;
        add_scaled(-1.0, mu, &mut unknowns.stabilization_multipliers);
        // λ was computed as if v followed from q: it changes by the part of μ
        add_scaled(-map.c_a, mu, &mut unknowns.multipliers);
        add_scaled(1.0, &self.velocities.motion, &mut unknowns.x);
    }

    fn velocities(&mut self) -> Option<&mut VelocityCorrector> {
        Some(&mut self.velocities)
    }

    fn add_link(&mut self, at: &Iterate<'_>) {
        for (i, j, value) in at.evaluator.part(SystemMatrix::Jacobian).iter() {
            if let Some(mu) = at.unknowns.stabilization_multipliers.get(i) {
                self.velocities.link[j] -= value * mu;
            }
        }
    }

    fn prepare(&mut self, evaluator: &Evaluator) -> Result<(), LinearError> {
        self.velocities.prepare(evaluator);
        Ok(())
    }

    fn visit_solvers(&mut self, visit: &mut dyn FnMut(&mut Solver)) {
        visit(self.velocities.solver_mut());
    }
}
