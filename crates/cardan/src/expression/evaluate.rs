//! Values of formulas, over plain numbers and over numbers that carry derivatives.

use num_dual::DualNum;

use super::function::Kind;
use crate::model::{Stretch, Time};

/// The most values an evaluation keeps at a time.
pub(super) const DEEPEST: usize = 64;

/// A step of an evaluation, on a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    Number(f64),
    /// One of the variables.
    Variable(usize),
    Negate,
    Not,
    Binary(Binary),
    Call(Kind),
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
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
                Kind::If | Kind::Clamp => 3,
                Kind::Atan2 | Kind::Hypot | Kind::Mod | Kind::Min | Kind::Max => 2,
                _ => 1,
            },
        }
    }
}

/// A number a formula can be evaluated over.
pub(super) trait Scalar: DualNum<Primitive = f64> + Copy {
    /// Whether it carries no derivatives.
    fn is_constant(&self) -> bool;
}

impl Scalar for f64 {
    fn is_constant(&self) -> bool {
        true
    }
}

impl Scalar for Stretch {
    fn is_constant(&self) -> bool {
        let slope = self.eps.0.as_ref();
        slope.is_none_or(|slope| slope.iter().all(|x| *x == 0.0))
    }
}

impl Scalar for Time {
    fn is_constant(&self) -> bool {
        self.v1 == 0.0 && self.v2 == 0.0
    }
}

/// Evaluates operations in postfix order; the parser has made sure that the stack suffices.
pub(super) fn run<T: Scalar>(operations: &[Operation], variables: &[T]) -> T {
    let mut stack = [T::zero(); DEEPEST];
    let mut top = 0;
    for operation in operations {
        let first = top - operation.takes();
        let value = match (*operation, &stack[first..top]) {
            (Operation::Number(x), _) => T::from(x),
            (Operation::Variable(k), _) => variables[k],
            (Operation::Negate, &[x]) => -x,
            (Operation::Not, &[x]) => truth(x.re() == 0.0),
            (Operation::Binary(operation), &[x, y]) => binary(operation, x, y),
            (Operation::Call(kind), &[x]) => call(kind, x),
            (Operation::Call(kind), &[x, y]) => call_two(kind, x, y),
            (Operation::Call(kind), &[x, y, z]) => call_three(kind, x, y, z),
            _ => T::from(f64::NAN),
        };
        stack[first] = value;
        top = first + 1;
    }
    stack[0]
}

fn truth<T: Scalar>(holds: bool) -> T {
    if holds { T::one() } else { T::zero() }
}

fn binary<T: Scalar>(operation: Binary, x: T, y: T) -> T {
    match operation {
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => x * y,
        Binary::Divide => x / y,
        Binary::Power => power(x, y),
        Binary::Less => truth(x.re() < y.re()),
        Binary::LessEqual => truth(x.re() <= y.re()),
        Binary::Greater => truth(x.re() > y.re()),
        Binary::GreaterEqual => truth(x.re() >= y.re()),
        Binary::Equal => truth(x.re() == y.re()),
        Binary::Unequal => truth(x.re() != y.re()),
        Binary::And => truth(x.re() != 0.0 && y.re() != 0.0),
        Binary::Or => truth(x.re() != 0.0 || y.re() != 0.0),
    }
}

/// x^y; whole powers of any base, others of positive ones.
fn power<T: Scalar>(x: T, y: T) -> T {
    let exponent = y.re();
    match y.is_constant() {
        true if exponent == exponent.trunc() && exponent.abs() <= 1e6 => x.powi(exponent as i32),
        true => x.powf(exponent),
        false => (y * x.ln()).exp(),
    }
}

fn call<T: Scalar>(kind: Kind, x: T) -> T {
    match kind {
        Kind::Sin => x.sin(),
        Kind::Cos => x.cos(),
        Kind::Tan => x.tan(),
        Kind::Asin => x.asin(),
        Kind::Acos => x.acos(),
        Kind::Atan => x.atan(),
        Kind::Sinh => x.sinh(),
        Kind::Cosh => x.cosh(),
        Kind::Tanh => x.tanh(),
        Kind::Exp => x.exp(),
        Kind::Ln => x.ln(),
        Kind::Log10 => x.log10(),
        Kind::Sqrt => x.sqrt(),
        Kind::Cbrt => x.cbrt(),
        Kind::Abs if x.re() < 0.0 => -x,
        Kind::Abs => x,
        Kind::Sign if x.re() == 0.0 => T::zero(),
        Kind::Sign => T::from(x.re().signum()),
        Kind::Floor => T::from(x.re().floor()),
        Kind::Ceil => T::from(x.re().ceil()),
        Kind::Round => T::from(x.re().round()),
        Kind::Deg => x * T::from(1_f64.to_radians()),
        Kind::Rad => x * T::from(1_f64.to_degrees()),
        _ => T::from(f64::NAN),
    }
}

fn call_two<T: Scalar>(kind: Kind, x: T, y: T) -> T {
    match kind {
        // what is not a number is passed on
        Kind::Min if y.re() < x.re() || y.re().is_nan() => y,
        Kind::Max if y.re() > x.re() || y.re().is_nan() => y,
        Kind::Min | Kind::Max => x,
        Kind::Mod => x - y * T::from((x.re() / y.re()).floor()),
        Kind::Hypot => (x * x + y * y).sqrt(),
        Kind::Atan2 => x.atan2(y),
        _ => T::from(f64::NAN),
    }
}

fn call_three<T: Scalar>(kind: Kind, x: T, y: T, z: T) -> T {
    match kind {
        Kind::If if x.re().is_nan() => x,
        Kind::If if x.re() != 0.0 => y,
        Kind::If => z,
        Kind::Clamp if y.re().is_nan() || x.re() < y.re() => y,
        Kind::Clamp if z.re().is_nan() => z,
        Kind::Clamp if x.re() > z.re() => z,
        Kind::Clamp => x,
        _ => T::from(f64::NAN),
    }
}
