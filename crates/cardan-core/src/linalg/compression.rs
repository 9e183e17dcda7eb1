//! Sorts the places of a sparse matrix.

/// Distinct places by column, then row.
pub(crate) struct Compressed {
    /// Where each column begins.
    pub starts: Vec<usize>,
    /// The rows of each column, ascending.
    pub rows: Vec<u32>,
    /// The slot of each given place.
    pub slots: Vec<u32>,
}

/// Sorts places by column and row, and removes repeated ones. Two passes over the places, first by row, then by column,
/// take a time proportional to their number, and no search.
pub(crate) fn compress(rows: usize, columns: usize, places: &[(u32, u32)]) -> Compressed {
    // the places of each row, in the order given
    let mut row_starts = vec![0_u32; rows + 1];
    places.iter().for_each(|&(i, _)| row_starts[i as usize + 1] += 1);
    accumulate(&mut row_starts);
    let mut by_row = vec![0_u32; places.len()];
    for (k, &(i, _)) in places.iter().enumerate() {
        let next = &mut row_starts[i as usize];
        by_row[*next as usize] = k as u32;
        *next += 1;
    }
    // one entry for each distinct place: its row is appended to its column
    let mut seen = vec![u32::MAX; columns];
    let mut counts = vec![0_usize; columns + 1];
    for &k in &by_row {
        let (i, j) = places[k as usize];
        if std::mem::replace(&mut seen[j as usize], i) != i {
            counts[j as usize + 1] += 1;
        }
    }
    let mut starts = counts;
    accumulate(&mut starts);
    let mut next = starts.clone();
    let mut sorted_rows = vec![0_u32; starts[columns]];
    let mut slots = vec![0_u32; places.len()];
    seen.fill(u32::MAX);
    for &k in &by_row {
        let (i, j) = places[k as usize];
        let next = &mut next[j as usize];
        if std::mem::replace(&mut seen[j as usize], i) != i {
            sorted_rows[*next] = i;
            *next += 1;
        }
        slots[k as usize] = (*next - 1) as u32;
    }
    Compressed { starts, rows: sorted_rows, slots }
}

/// Replaces counts by their sums up to each.
fn accumulate<T: Copy + std::ops::AddAssign>(counts: &mut [T]) {
    for i in 1..counts.len() {
        let before = counts[i - 1];
        counts[i] += before;
    }
}
