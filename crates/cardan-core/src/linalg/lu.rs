//! LU by fronts, with pivots that are kept from matrix to matrix.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::fronts::{EXPONENT_LIMIT, FrontQuality, FrontTree, Fronts};
use super::group_graph::GroupGraph;
use super::ordering::group_order;
use super::refactorization::LuFactors;
use super::terms::MatrixTerms;

/// Above this growth the pivots are chosen again.
const PIVOT_AGAIN_ABOVE: f64 = 1e6;
/// How often fronts are merged with their parents in one factorization.
const MAX_MERGES: usize = 8;

/// The choice of pivots of a solver, with which it gives the same bits again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pivots {
    /// The groups of unknowns that are eliminated together with a later one because their own pivots were not usable,
    /// ascending.
    pub merged: Vec<u32>,
    /// The matrix rows in the order of elimination; empty before the first factorization.
    pub rows: Vec<u32>,
    /// The scale of each matrix row is two to this power.
    pub exponents: Vec<i16>,
}

/// The groups of a matrix in the order of their elimination.
struct EliminationOrder {
    graph: GroupGraph,
    /// The groups that have unknowns.
    blocks: Vec<u32>,
    /// The fronts, if none is merged because of its pivots; made when they are needed first.
    tree: OnceLock<FrontTree>,
}

impl EliminationOrder {
    fn tree(&self, merged: &[u32]) -> FrontTree {
        let new = || FrontTree::new(&self.graph, &self.blocks, merged);
        if merged.is_empty() { self.tree.get_or_init(new).clone() } else { new() }
    }
}

/// LU by fronts; if fronts do not have usable pivots, with pivots chosen among all rows.
pub(super) struct Lu {
    order: Arc<EliminationOrder>,
    /// Made when they are needed first.
    pub fronts: Option<Fronts>,
    /// Fronts of another solver whose memory these will use.
    spare: Option<Fronts>,
    /// Shared with the states that are saved.
    pub pivots: Arc<Pivots>,
    /// Factors with pivots among all rows, if fronts failed at the last matrix.
    pub scalar: Option<LuFactors>,
}

impl Lu {
    pub fn new(graph: GroupGraph) -> Self {
        let mut blocks = group_order(&graph);
        blocks.retain(|&g| !graph.groups.unknowns(g as usize).is_empty());
        Self::with_order(Arc::new(EliminationOrder { graph, blocks, tree: OnceLock::new() }))
    }

    /// LU with the same order.
    pub fn another(&self) -> Self {
        Self::with_order(Arc::clone(&self.order))
    }

    fn with_order(order: Arc<EliminationOrder>) -> Self {
        Self { order, fronts: None, spare: None, pivots: Arc::default(), scalar: None }
    }

    /// Takes the fronts of a solver with the same order, for their memory, if this one has none.
    pub fn take_memory(&mut self, other: &mut Self) {
        let fronts = other.fronts.take();
        if self.fronts.is_none() && Arc::ptr_eq(&self.order, &other.order) {
            self.spare = fronts;
        }
    }

    /// The number of unknowns.
    pub fn size(&self) -> usize {
        self.order.graph.groups.size()
    }

    /// The unknowns in the order of elimination, for factors without fronts.
    pub fn unknowns(&self) -> Vec<u32> {
        let EliminationOrder { graph, blocks, .. } = &*self.order;
        let unknowns = |&block: &u32| graph.groups.unknowns(block as usize).iter().copied();
        blocks.iter().flat_map(unknowns).collect()
    }

    /// The number of values that the factors will have.
    pub fn entries(&self) -> usize {
        self.order.tree(&self.pivots.merged).entries()
    }

    /// Uses pivots chosen earlier; those that do not fit are not used.
    pub fn restore(&mut self, pivots: &Pivots) {
        let Pivots { merged, rows, exponents } = pivots;
        let is_valid = merged.is_sorted_by(|a, b| a < b)
            && merged.last().is_none_or(|&last| (last as usize) < self.order.blocks.len())
            && exponents.len() == self.size()
            && exponents.iter().all(|e| (-EXPONENT_LIMIT..=EXPONENT_LIMIT).contains(e));
        let merged = if is_valid { &merged[..] } else { &[] };
        let mut fronts = Fronts::new(&self.order.tree(merged));
        self.spare = None;
        self.pivots = Arc::default();
        if is_valid && fronts.has_rows(rows) {
            fronts.set_pivots(rows, exponents);
            self.pivots = Arc::new(pivots.clone());
        }
        self.fronts = Some(fronts);
    }

    /// Factorizes by fronts with the current pivots, or chooses others; returns the growth.
    pub fn factorize(&mut self, matrix: &impl MatrixTerms, pivotings: &mut u64) -> Option<f64> {
        if self.fronts.is_none() && !self.pivots.rows.is_empty() {
            let pivots = std::mem::take(&mut self.pivots);
            self.restore(&pivots);
        }
        let order = &self.order;
        let spare = &mut self.spare;
        let fronts = self.fronts.get_or_insert_with(|| {
            let tree = order.tree(&[]);
            let emptied = spare.take().and_then(|spare| spare.emptied(&tree));
            emptied.unwrap_or_else(|| Fronts::new(&tree))
        });
        if !self.pivots.rows.is_empty()
            && let FrontQuality::Growth(growth) = fronts.factorize(matrix, PIVOT_AGAIN_ABOVE)
        {
            return Some(growth);
        }
        *pivotings += 1;
        let mut merged = std::mem::take(&mut self.pivots).merged.clone();
        let mut exponents = None;
        for _ in 0..MAX_MERGES {
            let (quality, found) = fronts.choose_pivots(matrix, exponents, PIVOT_AGAIN_ABOVE);
            if let FrontQuality::Growth(growth) = quality {
                let rows = fronts.rows().to_vec();
                self.pivots = Arc::new(Pivots { merged, rows, exponents: found });
                return Some(growth);
            }
            exponents = Some(found);
            let Some(mut more) = fronts.blocks_to_merge() else { break };
            merged.append(&mut more);
            merged.sort_unstable();
            merged.dedup();
            *fronts = Fronts::new(&order.tree(&merged));
        }
        self.fronts = None;
        None
    }
}
