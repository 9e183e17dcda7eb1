//! Cholesky factorization of symmetric positive definite structures, by faer.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use super::{Pattern, SparseMatrix};

/// A supernodal or simplicial factorization with preallocated scratch.
pub(crate) struct Cholesky {
    symbolic: SymbolicCholesky<u32>,
    starts: Vec<u32>,
    factors: Vec<f64>,
    scratch: MemBuffer,
}

impl Cholesky {
    /// The symbolic factorization; `None` if the pattern is too large for the index type.
    pub fn new(pattern: &Pattern) -> Option<Self> {
        let n = pattern.size();
        let starts: Vec<u32> =
            pattern.starts().iter().map(|&s| u32::try_from(s).ok()).collect::<Option<_>>()?;
        let matrix = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, pattern.rows());
        let symbolic = factorize_symbolic_cholesky(
            matrix,
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .ok()?;
        let request = StackReq::any_of(&[
            symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        ]);
        let factors = vec![0.0; symbolic.len_val()];
        let scratch = MemBuffer::try_new(request).ok()?;
        Some(Self { symbolic, starts, factors, scratch })
    }

    /// The number of entries of the factor.
    pub fn entries(&self) -> usize {
        self.factors.len()
    }

    /// Factorizes; `false` if the matrix is not positive definite.
    pub fn factorize(&mut self, pattern: &Pattern, values: &[f64]) -> bool {
        let n = pattern.size();
        let matrix = SparseColMatRef::new(
            SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, pattern.rows()),
            values,
        );
        self.symbolic
            .factorize_numeric_llt(
                &mut self.factors,
                matrix,
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.scratch),
                Default::default(),
            )
            .is_ok()
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = b.len();
        LltRef::new(&self.symbolic, &self.factors).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(b, n, 1),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}

/// Whether a symmetric matrix is positive definite.
pub fn is_positive(matrix: &SparseMatrix) -> bool {
    let (pattern, values) = Pattern::of_sum(matrix.rows(), &[(matrix, 1.0)]);
    Cholesky::new(&pattern).is_some_and(|mut cholesky| cholesky.factorize(&pattern, &values))
}
