//! A sparse matrix that is written entry by entry, in the same order every time.
//!
//! The first writing is recorded. From then on the k-th `add` goes straight to its slot: no search,
//! no hashing, no allocation. Writing in another order still works, by search; writing outside the
//! recorded pattern is a fault, which the caller reports.

use super::compression::{Compressed, compress};
use crate::math::Matrix3;

/// An entry that does not fit the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryFault {
    /// Row of the offending entry.
    pub row: usize,
    /// Column of the offending entry.
    pub column: usize,
    /// Whether the entry lies outside the matrix (otherwise: outside the recorded pattern).
    pub outside: bool,
}

/// A sparse matrix with a recorded order of writing.
#[derive(Clone, Debug, Default)]
pub struct SparseMatrix {
    rows: usize,
    columns: usize,
    /// (row, column) and slot of the k-th `add`.
    tape: Vec<(u32, u32)>,
    slots: Vec<u32>,
    cursor: usize,
    recorded: bool,
    /// The distinct places, sorted by column, then row.
    places: Vec<(u32, u32)>,
    values: Vec<f64>,
    fault: Option<EntryFault>,
}

impl SparseMatrix {
    /// An empty matrix whose first writing will be recorded.
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, ..Self::default() }
    }

    /// A matrix written once by a function; entries outside of it are dropped.
    pub fn written(rows: usize, columns: usize, write: impl FnOnce(&mut Self)) -> Self {
        let mut entries = Self::new(rows, columns);
        write(&mut entries);
        // entries outside the matrix were refused when the pattern was recorded
        let _ = entries.finish();
        entries
    }

    /// A matrix with the given places, to be written with [`SparseMatrix::values_mut`].
    pub(crate) fn with_places(rows: usize, columns: usize, mut places: Vec<(u32, u32)>) -> Self {
        places.sort_unstable_by_key(|&(i, j)| (j, i));
        places.dedup();
        let values = vec![0.0; places.len()];
        Self { rows, columns, recorded: true, places, values, ..Self::default() }
    }

    /// Number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Adds `value` at (row, column). Structural zeros must be added too, so that every writing
    /// covers the same places.
    #[inline]
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        if !self.recorded {
            return self.record(row, column, value);
        }
        let k = self.cursor;
        self.cursor += 1;
        let expected = |&(i, j): &(u32, u32)| i as usize == row && j as usize == column;
        if self.tape.get(k).is_some_and(expected) {
            self.values[self.slots[k] as usize] += value;
        } else {
            self.add_by_search(row, column, value);
        }
    }

    /// Adds a 3×3 block whose upper left corner is (row, column).
    #[inline]
    pub fn add_block(&mut self, row: usize, column: usize, block: &Matrix3) {
        if self.follows_tape(row, column) {
            // places are sorted by column, then row: the three rows of a column are neighbours
            for (j, column) in block.as_slice().as_chunks::<3>().0.iter().enumerate() {
                let slot = self.slots[self.cursor + 3 * j] as usize;
                let values = self.values[slot..].first_chunk_mut::<3>();
                for (value, x) in values.into_iter().flatten().zip(column) {
                    *value += x;
                }
            }
            self.cursor += 9;
            return;
        }
        for j in 0..3 {
            for i in 0..3 {
                self.add(row.saturating_add(i), column.saturating_add(j), block[(i, j)]);
            }
        }
    }

    /// Whether the next nine entries of the tape are a block at (row, column), tested at its corners.
    #[inline]
    fn follows_tape(&self, row: usize, column: usize) -> bool {
        let is = |&(i, j): &(u32, u32), row: usize, column: usize| {
            i as usize == row && j as usize == column
        };
        self.recorded
            && self.tape.get(self.cursor..self.cursor + 9).is_some_and(|tape| {
                let (last_row, last_column) = (row.saturating_add(2), column.saturating_add(2));
                is(&tape[0], row, column)
                    && is(&tape[2], last_row, column)
                    && is(&tape[3], row, column.saturating_add(1))
                    && is(&tape[8], last_row, last_column)
            })
    }

    /// Adds `scale·I₃` at (row, column): its three diagonal entries.
    #[inline]
    pub fn add_diagonal(&mut self, row: usize, column: usize, scale: f64) {
        for i in 0..3 {
            self.add(row.saturating_add(i), column.saturating_add(i), scale);
        }
    }

    /// Starts a new writing: all values zero.
    #[inline]
    pub fn begin(&mut self) {
        self.cursor = 0;
        self.values.fill(0.0);
    }

    /// Ends a writing: compresses the record after the first one, and reports a fault.
    pub fn finish(&mut self) -> Result<(), EntryFault> {
        if !self.recorded {
            self.compress();
        }
        self.fault.take().map_or(Ok(()), Err)
    }

    /// The distinct places (row, column), sorted by column, then row.
    #[inline]
    pub fn places(&self) -> &[(u32, u32)] {
        &self.places
    }

    /// The values at [`SparseMatrix::places`].
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values, in the order of the places.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// (row, column, value) of every place.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.places.iter().zip(&self.values).map(|(&(i, j), &x)| (i as usize, j as usize, x))
    }

    /// `out += scale · A x`.
    ///
    /// # Panics
    ///
    /// If a length is not that of the matrix.
    #[inline]
    pub fn multiply_add(&self, scale: f64, x: &[f64], out: &mut [f64]) {
        for (i, j, value) in self.iter() {
            out[i] += scale * value * x[j];
        }
    }

    /// A x.
    pub fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.rows];
        self.multiply_add(1.0, x, &mut out);
        out
    }

    /// `out += scale · Aᵀ x`.
    ///
    /// # Panics
    ///
    /// If a length is not that of the matrix.
    #[inline]
    pub fn transpose_multiply_add(&self, scale: f64, x: &[f64], out: &mut [f64]) {
        for (i, j, value) in self.iter() {
            out[j] += scale * value * x[i];
        }
    }

    /// The largest absolute value.
    #[inline]
    pub fn largest(&self) -> f64 {
        crate::math::largest(&self.values)
    }

    /// The place whose value differs most from its mirror image, and by which part of the largest one;
    /// `None` if the matrix is symmetric.
    pub fn asymmetry(&self) -> Option<(usize, usize, f64)> {
        let mirrored = |i: u32, j: u32| self.locate((j, i)).map_or(0.0, |slot| self.values[slot]);
        let gaps = self
            .places
            .iter()
            .zip(&self.values)
            .map(|(&(i, j), x)| (i as usize, j as usize, (x - mirrored(i, j)).abs()));
        let (i, j, gap) = gaps.max_by(|a, b| a.2.total_cmp(&b.2))?;
        (gap > 0.0).then(|| (i.min(j), i.max(j), gap / self.largest()))
    }

    /// (row, column, |a_ij − a_ji|) of every place of a square matrix.
    pub fn asymmetries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let mirrored = |i: u32, j: u32| self.locate((j, i)).map_or(0.0, |slot| self.values[slot]);
        let places = self.places.iter().zip(&self.values);
        places.map(move |(&(i, j), x)| (i as usize, j as usize, (x - mirrored(i, j)).abs()))
    }

    fn record(&mut self, row: usize, column: usize, value: f64) {
        // indices are kept in 32 bits
        let is_large = row.max(column) > u32::MAX as usize;
        if row >= self.rows || column >= self.columns || is_large {
            self.fault.get_or_insert(EntryFault { row, column, outside: true });
            return;
        }
        self.tape.push((row as u32, column as u32));
        self.values.push(value);
    }

    fn compress(&mut self) {
        self.recorded = true;
        self.tape.shrink_to_fit();
        if self.tape.len() < self.rows.max(self.columns) {
            // few entries in a large matrix
            let mut places = self.tape.clone();
            places.sort_unstable_by_key(|&(i, j)| (j, i));
            places.dedup();
            self.places = places;
            self.slots =
                self.tape.iter().map(|&place| self.locate(place).unwrap_or(0) as u32).collect();
        } else {
            let Compressed { starts, rows, slots } = compress(self.rows, self.columns, &self.tape);
            self.slots = slots;
            self.places.reserve_exact(rows.len());
            for (j, ends) in starts.windows(2).enumerate() {
                self.places.extend(rows[ends[0]..ends[1]].iter().map(|&i| (i, j as u32)));
            }
        }
        let mut values = vec![0.0; self.places.len()];
        for (&slot, value) in self.slots.iter().zip(&self.values) {
            values[slot as usize] += value;
        }
        self.values = values;
    }

    fn locate(&self, (row, column): (u32, u32)) -> Option<usize> {
        self.places.binary_search_by_key(&(column, row), |&(i, j)| (j, i)).ok()
    }

    #[cold]
    fn add_by_search(&mut self, row: usize, column: usize, value: f64) {
        let is_large = row.max(column) > u32::MAX as usize;
        let outside = row >= self.rows || column >= self.columns || is_large;
        match self.locate((row as u32, column as u32)) {
            Some(slot) if !outside => self.values[slot] += value,
            _ => {
                self.fault.get_or_insert(EntryFault { row, column, outside });
            }
        }
    }
}
