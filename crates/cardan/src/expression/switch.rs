//! The branches of a formula: where its operations switch, as levels of an argument.

use super::evaluate;
use super::function::FunctionKind;
use super::operation::{Binary, Operation};

/// A place where a formula switches: an argument that passes a level.
pub(super) struct Switch {
    /// A formula of the same variables.
    pub argument: Vec<Operation>,
    pub levels: Levels,
}

/// The levels at which an argument switches a branch.
pub(super) enum Levels {
    /// In rising order.
    List(Vec<f64>),
    /// The multiples of a number, moved by an offset.
    Multiples { spacing: f64, offset: f64 },
}

impl Levels {
    /// The number of the space between two levels; a value on a level belongs to the space above it.
    pub fn cell(&self, x: f64) -> f64 {
        match self {
            _ if x.is_nan() => f64::NEG_INFINITY,
            Self::List(levels) => levels.partition_point(|level| *level <= x) as f64,
            Self::Multiples { spacing, offset } => ((x - offset) / spacing).floor(),
        }
    }
}

/// All switches of a formula, inner ones before those that depend on them.
pub(super) fn switches(operations: &[Operation]) -> Vec<Switch> {
    let mut found = Vec::new();
    // where the operations of each value on the stack begin
    let mut starts: Vec<usize> = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        let first = starts.len() - operation.takes();
        let argument = |k: usize| {
            let end = starts.get(first + k + 1).copied().unwrap_or(at);
            &operations[starts[first + k]..end]
        };
        add(operation, &argument, &mut found);
        let start = starts.get(first).copied().unwrap_or(at);
        starts.truncate(first);
        starts.push(start);
    }
    let varies = |switch: &Switch| {
        switch.argument.iter().any(|operation| matches!(operation, Operation::Variable(_)))
    };
    found.retain(varies);
    found
}

fn joined(x: &[Operation], y: &[Operation], operation: Binary) -> Vec<Operation> {
    [x, y, &[Operation::Binary(operation)]].concat()
}

/// Adds the switches of one operation.
fn add<'a>(
    operation: &'a Operation,
    argument: &dyn Fn(usize) -> &'a [Operation],
    found: &mut Vec<Switch>,
) {
    let mut at_zero = |argument: Vec<Operation>| {
        found.push(Switch { argument, levels: Levels::List(vec![0.0]) });
    };
    let difference = |i: usize, j: usize| joined(argument(i), argument(j), Binary::Subtract);
    match operation {
        Operation::Binary(
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual,
        ) => at_zero(difference(0, 1)),
        Operation::Call(kind) => match kind {
            FunctionKind::Abs | FunctionKind::Sign => at_zero(argument(0).to_vec()),
            FunctionKind::Min | FunctionKind::Max | FunctionKind::Step => at_zero(difference(0, 1)),
            FunctionKind::Clamp | FunctionKind::Smoothstep => {
                [1, 2].into_iter().for_each(|k| at_zero(difference(0, k)));
            }
            FunctionKind::Haversine => {
                [1, 3].into_iter().for_each(|k| at_zero(difference(0, k)));
            }
            FunctionKind::Chirp => {
                at_zero(argument(0).to_vec());
                at_zero(difference(0, 3));
            }
            FunctionKind::DeadBand => {
                at_zero(difference(0, 1));
                at_zero(joined(argument(0), argument(1), Binary::Add));
            }
            FunctionKind::Floor | FunctionKind::Ceil => {
                let levels = Levels::Multiples { spacing: 1.0, offset: 0.0 };
                found.push(Switch { argument: argument(0).to_vec(), levels });
            }
            FunctionKind::Round => {
                let levels = Levels::Multiples { spacing: 1.0, offset: 0.5 };
                found.push(Switch { argument: argument(0).to_vec(), levels });
            }
            FunctionKind::Mod | FunctionKind::Sawtooth => {
                found.push(multiples(argument(0).to_vec(), argument(1)));
            }
            FunctionKind::Pulse => {
                let since_start = difference(0, 1);
                at_zero(since_start.clone());
                let since_end = joined(&since_start, argument(2), Binary::Subtract);
                found.push(multiples(since_start, argument(3)));
                found.push(multiples(since_end, argument(3)));
            }
            _ => {}
        },
        Operation::Table(table) => {
            for k in 0..table.dimension() {
                let levels = Levels::List(table.breakpoints(k));
                found.push(Switch { argument: argument(k).to_vec(), levels });
            }
        }
        _ => {}
    }
}

/// A switch at the multiples of a period, which may vary.
fn multiples(argument: Vec<Operation>, period: &[Operation]) -> Switch {
    match Line::of(period) {
        Some(Line { value, slope: 0.0 }) => {
            let levels = Levels::Multiples { spacing: value.abs(), offset: 0.0 };
            Switch { argument, levels }
        }
        _ => {
            let levels = Levels::Multiples { spacing: 1.0, offset: 0.0 };
            Switch { argument: joined(&argument, period, Binary::Divide), levels }
        }
    }
}

/// value + slope·t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub value: f64,
    pub slope: f64,
}

impl Line {
    /// A formula of one variable that is a straight line as it is written; `None` for others.
    pub fn of(operations: &[Operation]) -> Option<Self> {
        let mut stack: Vec<Self> = Vec::new();
        for operation in operations {
            let arguments = stack.split_off(stack.len() - operation.takes());
            let line = |value, slope| Self { value, slope };
            let is_constant = arguments.iter().all(|line| line.slope == 0.0);
            stack.push(match (operation, arguments.as_slice()) {
                (Operation::Number(x), _) => line(*x, 0.0),
                (Operation::Variable(_), _) => line(0.0, 1.0),
                (operation, arguments) if is_constant => {
                    let values: Vec<f64> = arguments.iter().map(|line| line.value).collect();
                    line(evaluate::apply(operation, &values)?, 0.0)
                }
                (Operation::Negate, [x]) => line(-x.value, -x.slope),
                (Operation::Binary(operation), [x, y]) => match operation {
                    Binary::Add => line(x.value + y.value, x.slope + y.slope),
                    Binary::Subtract => line(x.value - y.value, x.slope - y.slope),
                    Binary::Multiply if y.slope == 0.0 => {
                        line(x.value * y.value, x.slope * y.value)
                    }
                    Binary::Multiply if x.slope == 0.0 => {
                        line(x.value * y.value, x.value * y.slope)
                    }
                    Binary::Divide if y.slope == 0.0 => line(x.value / y.value, x.slope / y.value),
                    _ => return None,
                },
                _ => return None,
            });
        }
        stack.pop()
    }
}
