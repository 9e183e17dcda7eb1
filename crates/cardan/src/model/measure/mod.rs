//! What can be measured between two frames: one number, its gradient G and its curvature
//! K = ∂Gᵀ/∂q. Joints hold measures at zero, drives prescribe them, springs answer to them.
//!
//! With s₁, s₂ points and a, b vectors fixed in the bodies, d = x₂ + R₂s₂ − x₁ − R₁s₁:
//!
//! | measure  | s             | held at a value it keeps                         |
//! | -------- | ------------- | ------------------------------------------------ |
//! | Gap      | n·d           | two points together along a direction in space   |
//! | Dot      | (R₁a)·(R₂b)   | two vectors at right angles                      |
//! | Project  | (R₁a)·d       | a point in a plane that moves with body 1        |
//! | Distance | \|d\|         | two points at a distance                         |
//! | Angle    | atan2         | body 2 turned about an axis of body 1            |
//! | PlanarAngle | atan2      | the same in the plane                            |
//! | Turn     | log(…)·e_k    | a component of the rotation vector of body 2     |
//! | Contact  | n·d over a rim| a disc on a plane, or from slipping along it     |
//! | Skate    | rate only     | a blade from moving sideways                     |
//!
//! Columns are δx₁, δθ₁, δx₂, δθ₂ with R ← R·exp(δθ̂). For whatever is a function of the
//! configuration K is symmetric but for the turning of the axes:
//! K − Kᵀ = blockdiag(0, [G_θ₁], 0, [G_θ₂]).

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
    DiscContact, dot, gap_curvature, gap_gradient, relative_turn, separation, tangent_inverse, turn,
};

/// One number measured between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure<T = f64> {
    /// n·d.
    Gap {
        /// The direction n, in world axes.
        direction: Vector3<T>,
        /// s₁ and s₂.
        points: [Vector3<T>; 2],
    },
    /// (R₁a)·(R₂b).
    Dot {
        /// a in body 1.
        a: Vector3<T>,
        /// b in body 2.
        b: Vector3<T>,
    },
    /// (R₁a)·d.
    Project {
        /// a in body 1.
        a: Vector3<T>,
        /// s₁ and s₂.
        points: [Vector3<T>; 2],
    },
    /// |d|; the points must not coincide.
    Distance {
        /// s₁ and s₂.
        points: [Vector3<T>; 2],
    },
    /// The angle of b about the third axis of body 1, between −π and π: atan2(e₂·b, e₁·b).
    Angle {
        /// e₁ and e₂ in body 1, orthonormal.
        axes: [Vector3<T>; 2],
        /// b in body 2.
        b: Vector3<T>,
    },
    /// The angle of body 2 against body 1 where both turn about z only, between −π and π.
    PlanarAngle,
    /// A component of the rotation vector log(C₁ᵀR₁ᵀR₂C₂), of length at most π.
    Turn {
        /// C₁ and C₂: axes fixed in the bodies.
        axes: [Matrix3<T>; 2],
        /// Which component.
        component: usize,
    },
    /// Along the normal: the height of the lowest point of a disc over a plane through the origin.
    /// Along another direction: only its rate means something, the speed of the material point there.
    Contact {
        /// The disc on body 2.
        disc: RollingDisc<T>,
        /// The plane's normal, of length one, in world axes.
        normal: Vector3<T>,
        /// The direction, in world axes.
        direction: Vector3<T>,
    },
    /// The velocity of a point of body 2 along a direction that turns with it; no value.
    Skate {
        /// The direction on body 2.
        across: Vector3<T>,
        /// The point on body 2.
        point: Vector3<T>,
    },
    /// A measure from outside. It is known over plain numbers; over others it is not a number.
    Own(CustomMeasure),
}

/// Frames of plain numbers, if they are.
fn plain<'a, T: Scalar>(
    one: &'a Frame<T>,
    two: &'a Frame<T>,
) -> Option<(&'a Frame<f64>, &'a Frame<f64>)> {
    let [one, two]: [&dyn Any; 2] = [one, two];
    Some((one.downcast_ref()?, two.downcast_ref()?))
}

impl<T: Scalar> Measure<T> {
    /// Whether it is a function of the configuration; otherwise only its rate has a meaning.
    pub fn is_holonomic(&self) -> bool {
        match self {
            Self::Skate { .. } => false,
            Self::Contact { normal, direction, .. } => normal == direction,
            _ => true,
        }
    }

    /// Whether it is an angle that may count turns.
    pub fn is_angle(&self) -> bool {
        match self {
            Self::Angle { .. } | Self::PlanarAngle => true,
            Self::Own(own) => own.is_angle(),
            _ => false,
        }
    }

    /// The columns that G acts on.
    pub(super) fn touched(&self) -> &'static [usize] {
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

    /// The columns that G depends on.
    pub(super) fn rotation_columns(&self) -> &'static [usize] {
        match self {
            Self::Project { .. } | Self::Distance { .. } | Self::Own(_) => &[0, 1, 2, 3],
            Self::Gap { .. } | Self::Dot { .. } | Self::Angle { .. } | Self::Turn { .. } => &[1, 3],
            Self::Contact { .. } | Self::Skate { .. } => &[3],
            Self::PlanarAngle => &[],
        }
    }

    /// s; zero where only the rate has a meaning.
    pub fn value(&self, one: &Frame<T>, two: &Frame<T>) -> T {
        match self {
            Self::Gap { direction, points } => direction.dot(&separation(one, two, points)),
            Self::Dot { a, b } => one.to_world(a).dot(&two.to_world(b)),
            Self::Project { a, points } => one.to_world(a).dot(&separation(one, two, points)),
            Self::Distance { points } => norm(&separation(one, two, points)),
            Self::Angle { axes, b } => {
                let [c, s] = axes.map(|a| one.to_world(&a).dot(&two.to_world(b)));
                s.atan2(c)
            }
            Self::PlanarAngle => {
                let [a, b] = [one, two].map(|frame| frame.rotation.column(0).xy());
                (a.x * b.y - a.y * b.x).atan2(a.dot(&b))
            }
            Self::Turn { axes, component } => turn(&relative_turn(one, two, axes))[*component],
            Self::Contact { disc, normal, direction } if normal == direction => {
                let rim = DiscContact::new(two, disc, normal);
                two.rotation.tr_mul(&two.position).dot(&rim.normal) + rim.point.dot(&rim.normal)
            }
            Self::Contact { .. } | Self::Skate { .. } => T::zero(),
            Self::Own(own) => T::constant(match plain(one, two) {
                Some((one, two)) => own.value(one, two),
                None => f64::NAN,
            }),
        }
    }

    /// G.
    pub fn gradient(&self, one: &Frame<T>, two: &Frame<T>) -> PairVelocity<T> {
        let none = Vector3::zeros();
        match self {
            Self::Gap { direction, points } => gap_gradient(one, two, points, direction),
            Self::Dot { a, b } => {
                let (_, [first, second]) = dot(one, two, a, b);
                [none, first, none, second]
            }
            Self::Project { a, points } => {
                let e = one.to_world(a);
                // ρ = R₁ᵀ(x₂ + R₂s₂ − x₁)
                let arm = one.rotation.tr_mul(&(two.point(&points[1]) - one.position));
                [-e, a.cross(&arm), e, points[1].cross(&two.rotation.tr_mul(&e))]
            }
            Self::Distance { points } => {
                let d = separation(one, two, points);
                gap_gradient(one, two, points, &(d / norm(&d)))
            }
            Self::Angle { axes, b } => {
                let [(c, gc), (s, gs)] = axes.map(|a| dot(one, two, &a, b));
                let square = c * c + s * s;
                let part = |k: usize| (gs[k] * c - gc[k] * s) / square;
                [none, part(0), none, part(1)]
            }
            Self::PlanarAngle => [none, -Vector3::z(), none, Vector3::z()],
            Self::Turn { axes, component } => {
                let relative = relative_turn(one, two, axes);
                let row = tangent_inverse(&turn(&relative)).row(*component).transpose();
                let [first, second] = axes;
                [none, -(first * (relative * row)), none, second * row]
            }
            Self::Contact { disc, normal, direction } => {
                let rim = DiscContact::new(two, disc, normal);
                let lever = rim.point.cross(&two.rotation.tr_mul(direction));
                [none, none, *direction, lever]
            }
            Self::Skate { across, point } => {
                [none, none, two.to_world(across), point.cross(across)]
            }
            Self::Own(own) => match plain(one, two) {
                Some((one, two)) => own.gradient(one, two).map(|g| constants(&g)),
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
            Self::Own(own) => Measure::Own(own.clone()),
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
                let blocks = dot_curvature(&relative, a, b);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    add(2 * i + 1, 2 * j + 1, blocks[i][j]);
                }
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
            Self::Angle { axes, b } => {
                let [(c, gc), (s, gs)] = axes.map(|a| dot(one, two, &a, b));
                let [kc, ks] = axes.map(|a| dot_curvature(&relative, &a, b));
                let square = c * c + s * s;
                // (c K_s − s K_c)/r² + [2cs (G_cᵀG_c − G_sᵀG_s) + (s² − c²)(G_sᵀG_c + G_cᵀG_s)]/r⁴
                let (twice, difference) = (2.0 * c * s, s * s - c * c);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let same = gc[i] * gc[j].transpose() - gs[i] * gs[j].transpose();
                    let mixed = gs[i] * gc[j].transpose() + gc[i] * gs[j].transpose();
                    let bent = (twice * same + difference * mixed) / (square * square);
                    add(2 * i + 1, 2 * j + 1, (c * ks[i][j] - s * kc[i][j]) / square + bent);
                }
            }
            Self::PlanarAngle => {}
            Self::Turn { axes: [first, second], component } => {
                let relative = first.tr_mul(&relative) * second;
                let angle = turn(&relative);
                let inverse = exponential::tangent_inverse(&angle);
                let unit = Vector3::ith(*component, 1.0);
                let row = inverse.tr_mul(&unit);
                // T⁻ᵀ(φ) = T⁻¹(−φ); ψ is the increment of the relative rotation in axes of body 2
                let bent = -exponential::tangent_inverse_derivative(&-angle, &unit) * inverse;
                let (out, turned) = (first * relative, bent - hat(&row));
                add(T1, T1, out * turned * out.transpose());
                add(T1, T2, -out * turned * second.transpose());
                add(T2, T1, -second * bent * out.transpose());
                add(T2, T2, second * bent * second.transpose());
            }
            Self::Contact { disc, normal, direction } => {
                let rim = DiscContact::new(two, disc, normal);
                let direction = hat(&two.rotation.tr_mul(direction));
                let flat = |u: &Vector3| Matrix3::identity() - u * u.transpose();
                // how the lowest point moves on the body as the body turns
                let moving = flat(&rim.up) * flat(&disc.axis) * hat(&rim.normal) / rim.sine;
                add(T2, T2, hat(&rim.point) * direction + disc.radius * direction * moving);
            }
            Self::Skate { across, .. } => add(X2, T2, -two.rotation * hat(across)),
            Self::Own(own) => own.curvature(one, two, add),
        }
    }

    /// ∂(G v)/∂q = vᵀK.
    pub fn rate_gradient(
        &self,
        one: &Frame<f64>,
        two: &Frame<f64>,
        v: &PairVelocity<f64>,
    ) -> PairVelocity<f64> {
        let mut gradient = [Vector3::zeros(); 4];
        self.curvature(one, two, |i, j, block| gradient[j] += block.tr_mul(&v[i]));
        gradient
    }

    /// The acceleration of Φ at v̇ = 0: vᵀK v.
    pub fn acceleration(&self, one: &Frame<f64>, two: &Frame<f64>, v: &PairVelocity<f64>) -> f64 {
        let gradient = self.rate_gradient(one, two, v);
        gradient.iter().zip(v).map(|(g, v)| g.dot(v)).sum()
    }
}
