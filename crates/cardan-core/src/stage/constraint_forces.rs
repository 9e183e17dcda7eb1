//! How constraints act on a motion: what stands in the place of Gᵀλ in the dynamics of a stage.
//!
//! ```text
//! Multipliers   Gᵀλ                                     position and acceleration constraints
//! Stabilized    Gᵀλ, and velocities of their own with μ  position and velocity constraints together
//! ```
//! A method that lets constraints act otherwise brings a [`Reaction`] of its own
//! ([`Method::reaction`](crate::methods::Method::reaction)).

use std::any::Any;

use super::correction_solve::CorrectionSolve;
use super::velocity_corrector::VelocityCorrector;
use super::{StageMap, Unknowns};
use crate::linalg::{LinearError, Solver};
use crate::math::add_scaled;
use crate::system::{Evaluator, SystemMatrix};

/// Where the iteration stands: M and G are those of the iterate.
#[derive(Clone, Copy)]
pub struct Iterate<'a> {
    /// M, G and the other parts.
    pub evaluator: &'a Evaluator,
    /// How q, v and a hang together.
    pub map: &'a StageMap,
    /// The unknowns.
    pub unknowns: &'a Unknowns,
}

/// How constraints act on a motion.
pub trait ConstraintForces: Any + Send {
    /// Adds what constraints do to the rows of the dynamics.
    fn add(&mut self, at: &Iterate<'_>, rows: &mut [f64]) -> Result<(), LinearError>;

    /// Solves for a correction, given the residual with the other sign.
    fn solve(&mut self, linear: &mut CorrectionSolve<'_>) -> Result<(), LinearError> {
        linear.solve()
    }

    /// Corrects what hangs on a solution beside p and λ, whose own correction `multipliers` has been made.
    fn correct(&mut self, _map: &StageMap, _multipliers: &[f64], _unknowns: &mut Unknowns) {}

    /// The velocities, if they have unknowns of their own.
    fn velocities(&mut self) -> Option<&mut VelocityCorrector> {
        None
    }

    /// Adds to the link of these velocities, which holds M (κ(p) − x), what constraints do to them.
    fn add_link(&mut self, _at: &Iterate<'_>) {}

    /// The accelerations whose inertia, and the multipliers whose direction, change with q.
    fn tangent_vectors<'a>(&'a self, a: &'a [f64], multipliers: &'a [f64]) -> [&'a [f64]; 2] {
        [a, multipliers]
    }

    /// Whether constraints act in the course of the step instead of at its end: forces then act by the G of
    /// its start, which the method has evaluated, and inertia by p.
    fn acts_within_step(&self) -> bool {
        false
    }

    /// Makes ready at the start of the motion, with its M and G; an error if M must be inverted and cannot be.
    fn prepare(&mut self, _evaluator: &Evaluator) -> Result<(), LinearError> {
        Ok(())
    }

    /// Forgets what has been factorized once for all.
    fn invalidate_factors(&mut self) {}

    /// Shows every linear solver, in an order that never changes.
    fn visit_solvers(&mut self, _see: &mut dyn FnMut(&mut Solver)) {}
}

/// Constraint forces by multipliers alone.
pub(super) struct Multipliers;

impl ConstraintForces for Multipliers {
    fn add(&mut self, at: &Iterate<'_>, rows: &mut [f64]) -> Result<(), LinearError> {
        add_constraint_forces(at, rows);
        Ok(())
    }
}

fn add_constraint_forces(at: &Iterate<'_>, rows: &mut [f64]) {
    let jacobian = at.evaluator.part(SystemMatrix::Jacobian);
    jacobian.transpose_multiply_add(1.0, &at.unknowns.multipliers, rows);
}

/// Constraint forces, and velocities that keep constraints of their own: M (κ(p) − x) = Gᵀμ.
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
        // what the link takes from x, inertia takes from the dynamics
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
        // λ was found as if v followed q: it takes what μ takes from there
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

    fn visit_solvers(&mut self, see: &mut dyn FnMut(&mut Solver)) {
        see(self.velocities.solver_mut());
    }
}
