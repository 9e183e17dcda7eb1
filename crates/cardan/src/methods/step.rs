//! What a method has at hand while it takes a step.

use crate::error::StageError;
use crate::math::Chart;
use crate::stage::{Balance, Consistency, Formulation, NewtonOptions, Stage, StageMap};
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

/// What is done with an instant that was reached without a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Whether its positions are put back onto the constraints.
    pub positions: bool,
    /// Whether its velocities are.
    pub velocities: bool,
    /// Whether every coordinate counts the same there, instead of by its inertia.
    pub is_euclidean: bool,
}

impl Arrival {
    /// Positions and velocities are put back, by inertia.
    pub const PROJECTED: Self = Self { positions: true, velocities: true, is_euclidean: false };
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

    /// Solves the stage described by the map. Where Newton fails from what the method predicts, it is
    /// tried from the velocities of the present instant, which are further away and lead astray less;
    /// then with damped corrections, from the latter start and from the prediction.
    pub fn solve(&mut self) -> Result<(), StageError> {
        let error = match self.stage.solve(self.system, self.evaluator, self.map, self.options) {
            Ok(solves) => {
                self.solves.push(solves as u32);
                return Ok(());
            }
            Err(error) => error,
        };
        let mut solves = self.options.iterations;
        if self.options.begins_again && is_symptom(&error) {
            self.stage.keep_start();
            let (system, options) = (self.system, self.options);
            let mut again = None;
            if self.begin_plainly() {
                again = self.stage.solve(system, self.evaluator, self.map, options).ok();
                if again.is_none() {
                    solves += options.iterations;
                    again = self.stage.solve_damped(system, self.evaluator, self.map, options).ok();
                }
            }
            if again.is_none() {
                self.stage.return_to_start();
                again = self.stage.solve_damped(system, self.evaluator, self.map, options).ok();
            }
            if let Some(more) = again {
                self.solves.push((solves + more) as u32);
                return Ok(());
            }
        }
        self.solves.push(solves as u32);
        Err(self.blame_rotation(error))
    }

    /// Puts Newton where the velocities are those of the present instant, if the stage has that form.
    fn begin_plainly(&mut self) -> bool {
        let Self { map, now, next, stage, .. } = self;
        let is_plain = map.c_v != 0.0 && map.impulses.is_none() && map.balance == Balance::Here;
        if is_plain {
            for ((p, known), v) in next.a.iter_mut().zip(&map.v).zip(&now.v) {
                *p = (v - known) / map.c_v;
            }
            stage.predict(&next.a, &now.multipliers, &now.rates);
        }
        is_plain
    }

    /// Beyond a speed that depends on the method the equations in the Cayley chart have no solution:
    /// what Newton then says is not the cause.
    fn blame_rotation(&self, error: StageError) -> StageError {
        if self.map.chart != Chart::Cayley || !is_symptom(&error) {
            return error;
        }
        let turn = |rotation: &Rotation| self.h * rotation.tangent(&self.now.v).norm();
        let rotations = self.evaluator.space().rotations().iter();
        let fastest = rotations.max_by(|a, b| turn(a).total_cmp(&turn(b)));
        match fastest.filter(|rotation| turn(rotation) > FAST) {
            None => error,
            Some(rotation) => StageError::RotationPerStep {
                name: self.system.rotation_name(rotation.v),
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
            let anew = self.consistency.accelerations(system, evaluator, self.options, self.next);
            // where they are not determined alone, those of the stage are all there is
            if !matches!(anew, Err(StageError::Singular { .. })) {
                anew?;
            }
        }
        self.show()
    }

    /// The same, with a and λ from q and v throughout, where the stage has none of its order.
    pub fn complete_consistent(&mut self) -> Result<(), StageError> {
        self.take()?;
        self.next.stabilizing.fill(0.0);
        if !self.next.multipliers.is_empty() {
            let (system, evaluator) = (self.system, &mut *self.evaluator);
            self.consistency.accelerations(system, evaluator, self.options, self.next)?;
        }
        self.show()
    }

    /// Accelerations, multipliers and rates of the instant to come, from its t, q, v and z; `restoring` is
    /// Baumgarte's rate.
    pub fn accelerate(&mut self, restoring: f64) -> Result<(), StageError> {
        let (system, evaluator) = (self.system, &mut *self.evaluator);
        self.consistency.restored(system, evaluator, self.options, self.next, restoring)
    }

    /// Projects the instant to come, computes its accelerations and lets the system see it.
    pub fn arrive(&mut self, arrival: &Arrival, restoring: f64) -> Result<(), StageError> {
        let (system, evaluator, options) = (self.system, &mut *self.evaluator, self.options);
        self.consistency.measure_euclidean(arrival.is_euclidean);
        if arrival.positions && !self.next.stabilizing.is_empty() {
            self.consistency.project_positions(system, evaluator, options, self.next)?;
        }
        if arrival.velocities && !self.next.multipliers.is_empty() {
            self.consistency.project_velocities(system, evaluator, self.next)?;
        }
        self.normalize()?;
        self.accelerate(restoring)?;
        self.show()
    }

    /// Refuses a displacement beyond half a turn, as stages do.
    pub(super) fn check_rotation(&self) -> Result<(), StageError> {
        self.map.check_rotations(self.system, self.evaluator.space(), &self.map.d, 1.0)
    }

    fn normalize(&mut self) -> Result<(), StageError> {
        match self.evaluator.space().normalize(&mut self.next.q) {
            true => Ok(()),
            false => Err(StageError::NotFinite { what: "a rotation".into() }),
        }
    }

    /// Takes the stage as the instant to come, without anything further.
    pub fn take_stage(&mut self) {
        let (stage, next) = (&*self.stage, &mut *self.next);
        next.t = self.map.t;
        next.q.copy_from_slice(&stage.q);
        next.v.copy_from_slice(&stage.v);
        next.a.copy_from_slice(&stage.a);
        next.z.copy_from_slice(&stage.z);
        next.rates.copy_from_slice(&stage.rates);
        next.multipliers.copy_from_slice(&stage.multipliers);
        next.stabilizing.copy_from_slice(&stage.stabilizing);
    }

    /// Lets the system see the instant to come, its rotations brought to length one.
    pub fn finish(&mut self) -> Result<(), StageError> {
        self.normalize()?;
        self.show()
    }

    fn take(&mut self) -> Result<(), StageError> {
        self.take_stage();
        if self.is_projected() {
            let (system, evaluator, next) = (self.system, &mut *self.evaluator, &mut *self.next);
            self.consistency.measure_euclidean(false);
            self.consistency.project_positions(system, evaluator, self.options, next)?;
            self.consistency.project_velocities(system, evaluator, next)?;
        }
        self.normalize()
    }

    /// Lets the system see the instant to come.
    pub(super) fn show(&mut self) -> Result<(), StageError> {
        let step = self.next.t - self.now.t;
        let accepted = self.evaluator.accept(self.system, Some(step), self.next);
        accepted.map_err(StageError::refused)
    }

    fn is_projected(&self) -> bool {
        self.formulation == Formulation::Acceleration && !self.next.multipliers.is_empty()
    }
}

/// Whether an error may be Newton's own and not that of the equations.
fn is_symptom(error: &StageError) -> bool {
    matches!(
        error,
        StageError::NotConverged { .. }
            | StageError::Singular { .. }
            | StageError::NotFinite { .. }
            | StageError::RotationPerStep { .. }
    )
}
