//! A sparse matrix that is written entry by entry, in the same order every time.
//!
//! The first writing is recorded. From then on the k-th `add` goes straight to its slot: no search,
//! no hashing, no allocation. Writing in another order still works, by search; writing outside the
//! recorded pattern is a fault, which the caller reports. Copies share the record.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::compression::{Compressed, MAX_UNKNOWNS, THREE_ROWS, compress};
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

/// Marks the slot of the first column of a block.
const BLOCK: u32 = 1 << 31;

/// The places of a matrix, column by column, and the order in which they are written.
#[derive(Debug, Default)]
struct WritingRecord {
    /// The slot of the k-th `add`; a block counts three times, once for each column, and the first is marked with
    /// [`BLOCK`].
    slots: Vec<u32>,
    /// Where each column begins among the rows; empty if there are no places.
    starts: Vec<u32>,
    /// The row of each place; ascending within a column.
    rows: Vec<u32>,
}

impl WritingRecord {
    /// Sorts and counts the places that were written.
    fn new(columns: usize, tape: &[(u32, u32)]) -> Self {
        if tape.is_empty() {
            return Self::default();
        }
        // columns after the last one with a place need no memory
        let last = tape.iter().map(|&(_, j)| (j & !THREE_ROWS) as usize).max().unwrap_or(0);
        let Compressed { starts, rows, slots } = compress(columns.min(last + 1), tape);
        Self { slots, starts, rows }
    }

    /// Marks the blocks of a tape.
    fn mark_blocks(&mut self, tape: &[(u32, u32)]) {
        let mut k = 0;
        while k < tape.len() {
            let is_block = tape[k].1 & THREE_ROWS != 0;
            self.slots[k] |= if is_block { BLOCK } else { 0 };
            k += if is_block { 3 } else { 1 };
        }
    }

    /// The slots of a column.
    #[inline]
    fn column(&self, column: usize) -> Range<usize> {
        match self.starts.get(column..).and_then(|starts| starts.first_chunk()) {
            Some(&[start, end]) => start as usize..end as usize,
            None => 0..0,
        }
    }

    fn locate(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.column(column);
        let found = self.rows[range.clone()].binary_search(&u32::try_from(row).ok()?).ok()?;
        Some(range.start + found)
    }

    /// Whether a slot is at (row, column).
    #[inline]
    fn is_at(&self, slot: usize, row: usize, column: usize) -> bool {
        self.rows.get(slot).is_some_and(|&i| i as usize == row)
            && self.column(column).contains(&slot)
    }

    /// The slot of the k-th `add`, if it is at (row, column); that of a block is marked, and is not.
    #[inline]
    fn slot(&self, k: usize, row: usize, column: usize) -> Option<usize> {
        let slot = *self.slots.get(k)? as usize;
        self.is_at(slot, row, column).then_some(slot)
    }

    /// The slots of the three columns from the k-th `add` on, if they are a block at (row, column).
    #[inline]
    fn block(&self, k: usize, row: usize, column: usize) -> Option<[usize; 3]> {
        let &[first, second, third] = self.slots.get(k..)?.first_chunk()?;
        let slots = [first ^ BLOCK, second, third].map(|slot| slot as usize);
        self.is_at(slots[0], row, column).then_some(slots)
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
    pub(crate) fn with_places(rows: usize, columns: usize, places: &[(u32, u32)]) -> Self {
        let record = WritingRecord { slots: Vec::new(), ..WritingRecord::new(columns, places) };
        let values = vec![0.0; record.rows.len()];
        let record = Arc::new(record);
        Self { rows, columns, recorded: true, record, values, ..Self::default() }
    }

    /// A matrix with the recorded places of this one, without memory for its values until it is written.
    pub(crate) fn without_values(&self) -> Self {
        let (rows, columns, recorded) = (self.rows, self.columns, self.recorded);
        Self { rows, columns, recorded, record: Arc::clone(&self.record), ..Self::default() }
    }

    /// Whether its places are known.
    pub(crate) fn is_recorded(&self) -> bool {
        self.recorded
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
            for (slot, column) in slots.into_iter().zip(block.as_slice().as_chunks::<3>().0) {
                let values = self.values[slot..].first_chunk_mut::<3>();
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
        let limit = MAX_UNKNOWNS;
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
        self.values.resize(self.record.rows.len(), 0.0);
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
    pub fn places(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let WritingRecord { starts, rows, .. } = &*self.record;
        starts.windows(2).enumerate().flat_map(|(j, ends)| {
            rows[ends[0] as usize..ends[1] as usize].iter().map(move |&i| (i, j as u32))
        })
    }

    /// Calls a function with (index, row, column) of every place.
    #[inline(always)]
    pub(crate) fn visit_places(&self, mut visit: impl FnMut(usize, usize, usize)) {
        let WritingRecord { starts, rows, .. } = &*self.record;
        let mut slot = 0;
        for (j, &end) in starts.iter().skip(1).enumerate() {
            while slot < (end as usize).min(rows.len()) {
                visit(slot, rows[slot] as usize, j);
                slot += 1;
            }
        }
    }

    /// The row of each place.
    #[inline]
    pub fn row_indices(&self) -> &[u32] {
        &self.record.rows
    }

    /// The indices of the places in a column; none if there is no such column.
    #[inline]
    pub fn column(&self, j: usize) -> Range<usize> {
        self.record.column(j)
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

    /// Calls a function with (row, column, value) of every place, to change the values.
    pub fn change_values(&mut self, mut change: impl FnMut(usize, usize, &mut f64)) {
        for (j, ends) in self.record.starts.windows(2).enumerate() {
            let range = ends[0] as usize..ends[1] as usize;
            let values = self.values.get_mut(range.clone()).unwrap_or_default();
            for (&i, x) in self.record.rows[range].iter().zip(values) {
                change(i as usize, j, x);
            }
        }
    }

    /// The row and the value of each place, and where each column ends; nothing before the first writing.
    #[inline]
    fn by_ends(&self) -> (&[u32], &[f64], &[u32]) {
        let WritingRecord { starts, rows, .. } = &*self.record;
        match self.values.get(..rows.len()) {
            Some(values) => (rows, values, starts.get(1..).unwrap_or_default()),
            None => (&[], &[], &[]),
        }
    }

    /// (row, column, value) of every place.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.places().zip(&self.values).map(|((i, j), &x)| (i as usize, j as usize, x))
    }

    /// `out += scale · A x`.
    ///
    /// # Panics
    ///
    /// If a length is not that of the matrix.
    #[inline]
    pub fn multiply_add(&self, scale: f64, x: &[f64], out: &mut [f64]) {
        match scale == 1.0 {
            true => self.add_product(x, out, |value| value),
            false => self.add_product(x, out, |value| scale * value),
        }
    }

    #[inline(always)]
    fn add_product(&self, x: &[f64], out: &mut [f64], scaled: impl Fn(f64) -> f64) {
        let (rows, values, ends) = self.by_ends();
        let mut slot = 0;
        for (&end, x) in ends.iter().zip(&x[..ends.len()]) {
            let end = (end as usize).min(rows.len());
            // columns of M have one entry, those of rotations three
            if end == slot + 1 {
                out[rows[slot] as usize] += scaled(values[slot]) * x;
                slot = end;
                continue;
            }
            if end == slot + 3
                && let Some(&[i, j, k]) = rows[slot..].first_chunk()
                && let Some(&[a, b, c]) = values[slot..].first_chunk()
            {
                out[i as usize] += scaled(a) * x;
                out[j as usize] += scaled(b) * x;
                out[k as usize] += scaled(c) * x;
                slot = end;
                continue;
            }
            while slot < end {
                out[rows[slot] as usize] += scaled(values[slot]) * x;
                slot += 1;
            }
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
        let (rows, values, ends) = self.by_ends();
        let mut slot = 0;
        for (&end, out) in ends.iter().zip(&mut out[..ends.len()]) {
            while slot < (end as usize).min(rows.len()) {
                *out += scale * values[slot] * x[rows[slot] as usize];
                slot += 1;
            }
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
        let (i, j, gap) = self.asymmetries().max_by(|a, b| a.2.total_cmp(&b.2))?;
        (gap > 0.0).then(|| (i.min(j), i.max(j), gap / self.largest()))
    }

    /// (row, column, |a_ij − a_ji|) of every place of a square matrix.
    pub fn asymmetries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let mirrored =
            |i: usize, j: usize| self.record.locate(j, i).map_or(0.0, |slot| self.values[slot]);
        self.iter().map(move |(i, j, x)| (i, j, (x - mirrored(i, j)).abs()))
    }

    fn record(&mut self, row: usize, column: usize, value: f64) {
        let is_large = row.max(column) >= MAX_UNKNOWNS;
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
        let mut record = WritingRecord::new(self.columns, &tape);
        let mut values = vec![0.0; record.rows.len()];
        let mut written = self.values.iter();
        for (&slot, &(_, column)) in record.slots.iter().zip(&tape) {
            let count = if column & THREE_ROWS == 0 { 1 } else { 3 };
            for (value, x) in values[slot as usize..].iter_mut().take(count).zip(written.by_ref()) {
                *value += x;
            }
        }
        record.mark_blocks(&tape);
        self.values = values;
        self.record = Arc::new(record);
    }

    #[cold]
    fn add_by_search(&mut self, row: usize, column: usize, value: f64) {
        match self.record.locate(row, column) {
            Some(slot) => self.values[slot] += value,
            None => {
                let outside = row >= self.rows || column >= self.columns;
                self.fault.get_or_insert(EntryFault { row, column, outside });
            }
        }
    }
}
