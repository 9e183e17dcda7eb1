//! The fronts of a graph of groups: which unknowns are eliminated together, and which rows they change.

use super::super::group_graph::GroupGraph;
use crate::math::lane::lanes;

/// No parent in the elimination tree, no other member of a list.
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
    pub rows: u32,
    /// The number of fronts whose updates it takes.
    pub children: u32,
    /// One of the blocks that it eliminates: the last.
    pub block: u32,
    /// Whether the next front is its parent.
    pub precedes_parent: bool,
    /// Where its factors begin: the columns of the pivots, then the rows of the pivots in the other columns.
    pub values: usize,
}

impl Front {
    pub fn size(&self) -> usize {
        (self.pivots + self.below) as usize
    }

    /// The lanes of the columns of the pivots, and of the rest.
    pub fn value_counts(&self) -> [usize; 2] {
        let (n, m) = (self.pivots as usize, self.below as usize);
        [lanes(n + m) * n, lanes(n) * m]
    }

    /// Where its unknowns below the pivots are among those of all fronts.
    #[inline(always)]
    pub fn below_range(&self) -> std::ops::Range<usize> {
        self.rows as usize..(self.rows + self.below) as usize
    }
}

/// The fronts in an order in which the updates of children are taken from the end of a stack.
pub(super) struct Symbolic {
    pub fronts: Vec<Front>,
    /// Positions of the unknowns below the pivots, front by front, and their places.
    pub below: Vec<u32>,
    pub below_places: Vec<u32>,
    /// The column of each of them in the parent front.
    pub parent_columns: Vec<u32>,
    /// The unknown at each position.
    pub order: Vec<u32>,
    /// The place of each position in vectors, in which the pivots of every front begin a lane.
    pub places: Vec<u32>,
    pub lane_count: usize,
    /// Lengths: of the factors, the largest front, the stack of updates.
    pub value_count: usize,
    pub largest_front: usize,
    pub stack_length: usize,
    /// The cost of a factorization over that of a solution.
    pub cost_ratio: f64,
}

/// The elimination tree of blocks of unknowns.
struct BlockTree {
    /// For each block the later blocks that it changes, ascending.
    starts: Vec<u32>,
    changed: Vec<u32>,
    parent: Vec<u32>,
}

impl BlockTree {
    /// The tree of groups in the order of elimination.
    fn new(graph: &GroupGraph, blocks: &[u32]) -> Self {
        let count = blocks.len();
        let mut block_of = vec![NONE; graph.groups.count()];
        blocks.iter().enumerate().for_each(|(k, &g)| block_of[g as usize] = k as u32);
        let mut tree = Self {
            starts: Vec::with_capacity(count + 1),
            changed: Vec::with_capacity(2 * count),
            parent: vec![NONE; count],
        };
        let mut children = Lists::new(count);
        let mut mark = vec![NONE; count];
        for k in 0..count as u32 {
            let start = tree.changed.len();
            tree.starts.push(start as u32);
            let mut take = |b: u32| b > k && std::mem::replace(&mut mark[b as usize], k) != k;
            for &neighbour in graph.neighbours(blocks[k as usize] as usize) {
                let b = block_of[neighbour as usize];
                if b != NONE && take(b) {
                    tree.changed.push(b);
                }
            }
            for child in children.iter(k) {
                for i in tree.starts[child as usize]..tree.starts[child as usize + 1] {
                    let b = tree.changed[i as usize];
                    if take(b) {
                        tree.changed.push(b);
                    }
                }
            }
            tree.changed[start..].sort_unstable();
            if let Some(&first) = tree.changed.get(start) {
                tree.parent[k as usize] = first;
                children.push_front(first, k);
            }
        }
        tree.starts.push(tree.changed.len() as u32);
        tree
    }

    fn changed(&self, block: usize) -> &[u32] {
        &self.changed[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}

/// Lists of numbers, each of which is in one list.
struct Lists {
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Lists {
    fn new(count: usize) -> Self {
        Self { first: vec![NONE; count], next: vec![NONE; count] }
    }

    fn push_front(&mut self, list: u32, member: u32) {
        self.next[member as usize] = std::mem::replace(&mut self.first[list as usize], member);
    }

    fn iter(&self, list: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |member: u32| (member != NONE).then_some(member);
        std::iter::successors(some(self.first[list as usize]), move |&member| {
            some(self.next[member as usize])
        })
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
    fn merge_cheap(&self, length: impl Fn(u32) -> usize, is_merged: &mut [bool]) {
        let count = is_merged.len();
        let below: Vec<usize> =
            (0..count).map(|b| self.changed(b).iter().map(|&b| length(b)).sum()).collect();
        // the pivots of the front that ends with each block so far
        let mut pivots: Vec<usize> = (0..count as u32).map(&length).collect();
        for b in 0..count {
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
    /// The fronts of groups given in the order of elimination; those whose numbers in this order are in `merged` are
    /// eliminated together with their parents.
    pub fn new(graph: &GroupGraph, blocks: &[u32], merged: &[u32]) -> Self {
        let (n, count) = (graph.groups.size(), blocks.len());
        let unknowns = |block: u32| graph.groups.unknowns(blocks[block as usize] as usize);
        let tree = BlockTree::new(graph, blocks);
        let mut is_merged = vec![false; count];
        for &b in merged {
            is_merged[b as usize] = tree.parent[b as usize] != NONE;
        }
        tree.merge_cheap(|b| unknowns(b).len(), &mut is_merged);
        // the block whose front eliminates each block: parents come later
        let mut front_block: Vec<u32> = (0..count as u32).collect();
        let (mut members, mut children) = (Lists::new(count), Lists::new(count));
        let mut roots = Vec::new();
        for b in (0..count as u32).rev() {
            let parent = tree.parent[b as usize];
            if is_merged[b as usize] {
                front_block[b as usize] = front_block[parent as usize];
            } else if parent == NONE {
                roots.push(b);
            } else {
                children.push_front(front_block[parent as usize], b);
            }
            members.push_front(front_block[b as usize], b);
        }
        roots.reverse();
        let sequence = post_order(&roots, &children);

        let (mut order, mut position) = (Vec::with_capacity(n), vec![0_u32; n]);
        let (mut places, mut lane_count) = (Vec::with_capacity(n), 0_usize);
        let mut front_of_block = vec![0_u32; count];
        let mut fronts = Vec::with_capacity(sequence.len());
        for (f, &b) in sequence.iter().enumerate() {
            let first = order.len() as u32;
            let lane = lane_count;
            for member in members.iter(b) {
                for &u in unknowns(member) {
                    position[u as usize] = order.len() as u32;
                    places.push(4 * lane as u32 + order.len() as u32 - first);
                    order.push(u);
                }
            }
            front_of_block[b as usize] = f as u32;
            lane_count += lanes(order.len() - first as usize);
            fronts.push(Front {
                first,
                lane: lane as u32,
                pivots: order.len() as u32 - first,
                below: 0,
                rows: 0,
                children: children.iter(b).count() as u32,
                block: b,
                precedes_parent: false,
                values: 0,
            });
        }
        let mut symbolic = Self {
            fronts,
            below: Vec::new(),
            below_places: Vec::new(),
            parent_columns: Vec::new(),
            order,
            places,
            lane_count,
            value_count: 0,
            largest_front: 0,
            stack_length: 0,
            cost_ratio: 0.0,
        };
        for f in 0..symbolic.fronts.len() {
            let start = symbolic.below.len();
            let block = symbolic.fronts[f].block;
            for &later in tree.changed(block as usize) {
                let positions = unknowns(later).iter().map(|&u| position[u as usize]);
                symbolic.below.extend(positions);
            }
            symbolic.below[start..].sort_unstable();
            let front = &mut symbolic.fronts[f];
            front.rows = start as u32;
            front.below = (symbolic.below.len() - start) as u32;
            let parent = tree.parent[block as usize];
            if parent != NONE {
                let parent = front_of_block[front_block[parent as usize] as usize];
                front.precedes_parent = parent as usize == f + 1;
            }
        }
        symbolic.below.shrink_to_fit();
        symbolic.fill_places_in_parents(|block| match tree.parent[block as usize] {
            NONE => 0,
            parent => front_of_block[front_block[parent as usize] as usize],
        });
        let place = |position: &u32| symbolic.places[*position as usize];
        symbolic.below_places = symbolic.below.iter().map(place).collect();
        symbolic.count();
        symbolic
    }

    /// Positions of the unknowns below the pivots of a front.
    pub fn below(&self, front: &Front) -> &[u32] {
        &self.below[front.below_range()]
    }

    /// All positions of unknowns below the pivots, and the front that takes the update of each.
    pub fn all_below(&self) -> (&[u32], Vec<u32>) {
        let mut parents = vec![0_u32; self.below.len()];
        for front in &self.fronts {
            if let Some(&next) = self.below(front).first() {
                parents[front.below_range()].fill(self.front_at(next));
            }
        }
        (&self.below, parents)
    }

    fn front_at(&self, position: u32) -> u32 {
        self.fronts.partition_point(|front| front.first <= position) as u32 - 1
    }

    fn fill_places_in_parents(&mut self, parent_of: impl Fn(u32) -> u32) {
        let mut columns = Vec::with_capacity(self.below.len());
        for front in &self.fronts {
            let rows = self.below(front);
            // both lists are sorted
            let parent = &self.fronts[parent_of(front.block) as usize];
            let mut in_parent = self.below(parent).iter();
            let mut index = parent.pivots;
            columns.extend(rows.iter().map(|&row| {
                let k = row - parent.first;
                if k < parent.pivots {
                    return k;
                }
                // every row of a child is in its parent
                in_parent.by_ref().take_while(|&&other| other != row).for_each(|_| index += 1);
                index += 1;
                index - 1
            }));
        }
        self.parent_columns = columns;
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
        let entries = 10.0 * self.order.len() as f64;
        (factorization + 15.0 * entries) / (solution + 10.0 * entries).max(1.0)
    }
}

/// Children before parents, the subtree of a front without interruption.
fn post_order(roots: &[u32], children: &Lists) -> Vec<u32> {
    let mut sequence = Vec::with_capacity(children.first.len());
    // fronts whose subtrees are in progress, each with its next child
    let mut stack: Vec<(u32, u32)> = Vec::new();
    for &root in roots {
        stack.push((root, children.first[root as usize]));
        while let Some((node, child)) = stack.pop() {
            if child == NONE {
                sequence.push(node);
            } else {
                stack.push((node, children.next[child as usize]));
                stack.push((child, children.first[child as usize]));
            }
        }
    }
    sequence
}
