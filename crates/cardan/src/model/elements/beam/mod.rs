//! Geometrically exact beam elements with two or three nodes, in two forms with the same kinematics.
//!
//! ```text
//!   nodes x, R ── mounts ──▶ sections p, S ── interpolation ──▶ points ν, κ ── law ──▶ F, M
//!     ▲                          ▲                                                      │
//!     └──────── mounts ──────────┴──── galerkin (−∂V/∂q) or finite volumes (cuts) ◀─────┘
//! ```
//!
//! A mount is where the beam sits on a node: an offset and a rotation. Forces and tangents are first
//! computed over the sections (force at p in world axes, moment in section axes; increments δp in the
//! world, δψ in section axes) and then carried to the nodes.

mod finite_volume;
mod galerkin;
mod kinematics;
mod mount;
mod section_law;
mod viscosity;

use std::sync::Arc;

pub(in crate::model) use kinematics::ShapeFunctions;
use kinematics::{ElementConfiguration, PointConfiguration};
pub(in crate::model) use mount::Mount;
pub(in crate::model) use section_law::SectionLaw;
use viscosity::{ElementPoint, SectionVelocities};

use super::super::BeamForm;
use super::super::element::{self, Element, ElementLoads, ElementView, EnergyFlow};
use super::super::node_measure::PositionKinematics;
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Chart, Scalar, constants};
use cardan_core::state::Instant;
use cardan_core::system::{Derivative, Failure, ForceTangent};

/// Six numbers: force and moment, or strain and curvature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct SpatialVector<T = f64> {
    /// Force, or strain.
    pub linear: Vector3<T>,
    /// Moment, or curvature.
    pub angular: Vector3<T>,
}

impl<T: Scalar> Default for SpatialVector<T> {
    #[inline]
    fn default() -> Self {
        Self { linear: Vector3::zeros(), angular: Vector3::zeros() }
    }
}

impl<T: Scalar> std::ops::Add for SpatialVector<T> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl<T: Scalar> std::ops::Sub for SpatialVector<T> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

impl<T: Scalar> SpatialVector<T> {
    #[inline]
    pub fn dot(&self, other: &Self) -> T {
        self.linear.dot(&other.linear) + self.angular.dot(&other.angular)
    }
}

impl SpatialVector {
    fn cast<U: Scalar>(&self) -> SpatialVector<U> {
        SpatialVector { linear: constants(&self.linear), angular: constants(&self.angular) }
    }
}

/// A station: position, velocity and acceleration, the section's axes, its angular velocity in them.
pub(in crate::model) struct StationMotion {
    pub place: [Vector3; 3],
    pub axes: Matrix3,
    pub omega: Vector3,
}

/// The load of an element on each of its sections: a force at p in world axes, a moment in section
/// axes.
type NodeLoads<const N: usize, T = f64> = [SpatialVector<T>; N];

/// −∂(loads)/∂(p, ψ): rows (force, moment) of each section, columns (p, ψ) of each section.
#[derive(Clone, Copy)]
struct BeamTangent<const N: usize> {
    force_p: [[Matrix3; N]; N],
    force_psi: [[Matrix3; N]; N],
    moment_p: [[Matrix3; N]; N],
    moment_psi: [[Matrix3; N]; N],
}

impl<const N: usize> BeamTangent<N> {
    const ZERO: Self = {
        let zero = Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        let zeros = [[zero; N]; N];
        Self { force_p: zeros, force_psi: zeros, moment_p: zeros, moment_psi: zeros }
    };
}

/// An element of N nodes and P = N − 1 evaluation points.
#[derive(Clone, Debug)]
pub(in crate::model) struct BeamElement<const N: usize, const P: usize, T = f64> {
    pub nodes: [usize; N],
    pub mounts: [Mount<T>; N],
    pub shapes: [ShapeFunctions<N, T>; P],
    /// What it is made of.
    pub section_law: Arc<SectionLaw<T>>,
}

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    /// The node everything is measured from: the middle one of three, the first of two.
    pub const REFERENCE: usize = (N - 1) / 2;

    /// The stress at point k, with what viscosity adds if the sections move.
    #[inline(always)]
    fn stress(
        &self,
        fabric: &SectionLaw<T>,
        k: usize,
        bend: &PointConfiguration<T>,
        moving: Option<&SectionVelocities<N, T>>,
    ) -> SpatialVector<T> {
        let elastic = fabric.stiffness.times(&(bend.strain() - self.shapes[k].relaxed));
        match (moving, &fabric.viscosity) {
            (Some(moving), Some(viscosity)) => {
                elastic + viscosity.times(&self.rate(k, bend, moving))
            }
            _ => elastic,
        }
    }

    /// The sections' velocities, if they matter.
    #[inline]
    fn moving_if_viscous(
        &self,
        fabric: &SectionLaw<T>,
        bent: &ElementConfiguration<N, T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> Option<SectionVelocities<N, T>> {
        fabric.viscosity.as_ref().map(|_| self.moving(bent, at, v))
    }

    /// The loads on its sections.
    #[inline(always)]
    fn loads(
        &self,
        fabric: &SectionLaw<T>,
        bent: &ElementConfiguration<N, T>,
        moving: Option<&SectionVelocities<N, T>>,
    ) -> NodeLoads<N, T> {
        let mut loads = [SpatialVector::default(); N];
        for k in 0..P {
            let bend = self.bend(bent, k);
            let stress = self.stress(fabric, k, &bend, moving);
            match fabric.form {
                BeamForm::Galerkin => self.add_gradient(k, &bend, &stress, &mut loads),
                BeamForm::FiniteVolume => self.add_cut(k, bent, &bend, &stress, &mut loads),
            }
        }
        match fabric.form {
            BeamForm::Galerkin => Self::transform_gradient_moments(bent, &mut loads),
            BeamForm::FiniteVolume => Self::transform_cut_moments(bent, &mut loads),
        }
        loads
    }

    pub fn force(
        &self,
        fabric: &SectionLaw<T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
        force: &mut [T],
    ) {
        let bent = self.configuration(fabric.chart, at);
        let moving = self.moving_if_viscous(fabric, &bent, at, v);
        let loads = self.loads(fabric, &bent, moving.as_ref());
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
    pub fn potential(&self, fabric: &SectionLaw<T>, at: PositionKinematics<'_, T>) -> T {
        let bent = self.configuration(fabric.chart, at);
        let energy = |(k, shape): (usize, &ShapeFunctions<N, T>)| {
            let strain = self.bend(&bent, k).strain() - shape.relaxed;
            T::constant(0.5) * shape.weight * strain.dot(&fabric.stiffness.times(&strain))
        };
        self.shapes.iter().enumerate().map(energy).sum()
    }

    /// The power lost to viscosity.
    pub fn dissipation(&self, fabric: &SectionLaw<T>, at: PositionKinematics<'_, T>, v: &[T]) -> T {
        let Some(viscosity) = &fabric.viscosity else { return T::zero() };
        let bent = self.configuration(fabric.chart, at);
        let moving = self.moving(&bent, at, v);
        let lost = |(k, shape): (usize, &ShapeFunctions<N, T>)| {
            let rate = self.rate(k, &self.bend(&bent, k), &moving);
            shape.weight * rate.dot(&viscosity.times(&rate))
        };
        self.shapes.iter().enumerate().map(lost).sum()
    }

    /// ν̂ and κ̂ at its points.
    pub fn strains(&self, chart: Chart, at: PositionKinematics<'_, T>) -> [SpatialVector<T>; P] {
        let bent = self.configuration(chart, at);
        std::array::from_fn(|k| self.bend(&bent, k).strain())
    }

    /// Strains and stresses at its points.
    pub fn state(
        &self,
        fabric: &SectionLaw<T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
    ) -> [(SpatialVector<T>, SpatialVector<T>); P] {
        let bent = self.configuration(fabric.chart, at);
        let moving = self.moving_if_viscous(fabric, &bent, at, v);
        std::array::from_fn(|k| {
            let bend = self.bend(&bent, k);
            let stress = self.stress(fabric, k, &bend, moving.as_ref());
            (bend.strain() - self.shapes[k].relaxed, stress)
        })
    }

    /// The load of the element on one of its sections: force and moment about it, world axes.
    pub fn end_load(
        &self,
        fabric: &SectionLaw<T>,
        at: PositionKinematics<'_, T>,
        v: &[T],
        i: usize,
    ) -> SpatialVector<T> {
        let bent = self.configuration(fabric.chart, at);
        let moving = self.moving_if_viscous(fabric, &bent, at, v);
        let load = self.loads(fabric, &bent, moving.as_ref())[i];
        SpatialVector { linear: load.linear, angular: bent.s[i] * load.angular }
    }
}

impl<const N: usize, const P: usize> BeamElement<N, P> {
    pub fn tangent(
        &self,
        fabric: &SectionLaw,
        at: PositionKinematics<'_>,
        v: &[f64],
        out: &mut ForceTangent<'_>,
    ) {
        let bent = self.configuration(fabric.chart, at);
        let moving = self.moving_if_viscous(fabric, &bent, at, v);
        let mut stiffness = BeamTangent::ZERO;
        let loads = match fabric.form {
            BeamForm::Galerkin => self.galerkin(fabric, &bent, moving.as_ref(), &mut stiffness),
            BeamForm::FiniteVolume => self.volumes(fabric, &bent, moving.as_ref(), &mut stiffness),
        };
        if let (Some(viscosity), Some(moving)) = (&fabric.viscosity, &moving) {
            let mut damping = BeamTangent::ZERO;
            for k in 0..P {
                let bend = self.bend(&bent, k);
                let point =
                    ElementPoint { k, form: fabric.form, configuration: &bent, point: &bend };
                self.viscous(viscosity, &point, moving, &mut stiffness, &mut damping);
            }
            self.viscous_tangent(at, v, &damping, &mut stiffness);
            self.carry(at, &mut damping, None);
            self.write(at, &damping, out.damping);
        }
        self.carry(at, &mut stiffness, Some(&loads));
        self.write(at, &stiffness, out.stiffness);
    }

    /// Writes blocks over the nodes; the ground has none.
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

    /// Where a station is and how it moves.
    pub fn station(
        &self,
        fabric: &SectionLaw,
        at: PositionKinematics<'_>,
        now: &Instant,
        xi: f64,
    ) -> StationMotion {
        let bent = self.configuration(fabric.chart, at);
        let (value, slope) = ShapeFunctions::<N>::at(xi);
        let bend = bent.configuration_at(&value, &slope);
        let moving = self.moving(&bent, at, &now.v);
        let mut place = [bend.p, Vector3::zeros(), Vector3::zeros()];
        for (i, mount) in self.mounts.iter().enumerate() {
            let (node, rotation) = (&at.nodes[self.nodes[i]], &at.frames[self.nodes[i]].rotation);
            let (omega, alpha) = (node.velocity(1, &now.v), node.velocity(1, &now.a));
            let o = &mount.offset;
            let turning = alpha.cross(o) + omega.cross(&omega.cross(o));
            place[1] += value[i] * moving.p[i];
            place[2] += value[i] * (node.velocity(0, &now.a) + rotation * turning);
        }
        StationMotion { place, axes: bend.s, omega: moving.spin(&bend, &value) }
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

    /// How much longer than relaxed it is, along straight lines between its nodes.
    pub fn elongation(&self, at: PositionKinematics<'_>) -> f64 {
        let point = |i: usize| {
            let frame = &at.frames[self.nodes[i]];
            frame.position + frame.rotation * self.mounts[i].offset
        };
        let along: f64 = (1..N).map(|i| (point(i) - point(i - 1)).norm()).sum();
        let relaxed: f64 = self.shapes.iter().map(|shape| shape.weight).sum();
        along / relaxed - 1.0
    }

    /// The cosine of the largest rotation between its reference node and another one.
    pub fn least_cosine(&self, at: PositionKinematics<'_>) -> f64 {
        let s = |i: usize| self.mounts[i].turned(&at.frames[self.nodes[i]].rotation);
        let reference = s(Self::REFERENCE);
        let cosine = |i: usize| 0.5 * (reference.dot(&s(i)) - 1.0);
        (0..N).map(cosine).fold(1.0, f64::min)
    }
}

impl<const N: usize, const P: usize> Element for BeamElement<N, P> {
    #[inline]
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        self.force(&self.section_law, at.place, at.v, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut element::ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(mut out) = tangent.whole() {
            self.tangent(&self.section_law, at.place, at.v, &mut out);
        }
        Ok(Derivative::Analytic)
    }

    fn potential(&self, at: &ElementView<'_>) -> Option<f64> {
        Some(self.potential(&self.section_law, at.place))
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        Some(EnergyFlow { work: 0.0, lost: self.dissipation(&self.section_law, at.place, at.v) })
    }
}
