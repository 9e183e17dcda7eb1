//! Functions of time with their first two derivatives, as drives and loads need them.

use std::fmt;
use std::sync::Arc;

use super::SignalFormula;
use crate::expression::Expression;
use cardan_core::math::Scalar;
use cardan_core::math::generic::Vector3;
use cardan_core::system::Failure;

/// The scalar of a function of time: it carries the first two time derivatives. Its elementary
/// functions come from [`Scalar`].
pub type TimeScalar = num_dual::Dual2_64;

/// A value with its first and second derivative.
pub type TimeJet = [f64; 3];

/// A function of time, or of the state of the machine.
#[derive(Clone)]
pub enum Function {
    /// A constant.
    Constant(f64),
    /// A formula of time.
    Time(Arc<Expression>),
    /// A formula of time, channels, signals, states and inputs; names are resolved when the mechanism is
    /// assembled.
    Formula(Arc<SignalFormula>),
    /// A signal of an assembled model.
    Signal(SignalIndex),
    /// A function that varies with time.
    Varying(Arc<dyn Fn(f64) -> TimeJet + Send + Sync>),
    /// A function that may fail. Examples: a table that ends, a call that raises an error.
    Fallible(Arc<dyn Fn(f64) -> Result<TimeJet, Failure> + Send + Sync>),
}

/// The number of a signal in an assembled model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalIndex(pub(in crate::model) usize);

/// The arguments of the functions of a model at an instant: time, and the values of its signals.
#[derive(Clone, Copy)]
pub(in crate::model) struct FunctionInput<'a, T = f64> {
    pub t: T,
    pub signals: &'a [T],
}

impl<T> FunctionInput<'_, T> {
    /// A time without signals.
    pub fn time(t: T) -> Self {
        Self { t, signals: &[] }
    }
}

impl Function {
    /// A formula in text of time `t`, channels (`arm.angle`), signals, states and inputs:
    /// `Function::formula("k*(target - arm.angle)")`. Its names are resolved when the mechanism is assembled.
    pub fn formula(text: &str) -> Self {
        Self::Formula(Arc::new(SignalFormula::new(text)))
    }

    /// A formula, differentiated exactly: `Function::of(|t| (t * 2.0).sin() * 0.3)`.
    pub fn of(formula: impl Fn(TimeScalar) -> TimeScalar + Send + Sync + 'static) -> Self {
        Self::jet(move |t| {
            let y = formula(TimeScalar::new(t, 1.0, 0.0));
            [y.re, y.v1, y.v2]
        })
    }

    /// A function that returns its value and two derivatives.
    pub fn jet(function: impl Fn(f64) -> TimeJet + Send + Sync + 'static) -> Self {
        Self::Varying(Arc::new(function))
    }

    /// A function that returns its value and two derivatives, or fails with a reason. A failure stops the
    /// run and is reported to the user.
    pub fn fallible(
        function: impl Fn(f64) -> Result<TimeJet, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self::Fallible(Arc::new(function))
    }

    /// The failure at a time; `None` if the function has a value.
    pub(in crate::model) fn failure(&self, t: f64) -> Option<Failure> {
        match self {
            Self::Fallible(function) => function(t).err(),
            // a table that ends has a reason
            Self::Time(formula) => formula.refusal(&[t]).map(Failure::of),
            _ => None,
        }
    }

    /// `value + rate·t`.
    pub fn linear(value: f64, rate: f64) -> Self {
        Self::jet(move |t| [value + rate * t, rate, 0.0])
    }

    /// The function multiplied by a factor.
    pub fn scaled(&self, scale: f64) -> Self {
        match self.clone() {
            Self::Constant(value) => Self::Constant(scale * value),
            Self::Fallible(function) => {
                Self::fallible(move |t| Ok(function(t)?.map(|x| scale * x)))
            }
            Self::Formula(formula) => Self::Formula(Arc::new(formula.scaled(scale))),
            varying => Self::jet(move |t| varying.at(t).map(|x| scale * x)),
        }
    }

    /// Value, first and second derivative at a time; NaN if the function fails.
    #[inline]
    pub fn at(&self, t: f64) -> TimeJet {
        match self {
            Self::Constant(value) => [*value, 0.0, 0.0],
            Self::Time(formula) => formula.jet(t),
            // these depend on more than time
            Self::Formula(_) | Self::Signal(_) => [f64::NAN; 3],
            Self::Varying(function) => function(t),
            Self::Fallible(function) => function(t).unwrap_or([f64::NAN; 3]),
        }
    }

    /// The value at an instant.
    #[inline]
    pub(in crate::model) fn value_at<T: Scalar>(&self, input: FunctionInput<'_, T>) -> T {
        match self {
            Self::Signal(SignalIndex(k)) => {
                input.signals.get(*k).copied().unwrap_or(T::constant(f64::NAN))
            }
            function => function.value(input.t),
        }
    }

    /// Whether it depends on more than time.
    pub(in crate::model) fn is_signal(&self) -> bool {
        matches!(self, Self::Formula(_) | Self::Signal(_))
    }

    /// The value at a time.
    #[inline]
    pub fn value<T: Scalar>(&self, t: T) -> T {
        match self {
            Self::Constant(value) => T::constant(*value),
            _ => t.lift(|t| self.at(t)),
        }
    }

    /// The first derivative at a time.
    #[inline]
    pub(in crate::model) fn rate<T: Scalar>(&self, t: T) -> T {
        t.lift(|t| {
            let [_, rate, acceleration] = self.at(t);
            [rate, acceleration, f64::NAN]
        })
    }

    /// Whether it is a constant.
    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }
}

impl From<Expression> for Function {
    /// A formula of time, with exact derivatives.
    fn from(formula: Expression) -> Self {
        match formula.needs_time() {
            true => Self::Time(Arc::new(formula)),
            false => Self::Constant(formula.value(0.0)),
        }
    }
}

impl From<f64> for Function {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(out, "{value}"),
            Self::Time(formula) => write!(out, "{}", formula.text()),
            Self::Formula(formula) => write!(out, "{}", formula.text()),
            Self::Signal(SignalIndex(k)) => write!(out, "signal {k}"),
            Self::Varying(_) | Self::Fallible(_) => write!(out, "function of time"),
        }
    }
}

/// The values of three functions.
pub(in crate::model) fn vector<T: Scalar>(
    functions: &[Function; 3],
    input: FunctionInput<'_, T>,
) -> Vector3<T> {
    Vector3::from(functions.each_ref().map(|f| f.value_at(input)))
}
