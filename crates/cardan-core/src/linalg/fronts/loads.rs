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
        let follows: Vec<bool> = (0..position.len()).map(follows).collect();
        let unknowns = Unknowns { position, front_of: &front_of, row_position, follows: &follows };
        let used = (0..MAX_TERMS).filter(|term| self.used >> term & 1 == 1);
        let count: usize = used.clone().map(|term| terms[term].values.len()).sum();
        let mut found = FoundLoads::new(symbolic, count / 2);
        for term in used {
            let is_transposed = terms[term].is_transposed;
            let mut finder = Finder::new(unknowns, is_transposed, &mut found);
            matrix.visit(term, |entry| finder.add(entry));
            finder.finish();
            found.end_term(term);
        }
        // the loads before are not needed
        *self = Self { used: self.used, ..Self::default() };
        *self = found.sort(self.used);
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
    has_blocks: bool,
}

/// No entry.
const NOTHING: TermEntry = TermEntry { source: u32::MAX - 1, row: 0, column: 0, block_row: 0 };

/// Loads in the order of terms.
struct FoundLoads<'a> {
    symbolic: &'a Symbolic,
    loads: Vec<Load>,
    /// The front of each load, marked with [`BLOCKS`] if the load has a block.
    fronts: Vec<u32>,
    /// The terms, and where their loads end.
    terms: Vec<(u8, u32)>,
    /// The numbers of loads and of segments of each front; one for each change of the term or between loads with and
    /// without blocks.
    load_counts: Vec<u32>,
    segment_counts: Vec<u32>,
    last_kinds: Vec<u8>,
}

/// Marks the front of a load with a block.
const BLOCKS: u32 = 1 << 31;

impl<'a> FoundLoads<'a> {
    fn new(symbolic: &'a Symbolic, capacity: usize) -> Self {
        let fronts = symbolic.fronts.len();
        Self {
            symbolic,
            loads: Vec::with_capacity(capacity),
            fronts: Vec::with_capacity(capacity),
            terms: Vec::new(),
            load_counts: vec![0; fronts],
            segment_counts: vec![0; fronts],
            last_kinds: vec![u8::MAX; fronts],
        }
    }

    fn end_term(&mut self, term: usize) {
        self.terms.push((term as u8, self.loads.len() as u32));
    }

    #[inline]
    fn push(&mut self, load: &FoundLoad) {
        let f = load.front as usize;
        let front = &self.symbolic.fronts[f];
        let index = |position: u32| match position - front.first {
            own if own < front.pivots => own,
            _ => {
                let below = self.symbolic.below(front);
                front.pivots + below.partition_point(|&other| other < position) as u32
            }
        };
        let height = 4 * lanes(front.size()) as u32;
        let place = index(load.column) * height + index(load.row);
        let kind = 2 * self.terms.len() as u8 + u8::from(load.has_blocks);
        let last = std::mem::replace(&mut self.last_kinds[f], kind);
        self.load_counts[f] += 1;
        self.segment_counts[f] += u32::from(last != kind);
        let mark = if load.has_blocks { BLOCKS } else { 0 };
        self.fronts.push(f as u32 | mark);
        self.loads.push(Load { source: load.source, place, shape: load.shape });
    }

    /// The loads sorted by fronts.
    fn sort(self, used: u32) -> Loads {
        let Self { mut loads, mut fronts, terms, mut load_counts, mut segment_counts, .. } = self;
        // counts become the places of the next load and of the next segment
        let accumulate = |counts: &mut [u32]| {
            counts.iter_mut().fold(0, |sum, count| sum + std::mem::replace(count, sum))
        };
        accumulate(&mut load_counts);
        let segment_count = accumulate(&mut segment_counts);
        let none = Segment { term: u8::MAX, has_blocks: false, end: 0 };
        let mut segments = vec![none; segment_count as usize];
        let mut starts = segment_counts.clone();
        let mut start = 0;
        for (term, end) in terms {
            // the place of each load takes that of its front
            for place in &mut fronts[start..end as usize] {
                let (f, has_blocks) = ((*place & !BLOCKS) as usize, *place & BLOCKS != 0);
                let (at, next) = (&mut load_counts[f], &mut segment_counts[f]);
                *place = *at;
                *at += 1;
                let last = (*next > starts[f]).then(|| segments[*next as usize - 1]);
                let is_same = |x: Segment| x.term == term && x.has_blocks == has_blocks;
                *next += u32::from(!last.is_some_and(is_same));
                segments[*next as usize - 1] = Segment { term, has_blocks, end: *at };
            }
            start = end as usize;
        }
        // in place: a second list would be the largest part of the memory of the first factorization
        for k in 0..loads.len() {
            while fronts[k] as usize != k {
                let place = fronts[k] as usize;
                loads.swap(k, place);
                fronts.swap(k, place);
            }
        }
        loads.shrink_to_fit();
        // the segments of a front end where those of the next one begin
        let fronts = starts.len();
        starts.rotate_left(fronts.min(1));
        if let Some(last) = starts.last_mut() {
            *last = segment_count;
        }
        Loads { loads, segments, ends: starts, used }
    }
}

/// The positions of unknowns and of their rows.
#[derive(Clone, Copy)]
struct Unknowns<'a> {
    position: &'a [u32],
    front_of: &'a [u32],
    row_position: &'a [u32],
    /// Whether an unknown and its row follow those before them in the same front.
    follows: &'a [bool],
}

/// Finds neighbouring entries of a term.
struct Finder<'a, 'b> {
    unknowns: Unknowns<'a>,
    is_transposed: bool,
    /// The entry before, and the load to which it belongs.
    last: TermEntry,
    load: Option<FoundLoad>,
    found: &'a mut FoundLoads<'b>,
}

impl<'a, 'b> Finder<'a, 'b> {
    fn new(unknowns: Unknowns<'a>, is_transposed: bool, found: &'a mut FoundLoads<'b>) -> Self {
        Self { unknowns, is_transposed, last: NOTHING, load: None, found }
    }

    /// Adds the last load.
    fn finish(&mut self) {
        if let Some(load) = self.load.take() {
            self.found.push(&load);
        }
    }

    #[inline]
    fn add(&mut self, entry: TermEntry) {
        let last = std::mem::replace(&mut self.last, entry);
        let TermEntry { source, row, column, block_row } = entry;
        // most entries follow the one before them
        let (same, next, moved) = match self.is_transposed {
            true => (row == last.row, column == last.column + 1, column),
            false => (column == last.column, row == last.row + 1, row),
        };
        let Unknowns { position: p, front_of, follows, .. } = self.unknowns;
        if same
            && next
            && source == last.source.wrapping_add(1)
            && block_row == last.block_row
            && follows[moved as usize]
            && let Some(load) = &mut self.load
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
        if p[y] == p[x] + 1 && p[z] == p[x] + 2 && front_of[x] == front_of[z] {
            return self.push(source, row, column, ALL_COLUMNS << 4 | block_row << 6, true);
        }
        for k in 0..3 {
            self.push(source, row, column + k, k << 4 | block_row << 6, true);
        }
    }

    fn push(&mut self, source: u32, row: u32, column: u32, shape: u32, has_blocks: bool) {
        let (i, j) = (row as usize, column as usize);
        let Unknowns { position, front_of, row_position, .. } = self.unknowns;
        // an entry belongs to the front that eliminates the first of its unknowns
        let (row, column) = (position[i], position[j]);
        let front = front_of[if row < column { i } else { j }];
        // rows are exchanged in the front that eliminates them
        let row = if front_of[i] == front { row_position[i] } else { row };
        self.finish();
        self.load = Some(FoundLoad { front, source, row, column, shape: shape + 1, has_blocks });
    }
}
