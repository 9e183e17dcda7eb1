//! Eigenvalues of small dense matrices, to the last digits.

use nalgebra::linalg::balancing::balance_parlett_reinsch;
use nalgebra::{Complex, DMatrix, Schur};

/// Entries farther from one than this are scaled before roots are computed.
const MAX_ENTRY_RATIO: f64 = 1e100;

/// The characteristic roots, largest first; empty if they cannot be computed, or the matrix is not square.
pub fn roots(matrix: &DMatrix<f64>) -> Vec<Complex<f64>> {
    if !matrix.is_square() || matrix.iter().any(|x| !x.is_finite()) {
        return Vec::new();
    }
    // balancing and the iteration overflow with numbers far from one
    let most = matrix.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if most > MAX_ENTRY_RATIO || matrix.iter().any(|x| *x != 0.0 && x.abs() < 1.0 / MAX_ENTRY_RATIO)
    {
        let scale = if most > 0.0 { most } else { 1.0 };
        let tame =
            matrix.map(|x| if (x / scale).abs() < 1.0 / MAX_ENTRY_RATIO { 0.0 } else { x / scale });
        return match tame == *matrix {
            true => Vec::new(),
            false => roots(&tame).into_iter().map(|root| root * scale).collect(),
        };
    }
    // a zero column is an exact root of zero; kept in the matrix, it would cost the others accuracy
    let mut active = matrix.clone();
    let is_idle = |active: &DMatrix<f64>, k: usize| active.column(k).iter().all(|x| *x == 0.0);
    while let Some(k) = (0..active.ncols()).find(|&k| is_idle(&active, k)) {
        active = active.remove_row(k).remove_column(k);
    }
    let zeros = matrix.ncols() - active.ncols();
    // positions and accelerations differ by ω²: without balancing round-off would follow the largest
    let mut roots = Vec::new();
    if active.ncols() > 0 {
        balance_parlett_reinsch(&mut active);
        let Some(schur) = Schur::try_new(active, f64::EPSILON, 10_000) else {
            return Vec::new();
        };
        roots.extend(schur.complex_eigenvalues().iter().copied());
    }
    roots.extend(std::iter::repeat_n(Complex::new(0.0, 0.0), zeros));
    roots.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    roots
}
