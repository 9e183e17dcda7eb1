//! The stage: its unknowns, its matrix, its solver.

use super::assembly::{Assembly, Blocks, Factor, Factors};
use super::layout::Layout;
use super::newton::{self, NewtonOptions};
use super::running::Running;
use super::{Formulation, StageMap, map};
use crate::error::StageError;
use crate::linalg::{Kind, LinearError, Solver};
use crate::math::Matrix3;
use crate::system::{Evaluator, Part, Point, Space, System};

/// A stage with its unknowns, its matrix and its solver, allocated once.
pub struct Stage {
    pub(super) layout: Layout,
    pub(super) formulation: Formulation,
    assembly: Assembly,
    pub(super) solver: Solver,
    values: Vec<f64>,
    pub(super) residual: Vec<f64>,
    pub(super) correction: Vec<f64>,
    pub(super) blocks: Blocks,
    pub(super) scratch: Vec<f64>,
    /// The factors of a constant matrix that is factorized already.
    pub(super) factorized: Option<Factors>,
    /// p, and x in the stabilized form (elsewhere κ).
    pub(super) p: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) d: Vec<f64>,
    /// Configuration of the instant.
    pub q: Vec<f64>,
    /// Velocity of the instant.
    pub v: Vec<f64>,
    /// Acceleration of the instant.
    pub a: Vec<f64>,
    /// First-order states of the instant.
    pub z: Vec<f64>,
    /// Their rates.
    pub rates: Vec<f64>,
    /// Multipliers λ.
    pub multipliers: Vec<f64>,
    /// Multipliers μ.
    pub stabilizing: Vec<f64>,
}

impl Stage {
    /// A stage for a system whose parts are recorded.
    pub fn new(system: &dyn System, evaluator: &Evaluator, formulation: Formulation) -> Self {
        let (sizes, space) = (evaluator.sizes(), evaluator.space());
        let stabilized = formulation == Formulation::Stabilized && sizes.constraints > 0;
        let layout = Layout { sizes, stabilized };
        let (pattern, assembly) = Assembly::new(&layout, space, evaluator);
        let plain = sizes.constraints == 0 && sizes.z == 0 && space.rotations().is_empty();
        let kind = match system.is_symmetric_positive() && plain {
            true => Kind::SymmetricPositive,
            false => Kind::General,
        };
        let groups = layout.groups(space, evaluator.part(Part::Jacobian));
        let zeros = |n| vec![0.0; n];
        Self {
            layout,
            formulation,
            assembly,
            values: zeros(pattern.nonzeros()),
            solver: Solver::new(pattern, &groups, kind),
            residual: zeros(layout.total()),
            correction: zeros(layout.total()),
            blocks: Blocks {
                motion: vec![Matrix3::identity(); space.rotations().len()],
                turning: vec![Matrix3::identity(); space.rotations().len()],
            },
            scratch: zeros(sizes.v.max(sizes.constraints)),
            factorized: None,
            p: zeros(sizes.v),
            x: zeros(sizes.v),
            d: zeros(sizes.v),
            q: space.neutral(),
            v: zeros(sizes.v),
            a: zeros(sizes.v),
            z: zeros(sizes.z),
            rates: zeros(sizes.z),
            multipliers: zeros(sizes.constraints),
            stabilizing: zeros(sizes.holonomic),
        }
    }

    /// The linear solver.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Takes up pivots chosen earlier; see [`Solver::restore_pivots`].
    pub(crate) fn restore_pivots(&mut self, rows: &[u32]) {
        self.solver.restore_pivots(rows);
        self.factorized = None;
    }

    /// The stage matrix as assembled last, in the pattern of the solver.
    pub fn matrix(&self) -> &[f64] {
        &self.values
    }

    /// Starting values for Newton.
    pub fn predict(&mut self, p: &[f64], multipliers: &[f64], rates: &[f64]) {
        self.p.copy_from_slice(p);
        self.multipliers.copy_from_slice(multipliers);
        self.rates.copy_from_slice(rates);
        self.stabilizing.fill(0.0);
    }

    /// Solves the equations of the instant; returns the number of linear solves.
    pub fn solve(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        map: &StageMap,
        options: &NewtonOptions,
    ) -> Result<usize, StageError> {
        self.place(evaluator, map, true);
        let mut running = Running::new(self, system, evaluator, map, options.tolerance);
        let solves = newton::solve(&mut running, options)?;
        running.check_rotations(1.0)?;
        Ok(solves)
    }

    /// q, v, a and z of the current unknowns; `follow` sets x = κ(p) in the stabilized form too.
    pub(super) fn place(&mut self, evaluator: &Evaluator, map: &StageMap, follow: bool) {
        let space = evaluator.space();
        map.increment(&self.p, &mut self.d);
        space.retract(map.chart, &map.reference, &self.d, &mut self.q);
        if follow || !self.layout.stabilized {
            map.kappa(space, &self.p, &self.d, &mut self.x);
        }
        map.motion(&self.x, &mut self.v, &mut self.a);
        for ((z, known), rate) in self.z.iter_mut().zip(&map.z).zip(&self.rates) {
            *z = known + map.c_z * rate;
        }
    }

    /// The chart vector and its rate, as solved.
    pub(crate) fn chart_motion(&self, map: &StageMap, g: &mut [f64], rate: &mut [f64]) {
        g.copy_from_slice(&self.d);
        for ((rate, known), p) in rate.iter_mut().zip(&map.v).zip(&self.p) {
            *rate = known + map.c_v * p;
        }
    }

    /// Factorizes [M Gᵀ; G 0] at an instant, as projections need it.
    pub(crate) fn factorize_saddle(
        &mut self,
        system: &dyn System,
        evaluator: &mut Evaluator,
        map: &StageMap,
    ) -> Result<(), StageError> {
        let Self { q, v, z, rates, multipliers, .. } = self;
        let at = Point { t: map.t, q, v, multipliers, z };
        evaluator.mass(system, q)?;
        evaluator.jacobian(system, map.t, q)?;
        evaluator.state_tangent(system, &at, rates)?;
        self.blocks.motion.fill(Matrix3::identity());
        self.blocks.turning.fill(Matrix3::identity());
        let mut factors = factors(map, Formulation::Acceleration);
        factors[Factor::Force as usize] = 0.0;
        self.factorize(system, evaluator, &factors)
    }

    /// Solves with the matrix factorized last for a right-hand side that lives in the constraint
    /// rows; the result is the part that moves the coordinates.
    pub(crate) fn solve_constraint_rows(
        &mut self,
        system: &dyn System,
        rows: impl Fn(usize) -> f64,
    ) -> Result<&[f64], StageError> {
        self.correction.fill(0.0);
        let first = self.layout.multipliers();
        for i in 0..self.layout.sizes.constraints {
            self.correction[first + i] = rows(i);
        }
        let solved = self.solver.solve(&mut self.correction);
        solved.map_err(|error| self.explain(system, error))?;
        Ok(&self.correction[..self.layout.sizes.v])
    }

    /// `q ← q ⊕ y` with the y solved for last, in the exponential chart.
    pub(crate) fn move_by_correction(&mut self, space: &Space) {
        map::move_by(space, &mut self.q, &self.correction);
    }

    pub(super) fn factorize(
        &mut self,
        system: &dyn System,
        evaluator: &Evaluator,
        factors: &Factors,
    ) -> Result<(), StageError> {
        self.factorized = None;
        self.assembly.assemble(evaluator, factors, &self.blocks, &mut self.values);
        let factorized = self.solver.factorize(&self.values);
        factorized.map_err(|error| self.explain(system, error))
    }

    /// A failure of the linear algebra in the words of the system.
    pub(super) fn explain(&self, system: &dyn System, error: LinearError) -> StageError {
        match error {
            LinearError::Singular { column } => {
                StageError::Singular { unknown: self.layout.unknown_name(system, column) }
            }
            LinearError::NotFinite { row } => {
                let row = self.layout.row_name(system, row);
                StageError::NotFinite { what: format!("the tangent of the {row}") }
            }
            LinearError::NotPositive => StageError::NotPositive,
            LinearError::Length { what, .. } => StageError::NotFinite { what: what.into() },
        }
    }
}

pub(super) fn factors(map: &StageMap, formulation: Formulation) -> Factors {
    let when = |condition: bool, value: f64| if condition { value } else { 0.0 };
    let acceleration = formulation == Formulation::Acceleration;
    [
        1.0,
        -1.0,
        map.c_q,
        when(!map.mass_is_elsewhere, map.c_q),
        map.c_v,
        map.c_a,
        map.c_z,
        1.0,
        when(!acceleration, 1.0),
        when(acceleration, 1.0),
        when(!acceleration, map.c_q / map.c_v),
        when(acceleration, map.c_v / map.c_a),
        when(acceleration, 2.0 * map.c_v / map.c_a),
    ]
}
