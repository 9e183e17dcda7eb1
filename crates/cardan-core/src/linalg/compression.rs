//! Sorts the places of a sparse matrix.

/// The largest number of unknowns of a system.
pub const MAX_UNKNOWNS: usize = 50_000_000;
/// Marks the column of a place that stands for three: its row and the two below it.
pub(crate) const THREE_ROWS: u32 = 1 << 31;
/// Columns with more places are sorted by the standard library.
const MAX_INSERTION: usize = 32;

/// Distinct places by column, then row.
pub(crate) struct Compressed {
    /// Where each column begins.
    pub starts: Vec<u32>,
    /// The rows of each column, ascending.
    pub rows: Vec<u32>,
    /// The slot of each given place; of three rows that of the first, which the others follow.
    pub slots: Vec<u32>,
}

/// Sorts places by column and row, and removes repeated ones. The columns of places may be marked with [`THREE_ROWS`].
pub(crate) fn compress(columns: usize, places: &[(u32, u32)]) -> Compressed {
    let column_of = |j: u32| (j & !THREE_ROWS) as usize;
    let mut next = vec![0_u32; columns + 1];
    places.iter().for_each(|&(_, j)| next[column_of(j) + 1] += 1);
    for j in 0..columns {
        next[j + 1] += next[j];
    }
    // the row, the mark and the number of each place, by column
    let mut sorted = vec![0_u64; places.len()];
    let mut count = 0;
    for (k, &(i, j)) in places.iter().enumerate() {
        let next = &mut next[column_of(j)];
        let mark = j & THREE_ROWS;
        sorted[*next as usize] = u64::from(i) << 32 | u64::from(mark | k as u32);
        *next += 1;
        count += if mark == 0 { 1 } else { 3 };
    }
    let mut starts = Vec::with_capacity(columns + 1);
    let mut rows = vec![0_u32; count];
    let mut slots = vec![0_u32; places.len()];
    let (mut begin, mut count) = (0, 0_usize);
    for &end in &next[..columns] {
        let column = &mut sorted[begin..end as usize];
        begin = end as usize;
        sort(column);
        starts.push(count as u32);
        // the rows of the column up to this one, without it, are there
        let mut last = 0_u32;
        for &key in &*column {
            let (row, mark, k) =
                ((key >> 32) as u32, key as u32 & THREE_ROWS, key as u32 & !THREE_ROWS);
            let end = row + if mark == 0 { 1 } else { 3 };
            // rows before `last` are those of an interval that began at this row or before
            for i in row.max(last)..end {
                rows[count] = i;
                count += 1;
            }
            last = last.max(end);
            slots[k as usize] = (count - (last - row) as usize) as u32;
        }
    }
    starts.push(count as u32);
    rows.truncate(count);
    rows.shrink_to_fit();
    Compressed { starts, rows, slots }
}

/// Sorts a column, most of which are short and nearly sorted.
fn sort(column: &mut [u64]) {
    if column.len() > MAX_INSERTION {
        return column.sort_unstable();
    }
    for i in 1..column.len() {
        let key = column[i];
        let mut at = i;
        while at > 0 && column[at - 1] > key {
            column[at] = column[at - 1];
            at -= 1;
        }
        column[at] = key;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Single places and groups of three that overlap at random, in short and in long columns.
    #[test]
    fn slots_are_those_of_the_sorted_distinct_places() {
        let mut state = 1_u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        for trial in 0..500 {
            let (rows, columns) = (3 + below(60), 1 + below(5));
            let mut place = || {
                let column = below(columns) as u32;
                match below(2) {
                    0 => (below(rows) as u32, column),
                    _ => (below(rows - 2) as u32, column | THREE_ROWS),
                }
            };
            let places: Vec<(u32, u32)> = (0..trial % 200).map(|_| place()).collect();
            let found = compress(columns as usize, &places);
            let mut expected = BTreeSet::new();
            for &(i, j) in &places {
                let count = if j & THREE_ROWS == 0 { 1 } else { 3 };
                expected.extend((i..i + count).map(|i| (j & !THREE_ROWS, i)));
            }
            let expected: Vec<(u32, u32)> = expected.into_iter().collect();
            assert!(expected.iter().map(|place| place.1).eq(found.rows.iter().copied()));
            for (&(i, j), &slot) in places.iter().zip(&found.slots) {
                assert_eq!(expected[slot as usize], (j & !THREE_ROWS, i));
            }
            for (j, ends) in found.starts.windows(2).enumerate() {
                let column = ends[0] as usize..ends[1] as usize;
                assert!(expected[column].iter().all(|place| place.0 as usize == j));
            }
        }
    }
}
