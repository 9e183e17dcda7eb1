//! Dry friction along a measure s, from the reaction of the joint: F = μ N tanh(ṡ/s₀), N = |λ| over the rows of
//! the normal force.

use super::super::element::{
    Element, ElementLoads, ElementOutput, ElementTangent, ElementView, EnergyFlow,
};
use super::super::node_measure::{NodeMeasure, PositionKinematics, dot};
use cardan_core::math::Scalar;
use cardan_core::system::{Derivative, Failure, ForceTangent};

/// Friction in a revolute or prismatic joint.
#[derive(Clone, Debug)]
pub(in crate::model) struct Friction<T = f64> {
    pub measure: NodeMeasure<T>,
    /// The friction coefficient μ; in a revolute joint times the radius of the bearing.
    pub coefficient: T,
    /// The transition speed s₀.
    pub speed: T,
    /// The rows whose multipliers are the components of the normal force.
    pub rows: Vec<usize>,
}

/// The smallest positive number: a sum of squares below it is zero.
const MIN_SQUARE: f64 = f64::from_bits(1);

impl<T: Scalar> Friction<T> {
    /// The normal force N. It has no derivative at N = 0; zero is used there.
    pub fn normal(&self, multipliers: &[T]) -> T {
        let square = self.rows.iter().map(|&row| multipliers[row] * multipliers[row]).sum::<T>();
        let [normal] = square.below(MIN_SQUARE, || [T::zero()], || [square.sqrt()]);
        normal
    }

    /// F, and the factor tanh(ṡ/s₀).
    pub fn resistance(&self, at: PositionKinematics<'_, T>, v: &[T], multipliers: &[T]) -> (T, T) {
        let sliding = (self.measure.rate(at, v) / self.speed).tanh();
        (self.coefficient * self.normal(multipliers) * sliding, sliding)
    }

    pub fn force(
        &self,
        at: PositionKinematics<'_, T>,
        v: &[T],
        multipliers: &[T],
        force: &mut [T],
    ) {
        let (resistance, _) = self.resistance(at, v, multipliers);
        self.measure.add(at.nodes, -resistance, &self.measure.gradient(at), force);
    }

    /// The dissipated power.
    pub fn dissipation(&self, at: PositionKinematics<'_, T>, v: &[T], multipliers: &[T]) -> T {
        let rate = dot(&self.measure.gradient(at), &self.measure.motion(at.nodes, v));
        self.resistance(at, v, multipliers).0 * rate
    }
}

impl Friction {
    /// Stiffness F K + F_ṡ g vᵀK, damping F_ṡ g gᵀ, and derivative by multipliers g ∂F/∂λ; g = ∂s/∂q.
    pub fn tangent(
        &self,
        at: PositionKinematics<'_>,
        v: &[f64],
        multipliers: &[f64],
        tangent: &mut ForceTangent<'_>,
    ) {
        let (measure, nodes) = (&self.measure, at.nodes);
        let gradient = measure.gradient(at);
        let (normal, (resistance, sliding)) =
            (self.normal(multipliers), self.resistance(at, v, multipliers));
        let slope = self.coefficient * normal * (1.0 - sliding * sliding) / self.speed;
        measure.add_curvature(at, resistance, tangent.stiffness);
        let columns = measure.measure.gradient_columns();
        let rate_columns = measure.measure.curvature_columns();
        let rate_gradient = measure.rate_gradient(at, &measure.motion(nodes, v)).map(|g| slope * g);
        measure.add_product(
            nodes,
            &gradient,
            measure,
            rate_columns,
            &rate_gradient,
            tangent.stiffness,
        );
        let damped = gradient.map(|g| slope * g);
        measure.add_product(nodes, &gradient, measure, columns, &damped, tangent.damping);
        for &row in &self.rows {
            // at N = 0 the derivative ∂N/∂λ is undefined; zero is used
            let direction = if normal > 0.0 { multipliers[row] / normal } else { 0.0 };
            for &k in columns {
                let (node, part) = measure.column(nodes, k);
                let values = self.coefficient * sliding * direction * gradient[k];
                node.add_column(part, row, &values, tangent.multipliers);
            }
        }
    }

    /// The friction with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Friction<U> {
        Friction {
            measure: self.measure.cast(),
            coefficient: U::constant(self.coefficient),
            speed: U::constant(self.speed),
            rows: self.rows.clone(),
        }
    }
}

impl Element for Friction {
    #[inline]
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        self.force(at.kinematics, at.v, at.multipliers, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(mut out) = tangent.model_tangent() {
            self.tangent(at.kinematics, at.v, at.multipliers, &mut out);
        }
        Ok(Derivative::Analytic)
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        Some(EnergyFlow { work: 0.0, lost: self.dissipation(at.kinematics, at.v, at.multipliers) })
    }

    fn needs_multipliers(&self) -> bool {
        true
    }

    fn outputs(&self) -> Vec<ElementOutput> {
        let unit = if self.measure.measure.is_angle() { "N·m" } else { "N" };
        vec![
            ElementOutput::number("normal", "N"),
            ElementOutput::number("force", unit),
            ElementOutput::number("dissipation", "W"),
        ]
    }

    fn output(&self, k: usize, at: &ElementView<'_>, values: &mut [f64]) {
        values[0] = match k {
            0 => self.normal(at.multipliers),
            1 => self.resistance(at.kinematics, at.v, at.multipliers).0,
            _ => self.dissipation(at.kinematics, at.v, at.multipliers),
        };
    }
}
