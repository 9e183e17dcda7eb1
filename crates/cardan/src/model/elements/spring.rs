//! A force F along a measure s: the generalized force is −F(t, s, ṡ) ∂s/∂q.

use super::super::element::{
    Element, ElementLoads, ElementOutput, ElementTangent, ElementView, EnergyFlow,
};
use super::super::node_measure::{NodeMeasure, PositionKinematics, dot};
use super::super::values::FunctionInput;
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
    /// Whether the force is a function of time only.
    pub fn is_actuator(&self) -> bool {
        matches!(self.law, Law::Actuator(_))
    }

    pub fn force(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
        force: &mut [T],
    ) {
        let gradient = self.measure.gradient(at);
        let rate = dot(&gradient, &self.measure.motion(at.nodes, v));
        let tension = self.law.force(input, self.measure.value(at), rate);
        self.measure.add(at.nodes, -tension, &gradient, force);
    }

    pub fn potential(&self, at: PositionKinematics<'_, T>) -> T {
        self.law.potential(self.measure.value(at))
    }

    /// The dissipated power, and the power delivered to the bodies.
    pub fn powers(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> (T, T) {
        self.law.powers(input, self.measure.value(at), self.measure.rate(at, v))
    }

    /// The tension F.
    pub fn tension(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> T {
        self.law.force(input, self.measure.value(at), self.measure.rate(at, v))
    }
}

impl Spring {
    /// Whether the force depends on signals.
    pub fn has_signals(&self) -> bool {
        match &self.law {
            Law::Actuator(force) => force.is_signal(),
            Law::Formula(_) | Law::Signal(_) => true,
            _ => false,
        }
    }

    /// Stiffness F K + g (F_s gᵀ + F_ṡ vᵀK) and damping F_ṡ g gᵀ; g = ∂s/∂q, K = ∂²s/∂q².
    pub fn tangent(
        &self,
        input: FunctionInput<'_>,
        at: PositionKinematics<'_>,
        v: &[f64],
        tangent: &mut ForceTangent<'_>,
    ) {
        let (measure, nodes) = (&self.measure, at.nodes);
        let gradient = measure.gradient(at);
        let motion = measure.motion(nodes, v);
        let response = self.law.response(input, measure.value(at), dot(&gradient, &motion));
        measure.add_curvature(at, response.force, tangent.stiffness);
        let columns = measure.measure.gradient_columns();
        let stiff = gradient.map(|g| response.stiffness * g);
        measure.add_product(nodes, &gradient, measure, columns, &stiff, tangent.stiffness);
        let rate_columns = measure.measure.curvature_columns();
        let damped = measure.rate_gradient(at, &motion).map(|g| response.damping * g);
        measure.add_product(nodes, &gradient, measure, rate_columns, &damped, tangent.stiffness);
        let damped = gradient.map(|g| response.damping * g);
        measure.add_product(nodes, &gradient, measure, columns, &damped, tangent.damping);
    }

    /// Writes row and value of the force for a unit value of the signal of its law.
    pub fn direction(&self, at: &ElementView<'_>, write: &mut impl FnMut(usize, f64)) {
        let gradient = self.measure.gradient(at.kinematics);
        // an actuator increases the measure, a law is a tension
        let sign = if self.is_actuator() { 1.0 } else { -1.0 };
        for &k in self.measure.measure.gradient_columns() {
            let (node, part) = self.measure.column(at.kinematics.nodes, k);
            for (component, offset) in node.offsets(part) {
                write(node.v + offset, sign * gradient[k][component]);
            }
        }
    }

    /// The spring with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Spring<U> {
        Spring { measure: self.measure.cast(), law: self.law.cast() }
    }
}

impl Element for Spring {
    #[inline]
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        self.force(at.input(), at.kinematics, at.v, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(mut out) = tangent.model_tangent() {
            self.tangent(at.input(), at.kinematics, at.v, &mut out);
        }
        Ok(Derivative::Analytic)
    }

    fn potential(&self, at: &ElementView<'_>) -> Option<f64> {
        Some(self.potential(at.kinematics))
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        let (lost, work) = self.powers(at.input(), at.kinematics, at.v);
        Some(EnergyFlow { work, lost })
    }

    fn outputs(&self) -> Vec<ElementOutput> {
        let is_angle = self.measure.measure.is_angle();
        let [value, rate, force] =
            if is_angle { ["rad", "rad/s", "N·m"] } else { ["m", "m/s", "N"] };
        let name = match self.measure.measure {
            Measure::Distance { .. } => "length",
            _ if is_angle => "angle",
            _ => "translation",
        };
        let mut outputs = vec![
            ElementOutput::number(name, value),
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
        let tension = || self.tension(at.input(), at.kinematics, at.v);
        values[0] = match (k, self.is_actuator()) {
            (0, _) => self.measure.value(at.kinematics),
            (1, _) => self.measure.rate(at.kinematics, at.v),
            // the force of a motor is positive along the measure, that of a spring is a tension
            (2, true) => -tension(),
            (2, false) => tension(),
            (3, false) => self.potential(at.kinematics),
            _ => -tension() * self.measure.rate(at.kinematics, at.v),
        };
    }

    fn inputs(&self) -> &'static [&'static str] {
        &[""]
    }

    fn unit_input(&self, _: usize, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) {
        self.measure.add(
            at.kinematics.nodes,
            1.0,
            &self.measure.gradient(at.kinematics),
            loads.out,
        );
    }

    fn reason_not_finite(&self, at: &ElementView<'_>) -> Option<Failure> {
        let (s, rate) = (self.measure.value(at.kinematics), self.measure.rate(at.kinematics, at.v));
        self.law.failure(at.t, s, rate)
    }
}
