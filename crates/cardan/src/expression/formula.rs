//! A parsed formula and its values and derivatives.

use std::sync::Arc;

use super::error::ExpressionError;
use super::evaluate::{self, Needed};
use super::function::FunctionKind;
use super::names::{Channels, FormulaNames, FormulaTables, NameSet};
use super::operation::Operation;
use super::parser::{self, FoundVariable, Parsed};
use crate::table::{OutsideTable, Table};

/// A formula, parsed and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    /// In postfix order.
    operations: Vec<Operation>,
    /// Whether a variable occurs in it.
    varies: bool,
    /// The variables that were found in the text; they follow the given ones.
    found: Vec<FoundVariable>,
}

impl Expression {
    /// Parses a formula of the names that are given.
    pub(crate) fn parse_in(text: &str, names: FormulaNames<'_>) -> Result<Self, ExpressionError> {
        let Parsed { operations, found } = parser::parse(text, names)?;
        Ok(Self { found, ..Self::of_operations(text, operations) })
    }

    /// A formula with given operations.
    pub(crate) fn of_operations(text: &str, operations: Vec<Operation>) -> Self {
        let is_variable = |operation: &Operation| matches!(operation, Operation::Variable(_));
        let varies = operations.iter().any(is_variable);
        let operations = evaluate::fold_constants(operations);
        Self { text: text.into(), operations, varies, found: Vec::new() }
    }

    /// Parses a formula of `t` and of named values.
    pub fn parse(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        Self::parse_with(text, names, &["t"])
    }

    /// Parses a formula of `t`, of named values, and of tables, which are functions with their names.
    pub fn parse_with_tables(
        text: &str,
        names: &[(&str, f64)],
        tables: &[Arc<Table>],
    ) -> Result<Self, ExpressionError> {
        let tables: &dyn FormulaTables = &tables;
        Self::parse_in(text, FormulaNames { tables, ..FormulaNames::new(names, &["t"]) })
    }

    /// Parses a formula of named values alone.
    pub fn parse_number(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        Self::parse_with(text, names, &[])
    }

    /// Parses a formula of `s` instead of time.
    pub fn parse_curve(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        Self::parse_with(text, names, &["s"])
    }

    /// Parses a formula of any variables; [`Expression::of`] evaluates it.
    pub fn parse_of(text: &str, variables: &[&str]) -> Result<Self, ExpressionError> {
        let names =
            FormulaNames { channels: Channels::Quoted, ..FormulaNames::new(&[], variables) };
        Self::parse_in(text, names)
    }

    /// Parses a formula of given variables and of named values.
    pub(crate) fn parse_with(
        text: &str,
        names: &[(&str, f64)],
        variables: &[&str],
    ) -> Result<Self, ExpressionError> {
        Self::parse_in(text, FormulaNames::new(names, variables))
    }

    /// Parses a formula of given variables, of channels (names with points), and of the known names without points:
    /// signals, states and inputs. Those that occur in the text follow the given variables.
    pub(crate) fn parse_open(
        text: &str,
        names: &[(&str, f64)],
        variables: &[&str],
        known: &NameSet,
    ) -> Result<Self, ExpressionError> {
        let channels = Channels::Named(known);
        Self::parse_in(text, FormulaNames { channels, ..FormulaNames::new(names, variables) })
    }

    /// A constant.
    pub(crate) fn constant(value: f64) -> Self {
        Self::of_operations(&format!("{value:?}"), vec![Operation::Number(value)])
    }

    /// Whether a variable occurs in it.
    pub(crate) fn uses_variable(&self, k: usize) -> bool {
        self.operations.iter().any(|x| matches!(x, Operation::Variable(i) if *i == k))
    }

    /// Whether it contains a function of variables that may change its value abruptly: `tanh` or `sign`. Calls with
    /// constants are numbers.
    pub(crate) fn has_abrupt_function(&self) -> bool {
        let is_abrupt = |operation: &Operation| {
            matches!(operation, Operation::Call(FunctionKind::Tanh | FunctionKind::Sign))
        };
        self.operations.iter().any(is_abrupt)
    }

    /// The variables that were found in the text; they follow the given ones.
    pub(crate) fn found(&self) -> &[FoundVariable] {
        &self.found
    }

    /// The operations in postfix order.
    pub(crate) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The formula multiplied by a factor.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        if factor != 1.0 {
            let binary = Operation::Binary(super::operation::Binary::Multiply);
            self.operations.extend([Operation::Number(factor), binary]);
        }
        self
    }

    /// The formula with each variable replaced by operations; `None` if it becomes too long.
    pub(crate) fn substituted(&self, variables: &[&[Operation]]) -> Option<Self> {
        let mut operations = Vec::new();
        for operation in &self.operations {
            match operation {
                Operation::Variable(k) => operations.extend_from_slice(variables.get(*k)?),
                other => operations.push(other.clone()),
            }
            if operations.len() > MAX_OPERATIONS {
                return None;
            }
        }
        parser::fits_stack(&operations).then(|| Self::of_operations(&self.text, operations))
    }

    /// The value for those variables, in their order. It is NaN if one that occurs in the formula is not
    /// given; additional values have no effect.
    pub fn of(&self, variables: &[f64]) -> f64 {
        evaluate::value(&self.operations, variables)
    }

    /// The value for those variables, and its derivatives by each of them towards larger values.
    pub(crate) fn gradient(&self, variables: &[f64], gradient: &mut [f64]) -> f64 {
        evaluate::gradient(&self.operations, variables, gradient)
    }

    /// The value for two variables, and its derivatives by each of them.
    pub(crate) fn slopes(&self, variables: [f64; 2]) -> [f64; 3] {
        let (value, [[first, _], [second, _]]) =
            evaluate::derivatives(&self.operations, variables, Needed::One);
        [value, first, second]
    }

    /// The value for those variables if it and everything that it is computed from is finite: a comparison with
    /// infinity or with NaN has none.
    pub fn of_finite(&self, variables: &[f64]) -> Option<f64> {
        evaluate::run_finite(&self.operations, variables)
    }

    /// The first table of the formula that has no value for those variables, and why; `None` if all tables have one.
    pub fn refusal(&self, variables: &[f64]) -> Option<OutsideTable> {
        evaluate::refusal(&self.operations, variables)
    }

    /// Whether a table occurs in it.
    pub(crate) fn has_tables(&self) -> bool {
        self.operations.iter().any(|operation| matches!(operation, Operation::Table(_)))
    }

    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a variable occurs in it: time, or another variable it was parsed with.
    pub fn needs_time(&self) -> bool {
        self.varies
    }

    /// The value at a time; NaN if the formula has other variables than one.
    pub fn value(&self, t: f64) -> f64 {
        evaluate::value(&self.operations, &[t])
    }

    /// Value, first and second time derivative at a time; NaN if the formula has other variables than one.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        let (value, [[first, second]]) = evaluate::derivatives(&self.operations, [t], Needed::Two);
        [value, first, second]
    }
}

/// The most operations of a formula whose variables were replaced by other formulas.
const MAX_OPERATIONS: usize = 20_000;
