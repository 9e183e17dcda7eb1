//! From nodes to strains: rotations relative to a reference section, interpolated by their vectors.

use super::super::super::gauge::Placed;
use super::{BeamElement, Pair};
use crate::math::{Chart, Matrix3, Turn, Vector3};

/// The shape functions at a point, and the strains there without load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct Shape<const N: usize> {
    /// N.
    pub value: [f64; N],
    /// N′, per length.
    pub slope: [f64; N],
    /// The length that belongs to the point.
    pub weight: f64,
    /// What ν̂ and κ̂ are without load.
    pub relaxed: Pair,
}

impl<const N: usize> Shape<N> {
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
}

/// An element's sections at a configuration.
pub(super) struct Bent<const N: usize> {
    pub chart: Chart,
    /// Where the sections are.
    pub p: [Vector3; N],
    /// How they are turned.
    pub s: [Matrix3; N],
    /// Their rotations relative to the reference section, Q.
    pub relative: [Matrix3; N],
    /// The chart vectors of these, g.
    pub g: [Vector3; N],
    /// T⁻¹(g).
    pub inverse: [Matrix3; N],
}

/// A point of the element at a configuration.
#[derive(Clone, Copy)]
pub(super) struct Bend {
    pub turn: Turn,
    /// g′.
    pub g_slope: Vector3,
    /// Q(g).
    pub relative: Matrix3,
    /// T(g).
    pub tangent: Matrix3,
    /// S.
    pub s: Matrix3,
    pub p: Vector3,
    /// ν̂ = Sᵀp′.
    pub nu: Vector3,
    /// κ̂ = T g′.
    pub kappa: Vector3,
}

impl Bend {
    /// ν̂ and κ̂.
    #[inline]
    pub fn strain(&self) -> Pair {
        Pair { linear: self.nu, angular: self.kappa }
    }
}

impl<const N: usize> Bent<N> {
    /// The sections of given places and rotations.
    #[inline(always)]
    pub fn new(chart: Chart, p: [Vector3; N], s: [Matrix3; N]) -> Self {
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
    pub fn bend(&self, value: &[f64; N], slope: &[f64; N]) -> Bend {
        let mix = |weights: &[f64; N], vectors: &[Vector3; N]| {
            let mut sum = weights[0] * vectors[0];
            for i in 1..N {
                sum += weights[i] * vectors[i];
            }
            sum
        };
        let (g, g_slope) = (mix(value, &self.g), mix(slope, &self.g));
        let turn = Turn::new(self.chart, g);
        let (relative, tangent) = (turn.rotation(), turn.tangent());
        let s = self.s[(N - 1) / 2] * relative;
        let p_slope = mix(slope, &self.p);
        Bend {
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

impl<const N: usize, const P: usize> BeamElement<N, P> {
    #[inline]
    pub(super) fn bent(&self, chart: Chart, at: Placed<'_>) -> Bent<N> {
        let frame = |i: usize| &at.frames[self.nodes[i]];
        let p = std::array::from_fn(|i| self.mounts[i].point(frame(i)));
        let s = std::array::from_fn(|i| self.mounts[i].turned(&frame(i).rotation));
        Bent::new(chart, p, s)
    }

    /// Point k.
    #[inline(always)]
    pub(super) fn bend(&self, bent: &Bent<N>, k: usize) -> Bend {
        bent.bend(&self.shapes[k].value, &self.shapes[k].slope)
    }
}
