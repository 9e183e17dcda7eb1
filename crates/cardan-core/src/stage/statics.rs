//! Equilibrium: the stage at rest, f(t, q, 0, λ, z) = Gᵀλ, Φ(t, q) = 0 and r(t, q, 0, λ, z, 0) = 0, by Newton with a
//! line search.
//!
//! Full corrections are made first, although the next one may be larger: a slender beam that is bent
//! strongly is stretched during the iteration, and recovers. If that does not converge, the search starts again
//! and shortens each correction until the next one, with the same matrix, would be smaller than the one
//! just made: this test measures positions, so it does not depend on the units of the forces.

use super::assembly::TermCoefficients;
use super::problem::{Stage, ValueChange};
use super::static_states::StaticStates;
use super::{EvaluationContext, Formulation, NewtonOptions, newton};
use crate::linalg::SolutionUse;
use crate::math::largest;
use crate::stage::StageError;
use crate::state::Instant;
use crate::system::SystemError;
use crate::system::{Evaluator, StateView, System};

/// Largest correction of a rotation in one iteration.
const MAX_TURN: f64 = 1.0;
/// Number of full corrections before they are shortened.
const WHOLE: usize = 16;
/// The search stops at corrections larger than this.
const LOST: f64 = 1e3;
/// Rounds of a pseudo-transient search, and the fraction of the first μ at which it ends.
const ROUNDS: usize = 120;
const LET_GO: f64 = 1e-6;
/// Rounds with the smallest μ, if some motions have no stiffness.
const CREEPS: usize = 60;
/// Corrections of states that shrink by less than this factor are round-off, if positions are solved.
const STALLED: f64 = 0.1;
/// How often the states that keep their values are chosen again.
const MAX_CHOICES: usize = 4;
/// The shortest part of a correction that is tried.
const MIN_DAMPING: f64 = 1.0 / 1024.0;

/// One iteration of the search for equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticIteration {
    /// The fraction of the load, or the time.
    pub load: f64,
    /// Number of the iteration, counted from one for each load.
    pub number: usize,
    /// The largest unbalanced force or moment before the correction.
    pub imbalance: f64,
    /// The full correction: radians, or lengths over the size of the system.
    pub correction: f64,
    /// The fraction of the correction that was applied.
    pub part: f64,
}

/// The equilibrium to search for, and the start of the search.
pub struct StaticProblem<'a> {
    /// The time.
    pub t: f64,
    /// The fraction of the load, for the log.
    pub load: f64,
    /// The starting configuration; becomes the equilibrium.
    pub q: &'a mut [f64],
    /// The starting multipliers; become those of the equilibrium.
    pub multipliers: &'a mut [f64],
    /// The starting first-order states; become those of the equilibrium.
    pub z: &'a mut [f64],
    /// Newton solver options.
    pub options: &'a NewtonOptions,
    /// The iterations, appended.
    pub log: &'a mut Vec<StaticIteration>,
}

/// The values with which a search begins.
struct StartValues {
    q: Vec<f64>,
    multipliers: Vec<f64>,
    z: Vec<f64>,
}

impl StartValues {
    fn new(search: &StaticProblem<'_>) -> Self {
        let StaticProblem { q, multipliers, z, .. } = search;
        Self { q: q.to_vec(), multipliers: multipliers.to_vec(), z: z.to_vec() }
    }

    fn restore(&self, search: &mut StaticProblem<'_>) {
        search.q.copy_from_slice(&self.q);
        search.multipliers.copy_from_slice(&self.multipliers);
        search.z.copy_from_slice(&self.z);
    }
}

/// Solver for the equilibrium of a system.
pub struct StaticSolver {
    evaluator: Evaluator,
    stage: Stage,
    /// The unknowns before a correction, and the correction itself.
    p: Vec<f64>,
    multipliers: Vec<f64>,
    z: Vec<f64>,
    full: Vec<f64>,
    states: StaticStates,
}

/// The sizes of a correction.
#[derive(Clone, Copy)]
struct CorrectionSize {
    /// Of positions: radians, or lengths over the size of the system.
    position: f64,
    /// Of first-order states, relative to their largest values.
    state: f64,
}

impl CorrectionSize {
    const NONE: Self = Self { position: f64::INFINITY, state: f64::INFINITY };

    fn largest(self) -> f64 {
        self.position.max(self.state)
    }

    /// Whether positions are solved, and states that are nearly zero change by their round-off only.
    fn is_round_off(self, last: Self, tolerance: f64) -> bool {
        self.position.max(last.position) <= tolerance && self.state >= STALLED * last.state
    }
}

impl StaticSolver {
    /// A solver for a system near a configuration; an error if the length of q is wrong.
    pub fn new(system: &dyn System, t: f64, q: &[f64]) -> Result<Self, SystemError> {
        Self::with_inactive(system, t, q, &[])
    }

    /// A solver for a system near a configuration, with some constraint rows inactive.
    pub fn with_inactive(
        system: &dyn System,
        t: f64,
        q: &[f64],
        inactive: &[usize],
    ) -> Result<Self, SystemError> {
        let v = vec![0.0; system.space().velocities()];
        let zeros = vec![0.0; system.holonomic_count() + system.nonholonomic_count()];
        let z = vec![0.0; system.state_count()];
        let at = StateView { multipliers: &zeros, z: &z, ..StateView::new(t, q, &v) };
        let mut evaluator = Evaluator::new(system, &at)?;
        evaluator.set_inactive(inactive);
        let mut stage = Stage::new(system, &evaluator, Formulation::Position);
        let map = &mut stage.map;
        (map.c_q, map.c_v, map.c_a) = (1.0, 0.0, 0.0);
        map.rotation_limit = f64::INFINITY;
        let full = vec![0.0; stage.residual.len()];
        let states = StaticStates::new(z.len());
        Ok(Self { evaluator, stage, p: v, multipliers: zeros, z, full, states })
    }

    /// Moves q and z to a nearby equilibrium. States that act on nothing, or that nothing changes, keep their values:
    /// see [`held_states`](Self::held_states).
    ///
    /// # Panics
    ///
    /// If `search` has vectors of other lengths than the system of this solver.
    pub fn solve(
        &mut self,
        system: &dyn System,
        search: &mut StaticProblem<'_>,
    ) -> Result<(), StageError> {
        let described = StartValues::new(search);
        self.choose_states(system, search)?;
        for _ in 0..MAX_CHOICES {
            self.solve_once(system, search)?;
            // a saturated state keeps its value only as long as it is saturated
            if !self.choose_states(system, search)? {
                break;
            }
            described.restore(search);
        }
        Ok(())
    }

    fn solve_once(
        &mut self,
        system: &dyn System,
        search: &mut StaticProblem<'_>,
    ) -> Result<(), StageError> {
        let described = StartValues::new(search);
        let most = search.options.iterations;
        match self.attempt(system, search, most.min(WHOLE), f64::INFINITY) {
            Err(StageError::NotConverged { .. } | StageError::NotFinite { .. }) => {
                described.restore(search);
                self.attempt(system, search, most, 1.0)
            }
            done => done,
        }
    }

    /// The states that keep their start values, by their numbers: they act on nothing, or nothing changes them.
    pub fn held_states(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.z.len()).filter(|&i| self.states.held[i])
    }

    /// Decides which states keep their values; returns whether that has changed.
    fn choose_states(
        &mut self,
        system: &dyn System,
        search: &StaticProblem<'_>,
    ) -> Result<bool, StageError> {
        if self.z.is_empty() {
            return Ok(false);
        }
        let Self { evaluator, stage, states, .. } = self;
        let v = vec![0.0; stage.layout.sizes.v];
        let at = StateView {
            multipliers: search.multipliers,
            z: search.z,
            ..StateView::new(search.t, search.q, &v)
        };
        let has_changed = states.choose(system, evaluator, &at)?;
        states.find_slots(stage.layout.states(), stage.add_up_matrix(evaluator));
        Ok(has_changed)
    }

    /// Moves q downhill to an equilibrium that need not be near, or is not determined at the start: each
    /// round adds an inertia μM with decreasing μ. The first
    /// rounds move by about `reach`, under accelerations of about `acceleration`.
    ///
    /// # Panics
    ///
    /// If `search` has vectors of other lengths than the system of this solver.
    pub fn solve_pseudo_transient(
        &mut self,
        system: &dyn System,
        search: &mut StaticProblem<'_>,
        acceleration: f64,
        reach: f64,
    ) -> Result<(), StageError> {
        let mut holds = acceleration / reach;
        let logged = search.log.len();
        self.choose_states(system, search)?;
        for _ in 0..ROUNDS {
            let before = StartValues::new(search);
            match self.attempt_held(system, search, holds) {
                Ok(()) => holds *= 0.5,
                Err(_) => {
                    search.q.copy_from_slice(&before.q);
                    search.z.copy_from_slice(&before.z);
                    holds *= 8.0;
                }
            }
            if holds < LET_GO * acceleration / reach {
                break;
            }
        }
        // intermediate iterations are not logged
        search.log.truncate(logged);
        let there = StartValues::new(search);
        match self.attempt(system, search, search.options.iterations, f64::INFINITY) {
            Ok(()) => Ok(()),
            Err(failure) => {
                search.log.truncate(logged);
                there.restore(search);
                match self.solve_with_held_motions(system, search, LET_GO * acceleration / reach) {
                    true => Ok(()),
                    false => Err(failure),
                }
            }
        }
    }

    /// Finishes where some motions have no stiffness, so that Newton's matrix is singular: a small μ
    /// determines them, and the search ends when the motion stops.
    fn solve_with_held_motions(
        &mut self,
        system: &dyn System,
        search: &mut StaticProblem<'_>,
        hold: f64,
    ) -> bool {
        for _ in 0..CREEPS {
            let logged = search.log.len();
            if self.attempt_held(system, search, hold).is_err() {
                return false;
            }
            let first = search.log.get(logged).map_or(f64::INFINITY, |x| x.correction);
            if first <= search.options.tolerance {
                return true;
            }
            search.log.truncate(logged);
        }
        false
    }

    /// One search with an inertia μM, and with states that change at a rate of √μ.
    fn attempt_held(
        &mut self,
        system: &dyn System,
        search: &mut StaticProblem<'_>,
        hold: f64,
    ) -> Result<(), StageError> {
        (self.stage.map.c_a, self.states.rate) = (hold, hold.sqrt());
        let moved = self.attempt(system, search, WHOLE, f64::INFINITY);
        (self.stage.map.c_a, self.states.rate) = (0.0, 0.0);
        moved
    }

    /// One search, with corrections shortened where the next one would grow by more than a factor.
    fn attempt(
        &mut self,
        system: &dyn System,
        search: &mut StaticProblem<'_>,
        iterations: usize,
        growth: f64,
    ) -> Result<(), StageError> {
        let StaticProblem { t, load, q, multipliers, z, options, log } = search;
        self.stage.map.t = *t;
        self.stage.map.reference.copy_from_slice(q);
        self.stage.unknowns.p.fill(0.0);
        self.stage.unknowns.multipliers.copy_from_slice(multipliers);
        self.stage.map.z.copy_from_slice(z);
        self.states.begin(z);
        self.place();
        let unit = self.unit();
        self.residual(system)?;
        let mut last = CorrectionSize::NONE;
        for number in 1..=iterations {
            let imbalance = largest(&self.stage.residual[..self.p.len()]);
            self.linearize(system)?;
            let size = self.correction(system, unit)?;
            let correction = size.largest();
            self.full.copy_from_slice(&self.stage.correction);
            self.p.copy_from_slice(&self.stage.unknowns.p);
            self.multipliers.copy_from_slice(&self.stage.unknowns.multipliers);
            self.z.copy_from_slice(&self.stage.map.z);
            let (part, next) = self.search(system, unit, size, growth)?;
            log.push(StaticIteration { load: *load, number, imbalance, correction, part });
            let tolerance = options.tolerance;
            let settled = part == 1.0
                && (next <= tolerance
                    || correction <= tolerance
                    || size.is_round_off(last, tolerance));
            last = size;
            if settled {
                z.copy_from_slice(&self.stage.map.z);
                q.copy_from_slice(&self.stage.q);
                multipliers.copy_from_slice(&self.stage.unknowns.multipliers);
                return Ok(());
            }
            if part < MIN_DAMPING || correction > LOST {
                return Err(self.not_converged(system, number, correction));
            }
        }
        let last = log.last().map_or(0.0, |x| x.correction);
        Err(self.not_converged(system, iterations, last))
    }

    /// The fraction of the correction to apply, and the correction that would follow.
    fn search(
        &mut self,
        system: &dyn System,
        unit: f64,
        size: CorrectionSize,
        growth: f64,
    ) -> Result<(f64, f64), StageError> {
        let correction = size.largest();
        let space = self.evaluator.space();
        let turns = space.rotations().iter().flat_map(|r| r.v..r.v + 3);
        let turn = turns.fold(0.0_f64, |most, i| most.max(self.full[i].abs()));
        let mut part = (MAX_TURN / turn).min(1.0);
        let start = self.stage.d.clone();
        loop {
            let y: Vec<f64> = self.full[..self.p.len()].iter().map(|x| part * x).collect();
            let Stage { unknowns, map, layout, .. } = &mut self.stage;
            unknowns.p.copy_from_slice(&self.p);
            map.correct(self.evaluator.space(), &start, &y, &mut unknowns.p);
            let first = layout.multipliers();
            for (i, multiplier) in unknowns.multipliers.iter_mut().enumerate() {
                *multiplier = self.multipliers[i] + part * self.full[first + i];
            }
            let corrections = &self.full[layout.states()..first];
            for ((z, known), correction) in map.z.iter_mut().zip(&self.z).zip(corrections) {
                *z = known + part * correction;
            }
            self.place();
            if growth.is_infinite() {
                // the residual is that of the next iteration
                return self.residual(system).map(|()| (part, f64::INFINITY));
            }
            let next = match self.residual(system) {
                Ok(()) => self.correction(system, unit).unwrap_or(CorrectionSize::NONE).largest(),
                Err(StageError::NotFinite { .. }) => f64::INFINITY,
                Err(error) => return Err(error),
            };
            let tiny = size.position <= 1e-12;
            if next <= growth * (1.0 - 0.25 * part) * correction || tiny || part < MIN_DAMPING {
                return Ok((part, next));
            }
            part *= 0.5;
        }
    }

    fn place(&mut self) {
        let Stage { unknowns, map, .. } = &mut self.stage;
        let values = map.z.iter().zip(&self.states.reference);
        for (rate, (z, reference)) in unknowns.rates.iter_mut().zip(values) {
            *rate = self.states.rate * (z - reference);
        }
        self.stage.place(&self.evaluator, true);
    }

    /// Calls [`System::accept`] with the equilibrium.
    pub fn accept(&mut self, system: &dyn System, found: &mut Instant) -> Result<(), StageError> {
        self.evaluator.accept(system, None, found).map_err(StageError::refused)
    }

    /// The forces that do not balance, and Φ.
    fn residual(&mut self, system: &dyn System) -> Result<(), StageError> {
        let Self { evaluator, stage, states, .. } = self;
        stage.dynamics(&mut EvaluationContext { system, evaluator })?;
        let (sizes, first) = (stage.layout.sizes, stage.layout.multipliers());
        let rows = &mut stage.residual[stage.layout.states()..first];
        let held = rows.iter_mut().zip(&states.held).filter(|(_, held)| **held);
        held.for_each(|(row, _)| *row = 0.0);
        // rolling constraints start at the current configuration
        stage.residual[first..].fill(0.0);
        let phi = &mut stage.residual[first..first + sizes.holonomic];
        evaluator.constraint(system, stage.map.t, &stage.q, phi)?;
        for &row in evaluator.inactive() {
            stage.residual[first + row] = stage.unknowns.multipliers[row];
        }
        match stage.residual.iter().position(|x| !x.is_finite()) {
            Some(row) => {
                let what = stage.layout.row_name(system, row);
                Err(StageError::NotFinite { what: format!("the residual of the {what}") })
            }
            None => Ok(()),
        }
    }

    fn linearize(&mut self, system: &dyn System) -> Result<(), StageError> {
        let Self { evaluator, stage, states, .. } = self;
        stage.tangents(&mut EvaluationContext { system, evaluator })?;
        let Stage { map, unknowns, d, blocks, .. } = stage;
        let factors = TermCoefficients {
            // the unknowns of the states are z itself
            state: 1.0,
            rate: states.rate,
            velocity_rows: 0.0,
            acceleration_velocity: 0.0,
            holonomic_acceleration_velocity: 0.0,
            ..TermCoefficients::new(map, Formulation::Position, false)
        };
        map.blocks(evaluator.space(), &unknowns.p, d, &mut blocks.motion);
        let hold = |values: &mut [f64]| states.hold(values);
        let change: Option<ValueChange<'_>> =
            if states.held.is_empty() { None } else { Some(&hold) };
        stage.factorize_changed(system, evaluator, &factors, SolutionUse::Correction, change)
    }

    /// Solves with the current matrix; returns the size of the correction.
    fn correction(&mut self, system: &dyn System, unit: f64) -> Result<CorrectionSize, StageError> {
        let Self { evaluator, stage, states, .. } = self;
        for (correction, residual) in stage.correction.iter_mut().zip(&stage.residual) {
            *correction = -residual;
        }
        let solved = stage.solver.solve(&mut stage.correction);
        solved.map_err(|error| stage.explain(system, error))?;
        let mut size = 0.0_f64;
        for node in evaluator.space().nodes() {
            let moved = &stage.correction[node.v..node.v + node.vector];
            size = size.max(largest(moved) / unit);
        }
        for rotation in evaluator.space().rotations() {
            size = size.max(largest(&stage.correction[rotation.v..rotation.v + 3]));
        }
        let range = stage.layout.states()..stage.layout.multipliers();
        let state = states.size(&stage.map.z, &stage.correction[range]);
        let finite = |size: f64| if size.is_finite() { size } else { f64::INFINITY };
        Ok(CorrectionSize { position: finite(size), state: finite(state) })
    }

    /// The extent of the system, the scale of displacements.
    fn unit(&self) -> f64 {
        let nodes = self.evaluator.space().nodes();
        let plain = nodes.iter().flat_map(|node| &self.stage.q[node.q..node.q + node.vector]);
        let size = plain.fold(0.0_f64, |most, x| most.max(x.abs()));
        if size > 0.0 { size } else { 1.0 }
    }

    fn not_converged(&self, system: &dyn System, iterations: usize, correction: f64) -> StageError {
        let name = |row| self.stage.layout.row_name(system, row);
        newton::not_converged(iterations, correction, &self.stage.residual, name)
    }
}
