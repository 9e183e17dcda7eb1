//! A sparse matrix that is written entry by entry, in the same order every time.
//!
//! The first writing is recorded. From then on the k-th `add` goes straight to its slot: no search,
//! no hashing, no allocation. Writing in another order still works, by search; writing outside the
//! recorded pattern is a fault, which the caller reports. Copies share the record.

use std::sync::{Arc, LazyLock};

use super::compression::{Compressed, THREE_ROWS, compress};
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
#[derive(Clone, Debug)]
pub struct SparseMatrix {
    rows: usize,
    columns: usize,
    /// The (row, column) of each `add` until they are recorded; of a block each column, marked with [`THREE_ROWS`].
    tape: Vec<(u32, u32)>,
    recorded: bool,
    record: Arc<WritingRecord>,
    cursor: usize,
    /// The values at the places; empty before the first writing of a matrix whose record is that of another.
    values: Vec<f64>,
    fault: Option<EntryFault>,
}

/// The places of a matrix and the order in which they are written.
#[derive(Debug, Default)]
struct WritingRecord {
    /// The slot of the k-th `add`; a block counts three times, once for each column.
    slots: Vec<u32>,
    /// The distinct places, sorted by column, then row.
    places: Vec<(u32, u32)>,
}

impl WritingRecord {
    /// Sorts and counts the places that were written.
    fn new(rows: usize, columns: usize, tape: &[(u32, u32)]) -> Self {
        if tape.len() < rows.max(columns) / 4 {
            // few entries in a large matrix
            let places = tape.iter().flat_map(|&(i, j)| {
                let count = if j & THREE_ROWS == 0 { 1 } else { 3 };
                (i..i + count).map(move |i| (i, j & !THREE_ROWS))
            });
            let mut record = Self { slots: Vec::new(), places: places.collect() };
            record.places.sort_unstable_by_key(|&(i, j)| (j, i));
            record.places.dedup();
            record.places.shrink_to_fit();
            let slot = |&(i, j): &(u32, u32)| record.locate((i, j & !THREE_ROWS)).unwrap_or(0);
            record.slots = tape.iter().map(|place| slot(place) as u32).collect();
            return record;
        }
        let Compressed { starts, rows, slots } = compress(columns, tape);
        let mut places = Vec::with_capacity(rows.len());
        for (j, ends) in starts.windows(2).enumerate() {
            places.extend(rows[ends[0]..ends[1]].iter().map(|&i| (i, j as u32)));
        }
        Self { slots, places }
    }

    fn locate(&self, (row, column): (u32, u32)) -> Option<usize> {
        self.places.binary_search_by_key(&(column, row), |&(i, j)| (j, i)).ok()
    }

    /// The slot of the k-th `add`, if it is at (row, column).
    #[inline]
    fn slot(&self, k: usize, row: usize, column: usize) -> Option<usize> {
        let slot = *self.slots.get(k)? as usize;
        let (i, j) = self.places[slot];
        (i as usize == row && j as usize == column).then_some(slot)
    }

    /// The slots of the three columns from the k-th `add` on, if they are a block at (row, column), tested at its corners.
    #[inline]
    fn block(&self, k: usize, row: usize, column: usize) -> Option<&[u32; 3]> {
        let slots: &[u32; 3] = self.slots.get(k..)?.first_chunk()?;
        let place = |slot: u32| self.places.get(slot as usize).copied();
        let (i, j) = place(slots[0])?;
        let is_block = i as usize == row
            && j as usize == column
            && place(slots[0] + 2) == Some((i.wrapping_add(2), j))
            && place(slots[1]) == Some((i, j.wrapping_add(1)))
            && place(slots[2] + 2) == Some((i.wrapping_add(2), j.wrapping_add(2)));
        is_block.then_some(slots)
    }
}

impl Default for SparseMatrix {
    fn default() -> Self {
        static NONE: LazyLock<Arc<WritingRecord>> = LazyLock::new(Arc::default);
        Self {
            rows: 0,
            columns: 0,
            tape: Vec::new(),
            recorded: false,
            record: Arc::clone(&NONE),
            cursor: 0,
            values: Vec::new(),
            fault: None,
        }
    }
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
        let record = Arc::new(WritingRecord { slots: Vec::new(), places });
        Self { rows, columns, recorded: true, record, values, ..Self::default() }
    }

    /// A matrix with the recorded places of this one, without memory for its values until it is written.
    pub(crate) fn without_values(&self) -> Self {
        let (rows, columns, recorded) = (self.rows, self.columns, self.recorded);
        Self { rows, columns, recorded, record: Arc::clone(&self.record), ..Self::default() }
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
        match self.record.slot(k, row, column) {
            Some(slot) => self.values[slot] += value,
            None => self.add_by_search(row, column, value),
        }
    }

    /// Adds a 3×3 block whose upper left corner is (row, column).
    #[inline]
    pub fn add_block(&mut self, row: usize, column: usize, block: &Matrix3) {
        if let Some(slots) = self.record.block(self.cursor, row, column) {
            // places are sorted by column, then row: the three rows of a column are neighbours
            for (&slot, column) in slots.iter().zip(block.as_slice().as_chunks::<3>().0) {
                let values = self.values[slot as usize..].first_chunk_mut::<3>();
                for (value, x) in values.into_iter().flatten().zip(column) {
                    *value += x;
                }
            }
            self.cursor += 3;
            return;
        }
        self.add_new_block(row, column, block);
    }

    fn add_new_block(&mut self, row: usize, column: usize, block: &Matrix3) {
        let ends = [row.saturating_add(3), column.saturating_add(3)];
        let limit = THREE_ROWS as usize;
        let is_inside = ends[0] <= self.rows.min(limit) && ends[1] <= self.columns.min(limit);
        if !self.recorded && is_inside {
            self.reserve();
            self.tape.extend((0..3).map(|j| (row as u32, (column + j) as u32 | THREE_ROWS)));
            self.values.extend_from_slice(block.as_slice());
            return;
        }
        if self.recorded {
            self.cursor += 3;
            for (j, i) in (0..9).map(|k| (k / 3, k % 3)) {
                let (row, column) = (row.saturating_add(i), column.saturating_add(j));
                self.add_by_search(row, column, block[(i, j)]);
            }
            return;
        }
        for j in 0..3 {
            for i in 0..3 {
                self.add(row.saturating_add(i), column.saturating_add(j), block[(i, j)]);
            }
        }
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
        self.tape.clear();
        self.values.clear();
        self.values.resize(self.record.places.len(), 0.0);
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
        &self.record.places
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

    /// The places, and their values to be changed.
    #[inline]
    pub fn places_and_values_mut(&mut self) -> (&[(u32, u32)], &mut [f64]) {
        (&self.record.places, &mut self.values)
    }

    /// (row, column, value) of every place.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.places().iter().zip(&self.values).map(|(&(i, j), &x)| (i as usize, j as usize, x))
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
        let mirrored =
            |i: u32, j: u32| self.record.locate((j, i)).map_or(0.0, |slot| self.values[slot]);
        let gaps = self
            .places()
            .iter()
            .zip(&self.values)
            .map(|(&(i, j), x)| (i as usize, j as usize, (x - mirrored(i, j)).abs()));
        let (i, j, gap) = gaps.max_by(|a, b| a.2.total_cmp(&b.2))?;
        (gap > 0.0).then(|| (i.min(j), i.max(j), gap / self.largest()))
    }

    /// (row, column, |a_ij − a_ji|) of every place of a square matrix.
    pub fn asymmetries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let mirrored =
            |i: u32, j: u32| self.record.locate((j, i)).map_or(0.0, |slot| self.values[slot]);
        let places = self.places().iter().zip(&self.values);
        places.map(move |(&(i, j), x)| (i as usize, j as usize, (x - mirrored(i, j)).abs()))
    }

    fn record(&mut self, row: usize, column: usize, value: f64) {
        // indices are kept in 31 bits
        let is_large = row.max(column) >= THREE_ROWS as usize;
        if row >= self.rows || column >= self.columns || is_large {
            self.fault.get_or_insert(EntryFault { row, column, outside: true });
            return;
        }
        self.reserve();
        self.tape.push((row as u32, column as u32));
        self.values.push(value);
    }

    /// Memory for a first writing with a few entries in every column.
    #[inline]
    fn reserve(&mut self) {
        if self.tape.capacity() == 0 {
            let columns = self.columns.min(1 << 20);
            self.tape.reserve(4 * columns);
            self.values.reserve(9 * columns);
        }
    }

    fn compress(&mut self) {
        self.recorded = true;
        let tape = std::mem::take(&mut self.tape);
        let record = WritingRecord::new(self.rows, self.columns, &tape);
        let mut values = vec![0.0; record.places.len()];
        let mut written = self.values.iter();
        for (&slot, &(_, column)) in record.slots.iter().zip(&tape) {
            let count = if column & THREE_ROWS == 0 { 1 } else { 3 };
            for (value, x) in values[slot as usize..].iter_mut().take(count).zip(written.by_ref()) {
                *value += x;
            }
        }
        self.values = values;
        self.record = Arc::new(record);
    }

    #[cold]
    fn add_by_search(&mut self, row: usize, column: usize, value: f64) {
        let is_large = row.max(column) > u32::MAX as usize;
        let outside = row >= self.rows || column >= self.columns || is_large;
        match self.record.locate((row as u32, column as u32)) {
            Some(slot) if !outside => self.values[slot] += value,
            _ => {
                self.fault.get_or_insert(EntryFault { row, column, outside });
            }
        }
    }
}
