//! A parsed formula and its values and derivatives.

use std::sync::Arc;

use super::error::ExpressionError;
use super::evaluate::{self, Needed};
use super::operation::Operation;
use super::parser::{self, Channels};
use crate::model::{Function, Law, LawResponse, TimeJet};

/// A formula, parsed and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    /// In postfix order.
    operations: Vec<Operation>,
    /// Whether a variable occurs in it.
    varies: bool,
}

impl Expression {
    fn new(
        text: &str,
        names: &[(&str, f64)],
        variables: &[&str],
        channels: Channels,
    ) -> Result<Self, ExpressionError> {
        let operations = parser::parse(text, names, variables, channels)?;
        let is_variable = |operation: &Operation| matches!(operation, Operation::Variable(_));
        let varies = operations.iter().any(is_variable);
        let operations = evaluate::fold_constants(operations);
        Ok(Self { text: text.into(), operations, varies })
    }

    /// Parses a formula of `t` and of named values.
    pub fn parse(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        Self::new(text, names, &["t"], Channels::None)
    }

    /// Parses a formula of named values alone.
    pub fn parse_number(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        Self::new(text, names, &[], Channels::None)
    }

    /// Parses a formula of `s` instead of time.
    pub fn parse_curve(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        Self::new(text, names, &["s"], Channels::None)
    }

    /// Parses a force law: a formula of `x`, the length or coordinate, and `v`, its rate.
    pub fn parse_law(text: &str, names: &[(&str, f64)]) -> Result<Law, ExpressionError> {
        let formula = Self::new(text, names, &["x", "v"], Channels::None)?;
        Ok(Law::General(Arc::new(move |x, v| {
            let (force, slopes) = evaluate::derivatives(&formula.operations, [x, v], Needed::One);
            let [[stiffness, _], [damping, _]] = slopes;
            LawResponse { force, stiffness, damping }
        })))
    }

    /// Parses a formula of any variables; [`Expression::of`] evaluates it.
    pub fn parse_of(text: &str, variables: &[&str]) -> Result<Self, ExpressionError> {
        Self::new(text, &[], variables, Channels::Quoted)
    }

    /// The value for those variables, in their order. It is NaN if one that occurs in the formula is not
    /// given; additional values have no effect.
    pub fn of(&self, variables: &[f64]) -> f64 {
        evaluate::value(&self.operations, variables)
    }

    /// The value for those variables if it and everything that it is computed from is finite: a comparison with
    /// infinity or with NaN has none.
    pub fn of_finite(&self, variables: &[f64]) -> Option<f64> {
        evaluate::run_finite(&self.operations, variables)
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
    pub fn jet(&self, t: f64) -> TimeJet {
        let (value, [[first, second]]) = evaluate::derivatives(&self.operations, [t], Needed::Two);
        [value, first, second]
    }

    /// The formula as a function that drives and loads take.
    pub fn into_function(self) -> Function {
        match self.varies {
            true => Function::jet(move |t| self.jet(t)),
            false => Function::Constant(self.value(0.0)),
        }
    }
}
