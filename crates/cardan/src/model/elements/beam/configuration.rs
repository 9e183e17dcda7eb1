//! Shape functions, and an element with its points at a configuration.

use super::spatial_vector::SpatialVector;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Chart, Scalar, Turn};

/// The shape functions at a point, and the strains there without load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct ShapeFunctions<const N: usize, T = f64> {
    /// N.
    pub value: [T; N],
    /// N′, per length.
    pub slope: [T; N],
    /// The length that belongs to the point.
    pub weight: T,
    /// What ν̂ and κ̂ are without load.
    pub relaxed: SpatialVector<T>,
}

impl<const N: usize> ShapeFunctions<N> {
    /// N and dN/dξ at ξ in −1…1.
    pub fn at(xi: f64) -> ([f64; N], [f64; N]) {
        let mut values = [0.0; N];
        let mut slopes = [0.0; N];
        if N == 3 {
            values.copy_from_slice(&[0.5 * xi * (xi - 1.0), 1.0 - xi * xi, 0.5 * xi * (xi + 1.0)]);
            slopes.copy_from_slice(&[xi - 0.5, -2.0 * xi, xi + 0.5]);
        } else {
            values.copy_from_slice(&[0.5 * (1.0 - xi), 0.5 * (1.0 + xi)]);
            slopes.copy_from_slice(&[-0.5, 0.5]);
        }
        (values, slopes)
    }

    /// The shape functions with their constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> ShapeFunctions<N, U> {
        ShapeFunctions {
            value: self.value.map(U::constant),
            slope: self.slope.map(U::constant),
            weight: U::constant(self.weight),
            relaxed: self.relaxed.cast(),
        }
    }
}

/// An element's sections at a configuration.
pub(super) struct ElementConfiguration<const N: usize, T = f64> {
    pub chart: Chart,
    /// Where the sections are.
    pub p: [Vector3<T>; N],
    /// How they are turned.
    pub s: [Matrix3<T>; N],
    /// Their rotations relative to the reference section, Q.
    pub relative: [Matrix3<T>; N],
    /// The chart vectors of these, g.
    pub g: [Vector3<T>; N],
    /// T⁻¹(g).
    pub inverse: [Matrix3<T>; N],
}

/// A point of the element at a configuration.
#[derive(Clone, Copy)]
pub(super) struct PointConfiguration<T = f64> {
    pub turn: Turn<T>,
    /// g′.
    pub g_slope: Vector3<T>,
    /// Q(g).
    pub relative: Matrix3<T>,
    /// T(g).
    pub tangent: Matrix3<T>,
    /// S.
    pub s: Matrix3<T>,
    pub p: Vector3<T>,
    /// ν̂ = Sᵀp′.
    pub nu: Vector3<T>,
    /// κ̂ = T g′.
    pub kappa: Vector3<T>,
}

impl<T: Scalar> PointConfiguration<T> {
    /// ν̂ and κ̂.
    #[inline]
    pub fn strain(&self) -> SpatialVector<T> {
        SpatialVector { linear: self.nu, angular: self.kappa }
    }
}

impl<const N: usize, T: Scalar> ElementConfiguration<N, T> {
    /// The sections of given places and rotations.
    #[inline(always)]
    pub fn new(chart: Chart, p: [Vector3<T>; N], s: [Matrix3<T>; N]) -> Self {
        let reference = (N - 1) / 2;
        let mut relative = [Matrix3::identity(); N];
        let mut g = [Vector3::zeros(); N];
        let mut inverse = [Matrix3::identity(); N];
        for i in 0..N {
            if i != reference {
                relative[i] = s[reference].tr_mul(&s[i]);
                g[i] = chart.of_matrix(&relative[i]);
                inverse[i] = chart.tangent_inverse(&g[i]);
            }
        }
        Self { chart, p, s, relative, g, inverse }
    }

    /// The point with given shape functions.
    #[inline(always)]
    pub fn configuration_at(&self, value: &[T; N], slope: &[T; N]) -> PointConfiguration<T> {
        let mix = |weights: &[T; N], vectors: &[Vector3<T>; N]| {
            let mut sum = vectors[0] * weights[0];
            for i in 1..N {
                sum += vectors[i] * weights[i];
            }
            sum
        };
        let (g, g_slope) = (mix(value, &self.g), mix(slope, &self.g));
        let turn = Turn::new(self.chart, g);
        let (relative, tangent) = (turn.rotation(), turn.tangent());
        let s = self.s[(N - 1) / 2] * relative;
        let p_slope = mix(slope, &self.p);
        PointConfiguration {
            turn,
            g_slope,
            relative,
            tangent,
            s,
            p: mix(value, &self.p),
            nu: s.tr_mul(&p_slope),
            kappa: tangent * g_slope,
        }
    }
}

/// The sections' velocities.
pub(super) struct SectionVelocities<const N: usize, T = f64> {
    /// ṗ.
    pub p: [Vector3<T>; N],
    /// ω̂, section axes.
    pub omega: [Vector3<T>; N],
    /// u = ω̂ − Qᵀω̂_r.
    pub u: [Vector3<T>; N],
    /// ġ.
    pub g: [Vector3<T>; N],
}

impl<const N: usize> SectionVelocities<N> {
    /// The angular velocity at a point with given shape functions, section axes there.
    pub fn spin(&self, at_point: &PointConfiguration, value: &[f64; N]) -> Vector3 {
        let g: Vector3 = value.iter().zip(&self.g).map(|(w, x)| *w * x).sum();
        at_point.relative.tr_mul(&self.omega[(N - 1) / 2]) + at_point.tangent * g
    }
}
