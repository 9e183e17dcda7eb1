//! LU factorization by dense fronts (multifrontal), on a fixed pattern.
//!
//! A front eliminates a group of unknowns: the coordinates of a body or the multipliers of a joint. It is a small dense
//! matrix over these unknowns and the later ones that they are coupled with. What remains of it after the elimination is
//! added to the front of its parent in the elimination tree:
//!
//! ```text
//! load entries of the terms → add the updates of the children → factorize → keep L and U, pass the update on
//! ```
//! Rows are exchanged within a front only, and the choice is kept for later matrices until L grows too much. If no choice
//! gives usable pivots, as for a body without mass, the front is merged with its parent, in which there are more rows to
//! choose from. Rows are scaled by powers of two, so that the largest entry of each is near one when pivots are chosen.

mod dense;
mod loads;
mod symbolic;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::group_graph::GroupGraph;
use super::terms::{MAX_TERMS, MatrixTerms, TermValues};
use crate::math::lane::{
    self, Arithmetic, Computation, Lane, clear, copy, lanes, with_constant_sizes,
    with_constant_width,
};
use dense::{eliminate, substitute_backward};
use loads::{LoadCursor, Loads};
use symbolic::{Front, Symbolic};

/// Fronts with more pivots are not merged further.
const MAX_MERGED: usize = 64;
/// Scales of rows are within two to the plus and minus this power.
pub(super) const EXPONENT_LIMIT: i16 = 120;

/// The result of a factorization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FrontQuality {
    /// The largest product of an entry of L and one of U.
    Growth(f64),
    /// Some fronts have no usable pivots.
    Failed,
}

/// The fronts of a graph, without the entries of a matrix; solvers share them.
#[derive(Clone)]
pub(crate) struct FrontTree(Arc<Symbolic>);

impl FrontTree {
    /// The fronts of groups in the order of elimination; those with the numbers `merged` in this order are eliminated with
    /// their parents.
    pub fn new(graph: &GroupGraph, blocks: &[u32], merged: &[u32]) -> Self {
        Self(Arc::new(Symbolic::new(graph, blocks, merged)))
    }

    /// The number of values of the factors and of the work storage.
    pub fn entries(&self) -> usize {
        let Symbolic { value_count, largest_front, stack_length, .. } = *self.0;
        4 * value_count + 8 * largest_front * lanes(largest_front) + stack_length
    }
}

/// Rows that are exchanged within fronts.
struct Exchanges {
    /// The matrix row at each position.
    rows: Vec<u32>,
    /// Positions of the rows below the pivots, their places, and the row of each in the parent front.
    below: Vec<u32>,
    below_rows: Vec<u32>,
    parent_rows: Vec<u32>,
}

/// Factors with the loads that fill them.
pub(crate) struct Fronts {
    symbolic: Arc<Symbolic>,
    loads: Loads,
    /// `None` if every row is that of its unknown.
    exchanges: Option<Exchanges>,
    /// The scale of the row at each position, a power of two.
    scales: Vec<f64>,
    values: Vec<Lane>,
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
    /// Factors without values. Pivots must be chosen or set before a factorization.
    pub fn new(tree: &FrontTree) -> Self {
        Self {
            symbolic: Arc::clone(&tree.0),
            loads: Loads::default(),
            exchanges: None,
            scales: Vec::new(),
            values: Vec::new(),
            fronts: [Vec::new(), Vec::new()],
            stack: Vec::new(),
            waiting: Vec::new(),
            magnitudes: Vec::new(),
            solution: Vec::new(),
            part: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// Fronts without values in the memory of these, if they have this tree.
    pub fn emptied(self, tree: &FrontTree) -> Option<Self> {
        let Self { symbolic, values, fronts, stack, waiting, magnitudes, solution, part, .. } =
            self;
        let memory =
            Self { values, fronts, stack, waiting, magnitudes, solution, part, ..Self::new(tree) };
        Arc::ptr_eq(&symbolic, &tree.0).then_some(memory)
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
    pub fn rows(&self) -> &[u32] {
        self.exchanges.as_ref().map_or(&self.symbolic.order, |exchanges| &exchanges.rows)
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

    /// Sets the matrix row at each position, and the scale of each matrix row as a power of two.
    pub fn set_pivots(&mut self, rows: &[u32], exponents: &[i16]) {
        self.set_rows(rows);
        self.set_scales(exponents);
        if self.values.is_empty() {
            self.allocate();
        }
    }

    fn set_rows(&mut self, rows: &[u32]) {
        self.loads.clear();
        let symbolic = &self.symbolic;
        if rows == symbolic.order {
            self.exchanges = None;
            return;
        }
        let row_position = inverse(rows);
        let (below, parents) = symbolic.all_below();
        let row_of = |position: &u32| row_position[symbolic.order[*position as usize] as usize];
        let below_rows: Vec<u32> = below.iter().map(row_of).collect();
        // a column among the pivots of the parent moves with its row
        let columns = below.iter().zip(&symbolic.parent_columns).zip(&parents);
        let parent_rows = columns.map(|((position, &column), &parent)| {
            let is_pivot = column < symbolic.fronts[parent as usize].pivots;
            if is_pivot { column + row_of(position) - position } else { column }
        });
        self.exchanges = Some(Exchanges {
            parent_rows: parent_rows.collect(),
            below_rows: below_rows.iter().map(|&row| symbolic.places[row as usize]).collect(),
            below: below_rows,
            rows: rows.to_vec(),
        });
    }

    fn set_scales(&mut self, exponents: &[i16]) {
        let scale = |exponent: i16| f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52);
        let scales = self.rows().iter().map(|&row| scale(exponents[row as usize])).collect();
        self.scales = scales;
    }

    /// Makes the loads of all terms that the matrix uses, if they are not there.
    fn make_loads(&mut self, matrix: &impl MatrixTerms) {
        let position = inverse(&self.symbolic.order);
        match &self.exchanges {
            None => self.loads.make(&self.symbolic, matrix, [&position, &position]),
            Some(exchanges) => {
                let row_position = inverse(&exchanges.rows);
                self.loads.make(&self.symbolic, matrix, [&position, &row_position]);
            }
        }
    }

    /// Chooses the rows of a matrix and factorizes it; without given exponents the rows are scaled so that the largest entry
    /// of each is near one. Fronts whose growth is above `growth_limit` fail. Returns the exponents.
    pub fn choose_pivots(
        &mut self,
        matrix: &impl MatrixTerms,
        exponents: Option<Vec<i16>>,
        growth_limit: f64,
    ) -> (FrontQuality, Vec<i16>) {
        let symbolic = Arc::clone(&self.symbolic);
        self.set_rows(&symbolic.order);
        self.make_loads(matrix);
        if self.values.is_empty() {
            self.allocate();
        }
        let mut terms = [TermValues::default(); MAX_TERMS];
        matrix.fill_values(&mut terms);
        let terms = &terms;
        let exponents = exponents.unwrap_or_else(|| self.exponents(terms));
        self.set_scales(&exponents);
        let mut exchanges = vec![0; symbolic.order.len()];
        let choice = &mut Choice { exchanges: &mut exchanges, copy: Vec::new(), is_needed: false };
        let quality = lane::run(Sweep { fronts: self, terms, growth_limit, choice: Some(choice) });
        if !choice.is_needed {
            return (quality, exponents);
        }
        let mut rows = symbolic.order.clone();
        for front in &symbolic.fronts {
            let first = front.first as usize;
            for k in first..first + front.pivots as usize {
                rows.swap(k, first + exchanges[k] as usize);
            }
        }
        self.set_pivots(&rows, &exponents);
        (self.factorize(matrix, growth_limit), exponents)
    }

    /// For each matrix row the power of two that brings its largest entry near one, if no rows are exchanged.
    fn exponents(&mut self, terms: &[TermValues<'_>; MAX_TERMS]) -> Vec<i16> {
        let mut largest = vec![0.0_f64; self.symbolic.order.len()];
        lane::run(RowSizes { fronts: self, terms, largest: &mut largest });
        let symbolic = &self.symbolic;
        let mut exponents = vec![0; largest.len()];
        for (&unknown, &largest) in symbolic.order.iter().zip(&largest) {
            exponents[unknown as usize] = exponent(largest);
        }
        exponents
    }

    fn allocate(&mut self) {
        let Symbolic { value_count, largest_front, stack_length, lane_count, .. } = *self.symbolic;
        let front = vec![[0.0; 4]; largest_front * lanes(largest_front)];
        self.values = vec![[0.0; 4]; value_count];
        self.fronts = [front.clone(), front];
        self.stack = vec![0.0; stack_length];
        self.waiting = Vec::with_capacity(self.symbolic.fronts.len());
        self.magnitudes = vec![0.0; largest_front];
        self.solution = vec![[0.0; 4]; lane_count];
        self.part = vec![[0.0; 4]; 2 * lanes(largest_front)];
    }

    /// The blocks that failed last and whose fronts may be merged with their parents; `None` if that is not possible.
    pub fn blocks_to_merge(&self) -> Option<Vec<u32>> {
        let fronts = || self.failed.iter().map(|&f| &self.symbolic.fronts[f as usize]);
        let is_possible = fronts().all(|f| f.below > 0 && (f.pivots as usize) < MAX_MERGED);
        is_possible.then(|| fronts().map(|f| f.block).collect())
    }

    /// Factorizes a matrix. Fronts whose growth is above `growth_limit` fail.
    pub fn factorize(&mut self, matrix: &impl MatrixTerms, growth_limit: f64) -> FrontQuality {
        let mut terms = [TermValues::default(); MAX_TERMS];
        matrix.fill_values(&mut terms);
        let terms = &terms;
        if !self.loads.include(terms) {
            self.make_loads(matrix);
        }
        lane::run(Sweep { fronts: self, terms, growth_limit, choice: None })
    }

    /// Solves A x = b in place with the matrix factorized last.
    pub fn solve(&mut self, b: &mut [f64]) {
        lane::run(Substitution { fronts: self, b });
    }
}

/// The position of each row.
fn inverse(rows: &[u32]) -> Vec<u32> {
    let mut position = vec![0_u32; rows.len()];
    rows.iter().enumerate().for_each(|(k, &row)| position[row as usize] = k as u32);
    position
}

/// The power of two that brings a number near one; zero for zero and numbers that are not finite.
fn exponent(largest: f64) -> i16 {
    let limit = i32::from(EXPONENT_LIMIT);
    match ((largest.to_bits() >> 52) & 0x7ff) as i32 {
        biased @ 1..2046 => (1023 - biased).clamp(-limit, limit) as i16,
        _ => 0,
    }
}

/// The choice of pivots during an elimination.
struct Choice<'a> {
    /// The row exchanged with each, counted from the first of its front.
    exchanges: &'a mut [u32],
    /// The front in progress before its elimination.
    copy: Vec<Lane>,
    /// Whether rows are exchanged: then the factors are not complete.
    is_needed: bool,
}

/// The elimination of all fronts.
struct Sweep<'a, 'b, 'c> {
    fronts: &'a mut Fronts,
    terms: &'a [TermValues<'a>; MAX_TERMS],
    growth_limit: f64,
    choice: Option<&'b mut Choice<'c>>,
}

impl Computation for Sweep<'_, '_, '_> {
    type Output = FrontQuality;

    #[inline(always)]
    fn with<A: Arithmetic>(self, arithmetic: A) -> FrontQuality {
        let Self { fronts: storage, terms, growth_limit, mut choice } = self;
        storage.failed.clear();
        storage.waiting.clear();
        let Symbolic { fronts, parent_columns, below, .. } = &*storage.symbolic;
        let (parent_rows, below) = match &storage.exchanges {
            Some(exchanges) => (&exchanges.parent_rows, &exchanges.below),
            None => (parent_columns, below),
        };
        let (mut cursor, mut stacked, mut growth) = (LoadCursor::default(), 0, 0.0_f64);
        for (index, front) in fronts.iter().enumerate() {
            let (n, m, size) = (front.pivots as usize, front.below as usize, front.size());
            let (width, height) = (lanes(size), lanes(n));
            // the front before this one may be its child, whose update is still there
            let [work, previous] = &mut storage.fronts;
            std::mem::swap(work, previous);
            let work = &mut work[..size * width];
            work.fill([0.0; 4]);
            storage.loads.add_to(index, &mut cursor, terms, work.as_flattened_mut(), 4 * width);
            // rows of pivots are in all columns, the others in columns of pivots only
            let scales = &mut storage.part[..width];
            scales[width - 1] = [1.0; 4];
            let first = front.first as usize;
            let own = storage.scales[first..first + n].iter();
            let below = below[front.below_range()].iter();
            let below = below.map(|&row| &storage.scales[row as usize]);
            let (to, to_below) = scales.as_flattened_mut().split_at_mut(n);
            to.iter_mut().zip(own).for_each(|(scale, x)| *scale = *x);
            to_below.iter_mut().zip(below).for_each(|(scale, x)| *scale = *x);
            let (columns, beside) = work.split_at_mut(n * width);
            with_constant_width!(width, multiply(arithmetic, columns, width, &scales[..width]));
            with_constant_width!(width, multiply(arithmetic, beside, width, &scales[..height]));
            let entries = work.as_flattened_mut();
            let magnitudes = &mut storage.magnitudes[..n];
            for (k, magnitude) in magnitudes.iter_mut().enumerate() {
                *magnitude = entries[k * 4 * width + k].abs();
            }
            let mut is_usable = true;
            for _ in 0..front.children {
                let Some((child, is_child_usable)) = storage.waiting.pop() else { break };
                let child = &fronts[child as usize];
                let m = child.below as usize;
                let places = child.below_range();
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
            let [columns, beside] = front.value_counts();
            let factors = &mut storage.values[front.values..front.values + columns + beside];
            let (columns, beside) = factors.split_at_mut(columns);
            if let Some(choice) = &mut choice {
                choice.copy.clear();
                choice.copy.extend_from_slice(work);
            }
            let factors = [&mut *columns, beside];
            let found = with_constant_width!(
                width,
                dense::factorize(arithmetic, work, width, magnitudes, factors, &mut storage.part)
            );
            if let Some(choice) = &mut choice {
                let first = front.first as usize;
                let exchanges = &mut choice.exchanges[first..first + n];
                if found.is_none() || dense::needs_exchange(columns, width, n) {
                    choice.is_needed = true;
                    work.copy_from_slice(&choice.copy);
                    dense::choose_pivots(arithmetic, work, width, columns, exchanges);
                } else {
                    exchanges.iter_mut().enumerate().for_each(|(k, row)| *row = k as u32);
                }
            }
            match found {
                Some(found) if found <= growth_limit => growth = growth.max(found),
                // nothing is known of a front if one before it failed
                _ if is_usable => {
                    storage.failed.push(index as u32);
                    is_usable = false;
                }
                _ => {}
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

/// The largest entry of the row at each position, if no rows are exchanged.
struct RowSizes<'a> {
    fronts: &'a mut Fronts,
    terms: &'a [TermValues<'a>; MAX_TERMS],
    largest: &'a mut [f64],
}

impl Computation for RowSizes<'_> {
    type Output = ();

    #[inline(always)]
    fn with<A: Arithmetic>(self, arithmetic: A) {
        let Self { fronts: Fronts { symbolic, loads, fronts: [work, _], part, .. }, .. } = self;
        let mut cursor = LoadCursor::default();
        for (f, front) in symbolic.fronts.iter().enumerate() {
            let (width, height) = (lanes(front.size()), lanes(front.pivots as usize));
            let work = &mut work[..front.size() * width];
            work.fill([0.0; 4]);
            loads.add_to(f, &mut cursor, self.terms, work.as_flattened_mut(), 4 * width);
            let sizes = &mut part[..width];
            sizes.fill([0.0; 4]);
            let (columns, beside) = work.split_at(front.pivots as usize * width);
            for (columns, count) in [(columns, width), (beside, height)] {
                for column in columns.chunks_exact(width) {
                    for (size, x) in sizes.iter_mut().zip(&column[..count]) {
                        *size = arithmetic.larger(*size, *x);
                    }
                }
            }
            let own = front.first..front.first + front.pivots;
            let positions = own.chain(symbolic.below(front).iter().copied());
            for (position, size) in positions.zip(sizes.as_flattened()) {
                let largest = &mut self.largest[position as usize];
                *largest = largest.max(*size);
            }
        }
    }
}

/// Multiplies the first lanes of each column by those of the scales.
#[inline(always)]
fn multiply<A: Arithmetic>(arithmetic: A, columns: &mut [Lane], width: usize, scales: &[Lane]) {
    for column in columns.chunks_exact_mut(width) {
        for (x, scale) in column.iter_mut().zip(scales) {
            *x = arithmetic.product(*x, *scale);
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
        let Fronts { symbolic, values, scales, solution, part, exchanges, .. } = storage;
        let Symbolic { fronts, below_places, order, places, .. } = &**symbolic;
        let (rows, below_rows) = match exchanges {
            Some(exchanges) => (&exchanges.rows, &exchanges.below_rows),
            None => (order, below_places),
        };
        solution.fill([0.0; 4]);
        let values_of = solution.as_flattened_mut();
        for ((&row, &place), &scale) in rows.iter().zip(places).zip(&*scales) {
            values_of[place as usize] = b[row as usize] * scale;
        }
        for front in fronts.iter() {
            let (n, lane) = (front.pivots as usize, front.lane as usize);
            let (width, height) = (lanes(front.size()), lanes(n));
            let rows = &below_rows[front.below_range()];
            let columns = &values[front.values..front.values + width * n];
            let part = &mut part[..width];
            let own = &mut solution[lane..lane + height];
            with_constant_width!(width, {
                let part = &mut part[..width];
                copy(&mut part[..height], own);
                clear(&mut part[height..]);
                eliminate::<A, false>(arithmetic, part, columns);
                copy(own, &part[..height]);
            });
            let changes = &part.as_flattened()[n..];
            let solution = solution.as_flattened_mut();
            for (&row, x) in rows.iter().zip(changes) {
                solution[row as usize] += x;
            }
        }
        for front in fronts.iter().rev() {
            let (n, lane) = (front.pivots as usize, front.lane as usize);
            let below = &below_places[front.below_range()];
            let [columns, beside] = front.value_counts();
            let factors = &values[front.values..front.values + columns + beside];
            let (columns, beside) = factors.split_at(columns);
            let (width, height) = (lanes(front.size()), lanes(n));
            with_constant_sizes!(height, width, {
                let own = &mut part[..height];
                copy(own, &solution[lane..lane + height]);
                let solved = solution.as_flattened();
                let factors = [columns, beside];
                substitute_backward(arithmetic, own, factors, (n, width), below, solved);
                copy(&mut solution[lane..lane + height], own);
            });
        }
        let solution = solution.as_flattened();
        for (&place, &unknown) in places.iter().zip(order) {
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
