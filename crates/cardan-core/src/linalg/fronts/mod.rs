//! LU factorization by dense fronts (multifrontal), on a fixed pattern.
//!
//! A front eliminates a group of unknowns: the coordinates of a body or the multipliers of a joint. It is a small dense
//! matrix over these unknowns and the later ones that they are coupled with. What remains of it after the elimination is
//! added to the front of its parent in the elimination tree:
//!
//! ```text
//! load entries of the matrix → add the updates of the children → factorize → keep L and U, pass the update on
//! ```
//! Rows are exchanged within a front only, and the choice is kept for later matrices until L grows too much. If no choice
//! gives usable pivots, as for a body without mass, the front is merged with its parent, in which there are more rows to
//! choose from. Rows are scaled by powers of two, so that the largest entry of each is near one when pivots are chosen.

mod dense;
mod lane;
mod symbolic;
#[cfg(test)]
mod tests;

use super::Pattern;
use dense::{eliminate, substitute_backward};
use lane::{Arithmetic, Computation, Lane, clear, copy, lanes, with_constant_width};
use symbolic::{Front, Load, Symbolic};

/// Fronts with more pivots are not merged further.
const MAX_MERGED: usize = 64;

/// The result of a factorization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FrontQuality {
    /// The largest entry of L.
    Growth(f64),
    /// Some fronts have no usable pivots.
    Failed,
}

/// Factors with the maps that fill them.
pub(crate) struct Fronts {
    symbolic: Symbolic,
    /// The matrix row at each position, its place, and its scale.
    rows: Vec<(u32, u32, f32)>,
    values: Vec<Lane>,
    inverse_pivots: Vec<f64>,
    /// The front in progress and the one before it.
    fronts: [Vec<Lane>; 2],
    /// Updates that wait for their parents.
    stack: Vec<f64>,
    /// The fronts of these updates, and whether all fronts before them had usable pivots.
    waiting: Vec<(u32, bool)>,
    magnitudes: Vec<f64>,
    /// The right-hand side by place, and the part of one front.
    solution: Vec<Lane>,
    part: Vec<Lane>,
    /// The fronts that failed last.
    failed: Vec<u32>,
}

impl Fronts {
    /// The fronts of blocks in the order of elimination; `merged` blocks are eliminated with their parents. Pivots must be
    /// chosen or set before a factorization.
    pub fn new(pattern: &Pattern, blocks: &[&[u32]], merged: &[u32]) -> Self {
        Self {
            symbolic: Symbolic::new(pattern, blocks, merged),
            rows: Vec::new(),
            values: Vec::new(),
            inverse_pivots: Vec::new(),
            fronts: [Vec::new(), Vec::new()],
            stack: Vec::new(),
            waiting: Vec::new(),
            magnitudes: Vec::new(),
            solution: Vec::new(),
            part: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// The number of values of the factors and of the work storage.
    pub fn entries(&self) -> usize {
        let Symbolic { value_count, largest_front, stack_length, .. } = self.symbolic;
        4 * value_count + 8 * largest_front * lanes(largest_front) + stack_length
    }

    /// Multiplications and additions of a factorization and of a solution, and the bytes of the factors.
    pub fn operations(&self) -> [u64; 3] {
        let (mut factorization, mut solution) = (0, 0);
        for front in &self.symbolic.fronts {
            let (n, size) = (u64::from(front.pivots), front.size() as u64);
            factorization += (0..n).map(|k| 2 * (size - k - 1).pow(2) + size - k - 1).sum::<u64>();
            solution += 2 * n * (2 * size - n);
        }
        [factorization, solution, 32 * self.symbolic.value_count as u64]
    }

    /// The cost of a factorization, with tangents in proportion, over that of a solution and a residual.
    pub fn cost_ratio(&self) -> f64 {
        self.symbolic.cost_ratio
    }

    /// The matrix row at each position.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|(row, ..)| *row)
    }

    /// Whether a choice of rows fits: each front has the rows of its own unknowns.
    pub fn has_rows(&self, rows: &[u32]) -> bool {
        let order = &self.symbolic.order;
        let mut seen = vec![false; order.len()];
        rows.len() == order.len()
            && self.symbolic.fronts.iter().all(|front| {
                let own = front.first as usize..(front.first + front.pivots) as usize;
                order[own.clone()].iter().for_each(|&u| seen[u as usize] = true);
                rows[own].iter().all(|&row| seen.get_mut(row as usize).is_some_and(std::mem::take))
            })
    }

    /// Sets the matrix row at each position and the scale of each matrix row.
    pub fn set_pivots(&mut self, pattern: &Pattern, rows: &[u32], scale: &[f32]) {
        self.symbolic.set_rows(pattern, rows, scale);
        let places = rows.iter().zip(&self.symbolic.places);
        self.rows = places.map(|(&row, &place)| (row, place, scale[row as usize])).collect();
        if self.values.is_empty() {
            self.allocate();
        }
    }

    /// Chooses the rows for a matrix, scaled by powers of two.
    pub fn choose_pivots(&mut self, pattern: &Pattern, values: &[f64], scale: &[f32]) {
        let order = self.symbolic.order.clone();
        self.set_pivots(pattern, &order, scale);
        let mut exchanges = vec![0; order.len()];
        lane::run(Sweep { fronts: self, values, growth_limit: 0.0, exchanges: &mut exchanges });
        let mut rows = order;
        let mut has_exchanges = false;
        for front in &self.symbolic.fronts {
            let first = front.first as usize;
            for k in first..first + front.pivots as usize {
                let other = first + exchanges[k] as usize;
                has_exchanges |= other != k;
                rows.swap(k, other);
            }
        }
        if has_exchanges {
            self.set_pivots(pattern, &rows, scale);
        }
    }

    fn allocate(&mut self) {
        let Symbolic { value_count, largest_front, stack_length, lane_count, ref order, .. } =
            self.symbolic;
        let n = order.len();
        let front = vec![[0.0; 4]; largest_front * lanes(largest_front)];
        self.values = vec![[0.0; 4]; value_count];
        self.inverse_pivots = vec![0.0; n];
        self.fronts = [front.clone(), front];
        self.stack = vec![0.0; stack_length];
        self.waiting = Vec::with_capacity(self.symbolic.fronts.len());
        self.magnitudes = vec![0.0; largest_front];
        self.solution = vec![[0.0; 4]; lane_count];
        self.part = vec![[0.0; 4]; lanes(largest_front)];
    }

    /// The blocks that failed last and whose fronts may be merged with their parents; `None` if that is not possible.
    pub fn blocks_to_merge(&self) -> Option<Vec<u32>> {
        let fronts = || self.failed.iter().map(|&f| &self.symbolic.fronts[f as usize]);
        let is_possible = fronts().all(|f| f.below > 0 && (f.pivots as usize) < MAX_MERGED);
        is_possible.then(|| fronts().map(|f| f.block).collect())
    }

    /// Factorizes a matrix. Fronts whose L grows above `growth_limit` fail.
    pub fn factorize(&mut self, values: &[f64], growth_limit: f64) -> FrontQuality {
        lane::run(Sweep { fronts: self, values, growth_limit, exchanges: &mut [] })
    }

    /// Solves A x = b in place with the matrix factorized last.
    pub fn solve(&mut self, b: &mut [f64]) {
        lane::run(Substitution { fronts: self, b });
    }
}

/// The elimination of all fronts. If there are `exchanges` to fill, pivots are chosen and no factors are kept.
struct Sweep<'a> {
    fronts: &'a mut Fronts,
    values: &'a [f64],
    growth_limit: f64,
    exchanges: &'a mut [u32],
}

impl Computation for Sweep<'_> {
    type Output = FrontQuality;

    #[inline(always)]
    fn with<A: Arithmetic>(self, arithmetic: A) -> FrontQuality {
        let Self { fronts: storage, values, growth_limit, exchanges } = self;
        storage.failed.clear();
        storage.waiting.clear();
        let Symbolic { fronts, load, parent_columns, parent_rows, .. } = &storage.symbolic;
        let (mut loaded, mut stacked, mut growth) = (0, 0, 0.0_f64);
        for (index, front) in fronts.iter().enumerate() {
            let (n, m, size) = (front.pivots as usize, front.below as usize, front.size());
            let (first, width) = (front.first as usize, lanes(size));
            // the front before this one may be its child, whose update is still there
            let [work, previous] = &mut storage.fronts;
            std::mem::swap(work, previous);
            let work = &mut work[..size * width];
            work.fill([0.0; 4]);
            let entries = work.as_flattened_mut();
            for &Load { slot, place, scale } in &load[loaded..front.load_end] {
                entries[place as usize] = values[slot as usize] * f64::from(scale);
            }
            loaded = front.load_end;
            let magnitudes = &mut storage.magnitudes[..n];
            for (k, magnitude) in magnitudes.iter_mut().enumerate() {
                *magnitude = entries[k * 4 * width + k].abs();
            }
            let mut is_usable = true;
            for _ in 0..front.children {
                let Some((child, is_child_usable)) = storage.waiting.pop() else { break };
                let child = &fronts[child as usize];
                let m = child.below as usize;
                let places = child.rows..child.rows + m;
                let (columns, rows) = (&parent_columns[places.clone()], &parent_rows[places]);
                let update = match child.precedes_parent {
                    true => Update::of_front(child, previous),
                    false => {
                        stacked -= m * m;
                        Update { values: &storage.stack[stacked..stacked + m * m], width: m }
                    }
                };
                update.add(columns, rows, entries, 4 * width, magnitudes);
                is_usable &= is_child_usable;
            }
            let [lower, upper] = front.value_counts();
            let factors = &mut storage.values[front.values..front.values + lower + upper];
            let (lower, upper) = factors.split_at_mut(lower);
            if exchanges.is_empty() {
                let inverse_pivots = &mut storage.inverse_pivots[first..first + n];
                let factors = [lower, upper];
                let found = with_constant_width!(
                    width,
                    dense::factorize(arithmetic, work, width, magnitudes, factors, inverse_pivots)
                );
                match found {
                    Some(found) if found <= growth_limit => growth = growth.max(found),
                    // nothing is known of a front if one before it failed
                    _ if is_usable => {
                        storage.failed.push(index as u32);
                        is_usable = false;
                    }
                    _ => {}
                }
            } else {
                let exchanges = &mut exchanges[first..first + n];
                dense::choose_pivots(arithmetic, work, width, lower, exchanges);
            }
            storage.waiting.push((index as u32, is_usable));
            if !front.precedes_parent && m > 0 {
                let columns = work[width * n..].chunks_exact(width);
                let update = storage.stack[stacked..stacked + m * m].chunks_exact_mut(m);
                for (update, column) in update.zip(columns) {
                    update.copy_from_slice(&column.as_flattened()[n..n + m]);
                }
                stacked += m * m;
            }
        }
        match storage.failed.is_empty() {
            true => FrontQuality::Growth(growth),
            false => FrontQuality::Failed,
        }
    }
}

/// Forward and backward substitution.
struct Substitution<'a> {
    fronts: &'a mut Fronts,
    b: &'a mut [f64],
}

impl Computation for Substitution<'_> {
    type Output = ();

    #[inline(always)]
    fn with<A: Arithmetic>(self, arithmetic: A) {
        let Self { fronts: storage, b } = self;
        let Fronts { symbolic, values, inverse_pivots, solution, part, rows, .. } = storage;
        solution.fill([0.0; 4]);
        let values_of = solution.as_flattened_mut();
        for &(row, place, scale) in rows.iter() {
            values_of[place as usize] = b[row as usize] * f64::from(scale);
        }
        let Symbolic { fronts, below_places, below_rows, order, places, .. } = symbolic;
        for front in fronts.iter() {
            let (n, lane) = (front.pivots as usize, front.lane as usize);
            let (width, height) = (lanes(front.size()), lanes(n));
            let rows = &below_rows[front.rows..front.rows + front.below as usize];
            let lower = &values[front.values..front.values + width * n];
            let part = &mut part[..width];
            let own = &mut solution[lane..lane + height];
            with_constant_width!(width, {
                let part = &mut part[..width];
                copy(&mut part[..height], own);
                clear(&mut part[height..]);
                eliminate(arithmetic, part, lower);
                copy(own, &part[..height]);
            });
            let changes = &part.as_flattened()[n..];
            let solution = solution.as_flattened_mut();
            for (&row, x) in rows.iter().zip(changes) {
                solution[row as usize] += x;
            }
        }
        for front in fronts.iter().rev() {
            let (n, first, lane) =
                (front.pivots as usize, front.first as usize, front.lane as usize);
            let below = &below_places[front.rows..front.rows + front.below as usize];
            let [lower, upper] = front.value_counts();
            let upper = &values[front.values + lower..front.values + lower + upper];
            let inverses = &inverse_pivots[first..first + n];
            let height = lanes(n);
            with_constant_width!(height, {
                let own = &mut part[..height];
                copy(own, &solution[lane..lane + height]);
                let solved = solution.as_flattened();
                substitute_backward(arithmetic, own, upper, below, solved, inverses);
                copy(&mut solution[lane..lane + height], own);
            });
        }
        let solution = solution.as_flattened();
        for (&place, &unknown) in places.iter().zip(order.iter()) {
            b[unknown as usize] = solution[place as usize];
        }
    }
}

/// What a front passes on to its parent: columns that begin `width` values after each other.
struct Update<'a> {
    values: &'a [f64],
    width: usize,
}

impl<'a> Update<'a> {
    /// The update that is left in a front.
    #[inline(always)]
    fn of_front(front: &Front, work: &'a [Lane]) -> Self {
        let (width, first) = (4 * lanes(front.size()), front.pivots as usize);
        Self { values: &work.as_flattened()[first * width + first..], width }
    }

    /// Adds it to a front, and its diagonal entries to the magnitudes.
    #[inline(always)]
    fn add(
        &self,
        columns: &[u32],
        rows: &[u32],
        front: &mut [f64],
        width: usize,
        magnitudes: &mut [f64],
    ) {
        let m = rows.len();
        for (j, &column) in columns.iter().enumerate() {
            let column = column as usize;
            let target = &mut front[column * width..(column + 1) * width];
            let values = &self.values[j * self.width..j * self.width + m];
            for (&row, x) in rows.iter().zip(values) {
                target[row as usize] += x;
            }
            if let Some(magnitude) = magnitudes.get_mut(column) {
                *magnitude = magnitude.max(values[j].abs());
            }
        }
    }
}
