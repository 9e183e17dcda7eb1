//! Equilibrium: the stage at rest, f(t, q, 0, λ) = Gᵀλ and Φ(t, q) = 0, by Newton with a line search.
//!
//! Full corrections are made first, although the next one may be larger: a slender beam that is bent
//! strongly is stretched during the iteration, and recovers. If that does not converge, the search starts again
//! and shortens each correction until the next one, with the same matrix, would be smaller than the one
//! just made: this test measures positions, so it does not depend on the units of the forces.

use super::assembly::TermCoefficients;
use super::problem::Stage;
use super::{EvaluationContext, Formulation, NewtonOptions, newton};
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
    /// Newton solver options.
    pub options: &'a NewtonOptions,
    /// The iterations, appended.
    pub log: &'a mut Vec<StaticIteration>,
}

/// Solver for the equilibrium of a system.
pub struct StaticSolver {
    evaluator: Evaluator,
    stage: Stage,
    /// The unknowns before a correction, and the correction itself.
    p: Vec<f64>,
    multipliers: Vec<f64>,
    full: Vec<f64>,
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
        Ok(Self { evaluator, stage, p: v, multipliers: zeros, full })
    }

    /// Moves q to a nearby equilibrium.
    ///
    /// # Panics
    ///
    /// If `search` has vectors of other lengths than the system of this solver.
    pub fn solve(
        &mut self,
        system: &dyn System,
        search: &mut StaticProblem<'_>,
    ) -> Result<(), StageError> {
        let described = (search.q.to_vec(), search.multipliers.to_vec());
        let most = search.options.iterations;
        match self.attempt(system, search, most.min(WHOLE), f64::INFINITY) {
            Err(StageError::NotConverged { .. } | StageError::NotFinite { .. }) => {
                search.q.copy_from_slice(&described.0);
                search.multipliers.copy_from_slice(&described.1);
                self.attempt(system, search, most, 1.0)
            }
            done => done,
        }
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
        for _ in 0..ROUNDS {
            self.stage.map.c_a = holds;
            let before = search.q.to_vec();
            let moved = self.attempt(system, search, WHOLE, f64::INFINITY);
            self.stage.map.c_a = 0.0;
            match moved {
                Ok(()) => holds *= 0.5,
                Err(_) => {
                    search.q.copy_from_slice(&before);
                    holds *= 8.0;
                }
            }
            if holds < LET_GO * acceleration / reach {
                break;
            }
        }
        // intermediate iterations are not logged
        search.log.truncate(logged);
        let there = (search.q.to_vec(), search.multipliers.to_vec());
        match self.attempt(system, search, search.options.iterations, f64::INFINITY) {
            Ok(()) => Ok(()),
            Err(failure) => {
                search.log.truncate(logged);
                search.q.copy_from_slice(&there.0);
                search.multipliers.copy_from_slice(&there.1);
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
            self.stage.map.c_a = hold;
            let moved = self.attempt(system, search, WHOLE, f64::INFINITY);
            self.stage.map.c_a = 0.0;
            if moved.is_err() {
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

    /// One search, with corrections shortened where the next one would grow by more than a factor.
    fn attempt(
        &mut self,
        system: &dyn System,
        search: &mut StaticProblem<'_>,
        iterations: usize,
        growth: f64,
    ) -> Result<(), StageError> {
        let StaticProblem { t, load, q, multipliers, options, log } = search;
        self.stage.map.t = *t;
        self.stage.map.reference.copy_from_slice(q);
        self.stage.unknowns.p.fill(0.0);
        self.stage.unknowns.multipliers.copy_from_slice(multipliers);
        self.place();
        let unit = self.unit();
        self.residual(system)?;
        for number in 1..=iterations {
            let imbalance = largest(&self.stage.residual[..self.p.len()]);
            self.linearize(system)?;
            let correction = self.correction(system, unit)?;
            self.full.copy_from_slice(&self.stage.correction);
            self.p.copy_from_slice(&self.stage.unknowns.p);
            self.multipliers.copy_from_slice(&self.stage.unknowns.multipliers);
            let (part, next) = self.search(system, unit, correction, growth)?;
            log.push(StaticIteration { load: *load, number, imbalance, correction, part });
            let settled =
                part == 1.0 && (next <= options.tolerance || correction <= options.tolerance);
            if settled {
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
        correction: f64,
        growth: f64,
    ) -> Result<(f64, f64), StageError> {
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
            self.place();
            if growth.is_infinite() {
                // the residual is that of the next iteration
                return self.residual(system).map(|()| (part, f64::INFINITY));
            }
            let next = match self.residual(system) {
                Ok(()) => self.correction(system, unit).unwrap_or(f64::INFINITY),
                Err(StageError::NotFinite { .. }) => f64::INFINITY,
                Err(error) => return Err(error),
            };
            let tiny = correction <= 1e-12;
            if next <= growth * (1.0 - 0.25 * part) * correction || tiny || part < MIN_DAMPING {
                return Ok((part, next));
            }
            part *= 0.5;
        }
    }

    fn place(&mut self) {
        self.stage.place(&self.evaluator, true);
    }

    /// The first-order states, which keep their values while an equilibrium is sought.
    pub fn hold_states(&mut self, z: &[f64]) {
        if z.len() == self.stage.map.z.len() {
            self.stage.map.z.copy_from_slice(z);
        }
    }

    /// Calls [`System::accept`] with the equilibrium.
    pub fn accept(&mut self, system: &dyn System, found: &mut Instant) -> Result<(), StageError> {
        self.evaluator.accept(system, None, found).map_err(StageError::refused)
    }

    /// The forces that do not balance, and Φ.
    fn residual(&mut self, system: &dyn System) -> Result<(), StageError> {
        let Self { evaluator, stage, .. } = self;
        stage.dynamics(&mut EvaluationContext { system, evaluator })?;
        let (sizes, first) = (stage.layout.sizes, stage.layout.multipliers());
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
        let Self { evaluator, stage, .. } = self;
        stage.tangents(&mut EvaluationContext { system, evaluator })?;
        let Stage { map, unknowns, d, blocks, .. } = stage;
        let factors = TermCoefficients {
            velocity_rows: 0.0,
            acceleration_velocity: 0.0,
            holonomic_acceleration_velocity: 0.0,
            ..TermCoefficients::new(map, Formulation::Position, false)
        };
        map.blocks(evaluator.space(), &unknowns.p, d, &mut blocks.motion);
        stage.factorize(system, evaluator, &factors)
    }

    /// Solves with the current matrix; returns the size of the correction.
    fn correction(&mut self, system: &dyn System, unit: f64) -> Result<f64, StageError> {
        let Self { evaluator, stage, .. } = self;
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
        if size.is_finite() { Ok(size) } else { Ok(f64::INFINITY) }
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
