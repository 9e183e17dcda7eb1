//! The places of a square sparse matrix in compressed columns.

use super::SparseMatrix;
use super::compression::{Compressed, MAX_UNKNOWNS, compress};

/// Compressed columns: the rows of column j are `rows[starts[j]..starts[j + 1]]`, ascending.
#[derive(Clone, Debug)]
pub struct Pattern {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Pattern {
    /// The pattern of an n×n matrix with the given (row, column) places; those outside are
    /// omitted. The diagonal is always included, so that every pivot order is possible. A size above
    /// [`MAX_UNKNOWNS`] gives the pattern of size zero.
    pub fn new(n: usize, mut places: Vec<(u32, u32)>) -> Self {
        let n = if n > MAX_UNKNOWNS { 0 } else { n };
        places.retain(|&(i, j)| (i as usize) < n && (j as usize) < n);
        Self::with_slots(n, places).0
    }

    /// The pattern of an n×n matrix with the given (row, column) places and the diagonal, and the slot of each place,
    /// then of each diagonal entry.
    pub(crate) fn with_slots(n: usize, mut places: Vec<(u32, u32)>) -> (Self, Vec<u32>) {
        places.extend((0..n as u32).map(|i| (i, i)));
        let Compressed { starts, rows, slots } = compress(n, &places);
        let starts = starts.into_iter().map(|start| start as usize).collect();
        (Self { starts, rows }, slots)
    }

    /// The pattern and the values of a sum of n×n matrices with factors.
    pub fn of_sum(n: usize, sum: &[(&SparseMatrix, f64)]) -> (Self, Vec<f64>) {
        let places = sum.iter().flat_map(|(matrix, _)| matrix.places());
        let pattern = Self::new(n, places.collect());
        let mut values = vec![0.0; pattern.nonzeros()];
        for (matrix, factor) in sum {
            for (i, j, x) in matrix.iter() {
                if let Some(slot) = pattern.slot(i, j) {
                    values[slot] += factor * x;
                }
            }
        }
        (pattern, values)
    }

    /// Number of rows and columns.
    #[inline]
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of stored places.
    #[inline]
    pub fn nonzeros(&self) -> usize {
        self.rows.len()
    }

    /// The slots of column j; none if there is no such column.
    #[inline]
    pub fn column(&self, j: usize) -> std::ops::Range<usize> {
        match self.starts.get(j..).and_then(|starts| starts.first_chunk()) {
            Some(&[start, end]) => start..end,
            None => 0..0,
        }
    }

    /// The row of every slot.
    #[inline]
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Where each column begins.
    #[inline]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The slot of (row, column), if it is part of the pattern.
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.column(column);
        let found = self.rows[range.clone()].binary_search(&u32::try_from(row).ok()?).ok()?;
        Some(range.start + found)
    }

    /// `out += scale · A x` with the given values.
    pub(crate) fn multiply_add(&self, values: &[f64], scale: f64, x: &[f64], out: &mut [f64]) {
        for (j, &xj) in x.iter().enumerate() {
            for slot in self.column(j) {
                out[self.rows[slot] as usize] += scale * values[slot] * xj;
            }
        }
    }
}

/// Finds slots of a pattern one after the other; fast if the rows of each column are asked for in ascending order.
pub(crate) struct SlotFinder<'a> {
    pattern: &'a Pattern,
    /// The slot found last in each column.
    last: Vec<u32>,
}

impl<'a> SlotFinder<'a> {
    pub fn new(pattern: &'a Pattern) -> Self {
        let last = pattern.starts[..pattern.size()].iter().map(|&start| start as u32).collect();
        Self { pattern, last }
    }

    /// The slot of a place of the pattern.
    pub fn slot(&mut self, row: usize, column: usize) -> u32 {
        let rows = &self.pattern.rows;
        let last = &mut self.last[column];
        if rows[*last as usize] > row as u32 {
            *last = self.pattern.starts[column] as u32;
        }
        while rows[*last as usize] < row as u32 {
            *last += 1;
        }
        *last
    }
}
