//! A force along a measure: −F(t, s, ṡ) ∂s/∂q.

use super::super::element::{At, Element, Flow, Loads, Output, Tangent};
use super::super::gauge::{Gauge, Placed, dot};
use super::super::{Law, Measure};
use crate::math::Scalar;
use crate::system::{Derivative, Failure, ForceTangent};

/// A spring, damper or motor.
#[derive(Clone, Debug)]
pub(in crate::model) struct Spring<T = f64> {
    pub gauge: Gauge<T>,
    pub law: Law<T>,
}

impl<T: Scalar> Spring<T> {
    /// Whether it pushes as a function of time alone.
    pub fn is_actuator(&self) -> bool {
        matches!(self.law, Law::Actuator(_))
    }

    pub fn force(&self, t: T, at: Placed<'_, T>, v: &[T], force: &mut [T]) {
        let gradient = self.gauge.gradient(at);
        let rate = dot(&gradient, &self.gauge.motion(at.nodes, v));
        let tension = self.law.force(t, self.gauge.value(at), rate);
        self.gauge.add(at.nodes, -tension, &gradient, force);
    }

    pub fn potential(&self, at: Placed<'_, T>) -> T {
        self.law.potential(self.gauge.value(at))
    }

    /// (dissipated, work done) per second.
    pub fn powers(&self, t: T, at: Placed<'_, T>, v: &[T]) -> (T, T) {
        self.law.powers(t, self.gauge.value(at), self.gauge.rate(at, v))
    }

    /// The tension F.
    pub fn tension(&self, t: T, at: Placed<'_, T>, v: &[T]) -> T {
        self.law.force(t, self.gauge.value(at), self.gauge.rate(at, v))
    }
}

impl Spring {
    /// F K + g (F_s gᵀ + F_ṡ vᵀK) and F_ṡ g gᵀ.
    pub fn tangent(&self, t: f64, at: Placed<'_>, v: &[f64], tangent: &mut ForceTangent<'_>) {
        let (gauge, nodes) = (&self.gauge, at.nodes);
        let gradient = gauge.gradient(at);
        let motion = gauge.motion(nodes, v);
        let response = self.law.response(t, gauge.value(at), dot(&gradient, &motion));
        gauge.add_curvature(at, response.force, tangent.stiffness);
        let touched = gauge.measure.touched();
        let stiff = gradient.map(|g| response.stiffness * g);
        gauge.add_product(nodes, &gradient, gauge, touched, &stiff, tangent.stiffness);
        let turned = gauge.measure.turned_by();
        let damped = gauge.rate_gradient(at, &motion).map(|g| response.damping * g);
        gauge.add_product(nodes, &gradient, gauge, turned, &damped, tangent.stiffness);
        let damped = gradient.map(|g| response.damping * g);
        gauge.add_product(nodes, &gradient, gauge, touched, &damped, tangent.damping);
    }

    /// The spring with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Spring<U> {
        Spring { gauge: self.gauge.cast(), law: self.law.cast() }
    }
}

impl Element for Spring {
    #[inline]
    fn force(&self, at: &At<'_>, loads: &mut Loads<'_>) -> Result<(), Failure> {
        self.force(at.t, at.place, at.v, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(&self, at: &At<'_>, tangent: &mut Tangent<'_>) -> Result<Derivative, Failure> {
        if let Some(mut out) = tangent.whole() {
            self.tangent(at.t, at.place, at.v, &mut out);
        }
        Ok(Derivative::Analytic)
    }

    fn potential(&self, at: &At<'_>) -> Option<f64> {
        Some(self.potential(at.place))
    }

    fn flow(&self, at: &At<'_>) -> Option<Flow> {
        let (lost, work) = self.powers(at.t, at.place, at.v);
        Some(Flow { work, lost })
    }

    fn outputs(&self) -> Vec<Output> {
        let turns = self.gauge.measure.is_angle();
        let [place, rate, force] = if turns { ["rad", "rad/s", "N·m"] } else { ["m", "m/s", "N"] };
        let name = match self.gauge.measure {
            Measure::Distance { .. } => "length",
            _ if turns => "angle",
            _ => "translation",
        };
        let mut outputs = vec![
            Output::number(name, place),
            Output::number("rate", rate),
            Output::number("force", force),
            Output::number("power", "W"),
        ];
        if !self.is_actuator() {
            outputs.insert(3, Output::number("energy", "J"));
        }
        outputs
    }

    fn output(&self, k: usize, at: &At<'_>, values: &mut [f64]) {
        let tension = || self.tension(at.t, at.place, at.v);
        values[0] = match (k, self.is_actuator()) {
            (0, _) => self.gauge.value(at.place),
            (1, _) => self.gauge.rate(at.place, at.v),
            // a motor pushes, a spring pulls
            (2, true) => -tension(),
            (2, false) => tension(),
            (3, false) => self.potential(at.place),
            _ => -tension() * self.gauge.rate(at.place, at.v),
        };
    }

    fn inputs(&self) -> &'static [&'static str] {
        &[""]
    }

    fn unit_input(&self, _: usize, at: &At<'_>, loads: &mut Loads<'_>) {
        self.gauge.add(at.place.nodes, 1.0, &self.gauge.gradient(at.place), loads.out);
    }

    fn reason_not_finite(&self, at: &At<'_>) -> Option<Failure> {
        let (s, rate) = (self.gauge.value(at.place), self.gauge.rate(at.place, at.v));
        self.law.failure(at.t, s, rate)
    }
}
