//! What a method has at hand while it takes a step.

use crate::error::StageError;
use crate::stage::{Consistency, Formulation, NewtonOptions, Stage, StageMap};
use crate::state::{History, Instant};
use crate::system::{Evaluator, Sizes, Space, System};

/// What a solved stage leaves to later stages of the same step.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Chart vector g.
    pub g: Vec<f64>,
    /// Its rate ġ.
    pub rate: Vec<f64>,
    /// Acceleration.
    pub a: Vec<f64>,
    /// First-order states.
    pub z: Vec<f64>,
    /// Their rates.
    pub rates: Vec<f64>,
    /// Multipliers.
    pub multipliers: Vec<f64>,
}

impl Record {
    /// A record for a system of these sizes.
    pub(crate) fn new(sizes: Sizes) -> Self {
        let zeros = |n| vec![0.0; n];
        Self {
            g: zeros(sizes.v),
            rate: zeros(sizes.v),
            a: zeros(sizes.v),
            z: zeros(sizes.z),
            rates: zeros(sizes.z),
            multipliers: zeros(sizes.constraints),
        }
    }

    /// The start of a step, in the chart centred there.
    pub(super) fn begin(&mut self, now: &Instant) {
        self.g.fill(0.0);
        self.rate.copy_from_slice(&now.v);
        self.a.copy_from_slice(&now.a);
        self.z.copy_from_slice(&now.z);
        self.rates.copy_from_slice(&now.rates);
        self.multipliers.copy_from_slice(&now.multipliers);
    }

    /// A stage that has just been solved.
    pub(super) fn keep(&mut self, stage: &Stage, map: &StageMap) {
        stage.chart_motion(map, &mut self.g, &mut self.rate);
        self.a.copy_from_slice(&stage.a);
        self.z.copy_from_slice(&stage.z);
        self.rates.copy_from_slice(&stage.rates);
        self.multipliers.copy_from_slice(&stage.multipliers);
    }
}

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
    /// Whether the step before had the same size.
    pub is_steady: bool,
    /// The time at the end of the step.
    pub t_next: f64,
    /// The current instant.
    pub now: &'a Instant,
    /// The past.
    pub history: &'a mut History,
    /// Scratch for the stages of this step, as many as the method asked for.
    pub records: &'a mut [Record],
    /// The instant to come, complete after [`Step::complete`].
    pub next: &'a mut Instant,
    /// Linear solves of each stage so far.
    pub solves: &'a mut Vec<u32>,
    /// The estimate of the local error in q, v and z, if the method has one.
    pub estimate: &'a mut [f64],
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
        let solved = self.stage.solve(self.system, self.evaluator, self.map, self.options);
        self.solves.push(*solved.as_ref().unwrap_or(&self.options.iterations) as u32);
        solved.map(drop)
    }

    /// Takes the stage as the instant to come, projects it if the formulation asks for it, and lets
    /// the system see it.
    pub fn complete(&mut self) -> Result<(), StageError> {
        let is_projected = self.is_projected();
        let (stage, next) = (&*self.stage, &mut *self.next);
        next.t = self.map.t;
        next.q.copy_from_slice(&stage.q);
        next.v.copy_from_slice(&stage.v);
        next.a.copy_from_slice(&stage.a);
        next.z.copy_from_slice(&stage.z);
        next.rates.copy_from_slice(&stage.rates);
        next.multipliers.copy_from_slice(&stage.multipliers);
        next.stabilizing.copy_from_slice(&stage.stabilizing);
        if is_projected {
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

    /// Computes a, λ and ż of the instant to come anew from its q and v, where a projection has moved
    /// them: for methods that look no further back than one step.
    pub fn refresh(&mut self) -> Result<(), StageError> {
        match self.is_projected() {
            true => {
                let (system, evaluator) = (self.system, &mut *self.evaluator);
                self.consistency.accelerations(system, evaluator, self.options, self.next)
            }
            false => Ok(()),
        }
    }

    fn is_projected(&self) -> bool {
        self.formulation == Formulation::Acceleration && !self.next.multipliers.is_empty()
    }
}
