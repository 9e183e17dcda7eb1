//! Full matrices of sparse ones.

use cardan_core::linalg::SparseMatrix;
use faer::Mat;

/// All entries of a sparse matrix.
pub(super) fn full(entries: &SparseMatrix) -> Mat<f64> {
    let mut out = Mat::zeros(entries.rows(), entries.columns());
    entries.iter().for_each(|(i, j, x)| out[(i, j)] += x);
    out
}
