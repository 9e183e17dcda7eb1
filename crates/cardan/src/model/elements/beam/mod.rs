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
mod law;
mod mount;
mod viscosity;

use std::sync::Arc;

pub(in crate::model) use kinematics::Shape;
use kinematics::{Bend, Bent};
pub(in crate::model) use law::Fabric;
pub(in crate::model) use mount::Mount;
use viscosity::{Moving, Point};

use super::super::BeamForm;
use super::super::element::{self, At, Element, Flow, Loads as ElementLoads};
use super::super::gauge::Placed;
use crate::linalg::Entries;
use crate::math::generic::{Matrix3, Vector3};
use crate::math::{Chart, Scalar, constants};
use crate::state::Instant;
use crate::system::{Derivative, Failure, ForceTangent};

/// Six numbers: force and moment, or strain and curvature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct Pair<T = f64> {
    /// Force, or strain.
    pub linear: Vector3<T>,
    /// Moment, or curvature.
    pub angular: Vector3<T>,
}

impl<T: Scalar> Default for Pair<T> {
    #[inline]
    fn default() -> Self {
        Self { linear: Vector3::zeros(), angular: Vector3::zeros() }
    }
}

impl<T: Scalar> std::ops::Add for Pair<T> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl<T: Scalar> std::ops::Sub for Pair<T> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

impl<T: Scalar> Pair<T> {
    #[inline]
    pub fn dot(&self, other: &Self) -> T {
        self.linear.dot(&other.linear) + self.angular.dot(&other.angular)
    }
}

impl Pair {
    fn cast<U: Scalar>(&self) -> Pair<U> {
        Pair { linear: constants(&self.linear), angular: constants(&self.angular) }
    }
}

/// A station: position, velocity and acceleration, the section's axes, its angular velocity in them.
pub(in crate::model) struct Moved {
    pub place: [Vector3; 3],
    pub axes: Matrix3,
    pub omega: Vector3,
}

/// The load of an element on each of its sections: a force at p in world axes, a moment in section
/// axes.
type Loads<const N: usize, T = f64> = [Pair<T>; N];

/// −∂(loads)/∂(p, ψ): rows (force, moment) of each section, columns (p, ψ) of each section.
#[derive(Clone, Copy)]
struct Tangent<const N: usize> {
    force_p: [[Matrix3; N]; N],
    force_psi: [[Matrix3; N]; N],
    moment_p: [[Matrix3; N]; N],
    moment_psi: [[Matrix3; N]; N],
}

impl<const N: usize> Tangent<N> {
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
    pub shapes: [Shape<N, T>; P],
    /// What it is made of.
    pub fabric: Arc<Fabric<T>>,
}

impl<const N: usize, const P: usize, T: Scalar> BeamElement<N, P, T> {
    /// The node everything is measured from: the middle one of three, the first of two.
    pub const REFERENCE: usize = (N - 1) / 2;

    /// The stress at point k, with what viscosity adds if the sections move.
    #[inline(always)]
    fn stress(
        &self,
        fabric: &Fabric<T>,
        k: usize,
        bend: &Bend<T>,
        moving: Option<&Moving<N, T>>,
    ) -> Pair<T> {
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
        fabric: &Fabric<T>,
        bent: &Bent<N, T>,
        at: Placed<'_, T>,
        v: &[T],
    ) -> Option<Moving<N, T>> {
        fabric.viscosity.as_ref().map(|_| self.moving(bent, at, v))
    }

    /// The loads on its sections.
    #[inline(always)]
    fn loads(
        &self,
        fabric: &Fabric<T>,
        bent: &Bent<N, T>,
        moving: Option<&Moving<N, T>>,
    ) -> Loads<N, T> {
        let mut loads = [Pair::default(); N];
        for k in 0..P {
            let bend = self.bend(bent, k);
            let stress = self.stress(fabric, k, &bend, moving);
            match fabric.form {
                BeamForm::Galerkin => self.add_gradient(k, &bend, &stress, &mut loads),
                BeamForm::FiniteVolume => self.add_cut(k, bent, &bend, &stress, &mut loads),
            }
        }
        match fabric.form {
            BeamForm::Galerkin => Self::settle_gradient(bent, &mut loads),
            BeamForm::FiniteVolume => Self::settle_cuts(bent, &mut loads),
        }
        loads
    }

    pub fn force(&self, fabric: &Fabric<T>, at: Placed<'_, T>, v: &[T], force: &mut [T]) {
        let bent = self.bent(fabric.chart, at);
        let moving = self.moving_if_viscous(fabric, &bent, at, v);
        let loads = self.loads(fabric, &bent, moving.as_ref());
        for (i, load) in loads.iter().enumerate() {
            let node = &at.nodes[self.nodes[i]];
            if node.freedom.is_some() {
                let (linear, angular) =
                    self.mounts[i].carry(load, &at.frames[self.nodes[i]].rotation);
                node.add(0, &linear, force);
                node.add(1, &angular, force);
            }
        }
    }

    /// The elastic energy.
    pub fn potential(&self, fabric: &Fabric<T>, at: Placed<'_, T>) -> T {
        let bent = self.bent(fabric.chart, at);
        let energy = |(k, shape): (usize, &Shape<N, T>)| {
            let strain = self.bend(&bent, k).strain() - shape.relaxed;
            T::constant(0.5) * shape.weight * strain.dot(&fabric.stiffness.times(&strain))
        };
        self.shapes.iter().enumerate().map(energy).sum()
    }

    /// The power lost to viscosity.
    pub fn dissipation(&self, fabric: &Fabric<T>, at: Placed<'_, T>, v: &[T]) -> T {
        let Some(viscosity) = &fabric.viscosity else { return T::zero() };
        let bent = self.bent(fabric.chart, at);
        let moving = self.moving(&bent, at, v);
        let lost = |(k, shape): (usize, &Shape<N, T>)| {
            let rate = self.rate(k, &self.bend(&bent, k), &moving);
            shape.weight * rate.dot(&viscosity.times(&rate))
        };
        self.shapes.iter().enumerate().map(lost).sum()
    }

    /// ν̂ and κ̂ at its points.
    pub fn strains(&self, chart: Chart, at: Placed<'_, T>) -> [Pair<T>; P] {
        let bent = self.bent(chart, at);
        std::array::from_fn(|k| self.bend(&bent, k).strain())
    }

    /// Strains and stresses at its points.
    pub fn state(&self, fabric: &Fabric<T>, at: Placed<'_, T>, v: &[T]) -> [(Pair<T>, Pair<T>); P] {
        let bent = self.bent(fabric.chart, at);
        let moving = self.moving_if_viscous(fabric, &bent, at, v);
        std::array::from_fn(|k| {
            let bend = self.bend(&bent, k);
            let stress = self.stress(fabric, k, &bend, moving.as_ref());
            (bend.strain() - self.shapes[k].relaxed, stress)
        })
    }

    /// The load of the element on one of its sections: force and moment about it, world axes.
    pub fn end_load(&self, fabric: &Fabric<T>, at: Placed<'_, T>, v: &[T], i: usize) -> Pair<T> {
        let bent = self.bent(fabric.chart, at);
        let moving = self.moving_if_viscous(fabric, &bent, at, v);
        let load = self.loads(fabric, &bent, moving.as_ref())[i];
        Pair { linear: load.linear, angular: bent.s[i] * load.angular }
    }
}

impl<const N: usize, const P: usize> BeamElement<N, P> {
    pub fn tangent(&self, fabric: &Fabric, at: Placed<'_>, v: &[f64], out: &mut ForceTangent<'_>) {
        let bent = self.bent(fabric.chart, at);
        let moving = self.moving_if_viscous(fabric, &bent, at, v);
        let mut stiffness = Tangent::ZERO;
        let loads = match fabric.form {
            BeamForm::Galerkin => self.galerkin(fabric, &bent, moving.as_ref(), &mut stiffness),
            BeamForm::FiniteVolume => self.volumes(fabric, &bent, moving.as_ref(), &mut stiffness),
        };
        if let (Some(viscosity), Some(moving)) = (&fabric.viscosity, &moving) {
            let mut damping = Tangent::ZERO;
            for k in 0..P {
                let bend = self.bend(&bent, k);
                let point = Point { k, form: fabric.form, bent: &bent, bend: &bend };
                self.viscous(viscosity, &point, moving, &mut stiffness, &mut damping);
            }
            self.carry_swing(at, v, &damping, &mut stiffness);
            self.carry(at, &mut damping, None);
            self.write(at, &damping, out.damping);
        }
        self.carry(at, &mut stiffness, Some(&loads));
        self.write(at, &stiffness, out.stiffness);
    }

    /// Writes blocks over the nodes; the ground has none.
    fn write(&self, at: Placed<'_>, tangent: &Tangent<N>, out: &mut Entries) {
        for (i, &row) in self.nodes.iter().enumerate() {
            for (j, &column) in self.nodes.iter().enumerate() {
                let (row, column) = (&at.nodes[row], &at.nodes[column]);
                if row.freedom.is_some() && column.freedom.is_some() {
                    row.add_block(0, column, 0, &tangent.force_p[i][j], out);
                    row.add_block(0, column, 1, &tangent.force_psi[i][j], out);
                    row.add_block(1, column, 0, &tangent.moment_p[i][j], out);
                    row.add_block(1, column, 1, &tangent.moment_psi[i][j], out);
                }
            }
        }
    }

    /// Where a station is and how it moves.
    pub fn station(&self, fabric: &Fabric, at: Placed<'_>, now: &Instant, xi: f64) -> Moved {
        let bent = self.bent(fabric.chart, at);
        let (value, slope) = Shape::<N>::at(xi);
        let bend = bent.bend(&value, &slope);
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
        Moved { place, axes: bend.s, omega: moving.spin(&bend, &value) }
    }

    /// The element with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> BeamElement<N, P, U> {
        BeamElement {
            nodes: self.nodes,
            mounts: self.mounts.map(|mount| mount.cast()),
            shapes: self.shapes.map(|shape| shape.cast()),
            fabric: Arc::new(self.fabric.cast()),
        }
    }

    /// How much longer than relaxed it is, along straight lines between its nodes.
    pub fn elongation(&self, at: Placed<'_>) -> f64 {
        let point = |i: usize| {
            let frame = &at.frames[self.nodes[i]];
            frame.position + frame.rotation * self.mounts[i].offset
        };
        let along: f64 = (1..N).map(|i| (point(i) - point(i - 1)).norm()).sum();
        let relaxed: f64 = self.shapes.iter().map(|shape| shape.weight).sum();
        along / relaxed - 1.0
    }

    /// The cosine of the largest rotation between its reference node and another one.
    pub fn least_cosine(&self, at: Placed<'_>) -> f64 {
        let s = |i: usize| self.mounts[i].turned(&at.frames[self.nodes[i]].rotation);
        let reference = s(Self::REFERENCE);
        let cosine = |i: usize| 0.5 * (reference.dot(&s(i)) - 1.0);
        (0..N).map(cosine).fold(1.0, f64::min)
    }
}

impl<const N: usize, const P: usize> Element for BeamElement<N, P> {
    #[inline]
    fn force(&self, at: &At<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        self.force(&self.fabric, at.place, at.v, loads.out);
        Ok(())
    }

    #[inline]
    fn tangent(
        &self,
        at: &At<'_>,
        tangent: &mut element::Tangent<'_>,
    ) -> Result<Derivative, Failure> {
        if let Some(mut out) = tangent.whole() {
            self.tangent(&self.fabric, at.place, at.v, &mut out);
        }
        Ok(Derivative::Analytic)
    }

    fn potential(&self, at: &At<'_>) -> Option<f64> {
        Some(self.potential(&self.fabric, at.place))
    }

    fn flow(&self, at: &At<'_>) -> Option<Flow> {
        Some(Flow { work: 0.0, lost: self.dissipation(&self.fabric, at.place, at.v) })
    }
}
