//! Dry friction along a measure from the joint's own reaction: F = μ N tanh(ṡ/s₀), N = |λ| over the
//! rows that carry the load.

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
    /// The coefficient, times the bearing's radius for a revolute joint.
    pub coefficient: T,
    /// The rate over which it builds up.
    pub speed: T,
    /// The rows whose multipliers make up the normal force.
    pub rows: Vec<usize>,
}

/// The least positive number: a sum of squares below it is zero.
const MIN_SQUARE: f64 = f64::from_bits(1);

impl<T: Scalar> Friction<T> {
    /// The normal force; without a load it has no derivative, and zero stands for it.
    pub fn normal(&self, multipliers: &[T]) -> T {
        let square = self.rows.iter().map(|&row| multipliers[row] * multipliers[row]).sum::<T>();
        let [normal] = square.below(MIN_SQUARE, || [T::zero()], || [square.sqrt()]);
        normal
    }

    /// F, and the tanh alone.
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

    /// The power dissipated.
    pub fn dissipation(&self, at: PositionKinematics<'_, T>, v: &[T], multipliers: &[T]) -> T {
        let rate = dot(&self.measure.gradient(at), &self.measure.motion(at.nodes, v));
        self.resistance(at, v, multipliers).0 * rate
    }
}

impl Friction {
    /// F K + F_ṡ g vᵀK, F_ṡ g gᵀ, and g ∂F/∂λ.
    pub fn tangent(
        &self,
        at: PositionKinematics<'_>,
        v: &[f64],
        multipliers: &[f64],
        tangent: &mut ForceTangent<'_>,
    ) {
        let (gauge, nodes) = (&self.measure, at.nodes);
        let gradient = gauge.gradient(at);
        let (normal, (resistance, sliding)) =
            (self.normal(multipliers), self.resistance(at, v, multipliers));
        let slope = self.coefficient * normal * (1.0 - sliding * sliding) / self.speed;
        gauge.add_curvature(at, resistance, tangent.stiffness);
        let (touched, turned) = (gauge.measure.touched(), gauge.measure.rotation_columns());
        let turning = gauge.rate_gradient(at, &gauge.motion(nodes, v)).map(|g| slope * g);
        gauge.add_product(nodes, &gradient, gauge, turned, &turning, tangent.stiffness);
        let damped = gradient.map(|g| slope * g);
        gauge.add_product(nodes, &gradient, gauge, touched, &damped, tangent.damping);
        for &row in &self.rows {
            // without a load there is no direction to differentiate along
            let share = if normal > 0.0 { multipliers[row] / normal } else { 0.0 };
            for &k in touched {
                let (node, part) = gauge.column(nodes, k);
                let values = self.coefficient * sliding * share * gradient[k];
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
        self.force(at.place, at.v, at.multipliers, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(mut out) = tangent.whole() {
            self.tangent(at.place, at.v, at.multipliers, &mut out);
        }
        Ok(Derivative::Analytic)
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        Some(EnergyFlow { work: 0.0, lost: self.dissipation(at.place, at.v, at.multipliers) })
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
            1 => self.resistance(at.place, at.v, at.multipliers).0,
            _ => self.dissipation(at.place, at.v, at.multipliers),
        };
    }
}
