//! A force along a measure: −F(t, s, ṡ) ∂s/∂q.

use super::super::Law;
use super::super::gauge::{Gauge, Placed, dot};
use crate::math::Scalar;
use crate::system::ForceTangent;

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
