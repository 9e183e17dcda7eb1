//! Scalar measures between two frames: the value s, its gradient G and its curvature K = ∂Gᵀ/∂q. Joints
//! constrain measures to zero, drives prescribe them, springs and dampers act along them.
//!
//! W is the world, A the frame of body 1, B the frame of body 2. P is a point fixed in A, Q a point fixed in
//! B; the vectors a_A and b_B are fixed in A and B; n_W is fixed in W. X_WA is the pose of A: its position
//! p_WA_W and its rotation R_WA. From P to Q:
//!
//! ```text
//! p_PQ_W = p_WB_W + R_WB p_BQ_B − p_WA_W − R_WA p_AP_A
//! ```
//!
//! | measure     | s                     | if constrained to a constant                       |
//! | ----------- | --------------------- | -------------------------------------------------- |
//! | Gap         | n_W·p_PQ_W            | two points coincide along a direction in space     |
//! | Dot         | (R_WA a_A)·(R_WB b_B) | two vectors are orthogonal                         |
//! | Project     | (R_WA a_A)·p_PQ_W     | a point stays in a plane fixed in body 1           |
//! | Distance    | \|p_PQ_W\|            | two points keep their distance                     |
//! | Angle       | atan2                 | body 2 does not rotate about an axis of body 1     |
//! | PlanarAngle | atan2                 | body 2 does not rotate against body 1 in the plane |
//! | Turn        | log(R_FM)·e_k         | a component of the rotation vector is fixed        |
//! | Contact     | height of a rim       | a disc touches a plane, or does not slip along it  |
//! | Skate       | rate only             | a blade does not move sideways                     |
//!
//! Columns are δp_WA_W, δθ_A, δp_WB_W, δθ_B with R ← R·exp(δθ̂). If s is a function of the configuration, K
//! is symmetric except for the rotation of the axes: K − Kᵀ = blockdiag(0, [G_θA], 0, [G_θB]).

// names of vectors and rotations carry their frames: docs/notation.md
#![allow(non_snake_case)]

mod custom;
mod pair;
mod parts;

use std::any::Any;

use super::Frame;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, exponential, hat, norm};
pub use custom::{CustomMeasure, MeasureFormula};
pub use pair::{PairVelocity, RollingDisc};
pub(in crate::model) use parts::dot_curvature;
use parts::{
    DiscContact, dot, gap_curvature, gap_gradient, relative_rotation, rotation_vector, separation,
    tangent_inverse,
};

/// A scalar measure between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure<T = f64> {
    /// n_W·p_PQ_W.
    Gap {
        /// The direction n_W, world axes.
        direction: Vector3<T>,
        /// p_AP_A and p_BQ_B.
        points: [Vector3<T>; 2],
    },
    /// (R_WA a_A)·(R_WB b_B).
    Dot {
        /// a_A, fixed in body 1.
        a: Vector3<T>,
        /// b_B, fixed in body 2.
        b: Vector3<T>,
    },
    /// (R_WA a_A)·p_PQ_W.
    Project {
        /// a_A, fixed in body 1.
        a: Vector3<T>,
        /// p_AP_A and p_BQ_B.
        points: [Vector3<T>; 2],
    },
    /// |p_PQ_W|; the points must not coincide.
    Distance {
        /// p_AP_A and p_BQ_B.
        points: [Vector3<T>; 2],
    },
    /// The angle of b about e₁ × e₂ of body 1, between −π and π: atan2(e₂·b, e₁·b).
    Angle {
        /// e₁ and e₂ in axes of body 1, orthonormal.
        axes: [Vector3<T>; 2],
        /// b_B, fixed in body 2.
        b: Vector3<T>,
    },
    /// The angle of body 2 relative to body 1 if both rotate about z only, between −π and π.
    PlanarAngle,
    /// A component of the rotation vector log(R_FM), R_FM = (R_WA R_AF)ᵀ R_WB R_BM, of length up to π.
    Turn {
        /// R_AF and R_BM: axes F fixed in body 1 and M fixed in body 2.
        axes: [Matrix3<T>; 2],
        /// The index of the component.
        component: usize,
    },
    /// Along the normal: the height of the lowest point of a disc over a plane through the origin.
    /// Along another direction only the rate is defined: the speed of the material point there.
    Contact {
        /// The disc on body 2.
        disc: RollingDisc<T>,
        /// The unit normal of the plane, world axes.
        normal: Vector3<T>,
        /// The direction, world axes.
        direction: Vector3<T>,
    },
    /// The velocity of a point of body 2 along a direction fixed in body 2; only the rate is defined.
    Skate {
        /// The direction, axes of body 2.
        across: Vector3<T>,
        /// The point, p_BQ_B.
        point: Vector3<T>,
    },
    /// A measure defined by the user. It is evaluated for `f64`; for other scalars it is NaN.
    Own(CustomMeasure),
}

/// The poses as `f64`, if T is `f64`.
fn as_f64<'a, T: Scalar>(
    X_WA: &'a Frame<T>,
    X_WB: &'a Frame<T>,
) -> Option<(&'a Frame<f64>, &'a Frame<f64>)> {
    let [X_WA, X_WB]: [&dyn Any; 2] = [X_WA, X_WB];
    Some((X_WA.downcast_ref()?, X_WB.downcast_ref()?))
}

impl<T: Scalar> Measure<T> {
    /// Whether it is a function of the configuration; otherwise only its rate is defined.
    pub fn is_holonomic(&self) -> bool {
        match self {
            Self::Skate { .. } => false,
            Self::Contact { normal, direction, .. } => normal == direction,
            _ => true,
        }
    }

    /// Whether it is an angle whose turns are counted.
    pub fn is_angle(&self) -> bool {
        match self {
            Self::Angle { .. } | Self::PlanarAngle => true,
            Self::Own(custom) => custom.is_angle(),
            _ => false,
        }
    }

    /// The columns in which G is not zero.
    pub(super) fn gradient_columns(&self) -> &'static [usize] {
        match self {
            Self::Gap { .. } | Self::Project { .. } | Self::Distance { .. } | Self::Own(_) => {
                &[0, 1, 2, 3]
            }
            Self::Dot { .. } | Self::Angle { .. } | Self::PlanarAngle | Self::Turn { .. } => {
                &[1, 3]
            }
            Self::Contact { .. } | Self::Skate { .. } => &[2, 3],
        }
    }

    /// The columns in which K is not zero: the coordinates that G depends on.
    pub(super) fn curvature_columns(&self) -> &'static [usize] {
        match self {
            Self::Project { .. } | Self::Distance { .. } | Self::Own(_) => &[0, 1, 2, 3],
            Self::Gap { .. } | Self::Dot { .. } | Self::Angle { .. } | Self::Turn { .. } => &[1, 3],
            Self::Contact { .. } | Self::Skate { .. } => &[3],
            Self::PlanarAngle => &[],
        }
    }

    /// s; zero if only the rate is defined.
    pub fn value(&self, X_WA: &Frame<T>, X_WB: &Frame<T>) -> T {
        match self {
            Self::Gap { direction, points } => direction.dot(&separation(X_WA, X_WB, points)),
            Self::Dot { a, b } => X_WA.world_vector(a).dot(&X_WB.world_vector(b)),
            Self::Project { a, points } => {
                X_WA.world_vector(a).dot(&separation(X_WA, X_WB, points))
            }
            Self::Distance { points } => norm(&separation(X_WA, X_WB, points)),
            Self::Angle { axes, b } => {
                let [c, s] = axes.map(|e| X_WA.world_vector(&e).dot(&X_WB.world_vector(b)));
                s.atan2(c)
            }
            Self::PlanarAngle => {
                let [a, b] = [X_WA, X_WB].map(|pose| pose.rotation.column(0).xy());
                (a.x * b.y - a.y * b.x).atan2(a.dot(&b))
            }
            Self::Turn { axes, component } => {
                rotation_vector(&relative_rotation(X_WA, X_WB, axes))[*component]
            }
            Self::Contact { disc, normal, direction } if normal == direction => {
                let DiscContact { n_B, p_BC_B, .. } = DiscContact::new(X_WB, disc, normal);
                X_WB.rotation.tr_mul(&X_WB.position).dot(&n_B) + p_BC_B.dot(&n_B)
            }
            Self::Contact { .. } | Self::Skate { .. } => T::zero(),
            Self::Own(custom) => T::constant(match as_f64(X_WA, X_WB) {
                Some((X_WA, X_WB)) => custom.value(X_WA, X_WB),
                None => f64::NAN,
            }),
        }
    }

    /// G.
    pub fn gradient(&self, X_WA: &Frame<T>, X_WB: &Frame<T>) -> PairVelocity<T> {
        let zero = Vector3::zeros();
        match self {
            Self::Gap { direction, points } => gap_gradient(X_WA, X_WB, points, direction),
            Self::Dot { a, b } => {
                let (_, [over_A, over_B]) = dot(X_WA, X_WB, a, b);
                [zero, over_A, zero, over_B]
            }
            Self::Project { a, points: [_, p_BQ_B] } => {
                let a_W = X_WA.world_vector(a);
                let p_AQ_A = X_WA.rotation.tr_mul(&(X_WB.point(p_BQ_B) - X_WA.position));
                [-a_W, a.cross(&p_AQ_A), a_W, p_BQ_B.cross(&X_WB.rotation.tr_mul(&a_W))]
            }
            Self::Distance { points } => {
                let p_PQ_W = separation(X_WA, X_WB, points);
                gap_gradient(X_WA, X_WB, points, &(p_PQ_W / norm(&p_PQ_W)))
            }
            Self::Angle { axes, b } => {
                let [(c, gc), (s, gs)] = axes.map(|e| dot(X_WA, X_WB, &e, b));
                let square = c * c + s * s;
                let part = |k: usize| (gs[k] * c - gc[k] * s) / square;
                [zero, part(0), zero, part(1)]
            }
            Self::PlanarAngle => [zero, -Vector3::z(), zero, Vector3::z()],
            Self::Turn { axes, component } => {
                let R_FM = relative_rotation(X_WA, X_WB, axes);
                let row_M = tangent_inverse(&rotation_vector(&R_FM)).row(*component).transpose();
                let [R_AF, R_BM] = axes;
                [zero, -(R_AF * (R_FM * row_M)), zero, R_BM * row_M]
            }
            Self::Contact { disc, normal, direction } => {
                let DiscContact { p_BC_B, .. } = DiscContact::new(X_WB, disc, normal);
                [zero, zero, *direction, p_BC_B.cross(&X_WB.rotation.tr_mul(direction))]
            }
            Self::Skate { across, point } => {
                [zero, zero, X_WB.world_vector(across), point.cross(across)]
            }
            Self::Own(custom) => match as_f64(X_WA, X_WB) {
                Some((X_WA, X_WB)) => custom.gradient(X_WA, X_WB).map(|g| constants(&g)),
                None => [Vector3::repeat(T::constant(f64::NAN)); 4],
            },
        }
    }
}

impl Measure {
    /// The measure with its constants as another scalar.
    pub fn cast<U: Scalar>(&self) -> Measure<U> {
        let pair = |points: &[Vector3; 2]| points.map(|point| constants(&point));
        match self {
            Self::Gap { direction, points } => {
                Measure::Gap { direction: constants(direction), points: pair(points) }
            }
            Self::Dot { a, b } => Measure::Dot { a: constants(a), b: constants(b) },
            Self::Project { a, points } => {
                Measure::Project { a: constants(a), points: pair(points) }
            }
            Self::Distance { points } => Measure::Distance { points: pair(points) },
            Self::Angle { axes, b } => Measure::Angle { axes: pair(axes), b: constants(b) },
            Self::PlanarAngle => Measure::PlanarAngle,
            Self::Turn { axes, component } => Measure::Turn {
                axes: axes.map(|axes| axes.map(U::constant)),
                component: *component,
            },
            Self::Contact { disc, normal, direction } => Measure::Contact {
                disc: disc.cast(),
                normal: constants(normal),
                direction: constants(direction),
            },
            Self::Skate { across, point } => {
                Measure::Skate { across: constants(across), point: constants(point) }
            }
            Self::Own(custom) => Measure::Own(custom.clone()),
        }
    }

    /// The blocks of K that are not zero: `add(row, column, block)`.
    pub fn curvature(
        &self,
        X_WA: &Frame<f64>,
        X_WB: &Frame<f64>,
        mut add: impl FnMut(usize, usize, Matrix3),
    ) {
        // p_WA_W, θ_A, p_WB_W, θ_B
        const PA: usize = 0;
        const TA: usize = 1;
        const PB: usize = 2;
        const TB: usize = 3;
        let R_AB = X_WA.rotation.tr_mul(&X_WB.rotation);
        match self {
            Self::Gap { direction, points } => {
                let [over_A, over_B] = gap_curvature(X_WA, X_WB, points, direction);
                add(TA, TA, over_A);
                add(TB, TB, over_B);
            }
            Self::Dot { a, b } => {
                let blocks = dot_curvature(&R_AB, a, b);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    add(2 * i + 1, 2 * j + 1, blocks[i][j]);
                }
            }
            Self::Project { a, points: [_, p_BQ_B] } => {
                let p_AQ_A = X_WA.rotation.tr_mul(&(X_WB.point(p_BQ_B) - X_WA.position));
                // −∂(R_WA a_A)/∂θ_A
                let rotated = X_WA.rotation * hat(a);
                let mixed = -hat(a) * R_AB * hat(p_BQ_B);
                add(PA, TA, rotated);
                add(PB, TA, -rotated);
                add(TA, PA, rotated.transpose());
                add(TA, PB, -rotated.transpose());
                add(TA, TA, hat(a) * hat(&p_AQ_A));
                add(TA, TB, mixed);
                add(TB, TA, mixed.transpose());
                add(TB, TB, hat(p_BQ_B) * hat(&R_AB.tr_mul(a)));
            }
            Self::Distance { points } => {
                let p_PQ_W = separation(X_WA, X_WB, points);
                let n_W = p_PQ_W.normalize();
                let [over_A, over_B] = gap_curvature(X_WA, X_WB, points, &n_W);
                add(TA, TA, over_A);
                add(TB, TB, over_B);
                // Dᵀ (I − n nᵀ) D/|p_PQ_W|, D = ∂p_PQ_W/∂q over the four columns
                let projection = (Matrix3::identity() - n_W * n_W.transpose()) / p_PQ_W.norm();
                let [p_AP_A, p_BQ_B] = points;
                let columns = [
                    -Matrix3::identity(),
                    X_WA.rotation * hat(p_AP_A),
                    Matrix3::identity(),
                    -X_WB.rotation * hat(p_BQ_B),
                ];
                for (i, left) in columns.iter().enumerate() {
                    for (j, right) in columns.iter().enumerate() {
                        add(i, j, left.tr_mul(&projection) * right);
                    }
                }
            }
            Self::Angle { axes, b } => {
                let [(c, gc), (s, gs)] = axes.map(|e| dot(X_WA, X_WB, &e, b));
                let [kc, ks] = axes.map(|e| dot_curvature(&R_AB, &e, b));
                let square = c * c + s * s;
                // (c K_s − s K_c)/r² + [2cs (G_cᵀG_c − G_sᵀG_s) + (s² − c²)(G_sᵀG_c + G_cᵀG_s)]/r⁴
                let (twice, difference) = (2.0 * c * s, s * s - c * c);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let same = gc[i] * gc[j].transpose() - gs[i] * gs[j].transpose();
                    let mixed = gs[i] * gc[j].transpose() + gc[i] * gs[j].transpose();
                    let products = (twice * same + difference * mixed) / (square * square);
                    add(2 * i + 1, 2 * j + 1, (c * ks[i][j] - s * kc[i][j]) / square + products);
                }
            }
            Self::PlanarAngle => {}
            Self::Turn { axes: [R_AF, R_BM], component } => {
                let R_FM = R_AF.tr_mul(&R_AB) * R_BM;
                let phi = rotation_vector(&R_FM);
                let inverse = exponential::tangent_inverse(&phi);
                let unit = Vector3::ith(*component, 1.0);
                let row_M = inverse.tr_mul(&unit);
                // T⁻ᵀ(φ) = T⁻¹(−φ); derivative of the row over the increment of R_FM in axes M
                let slope_M = -exponential::tangent_inverse_derivative(&-phi, &unit) * inverse;
                let (R_AM, turned_slope_M) = (R_AF * R_FM, slope_M - hat(&row_M));
                add(TA, TA, R_AM * turned_slope_M * R_AM.transpose());
                add(TA, TB, -R_AM * turned_slope_M * R_BM.transpose());
                add(TB, TA, -R_BM * slope_M * R_AM.transpose());
                add(TB, TB, R_BM * slope_M * R_BM.transpose());
            }
            Self::Contact { disc, normal, direction } => {
                let DiscContact { n_B, u_B, sine, p_BC_B } = DiscContact::new(X_WB, disc, normal);
                let direction = hat(&X_WB.rotation.tr_mul(direction));
                let project_out = |u: &Vector3| Matrix3::identity() - u * u.transpose();
                // ∂u_B/∂θ_B: the lowest point moves on the body as the body rotates
                let u_slope = project_out(&u_B) * project_out(&disc.axis) * hat(&n_B) / sine;
                add(TB, TB, hat(&p_BC_B) * direction + disc.radius * direction * u_slope);
            }
            Self::Skate { across, .. } => add(PB, TB, -X_WB.rotation * hat(across)),
            Self::Own(custom) => custom.curvature(X_WA, X_WB, add),
        }
    }

    /// ∂(G v)/∂q = vᵀK.
    pub fn rate_gradient(
        &self,
        X_WA: &Frame<f64>,
        X_WB: &Frame<f64>,
        v: &PairVelocity<f64>,
    ) -> PairVelocity<f64> {
        let mut gradient = [Vector3::zeros(); 4];
        self.curvature(X_WA, X_WB, |i, j, block| gradient[j] += block.tr_mul(&v[i]));
        gradient
    }

    /// The acceleration of s at v̇ = 0: vᵀK v.
    pub fn acceleration(&self, X_WA: &Frame<f64>, X_WB: &Frame<f64>, v: &PairVelocity<f64>) -> f64 {
        let gradient = self.rate_gradient(X_WA, X_WB, v);
        gradient.iter().zip(v).map(|(g, v)| g.dot(v)).sum()
    }
}
