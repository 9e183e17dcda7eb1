//! Six springs and dampers between two frames: w = K ξ + C ξ̇ over the displacement and the rotation
//! vector ξ of body 2 in axes of body 1, acting as −(∂ξ/∂q)ᵀ w.

use nalgebra::{Matrix6, Vector6};

use super::super::element::{
    Element, ElementLoads, ElementOutput, ElementTangent, ElementView, EnergyFlow,
};

use super::super::Function;
use super::super::node_measure::{NodeMeasure, PositionKinematics, dot};
use cardan_core::math::Scalar;
use cardan_core::system::{Derivative, Failure, ForceTangent, ValidityLimit};

/// A bushing.
#[derive(Clone, Debug)]
pub(in crate::model) struct Bushing<T = f64> {
    /// Three displacements and three components of the rotation vector.
    pub measures: [NodeMeasure<T>; 6],
    pub stiffness: Matrix6<T>,
    pub damping: Matrix6<T>,
    /// Multiplies the damping.
    pub factor: Function,
}

impl<T: Scalar> Bushing<T> {
    /// ξ and ξ̇.
    pub fn deformation(&self, at: PositionKinematics<'_, T>, v: &[T]) -> (Vector6<T>, Vector6<T>) {
        let value = self.measures.each_ref().map(|gauge| gauge.value(at));
        let rate = self.measures.each_ref().map(|gauge| gauge.rate(at, v));
        (value.into(), rate.into())
    }

    /// w.
    pub fn load(&self, t: T, at: PositionKinematics<'_, T>, v: &[T]) -> Vector6<T> {
        let (value, rate) = self.deformation(at, v);
        self.stiffness * value + (self.damping * rate) * self.factor.value(t)
    }

    /// Whether it does nothing at all.
    fn is_idle(&self) -> bool {
        self.stiffness.iter().chain(&self.damping).all(|x| x.vanishes())
    }

    pub fn force(&self, t: T, at: PositionKinematics<'_, T>, v: &[T], force: &mut [T]) {
        if self.is_idle() {
            return;
        }
        let load = self.load(t, at, v);
        for (gauge, load) in self.measures.iter().zip(load.iter()) {
            gauge.add(at.nodes, -*load, &gauge.gradient(at), force);
        }
    }

    pub fn potential(&self, at: PositionKinematics<'_, T>) -> T {
        let value: Vector6<T> = self.measures.each_ref().map(|gauge| gauge.value(at)).into();
        T::constant(0.5) * value.dot(&(self.stiffness * value))
    }

    /// The power dissipated.
    pub fn dissipation(&self, t: T, at: PositionKinematics<'_, T>, v: &[T]) -> T {
        let rate: Vector6<T> = self
            .measures
            .each_ref()
            .map(|gauge| dot(&gauge.gradient(at), &gauge.motion(at.nodes, v)))
            .into();
        self.factor.value(t) * rate.dot(&(self.damping * rate))
    }
}

impl Bushing {
    /// Σ wᵢ Kᵢ + Gᵀ(K G + C ∂ξ̇/∂q) and Gᵀ C G.
    pub fn tangent(
        &self,
        t: f64,
        at: PositionKinematics<'_>,
        v: &[f64],
        tangent: &mut ForceTangent<'_>,
    ) {
        if self.is_idle() {
            return;
        }
        let (load, nodes) = (self.load(t, at, v), at.nodes);
        let factor = self.factor.value(t);
        let gradients = self.measures.each_ref().map(|gauge| gauge.gradient(at));
        let turnings =
            self.measures.each_ref().map(|gauge| gauge.rate_gradient(at, &gauge.motion(nodes, v)));
        for (i, gauge) in self.measures.iter().enumerate() {
            gauge.add_curvature(at, load[i], tangent.stiffness);
            for (j, other) in self.measures.iter().enumerate() {
                let (k, c) = (self.stiffness[(i, j)], self.damping[(i, j)]);
                if k == 0.0 && c == 0.0 {
                    continue;
                }
                let c = factor * c;
                let (touched, turned) = (other.measure.touched(), other.measure.rotation_columns());
                let stiff = gradients[j].map(|g| k * g);
                let damped = gradients[j].map(|g| c * g);
                let turning = turnings[j].map(|g| c * g);
                let left = &gradients[i];
                gauge.add_product(nodes, left, other, touched, &stiff, tangent.stiffness);
                gauge.add_product(nodes, left, other, turned, &turning, tangent.stiffness);
                gauge.add_product(nodes, left, other, touched, &damped, tangent.damping);
            }
        }
    }

    /// The bushing with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Bushing<U> {
        Bushing {
            measures: self.measures.each_ref().map(|gauge| gauge.cast()),
            stiffness: self.stiffness.map(U::constant),
            damping: self.damping.map(U::constant),
            factor: self.factor.clone(),
        }
    }
}

impl Element for Bushing {
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
        Some(EnergyFlow { work: 0.0, lost: self.dissipation(at.t, at.place, at.v) })
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
            0 => set(self.deformation(at.place, at.v).0),
            1 => set(self.deformation(at.place, at.v).1),
            2 => set(self.load(at.t, at.place, at.v)),
            3 => values[0] = self.potential(at.place),
            _ => values[0] = self.dissipation(at.t, at.place, at.v),
        }
    }

    fn limits(&self) -> Vec<ValidityLimit> {
        let resists = self.stiffness.rows(3, 3).iter().any(|x| *x != 0.0);
        let limit = ValidityLimit {
            part: String::new(),
            quantity: "rotation",
            unit: "rad",
            limit: MAX_TWIST,
            beyond: "the rotation vector of a bushing is not continuous beyond half a turn; try: a \
                     joint with a joint-spring",
        };
        if resists { vec![limit] } else { Vec::new() }
    }

    fn limit_values(&self, at: &ElementView<'_>, values: &mut [f64]) {
        let turns = self.measures[3..].iter().map(|gauge| gauge.value(at.place).powi(2));
        values[0] = turns.sum::<f64>().sqrt();
    }

    fn reason_not_finite(&self, at: &ElementView<'_>) -> Option<Failure> {
        self.factor.failure(at.t)
    }
}

/// The rotation vector of a bushing jumps at half a turn.
const MAX_TWIST: f64 = 3.0;
