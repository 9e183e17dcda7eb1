//! A matrix as a sum of terms: their values go into fronts without being added up before.
//!
//! ```text
//! A = Σ factor · values · block       values: those of M, G, K …; block: a row of a 3×3 matrix in columns of a rotation
//! ```

use std::sync::Arc;

use super::Pattern;
use crate::math::Matrix3;

/// The largest number of terms.
pub(crate) const MAX_TERMS: usize = 24;

/// The block row of an entry that is not multiplied by a block.
pub(crate) const NO_BLOCK: u32 = u32::MAX;

/// An entry of a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TermEntry {
    /// Its index among the values of the term.
    pub source: u32,
    pub row: u32,
    /// Its column; the first of three if it is multiplied by a block.
    pub column: u32,
    /// Four times the number of the block, plus its row; or [`NO_BLOCK`].
    pub block_row: u32,
}

/// The values of a term.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TermValues<'a> {
    /// Zero if the term is not part of the matrix now.
    pub factor: f64,
    pub values: &'a [f64],
    pub blocks: &'a [Matrix3],
    /// Whether neighbours among the values are neighbours in a row, not in a column.
    pub is_transposed: bool,
}

/// A matrix that is a sum of terms.
pub(crate) trait MatrixTerms {
    /// Fills in the values of the terms, in the order in which they are added.
    fn fill_values<'a>(&'a self, terms: &mut [TermValues<'a>; MAX_TERMS]);

    /// Visits the entries of a term.
    fn visit(&self, term: usize, visit: impl FnMut(TermEntry));

    /// The sum: its pattern and its values, for solvers without fronts.
    fn sum(&self) -> (Arc<Pattern>, Vec<f64>);
}

/// The terms with a factor that is not zero, as bits.
pub(crate) fn used_terms(terms: &[TermValues<'_>]) -> u32 {
    let bit = |(k, term): (usize, &TermValues<'_>)| u32::from(term.factor != 0.0) << k;
    terms.iter().enumerate().map(bit).sum()
}

/// A matrix that is one term: the values of a pattern.
pub(crate) struct PatternValues<'a> {
    pub pattern: &'a Arc<Pattern>,
    pub values: &'a [f64],
}

impl MatrixTerms for PatternValues<'_> {
    fn fill_values<'a>(&'a self, terms: &mut [TermValues<'a>; MAX_TERMS]) {
        terms[0] = TermValues { factor: 1.0, values: self.values, ..TermValues::default() };
    }

    fn visit(&self, _: usize, mut visit: impl FnMut(TermEntry)) {
        for column in 0..self.pattern.size() {
            for slot in self.pattern.column(column) {
                visit(TermEntry {
                    source: slot as u32,
                    row: self.pattern.rows()[slot],
                    column: column as u32,
                    block_row: NO_BLOCK,
                });
            }
        }
    }

    fn sum(&self) -> (Arc<Pattern>, Vec<f64>) {
        (Arc::clone(self.pattern), self.values.to_vec())
    }
}
