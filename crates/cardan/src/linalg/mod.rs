//! Linear algebra with a pattern fixed for the run.
//!
//! ```text
//! Entries   what a system writes, entry by entry          (one per part: M, D, K, G …)
//! Pattern   the union of their places in a stage matrix   (compressed columns, groups)
//! Solver    equilibrate → refactorize → solve → refine    (pivots chosen once, checked always)
//! ```

mod cholesky;
mod entries;
pub mod matrix_market;
mod ordering;
mod pattern;
mod pivoting;
mod refactorization;
mod sink;
mod solver;

pub(crate) use cholesky::is_positive;
pub use entries::{Entries, EntryFault};
pub(crate) use ordering::elimination_order;
pub use ordering::{Group, GroupKind};
pub use pattern::Pattern;
pub(crate) use sink::{ProductSink, Sink, TransposedProductSink};
pub use solver::{Kind, LinearError, Solver, Statistics};
