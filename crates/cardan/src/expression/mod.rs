//! Formulas of time and parameters, with exact derivatives and located errors.
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
//! From loosest to tightest: `or`, `and`, `not`, comparisons (`< <= > >= == !=`, with the value 1 or 0), `+ -`,
//! `* /`, signs, `^` (to the right: `2^3^2` is 512, and `-3^2` is −9). [`FUNCTIONS`] lists the
//! functions; `pi`, `e` and `deg` (π/180) are constants.
//!
//! Derivatives are those towards larger values of the variable: at a kink, such as that of `abs(t)` at 0, the
//! one on the right. `if` has the derivatives of the branch that is chosen; `sign`, `floor`, `ceil`, `round` and
//! comparisons have derivative zero, at their jumps too. Where a derivative is infinite, or does not exist, it
//! is not finite.

mod arguments;
mod error;
mod evaluate;
mod expansion;
mod formula;
mod function;
mod jumps;
mod lexer;
mod names;
mod noise;
mod operation;
mod parser;
mod rules;
mod scalar;
mod series;
mod switch;

pub use error::ExpressionError;
pub use formula::Expression;
pub use function::{FUNCTIONS, FunctionInfo};
pub use jumps::{Jump, MAX_JUMPS};
#[cfg(feature = "file")]
pub(crate) use names::FormulaTables;
pub(crate) use names::{Channels, FormulaNames, NameSet};
pub(crate) use operation::Operation;
pub(crate) use parser::VariableSource;
