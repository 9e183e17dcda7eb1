//! What measures are computed from: separations, scalar products, relative rotations, rims.

use super::{PairVelocity, RollingDisc};
use crate::model::Frame;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, hat, norm, square};

/// The rim of a disc in body axes, where it is nearest to the plane.
pub(super) struct DiscContact<T: Scalar> {
    /// The normal.
    pub normal: Vector3<T>,
    /// From the lowest point to the centre, of length one.
    pub up: Vector3<T>,
    /// The sine of the angle between the disc's axis and the normal.
    pub sine: T,
    /// The lowest point.
    pub point: Vector3<T>,
}

impl<T: Scalar> DiscContact<T> {
    pub fn new(two: &Frame<T>, disc: &RollingDisc<T>, normal: &Vector3<T>) -> Self {
        let normal = two.rotation.tr_mul(normal);
        let across = normal - disc.axis * disc.axis.dot(&normal);
        let sine = norm(&across);
        let up = across / sine;
        let point = disc.centre - up * disc.radius;
        Self { normal, up, sine, point }
    }
}

/// C₁ᵀR₁ᵀR₂C₂.
pub(super) fn relative_turn<T: Scalar>(
    one: &Frame<T>,
    two: &Frame<T>,
    [first, second]: &[Matrix3<T>; 2],
) -> Matrix3<T> {
    (one.rotation * first).tr_mul(&(two.rotation * second))
}

/// The rotation vector of a rotation matrix; not at half a turn, where it has no derivative.
pub(super) fn turn<T: Scalar>(r: &Matrix3<T>) -> Vector3<T> {
    let c = T::constant;
    let across =
        Vector3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]) * c(0.5);
    let (square, cosine) = (square(&across), (r.trace() - T::one()) * c(0.5));
    // φ/sin φ as a series in sin² φ; the next term is 5/112 sin⁶ φ < 1e-25
    let small = || [T::one() + square * (c(1.0 / 6.0) + square * c(3.0 / 40.0))];
    let general = || {
        let sine = square.sqrt();
        [sine.atan2(cosine) / sine]
    };
    let [factor] = square.below(1e-8, || cosine.below(0.0, general, small), general);
    across * factor
}

/// T⁻¹(φ) = I + ½ φ̂ + (1 − φ/2 cot φ/2)/φ² φ̂².
pub(super) fn tangent_inverse<T: Scalar>(angle: &Vector3<T>) -> Matrix3<T> {
    let (square, c) = (square(angle), T::constant);
    let [factor] = square.below(
        1e-4,
        // the next term is φ⁶/1209600 < 1e-18
        || [c(1.0 / 12.0) + square * (c(1.0 / 720.0) + square * c(1.0 / 30240.0))],
        || {
            let half_angle = square.sqrt() * c(0.5);
            [(T::one() - half_angle * half_angle.cos() / half_angle.sin()) / square]
        },
    );
    let cross = hat(angle);
    Matrix3::identity() + cross * c(0.5) + cross * cross * factor
}

/// (R₁a)·(R₂b) with its gradient over θ₁ and θ₂.
pub(super) fn dot<T: Scalar>(
    one: &Frame<T>,
    two: &Frame<T>,
    a: &Vector3<T>,
    b: &Vector3<T>,
) -> (T, [Vector3<T>; 2]) {
    let u = one.rotation.tr_mul(&two.to_world(b));
    let w = two.rotation.tr_mul(&one.to_world(a));
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
pub(super) fn separation<T: Scalar>(
    one: &Frame<T>,
    two: &Frame<T>,
    points: &[Vector3<T>; 2],
) -> Vector3<T> {
    two.point(&points[1]) - one.point(&points[0])
}

/// The gradient of n·d at a fixed direction n.
pub(super) fn gap_gradient<T: Scalar>(
    one: &Frame<T>,
    two: &Frame<T>,
    [s1, s2]: &[Vector3<T>; 2],
    n: &Vector3<T>,
) -> PairVelocity<T> {
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
