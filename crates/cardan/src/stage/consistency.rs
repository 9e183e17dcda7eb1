//! Values that belong together: projection of q and v onto the constraints, and the accelerations
//! and multipliers that follow from them (index 1).

use super::measure::{Corrected, Measure};
use super::newton::{self, Correction, Nonlinear};
use super::{Formulation, NewtonOptions, Stage, StageMap};
use crate::error::StageError;
use crate::math::Chart;
use crate::state::Instant;
use crate::system::{Evaluator, System};

/// The index-1 stage at given q and v, and projections with its matrix [M Gᵀ; G 0].
pub struct Consistency {
    stage: Stage,
    map: StageMap,
    rows: Vec<f64>,
}

/// The largest changes a projection made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moved {
    /// The largest change of a coordinate.
    pub largest: f64,
    /// The velocity index at which it occurred.
    pub coordinate: usize,
}

impl Consistency {
    /// Allocates for a system whose parts are recorded.
    pub fn new(system: &dyn System, evaluator: &Evaluator) -> Self {
        Self {
            stage: Stage::new(system, evaluator, Formulation::Acceleration),
            map: StageMap::new(evaluator.space(), evaluator.sizes().z),
            rows: vec![0.0; evaluator.sizes().constraints],
        }
    }

    pub(crate) fn stage_mut(&mut self) -> &mut Stage {
        &mut self.stage
    }

    pub(crate) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Computes a, λ and ż from t, q, v and z.
    pub fn accelerations(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        options: &NewtonOptions,
        at: &mut Instant,
    ) -> Result<(), StageError> {
        self.map.freeze(at.t, &at.q, &at.v, &at.z);
        self.stage.predict(&at.a, &at.multipliers, &at.rates);
        self.stage.solve(system, evaluator, &self.map, options)?;
        at.a.copy_from_slice(&self.stage.a);
        at.multipliers.copy_from_slice(&self.stage.multipliers);
        at.rates.copy_from_slice(&self.stage.rates);
        Ok(())
    }

    /// Moves q onto Φ = 0 along M⁻¹Gᵀ.
    pub(crate) fn project_positions(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        options: &NewtonOptions,
        at: &mut Instant,
    ) -> Result<Moved, StageError> {
        self.map.freeze(at.t, &at.q, &at.v, &at.z);
        self.copy_point(at);
        let mut running = Projection {
            consistency: self,
            system,
            evaluator,
            measure: Measure::new(options.tolerance),
        };
        newton::solve(&mut running, options)?;
        let space = evaluator.space();
        space.difference(Chart::Exponential, &at.q, &self.stage.q, &mut self.map.d);
        at.q.copy_from_slice(&self.stage.q);
        largest(&self.map.d)
    }

    /// Moves v onto G v + b = 0 along M⁻¹Gᵀ.
    pub(crate) fn project_velocities(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        at: &mut Instant,
    ) -> Result<Moved, StageError> {
        self.map.freeze(at.t, &at.q, &at.v, &at.z);
        self.copy_point(at);
        self.stage.factorize_saddle(system, evaluator, &self.map)?;
        evaluator.velocity_constraint(system, at.t, &at.q, &at.v, &mut self.rows)?;
        let rows = &self.rows;
        let increment = self.stage.solve_constraint_rows(system, |i| -rows[i])?;
        for (v, dv) in at.v.iter_mut().zip(increment) {
            *v += dv;
        }
        largest(increment)
    }

    fn copy_point(&mut self, at: &Instant) {
        self.stage.q.copy_from_slice(&at.q);
        self.stage.v.copy_from_slice(&at.v);
        self.stage.z.copy_from_slice(&at.z);
        self.stage.rates.copy_from_slice(&at.rates);
        self.stage.multipliers.copy_from_slice(&at.multipliers);
    }
}

/// A projection of positions in the hands of Newton.
struct Projection<'a> {
    consistency: &'a mut Consistency,
    system: &'a dyn System,
    evaluator: &'a mut Evaluator,
    measure: Measure,
}

impl Nonlinear for Projection<'_> {
    fn evaluate(&mut self) -> Result<(), StageError> {
        let Consistency { rows, stage, map } = &mut *self.consistency;
        rows.fill(0.0);
        let phi = &mut rows[..self.evaluator.sizes().holonomic];
        self.system.constraint(map.t, &stage.q, phi);
        match phi.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(StageError::NotFinite { what: self.system.constraint_name(i) }),
            None => Ok(()),
        }
    }

    fn linearize(&mut self) -> Result<(), StageError> {
        let Consistency { stage, map, .. } = &mut *self.consistency;
        stage.factorize_saddle(self.system, self.evaluator, map)
    }

    fn correct(&mut self) -> Result<Correction, StageError> {
        let Consistency { rows, stage, map } = &mut *self.consistency;
        let increment = stage.solve_constraint_rows(self.system, |i| -rows[i])?;
        if !increment.iter().all(|x| x.is_finite()) {
            return Err(StageError::NotFinite { what: "the projection of the positions".into() });
        }
        let space = self.evaluator.space();
        let corrected = Corrected {
            reference: &map.reference,
            increments: increment,
            velocities: &[],
            y: increment,
            x: increment,
            c_q: 1.0,
            c_v: 0.0,
        };
        let correction = self.measure.correction(space, &corrected);
        stage.move_by_correction(space);
        Ok(correction)
    }

    fn not_converged(&self, iterations: usize, correction: f64) -> StageError {
        let name = |row| self.system.constraint_name(row);
        newton::not_converged(iterations, correction, &self.consistency.rows, name)
    }
}

fn largest(increment: &[f64]) -> Result<Moved, StageError> {
    let mut moved = Moved::default();
    for (coordinate, x) in increment.iter().enumerate() {
        if !x.is_finite() {
            return Err(StageError::NotFinite { what: "the projection".into() });
        }
        if x.abs() > moved.largest {
            moved = Moved { largest: x.abs(), coordinate };
        }
    }
    Ok(moved)
}
