//! LU refactorization on a fixed pattern with fixed pivots: most of the time of a step is spent here.
//!
//! Column k of the factors is stored contiguously: U above the diagonal, the pivot, L below.
//! For small and medium mechanisms every single update is precomputed (the scatter map), which saves the
//! overhead of very short loops; larger factors use a work column instead, with the same arithmetic
//! in the same order. Bodies and beams leave runs of neighbouring rows there, which need no indices.

use super::Pattern;
use super::pivoting::{RowPivots, ZERO_PIVOT};

/// Above this many updates a work column is as fast, and needs no memory for the map.
const MAX_MAP: usize = 1 << 12;

/// `values[target] -= values[factor] · values[source]`, column by column.
struct Scatter {
    /// [target, factor, source].
    updates: Vec<[u32; 3]>,
    /// Where the updates of each column end.
    ends: Vec<usize>,
}

/// Entries of the factors in neighbouring rows of one column.
#[derive(Clone, Copy)]
struct Run {
    /// Index of the first among the values.
    first: u32,
    /// Its row.
    row: u32,
    length: u32,
}

/// The runs of every column.
struct Runs {
    all: Vec<Run>,
    starts: Vec<u32>,
}

impl Runs {
    /// Of the ranges of values, one per column.
    fn new(rows: &[u32], ranges: impl Iterator<Item = std::ops::Range<usize>>) -> Self {
        let (mut all, mut starts): (Vec<Run>, Vec<u32>) = (Vec::new(), vec![0]);
        for range in ranges {
            let first = all.len();
            for at in range {
                match all[first..].last_mut() {
                    Some(run) if run.row + run.length == rows[at] => run.length += 1,
                    _ => all.push(Run { first: at as u32, row: rows[at], length: 1 }),
                }
            }
            starts.push(all.len() as u32);
        }
        Self { all, starts }
    }

    /// `work −= factor · column` over the runs of a column.
    #[inline(always)]
    fn subtract(&self, column: usize, factor: f64, values: &[f64], work: &mut [f64]) {
        let runs = self.starts[column] as usize..self.starts[column + 1] as usize;
        for run in &self.all[runs] {
            let (first, row, length) = (run.first as usize, run.row as usize, run.length as usize);
            let (from, to) = (&values[first..first + length], &mut work[row..row + length]);
            for (to, from) in to.iter_mut().zip(from) {
                *to -= factor * from;
            }
        }
    }
}

/// The result of a refactorization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Quality {
    /// The largest entry of L.
    Growth(f64),
    /// A pivot was zero or not finite.
    Failed,
}

/// Factors P R A Q = L U with their maps.
pub(crate) struct LuFactors {
    pub pivot_rows: Vec<u32>,
    order: Vec<u32>,
    starts: Vec<usize>,
    diagonal: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    inverse_pivots: Vec<f64>,
    /// Slot in the factors of every slot of the matrix.
    load: Vec<u32>,
    /// Every single update of a column, in order of execution.
    scatter: Option<Scatter>,
    /// Below and above the diagonal.
    lower: Runs,
    upper: Runs,
    work: Vec<f64>,
}

impl LuFactors {
    pub fn new(pattern: &Pattern, order: &[u32], pivots: RowPivots) -> Self {
        let n = pattern.size();
        let mut position = vec![0_u32; n];
        for (k, &row) in pivots.rows.iter().enumerate() {
            position[row as usize] = k as u32;
        }
        let (mut starts, mut diagonal, mut rows) = (vec![0], Vec::with_capacity(n), Vec::new());
        for k in 0..n {
            rows.extend_from_slice(&pivots.upper[k]);
            diagonal.push(rows.len());
            rows.push(k as u32);
            rows.extend_from_slice(&pivots.lower[k]);
            starts.push(rows.len());
        }
        let find = |k: usize, row: u32| -> u32 {
            let column = &rows[starts[k]..starts[k + 1]];
            column.binary_search(&row).map_or(0, |at| at as u32)
        };
        let mut load = vec![0; pattern.nonzeros()];
        for (k, &column) in order.iter().enumerate() {
            for slot in pattern.column(column as usize) {
                let row = position[pattern.rows()[slot] as usize];
                load[slot] = starts[k] as u32 + find(k, row);
            }
        }
        let updates = |k: usize| rows[starts[k]..diagonal[k]].iter().map(|&j| j as usize);
        let below = |j: usize| diagonal[j] + 1..starts[j + 1];
        let count: usize = (0..n).flat_map(updates).map(|j| below(j).len()).sum();
        let scatter = (count <= MAX_MAP).then(|| {
            let (mut all, mut ends) = (Vec::with_capacity(count), Vec::with_capacity(n));
            for k in 0..n {
                for u in starts[k]..diagonal[k] {
                    let target = |l: usize| starts[k] as u32 + find(k, rows[l]);
                    all.extend(below(rows[u] as usize).map(|l| [target(l), u as u32, l as u32]));
                }
                ends.push(all.len());
            }
            Scatter { updates: all, ends }
        });
        let lower = Runs::new(&rows, (0..n).map(below));
        let upper = Runs::new(&rows, (0..n).map(|k| starts[k]..diagonal[k]));
        Self {
            lower,
            upper,
            pivot_rows: pivots.rows,
            order: order.to_vec(),
            values: vec![0.0; rows.len()],
            inverse_pivots: vec![0.0; n],
            work: vec![0.0; n],
            starts,
            diagonal,
            rows,
            load,
            scatter,
        }
    }

    /// Factorizes new values, rows scaled by `scale`.
    pub fn refactorize(&mut self, pattern: &Pattern, values: &[f64], scale: &[f64]) -> Quality {
        self.values.fill(0.0);
        for ((&slot, &value), &row) in self.load.iter().zip(values).zip(pattern.rows()) {
            self.values[slot as usize] = value * scale[row as usize];
        }
        let scatter = self.scatter.take();
        let mut growth = 0.0_f64;
        let mut sound = true;
        let mut begin = 0;
        for k in 0..self.diagonal.len() {
            match &scatter {
                Some(Scatter { updates, ends }) => {
                    for &[target, factor, source] in &updates[begin..ends[k]] {
                        self.values[target as usize] -=
                            self.values[factor as usize] * self.values[source as usize];
                    }
                    begin = ends[k];
                }
                None => self.update_by_work_column(k),
            }
            // a pivot far below its column is the remainder of a cancellation
            let above = &self.values[self.starts[k]..self.diagonal[k]];
            let largest = above.iter().fold(0.0_f64, |m, x| if x.abs() > m { x.abs() } else { m });
            let pivot = self.values[self.diagonal[k]];
            let inverse = 1.0 / pivot;
            sound &= inverse.is_finite() && pivot.abs() > ZERO_PIVOT * largest;
            self.inverse_pivots[k] = inverse;
            for l in &mut self.values[self.diagonal[k] + 1..self.starts[k + 1]] {
                *l *= inverse;
                if l.abs() > growth {
                    growth = l.abs();
                }
            }
        }
        self.scatter = scatter;
        if sound && growth.is_finite() { Quality::Growth(growth) } else { Quality::Failed }
    }

    #[inline(always)]
    fn update_by_work_column(&mut self, k: usize) {
        let start = self.starts[k];
        let (earlier, column) = self.values.split_at_mut(start);
        let rows = &self.rows[start..self.starts[k + 1]];
        for (&row, &value) in rows.iter().zip(column.iter()) {
            self.work[row as usize] = value;
        }
        for &j in &self.rows[start..self.diagonal[k]] {
            let factor = self.work[j as usize];
            self.lower.subtract(j as usize, factor, earlier, &mut self.work);
        }
        for (&row, value) in rows.iter().zip(column) {
            *value = self.work[row as usize];
        }
    }

    /// How many pivots are negative.
    pub fn negative_pivots(&self) -> usize {
        self.inverse_pivots.iter().filter(|x| **x < 0.0).count()
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, scale: &[f64], b: &mut [f64]) {
        let y = &mut self.work;
        for (yk, &row) in y.iter_mut().zip(&self.pivot_rows) {
            *yk = b[row as usize] * scale[row as usize];
        }
        for k in 0..y.len() {
            let yk = y[k];
            self.lower.subtract(k, yk, &self.values, y);
        }
        for k in (0..y.len()).rev() {
            let yk = y[k] * self.inverse_pivots[k];
            b[self.order[k] as usize] = yk;
            self.upper.subtract(k, yk, &self.values, y);
        }
    }
}
