//! Formulas of time and parameters, with exact derivatives and errors that know their place.
//!
//! ```
//! use cardan::expression::Expression;
//!
//! let swing = Expression::parse("a*sin(2*pi*t) + 30*deg", &[("a", 0.5)]).unwrap();
//! let [value, rate, acceleration] = swing.jet(0.25);
//! # assert!((value - (0.5 + 30_f64.to_radians())).abs() < 1e-15);
//! # assert!(rate.abs() < 1e-14 && (acceleration + 0.5 * (2.0 * std::f64::consts::PI).powi(2)).abs() < 1e-12);
//! ```
//!
//! From loosest to tightest: `or`, `and`, `not`, comparisons (`< <= > >= == !=`, worth 1 or 0), `+ -`,
//! `* /`, signs, `^` (to the right: `2^3^2` is 512, and `-3^2` is −9). [`FUNCTIONS`] lists the
//! functions; `pi`, `e` and `deg` (π/180) are constants.
//!
//! Derivatives are those towards larger values of the variable: at a kink, such as that of `abs(t)` at 0, the
//! one on the right. `if` has the derivatives of the branch that is chosen; `sign`, `floor`, `ceil`, `round` and
//! comparisons have derivative zero, at their jumps too. Where a derivative is infinite, or does not exist, it
//! is not finite.

mod error;
mod evaluate;
mod expansion;
mod function;
mod lexer;
mod parser;
mod rules;
mod series;

pub use error::ExpressionError;
pub use function::{FUNCTIONS, FunctionInfo};

use std::sync::Arc;

use crate::model::{Function, Law, LawResponse, TimeJet};
use evaluate::{Needed, Operation};
use parser::Channels;

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
    /// Parses a formula of `t` and of named values.
    pub fn parse(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        parser::parse(text, names, &["t"], Channels::None)
    }

    /// Parses a formula of named values alone.
    pub fn parse_number(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        parser::parse(text, names, &[], Channels::None)
    }

    /// Parses a formula of `s` instead of time.
    pub fn parse_curve(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        parser::parse(text, names, &["s"], Channels::None)
    }

    /// Parses a force law: a formula of `x`, the length or coordinate, and `v`, its rate.
    pub fn parse_law(text: &str, names: &[(&str, f64)]) -> Result<Law, ExpressionError> {
        let formula = parser::parse(text, names, &["x", "v"], Channels::None)?;
        Ok(Law::General(Arc::new(move |x, v| {
            let (force, slopes) = evaluate::derivatives(&formula.operations, [x, v], Needed::One);
            let [[stiffness, _], [damping, _]] = slopes;
            LawResponse { force, stiffness, damping }
        })))
    }

    /// Parses a formula of any variables; [`Expression::of`] evaluates it.
    pub fn parse_of(text: &str, variables: &[&str]) -> Result<Self, ExpressionError> {
        parser::parse(text, &[], variables, Channels::Quoted)
    }

    /// The value for those variables, in their order. It is NaN if one that occurs in the formula is not
    /// given; what is given beyond them has no effect.
    pub fn of(&self, variables: &[f64]) -> f64 {
        evaluate::value(&self.operations, variables)
    }

    /// The value for those variables if it and everything that it is computed from is finite: a comparison with
    /// infinity or with what is not a number has none.
    pub fn of_finite(&self, variables: &[f64]) -> Option<f64> {
        evaluate::run_finite(&self.operations, variables)
    }

    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a variable occurs in it: time, or what else it was parsed for.
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
