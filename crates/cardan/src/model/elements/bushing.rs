//! Six springs and dampers between two frames: the load w = K ξ + C ξ̇ of the deformation ξ, the displacement
//! and the rotation vector of body 2 relative to body 1 in axes of body 1. The generalized force is −(∂ξ/∂q)ᵀ w.

use nalgebra::{Matrix6, Vector6};

use super::super::element::{
    Element, ElementLoads, ElementOutput, ElementTangent, ElementView, EnergyFlow,
};

use super::super::Function;
use super::super::node_measure::{NodeMeasure, PositionKinematics, dot};
use super::super::values::FunctionInput;
use cardan_core::math::Scalar;
use cardan_core::system::{Derivative, Failure, ForceTangent, ValidityLimit};

/// A bushing.
#[derive(Clone, Debug)]
pub(in crate::model) struct Bushing<T = f64> {
    /// ξ: three displacements and three components of the rotation vector.
    pub measures: [NodeMeasure<T>; 6],
    pub stiffness: Matrix6<T>,
    pub damping: Matrix6<T>,
    /// The factor of the damping, a function of time.
    pub factor: Function,
}

impl<T: Scalar> Bushing<T> {
    /// ξ and ξ̇.
    pub fn deformation(&self, at: PositionKinematics<'_, T>, v: &[T]) -> (Vector6<T>, Vector6<T>) {
        let value = self.measures.each_ref().map(|measure| measure.value(at));
        let rate = self.measures.each_ref().map(|measure| measure.rate(at, v));
        (value.into(), rate.into())
    }

    /// w.
    pub fn load(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> Vector6<T> {
        let (value, rate) = self.deformation(at, v);
        self.stiffness * value + (self.damping * rate) * self.factor.value_at(input)
    }

    /// Whether stiffness and damping are zero.
    fn is_zero(&self) -> bool {
        self.stiffness.iter().chain(&self.damping).all(|x| x.vanishes())
    }

    pub fn force(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
        force: &mut [T],
    ) {
        if self.is_zero() {
            return;
        }
        let load = self.load(input, at, v);
        for (measure, load) in self.measures.iter().zip(load.iter()) {
            measure.add(at.nodes, -*load, &measure.gradient(at), force);
        }
    }

    pub fn potential(&self, at: PositionKinematics<'_, T>) -> T {
        let value: Vector6<T> = self.measures.each_ref().map(|measure| measure.value(at)).into();
        T::constant(0.5) * value.dot(&(self.stiffness * value))
    }

    /// The dissipated power.
    pub fn dissipation(
        &self,
        input: FunctionInput<'_, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> T {
        let rate: Vector6<T> = self
            .measures
            .each_ref()
            .map(|measure| dot(&measure.gradient(at), &measure.motion(at.nodes, v)))
            .into();
        self.factor.value_at(input) * rate.dot(&(self.damping * rate))
    }
}

impl Bushing {
    /// Whether the damping factor depends on signals.
    pub fn has_signals(&self) -> bool {
        self.factor.is_signal()
    }

    /// Stiffness Σ wᵢ ∂²ξᵢ/∂q² + Gᵀ(K G + C ∂ξ̇/∂q) and damping Gᵀ C G, where G = ∂ξ/∂q.
    pub fn tangent(
        &self,
        input: FunctionInput<'_>,
        at: PositionKinematics<'_>,
        v: &[f64],
        tangent: &mut ForceTangent<'_>,
    ) {
        if self.is_zero() {
            return;
        }
        let (load, nodes) = (self.load(input, at, v), at.nodes);
        let factor = self.factor.value_at(input);
        let gradients = self.measures.each_ref().map(|measure| measure.gradient(at));
        let rate_gradients = self
            .measures
            .each_ref()
            .map(|measure| measure.rate_gradient(at, &measure.motion(nodes, v)));
        for (i, measure) in self.measures.iter().enumerate() {
            measure.add_curvature(at, load[i], tangent.stiffness);
            for (j, other) in self.measures.iter().enumerate() {
                let (k, c) = (self.stiffness[(i, j)], self.damping[(i, j)]);
                if k == 0.0 && c == 0.0 {
                    continue;
                }
                let c = factor * c;
                let columns = other.measure.gradient_columns();
                let rate_columns = other.measure.curvature_columns();
                let stiff = gradients[j].map(|g| k * g);
                let damped = gradients[j].map(|g| c * g);
                let rate = rate_gradients[j].map(|g| c * g);
                let left = &gradients[i];
                measure.add_product(nodes, left, other, columns, &stiff, tangent.stiffness);
                measure.add_product(nodes, left, other, rate_columns, &rate, tangent.stiffness);
                measure.add_product(nodes, left, other, columns, &damped, tangent.damping);
            }
        }
    }

    /// Writes row and value of the force for a unit value of the damping factor.
    pub fn direction(&self, at: &ElementView<'_>, write: &mut impl FnMut(usize, f64)) {
        let (_, rate) = self.deformation(at.kinematics, at.v);
        let load = self.damping * rate;
        for (measure, load) in self.measures.iter().zip(load.iter()) {
            let gradient = measure.gradient(at.kinematics);
            for &k in measure.measure.gradient_columns() {
                let (node, part) = measure.column(at.kinematics.nodes, k);
                for (component, offset) in node.offsets(part) {
                    write(node.v + offset, -load * gradient[k][component]);
                }
            }
        }
    }

    /// The bushing with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Bushing<U> {
        Bushing {
            measures: self.measures.each_ref().map(|measure| measure.cast()),
            stiffness: self.stiffness.map(U::constant),
            damping: self.damping.map(U::constant),
            factor: self.factor.clone(),
        }
    }
}

impl Element for Bushing {
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
        Some(EnergyFlow { work: 0.0, lost: self.dissipation(at.input(), at.kinematics, at.v) })
    }

    fn outputs(&self) -> Vec<ElementOutput> {
        vec![
            ElementOutput::six("deformation", "m, rad"),
            ElementOutput::six("rate", "m/s, rad/s"),
            ElementOutput::six("load", "N, N·m"),
            ElementOutput::number("energy", "J"),
            ElementOutput::number("dissipation", "W"),
        ]
    }

    fn output(&self, k: usize, at: &ElementView<'_>, values: &mut [f64]) {
        let mut set = |six: Vector6<f64>| values.copy_from_slice(six.as_slice());
        match k {
            0 => set(self.deformation(at.kinematics, at.v).0),
            1 => set(self.deformation(at.kinematics, at.v).1),
            2 => set(self.load(at.input(), at.kinematics, at.v)),
            3 => values[0] = self.potential(at.kinematics),
            _ => values[0] = self.dissipation(at.input(), at.kinematics, at.v),
        }
    }

    fn limits(&self) -> Vec<ValidityLimit> {
        let resists_rotation = self.stiffness.rows(3, 3).iter().any(|x| *x != 0.0);
        let limit = ValidityLimit {
            part: String::new(),
            quantity: "rotation",
            unit: "rad",
            limit: MAX_ROTATION,
            beyond: "the rotation vector of a bushing is not continuous beyond half a turn; try: a \
                     joint with a joint-spring",
        };
        if resists_rotation { vec![limit] } else { Vec::new() }
    }

    fn limit_values(&self, at: &ElementView<'_>, values: &mut [f64]) {
        let squares = self.measures[3..].iter().map(|measure| measure.value(at.kinematics).powi(2));
        values[0] = squares.sum::<f64>().sqrt();
    }

    fn reason_not_finite(&self, at: &ElementView<'_>) -> Option<Failure> {
        self.factor.failure(at.t)
    }
}

/// The largest valid rotation in rad: the rotation vector jumps at half a turn.
const MAX_ROTATION: f64 = 3.0;
