//! Targets that a matrix is written to: a [`SparseMatrix`], or, over any scalar, its product with
//! a vector. The same kernel then gives M and M a, G and G v and Gᵀλ.

use super::SparseMatrix;
use crate::math::Scalar;
use crate::math::generic::Matrix3;

/// Takes a matrix entry by entry.
pub trait MatrixSink<T: Scalar> {
    /// Adds `value` at (row, column).
    fn add(&mut self, row: usize, column: usize, value: T);

    /// Adds a 3×3 block whose upper left corner is (row, column).
    #[inline]
    fn add_block(&mut self, row: usize, column: usize, block: &Matrix3<T>) {
        for j in 0..3 {
            for i in 0..3 {
                self.add(row + i, column + j, block[(i, j)]);
            }
        }
    }
}

impl MatrixSink<f64> for SparseMatrix {
    #[inline]
    fn add(&mut self, row: usize, column: usize, value: f64) {
        Self::add(self, row, column, value);
    }

    #[inline]
    fn add_block(&mut self, row: usize, column: usize, block: &Matrix3) {
        Self::add_block(self, row, column, block);
    }
}

/// `out += A x` for the matrix A that is written.
pub struct ProductSink<'a, T> {
    /// x.
    pub x: &'a [T],
    /// The sum.
    pub out: &'a mut [T],
}

impl<T: Scalar> MatrixSink<T> for ProductSink<'_, T> {
    #[inline]
    fn add(&mut self, row: usize, column: usize, value: T) {
        self.out[row] += value * self.x[column];
    }
}

/// `out += Aᵀ x` for the matrix A that is written.
pub struct TransposedProductSink<'a, T> {
    /// x.
    pub x: &'a [T],
    /// The sum.
    pub out: &'a mut [T],
}

impl<T: Scalar> MatrixSink<T> for TransposedProductSink<'_, T> {
    #[inline]
    fn add(&mut self, row: usize, column: usize, value: T) {
        self.out[column] += value * self.x[row];
    }
}
