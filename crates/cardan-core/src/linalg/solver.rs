//! One interface to the linear solvers: equilibrate, factorize, solve, refine, and choose other pivots
//! if those of the fronts are not accurate.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use super::Pattern;
use super::cholesky::Cholesky;
use super::group_graph::Group;
use super::group_graph::GroupGraph;
use super::lu::{Lu, Pivots};
use super::pivoting::{self, ZeroPivot};
use super::refactorization::{LuFactors, Quality};
use super::terms::{MatrixTerms, PatternValues};

/// Above this growth one step of refinement is taken with every solution.
const REFINE_ABOVE: f64 = 1e4;
/// The same for corrections: ten digits are enough.
const REFINE_CORRECTIONS_ABOVE: f64 = 1e6;
/// Above this growth the signs of pivots on the diagonal may be those of round-off.
const COUNT_UP_TO: f64 = 1e8;

/// The factorization of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixKind {
    /// LU by dense fronts.
    General,
    /// Cholesky.
    SymmetricPositive,
}

/// What solutions with the factors are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolutionUse {
    /// They are results.
    Result,
    /// They are corrections of Newton, whose errors the next correction removes.
    Correction,
}

/// Why a matrix could not be factorized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// No usable pivot in this column: the unknown is undetermined, or its equations depend on
    /// each other.
    #[error("the matrix is singular in column {column}")]
    Singular {
        /// The column.
        column: usize,
    },
    /// An entry is infinite or not a number.
    #[error("the matrix has an entry that is not finite in row {row}")]
    NotFinite {
        /// The row.
        row: usize,
    },
    /// Values or a right-hand side of the wrong length.
    #[error("{what} of length {found} where {expected} is needed")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
    /// Cholesky met a matrix that is not positive definite.
    #[error("the matrix is not positive definite")]
    NotPositive,
    /// A solution was requested although no factorization succeeded since the solver was made, or the
    /// last one failed.
    #[error("there is no factorization to solve with\n  try: factorize the matrix first")]
    NotFactorized,
}

/// Counters of the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statistics {
    /// Factorizations, with kept or new pivots.
    pub factorizations: u64,
    /// Number of times the pivots were chosen.
    pub pivotings: u64,
    /// Solutions of a linear system.
    pub solves: u64,
    /// Steps of iterative refinement.
    pub refinements: u64,
}

/// The arithmetic of a solver that does not depend on its implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationCounts {
    /// Multiplications and additions of a factorization.
    pub factorization: u64,
    /// Multiplications and additions of a solution.
    pub solution: u64,
    /// Bytes of the factors, which a solution reads once.
    pub bytes: u64,
}

enum SolverKind {
    Lu(Box<Lu>),
    Cholesky(Box<Cholesky>),
}

/// A linear solver for matrices of one pattern.
pub struct Solver {
    size: usize,
    /// `None` for a matrix that is a sum of terms, until the sum is needed.
    pattern: Option<Arc<Pattern>>,
    method: SolverKind,
    /// The matrix itself, if solutions are refined.
    values: Vec<f64>,
    scale: Vec<f64>,
    refine: bool,
    /// Whether the factors are those of a matrix.
    is_factorized: bool,
    residual: Vec<f64>,
    statistics: Statistics,
}

impl Solver {
    /// A solver for the pattern; the groups guide the order. Unknowns that no group names come last,
    /// and those named twice count where they are named first.
    pub fn new(pattern: Pattern, groups: &[Group], kind: MatrixKind) -> Self {
        Self::of_shared(Arc::new(pattern), groups, kind)
    }

    /// A solver for a pattern that others use too; see [`Solver::new`].
    pub(crate) fn of_shared(pattern: Arc<Pattern>, groups: &[Group], kind: MatrixKind) -> Self {
        let cholesky = match kind {
            MatrixKind::SymmetricPositive => Cholesky::new(&pattern),
            MatrixKind::General => None,
        };
        let method = match cholesky {
            Some(cholesky) => SolverKind::Cholesky(Box::new(cholesky)),
            None => SolverKind::Lu(Box::new(Lu::new(GroupGraph::of_pattern(&pattern, groups)))),
        };
        Self::with_method(pattern.size(), Some(pattern), method)
    }

    /// A solver for a matrix that is a sum of terms, with the given groups.
    pub(crate) fn of_terms(graph: GroupGraph) -> Self {
        let lu = Lu::new(graph);
        Self::with_method(lu.size(), None, SolverKind::Lu(Box::new(lu)))
    }

    /// A solver for no unknowns.
    pub(crate) fn empty() -> Self {
        Self::of_terms(GroupGraph::default())
    }

    /// Another solver for the same pattern, with the same order.
    pub(crate) fn another(&self) -> Self {
        match (&self.method, &self.pattern) {
            (SolverKind::Cholesky(_), Some(pattern)) => {
                Self::of_shared(Arc::clone(pattern), &[], MatrixKind::SymmetricPositive)
            }
            (SolverKind::Lu(lu), pattern) => {
                let method = SolverKind::Lu(Box::new(lu.another()));
                Self::with_method(self.size, pattern.clone(), method)
            }
            (SolverKind::Cholesky(_), None) => Self::empty(),
        }
    }

    fn with_method(size: usize, pattern: Option<Arc<Pattern>>, method: SolverKind) -> Self {
        Self {
            size,
            method,
            values: Vec::new(),
            scale: Vec::new(),
            refine: false,
            is_factorized: false,
            residual: Vec::new(),
            statistics: Statistics::default(),
            pattern,
        }
    }

    /// The pattern; without places for a stage whose matrix is a sum of terms that nobody had to add up.
    pub fn pattern(&self) -> &Pattern {
        static NONE: LazyLock<Pattern> = LazyLock::new(|| Pattern::new(0, Vec::new()));
        self.pattern.as_deref().unwrap_or(&NONE)
    }

    /// Whether matrices are factorized by Cholesky's method.
    pub(crate) fn is_cholesky(&self) -> bool {
        matches!(self.method, SolverKind::Cholesky(_))
    }

    /// The number of unknowns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Counters of the solver.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The memory that the factors will take, in bytes: an estimate before the first factorization.
    pub fn estimated_factor_bytes(&self) -> u64 {
        match &self.method {
            SolverKind::Lu(lu) => lu.entries() as u64 * 8,
            SolverKind::Cholesky(cholesky) => cholesky.entries() as u64 * 8,
        }
    }

    /// The operations of a factorization and a solution by fronts; zero before the first factorization and under Cholesky.
    pub fn operation_counts(&self) -> OperationCounts {
        let SolverKind::Lu(lu) = &self.method else { return OperationCounts::default() };
        let Some(fronts) = &lu.fronts else { return OperationCounts::default() };
        let [factorization, solution, bytes] = fronts.operations();
        OperationCounts { factorization, solution, bytes }
    }

    /// An estimate of the cost of a new matrix in units of a correction of Newton: the factorization and the tangents against
    /// the solution and the residual.
    pub(crate) fn cost_ratio(&self) -> f64 {
        match &self.method {
            SolverKind::Lu(lu) => lu.fronts.as_ref().map_or(1.0, |fronts| fronts.cost_ratio()),
            SolverKind::Cholesky(_) => 1.0,
        }
    }

    /// Frees the memory of the factors; the next factorization uses the same pivots.
    pub(crate) fn release(&mut self) {
        self.is_factorized = false;
        if let SolverKind::Lu(lu) = &mut self.method {
            (lu.fronts, lu.scalar) = (None, None);
        }
    }

    /// Takes the memory of the factors of another solver with the same order, if this one has no factors; those of the
    /// other are lost.
    pub(crate) fn take_factor_memory(&mut self, other: &mut Self) {
        if let (SolverKind::Lu(lu), SolverKind::Lu(other_lu)) =
            (&mut self.method, &mut other.method)
        {
            other.is_factorized = false;
            lu.take_memory(other_lu);
        }
    }

    /// Takes back the count of the last factorization, which restored factors that were counted before.
    pub(crate) fn uncount_factorization(&mut self) {
        self.statistics.factorizations -= 1;
    }

    /// The pivots in use; empty before the first factorization and under Cholesky.
    pub fn pivots(&self) -> &Pivots {
        const NONE: &Pivots =
            &Pivots { merged: Vec::new(), rows: Vec::new(), exponents: Vec::new() };
        match &self.method {
            SolverKind::Lu(lu) => &lu.pivots,
            SolverKind::Cholesky(_) => NONE,
        }
    }

    /// The pivots in use, to be shared with a state.
    pub(crate) fn shared_pivots(&self) -> Arc<Pivots> {
        match &self.method {
            SolverKind::Lu(lu) => Arc::clone(&lu.pivots),
            SolverKind::Cholesky(_) => Arc::default(),
        }
    }

    /// Restores pivots chosen earlier, so that a continued run gives the same bits. Those that do
    /// not fit this matrix are ignored: the next factorization chooses its own. Returns whether the pivots
    /// changed, so that the matrix must be factorized again.
    pub fn restore_pivots(&mut self, pivots: &Pivots) -> bool {
        let SolverKind::Lu(lu) = &mut self.method else { return false };
        if *lu.pivots == *pivots {
            return false;
        }
        self.is_factorized = false;
        lu.restore(pivots);
        true
    }

    /// Factorizes the matrix with these values.
    pub fn factorize(&mut self, values: &[f64]) -> Result<(), LinearError> {
        let nonzeros = self.pattern.as_ref().map_or(0, |pattern| pattern.nonzeros());
        check_length("values", values.len(), nonzeros)?;
        let Some(pattern) = self.pattern.clone() else { return Err(LinearError::NotFactorized) };
        if let SolverKind::Cholesky(cholesky) = &mut self.method {
            self.statistics.factorizations += 1;
            (self.is_factorized, self.refine) = (false, false);
            if cholesky.factorize(&pattern, values) {
                self.is_factorized = true;
                return Ok(());
            }
            check_finite(&pattern, values)?;
            return Err(LinearError::NotPositive);
        }
        self.factorize_terms(&PatternValues { pattern: &pattern, values }, SolutionUse::Result)
    }

    /// Factorizes a matrix that is a sum of terms, by LU.
    pub(crate) fn factorize_terms(
        &mut self,
        matrix: &impl MatrixTerms,
        solution_use: SolutionUse,
    ) -> Result<(), LinearError> {
        self.statistics.factorizations += 1;
        self.is_factorized = false;
        let growth = self.factorize_lu(matrix)?;
        self.refine = match solution_use {
            SolutionUse::Result => growth > REFINE_ABOVE,
            SolutionUse::Correction => growth > REFINE_CORRECTIONS_ABOVE,
        };
        if self.refine {
            let (pattern, values) = matrix.sum();
            (self.pattern, self.values) = (Some(pattern), values);
            self.residual.resize(self.size, 0.0);
        }
        self.is_factorized = true;
        Ok(())
    }

    /// The number of negative eigenvalues of a symmetric matrix with these values, by Sylvester's law of
    /// inertia: LU with its pivots on the diagonal is L D Lᵀ, and D has as many negative entries. Nothing
    /// if a pivot is too small for the count to be reliable, or the solver is a Cholesky one.
    pub fn negative_eigenvalues(&mut self, values: &[f64]) -> Option<usize> {
        let Self { pattern, scale, statistics, .. } = self;
        let pattern = pattern.as_deref().filter(|pattern| pattern.nonzeros() == values.len())?;
        let SolverKind::Lu(lu) = &mut self.method else { return None };
        self.is_factorized = false;
        equilibrate(pattern, values, scale);
        statistics.factorizations += 1;
        let order = &lu.unknowns();
        let pivots = pivoting::choose(pattern, order, values, scale, Some(order)).ok()?;
        let mut factors = LuFactors::new(pattern, order, pivots);
        match factors.refactorize(pattern, values, scale) {
            Quality::Growth(growth) if growth <= COUNT_UP_TO => Some(factors.negative_pivots()),
            _ => None,
        }
    }

    /// Factorizes by fronts, or with pivots among all rows; returns the growth.
    fn factorize_lu(&mut self, matrix: &impl MatrixTerms) -> Result<f64, LinearError> {
        let SolverKind::Lu(lu) = &mut self.method else { return Ok(0.0) };
        lu.scalar = None;
        let Self { scale, statistics, .. } = self;
        if let Some(growth) = lu.factorize(matrix, &mut statistics.pivotings) {
            return Ok(growth);
        }
        let (pattern, values) = &matrix.sum();
        equilibrate(pattern, values, scale);
        check_finite(pattern, values)?;
        statistics.pivotings += 1;
        let order = &lu.unknowns();
        let pivots = pivoting::choose(pattern, order, values, scale, None)
            .map_err(|ZeroPivot { column }| LinearError::Singular { column })?;
        let mut factors = LuFactors::new(pattern, order, pivots);
        match factors.refactorize(pattern, values, scale) {
            Quality::Growth(growth) => {
                lu.scalar = Some(factors);
                Ok(growth)
            }
            Quality::Failed => {
                let column = order.last().map_or(0, |&c| c as usize);
                Err(LinearError::Singular { column })
            }
        }
    }

    /// Solves with the matrix factorized last; `rhs` becomes the solution. An error before the first
    /// factorization, and after one that failed.
    pub fn solve(&mut self, rhs: &mut [f64]) -> Result<(), LinearError> {
        check_length("a right-hand side", rhs.len(), self.size)?;
        if !self.is_factorized {
            return Err(LinearError::NotFactorized);
        }
        self.statistics.solves += 1;
        if !self.refine {
            self.apply_factors(rhs);
            return Ok(());
        }
        // r = b − A x, x += A⁻¹ r
        self.statistics.refinements += 1;
        let mut residual = std::mem::take(&mut self.residual);
        residual.copy_from_slice(rhs);
        self.apply_factors(rhs);
        self.pattern().multiply_add(&self.values, -1.0, rhs, &mut residual);
        self.apply_factors(&mut residual);
        for (x, dx) in rhs.iter_mut().zip(&residual) {
            *x += dx;
        }
        self.residual = residual;
        Ok(())
    }

    fn apply_factors(&mut self, rhs: &mut [f64]) {
        match &mut self.method {
            SolverKind::Lu(lu) => match (&mut lu.scalar, &mut lu.fronts) {
                (Some(factors), _) => factors.solve(&self.scale, rhs),
                (None, Some(fronts)) => fronts.solve(rhs),
                (None, None) => rhs.fill(f64::NAN),
            },
            SolverKind::Cholesky(cholesky) => cholesky.solve(rhs),
        }
    }
}

/// The power of two that brings the largest entry of each row near one: no rounding.
fn equilibrate(pattern: &Pattern, values: &[f64], scale: &mut Vec<f64>) {
    scale.clear();
    scale.resize(pattern.size(), 0.0);
    for (value, &row) in values.iter().zip(pattern.rows()) {
        let largest = &mut scale[row as usize];
        *largest = largest.max(value.abs());
    }
    for s in scale {
        let exponent = (s.to_bits() >> 52) & 0x7ff;
        *s = if (1..2046).contains(&exponent) {
            f64::from_bits((2046 - exponent) << 52)
        } else {
            1.0
        };
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), LinearError> {
    match found == expected {
        true => Ok(()),
        false => Err(LinearError::Length { what, found, expected }),
    }
}

fn check_finite(pattern: &Pattern, values: &[f64]) -> Result<(), LinearError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(slot) => Err(LinearError::NotFinite { row: pattern.rows()[slot] as usize }),
        None => Ok(()),
    }
}
