//! The steps of an evaluation, in postfix order.

use super::function::FunctionKind;

/// The most values an evaluation keeps at a time.
pub(super) const MAX_STACK: usize = 64;

/// A step of an evaluation, on a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    Number(f64),
    /// One of the variables.
    Variable(usize),
    Negate,
    Not,
    Binary(Binary),
    Call(FunctionKind),
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
    pub fn takes(self) -> usize {
        match self {
            Self::Number(_) | Self::Variable(_) => 0,
            Self::Negate | Self::Not => 1,
            Self::Binary(_) => 2,
            Self::Call(kind) => match kind {
                FunctionKind::If | FunctionKind::Clamp => 3,
                FunctionKind::Atan2
                | FunctionKind::Hypot
                | FunctionKind::Mod
                | FunctionKind::Min
                | FunctionKind::Max => 2,
                _ => 1,
            },
        }
    }
}
