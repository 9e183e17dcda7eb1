//! Functions of time with their first two derivatives, as drives and loads need them.

use std::fmt;
use std::sync::Arc;

use crate::math::Scalar;
use crate::math::generic::Vector3;

/// The scalar through which a function of time is written: it carries two derivatives along. Its
/// elementary functions come from [`Scalar`].
pub type Time = num_dual::Dual2_64;

/// A value with its first and second derivative.
pub type Jet = [f64; 3];

/// A function of time.
#[derive(Clone)]
pub enum Function {
    /// The same at all times.
    Constant(f64),
    /// Anything else.
    Varying(Arc<dyn Fn(f64) -> Jet + Send + Sync>),
}

impl Function {
    /// A formula, differentiated exactly: `Function::of(|t| (t * 2.0).sin() * 0.3)`.
    pub fn of(formula: impl Fn(Time) -> Time + Send + Sync + 'static) -> Self {
        Self::jet(move |t| {
            let y = formula(Time::new(t, 1.0, 0.0));
            [y.re, y.v1, y.v2]
        })
    }

    /// A function that gives its value and two derivatives itself.
    pub fn jet(function: impl Fn(f64) -> Jet + Send + Sync + 'static) -> Self {
        Self::Varying(Arc::new(function))
    }

    /// `value + rate·t`.
    pub fn linear(value: f64, rate: f64) -> Self {
        Self::jet(move |t| [value + rate * t, rate, 0.0])
    }

    /// A multiple of it.
    pub fn scaled(&self, scale: f64) -> Self {
        match self.clone() {
            Self::Constant(value) => Self::Constant(scale * value),
            varying => Self::jet(move |t| varying.at(t).map(|x| scale * x)),
        }
    }

    /// Value, first and second derivative at a time.
    pub fn at(&self, t: f64) -> Jet {
        match self {
            Self::Constant(value) => [*value, 0.0, 0.0],
            Self::Varying(function) => function(t),
        }
    }

    /// The value at a time.
    #[inline]
    pub fn value<T: Scalar>(&self, t: T) -> T {
        t.lift(|t| self.at(t))
    }

    /// The first derivative at a time.
    #[inline]
    pub(in crate::model) fn rate<T: Scalar>(&self, t: T) -> T {
        t.lift(|t| {
            let [_, rate, acceleration] = self.at(t);
            [rate, acceleration, f64::NAN]
        })
    }

    /// Whether it is known not to change.
    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
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
            Self::Varying(_) => write!(out, "function of time"),
        }
    }
}

/// The values of three functions.
pub(in crate::model) fn vector<T: Scalar>(functions: &[Function; 3], t: T) -> Vector3<T> {
    Vector3::from(functions.each_ref().map(|f| f.value(t)))
}
