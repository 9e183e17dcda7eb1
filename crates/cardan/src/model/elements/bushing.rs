//! Six springs and dampers between two frames: w = K ξ + C ξ̇ over the displacement and the rotation
//! vector ξ of body 2 in axes of body 1, acting as −(∂ξ/∂q)ᵀ w.

use super::super::gauge::{Gauge, Placed, dot};
use super::super::{Function, Matrix6};
use crate::system::ForceTangent;

type Vector6 = nalgebra::Vector6<f64>;

/// A bushing.
#[derive(Clone, Debug)]
pub(in crate::model) struct Bushing {
    /// Three displacements and three components of the rotation vector.
    pub gauges: [Gauge; 6],
    pub stiffness: Matrix6,
    pub damping: Matrix6,
    /// Multiplies the damping.
    pub factor: Function,
}

impl Bushing {
    /// ξ and ξ̇.
    pub fn deformation(&self, at: Placed<'_>, v: &[f64]) -> (Vector6, Vector6) {
        let value = self.gauges.map(|gauge| gauge.value(at));
        let rate = self.gauges.map(|gauge| gauge.rate(at, v));
        (value.into(), rate.into())
    }

    /// w.
    pub fn load(&self, t: f64, at: Placed<'_>, v: &[f64]) -> Vector6 {
        let (value, rate) = self.deformation(at, v);
        self.stiffness * value + self.factor.value(t) * (self.damping * rate)
    }

    /// Whether it does nothing at all.
    fn is_idle(&self) -> bool {
        let nothing = Matrix6::zeros();
        self.stiffness == nothing && self.damping == nothing
    }

    pub fn force(&self, t: f64, at: Placed<'_>, v: &[f64], force: &mut [f64]) {
        if self.is_idle() {
            return;
        }
        let load = self.load(t, at, v);
        for (gauge, load) in self.gauges.iter().zip(load.iter()) {
            gauge.add(at.nodes, -load, &gauge.gradient(at), force);
        }
    }

    /// Σ wᵢ Kᵢ + Gᵀ(K G + C ∂ξ̇/∂q) and Gᵀ C G.
    pub fn tangent(&self, t: f64, at: Placed<'_>, v: &[f64], tangent: &mut ForceTangent<'_>) {
        if self.is_idle() {
            return;
        }
        let (load, nodes) = (self.load(t, at, v), at.nodes);
        let factor = self.factor.value(t);
        let gradients = self.gauges.map(|gauge| gauge.gradient(at));
        let turnings = self.gauges.map(|gauge| gauge.rate_gradient(at, &gauge.motion(nodes, v)));
        for (i, gauge) in self.gauges.iter().enumerate() {
            gauge.add_curvature(at, load[i], tangent.stiffness);
            for (j, other) in self.gauges.iter().enumerate() {
                let (k, c) = (self.stiffness[(i, j)], self.damping[(i, j)]);
                if k == 0.0 && c == 0.0 {
                    continue;
                }
                let c = factor * c;
                let (touched, turned) = (other.measure.touched(), other.measure.turned_by());
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

    pub fn potential(&self, at: Placed<'_>) -> f64 {
        let value: Vector6 = self.gauges.map(|gauge| gauge.value(at)).into();
        0.5 * value.dot(&(self.stiffness * value))
    }

    /// The power dissipated.
    pub fn dissipation(&self, t: f64, at: Placed<'_>, v: &[f64]) -> f64 {
        let rate: Vector6 =
            self.gauges.map(|gauge| dot(&gauge.gradient(at), &gauge.motion(at.nodes, v))).into();
        self.factor.value(t) * rate.dot(&(self.damping * rate))
    }
}
