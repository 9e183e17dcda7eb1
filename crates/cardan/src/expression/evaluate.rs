//! Values of formulas, over plain numbers and over numbers that carry derivatives.

use super::expansion::Expansion;
use super::function::FunctionKind;
use super::operation::{Binary, MAX_STACK, Operation};
use super::rules;
use super::scalar::FormulaScalar;
use super::series::Series;
use crate::table::OutsideTable;

/// The most arguments of a function.
const MAX_ARGUMENTS: usize = 5;

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

/// The variables that one pass differentiates by.
const LANES: usize = 4;

/// The value for variables, and its derivatives by each of them, towards larger values.
pub(super) fn gradient(operations: &[Operation], variables: &[f64], gradient: &mut [f64]) -> f64 {
    for first in (0..variables.len()).step_by(LANES) {
        let lanes = first..variables.len().min(first + LANES);
        let variable = |k: usize| match lanes.contains(&k) {
            true => Series::<LANES>::variable(variables[k], k - first),
            false => Series::constant(variables[k]),
        };
        let slopes = run_with(operations, variable, variables.len()).slopes;
        for (k, slope) in lanes.zip(slopes) {
            gradient[k] = slope.first;
            if !slope.first.is_finite() {
                let expanded = |i: usize| match i == k {
                    true => Expansion::variable(variables[i]),
                    false => Expansion::constant(variables[i]),
                };
                let [found, _] = run_with(operations, expanded, variables.len()).derivatives();
                if slope.first.is_nan() || !found.is_nan() {
                    gradient[k] = found;
                }
            }
        }
    }
    value(operations, variables)
}

/// How many derivatives are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    One,
    Two,
}

/// Evaluates operations over given variables.
fn run<T: FormulaScalar>(operations: &[Operation], variables: &[T]) -> T {
    run_with(operations, |k| variables[k], variables.len())
}

/// Evaluates operations in postfix order; the parser has checked the depth of the stack. A variable from `count` on is
/// not a number.
fn run_with<T: FormulaScalar>(
    operations: &[Operation],
    variable: impl Fn(usize) -> T,
    count: usize,
) -> T {
    let nothing = T::constant(f64::NAN);
    let mut stack = [nothing; MAX_STACK];
    let mut top = 0;
    for operation in operations {
        let first = top - operation.takes();
        let value = match (operation, &stack[first..top]) {
            (Operation::Number(x), _) => T::constant(*x),
            (Operation::Variable(k), _) => {
                if *k < count {
                    variable(*k)
                } else {
                    nothing
                }
            }
            (Operation::Negate, &[x]) => x.negated(),
            (Operation::Not, &[x]) => indicator(&[x], x.value() == 0.0),
            (Operation::Binary(operation), &[x, y]) => binary(*operation, x, y),
            (Operation::Call(kind), arguments) => call(*kind, arguments),
            (Operation::Table(table), &[x]) => x.lookup(table),
            (Operation::Table(table), &[x, y]) => x.lookup_map(y, table),
            (Operation::Noise(noise), &[t]) => t.noise(noise),
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
        let value = match (operation, &stack[first..top]) {
            (Operation::Number(x), _) => Some(*x),
            (Operation::Variable(k), _) => variables.get(*k).copied(),
            (Operation::Call(FunctionKind::If), &[Some(condition), then, other]) => {
                if condition == 0.0 { other } else { then }
            }
            // one side may determine the result
            (Operation::Binary(Binary::And), &[None, Some(0.0)] | &[Some(0.0), None]) => Some(0.0),
            (Operation::Binary(Binary::Or), &[None, Some(x)] | &[Some(x), None]) if x != 0.0 => {
                Some(1.0)
            }
            (operation, arguments) => {
                finite_arguments(arguments).and_then(|(all, count)| apply(operation, &all[..count]))
            }
        };
        stack[first] = value.filter(|x: &f64| x.is_finite());
        top = first + 1;
    }
    stack[0]
}

/// The arguments and how many they are, if all of them are finite.
fn finite_arguments(arguments: &[Option<f64>]) -> Option<([f64; MAX_ARGUMENTS], usize)> {
    let mut all = [0.0; MAX_ARGUMENTS];
    for (value, argument) in all.iter_mut().zip(arguments) {
        *value = (*argument)?;
    }
    Some((all, arguments.len()))
}

/// An operation on plain numbers.
pub(super) fn apply(operation: &Operation, arguments: &[f64]) -> Option<f64> {
    Some(match (operation, arguments) {
        (Operation::Negate, &[x]) => -x,
        (Operation::Not, &[x]) => indicator(&[x], x == 0.0),
        (Operation::Binary(operation), &[x, y]) => binary(*operation, x, y),
        (Operation::Call(kind), arguments) => call(*kind, arguments),
        (Operation::Table(table), &[x]) => x.lookup(table),
        (Operation::Table(table), &[x, y]) => x.lookup_map(y, table),
        (Operation::Noise(noise), &[t]) => t.noise(noise),
        _ => return None,
    })
}

/// The first table that has no value for its arguments, and why. Branches of `if` that are not taken do not count.
pub(super) fn refusal(operations: &[Operation], variables: &[f64]) -> Option<OutsideTable> {
    let mut stack = [const { (f64::NAN, None) }; MAX_STACK];
    let mut top = 0;
    for operation in operations {
        let first = top - operation.takes();
        let mut values = [f64::NAN; MAX_ARGUMENTS];
        values.iter_mut().zip(&stack[first..top]).for_each(|(value, entry)| *value = entry.0);
        let values = &values[..operation.takes()];
        let mut reasons = stack[first..top].iter_mut().map(|entry| entry.1.take());
        stack[first] = match operation {
            Operation::Number(x) => (*x, None),
            Operation::Variable(k) => (variables.get(*k).copied().unwrap_or(f64::NAN), None),
            Operation::Call(FunctionKind::If) => {
                let [condition, then, other] = [0; 3].map(|_| reasons.next().flatten());
                let chosen = if values[0] == 0.0 { other } else { then };
                (call(FunctionKind::If, values), condition.or(chosen))
            }
            operation => {
                let reason = reasons.find_map(|reason| reason);
                let own = match operation {
                    Operation::Table(table) => table.refusal(values),
                    _ => None,
                };
                (apply(operation, values).unwrap_or(f64::NAN), reason.or(own))
            }
        };
        top = first + 1;
    }
    stack[0].1.take()
}

/// Replaces operations on numbers by their results, if these are finite.
pub(super) fn fold_constants(operations: Vec<Operation>) -> Vec<Operation> {
    let mut folded: Vec<Operation> = Vec::with_capacity(operations.len());
    for operation in operations {
        let first = folded.len().saturating_sub(operation.takes());
        let is_number = |x: &Operation| matches!(x, Operation::Number(_));
        let takes = operation.takes();
        folded.push(operation);
        let is_foldable = takes > 0 && folded[first..].iter().rev().skip(1).all(is_number);
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

#[inline]
fn call<T: FormulaScalar>(kind: FunctionKind, arguments: &[T]) -> T {
    match *arguments {
        [x] => call_one(kind, x),
        [x, y] => call_two(kind, x, y),
        [x, y, z] => call_three(kind, x, y, z),
        [x, a, b, c] => call_four(kind, x, [a, b, c]),
        [x, a, b, c, d] => call_five(kind, x, [a, b, c, d]),
        _ => T::constant(f64::NAN),
    }
}

fn call_one<T: FormulaScalar>(kind: FunctionKind, x: T) -> T {
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
        FunctionKind::Step => x.minus(y).step(kind),
        FunctionKind::Sawtooth if y.value() > 0.0 => x.modulo(y).over(y),
        FunctionKind::DeadBand if y.value() >= 0.0 => x.minus(smaller(larger(x, y.negated()), y)),
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
        FunctionKind::Smoothstep if y.value() < z.value() => {
            let u = ramp(x, y, z);
            u.times(u).times(T::constant(3.0).minus(u.plus(u)))
        }
        _ => T::constant(f64::NAN),
    }
}

/// From 0 at a to 1 at b, and constant outside.
fn ramp<T: FormulaScalar>(x: T, a: T, b: T) -> T {
    let u = x.minus(a).over(b.minus(a));
    smaller(larger(u, T::constant(0.0)), T::constant(1.0))
}

fn call_four<T: FormulaScalar>(kind: FunctionKind, x: T, [a, b, c]: [T; 3]) -> T {
    match kind {
        FunctionKind::Pulse => {
            let [x, start, width, period] = [x, a, b, c].map(T::value);
            let is_valid = period > 0.0 && width >= 0.0 && width <= period;
            let holds = x >= start && rules::modulo(x - start, period) < width;
            match is_valid && !(x - start).is_nan() {
                true => T::constant(if holds { 1.0 } else { 0.0 }),
                false => T::constant(f64::NAN),
            }
        }
        // the phase over 2π: f₀ x + (f₁ − f₀) (u²/(2 T) + w), u from 0 to the duration T, w the time after it
        FunctionKind::Chirp if c.value() > 0.0 => {
            let zero = T::constant(0.0);
            let u = smaller(larger(x, zero), c);
            let after = larger(x.minus(c), zero);
            let rise = u.times(u).over(c.plus(c)).plus(after);
            let turns = a.times(x).plus(b.minus(a).times(rise));
            turns.times(T::constant(std::f64::consts::TAU)).function(FunctionKind::Sin)
        }
        _ => T::constant(f64::NAN),
    }
}

fn call_five<T: FormulaScalar>(kind: FunctionKind, x: T, [a, ya, b, yb]: [T; 4]) -> T {
    match kind {
        // ya + (yb − ya) sin²(π u/2), which is (1 − cos π u)/2 without cancellation
        FunctionKind::Haversine if a.value() < b.value() => {
            let quarter = T::constant(std::f64::consts::FRAC_PI_2);
            let sine = ramp(x, a, b).times(quarter).function(FunctionKind::Sin);
            ya.plus(yb.minus(ya).times(sine.times(sine)))
        }
        _ => T::constant(f64::NAN),
    }
}
