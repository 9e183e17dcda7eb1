//! The fronts of a pattern: which unknowns are eliminated together, and which rows they change.

use super::super::Pattern;
use super::lane::lanes;

/// No parent in the elimination tree.
const NONE: u32 = u32::MAX;

/// One front: its pivots are neighbours in the order of elimination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    /// The position of the first pivot, and the lane of its place.
    pub first: u32,
    pub lane: u32,
    pub pivots: u32,
    /// The number of rows below the pivots.
    pub below: u32,
    /// Where its unknowns below the pivots begin among those of all fronts.
    pub rows: usize,
    /// Where its entries of the matrix end.
    pub load_end: usize,
    /// Where its factors begin: L with the pivot block, then U.
    pub values: usize,
    /// The number of fronts whose updates it takes.
    pub children: u32,
    /// Whether the next front is its parent.
    pub precedes_parent: bool,
    /// One of the blocks that it eliminates: the last.
    pub block: u32,
}

/// An entry of the matrix.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub slot: u32,
    /// Its place in the front.
    pub place: u32,
    /// The scale of its row, a power of two.
    pub scale: f32,
}

impl Front {
    pub fn size(&self) -> usize {
        (self.pivots + self.below) as usize
    }

    /// The lanes of L and U.
    pub fn value_counts(&self) -> [usize; 2] {
        let n = self.pivots as usize;
        [lanes(self.size()) * n, lanes(n) * self.size()]
    }
}

/// The fronts in an order in which the updates of children are taken from the end of a stack.
pub(super) struct Symbolic {
    pub fronts: Vec<Front>,
    /// Positions of the unknowns below the pivots, front by front, and their places.
    below: Vec<u32>,
    pub below_places: Vec<u32>,
    /// The column of each of them in the parent front.
    pub parent_columns: Vec<u32>,
    /// Places of their rows, and the row of each in the parent front: others if rows are exchanged.
    pub below_rows: Vec<u32>,
    pub parent_rows: Vec<u32>,
    /// The entries of the matrix, front by front.
    pub load: Vec<Load>,
    /// The unknown at each position.
    pub order: Vec<u32>,
    /// The place of each position in vectors, in which the pivots of every front begin a lane.
    pub places: Vec<u32>,
    pub lane_count: usize,
    /// The position of each unknown, and the front that eliminates it.
    position: Vec<u32>,
    front_of: Vec<u32>,
    /// Lengths: of the factors, the largest front, the stack of updates.
    pub value_count: usize,
    pub largest_front: usize,
    pub stack_length: usize,
    /// The cost of a factorization over that of a solution.
    pub cost_ratio: f64,
}

/// The elimination tree of blocks of unknowns.
struct BlockTree {
    /// For each block the later blocks that it changes.
    changed: Vec<Vec<u32>>,
    parent: Vec<u32>,
}

impl BlockTree {
    fn new(pattern: &Pattern, blocks: &[&[u32]], block_of: &[u32]) -> Self {
        let count = blocks.len();
        let mut changed: Vec<Vec<u32>> = vec![Vec::new(); count];
        for j in 0..pattern.size() {
            for slot in pattern.column(j) {
                let (a, b) = (block_of[pattern.rows()[slot] as usize], block_of[j]);
                let later = a.max(b);
                let list = &mut changed[a.min(b) as usize];
                if a != b && list.last() != Some(&later) {
                    list.push(later);
                }
            }
        }
        let mut parent = vec![NONE; count];
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut mark = vec![NONE; count];
        for k in 0..count {
            let mut list = std::mem::take(&mut changed[k]);
            mark[k] = k as u32;
            list.retain(|&b| std::mem::replace(&mut mark[b as usize], k as u32) != k as u32);
            for &child in &children[k] {
                for &b in &changed[child as usize] {
                    if std::mem::replace(&mut mark[b as usize], k as u32) != k as u32 {
                        list.push(b);
                    }
                }
            }
            children[k] = Vec::new();
            list.sort_unstable();
            if let Some(&first) = list.first() {
                parent[k] = first;
                children[first as usize].push(k as u32);
            }
            changed[k] = list;
        }
        Self { changed, parent }
    }
}

/// An estimate of the instructions of two solutions with a front of n pivots and m rows below, and of a part of its
/// factorization, which is done less often.
fn cost(n: usize, m: usize) -> usize {
    const FRONT: usize = 120;
    let width = lanes(n + m);
    FRONT + 4 * n * width + 4 * m * lanes(n) + n * n + 10 * m + (n + m) * width * n
}

impl BlockTree {
    /// Merges blocks with their parents if one front costs less than two.
    fn merge_cheap(&self, blocks: &[&[u32]], is_merged: &mut [bool]) {
        let length = |b: usize| blocks[b].len();
        let below: Vec<usize> = self
            .changed
            .iter()
            .map(|list| list.iter().map(|&b| length(b as usize)).sum())
            .collect();
        // the pivots of the front that ends with each block so far
        let mut pivots: Vec<usize> = (0..blocks.len()).map(length).collect();
        for b in 0..blocks.len() {
            let parent = self.parent[b];
            if parent == NONE {
                continue;
            }
            let p = parent as usize;
            let separate = cost(pivots[b], below[b]) + cost(pivots[p], below[p]);
            if is_merged[b] || cost(pivots[b] + pivots[p], below[p]) < separate {
                is_merged[b] = true;
                pivots[p] += pivots[b];
            }
        }
    }
}

impl Symbolic {
    /// The fronts of blocks given in the order of elimination; those in `merged` are eliminated together with their
    /// parents. Rows and scales are those of unknowns until [`Symbolic::set_rows`] is called.
    pub fn new(pattern: &Pattern, blocks: &[&[u32]], merged: &[u32]) -> Self {
        let n = pattern.size();
        let mut block_of = vec![0_u32; n];
        for (b, unknowns) in blocks.iter().enumerate() {
            unknowns.iter().for_each(|&u| block_of[u as usize] = b as u32);
        }
        let tree = BlockTree::new(pattern, blocks, &block_of);
        // the block whose front eliminates each block: parents come later
        let mut front_block: Vec<u32> = (0..blocks.len() as u32).collect();
        let mut is_merged = vec![false; blocks.len()];
        for &b in merged {
            is_merged[b as usize] = tree.parent[b as usize] != NONE;
        }
        tree.merge_cheap(blocks, &mut is_merged);
        for b in (0..blocks.len()).rev() {
            if is_merged[b] {
                front_block[b] = front_block[tree.parent[b] as usize];
            }
        }
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
        let mut roots = Vec::new();
        for b in 0..blocks.len() as u32 {
            let own = front_block[b as usize];
            members[own as usize].push(b);
            if own == b {
                match tree.parent[b as usize] {
                    NONE => roots.push(b),
                    parent => children[front_block[parent as usize] as usize].push(b),
                }
            }
        }
        let sequence = post_order(&roots, &children);

        let (mut order, mut position) = (Vec::with_capacity(n), vec![0_u32; n]);
        let mut front_of_block = vec![0_u32; blocks.len()];
        let (mut places, mut lane_count) = (Vec::with_capacity(n), 0_usize);
        let mut fronts = Vec::with_capacity(sequence.len());
        for (f, &b) in sequence.iter().enumerate() {
            let first = order.len() as u32;
            let lane = lane_count;
            for &member in &members[b as usize] {
                front_of_block[member as usize] = f as u32;
                for &u in blocks[member as usize] {
                    position[u as usize] = order.len() as u32;
                    places.push(4 * lane as u32 + order.len() as u32 - first);
                    order.push(u);
                }
            }
            lane_count += lanes(order.len() - first as usize);
            fronts.push(Front {
                first,
                lane: lane as u32,
                pivots: order.len() as u32 - first,
                below: 0,
                rows: 0,
                load_end: 0,
                values: 0,
                children: children[b as usize].len() as u32,
                precedes_parent: false,
                block: b,
            });
        }
        let mut symbolic = Self {
            fronts,
            below: Vec::new(),
            below_places: Vec::new(),
            parent_columns: Vec::new(),
            below_rows: Vec::new(),
            parent_rows: Vec::new(),
            load: Vec::new(),
            order,
            places,
            lane_count,
            position: Vec::new(),
            front_of: Vec::new(),
            value_count: 0,
            largest_front: 0,
            stack_length: 0,
            cost_ratio: 0.0,
        };
        symbolic.fill_below(blocks, &tree, &position);
        let parent_of = |b: u32| match tree.parent[b as usize] {
            NONE => None,
            parent => Some(front_of_block[parent as usize] as usize),
        };
        symbolic.fill_places_in_parents(&parent_of);
        symbolic.front_of = position
            .iter()
            .enumerate()
            .map(|(u, _)| front_of_block[block_of[u] as usize])
            .collect();
        symbolic.position = position;
        symbolic.count();
        symbolic
    }

    fn fill_below(&mut self, blocks: &[&[u32]], tree: &BlockTree, position: &[u32]) {
        for front in &mut self.fronts {
            front.rows = self.below.len();
            for &later in &tree.changed[front.block as usize] {
                let unknowns = blocks[later as usize].iter();
                self.below.extend(unknowns.map(|&u| position[u as usize]));
            }
            self.below[front.rows..].sort_unstable();
            front.below = (self.below.len() - front.rows) as u32;
        }
    }

    fn fill_places_in_parents(&mut self, parent_of: &dyn Fn(u32) -> Option<usize>) {
        let mut in_parent = Vec::with_capacity(self.below.len());
        for f in 0..self.fronts.len() {
            let front = &self.fronts[f];
            let rows = &self.below[front.rows..front.rows + front.below as usize];
            if let Some(parent) = parent_of(front.block) {
                in_parent.extend(rows.iter().map(|&row| self.local(parent, row)));
                self.fronts[f].precedes_parent = parent == f + 1;
            }
        }
        self.parent_columns = in_parent;
    }

    /// The index in a front of the row at a position.
    fn local(&self, front: usize, position: u32) -> u32 {
        let Front { first, pivots, below, rows, .. } = self.fronts[front];
        match position.checked_sub(first) {
            Some(k) if k < pivots => k,
            _ => {
                let rows = &self.below[rows..rows + below as usize];
                // every row of a child and every entry of the matrix is in the front
                pivots + rows.binary_search(&position).map_or(0, |k| k as u32)
            }
        }
    }

    /// Sets the matrix row that is eliminated at each position, and the scale of each matrix row, and with them the
    /// places of the entries.
    pub fn set_rows(&mut self, pattern: &Pattern, rows: &[u32], scale: &[f32]) {
        let mut row_position = vec![0_u32; rows.len()];
        rows.iter().enumerate().for_each(|(k, &row)| row_position[row as usize] = k as u32);
        // an entry belongs to the front that eliminates the first of its unknowns
        let mut owners: Vec<u32> = Vec::with_capacity(pattern.nonzeros());
        let mut next = vec![0_u32; self.fronts.len() + 1];
        for j in 0..pattern.size() {
            let (position, own) = (self.position[j], self.front_of[j]);
            for &i in &pattern.rows()[pattern.column(j)] {
                let is_earlier = self.position[i as usize] < position;
                let owner = if is_earlier { self.front_of[i as usize] } else { own };
                next[owner as usize + 1] += 1;
                owners.push(owner);
            }
        }
        for f in 0..self.fronts.len() {
            next[f + 1] += next[f];
        }
        // the slots of each front with their columns, in which the places are written then
        self.load = Vec::new();
        let mut load = vec![Load::default(); pattern.nonzeros()];
        for j in 0..pattern.size() {
            for slot in pattern.column(j) {
                let next = &mut next[owners[slot] as usize];
                let scale = scale[pattern.rows()[slot] as usize];
                load[*next as usize] = Load { slot: slot as u32, place: j as u32, scale };
                *next += 1;
            }
        }
        for (front, &end) in self.fronts.iter_mut().zip(&next) {
            front.load_end = end as usize;
        }
        // the index of each position in the front in progress
        let mut index = vec![0_u32; rows.len()];
        let mut loads = load.iter_mut();
        let mut start = 0;
        for (f, front) in self.fronts.iter().enumerate() {
            let below = &self.below[front.rows..front.rows + front.below as usize];
            let own = front.first..front.first + front.pivots;
            for (k, position) in own.chain(below.iter().copied()).enumerate() {
                index[position as usize] = k as u32;
            }
            let size = 4 * lanes(front.size()) as u32;
            for load in loads.by_ref().take(front.load_end - start) {
                let (i, j) = (pattern.rows()[load.slot as usize] as usize, load.place as usize);
                // rows are exchanged in the front that eliminates them
                let is_pivot = self.front_of[i] as usize == f;
                let row = if is_pivot { &row_position } else { &self.position }[i];
                load.place = index[self.position[j] as usize] * size + index[row as usize];
            }
            start = front.load_end;
        }
        self.load = load;
        let row_of = |position: &u32| row_position[self.order[*position as usize] as usize];
        let below_rows: Vec<u32> = self.below.iter().map(row_of).collect();
        let place = |position: &u32| self.places[*position as usize];
        self.below_places = self.below.iter().map(place).collect();
        self.below_rows = below_rows.iter().map(place).collect();
        // a column among the pivots of the parent moves with its row
        let columns = self.below.iter().zip(&below_rows).zip(&self.parent_columns);
        let front_at = |position: u32| self.front_of[self.order[position as usize] as usize];
        let mut parents = vec![0_u32; self.below.len()];
        for front in &self.fronts {
            let range = front.rows..front.rows + front.below as usize;
            if let Some(&next) = self.below[range.clone()].first() {
                parents[range].fill(front_at(next));
            }
        }
        let row = |(((&position, &row), &column), &parent): (((&u32, &u32), &u32), &u32)| {
            let is_pivot = column < self.fronts[parent as usize].pivots;
            if is_pivot { column + row - position } else { column }
        };
        self.parent_rows = columns.zip(&parents).map(row).collect();
    }

    fn count(&mut self) {
        let (mut stack, mut updates) = (0, Vec::new());
        for front in &mut self.fronts {
            front.values = self.value_count;
            self.value_count += front.value_counts().iter().sum::<usize>();
            self.largest_front = self.largest_front.max(front.size());
            for _ in 0..front.children {
                stack -= updates.pop().unwrap_or(0);
            }
            // the update of the last child stays where it is
            let m = front.below as usize;
            let update = if front.precedes_parent { 0 } else { m * m };
            stack += update;
            updates.push(update);
            self.stack_length = self.stack_length.max(stack);
        }
        self.cost_ratio = self.estimate_cost_ratio();
    }
}

impl Symbolic {
    /// Instructions per operation as counted on chains of bodies and on beams: entries that are loaded and updates that are
    /// added take about ten, arithmetic with four rows about two.
    fn estimate_cost_ratio(&self) -> f64 {
        let (mut factorization, mut solution) = (0.0, 0.0);
        for front in &self.fronts {
            let (n, m, size) = (front.pivots as f64, front.below as f64, front.size() as f64);
            factorization += 100.0 + 0.5 * n * size * size + 5.0 * m * m;
            solution += 100.0 + 2.0 * n * (size + m);
        }
        // tangents, assembly and loading against residuals, in proportion to the entries of the matrix
        let entries = 10.0 * self.position.len() as f64;
        (factorization + 15.0 * entries) / (solution + 10.0 * entries).max(1.0)
    }
}

/// Children before parents, the subtree of a front without interruption.
fn post_order(roots: &[u32], children: &[Vec<u32>]) -> Vec<u32> {
    let mut sequence = Vec::new();
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for &root in roots {
        stack.push((root, 0));
        while let Some((node, next)) = stack.pop() {
            match children[node as usize].get(next) {
                Some(&child) => {
                    stack.push((node, next + 1));
                    stack.push((child, 0));
                }
                None => sequence.push(node),
            }
        }
    }
    sequence
}
