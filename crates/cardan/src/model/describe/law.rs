//! Force laws: how large the force along a measure is.

use std::fmt;
use std::sync::Arc;

use super::Function;

/// The scalar through which a force law is written: it carries the derivatives with respect to the
/// measure and its rate along.
pub type Stretch = num_dual::DualSVec64<2>;

/// A force with its derivatives with respect to the measure s and its rate ṡ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// F.
    pub force: f64,
    /// ∂F/∂s.
    pub stiffness: f64,
    /// ∂F/∂ṡ.
    pub damping: f64,
}

/// The force F(t, s, ṡ) that pulls a measure s back; its generalized force is −F ∂s/∂q.
#[derive(Clone)]
pub enum Law {
    /// k (s − s₀) + c ṡ.
    Linear {
        /// k.
        stiffness: f64,
        /// c.
        damping: f64,
        /// s₀.
        rest: f64,
    },
    /// Green's strain: EA (s² − L²)/(2L²) · s/L.
    Truss {
        /// EA.
        stiffness: f64,
        /// L.
        length: f64,
    },
    /// −u(t): an actuator that pushes s up with u.
    Actuator(Function),
    /// Any F(s, ṡ).
    General(Arc<dyn Fn(f64, f64) -> Response + Send + Sync>),
}

impl Law {
    /// A formula F(s, ṡ), differentiated exactly.
    pub fn of(formula: impl Fn(Stretch, Stretch) -> Stretch + Send + Sync + 'static) -> Self {
        Self::General(Arc::new(move |s, rate| {
            let unit =
                |i| num_dual::Derivative::derivative_generic(nalgebra::Const, nalgebra::U1, i);
            let force = formula(Stretch::new(s, unit(0)), Stretch::new(rate, unit(1)));
            let slope = force.eps.unwrap_generic(nalgebra::Const, nalgebra::U1);
            Response { force: force.re, stiffness: slope[0], damping: slope[1] }
        }))
    }

    /// The force and its derivatives.
    pub(in crate::model) fn response(&self, t: f64, s: f64, rate: f64) -> Response {
        match self {
            Self::Linear { stiffness, damping, rest } => Response {
                force: stiffness * (s - rest) + damping * rate,
                stiffness: *stiffness,
                damping: *damping,
            },
            Self::Truss { stiffness, length } => {
                let (ratio, scale) = (s / length, 0.5 * stiffness);
                let square = ratio * ratio;
                Response {
                    force: scale * (square - 1.0) * ratio,
                    stiffness: scale * (3.0 * square - 1.0) / length,
                    damping: 0.0,
                }
            }
            Self::Actuator(push) => Response { force: -push.value(t), ..Response::default() },
            Self::General(law) => law(s, rate),
        }
    }

    /// The energy stored, where the law has one in closed form.
    pub(in crate::model) fn potential(&self, s: f64) -> f64 {
        match self {
            Self::Linear { stiffness, rest, .. } => 0.5 * stiffness * (s - rest) * (s - rest),
            Self::Truss { stiffness, length } => {
                let strain = 0.5 * ((s / length).powi(2) - 1.0);
                0.5 * stiffness * length * strain * strain
            }
            _ => 0.0,
        }
    }

    /// What becomes of the power F ṡ taken from the motion: (dissipated, done as work on the
    /// motion); the rest is stored.
    pub(in crate::model) fn powers(&self, t: f64, s: f64, rate: f64) -> (f64, f64) {
        match self {
            Self::Linear { damping, .. } => (damping * rate * rate, 0.0),
            Self::Truss { .. } => (0.0, 0.0),
            _ => (0.0, -self.response(t, s, rate).force * rate),
        }
    }
}

impl fmt::Debug for Law {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear { stiffness, damping, rest } => {
                write!(out, "{stiffness} (s - {rest}) + {damping} s'")
            }
            Self::Truss { stiffness, length } => write!(out, "truss {stiffness}, {length}"),
            Self::Actuator(push) => write!(out, "-({push:?})"),
            Self::General(_) => write!(out, "general law"),
        }
    }
}
