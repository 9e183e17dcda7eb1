//! Forces, energies and tangents of a beam element.

use std::sync::Arc;

use super::beam_element::BeamElement;
use super::configuration::{
    ElementConfiguration, PointConfiguration, SectionVelocities, ShapeFunctions,
};
use super::section_law::SectionLaw;
use super::spatial_vector::{BeamTangent, NodeLoads, SpatialVector, StationMotion};
use super::viscosity::ElementPoint;
use crate::model::BeamForm;
use crate::model::element::{Element, ElementLoads, ElementTangent, ElementView, EnergyFlow};
use crate::model::node_measure::PositionKinematics;
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::generic::Vector3;
use cardan_core::math::{Chart, Scalar, with_vector_instructions};
use cardan_core::system::{Derivative, Failure, ForceTangent};

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    /// The stress at point k; with the viscous part if velocities are given.
    #[inline(always)]
    pub(super) fn stress(
        &self,
        law: &SectionLaw<T>,
        k: usize,
        at_point: &PointConfiguration<T>,
        velocities: Option<&SectionVelocities<N, T>>,
    ) -> SpatialVector<T> {
        let strain = at_point.strain() - self.shapes[k].relaxed;
        let elastic = law.stiffness.product(&strain, law.is_coupled);
        match (velocities, &law.viscosity) {
            (Some(velocities), Some(viscosity)) => {
                elastic + viscosity.times(&self.rate(k, at_point, velocities))
            }
            _ => elastic,
        }
    }

    /// The velocities of the sections if the section law is viscous.
    #[inline]
    fn velocities_if_viscous(
        &self,
        law: &SectionLaw<T>,
        sections: &ElementConfiguration<N, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> Option<SectionVelocities<N, T>> {
        law.viscosity.as_ref().map(|_| self.section_velocities(sections, at, v))
    }

    /// The loads on the sections.
    #[inline(always)]
    fn loads(
        &self,
        law: &SectionLaw<T>,
        sections: &ElementConfiguration<N, T>,
        velocities: Option<&SectionVelocities<N, T>>,
    ) -> NodeLoads<N, T> {
        let mut loads = [SpatialVector::default(); N];
        for k in 0..P {
            let at_point = self.point_configuration(sections, k);
            let stress = self.stress(law, k, &at_point, velocities);
            match law.form {
                BeamForm::Galerkin => self.add_gradient(k, &at_point, &stress, &mut loads),
                BeamForm::FiniteVolume => self.add_cut(k, sections, &at_point, &stress, &mut loads),
            }
        }
        match law.form {
            BeamForm::Galerkin => Self::transform_gradient_moments(sections, &mut loads),
            BeamForm::FiniteVolume => Self::transform_cut_moments(sections, &mut loads),
        }
        loads
    }

    #[inline(always)]
    pub fn force(
        &self,
        law: &SectionLaw<T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
        force: &mut [T],
    ) {
        let sections = self.configuration(law.chart, at);
        let velocities = self.velocities_if_viscous(law, &sections, at, v);
        let loads = self.loads(law, &sections, velocities.as_ref());
        for (i, load) in loads.iter().enumerate() {
            let node = &at.nodes[self.nodes[i]];
            if node.kind.is_some() {
                let (linear, angular) =
                    self.mounts[i].transfer(load, &at.frames[self.nodes[i]].rotation);
                node.add(0, &linear, force);
                node.add(1, &angular, force);
            }
        }
    }

    /// The elastic energy.
    pub fn potential(&self, law: &SectionLaw<T>, at: PositionKinematics<'_, T>) -> T {
        let sections = self.configuration(law.chart, at);
        let energy = |(k, shape): (usize, &ShapeFunctions<N, T>)| {
            let strain = self.point_configuration(&sections, k).strain() - shape.relaxed;
            T::constant(0.5) * shape.weight * strain.dot(&law.stiffness.times(&strain))
        };
        self.shapes.iter().enumerate().map(energy).sum()
    }

    /// The power dissipated by viscosity.
    pub fn dissipation(&self, law: &SectionLaw<T>, at: PositionKinematics<'_, T>, v: &[T]) -> T {
        let Some(viscosity) = &law.viscosity else { return T::zero() };
        let sections = self.configuration(law.chart, at);
        let velocities = self.section_velocities(&sections, at, v);
        let lost = |(k, shape): (usize, &ShapeFunctions<N, T>)| {
            let rate = self.rate(k, &self.point_configuration(&sections, k), &velocities);
            shape.weight * rate.dot(&viscosity.times(&rate))
        };
        self.shapes.iter().enumerate().map(lost).sum()
    }

    /// ν̂ and κ̂ at the evaluation points.
    pub fn strains(&self, chart: Chart, at: PositionKinematics<'_, T>) -> [SpatialVector<T>; P] {
        let sections = self.configuration(chart, at);
        std::array::from_fn(|k| self.point_configuration(&sections, k).strain())
    }

    /// Strains, less those of the unloaded beam, and stresses at the evaluation points.
    pub fn state(
        &self,
        law: &SectionLaw<T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> [(SpatialVector<T>, SpatialVector<T>); P] {
        let sections = self.configuration(law.chart, at);
        let velocities = self.velocities_if_viscous(law, &sections, at, v);
        std::array::from_fn(|k| {
            let at_point = self.point_configuration(&sections, k);
            let stress = self.stress(law, k, &at_point, velocities.as_ref());
            (at_point.strain() - self.shapes[k].relaxed, stress)
        })
    }

    /// The load of the element on one of its sections: force and moment about it, world axes.
    pub fn end_load(
        &self,
        law: &SectionLaw<T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
        i: usize,
    ) -> SpatialVector<T> {
        let sections = self.configuration(law.chart, at);
        let velocities = self.velocities_if_viscous(law, &sections, at, v);
        let load = self.loads(law, &sections, velocities.as_ref())[i];
        SpatialVector { linear: load.linear, angular: sections.s[i] * load.angular }
    }
}

impl<const N: usize, const P: usize> BeamElement<N, P> {
    #[inline(always)]
    pub fn tangent(
        &self,
        law: &SectionLaw,
        at: PositionKinematics<'_>,
        v: &[f64],
        out: &mut ForceTangent<'_>,
    ) {
        let sections = self.configuration(law.chart, at);
        let velocities = self.velocities_if_viscous(law, &sections, at, v);
        let mut stiffness = BeamTangent::ZERO;
        let loads = match law.form {
            BeamForm::Galerkin => {
                self.galerkin(law, &sections, velocities.as_ref(), &mut stiffness)
            }
            BeamForm::FiniteVolume => {
                self.finite_volume(law, &sections, velocities.as_ref(), &mut stiffness)
            }
        };
        if let (Some(viscosity), Some(velocities)) = (&law.viscosity, &velocities) {
            let mut damping = BeamTangent::ZERO;
            for k in 0..P {
                let at_point = self.point_configuration(&sections, k);
                let point =
                    ElementPoint { k, form: law.form, configuration: &sections, point: &at_point };
                self.add_viscous(viscosity, &point, velocities, &mut stiffness, &mut damping);
            }
            self.viscous_tangent(at, v, &damping, &mut stiffness);
            self.transfer_tangent(at, &mut damping, None);
            self.write(at, &damping, out.damping);
        }
        self.transfer_tangent(at, &mut stiffness, Some(&loads));
        self.write(at, &stiffness, out.stiffness);
    }

    /// Adds the blocks of the nodes to a matrix of the model; the ground has none.
    fn write(&self, at: PositionKinematics<'_>, tangent: &BeamTangent<N>, out: &mut SparseMatrix) {
        for (i, &row) in self.nodes.iter().enumerate() {
            for (j, &column) in self.nodes.iter().enumerate() {
                let (row, column) = (&at.nodes[row], &at.nodes[column]);
                if row.kind.is_some() && column.kind.is_some() {
                    row.add_block(0, column, 0, &tangent.force_p[i][j], out);
                    row.add_block(0, column, 1, &tangent.force_psi[i][j], out);
                    row.add_block(1, column, 0, &tangent.moment_p[i][j], out);
                    row.add_block(1, column, 1, &tangent.moment_psi[i][j], out);
                }
            }
        }
    }

    /// The motion of the station at ξ in −1…1.
    pub fn station(
        &self,
        law: &SectionLaw,
        at: PositionKinematics<'_>,
        [v, a]: [&[f64]; 2],
        xi: f64,
    ) -> StationMotion {
        let sections = self.configuration(law.chart, at);
        let (value, slope) = ShapeFunctions::<N>::at(xi);
        let at_point = sections.configuration_at(&value, &slope);
        let velocities = self.section_velocities(&sections, at, v);
        let mut derivatives = [at_point.p, Vector3::zeros(), Vector3::zeros()];
        for (i, mount) in self.mounts.iter().enumerate() {
            let (node, R_WN) = (&at.nodes[self.nodes[i]], &at.frames[self.nodes[i]].rotation);
            derivatives[1] += value[i] * velocities.p[i];
            if a.is_empty() {
                continue;
            }
            let (omega, alpha) = (node.velocity(1, v), node.velocity(1, a));
            let o = &mount.offset;
            let relative_N = alpha.cross(o) + omega.cross(&omega.cross(o));
            derivatives[2] += value[i] * (node.velocity(0, a) + R_WN * relative_N);
        }
        let omega = velocities.angular_velocity(&at_point, &value);
        StationMotion { derivatives, axes: at_point.s, omega }
    }

    /// The element with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> BeamElement<N, P, U> {
        BeamElement {
            nodes: self.nodes,
            mounts: self.mounts.map(|mount| mount.cast()),
            shapes: self.shapes.map(|shape| shape.cast()),
            section_law: Arc::new(self.section_law.cast()),
        }
    }

    /// The elongation relative to the unloaded length, along straight lines between the sections.
    pub fn elongation(&self, at: PositionKinematics<'_>) -> f64 {
        let point = |i: usize| {
            let frame = &at.frames[self.nodes[i]];
            frame.position + frame.rotation * self.mounts[i].offset
        };
        let length: f64 = (1..N).map(|i| (point(i) - point(i - 1)).norm()).sum();
        let relaxed: f64 = self.shapes.iter().map(|shape| shape.weight).sum();
        length / relaxed - 1.0
    }

    /// The cosine of the largest rotation between its reference node and another one.
    pub fn least_cosine(&self, at: PositionKinematics<'_>) -> f64 {
        let s = |i: usize| self.mounts[i].section_rotation(&at.frames[self.nodes[i]].rotation);
        let reference = s(Self::REFERENCE);
        let cosine = |i: usize| 0.5 * (reference.dot(&s(i)) - 1.0);
        (0..N).map(cosine).fold(1.0, f64::min)
    }
}

impl<const N: usize, const P: usize> Element for BeamElement<N, P> {
    #[inline]
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        with_vector_instructions(
            #[inline(always)]
            || self.force(&self.section_law, at.kinematics, at.v, loads.out),
        );
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(mut out) = tangent.model_tangent() {
            with_vector_instructions(
                #[inline(always)]
                || self.tangent(&self.section_law, at.kinematics, at.v, &mut out),
            );
        }
        Ok(Derivative::Analytic)
    }

    fn potential(&self, at: &ElementView<'_>) -> Option<f64> {
        Some(self.potential(&self.section_law, at.kinematics))
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        Some(EnergyFlow {
            work: 0.0,
            lost: self.dissipation(&self.section_law, at.kinematics, at.v),
        })
    }
}
