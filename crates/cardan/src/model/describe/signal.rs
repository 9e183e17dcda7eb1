//! Signals, first-order states and inputs as users describe them.

use std::fmt;
use std::sync::Arc;

use crate::model::Owner;
use crate::model::values::{GradientClosure, SignalClosure, SignalFormula, SignalFunction};
use cardan_core::system::{Failure, ValidityLimit};

/// A named scalar: a formula of time, channels, other signals, states and inputs, or a function in Rust.
#[derive(Clone, Debug)]
pub struct Signal {
    pub(in crate::model) name: String,
    pub(in crate::model) body: SignalBody,
}

/// How a signal is computed.
#[derive(Clone)]
pub(in crate::model) enum SignalBody {
    Formula(SignalFormula),
    Function {
        arguments: Vec<String>,
        function: Arc<dyn SignalFunction>,
    },
    /// 1 from the instant at which the argument reaches the upper limit until it reaches the lower one, else 0.
    Relay {
        argument: SignalFormula,
        limits: [f64; 2],
        starts_on: bool,
    },
}

impl Signal {
    /// A formula: `Signal::new("error", "target - arm.angle")`.
    pub fn new(name: &str, formula: impl Into<SignalFormula>) -> Self {
        Self { name: name.into(), body: SignalBody::Formula(formula.into()) }
    }

    /// A user-defined function of named channels, signals, states and inputs.
    pub fn function<S: Into<String>>(
        name: &str,
        arguments: impl IntoIterator<Item = S>,
        function: impl SignalFunction + 'static,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self {
            name: name.into(),
            body: SignalBody::Function { arguments, function: Arc::new(function) },
        }
    }

    /// A closure of time and of named channels, signals, states and inputs. Its derivatives are finite differences.
    pub fn closure<S: Into<String>>(
        name: &str,
        arguments: impl IntoIterator<Item = S>,
        value: impl Fn(f64, &[f64]) -> Result<f64, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self::function(name, arguments, SignalClosure(value))
    }

    /// A closure that also writes the derivatives by its arguments.
    pub fn closure_with_gradient<S: Into<String>>(
        name: &str,
        arguments: impl IntoIterator<Item = S>,
        value: impl Fn(f64, &[f64], &mut [f64]) -> Result<f64, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self::function(name, arguments, GradientClosure(value))
    }

    /// A relay with hysteresis: 1 from the accepted step at which the formula reaches `upper` until the one at which
    /// it reaches `lower`, otherwise 0.
    pub fn relay(name: &str, formula: impl Into<SignalFormula>, lower: f64, upper: f64) -> Self {
        let (argument, limits) = (formula.into(), [lower, upper]);
        Self { name: name.into(), body: SignalBody::Relay { argument, limits, starts_on: false } }
    }
}

impl fmt::Debug for SignalBody {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Formula(formula) => write!(out, "{}", formula.text()),
            Self::Function { arguments, .. } => write!(out, "function of {}", arguments.join(", ")),
            Self::Relay { argument, limits: [lower, upper], .. } => {
                write!(out, "relay of {} between {lower} and {upper}", argument.text())
            }
        }
    }
}

/// A first-order state z of the mechanism, with ż or a residual r(…, z, ż) = 0 as a formula.
#[derive(Clone, Debug)]
pub struct StateVariable {
    pub(in crate::model) name: String,
    pub(in crate::model) initial: f64,
    pub(in crate::model) equation: StateEquation,
}

/// The equation of a state.
#[derive(Clone, Debug)]
pub(in crate::model) enum StateEquation {
    /// ż equals the formula.
    Rate(SignalFormula),
    /// The formula, in which `NAME.rate` is ż, equals zero.
    Residual(SignalFormula),
}

impl StateVariable {
    /// A state with a formula of its rate: `StateVariable::new("integral", 0.0, "target - arm.angle")`.
    pub fn new(name: &str, initial: f64, rate: impl Into<SignalFormula>) -> Self {
        Self { name: name.into(), initial, equation: StateEquation::Rate(rate.into()) }
    }

    /// A state with an implicit equation: `StateVariable::implicit("x", 0.0, "T*x.rate + x - u")` means
    /// T ẋ + x − u = 0.
    pub fn implicit(name: &str, initial: f64, residual: impl Into<SignalFormula>) -> Self {
        Self { name: name.into(), initial, equation: StateEquation::Residual(residual.into()) }
    }
}

/// A value that is set from outside between steps.
#[derive(Clone, Debug)]
pub struct InputVariable {
    pub(in crate::model) name: String,
    pub(in crate::model) initial: f64,
}

impl InputVariable {
    /// An input with its value at the start.
    pub fn new(name: &str, initial: f64) -> Self {
        Self { name: name.into(), initial }
    }
}

/// A limit of validity of a part that is composed of signals: a formula that should not exceed a value.
#[derive(Clone, Debug)]
pub(in crate::model) struct SignalLimit {
    pub owner: Owner,
    pub formula: SignalFormula,
    /// With the text of the owner left empty.
    pub limit: ValidityLimit,
}
