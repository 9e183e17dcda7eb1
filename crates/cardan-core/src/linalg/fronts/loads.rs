//! The entries that each front takes from a matrix, which is a sum of terms. Neighbouring entries of a term go together.

use super::super::terms::{MAX_TERMS, MatrixTerms, NO_BLOCK, TermEntry, TermValues, used_terms};
use super::symbolic::Symbolic;
use crate::math::lane::lanes;

/// The largest number of entries in a load: four bits.
const MAX_COUNT: u32 = 15;
/// All three columns of a block: they are neighbours in the front.
const ALL_COLUMNS: u32 = 3;

/// Neighbouring entries of a term.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// The first of them among the values of the term.
    source: u32,
    /// Its place in the front.
    place: u32,
    /// Their number (4 bits), and in terms with blocks the column of the block or [`ALL_COLUMNS`] (2 bits) and the block row.
    shape: u32,
}

/// The loads of a front that belong to one term.
#[derive(Clone, Copy, Debug)]
struct Segment {
    term: u8,
    has_blocks: bool,
    end: u32,
}

/// The loads of all fronts.
#[derive(Default)]
pub(super) struct Loads {
    loads: Vec<Load>,
    segments: Vec<Segment>,
    /// Where the segments of each front end.
    ends: Vec<u32>,
    /// The terms that are included, as bits.
    used: u32,
}

/// The first segment and the first load that have not been used.
#[derive(Clone, Copy, Default)]
pub(super) struct LoadCursor {
    segment: usize,
    load: usize,
}

impl Loads {
    /// Whether all terms with factors are included.
    pub fn include(&self, terms: &[TermValues<'_>]) -> bool {
        !self.ends.is_empty() && used_terms(terms) & !self.used == 0
    }

    /// Discards the loads.
    pub fn clear(&mut self) {
        *self = Self { used: self.used, ..Self::default() };
    }

    /// Makes the loads of the terms included before and of those that have factors now, from the position of each unknown
    /// and that of its row.
    pub fn make(
        &mut self,
        symbolic: &Symbolic,
        matrix: &impl MatrixTerms,
        [position, row_position]: [&[u32]; 2],
    ) {
        let mut terms = [TermValues::default(); MAX_TERMS];
        matrix.fill_values(&mut terms);
        let mut front_of = vec![0_u32; position.len()];
        for (f, front) in symbolic.fronts.iter().enumerate() {
            let own = front.first as usize..(front.first + front.pivots) as usize;
            symbolic.order[own].iter().for_each(|&u| front_of[u as usize] = f as u32);
        }
        self.used |= used_terms(&terms);
        // whether an unknown and its row follow those before them in the same front
        let follows = |i: usize| {
            i > 0
                && position[i] == position[i - 1] + 1
                && row_position[i] == row_position[i - 1] + 1
                && front_of[i] == front_of[i - 1]
        };
        let count: usize = (0..MAX_TERMS)
            .filter(|term| self.used >> term & 1 == 1)
            .map(|term| terms[term].values.len())
            .sum();
        let mut finder = Finder {
            position,
            front_of: &front_of,
            row_position,
            follows: (0..position.len()).map(follows).collect(),
            term: 0,
            is_transposed: false,
            last: NOTHING,
            found: Vec::with_capacity(count / 2),
        };
        for term in (0..MAX_TERMS).filter(|term| self.used >> term & 1 == 1) {
            (finder.term, finder.is_transposed) = (term as u8, terms[term].is_transposed);
            finder.last = NOTHING;
            matrix.visit(term, |entry| finder.add(entry));
        }
        let found = std::mem::take(&mut finder.found);
        drop(finder);
        self.sort(symbolic, &found);
    }

    /// Sorts loads that are in the order of terms by fronts, and finds their places.
    fn sort(&mut self, symbolic: &Symbolic, found: &[FoundLoad]) {
        let count = symbolic.fronts.len();
        let mut starts = vec![0_u32; count + 1];
        found.iter().for_each(|load| starts[load.front as usize + 1] += 1);
        for f in 0..count {
            starts[f + 1] += starts[f];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0_u32; found.len()];
        for (k, load) in found.iter().enumerate() {
            let next = &mut next[load.front as usize];
            sorted[*next as usize] = k as u32;
            *next += 1;
        }
        drop(next);
        // the index of each position in the front in progress
        let mut index = vec![0_u32; symbolic.order.len()];
        *self = Self { used: self.used, ..Self::default() };
        self.loads.reserve_exact(found.len());
        self.ends.reserve_exact(count);
        for (f, front) in symbolic.fronts.iter().enumerate() {
            let own = front.first..front.first + front.pivots;
            for (k, position) in own.chain(symbolic.below(front).iter().copied()).enumerate() {
                index[position as usize] = k as u32;
            }
            let height = 4 * lanes(front.size()) as u32;
            let first = self.segments.len();
            for &k in &sorted[starts[f] as usize..starts[f + 1] as usize] {
                let load = &found[k as usize];
                let place = index[load.column as usize] * height + index[load.row as usize];
                self.loads.push(Load { source: load.source, place, shape: load.shape });
                let (term, has_blocks) = (load.term, load.has_blocks);
                let end = self.loads.len() as u32;
                match self.segments[first..].last_mut() {
                    Some(last) if last.term == term && last.has_blocks == has_blocks => {
                        last.end = end
                    }
                    _ => self.segments.push(Segment { term, has_blocks, end }),
                }
            }
            self.ends.push(self.segments.len() as u32);
        }
        self.segments.shrink_to_fit();
    }

    /// Adds the entries of a front, whose columns begin `height` values after each other, to it.
    #[inline(always)]
    pub fn add_to(
        &self,
        front: usize,
        cursor: &mut LoadCursor,
        terms: &[TermValues<'_>; MAX_TERMS],
        entries: &mut [f64],
        height: usize,
    ) {
        let end = self.ends[front] as usize;
        for segment in &self.segments[cursor.segment..end] {
            let loads = &self.loads[cursor.load..segment.end as usize];
            cursor.load = segment.end as usize;
            let TermValues { factor, values, blocks, is_transposed } = terms[segment.term as usize];
            if factor == 0.0 {
                continue;
            }
            if segment.has_blocks {
                for load in loads {
                    load.add_with_block(factor, values, blocks, entries, height);
                }
            } else if is_transposed {
                for &Load { source, place, shape } in loads {
                    let (source, mut place) = (source as usize, place as usize);
                    for x in &values[source..source + shape as usize] {
                        entries[place] += factor * x;
                        place += height;
                    }
                }
            } else {
                for &Load { source, place, shape } in loads {
                    let (source, place, count) = (source as usize, place as usize, shape as usize);
                    let values = &values[source..source + count];
                    if let &[x, y, z] = values {
                        add_three(entries, place, [x, y, z], factor);
                        continue;
                    }
                    let entries = entries[place..place + count].iter_mut();
                    for (entry, x) in entries.zip(values) {
                        *entry += factor * x;
                    }
                }
            }
        }
        cursor.segment = end;
    }
}

impl Load {
    #[inline(always)]
    fn add_with_block(
        &self,
        factor: f64,
        values: &[f64],
        blocks: &[crate::math::Matrix3],
        entries: &mut [f64],
        height: usize,
    ) {
        let (count, columns, block_row) =
            ((self.shape & 15) as usize, self.shape >> 4 & 3, self.shape as usize >> 6);
        let (block, row) = (&blocks[block_row / 4], block_row % 4);
        let (source, place) = (self.source as usize, self.place as usize);
        let values = &values[source..source + count];
        if let &[x, y, z] = values
            && columns == ALL_COLUMNS
        {
            let values = [factor * x, factor * y, factor * z];
            add_three(entries, place, values, block[(row, 0)]);
            add_three(entries, place + height, values, block[(row, 1)]);
            add_three(entries, place + 2 * height, values, block[(row, 2)]);
            return;
        }
        let first = if columns == ALL_COLUMNS { 0 } else { columns as usize };
        let last = if columns == ALL_COLUMNS { 2 } else { first };
        for column in first..=last {
            let (by, place) = (block[(row, column)], place + (column - first) * height);
            for (entry, x) in entries[place..place + count].iter_mut().zip(values) {
                *entry += factor * x * by;
            }
        }
    }
}

/// Adds three values times a number to neighbouring entries.
#[inline(always)]
fn add_three(entries: &mut [f64], place: usize, [x, y, z]: [f64; 3], by: f64) {
    if let [a, b, c, ..] = &mut entries[place..] {
        *a += x * by;
        *b += y * by;
        *c += z * by;
    }
}

/// A load whose front is known, but not its place in it.
struct FoundLoad {
    front: u32,
    source: u32,
    /// Positions.
    row: u32,
    column: u32,
    shape: u32,
    term: u8,
    has_blocks: bool,
}

/// No entry.
const NOTHING: TermEntry = TermEntry { source: u32::MAX - 1, row: 0, column: 0, block_row: 0 };

/// Collects neighbouring entries of a term.
struct Finder<'a> {
    position: &'a [u32],
    front_of: &'a [u32],
    row_position: &'a [u32],
    follows: Vec<bool>,
    term: u8,
    is_transposed: bool,
    /// The entry before.
    last: TermEntry,
    found: Vec<FoundLoad>,
}

impl Finder<'_> {
    #[inline]
    fn add(&mut self, entry: TermEntry) {
        let last = std::mem::replace(&mut self.last, entry);
        let TermEntry { source, row, column, block_row } = entry;
        // most entries follow the one before them
        let (same, next, moved) = match self.is_transposed {
            true => (row == last.row, column == last.column + 1, column),
            false => (column == last.column, row == last.row + 1, row),
        };
        if same
            && next
            && source == last.source.wrapping_add(1)
            && block_row == last.block_row
            && self.follows[moved as usize]
            && let Some(load) = self.found.last_mut()
            && load.shape & 15 < MAX_COUNT
            && (block_row == NO_BLOCK || load.shape >> 4 & 3 == ALL_COLUMNS)
        {
            load.shape += 1;
            return;
        }
        if block_row == NO_BLOCK {
            return self.push(source, row, column, 0, false);
        }
        let [x, y, z] = [0, 1, 2].map(|k| column as usize + k);
        let p = self.position;
        if p[y] == p[x] + 1 && p[z] == p[x] + 2 && self.front_of[x] == self.front_of[z] {
            return self.push(source, row, column, ALL_COLUMNS << 4 | block_row << 6, true);
        }
        for k in 0..3 {
            self.push(source, row, column + k, k << 4 | block_row << 6, true);
        }
    }

    fn push(&mut self, source: u32, row: u32, column: u32, shape: u32, has_blocks: bool) {
        let (i, j) = (row as usize, column as usize);
        // an entry belongs to the front that eliminates the first of its unknowns
        let (row, column) = (self.position[i], self.position[j]);
        let front = self.front_of[if row < column { i } else { j }];
        // rows are exchanged in the front that eliminates them
        let row = if self.front_of[i] == front { self.row_position[i] } else { row };
        let (term, shape) = (self.term, shape + 1);
        self.found.push(FoundLoad { front, source, row, column, shape, term, has_blocks });
    }
}
