//! The steps of an evaluation, in postfix order.

use std::sync::Arc;

use super::function::{FunctionKind, arity};
use super::noise::BandNoise;
use crate::table::Table;

/// The most values an evaluation keeps at a time.
pub(super) const MAX_STACK: usize = 64;

/// A step of an evaluation, on a stack.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    Number(f64),
    /// One of the variables.
    Variable(usize),
    Negate,
    Not,
    Binary(Binary),
    Call(FunctionKind),
    /// The value of a table; it takes as many values as the table has variables.
    Table(Arc<Table>),
    /// Noise at a time.
    Noise(Arc<BandNoise>),
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
    And,
    Or,
}

impl Operation {
    /// How many values it takes.
    #[inline]
    pub fn takes(&self) -> usize {
        match self {
            Self::Number(_) | Self::Variable(_) => 0,
            Self::Negate | Self::Not | Self::Noise(_) => 1,
            Self::Binary(_) => 2,
            Self::Call(kind) => arity(*kind),
            Self::Table(table) => table.dimension(),
        }
    }
}
