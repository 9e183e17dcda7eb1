//! A formula of a compiled model: its value, and its gradient by the chain rule.

use std::fmt;
use std::sync::Arc;

use super::Column;
use crate::expression::Expression;
use crate::model::values::SignalFunction;
use cardan_core::system::difference::{state_unit, step_for};
use cardan_core::system::{Derivative, Failure};

/// An argument of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) enum Argument {
    Time,
    /// A quantity of the model.
    Probe(usize),
    /// Another formula, which comes earlier.
    Formula(usize),
    State(usize),
    /// ż of a state.
    Rate(usize),
    /// A discrete value in q: an input or a memory.
    Discrete(usize),
}

/// How a formula is computed from its arguments.
#[derive(Clone)]
pub(in crate::model) enum FormulaBody {
    Expression(Expression),
    Function(Arc<dyn SignalFunction>),
}

/// A formula with its arguments, and the columns of its gradient.
#[derive(Clone, Debug)]
pub(in crate::model) struct CompiledFormula {
    /// The name for messages: "signal `error`", "force `motor`".
    pub name: String,
    pub body: FormulaBody,
    pub arguments: Vec<Argument>,
    /// Sorted.
    pub columns: Vec<Column>,
    /// The index of its gradient among those of all formulas.
    pub first: usize,
    /// For each argument: the places of its columns among those of the formula.
    pub targets: Vec<Vec<usize>>,
}

impl CompiledFormula {
    /// The value for given arguments.
    pub fn value(&self, t: f64, arguments: &[f64]) -> Result<f64, Failure> {
        match &self.body {
            FormulaBody::Expression(expression) => Ok(expression.of(arguments)),
            FormulaBody::Function(function) => function.value(t, arguments),
        }
    }

    /// The reason why the formula has no value, if a table does not cover an argument.
    pub fn refusal(&self, arguments: &[f64]) -> Option<Failure> {
        match &self.body {
            FormulaBody::Expression(expression) => expression.refusal(arguments).map(Failure::of),
            FormulaBody::Function(_) => None,
        }
    }

    /// Writes the derivatives by the arguments; `arguments` is restored if it is varied. NaN if the function fails.
    pub fn slopes(&self, t: f64, arguments: &mut [f64], slopes: &mut [f64]) {
        let function = match &self.body {
            FormulaBody::Expression(expression) => {
                expression.gradient(arguments, slopes);
                return;
            }
            FormulaBody::Function(function) => function,
        };
        slopes.fill(0.0);
        match function.gradient(t, arguments, slopes) {
            Ok(Derivative::Analytic) => {}
            Ok(Derivative::Differenced) => {
                for k in 0..arguments.len() {
                    let argument = arguments[k];
                    let step = step_for(argument, state_unit(argument.abs()));
                    let sides = [step, -step].map(|step| {
                        arguments[k] = argument + step;
                        function.value(t, arguments).unwrap_or(f64::NAN)
                    });
                    arguments[k] = argument;
                    slopes[k] = (sides[0] - sides[1]) / (2.0 * step);
                }
            }
            Err(_) => slopes.fill(f64::NAN),
        }
    }

    /// The part of the gradients of all formulas that belongs to this one.
    pub fn gradient<'a>(&self, gradients: &'a [f64]) -> &'a [f64] {
        &gradients[self.first..self.first + self.columns.len()]
    }
}

impl fmt::Debug for FormulaBody {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expression(expression) => write!(out, "{}", expression.text()),
            Self::Function(_) => write!(out, "function"),
        }
    }
}
