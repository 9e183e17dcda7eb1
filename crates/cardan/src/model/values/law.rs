//! Force laws: the force along a measure as a function of the measure and its rate.

use std::fmt;
use std::sync::Arc;

use super::{Function, FunctionInput, SignalFormula, SignalIndex};
use crate::expression::{Expression, ExpressionError, FormulaNames};
use crate::table::Table;
use cardan_core::math::Scalar;
use cardan_core::system::Failure;

/// The scalar of a force law: it carries the derivatives with respect to the measure and its rate. Its
/// elementary functions come from [`Scalar`].
pub type LawScalar = num_dual::DualSVec64<2>;

/// A force with its derivatives with respect to the measure s and its rate ṡ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LawResponse {
    /// The force F.
    pub force: f64,
    /// The derivative ∂F/∂s.
    pub stiffness: f64,
    /// The derivative ∂F/∂ṡ.
    pub damping: f64,
}

impl LawResponse {
    /// The response of a law that failed.
    const NOT_A_NUMBER: Self = Self { force: f64::NAN, stiffness: f64::NAN, damping: f64::NAN };
}

/// The force F(t, s, ṡ) that decreases a measure s; its generalized force is −F ∂s/∂q.
#[derive(Clone)]
pub enum Law<T = f64> {
    /// k (s − s₀) + c ṡ.
    Linear {
        /// Stiffness k.
        stiffness: T,
        /// Damping coefficient c.
        damping: T,
        /// Rest value s₀.
        rest: T,
    },
    /// Green's strain: EA (s² − L²)/(2L²) · s/L.
    Truss {
        /// Axial stiffness EA.
        stiffness: T,
        /// Relaxed length L.
        length: T,
    },
    /// −u(t): an actuator whose force u increases s.
    Actuator(Function),
    /// A formula of `x`, `v`, time, channels, signals, states and inputs; names are resolved when the mechanism is
    /// assembled.
    Formula(Arc<SignalFormula>),
    /// The force F as a signal of an assembled model.
    Signal(SignalIndex),
    /// A general F(s, ṡ).
    General(Arc<dyn Fn(f64, f64) -> LawResponse + Send + Sync>),
    /// A general F(s, ṡ) that may fail.
    Fallible(Arc<dyn Fn(f64, f64) -> Result<LawResponse, Failure> + Send + Sync>),
}

impl Law {
    /// A formula F(s, ṡ), differentiated exactly.
    pub fn of(formula: impl Fn(LawScalar, LawScalar) -> LawScalar + Send + Sync + 'static) -> Self {
        Self::General(Arc::new(move |s, rate| {
            let unit =
                |i| num_dual::Derivative::derivative_generic(nalgebra::Const, nalgebra::U1, i);
            let force = formula(LawScalar::new(s, unit(0)), LawScalar::new(rate, unit(1)));
            let slope = force.eps.unwrap_generic(nalgebra::Const, nalgebra::U1);
            LawResponse { force: force.re, stiffness: slope[0], damping: slope[1] }
        }))
    }

    /// A formula of `x`, the length or coordinate, and `v`, its rate, and of named values; differentiated exactly.
    pub fn formula(text: &str, names: &[(&str, f64)]) -> Result<Self, ExpressionError> {
        let formula = Expression::parse_with(text, names, &["x", "v"])?;
        Ok(Self::of_expression(formula))
    }

    /// A formula of `x`, the length or coordinate, and `v`, its rate, of named values, and of tables, which are functions with
    /// their names; differentiated exactly.
    pub fn formula_with_tables(
        text: &str,
        names: &[(&str, f64)],
        tables: &[Arc<Table>],
    ) -> Result<Self, ExpressionError> {
        let names = FormulaNames::new(names, &["x", "v"]);
        Expression::parse_in(text, FormulaNames { tables: &tables, ..names })
            .map(Self::of_expression)
    }

    /// A formula of the measure and its rate.
    pub(crate) fn of_expression(formula: Expression) -> Self {
        if formula.has_tables() {
            // a table that ends has a reason
            return Self::fallible(move |s, rate| {
                let [force, stiffness, damping] = formula.slopes([s, rate]);
                match force.is_nan().then(|| formula.refusal(&[s, rate])).flatten() {
                    Some(reason) => Err(Failure::of(reason)),
                    None => Ok(LawResponse { force, stiffness, damping }),
                }
            });
        }
        Self::General(Arc::new(move |s, rate| {
            let [force, stiffness, damping] = formula.slopes([s, rate]);
            LawResponse { force, stiffness, damping }
        }))
    }

    /// A law that may fail with a reason (a table that ends, a call that raises an error). A failure stops
    /// the run and is reported to the user.
    pub fn fallible(
        law: impl Fn(f64, f64) -> Result<LawResponse, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self::Fallible(Arc::new(law))
    }

    /// The failure of the law; `None` if it has a force.
    pub(in crate::model) fn failure(&self, t: f64, s: f64, rate: f64) -> Option<Failure> {
        match self {
            Self::Actuator(force) => force.failure(t),
            Self::Fallible(law) => law(s, rate).err(),
            _ => None,
        }
    }

    /// The force and its derivatives.
    pub(in crate::model) fn response(
        &self,
        input: FunctionInput<'_>,
        s: f64,
        rate: f64,
    ) -> LawResponse {
        match self {
            Self::Linear { stiffness, damping, rest } => LawResponse {
                force: stiffness * (s - rest) + damping * rate,
                stiffness: *stiffness,
                damping: *damping,
            },
            Self::Truss { stiffness, length } => {
                let (ratio, scale) = (s / length, 0.5 * stiffness);
                let square = ratio * ratio;
                LawResponse {
                    force: scale * (square - 1.0) * ratio,
                    stiffness: scale * (3.0 * square - 1.0) / length,
                    damping: 0.0,
                }
            }
            Self::Actuator(force) => {
                LawResponse { force: -force.value_at(input), ..LawResponse::default() }
            }
            // the derivatives of a signal are those of its gradient
            Self::Signal(index) => {
                let force = Function::Signal(*index).value_at(input);
                LawResponse { force, ..LawResponse::default() }
            }
            Self::Formula(_) => LawResponse::NOT_A_NUMBER,
            Self::General(law) => law(s, rate),
            Self::Fallible(law) => law(s, rate).unwrap_or(LawResponse::NOT_A_NUMBER),
        }
    }

    /// The law with its constants as another scalar.
    pub(in crate::model) fn cast<U: Scalar>(&self) -> Law<U> {
        let c = U::constant;
        match self {
            Self::Linear { stiffness, damping, rest } => {
                Law::Linear { stiffness: c(*stiffness), damping: c(*damping), rest: c(*rest) }
            }
            Self::Truss { stiffness, length } => {
                Law::Truss { stiffness: c(*stiffness), length: c(*length) }
            }
            Self::Actuator(force) => Law::Actuator(force.clone()),
            Self::Formula(formula) => Law::Formula(formula.clone()),
            Self::Signal(index) => Law::Signal(*index),
            Self::General(law) => Law::General(law.clone()),
            Self::Fallible(law) => Law::Fallible(law.clone()),
        }
    }
}

impl<T: Scalar> Law<T> {
    /// The force F(t, s, ṡ).
    pub(in crate::model) fn force(&self, input: FunctionInput<'_, T>, s: T, rate: T) -> T {
        match self {
            Self::Linear { stiffness, damping, rest } => *stiffness * (s - *rest) + *damping * rate,
            Self::Truss { stiffness, length } => {
                let (ratio, scale) = (s / *length, T::constant(0.5) * *stiffness);
                scale * (ratio * ratio - T::one()) * ratio
            }
            Self::Actuator(force) => -force.value_at(input),
            Self::Signal(index) => Function::Signal(*index).value_at(input),
            Self::Formula(_) => T::constant(f64::NAN),
            Self::General(law) => s.lift2(rate, |s, rate| {
                let LawResponse { force, stiffness, damping } = law(s, rate);
                [force, stiffness, damping, f64::NAN, f64::NAN, f64::NAN]
            }),
            Self::Fallible(law) => s.lift2(rate, |s, rate| {
                let LawResponse { force, stiffness, damping } =
                    law(s, rate).unwrap_or(LawResponse::NOT_A_NUMBER);
                [force, stiffness, damping, f64::NAN, f64::NAN, f64::NAN]
            }),
        }
    }

    /// The stored energy; zero for laws without a closed form of it.
    pub(in crate::model) fn potential(&self, s: T) -> T {
        let half = T::constant(0.5);
        match self {
            Self::Linear { stiffness, rest, .. } => half * *stiffness * (s - *rest) * (s - *rest),
            Self::Truss { stiffness, length } => {
                let strain = half * ((s / *length).powi(2) - T::one());
                half * *stiffness * *length * strain * strain
            }
            _ => T::zero(),
        }
    }

    /// The parts of the power F ṡ that are not stored: (dissipated power, power supplied to the motion).
    pub(in crate::model) fn powers(&self, input: FunctionInput<'_, T>, s: T, rate: T) -> (T, T) {
        match self {
            Self::Linear { damping, .. } => (*damping * rate * rate, T::zero()),
            Self::Truss { .. } => (T::zero(), T::zero()),
            _ => (T::zero(), -self.force(input, s, rate) * rate),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Law<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear { stiffness, damping, rest } => {
                write!(out, "{stiffness:?} (s - {rest:?}) + {damping:?} s'")
            }
            Self::Truss { stiffness, length } => write!(out, "truss {stiffness:?}, {length:?}"),
            Self::Actuator(force) => write!(out, "-({force:?})"),
            Self::Formula(formula) => write!(out, "{}", formula.text()),
            Self::Signal(SignalIndex(k)) => write!(out, "signal {k}"),
            Self::General(_) | Self::Fallible(_) => write!(out, "general law"),
        }
    }
}
