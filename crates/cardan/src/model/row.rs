//! The rows that joints are made of: one scalar constraint between two frames.
//!
//! With s₁, s₂ points and a, b vectors fixed in the bodies, d = x₂ + R₂s₂ − x₁ − R₁s₁:
//!
//! | row      | Φ             | what it holds                                    |
//! | -------- | ------------- | ------------------------------------------------ |
//! | Gap      | n·d           | two points together along a direction in space   |
//! | Dot      | (R₁a)·(R₂b)   | two vectors at right angles                      |
//! | Project  | (R₁a)·d       | a point in a plane that moves with body 1        |
//! | Distance | \|d\|         | two points at a distance                         |
//!
//! Columns are δx₁, δθ₁, δx₂, δθ₂ with R ← R·exp(δθ̂). The curvature K = ∂Gᵀ/∂q is given for λ = 1;
//! it is symmetric but for the turning of the axes: K − Kᵀ = blockdiag(0, [G_θ₁], 0, [G_θ₂]).

use nalgebra::{RealField, Vector3 as V3};

use super::Frame;
use super::frame::scalar;
use crate::math::{Matrix3, Vector3, hat};

/// Velocities, or any vector over the four columns: x₁, θ₁, x₂, θ₂.
pub type Motion<T> = [V3<T>; 4];

/// One scalar constraint between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row {
    /// n·d.
    Gap {
        /// The direction n, in world axes.
        direction: Vector3,
        /// s₁ and s₂.
        points: [Vector3; 2],
    },
    /// (R₁a)·(R₂b).
    Dot {
        /// a in body 1.
        a: Vector3,
        /// b in body 2.
        b: Vector3,
    },
    /// (R₁a)·d.
    Project {
        /// a in body 1.
        a: Vector3,
        /// s₁ and s₂.
        points: [Vector3; 2],
    },
    /// |d|; the points must not coincide.
    Distance {
        /// s₁ and s₂.
        points: [Vector3; 2],
    },
}

/// d for two points.
fn separation<T: RealField + Copy>(one: &Frame<T>, two: &Frame<T>, points: &[Vector3; 2]) -> V3<T> {
    two.point(&points[1]) - one.point(&points[0])
}

/// The gradient of n·d at a fixed direction n.
fn gap_gradient<T: RealField + Copy>(
    one: &Frame<T>,
    two: &Frame<T>,
    points: &[Vector3; 2],
    n: &V3<T>,
) -> Motion<T> {
    let [s1, s2] = points.map(|s| s.map(scalar));
    [-n, -s1.cross(&one.rotation.tr_mul(n)), *n, s2.cross(&two.rotation.tr_mul(n))]
}

/// The curvature of n·d at a fixed direction n: blocks θ₁θ₁ and θ₂θ₂.
fn gap_curvature(
    one: &Frame<f64>,
    two: &Frame<f64>,
    points: &[Vector3; 2],
    n: &Vector3,
) -> [Matrix3; 2] {
    [
        -hat(&points[0]) * hat(&one.rotation.tr_mul(n)),
        hat(&points[1]) * hat(&two.rotation.tr_mul(n)),
    ]
}

impl Row {
    /// Φ.
    pub fn value<T: RealField + Copy>(&self, one: &Frame<T>, two: &Frame<T>) -> T {
        match self {
            Self::Gap { direction, points } => {
                direction.map(scalar).dot(&separation(one, two, points))
            }
            Self::Dot { a, b } => one.turned(a).dot(&two.turned(b)),
            Self::Project { a, points } => one.turned(a).dot(&separation(one, two, points)),
            Self::Distance { points } => separation(one, two, points).norm(),
        }
    }

    /// G.
    pub fn gradient<T: RealField + Copy>(&self, one: &Frame<T>, two: &Frame<T>) -> Motion<T> {
        match self {
            Self::Gap { direction, points } => {
                gap_gradient(one, two, points, &direction.map(scalar))
            }
            Self::Dot { a, b } => {
                let u = one.rotation.tr_mul(&two.turned(b));
                let w = two.rotation.tr_mul(&one.turned(a));
                let zero = V3::zeros();
                [zero, a.map(scalar).cross(&u), zero, b.map(scalar).cross(&w)]
            }
            Self::Project { a, points } => {
                let e = one.turned(a);
                // ρ = R₁ᵀ(x₂ + R₂s₂ − x₁)
                let arm = one.rotation.tr_mul(&(two.point(&points[1]) - one.position));
                let s2 = points[1].map(scalar);
                [-e, a.map(scalar).cross(&arm), e, s2.cross(&two.rotation.tr_mul(&e))]
            }
            Self::Distance { points } => {
                gap_gradient(one, two, points, &separation(one, two, points).normalize())
            }
        }
    }

    /// The blocks of K that are not zero: `add(row, column, block)`.
    pub fn curvature(
        &self,
        one: &Frame<f64>,
        two: &Frame<f64>,
        mut add: impl FnMut(usize, usize, Matrix3),
    ) {
        const X1: usize = 0;
        const T1: usize = 1;
        const X2: usize = 2;
        const T2: usize = 3;
        let relative = one.rotation.tr_mul(&two.rotation);
        match self {
            Self::Gap { direction, points } => {
                let [first, second] = gap_curvature(one, two, points, direction);
                add(T1, T1, first);
                add(T2, T2, second);
            }
            Self::Dot { a, b } => {
                let mixed = -hat(a) * relative * hat(b);
                add(T1, T1, hat(a) * hat(&(relative * b)));
                add(T1, T2, mixed);
                add(T2, T1, mixed.transpose());
                add(T2, T2, hat(b) * hat(&relative.tr_mul(a)));
            }
            Self::Project { a, points } => {
                let s2 = &points[1];
                let arm = one.rotation.tr_mul(&(two.point(s2) - one.position));
                let turning = one.rotation * hat(a);
                let mixed = -hat(a) * relative * hat(s2);
                add(X1, T1, turning);
                add(X2, T1, -turning);
                add(T1, X1, turning.transpose());
                add(T1, X2, -turning.transpose());
                add(T1, T1, hat(a) * hat(&arm));
                add(T1, T2, mixed);
                add(T2, T1, mixed.transpose());
                add(T2, T2, hat(s2) * hat(&relative.tr_mul(a)));
            }
            Self::Distance { points } => {
                let d = separation(one, two, points);
                let n = d.normalize();
                let [first, second] = gap_curvature(one, two, points, &n);
                add(T1, T1, first);
                add(T2, T2, second);
                // Gᵀ_d (I − n nᵀ) G_d/|d|, where d = G_d applied to the four columns
                let across = (Matrix3::identity() - n * n.transpose()) / d.norm();
                let columns = [
                    -Matrix3::identity(),
                    one.rotation * hat(&points[0]),
                    Matrix3::identity(),
                    -two.rotation * hat(&points[1]),
                ];
                for (i, left) in columns.iter().enumerate() {
                    for (j, right) in columns.iter().enumerate() {
                        add(i, j, left.tr_mul(&across) * right);
                    }
                }
            }
        }
    }

    /// ∂(G v)/∂q = vᵀK.
    pub fn rate_gradient(
        &self,
        one: &Frame<f64>,
        two: &Frame<f64>,
        v: &Motion<f64>,
    ) -> Motion<f64> {
        let mut gradient = [Vector3::zeros(); 4];
        self.curvature(one, two, |i, j, block| gradient[j] += block.tr_mul(&v[i]));
        gradient
    }

    /// The acceleration of Φ at v̇ = 0: vᵀK v.
    pub fn acceleration(&self, one: &Frame<f64>, two: &Frame<f64>, v: &Motion<f64>) -> f64 {
        let gradient = self.rate_gradient(one, two, v);
        gradient.iter().zip(v).map(|(g, v)| g.dot(v)).sum()
    }
}
