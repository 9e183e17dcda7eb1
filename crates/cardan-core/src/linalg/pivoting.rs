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
    pub upper: Vec<Vec<u32>>,
    /// Rows of L below the diagonal, ascending.
    pub lower: Vec<Vec<u32>>,
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
    let mut lower: Vec<Vec<u32>> = Vec::with_capacity(n); // matrix rows until renumbered
    let mut lower_values: Vec<Vec<f64>> = Vec::with_capacity(n);
    let mut upper: Vec<Vec<u32>> = Vec::with_capacity(n);
    let mut x = vec![0.0; n];
    let mut search = Search::new(n);

    for (k, &column) in order.iter().enumerate() {
        let column = column as usize;
        // the rows this column will fill, dependencies first
        search.begin(k);
        for slot in pattern.column(column) {
            search.visit(pattern.rows()[slot], &position, &lower);
        }
        let mut largest_entry = 0.0_f64;
        for slot in pattern.column(column) {
            let row = pattern.rows()[slot] as usize;
            x[row] = values[slot] * scale[row];
            largest_entry = largest_entry.max(x[row].abs());
        }
        // eliminate with the earlier columns
        for &row in search.reached.iter().rev() {
            let j = position[row as usize];
            if j != NONE {
                let factor = x[row as usize];
                for (&i, l) in lower[j as usize].iter().zip(&lower_values[j as usize]) {
                    x[i as usize] -= l * factor;
                    largest_entry = largest_entry.max((l * factor).abs());
                }
            }
        }
        // choose the pivot among the rows that have none yet
        let candidates =
            || search.reached.iter().copied().filter(|&r| position[r as usize] == NONE);
        let row = match prescribed {
            Some(rows) => rows[k],
            None => {
                let size = |r: u32| x[r as usize].abs();
                let best = candidates()
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
        let below: Vec<u32> = candidates().filter(|&r| r != row).collect();
        lower_values.push(below.iter().map(|&r| x[r as usize] / pivot).collect());
        lower.push(below);
        upper.push(
            search.reached.iter().map(|&r| position[r as usize]).filter(|&j| j != NONE).collect(),
        );
        position[row as usize] = k as u32;
        pivot_rows.push(row);
        for &r in &search.reached {
            x[r as usize] = 0.0;
        }
    }

    for rows in &mut lower {
        for row in rows.iter_mut() {
            *row = position[*row as usize];
        }
        rows.sort_unstable();
    }
    upper.iter_mut().for_each(|rows| rows.sort_unstable());
    Ok(RowPivots { rows: pivot_rows, upper, lower })
}

/// Depth-first search through the columns of L that a new column depends on.
struct Search {
    mark: Vec<u32>,
    current: u32,
    stack: Vec<(u32, usize)>,
    /// Reached rows in post-order: reversed, every row comes before those it changes.
    reached: Vec<u32>,
}

impl Search {
    fn new(n: usize) -> Self {
        Self { mark: vec![NONE; n], current: 0, stack: Vec::new(), reached: Vec::new() }
    }

    fn begin(&mut self, k: usize) {
        self.current = k as u32;
        self.reached.clear();
    }

    fn visit(&mut self, start: u32, position: &[u32], lower: &[Vec<u32>]) {
        if self.mark[start as usize] == self.current {
            return;
        }
        self.mark[start as usize] = self.current;
        self.stack.push((start, 0));
        while let Some((row, next)) = self.stack.pop() {
            let j = position[row as usize];
            let children: &[u32] = if j == NONE { &[] } else { &lower[j as usize] };
            match children[next..].iter().position(|&c| self.mark[c as usize] != self.current) {
                Some(offset) => {
                    let child = children[next + offset];
                    self.mark[child as usize] = self.current;
                    self.stack.push((row, next + offset + 1));
                    self.stack.push((child, 0));
                }
                None => self.reached.push(row),
            }
        }
    }
}
