//! A force along a measure: −F(t, s, ṡ) ∂s/∂q.

use super::super::element::{
    Element, ElementLoads, ElementOutput, ElementTangent, ElementView, EnergyFlow,
};
use super::super::node_measure::{NodeMeasure, PositionKinematics, dot};
use super::super::{Law, Measure};
use cardan_core::math::Scalar;
use cardan_core::system::{Derivative, Failure, ForceTangent};

/// A spring, damper or motor.
#[derive(Clone, Debug)]
pub(in crate::model) struct Spring<T = f64> {
    pub measure: NodeMeasure<T>,
    pub law: Law<T>,
}

impl<T: Scalar> Spring<T> {
    /// Whether it pushes as a function of time alone.
    pub fn is_actuator(&self) -> bool {
        matches!(self.law, Law::Actuator(_))
    }

    pub fn force(&self, t: T, at: PositionKinematics<'_, T>, v: &[T], force: &mut [T]) {
        let gradient = self.measure.gradient(at);
        let rate = dot(&gradient, &self.measure.motion(at.nodes, v));
        let tension = self.law.force(t, self.measure.value(at), rate);
        self.measure.add(at.nodes, -tension, &gradient, force);
    }

    pub fn potential(&self, at: PositionKinematics<'_, T>) -> T {
        self.law.potential(self.measure.value(at))
    }

    /// (dissipated, work done) per second.
    pub fn powers(&self, t: T, at: PositionKinematics<'_, T>, v: &[T]) -> (T, T) {
        self.law.powers(t, self.measure.value(at), self.measure.rate(at, v))
    }

    /// The tension F.
    pub fn tension(&self, t: T, at: PositionKinematics<'_, T>, v: &[T]) -> T {
        self.law.force(t, self.measure.value(at), self.measure.rate(at, v))
    }
}

impl Spring {
    /// F K + g (F_s gᵀ + F_ṡ vᵀK) and F_ṡ g gᵀ.
    pub fn tangent(
        &self,
        t: f64,
        at: PositionKinematics<'_>,
        v: &[f64],
        tangent: &mut ForceTangent<'_>,
    ) {
        let (gauge, nodes) = (&self.measure, at.nodes);
        let gradient = gauge.gradient(at);
        let motion = gauge.motion(nodes, v);
        let response = self.law.response(t, gauge.value(at), dot(&gradient, &motion));
        gauge.add_curvature(at, response.force, tangent.stiffness);
        let touched = gauge.measure.touched();
        let stiff = gradient.map(|g| response.stiffness * g);
        gauge.add_product(nodes, &gradient, gauge, touched, &stiff, tangent.stiffness);
        let turned = gauge.measure.rotation_columns();
        let damped = gauge.rate_gradient(at, &motion).map(|g| response.damping * g);
        gauge.add_product(nodes, &gradient, gauge, turned, &damped, tangent.stiffness);
        let damped = gradient.map(|g| response.damping * g);
        gauge.add_product(nodes, &gradient, gauge, touched, &damped, tangent.damping);
    }

    /// The spring with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Spring<U> {
        Spring { measure: self.measure.cast(), law: self.law.cast() }
    }
}

impl Element for Spring {
    #[inline]
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        self.force(at.t, at.place, at.v, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(mut out) = tangent.whole() {
            self.tangent(at.t, at.place, at.v, &mut out);
        }
        Ok(Derivative::Analytic)
    }

    fn potential(&self, at: &ElementView<'_>) -> Option<f64> {
        Some(self.potential(at.place))
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        let (lost, work) = self.powers(at.t, at.place, at.v);
        Some(EnergyFlow { work, lost })
    }

    fn outputs(&self) -> Vec<ElementOutput> {
        let turns = self.measure.measure.is_angle();
        let [place, rate, force] = if turns { ["rad", "rad/s", "N·m"] } else { ["m", "m/s", "N"] };
        let name = match self.measure.measure {
            Measure::Distance { .. } => "length",
            _ if turns => "angle",
            _ => "translation",
        };
        let mut outputs = vec![
            ElementOutput::number(name, place),
            ElementOutput::number("rate", rate),
            ElementOutput::number("force", force),
            ElementOutput::number("power", "W"),
        ];
        if !self.is_actuator() {
            outputs.insert(3, ElementOutput::number("energy", "J"));
        }
        outputs
    }

    fn output(&self, k: usize, at: &ElementView<'_>, values: &mut [f64]) {
        let tension = || self.tension(at.t, at.place, at.v);
        values[0] = match (k, self.is_actuator()) {
            (0, _) => self.measure.value(at.place),
            (1, _) => self.measure.rate(at.place, at.v),
            // a motor pushes, a spring pulls
            (2, true) => -tension(),
            (2, false) => tension(),
            (3, false) => self.potential(at.place),
            _ => -tension() * self.measure.rate(at.place, at.v),
        };
    }

    fn inputs(&self) -> &'static [&'static str] {
        &[""]
    }

    fn unit_input(&self, _: usize, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) {
        self.measure.add(at.place.nodes, 1.0, &self.measure.gradient(at.place), loads.out);
    }

    fn reason_not_finite(&self, at: &ElementView<'_>) -> Option<Failure> {
        let (s, rate) = (self.measure.value(at.place), self.measure.rate(at.place, at.v));
        self.law.failure(at.t, s, rate)
    }
}
