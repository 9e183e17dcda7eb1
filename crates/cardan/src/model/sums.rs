//! Sums over the elements of a model, in coordinates that may have points of flexible bodies as nodes.

use super::compiled::Model;
use super::gauge::Placed;
use crate::linalg::Entries;
use crate::system::ForceTangent;

impl Model {
    /// The forces of elements.
    pub(super) fn element_force(
        &self,
        t: f64,
        place: Placed<'_>,
        v: &[f64],
        multipliers: &[f64],
        force: &mut [f64],
    ) {
        let fabrics = &self.fabrics;
        self.beams2.iter().for_each(|x| x.force(&fabrics[x.fabric], place, v, force));
        self.beams3.iter().for_each(|x| x.force(&fabrics[x.fabric], place, v, force));
        self.springs.iter().for_each(|x| x.force(t, place, v, force));
        self.bushings.iter().for_each(|x| x.force(t, place, v, force));
        self.loads.iter().for_each(|x| x.force(t, place, force));
        self.frictions.iter().for_each(|x| x.force(place, v, multipliers, force));
    }

    /// Their tangents.
    pub(super) fn element_tangent(
        &self,
        t: f64,
        place: Placed<'_>,
        v: &[f64],
        multipliers: &[f64],
        tangent: &mut ForceTangent<'_>,
    ) {
        let fabrics = &self.fabrics;
        self.beams2.iter().for_each(|x| x.tangent(&fabrics[x.fabric], place, v, tangent));
        self.beams3.iter().for_each(|x| x.tangent(&fabrics[x.fabric], place, v, tangent));
        self.springs.iter().for_each(|x| x.tangent(t, place, v, tangent));
        self.bushings.iter().for_each(|x| x.tangent(t, place, v, tangent));
        self.loads.iter().for_each(|x| x.tangent(t, place, tangent.stiffness));
        self.frictions.iter().for_each(|x| x.tangent(place, v, multipliers, tangent));
    }

    /// G of elements.
    pub(super) fn element_jacobian(&self, place: Placed<'_>, jacobian: &mut Entries) {
        self.coincidences.iter().for_each(|x| x.jacobian(place, jacobian));
        self.alignments.iter().for_each(|x| x.jacobian(place, jacobian));
        self.held.iter().for_each(|x| x.jacobian(place, jacobian));
        self.rates.iter().for_each(|x| x.jacobian(place, jacobian));
    }

    /// The acceleration of their constraints at v̇ = 0.
    pub(super) fn element_acceleration(
        &self,
        t: f64,
        place: Placed<'_>,
        v: &[f64],
        out: &mut [f64],
    ) {
        self.coincidences.iter().for_each(|x| x.acceleration(place, v, out));
        self.alignments.iter().for_each(|x| x.acceleration(place, v, out));
        self.held.iter().for_each(|x| x.acceleration(t, place, v, out));
        self.rates.iter().for_each(|x| x.acceleration(t, place, v, out));
    }

    /// ∂(Gᵀλ)/∂q of elements.
    pub(super) fn element_multiplier_tangent(
        &self,
        place: Placed<'_>,
        multipliers: &[f64],
        tangent: &mut Entries,
    ) {
        let each = &self.coincidences;
        each.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
        let each = &self.alignments;
        each.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
        self.held.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
        self.rates.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
    }

    /// ∂(G v)/∂q of elements.
    pub(super) fn element_velocity_tangent(&self, place: Placed<'_>, v: &[f64], out: &mut Entries) {
        self.coincidences.iter().for_each(|x| x.velocity_tangent(place, v, out));
        self.alignments.iter().for_each(|x| x.velocity_tangent(place, v, out));
        self.held.iter().for_each(|x| x.velocity_tangent(place, v, out));
        self.rates.iter().for_each(|x| x.velocity_tangent(place, v, out));
    }
}
