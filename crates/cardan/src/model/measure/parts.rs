//! Quantities that measures are computed from: separations, scalar products, relative rotations, contacts of
//! discs.

use super::{PairVelocity, RollingDisc};
use crate::model::Frame;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, hat, norm, square};

/// The lowest point C of the rim of a disc over a plane, in axes of body 2.
pub(super) struct DiscContact<T: Scalar> {
    /// The normal of the plane.
    pub n_B: Vector3<T>,
    /// The unit vector from C to the centre of the disc.
    pub u_B: Vector3<T>,
    /// The sine of the angle between the disc's axis and the normal.
    pub sine: T,
    /// C from the origin of B.
    pub p_BC_B: Vector3<T>,
}

impl<T: Scalar> DiscContact<T> {
    pub fn new(X_WB: &Frame<T>, disc: &RollingDisc<T>, n_W: &Vector3<T>) -> Self {
        let n_B = X_WB.rotation.tr_mul(n_W);
        // the normal without its component along the disc's axis
        let across_B = n_B - disc.axis * disc.axis.dot(&n_B);
        let sine = norm(&across_B);
        let u_B = across_B / sine;
        let p_BC_B = disc.centre - u_B * disc.radius;
        Self { n_B, u_B, sine, p_BC_B }
    }
}

/// R_FM = (R_WA R_AF)ᵀ (R_WB R_BM).
pub(super) fn relative_rotation<T: Scalar>(
    X_WA: &Frame<T>,
    X_WB: &Frame<T>,
    [R_AF, R_BM]: &[Matrix3<T>; 2],
) -> Matrix3<T> {
    (X_WA.rotation * R_AF).tr_mul(&(X_WB.rotation * R_BM))
}

/// The rotation vector of a rotation matrix; not at half a turn, where it has no derivative.
pub(super) fn rotation_vector<T: Scalar>(r: &Matrix3<T>) -> Vector3<T> {
    let c = T::constant;
    // n sin φ
    let scaled_axis =
        Vector3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]) * c(0.5);
    let (square, cosine) = (square(&scaled_axis), (r.trace() - T::one()) * c(0.5));
    // φ/sin φ as a series in sin² φ; the next term is 5/112 sin⁶ φ < 1e-25
    let small = || [T::one() + square * (c(1.0 / 6.0) + square * c(3.0 / 40.0))];
    let general = || {
        let sine = square.sqrt();
        [sine.atan2(cosine) / sine]
    };
    let [factor] = square.below(1e-8, || cosine.below(0.0, general, small), general);
    scaled_axis * factor
}

/// T⁻¹(φ) = I + ½ φ̂ + (1 − φ/2 cot φ/2)/φ² φ̂².
pub(super) fn tangent_inverse<T: Scalar>(phi: &Vector3<T>) -> Matrix3<T> {
    let (square, c) = (square(phi), T::constant);
    let [factor] = square.below(
        1e-4,
        // the next term is φ⁶/1209600 < 1e-18
        || [c(1.0 / 12.0) + square * (c(1.0 / 720.0) + square * c(1.0 / 30240.0))],
        || {
            let half_angle = square.sqrt() * c(0.5);
            [(T::one() - half_angle * half_angle.cos() / half_angle.sin()) / square]
        },
    );
    let cross = hat(phi);
    Matrix3::identity() + cross * c(0.5) + cross * cross * factor
}

/// (R_WA a_A)·(R_WB b_B), and its gradient over θ_A and θ_B.
pub(super) fn dot<T: Scalar>(
    X_WA: &Frame<T>,
    X_WB: &Frame<T>,
    a_A: &Vector3<T>,
    b_B: &Vector3<T>,
) -> (T, [Vector3<T>; 2]) {
    let b_A = X_WA.rotation.tr_mul(&X_WB.world_vector(b_B));
    let a_B = X_WB.rotation.tr_mul(&X_WA.world_vector(a_A));
    (a_A.dot(&b_A), [a_A.cross(&b_A), b_B.cross(&a_B)])
}

/// The curvature of (R_WA a_A)·(R_WB b_B) over θ_A and θ_B.
pub(in crate::model) fn dot_curvature(
    R_AB: &Matrix3,
    a_A: &Vector3,
    b_B: &Vector3,
) -> [[Matrix3; 2]; 2] {
    let mixed = -hat(a_A) * R_AB * hat(b_B);
    let diagonal = [hat(a_A) * hat(&(R_AB * b_B)), hat(b_B) * hat(&R_AB.tr_mul(a_A))];
    [[diagonal[0], mixed], [mixed.transpose(), diagonal[1]]]
}

/// p_PQ_W.
pub(super) fn separation<T: Scalar>(
    X_WA: &Frame<T>,
    X_WB: &Frame<T>,
    [p_AP_A, p_BQ_B]: &[Vector3<T>; 2],
) -> Vector3<T> {
    X_WB.point(p_BQ_B) - X_WA.point(p_AP_A)
}

/// The gradient of n_W·p_PQ_W at a fixed direction n_W.
pub(super) fn gap_gradient<T: Scalar>(
    X_WA: &Frame<T>,
    X_WB: &Frame<T>,
    [p_AP_A, p_BQ_B]: &[Vector3<T>; 2],
    n_W: &Vector3<T>,
) -> PairVelocity<T> {
    [
        -n_W,
        -p_AP_A.cross(&X_WA.rotation.tr_mul(n_W)),
        *n_W,
        p_BQ_B.cross(&X_WB.rotation.tr_mul(n_W)),
    ]
}

/// The curvature of n_W·p_PQ_W at a fixed direction n_W: blocks θ_A θ_A and θ_B θ_B.
pub(super) fn gap_curvature(
    X_WA: &Frame<f64>,
    X_WB: &Frame<f64>,
    [p_AP_A, p_BQ_B]: &[Vector3; 2],
    n_W: &Vector3,
) -> [Matrix3; 2] {
    [-hat(p_AP_A) * hat(&X_WA.rotation.tr_mul(n_W)), hat(p_BQ_B) * hat(&X_WB.rotation.tr_mul(n_W))]
}
