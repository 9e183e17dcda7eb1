//! The PID controller.

use super::{Block, number};
use crate::model::values::SignalFormula;

/// A PID controller with a filtered derivative, limits of its output, and anti-windup:
///
/// ```text
/// u* = kp e + I + kd D,   u = clamp(u*, lower, upper)
/// İ  = ki e + (u − u*)/Tt
/// D  = (e − F)/Tf,  Ḟ = D          or the rate of the error, if it is given
/// ```
///
/// Its parts are `NAME.error`, `NAME.integral`, `NAME.derivative`, `NAME.unlimited`.
#[derive(Clone, Debug)]
pub struct Pid {
    name: String,
    error: SignalFormula,
    rate: Option<SignalFormula>,
    gains: [f64; 3],
    filter: Option<f64>,
    limits: Option<[f64; 2]>,
    tracking: Option<f64>,
    start: f64,
}

impl Pid {
    /// A controller of the error with the gains kp, ki, kd.
    pub fn new(name: &str, error: impl Into<SignalFormula>, gains: [f64; 3]) -> Self {
        let (rate, filter, limits, tracking, start) = (None, None, None, None, 0.0);
        Self {
            name: name.into(),
            error: error.into(),
            rate,
            gains,
            filter,
            limits,
            tracking,
            start,
        }
    }

    /// The rate of the error as a formula, instead of a filtered derivative.
    #[must_use]
    pub fn rate(mut self, rate: impl Into<SignalFormula>) -> Self {
        self.rate = Some(rate.into());
        self
    }

    /// The time constant Tf of the filter of the derivative.
    #[must_use]
    pub fn filter(mut self, time_constant: f64) -> Self {
        self.filter = Some(time_constant);
        self
    }

    /// The limits of the output.
    #[must_use]
    pub fn limits(mut self, lower: f64, upper: f64) -> Self {
        self.limits = Some([lower, upper]);
        self
    }

    /// The time Tt in which the integral follows a limited output; √(kd/ki) if not given, or kp/ki without a derivative.
    #[must_use]
    pub fn tracking(mut self, time: f64) -> Self {
        self.tracking = Some(time);
        self
    }

    /// The integral part of the output at the start.
    #[must_use]
    pub fn start(mut self, integral: f64) -> Self {
        self.start = integral;
        self
    }
}

impl From<Pid> for Block {
    fn from(pid: Pid) -> Self {
        let Pid { name, error, rate, gains, filter, limits, tracking, start } = pid;
        let [kp, ki, kd] = gains;
        let finite = gains.iter().all(|gain| gain.is_finite());
        let mut block =
            Self::new(&name).check("kp", finite, "the gains must be finite").part("error", error);
        let mut unlimited = format!("{}*{name}.error", number(kp));
        if ki != 0.0 {
            unlimited += &format!(" + {name}.integral");
        }
        if kd != 0.0 {
            unlimited += &format!(" + {}*{name}.derivative", number(kd));
            block = match (rate, filter) {
                (Some(rate), None) => block.part("derivative", rate),
                (None, Some(t)) => block
                    .positive("filter", t)
                    .part("derivative", format!("({name}.error - {name}.filtered)/{}", number(t)))
                    .state("filtered", 0.0, format!("{name}.derivative")),
                (None, None) => block.check(
                    "kd",
                    false,
                    "a derivative needs `filter`, its time constant, or `error_rate`",
                ),
                (Some(_), Some(_)) => block.check(
                    "filter",
                    false,
                    "it has `filter` and `error_rate`: one of them only",
                ),
            };
        }
        block = block.part("unlimited", unlimited);
        let output = match limits {
            Some([lower, upper]) => {
                block = block.check("lower", lower < upper, "it must be less than `upper`");
                format!("clamp({name}.unlimited, {}, {})", number(lower), number(upper))
            }
            None => format!("{name}.unlimited"),
        };
        if ki != 0.0 {
            let mut integral = format!("{}*{name}.error", number(ki));
            if limits.is_some() {
                let natural = if kd != 0.0 { (kd / ki).abs().sqrt() } else { (kp / ki).abs() };
                let time = tracking.unwrap_or(if natural > 0.0 { natural } else { 1.0 / ki.abs() });
                block = block.positive("tracking", time);
                integral += &format!(" + ({name} - {name}.unlimited)/{}", number(time));
            }
            block = block.state("integral", start, integral);
        }
        block.output(output)
    }
}
