//! Sums over the elements of a model, in coordinates that may have points of flexible bodies as nodes.

use super::compiled::Model;
use super::element::{Element, ElementLoads, ElementTangent, ElementView, EnergyFlow};
use super::elements::Visitor;
use super::node_measure::PositionKinematics;
use cardan_core::linalg::SparseMatrix;
use cardan_core::system::{Failure, ForceTangent};

impl Model {
    /// The forces of elements.
    pub(super) fn element_force(
        &self,
        at: &ElementView<'_>,
        force: &mut [f64],
    ) -> Result<(), Failure> {
        struct Sum<'a, 'b>(&'a ElementView<'b>, &'a mut [f64]);
        impl Visitor for Sum<'_, '_> {
            #[inline]
            fn visit<E: Element>(&mut self, element: &E) -> Result<(), Failure> {
                element.force(self.0, &mut ElementLoads::new(self.0, self.1))
            }
        }
        self.elements.visit(&mut Sum(at, force))
    }

    /// Their tangents.
    pub(super) fn element_tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ForceTangent<'_>,
    ) -> Result<(), Failure> {
        struct Sum<'a, 'b>(&'a ElementView<'a>, &'a mut ForceTangent<'b>);
        impl Visitor for Sum<'_, '_> {
            #[inline]
            fn visit<E: Element>(&mut self, element: &E) -> Result<(), Failure> {
                element.tangent(self.0, &mut ElementTangent::new(self.0, self.1)).map(drop)
            }
        }
        self.elements.visit(&mut Sum(at, tangent))
    }

    /// The energy they store.
    pub(super) fn element_potential(&self, at: &ElementView<'_>) -> f64 {
        struct Sum<'a, 'b>(&'a ElementView<'b>, f64);
        impl Visitor for Sum<'_, '_> {
            fn visit<E: Element>(&mut self, element: &E) -> Result<(), Failure> {
                self.1 += element.potential(self.0).unwrap_or(0.0);
                Ok(())
            }
        }
        let mut sum = Sum(at, 0.0);
        // nothing fails here
        let _ = self.elements.visit(&mut sum);
        sum.1
    }

    /// The work they do, and what they lose, per second.
    pub(super) fn element_flow(&self, at: &ElementView<'_>) -> EnergyFlow {
        struct Sum<'a, 'b>(&'a ElementView<'b>, EnergyFlow);
        impl Visitor for Sum<'_, '_> {
            fn visit<E: Element>(&mut self, element: &E) -> Result<(), Failure> {
                let flow = element.flow(self.0).unwrap_or_default();
                self.1.work += flow.work;
                self.1.lost += flow.lost;
                Ok(())
            }
        }
        let mut sum = Sum(at, EnergyFlow::default());
        let _ = self.elements.visit(&mut sum);
        sum.1
    }

    /// G of elements.
    pub(super) fn element_jacobian(
        &self,
        place: PositionKinematics<'_>,
        jacobian: &mut SparseMatrix,
    ) {
        self.coincidences.iter().for_each(|x| x.jacobian(place, jacobian));
        self.alignments.iter().for_each(|x| x.jacobian(place, jacobian));
        self.holonomic_rows.iter().for_each(|x| x.jacobian(place, jacobian));
        self.nonholonomic_rows.iter().for_each(|x| x.jacobian(place, jacobian));
    }

    /// The acceleration of their constraints at v̇ = 0.
    pub(super) fn element_acceleration(
        &self,
        t: f64,
        place: PositionKinematics<'_>,
        v: &[f64],
        out: &mut [f64],
    ) {
        self.coincidences.iter().for_each(|x| x.acceleration(place, v, out));
        self.alignments.iter().for_each(|x| x.acceleration(place, v, out));
        self.holonomic_rows.iter().for_each(|x| x.acceleration(t, place, v, out));
        self.nonholonomic_rows.iter().for_each(|x| x.acceleration(t, place, v, out));
    }

    /// ∂(Gᵀλ)/∂q of elements.
    pub(super) fn element_multiplier_tangent(
        &self,
        place: PositionKinematics<'_>,
        multipliers: &[f64],
        tangent: &mut SparseMatrix,
    ) {
        let each = &self.coincidences;
        each.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
        let each = &self.alignments;
        each.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
        self.holonomic_rows.iter().for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
        self.nonholonomic_rows
            .iter()
            .for_each(|x| x.multiplier_tangent(place, multipliers, tangent));
    }

    /// ∂(G v)/∂q of elements.
    pub(super) fn element_velocity_tangent(
        &self,
        place: PositionKinematics<'_>,
        v: &[f64],
        out: &mut SparseMatrix,
    ) {
        self.coincidences.iter().for_each(|x| x.velocity_tangent(place, v, out));
        self.alignments.iter().for_each(|x| x.velocity_tangent(place, v, out));
        self.holonomic_rows.iter().for_each(|x| x.velocity_tangent(place, v, out));
        self.nonholonomic_rows.iter().for_each(|x| x.velocity_tangent(place, v, out));
    }
}
