//! One interface to the linear solvers: equilibrate, factorize, solve, refine, and choose new pivots
//! if the old ones are no longer accurate.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Pattern;
use super::cholesky::Cholesky;
use super::fill;
use super::ordering::{Group, elimination_order};
use super::pivoting::{self, ZeroPivot};
use super::refactorization::{LuFactors, Quality};

/// Above this growth in L one step of refinement is taken with every solution.
const REFINE_ABOVE: f64 = 1e3;
/// Above this growth the pivots are chosen again.
const PIVOT_AGAIN_ABOVE: f64 = 1e6;
/// Above this growth the signs of pivots on the diagonal may be those of round-off.
const COUNT_UP_TO: f64 = 1e8;

/// The memory of an entry of L or U: its value, its row, and the lists that are built from them.
const BYTES_PER_ENTRY: u64 = 24;

/// The factorization of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixKind {
    /// LU with static pivots.
    General,
    /// Cholesky.
    SymmetricPositive,
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

enum SolverKind {
    Lu { order: Arc<Vec<u32>>, factors: Option<Box<LuFactors>> },
    Cholesky(Box<Cholesky>),
}

/// A linear solver for matrices of one pattern.
pub struct Solver {
    pattern: Arc<Pattern>,
    method: SolverKind,
    /// The matrix itself, kept for refinement.
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
        let cholesky = match kind {
            MatrixKind::SymmetricPositive => Cholesky::new(&pattern),
            MatrixKind::General => None,
        };
        let method = match cholesky {
            Some(cholesky) => SolverKind::Cholesky(Box::new(cholesky)),
            None => {
                let order = Arc::new(elimination_order(&pattern, groups));
                SolverKind::Lu { order, factors: None }
            }
        };
        Self::with_method(Arc::new(pattern), method)
    }

    /// Another solver for the same pattern, with the same order.
    pub(crate) fn another(&self) -> Self {
        match &self.method {
            SolverKind::Lu { order, .. } => {
                let method = SolverKind::Lu { order: Arc::clone(order), factors: None };
                Self::with_method(Arc::clone(&self.pattern), method)
            }
            SolverKind::Cholesky(_) => {
                Self::new(Pattern::clone(&self.pattern), &[], MatrixKind::SymmetricPositive)
            }
        }
    }

    fn with_method(pattern: Arc<Pattern>, method: SolverKind) -> Self {
        let n = pattern.size();
        Self {
            method,
            values: vec![0.0; pattern.nonzeros()],
            scale: vec![1.0; n],
            refine: false,
            is_factorized: false,
            residual: vec![0.0; n],
            statistics: Statistics::default(),
            pattern,
        }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Counters of the solver.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The memory that the factors will take, in bytes: an estimate before the first factorization.
    pub fn estimated_factor_bytes(&self) -> u64 {
        match &self.method {
            SolverKind::Lu { order, .. } => {
                let n = self.pattern.size() as u64;
                // L and U have the same number of entries
                (2 * fill::entries_below_diagonal(&self.pattern, order) + n) * BYTES_PER_ENTRY
            }
            SolverKind::Cholesky(cholesky) => cholesky.entries() as u64 * 8,
        }
    }

    /// Takes back the count of the last factorization, which restored factors that were counted before.
    pub(crate) fn uncount_factorization(&mut self) {
        self.statistics.factorizations -= 1;
    }

    /// The pivot rows in use; empty before the first factorization and under Cholesky.
    pub fn pivots(&self) -> &[u32] {
        match &self.method {
            SolverKind::Lu { factors: Some(factors), .. } => &factors.pivot_rows,
            _ => &[],
        }
    }

    /// Restores pivots chosen earlier, so that a continued run gives the same bits. Rows that do
    /// not fit this matrix are ignored: the next factorization chooses its own. Returns whether the pivots
    /// changed, so that the matrix must be factorized again.
    pub fn restore_pivots(&mut self, rows: &[u32]) -> bool {
        let n = self.pattern.size();
        let SolverKind::Lu { order, factors } = &mut self.method else { return false };
        if factors.as_ref().is_some_and(|f| f.pivot_rows == rows) {
            return false;
        }
        let mut seen = vec![false; n];
        let valid = rows.len() == n
            && rows.iter().all(|&r| {
                let fresh = seen.get(r as usize) == Some(&false);
                if fresh {
                    seen[r as usize] = true;
                }
                fresh
            });
        self.is_factorized = false;
        // prescribed pivots need the pattern only: any values will do
        let structure = vec![1.0; self.pattern.nonzeros()];
        *factors = valid
            .then(|| pivoting::choose(&self.pattern, order, &structure, &self.scale, Some(rows)))
            .and_then(Result::ok)
            .map(|pivots| Box::new(LuFactors::new(&self.pattern, order, pivots)));
        true
    }

    /// Factorizes the matrix with these values.
    pub fn factorize(&mut self, values: &[f64]) -> Result<(), LinearError> {
        check_length("values", values.len(), self.pattern.nonzeros())?;
        self.statistics.factorizations += 1;
        self.is_factorized = false;
        match &mut self.method {
            SolverKind::Cholesky(cholesky) => {
                self.refine = false;
                if cholesky.factorize(&self.pattern, values) {
                    self.is_factorized = true;
                    return Ok(());
                }
                check_finite(&self.pattern, values)?;
                Err(LinearError::NotPositive)
            }
            SolverKind::Lu { .. } => {
                let growth = self.factorize_lu(values)?;
                self.refine = growth > REFINE_ABOVE;
                if self.refine {
                    self.values.copy_from_slice(values);
                }
                self.is_factorized = true;
                Ok(())
            }
        }
    }

    /// The number of negative eigenvalues of a symmetric matrix with these values, by Sylvester's law of
    /// inertia: LU with its pivots on the diagonal is L D Lᵀ, and D has as many negative entries. Nothing
    /// if a pivot is too small for the count to be reliable, or the solver is a Cholesky one.
    pub fn negative_eigenvalues(&mut self, values: &[f64]) -> Option<usize> {
        if values.len() != self.pattern.nonzeros() {
            return None;
        }
        let SolverKind::Lu { order, .. } = &self.method else { return None };
        let diagonal = Arc::clone(order);
        self.restore_pivots(&diagonal);
        self.is_factorized = false;
        equilibrate(&self.pattern, values, &mut self.scale);
        self.statistics.factorizations += 1;
        let SolverKind::Lu { factors: Some(factors), .. } = &mut self.method else { return None };
        match factors.refactorize(&self.pattern, values, &self.scale) {
            Quality::Growth(growth) if growth <= COUNT_UP_TO => Some(factors.negative_pivots()),
            _ => None,
        }
    }

    /// Factorizes with the current pivots, or with new ones; returns the growth of L.
    fn factorize_lu(&mut self, values: &[f64]) -> Result<f64, LinearError> {
        equilibrate(&self.pattern, values, &mut self.scale);
        let SolverKind::Lu { order, factors } = &mut self.method else { return Ok(0.0) };
        if let Some(factors) = factors
            && let Quality::Growth(growth) = factors.refactorize(&self.pattern, values, &self.scale)
            && growth <= PIVOT_AGAIN_ABOVE
        {
            return Ok(growth);
        }
        // the pivots are no longer accurate, or there are none yet
        check_finite(&self.pattern, values)?;
        self.statistics.pivotings += 1;
        let pivots = pivoting::choose(&self.pattern, order, values, &self.scale, None)
            .map_err(|ZeroPivot { column }| LinearError::Singular { column })?;
        let fresh = factors.insert(Box::new(LuFactors::new(&self.pattern, order, pivots)));
        match fresh.refactorize(&self.pattern, values, &self.scale) {
            Quality::Growth(growth) => Ok(growth),
            Quality::Failed => {
                let column = order.last().map_or(0, |&c| c as usize);
                Err(LinearError::Singular { column })
            }
        }
    }

    /// Solves with the matrix factorized last; `rhs` becomes the solution. An error before the first
    /// factorization, and after one that failed.
    pub fn solve(&mut self, rhs: &mut [f64]) -> Result<(), LinearError> {
        check_length("a right-hand side", rhs.len(), self.pattern.size())?;
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
        self.pattern.multiply_add(&self.values, -1.0, rhs, &mut residual);
        self.apply_factors(&mut residual);
        for (x, dx) in rhs.iter_mut().zip(&residual) {
            *x += dx;
        }
        self.residual = residual;
        Ok(())
    }

    fn apply_factors(&mut self, rhs: &mut [f64]) {
        match &mut self.method {
            SolverKind::Lu { factors: Some(factors), .. } => factors.solve(&self.scale, rhs),
            SolverKind::Lu { factors: None, .. } => rhs.fill(f64::NAN),
            SolverKind::Cholesky(cholesky) => cholesky.solve(rhs),
        }
    }
}

/// The power of two that brings the largest entry of each row near one: no rounding.
fn equilibrate(pattern: &Pattern, values: &[f64], scale: &mut [f64]) {
    scale.fill(0.0);
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
