//! Values of formulas, over plain numbers and over numbers that carry derivatives.

use super::expansion::Expansion;
use super::function::FunctionKind;
use super::operation::{Binary, MAX_STACK, Operation};
use super::rules;
use super::scalar::FormulaScalar;
use super::series::Series;

/// The value of a formula; a variable that is not given is not a number.
pub(super) fn value(operations: &[Operation], variables: &[f64]) -> f64 {
    run(operations, variables)
}

/// The value, and first and second derivative with respect to each of N variables, towards its larger
/// values.
pub(super) fn derivatives<const N: usize>(
    operations: &[Operation],
    variables: [f64; N],
    needed: Needed,
) -> (f64, [[f64; 2]; N]) {
    let series: [Series<N>; N] = std::array::from_fn(|k| Series::variable(variables[k], k));
    let result = run(operations, &series);
    let mut slopes = result.slopes.map(|slope| [slope.first, slope.second]);
    if result.value.is_nan() {
        return (result.value, [[f64::NAN; 2]; N]);
    }
    if result.value.is_infinite() {
        return (result.value, slopes);
    }
    let needed = if needed == Needed::Two { 2 } else { 1 };
    for (k, slope) in slopes.iter_mut().enumerate() {
        if slope[..needed].iter().all(|x| x.is_finite()) {
            continue;
        }
        // a singular point: the expansion has terms of fractional orders
        let expansions: [Expansion; N] = std::array::from_fn(|i| match i == k {
            true => Expansion::variable(variables[i]),
            false => Expansion::constant(variables[i]),
        });
        let found = run(operations, &expansions).derivatives();
        for (slope, found) in slope.iter_mut().zip(found) {
            // a derivative that is too large for a number stays so where the expansion is lost
            if slope.is_nan() || (slope.is_infinite() && !found.is_nan()) {
                *slope = found;
            }
        }
    }
    (result.value, slopes)
}

/// How many derivatives are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    One,
    Two,
}

/// Evaluates operations in postfix order; the parser has checked the depth of the stack.
fn run<T: FormulaScalar>(operations: &[Operation], variables: &[T]) -> T {
    let nothing = T::constant(f64::NAN);
    let mut stack = [nothing; MAX_STACK];
    let mut top = 0;
    for operation in operations {
        let first = top - operation.takes();
        let value = match (*operation, &stack[first..top]) {
            (Operation::Number(x), _) => T::constant(x),
            (Operation::Variable(k), _) => variables.get(k).copied().unwrap_or(nothing),
            (Operation::Negate, &[x]) => x.negated(),
            (Operation::Not, &[x]) => indicator(&[x], x.value() == 0.0),
            (Operation::Binary(operation), &[x, y]) => binary(operation, x, y),
            (Operation::Call(kind), &[x]) => call(kind, x),
            (Operation::Call(kind), &[x, y]) => call_two(kind, x, y),
            (Operation::Call(kind), &[x, y, z]) => call_three(kind, x, y, z),
            _ => nothing,
        };
        stack[first] = value;
        top = first + 1;
    }
    stack[0]
}

/// Evaluates operations of which every value that counts must be finite; `None` if one is not. Branches of
/// `if` that are not taken do not count, nor does one side of `and` or `or` where the other determines the result.
pub(super) fn run_finite(operations: &[Operation], variables: &[f64]) -> Option<f64> {
    let mut stack = [None; MAX_STACK];
    let mut top = 0;
    for operation in operations {
        let first = top - operation.takes();
        let value = match (*operation, &stack[first..top]) {
            (Operation::Number(x), _) => Some(x),
            (Operation::Variable(k), _) => variables.get(k).copied(),
            (Operation::Call(FunctionKind::If), &[Some(condition), then, other]) => {
                if condition == 0.0 { other } else { then }
            }
            // one side may determine the result
            (Operation::Binary(Binary::And), &[None, Some(0.0)] | &[Some(0.0), None]) => Some(0.0),
            (Operation::Binary(Binary::Or), &[None, Some(x)] | &[Some(x), None]) if x != 0.0 => {
                Some(1.0)
            }
            (Operation::Negate, &[Some(x)]) => Some(-x),
            (Operation::Not, &[Some(x)]) => Some(indicator(&[x], x == 0.0)),
            (Operation::Binary(operation), &[Some(x), Some(y)]) => Some(binary(operation, x, y)),
            (Operation::Call(kind), &[Some(x)]) => Some(call(kind, x)),
            (Operation::Call(kind), &[Some(x), Some(y)]) => Some(call_two(kind, x, y)),
            (Operation::Call(kind), &[Some(x), Some(y), Some(z)]) => {
                Some(call_three(kind, x, y, z))
            }
            _ => None,
        };
        stack[first] = value.filter(|x: &f64| x.is_finite());
        top = first + 1;
    }
    stack[0]
}

/// Replaces operations on numbers by their results, if these are finite.
pub(super) fn fold_constants(operations: Vec<Operation>) -> Vec<Operation> {
    let mut folded: Vec<Operation> = Vec::with_capacity(operations.len());
    for operation in operations {
        let first = folded.len().saturating_sub(operation.takes());
        let is_number = |x: &Operation| matches!(x, Operation::Number(_));
        folded.push(operation);
        let is_foldable =
            operation.takes() > 0 && folded[first..].iter().rev().skip(1).all(is_number);
        if is_foldable && let Some(value) = run_finite(&folded[first..], &[]) {
            folded.truncate(first);
            folded.push(Operation::Number(value));
        }
    }
    folded
}

/// 1 or 0; NaN if an argument is NaN.
fn indicator<T: FormulaScalar>(of: &[T], holds: bool) -> T {
    match of.iter().any(|x| x.value().is_nan()) {
        true => T::constant(f64::NAN),
        false => T::constant(if holds { 1.0 } else { 0.0 }),
    }
}

fn binary<T: FormulaScalar>(operation: Binary, one: T, two: T) -> T {
    let (x, y) = (one.value(), two.value());
    let truth = |holds: bool| indicator(&[one, two], holds);
    match operation {
        Binary::Add => one.plus(two),
        Binary::Subtract => one.minus(two),
        Binary::Multiply => one.times(two),
        Binary::Divide => one.over(two),
        // 0/0 to the power of 0 is 1 elsewhere; here it is passed on
        Binary::Power if x.is_nan() || y.is_nan() => T::constant(f64::NAN),
        Binary::Power => one.power(two),
        Binary::Less => truth(x < y),
        Binary::LessEqual => truth(x <= y),
        Binary::Greater => truth(x > y),
        Binary::GreaterEqual => truth(x >= y),
        Binary::Equal => truth(x == y),
        Binary::Unequal => truth(x != y),
        Binary::And => truth(x != 0.0 && y != 0.0),
        Binary::Or => truth(x != 0.0 || y != 0.0),
    }
}

fn call<T: FormulaScalar>(kind: FunctionKind, x: T) -> T {
    match kind {
        FunctionKind::Abs => x.larger(x.negated()),
        kind if rules::is_step(kind) => x.step(kind),
        kind => x.function(kind),
    }
}

fn call_two<T: FormulaScalar>(kind: FunctionKind, x: T, y: T) -> T {
    match kind {
        FunctionKind::Min => smaller(x, y),
        FunctionKind::Max => larger(x, y),
        FunctionKind::Mod => x.modulo(y),
        FunctionKind::Hypot => x.hypot(y),
        FunctionKind::Atan2 => x.angle(y),
        _ => T::constant(f64::NAN),
    }
}

/// The larger one; NaN if one is NaN.
fn larger<T: FormulaScalar>(x: T, y: T) -> T {
    if y.value().is_nan() { y } else { x.larger(y) }
}

fn smaller<T: FormulaScalar>(x: T, y: T) -> T {
    larger(x.negated(), y.negated()).negated()
}

fn call_three<T: FormulaScalar>(kind: FunctionKind, x: T, y: T, z: T) -> T {
    match kind {
        FunctionKind::If if x.value().is_nan() => x,
        FunctionKind::If if x.value() != 0.0 => y,
        FunctionKind::If => z,
        // bounds in the wrong order
        FunctionKind::Clamp if y.value() > z.value() => T::constant(f64::NAN),
        FunctionKind::Clamp => smaller(larger(x, y), z),
        _ => T::constant(f64::NAN),
    }
}
