//! What measures are computed from: separations, scalar products, relative rotations, rims.

use nalgebra::{Matrix3 as M3, RealField, Vector3 as V3};

use super::{Disc, Motion};
use crate::math::{Matrix3, Vector3, hat};
use crate::model::Frame;
use crate::model::frame::scalar;

/// The rim of a disc in body axes, where it is nearest to the plane.
pub(super) struct Rim<T: RealField + Copy> {
    /// The normal.
    pub normal: V3<T>,
    /// From the lowest point to the centre, of length one.
    pub up: V3<T>,
    /// The sine of the angle between the disc's axis and the normal.
    pub sine: T,
    /// The lowest point.
    pub point: V3<T>,
}

impl<T: RealField + Copy> Rim<T> {
    pub fn new(two: &Frame<T>, disc: &Disc, normal: &Vector3) -> Self {
        let normal = two.rotation.tr_mul(&normal.map(scalar));
        let axis: V3<T> = disc.axis.map(scalar);
        let across = normal - axis * axis.dot(&normal);
        let sine = across.norm();
        let up = across / sine;
        let point = disc.centre.map(scalar) - up * scalar::<T>(disc.radius);
        Self { normal, up, sine, point }
    }
}

/// C₁ᵀR₁ᵀR₂C₂.
pub(super) fn relative_turn<T: RealField + Copy>(
    one: &Frame<T>,
    two: &Frame<T>,
    axes: &[Matrix3; 2],
) -> M3<T> {
    let [first, second] = axes.map(|c| c.map(scalar::<T>));
    (one.rotation * first).tr_mul(&(two.rotation * second))
}

/// The rotation vector of a rotation matrix; not at half a turn, where it has no derivative.
pub(super) fn turn<T: RealField + Copy>(r: &M3<T>) -> V3<T> {
    let half = scalar::<T>(0.5);
    let across =
        V3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]) * half;
    let (square, cosine) = (across.norm_squared(), (r.trace() - T::one()) * half);
    if square < scalar(1e-8) && cosine > T::zero() {
        // φ/sin φ as a series in sin² φ; the next term is 5/112 sin⁶ φ < 1e-25
        let series = T::one() + square * (scalar::<T>(1.0 / 6.0) + square * scalar(3.0 / 40.0));
        return across * series;
    }
    let sine = square.sqrt();
    across * (sine.atan2(cosine) / sine)
}

/// T⁻¹(φ) = I + ½ φ̂ + (1 − φ/2 cot φ/2)/φ² φ̂².
pub(super) fn tangent_inverse<T: RealField + Copy>(angle: &V3<T>) -> M3<T> {
    let square = angle.norm_squared();
    let half = scalar::<T>(0.5);
    let factor = if square < scalar(1e-4) {
        // the next term is φ⁶/1209600 < 1e-18
        scalar::<T>(1.0 / 12.0)
            + square * (scalar::<T>(1.0 / 720.0) + square * scalar(1.0 / 30240.0))
    } else {
        let half_angle = square.sqrt() * half;
        (T::one() - half_angle * half_angle.cos() / half_angle.sin()) / square
    };
    let cross = angle.cross_matrix();
    M3::identity() + cross * half + cross * cross * factor
}

/// (R₁a)·(R₂b) with its gradient over θ₁ and θ₂.
pub(super) fn dot<T: RealField + Copy>(
    one: &Frame<T>,
    two: &Frame<T>,
    a: &Vector3,
    b: &Vector3,
) -> (T, [V3<T>; 2]) {
    let u = one.rotation.tr_mul(&two.turned(b));
    let w = two.rotation.tr_mul(&one.turned(a));
    let (a, b) = (a.map(scalar::<T>), b.map(scalar::<T>));
    (a.dot(&u), [a.cross(&u), b.cross(&w)])
}

/// The curvature of (R₁a)·(R₂b) over θ₁ and θ₂.
pub(in crate::model) fn dot_curvature(
    relative: &Matrix3,
    a: &Vector3,
    b: &Vector3,
) -> [[Matrix3; 2]; 2] {
    let mixed = -hat(a) * relative * hat(b);
    let own = [hat(a) * hat(&(relative * b)), hat(b) * hat(&relative.tr_mul(a))];
    [[own[0], mixed], [mixed.transpose(), own[1]]]
}

/// d for two points.
pub(super) fn separation<T: RealField + Copy>(
    one: &Frame<T>,
    two: &Frame<T>,
    points: &[Vector3; 2],
) -> V3<T> {
    two.point(&points[1]) - one.point(&points[0])
}

/// The gradient of n·d at a fixed direction n.
pub(super) fn gap_gradient<T: RealField + Copy>(
    one: &Frame<T>,
    two: &Frame<T>,
    points: &[Vector3; 2],
    n: &V3<T>,
) -> Motion<T> {
    let [s1, s2] = points.map(|s| s.map(scalar));
    [-n, -s1.cross(&one.rotation.tr_mul(n)), *n, s2.cross(&two.rotation.tr_mul(n))]
}

/// The curvature of n·d at a fixed direction n: blocks θ₁θ₁ and θ₂θ₂.
pub(super) fn gap_curvature(
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
