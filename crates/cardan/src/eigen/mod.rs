//! Eigenvalues and eigenvectors of matrices and operators; independent of models.

mod full;
mod krylov;

pub(crate) use full::{balanced_eigenvalues, eigenvalues, eigenvector};
pub(crate) use krylov::{Krylov, SEED, WIDTH, lowest, lowest_from};
