//! What a method has at hand while it takes a step.

use crate::error::StageError;
use crate::math::Chart;
use crate::stage::{Consistency, Formulation, NewtonOptions, Stage, StageMap};
use crate::state::{History, Instant};
use crate::system::{Evaluator, Rotation, Sizes, Space, System};

/// A rotation per step, in radians, up to which every method has a solution in the Cayley chart: LMS4
/// ends first, at 0.77.
const FAST: f64 = 0.7;

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
        solved.map(drop).map_err(|error| self.blame_rotation(error))
    }

    /// Beyond a speed that depends on the method the equations in the Cayley chart have no solution:
    /// what Newton then says is not the cause.
    fn blame_rotation(&self, error: StageError) -> StageError {
        let is_symptom = matches!(
            error,
            StageError::NotConverged { .. }
                | StageError::Singular { .. }
                | StageError::NotFinite { .. }
        );
        if self.map.chart != Chart::Cayley || !is_symptom {
            return error;
        }
        let turn = |rotation: &Rotation| self.h * rotation.tangent(&self.now.v).norm();
        let rotations = self.evaluator.space().rotations().iter();
        let fastest = rotations.max_by(|a, b| turn(a).total_cmp(&turn(b)));
        match fastest.filter(|rotation| turn(rotation) > FAST) {
            None => error,
            Some(rotation) => StageError::RotationPerStep {
                name: self.system.coordinate_name(rotation.v),
                angle: turn(rotation),
                limit: FAST,
                chart: Chart::Cayley,
            },
        }
    }

    /// Takes the stage as the instant to come, projects it if the formulation asks for it, and lets
    /// the system see it.
    pub fn complete(&mut self) -> Result<(), StageError> {
        self.take()?;
        self.show()
    }

    /// The same, but where a projection has moved q and v, a, λ and ż are computed anew from them: for
    /// methods that look no further back than one step.
    pub fn complete_anew(&mut self) -> Result<(), StageError> {
        self.take()?;
        if self.is_projected() {
            let (system, evaluator) = (self.system, &mut *self.evaluator);
            self.consistency.accelerations(system, evaluator, self.options, self.next)?;
        }
        self.show()
    }

    fn take(&mut self) -> Result<(), StageError> {
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
        match self.evaluator.space().normalize(&mut next.q) {
            true => Ok(()),
            false => Err(StageError::NotFinite { what: "a rotation".into() }),
        }
    }

    fn show(&mut self) -> Result<(), StageError> {
        let accepted = self.system.accept(Some(self.now), self.next);
        accepted.map_err(|reason| StageError::Refused { reason })
    }

    fn is_projected(&self) -> bool {
        self.formulation == Formulation::Acceleration && !self.next.multipliers.is_empty()
    }
}
