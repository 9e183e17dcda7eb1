//! What a method has at hand while it takes a step.

use crate::error::StageError;
use crate::stage::{Consistency, Formulation, NewtonOptions, Stage, StageMap};
use crate::state::{History, Instant};
use crate::system::{Evaluator, Sizes, Space, System};

/// One step in progress: the past, the stage to solve, and the instant to come.
pub struct Step<'a> {
    pub(crate) system: &'a dyn System,
    pub(crate) evaluator: &'a mut Evaluator,
    pub(crate) stage: &'a mut Stage,
    pub(crate) consistency: &'a mut Consistency,
    pub(crate) formulation: Formulation,
    pub(crate) options: &'a NewtonOptions,
    /// The relation of q, v and a at the instant to solve for.
    pub map: &'a mut StageMap,
    /// The step size.
    pub h: f64,
    /// The time at the end of the step.
    pub t_next: f64,
    /// The current instant.
    pub now: &'a Instant,
    /// The past.
    pub history: &'a mut History,
    /// The instant to come, complete after [`Step::complete`].
    pub next: &'a mut Instant,
    /// Linear solves so far.
    pub solves: usize,
}

impl Step<'_> {
    /// The configuration space.
    pub fn space(&self) -> &Space {
        self.evaluator.space()
    }

    /// The numbers of unknowns.
    pub fn sizes(&self) -> Sizes {
        self.evaluator.sizes()
    }

    /// Solves the stage described by the map.
    pub fn solve(&mut self) -> Result<(), StageError> {
        self.solves += self.stage.solve(self.system, self.evaluator, self.map, self.options)?;
        Ok(())
    }

    /// Takes the stage as the instant to come, projects it if the formulation asks for it, and lets
    /// the system see it.
    pub fn complete(&mut self) -> Result<(), StageError> {
        let (stage, next) = (&*self.stage, &mut *self.next);
        next.t = self.map.t;
        next.q.copy_from_slice(&stage.q);
        next.v.copy_from_slice(&stage.v);
        next.a.copy_from_slice(&stage.a);
        next.z.copy_from_slice(&stage.z);
        next.rates.copy_from_slice(&stage.rates);
        next.multipliers.copy_from_slice(&stage.multipliers);
        next.stabilizing.copy_from_slice(&stage.stabilizing);
        if self.formulation == Formulation::Acceleration && !next.multipliers.is_empty() {
            let (system, evaluator) = (self.system, &mut *self.evaluator);
            self.consistency.project_positions(system, evaluator, self.options, next)?;
            self.consistency.project_velocities(system, evaluator, next)?;
        }
        if !self.evaluator.space().normalize(&mut next.q) {
            return Err(StageError::NotFinite { what: "a rotation".into() });
        }
        let accepted = self.system.accept(Some(self.now), next);
        accepted.map_err(|reason| StageError::Refused { reason })
    }
}
