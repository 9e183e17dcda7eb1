//! Forces and strains of a section, loads and tangents of an element.

use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants};

/// Force and moment, or strain and curvature.
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
    pub(super) fn cast<U: Scalar>(&self) -> SpatialVector<U> {
        SpatialVector { linear: constants(&self.linear), angular: constants(&self.angular) }
    }
}

/// The motion of a station.
pub(in crate::model) struct StationMotion {
    /// Position, velocity and acceleration, world axes.
    pub derivatives: [Vector3; 3],
    /// The rotation of the section, from section to world axes.
    pub axes: Matrix3,
    /// The angular velocity, section axes.
    pub omega: Vector3,
}

/// The load of an element on each of its sections: a force at p in world axes, a moment in section
/// axes.
pub(super) type NodeLoads<const N: usize, T = f64> = [SpatialVector<T>; N];

/// −∂(loads)/∂(p, ψ): rows (force, moment) of each section, columns (p, ψ) of each section.
#[derive(Clone, Copy)]
pub(super) struct BeamTangent<const N: usize> {
    pub force_p: [[Matrix3; N]; N],
    pub force_psi: [[Matrix3; N]; N],
    pub moment_p: [[Matrix3; N]; N],
    pub moment_psi: [[Matrix3; N]; N],
}

impl<const N: usize> BeamTangent<N> {
    pub const ZERO: Self = {
        let zero = Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        let zeros = [[zero; N]; N];
        Self { force_p: zeros, force_psi: zeros, moment_p: zeros, moment_psi: zeros }
    };
}
