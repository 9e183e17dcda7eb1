//! Linear algebra with a pattern fixed for the run.
//!
//! ```text
//! SparseMatrix   written by a system, entry by entry           (one per matrix: M, D, K, G …)
//! Pattern        the union of their places in a stage matrix   (compressed columns, groups)
//! Solver         equilibrate → factorize → solve → refine      (dense fronts, pivots checked always)
//! ```

mod cholesky;
mod compression;
mod fronts;
mod group_graph;
mod lu;
pub mod matrix_market;
mod ordering;
mod pattern;
mod pivoting;
mod refactorization;
mod roots;
mod sink;
mod solver;
mod sparse_matrix;
mod terms;

pub use cholesky::is_positive;
pub use group_graph::{Group, GroupKind};
pub use lu::Pivots;
pub use ordering::elimination_order;

pub use compression::MAX_UNKNOWNS;
pub(crate) use group_graph::{GroupGraph, Groups, PairList};
pub use pattern::Pattern;
pub(crate) use pattern::SlotFinder;
pub use roots::roots;
pub use sink::{MatrixSink, ProductSink, TransposedProductSink};
pub(crate) use solver::SolutionUse;
pub use solver::{LinearError, MatrixKind, OperationCounts, Solver, Statistics};
pub use sparse_matrix::{EntryFault, SparseMatrix};
pub(crate) use terms::{MAX_TERMS, MatrixTerms, NO_BLOCK, TermEntry, TermValues};
