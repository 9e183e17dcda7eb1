//! The first factorization: choose the pivots, and with them the pattern of L and U.
//!
//! Left-looking sparse LU (Gilbert and Peierls) on given columns. The diagonal is preferred unless
//! it is much smaller than the largest candidate: such pivots stay good while the matrix changes.

use super::Pattern;

/// The diagonal is taken if it reaches this fraction of the largest candidate.
const DIAGONAL_PREFERENCE: f64 = 1e-3;
/// A pivot this far below its column (rows equilibrated) counts as zero.
pub(crate) const ZERO_PIVOT: f64 = 64.0 * f64::EPSILON;
const NONE: u32 = u32::MAX;

/// The column without a usable pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ZeroPivot {
    pub column: usize,
}

/// Pivot rows and the patterns they imply. Column k of L and U belongs to matrix column `order[k]`;
/// rows are numbered by the position at which they were chosen.
pub(crate) struct RowPivots {
    pub rows: Vec<u32>,
    /// Rows of U above the diagonal, ascending.
    pub upper: Columns,
    /// Rows of L below the diagonal, ascending.
    pub lower: Columns,
}

/// Lists of rows, one for each column.
pub(crate) struct Columns {
    rows: Vec<u32>,
    starts: Vec<usize>,
}

impl Columns {
    /// No columns, with space for as many as the pattern has, without fill.
    fn new(pattern: &Pattern) -> Self {
        let mut starts = Vec::with_capacity(pattern.size() + 1);
        starts.push(0);
        Self { rows: Vec::with_capacity(pattern.nonzeros() / 2), starts }
    }

    fn push(&mut self, rows: impl Iterator<Item = u32>) {
        self.rows.extend(rows);
        self.starts.push(self.rows.len());
    }

    fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    fn sort(&mut self) {
        for ends in self.starts.windows(2) {
            self.rows[ends[0]..ends[1]].sort_unstable();
        }
    }
}

impl std::ops::Index<usize> for Columns {
    type Output = [u32];

    fn index(&self, column: usize) -> &[u32] {
        &self.rows[self.range(column)]
    }
}

/// Chooses pivots for the values given (rows scaled by `scale`), or follows `prescribed` ones.
pub(crate) fn choose(
    pattern: &Pattern,
    order: &[u32],
    values: &[f64],
    scale: &[f64],
    prescribed: Option<&[u32]>,
) -> Result<RowPivots, ZeroPivot> {
    let n = pattern.size();
    let mut position = vec![NONE; n]; // of a matrix row among the pivots
    let mut pivot_rows = Vec::with_capacity(n);
    let mut lower = Columns::new(pattern); // matrix rows until renumbered
    let mut lower_values: Vec<f64> = Vec::with_capacity(pattern.nonzeros() / 2);
    let mut largest_below = Vec::with_capacity(n); // the largest value of each column of L
    let mut upper = Columns::new(pattern);
    let mut x = vec![0.0; n];
    let mut search = Search::new(n);

    for (k, &column) in order.iter().enumerate() {
        let column = column as usize;
        // the rows this column will fill
        search.begin(k);
        let slots = pattern.column(column);
        for &row in &pattern.rows()[slots.clone()] {
            search.visit(row, &position, &lower);
        }
        let mut largest_entry = 0.0_f64;
        for (&row, value) in pattern.rows()[slots.clone()].iter().zip(&values[slots]) {
            let entry = value * scale[row as usize];
            x[row as usize] = entry;
            largest_entry = largest_entry.max(entry.abs());
        }
        // eliminate with the earlier columns
        for &row in search.chosen.iter().rev() {
            let (factor, earlier) = (x[row as usize], position[row as usize] as usize);
            let range = lower.range(earlier);
            for (&i, l) in lower.rows[range.clone()].iter().zip(&lower_values[range]) {
                x[i as usize] -= l * factor;
            }
            largest_entry = largest_entry.max(largest_below[earlier] * factor.abs());
        }
        // choose the pivot among the rows that have none yet
        let row = match prescribed {
            Some(rows) => rows[k],
            None => {
                let size = |r: u32| x[r as usize].abs();
                let candidates = search.candidates.iter().copied();
                let best = candidates
                    .reduce(|a, b| if size(b) > size(a) { b } else { a })
                    .filter(|&r| size(r) > ZERO_PIVOT * largest_entry)
                    .ok_or(ZeroPivot { column })?;
                let diagonal = column as u32;
                let preferred =
                    position[column] == NONE && size(diagonal) >= DIAGONAL_PREFERENCE * size(best);
                if preferred { diagonal } else { best }
            }
        };
        let pivot = x[row as usize];
        let below = || search.candidates.iter().copied().filter(|&r| r != row);
        lower_values.extend(below().map(|r| x[r as usize] / pivot));
        lower.push(below());
        let largest =
            lower_values[lower.range(k)].iter().fold(0.0_f64, |most, l| most.max(l.abs()));
        largest_below.push(largest);
        upper.push(search.chosen.iter().map(|&r| position[r as usize]));
        position[row as usize] = k as u32;
        pivot_rows.push(row);
        for &r in search.chosen.iter().chain(&search.candidates) {
            x[r as usize] = 0.0;
        }
    }

    lower.rows.iter_mut().for_each(|row| *row = position[*row as usize]);
    lower.sort();
    upper.sort();
    Ok(RowPivots { rows: pivot_rows, upper, lower })
}

/// Depth-first search through the columns of L that a new column depends on.
struct Search {
    mark: Vec<u32>,
    current: u32,
    /// Rows of earlier pivots, with the entries of their columns of L that are not visited yet.
    stack: Vec<(u32, std::ops::Range<usize>)>,
    /// Reached rows of earlier pivots in post-order: reversed, every row comes before those it changes.
    chosen: Vec<u32>,
    /// Reached rows without a pivot.
    candidates: Vec<u32>,
}

impl Search {
    fn new(n: usize) -> Self {
        let (stack, chosen, candidates) = (Vec::new(), Vec::new(), Vec::new());
        Self { mark: vec![NONE; n], current: 0, stack, chosen, candidates }
    }

    fn begin(&mut self, k: usize) {
        self.current = k as u32;
        self.chosen.clear();
        self.candidates.clear();
    }

    fn visit(&mut self, start: u32, position: &[u32], lower: &Columns) {
        self.reach(start, position, lower);
        while let Some((row, rest)) = self.stack.last_mut() {
            let row = *row;
            match rest.next() {
                Some(at) => self.reach(lower.rows[at], position, lower),
                None => {
                    self.stack.pop();
                    self.chosen.push(row);
                }
            }
        }
    }

    #[inline]
    fn reach(&mut self, row: u32, position: &[u32], lower: &Columns) {
        if std::mem::replace(&mut self.mark[row as usize], self.current) == self.current {
            return;
        }
        match position[row as usize] {
            NONE => self.candidates.push(row),
            j => self.stack.push((row, lower.range(j as usize))),
        }
    }
}
