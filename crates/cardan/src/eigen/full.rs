//! Eigenvalues and vectors of full matrices that are not symmetric.

use faer::Mat;
use nalgebra::{Complex, DMatrix, DVector};

/// Eigenvalues of a full matrix; `None` if they do not converge.
pub(crate) fn eigenvalues(matrix: &Mat<f64>) -> Option<Vec<Complex<f64>>> {
    let n = matrix.nrows();
    if n == 0 {
        return Some(Vec::new());
    }
    let full = DMatrix::from_fn(n, n, |i, j| matrix[(i, j)]);
    if !full.iter().all(|x| x.is_finite()) {
        return None;
    }
    let schur = nalgebra::linalg::Schur::try_new(full, f64::EPSILON, 200 * n)?;
    Some(schur.complex_eigenvalues().iter().copied().collect())
}

/// The eigenvector of an eigenvalue by inverse iteration; repeated ones have different start vectors.
pub(crate) fn eigenvector(
    matrix: &Mat<f64>,
    value: Complex<f64>,
    k: usize,
) -> DVector<Complex<f64>> {
    let n = matrix.nrows();
    let size = (0..n).map(|j| (0..n).map(|i| matrix[(i, j)].abs()).sum()).fold(1e-300, f64::max);
    let shift = value + Complex::new(1.0, 0.7) * (1e-14 * size).max(1e-11 * value.norm());
    let shifted = DMatrix::from_fn(n, n, |i, j| {
        let diagonal = if i == j { shift } else { Complex::new(0.0, 0.0) };
        Complex::new(matrix[(i, j)], 0.0) - diagonal
    });
    let mut x = DVector::from_fn(n, |i, _| {
        let phase = (1.7 + 0.31 * k as f64) * (i + 1) as f64;
        Complex::new(1.0 + phase.sin(), 0.5 * phase.cos())
    });
    // a real eigenvalue has a real vector
    if value.im == 0.0 {
        x.iter_mut().for_each(|x| x.im = 0.0);
    }
    let solver = shifted.lu();
    for _ in 0..3 {
        if let Some(next) = solver.solve(&x) {
            let length = next.norm();
            if length.is_finite() && length > 0.0 {
                x = next / Complex::new(length, 0.0);
            }
        }
    }
    x
}

/// Eigenvalues of a full matrix whose rows and columns have different units: they are brought to one size first.
/// `None` if they do not converge.
pub(crate) fn balanced_eigenvalues(matrix: &Mat<f64>) -> Option<Vec<Complex<f64>>> {
    let n = matrix.nrows();
    let mut full = DMatrix::from_fn(n, n, |i, j| matrix[(i, j)]);
    if n > 0 && full.iter().all(|x| x.is_finite()) {
        nalgebra::linalg::balancing::balance_parlett_reinsch(&mut full);
    }
    eigenvalues(&Mat::from_fn(n, n, |i, j| full[(i, j)]))
}
