//! Errors of a system that cannot be evaluated.

use thiserror::Error;

use super::Failure;

/// A system whose description contradicts itself, or whose evaluation failed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SystemError {
    /// More unknowns than can be handled.
    #[error("{unknowns} unknowns, more than {most}")]
    TooLarge {
        /// The number of unknowns.
        unknowns: usize,
        /// The limit.
        most: usize,
    },
    /// A matrix entry outside the matrix, or outside the pattern of the first evaluation.
    #[error(
        "`{written_by}` wrote entry ({row}, {column}), {} (rows: {rows}, columns: {columns})",
        if *outside {
            "which lies outside the matrix"
        } else {
            "which the first evaluation did not write; add structural zeros too"
        }
    )]
    Entry {
        /// The method of the system that wrote it.
        written_by: &'static str,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// Whether the entry lies outside the matrix.
        outside: bool,
    },
    /// A tangent too large to be differenced as a full matrix.
    #[error(
        "`{written_by}` is not written, and a full {rows}×{columns} matrix is too large for differences: \
         write it (for ∂f/∂q, ∂f/∂v and ∂(Ma)/∂q a `coupling` is enough)"
    )]
    DenseTangentTooLarge {
        /// The method of the system that would write it.
        written_by: &'static str,
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// An evaluation of the system failed.
    #[error("{failure} (at t = {time})")]
    Failed {
        /// The time of the evaluation.
        time: f64,
        /// The part and the reason.
        #[source]
        failure: Box<Failure>,
    },
    /// The reference integrator of the exam does not support this system.
    #[error(
        "the reference integrator does not support forces and first-order equations that depend on multipliers"
    )]
    NoReference,
    /// `coupling` names a coordinate that does not exist.
    #[error("`coupling` names a coordinate that does not exist")]
    CouplingOutOfRange,
    /// A vector of the wrong length.
    #[error("`{what}` has length {found}, the system needs {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that the system needs.
        expected: usize,
    },
}

impl SystemError {
    /// The failure of an evaluation at a time.
    pub(crate) fn failed(time: f64, failure: Failure) -> Self {
        Self::Failed { time, failure: Box::new(failure) }
    }
}
