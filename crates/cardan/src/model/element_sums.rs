//! Sums over the elements of a model. Points of flexible bodies may be nodes.

use super::compiled::Model;
use super::element::{Element, ElementLoads, ElementTangent, ElementView, EnergyFlow};
use super::elements::Visitor;
use super::node_measure::PositionKinematics;
use cardan_core::linalg::{ProductSink, SparseMatrix, TransposedProductSink};
use cardan_core::system::{Failure, ForceTangent};

impl Model {
    /// Visits the elements that are not switched off.
    #[inline]
    fn visit_acting(
        &self,
        at: &ElementView<'_>,
        visitor: &mut impl Visitor,
    ) -> Result<(), Failure> {
        if self.switches.is_empty() {
            return self.elements.visit(visitor);
        }
        let is_off = |kind, index| self.is_switched_off(kind, index, at.kinematics.q);
        self.elements.visit_without(is_off, visitor)
    }

    /// Adds the forces of all elements.
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
        self.visit_acting(at, &mut Sum(at, force))
    }

    /// Adds the tangents of all elements.
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
        self.visit_acting(at, &mut Sum(at, tangent))
    }

    /// The stored energy of all elements.
    pub(super) fn element_potential(&self, at: &ElementView<'_>) -> f64 {
        struct Sum<'a, 'b>(&'a ElementView<'b>, f64);
        impl Visitor for Sum<'_, '_> {
            fn visit<E: Element>(&mut self, element: &E) -> Result<(), Failure> {
                self.1 += element.potential(self.0).unwrap_or(0.0);
                Ok(())
            }
        }
        let mut sum = Sum(at, 0.0);
        // this visitor does not fail
        let _ = self.visit_acting(at, &mut sum);
        sum.1
    }

    /// The delivered and dissipated powers of all elements.
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
        let _ = self.visit_acting(at, &mut sum);
        sum.1
    }

    /// G of all constraint elements.
    pub(super) fn element_jacobian(
        &self,
        kinematics: PositionKinematics<'_>,
        jacobian: &mut SparseMatrix,
    ) {
        self.coincidences.iter().for_each(|x| x.jacobian(kinematics, jacobian));
        self.alignments.iter().for_each(|x| x.jacobian(kinematics, jacobian));
        self.holonomic_rows.iter().for_each(|x| x.jacobian(kinematics, jacobian));
        self.nonholonomic_rows.iter().for_each(|x| x.jacobian(kinematics, jacobian));
    }

    /// Adds Gᵀλ of all constraint elements.
    pub(super) fn element_constraint_force(
        &self,
        kinematics: PositionKinematics<'_>,
        multipliers: &[f64],
        force: &mut [f64],
    ) {
        self.coincidences.iter().for_each(|x| x.force(kinematics, multipliers, force));
        self.alignments.iter().for_each(|x| x.force(kinematics, multipliers, force));
        let mut product = TransposedProductSink { x: multipliers, out: force };
        self.holonomic_rows.iter().for_each(|x| x.jacobian(kinematics, &mut product));
        self.nonholonomic_rows.iter().for_each(|x| x.jacobian(kinematics, &mut product));
    }

    /// Adds G v of all constraint elements.
    pub(super) fn element_velocity(
        &self,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
        out: &mut [f64],
    ) {
        self.coincidences.iter().for_each(|x| x.velocity(kinematics, v, out));
        self.alignments.iter().for_each(|x| x.velocity(kinematics, v, out));
        let mut product = ProductSink { x: v, out };
        self.holonomic_rows.iter().for_each(|x| x.jacobian(kinematics, &mut product));
        self.nonholonomic_rows.iter().for_each(|x| x.jacobian(kinematics, &mut product));
    }

    /// The acceleration of all constraints at v̇ = 0.
    pub(super) fn element_acceleration(
        &self,
        t: f64,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
        out: &mut [f64],
    ) {
        self.coincidences.iter().for_each(|x| x.acceleration(kinematics, v, out));
        self.alignments.iter().for_each(|x| x.acceleration(kinematics, v, out));
        self.holonomic_rows.iter().for_each(|x| x.acceleration(t, kinematics, v, out));
        self.nonholonomic_rows.iter().for_each(|x| x.acceleration(t, kinematics, v, out));
    }

    /// ∂(Gᵀλ)/∂q of all constraint elements.
    pub(super) fn element_multiplier_tangent(
        &self,
        kinematics: PositionKinematics<'_>,
        multipliers: &[f64],
        tangent: &mut SparseMatrix,
    ) {
        let each = &self.coincidences;
        each.iter().for_each(|x| x.multiplier_tangent(kinematics, multipliers, tangent));
        let each = &self.alignments;
        each.iter().for_each(|x| x.multiplier_tangent(kinematics, multipliers, tangent));
        self.holonomic_rows
            .iter()
            .for_each(|x| x.multiplier_tangent(kinematics, multipliers, tangent));
        self.nonholonomic_rows
            .iter()
            .for_each(|x| x.multiplier_tangent(kinematics, multipliers, tangent));
    }

    /// ∂(G v)/∂q of all constraint elements.
    pub(super) fn element_velocity_tangent(
        &self,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
        out: &mut SparseMatrix,
    ) {
        self.coincidences.iter().for_each(|x| x.velocity_tangent(kinematics, v, out));
        self.alignments.iter().for_each(|x| x.velocity_tangent(kinematics, v, out));
        self.holonomic_rows.iter().for_each(|x| x.velocity_tangent(kinematics, v, out));
        self.nonholonomic_rows.iter().for_each(|x| x.velocity_tangent(kinematics, v, out));
    }
}
