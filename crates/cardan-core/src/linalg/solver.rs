//! One interface to the linear solvers: equilibrate, factorize, solve, refine, and choose other pivots
//! if those of the fronts are not accurate.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Pattern;
use super::cholesky::Cholesky;
use super::fronts::{FrontQuality, Fronts};
use super::ordering::{Group, elimination_order};
use super::pivoting::{self, ZeroPivot};
use super::refactorization::{LuFactors, Quality};

/// Above this growth in L one step of refinement is taken with every solution.
const REFINE_ABOVE: f64 = 1e4;
/// Above this growth the pivots are chosen again.
const PIVOT_AGAIN_ABOVE: f64 = 1e6;
/// Above this growth the signs of pivots on the diagonal may be those of round-off.
const COUNT_UP_TO: f64 = 1e8;

/// Scales of rows are within two to the plus and minus this power.
const EXPONENT_LIMIT: i16 = 120;
/// How often fronts are merged with their parents in one factorization.
const MAX_MERGES: usize = 8;

/// The factorization of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixKind {
    /// LU by dense fronts.
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

/// The choice of pivots of a solver, with which it gives the same bits again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pivots {
    /// The groups of unknowns that are eliminated together with a later one because their own pivots were not usable,
    /// ascending.
    pub merged: Vec<u32>,
    /// The matrix rows in the order of elimination; empty before the first factorization.
    pub rows: Vec<u32>,
    /// The scale of each matrix row is two to this power.
    pub exponents: Vec<i16>,
}

impl Pivots {
    fn scale(&self) -> Vec<f32> {
        // within the range of f32 powers of two are exact
        self.exponents.iter().map(|&e| f32::from(e).exp2()).collect()
    }
}

/// LU by fronts; if fronts do not have usable pivots, with pivots chosen among all rows.
struct Lu {
    order: Arc<[u32]>,
    /// Where the groups end in the order.
    ends: Arc<[u32]>,
    /// Made when they are needed first.
    fronts: Option<Fronts>,
    pivots: Pivots,
    /// Factors with pivots among all rows, if fronts failed at the last matrix.
    scalar: Option<LuFactors>,
}

impl Lu {
    fn new(pattern: &Pattern, groups: &[Group]) -> Self {
        let order = elimination_order(pattern, groups);
        let mut group_of = vec![u32::MAX; pattern.size()];
        for (g, group) in groups.iter().enumerate().rev() {
            for &unknown in &group.unknowns {
                if let Some(of) = group_of.get_mut(unknown as usize) {
                    *of = g as u32;
                }
            }
        }
        let is_end = |k: &usize| {
            let group = |k: usize| order.get(k).map(|&unknown| group_of[unknown as usize]);
            group(*k) == Some(u32::MAX) || group(*k) != group(k + 1)
        };
        let ends: Vec<u32> = (0..order.len()).filter(is_end).map(|k| k as u32 + 1).collect();
        Self::with_order(order.into(), ends.into())
    }

    /// LU with the same order.
    fn another(&self) -> Self {
        Self::with_order(Arc::clone(&self.order), Arc::clone(&self.ends))
    }

    fn with_order(order: Arc<[u32]>, ends: Arc<[u32]>) -> Self {
        Self { order, ends, fronts: None, pivots: Pivots::default(), scalar: None }
    }

    /// The number of values that the factors will have.
    fn entries(&self, pattern: &Pattern) -> usize {
        let new = || fronts_of(pattern, &self.order, &self.ends, &self.pivots.merged).entries();
        self.fronts.as_ref().map_or_else(new, Fronts::entries)
    }

    /// Uses pivots chosen earlier; those that do not fit are not used.
    fn restore(&mut self, pattern: &Pattern, pivots: &Pivots) {
        let Pivots { merged, rows, exponents } = pivots;
        let is_valid = merged.is_sorted_by(|a, b| a < b)
            && merged.last().is_none_or(|&last| (last as usize) < self.ends.len())
            && exponents.len() == pattern.size()
            && exponents.iter().all(|e| (-EXPONENT_LIMIT..=EXPONENT_LIMIT).contains(e));
        let merged = if is_valid { &merged[..] } else { &[] };
        let mut fronts = fronts_of(pattern, &self.order, &self.ends, merged);
        self.pivots = Pivots::default();
        if is_valid && fronts.has_rows(rows) {
            fronts.set_pivots(pattern, rows, &pivots.scale());
            self.pivots = pivots.clone();
        }
        self.fronts = Some(fronts);
    }

    /// Factorizes by fronts with the current pivots, or chooses others; returns the growth of L.
    fn factorize(&mut self, pattern: &Pattern, values: &[f64], pivotings: &mut u64) -> Option<f64> {
        if self.fronts.is_none() && !self.pivots.rows.is_empty() {
            let pivots = std::mem::take(&mut self.pivots);
            self.restore(pattern, &pivots);
        }
        let Self { order, ends, fronts, .. } = self;
        let fronts = fronts.get_or_insert_with(|| fronts_of(pattern, order, ends, &[]));
        if !self.pivots.rows.is_empty()
            && let FrontQuality::Growth(growth) = fronts.factorize(values, PIVOT_AGAIN_ABOVE)
        {
            return Some(growth);
        }
        *pivotings += 1;
        let mut pivots =
            Pivots { exponents: exponents(pattern, values), ..std::mem::take(&mut self.pivots) };
        let scale = pivots.scale();
        for _ in 0..MAX_MERGES {
            fronts.choose_pivots(pattern, values, &scale);
            if let FrontQuality::Growth(growth) = fronts.factorize(values, PIVOT_AGAIN_ABOVE) {
                pivots.rows = fronts.rows().collect();
                self.pivots = pivots;
                return Some(growth);
            }
            let Some(mut more) = fronts.blocks_to_merge() else { break };
            pivots.merged.append(&mut more);
            pivots.merged.sort_unstable();
            pivots.merged.dedup();
            *fronts = fronts_of(pattern, order, ends, &pivots.merged);
        }
        self.fronts = None;
        None
    }
}

/// For each row the power of two that brings its largest entry near one.
fn exponents(pattern: &Pattern, values: &[f64]) -> Vec<i16> {
    let mut scale = Vec::new();
    equilibrate(pattern, values, &mut scale);
    let limit = i32::from(EXPONENT_LIMIT);
    let exponent = |s: &f64| ((s.to_bits() >> 52) as i32 - 1023).clamp(-limit, limit) as i16;
    scale.iter().map(exponent).collect()
}

/// The fronts of groups of unknowns, which end at `ends` in the order of elimination.
fn fronts_of(pattern: &Pattern, order: &[u32], ends: &[u32], merged: &[u32]) -> Fronts {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let blocks: Vec<&[u32]> =
        starts.zip(ends).map(|(start, &end)| &order[start as usize..end as usize]).collect();
    Fronts::new(pattern, &blocks, merged)
}

/// A linear solver for matrices of one pattern.
pub struct Solver {
    pattern: Arc<Pattern>,
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
            None => SolverKind::Lu(Box::new(Lu::new(&pattern, groups))),
        };
        Self::with_method(pattern, method)
    }

    /// A solver for no unknowns.
    pub(crate) fn empty() -> Self {
        let method = Lu::with_order([].into(), [].into());
        Self::with_method(Arc::new(Pattern::new(0, Vec::new())), SolverKind::Lu(Box::new(method)))
    }

    /// Another solver for the same pattern, with the same order.
    pub(crate) fn another(&self) -> Self {
        match &self.method {
            SolverKind::Lu(lu) => {
                let method = SolverKind::Lu(Box::new(lu.another()));
                Self::with_method(Arc::clone(&self.pattern), method)
            }
            SolverKind::Cholesky(_) => {
                Self::of_shared(Arc::clone(&self.pattern), &[], MatrixKind::SymmetricPositive)
            }
        }
    }

    fn with_method(pattern: Arc<Pattern>, method: SolverKind) -> Self {
        Self {
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
            SolverKind::Lu(lu) => lu.entries(&self.pattern) as u64 * 8,
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
            SolverKind::Lu(lu) => lu.fronts.as_ref().map_or(1.0, Fronts::cost_ratio),
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

    /// Restores pivots chosen earlier, so that a continued run gives the same bits. Those that do
    /// not fit this matrix are ignored: the next factorization chooses its own. Returns whether the pivots
    /// changed, so that the matrix must be factorized again.
    pub fn restore_pivots(&mut self, pivots: &Pivots) -> bool {
        let SolverKind::Lu(lu) = &mut self.method else { return false };
        if lu.pivots == *pivots {
            return false;
        }
        self.is_factorized = false;
        lu.restore(&self.pattern, pivots);
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
            SolverKind::Lu(_) => {
                let growth = self.factorize_lu(values)?;
                self.refine = growth > REFINE_ABOVE;
                if self.refine {
                    self.values.clear();
                    self.values.extend_from_slice(values);
                    self.residual.resize(self.pattern.size(), 0.0);
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
        let SolverKind::Lu(lu) = &mut self.method else { return None };
        self.is_factorized = false;
        equilibrate(&self.pattern, values, &mut self.scale);
        self.statistics.factorizations += 1;
        let (order, scale) = (&lu.order, &self.scale);
        let pivots = pivoting::choose(&self.pattern, order, values, scale, Some(order)).ok()?;
        let mut factors = LuFactors::new(&self.pattern, order, pivots);
        match factors.refactorize(&self.pattern, values, scale) {
            Quality::Growth(growth) if growth <= COUNT_UP_TO => Some(factors.negative_pivots()),
            _ => None,
        }
    }

    /// Factorizes by fronts, or with pivots among all rows; returns the growth of L.
    fn factorize_lu(&mut self, values: &[f64]) -> Result<f64, LinearError> {
        let SolverKind::Lu(lu) = &mut self.method else { return Ok(0.0) };
        lu.scalar = None;
        let Self { pattern, scale, statistics, .. } = self;
        if let Some(growth) = lu.factorize(pattern, values, &mut statistics.pivotings) {
            return Ok(growth);
        }
        equilibrate(pattern, values, scale);
        check_finite(pattern, values)?;
        statistics.pivotings += 1;
        let pivots = pivoting::choose(pattern, &lu.order, values, scale, None)
            .map_err(|ZeroPivot { column }| LinearError::Singular { column })?;
        let mut factors = LuFactors::new(pattern, &lu.order, pivots);
        match factors.refactorize(pattern, values, scale) {
            Quality::Growth(growth) => {
                lu.scalar = Some(factors);
                Ok(growth)
            }
            Quality::Failed => {
                let column = lu.order.last().map_or(0, |&c| c as usize);
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
