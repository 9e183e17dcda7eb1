//! A measure defined by the user: its formula is written once for any scalar type; dual numbers give its
//! gradient and curvature.

use std::fmt;
use std::sync::Arc;

use nalgebra::{Const, U1};
use num_dual::{Derivative, Dual2SVec64, DualSVec64};

use super::PairVelocity;
use crate::model::Frame;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, hat};

/// The formula of a measure: one number between two frames, each at the joint's point of its body, with the
/// axes of that body. Write it with the arithmetic and the functions of [`Scalar`]; choose between two
/// formulas by [`Scalar::below`].
///
/// ```
/// use cardan::math::Scalar;
/// use cardan::model::{Frame, MeasureFormula};
///
/// /// The height of the point of body 2 above the parabola z = c x² of body 1.
/// struct Parabola(f64);
///
/// impl MeasureFormula for Parabola {
///     fn value<T: Scalar>(&self, one: &Frame<T>, two: &Frame<T>) -> T {
///         let p = one.rotation.tr_mul(&(two.position - one.position));
///         p.z - T::constant(self.0) * p.x * p.x
///     }
/// }
///
/// let parabola = cardan::model::CustomMeasure::new(Parabola(1.0));
/// assert!(!parabola.is_angle());
/// ```
pub trait MeasureFormula: Send + Sync + 'static {
    /// The value of the measure.
    fn value<T: Scalar>(&self, one: &Frame<T>, two: &Frame<T>) -> T;

    /// Whether the measure is an angle; otherwise it is a length.
    fn is_angle(&self) -> bool {
        false
    }
}

/// First derivatives over the twelve columns p_WA_W, θ_A, p_WB_W, θ_B.
type First = DualSVec64<12>;
/// First and second derivatives over the twelve columns p_WA_W, θ_A, p_WB_W, θ_B.
type Second = Dual2SVec64<12>;

/// A formula for each scalar type that is used.
trait AnyFormula: Send + Sync {
    fn plain(&self, one: &Frame<f64>, two: &Frame<f64>) -> f64;
    fn first(&self, one: &Frame<First>, two: &Frame<First>) -> First;
    fn second(&self, one: &Frame<Second>, two: &Frame<Second>) -> Second;
    fn is_angle(&self) -> bool;
}

impl<M: MeasureFormula> AnyFormula for M {
    fn plain(&self, one: &Frame<f64>, two: &Frame<f64>) -> f64 {
        self.value(one, two)
    }

    fn first(&self, one: &Frame<First>, two: &Frame<First>) -> First {
        self.value(one, two)
    }

    fn second(&self, one: &Frame<Second>, two: &Frame<Second>) -> Second {
        self.value(one, two)
    }

    fn is_angle(&self) -> bool {
        self.is_angle()
    }
}

/// A measure defined by the user, between a point of body 1 and a point of body 2.
#[derive(Clone)]
pub struct CustomMeasure {
    formula: Arc<dyn AnyFormula>,
    /// p_AP_A and p_BQ_B: the points from the nodes of their bodies.
    points: [Vector3; 2],
}

impl CustomMeasure {
    /// A measure between the nodes of two bodies.
    pub fn new(formula: impl MeasureFormula) -> Self {
        Self { formula: Arc::new(formula), points: [Vector3::zeros(); 2] }
    }

    /// The measure between points of the bodies, p_AP_A and p_BQ_B.
    pub(in crate::model) fn between(&self, points: [Vector3; 2]) -> Self {
        Self { formula: self.formula.clone(), points }
    }

    /// Whether the measure is an angle; otherwise it is a length.
    pub fn is_angle(&self) -> bool {
        self.formula.is_angle()
    }

    /// The pose at point k, moved by increments over the columns of its body.
    fn pose<T: Scalar>(
        &self,
        k: usize,
        node: &Frame<f64>,
        increment: impl Fn(usize) -> T,
    ) -> Frame<T> {
        let part = |first: usize| {
            let column = 6 * k + first;
            Vector3::new(increment(column), increment(column + 1), increment(column + 2))
        };
        // exp to second order: the increments are zero, only their derivatives count
        let theta_hat = hat(&part(3));
        let half = T::constant(0.5);
        let rotation: Matrix3<T> = node.rotation.map(T::constant)
            * (Matrix3::identity() + theta_hat + theta_hat * theta_hat * half);
        let position = constants(&node.position) + part(0) + rotation * constants(&self.points[k]);
        Frame { position, rotation }
    }

    /// s.
    pub(in crate::model) fn value(&self, X_WA: &Frame<f64>, X_WB: &Frame<f64>) -> f64 {
        let at_point =
            |node: &Frame<f64>, k: usize| Frame { position: node.point(&self.points[k]), ..*node };
        self.formula.plain(&at_point(X_WA, 0), &at_point(X_WB, 1))
    }

    /// G.
    pub(in crate::model) fn gradient(&self, X_WA: &Frame<f64>, X_WB: &Frame<f64>) -> PairVelocity {
        let increment = |i| First::new(0.0, Derivative::derivative_generic(Const, U1, i));
        let poses = [self.pose(0, X_WA, increment), self.pose(1, X_WB, increment)];
        let slope = self.formula.first(&poses[0], &poses[1]).eps.unwrap_generic(Const::<12>, U1);
        std::array::from_fn(|k| slope.fixed_rows::<3>(3 * k).into_owned())
    }

    /// K: the second derivatives; half of the skew part K − Kᵀ = [G_θ] is added, because they are symmetric.
    pub(in crate::model) fn curvature(
        &self,
        X_WA: &Frame<f64>,
        X_WB: &Frame<f64>,
        mut add: impl FnMut(usize, usize, Matrix3),
    ) {
        let increment =
            |i| Second::new(0.0, Derivative::derivative_generic(U1, Const, i), Derivative::none());
        let poses = [self.pose(0, X_WA, increment), self.pose(1, X_WB, increment)];
        let value = self.formula.second(&poses[0], &poses[1]);
        let slope = value.v1.unwrap_generic(U1, Const::<12>);
        let second = value.v2.unwrap_generic(Const::<12>, Const::<12>);
        for i in 0..4 {
            for j in 0..4 {
                let mut block: Matrix3 = second.fixed_view::<3, 3>(3 * i, 3 * j).into_owned();
                if i == j && i % 2 == 1 {
                    let g_theta = Vector3::new(slope[3 * i], slope[3 * i + 1], slope[3 * i + 2]);
                    block += hat(&g_theta) * 0.5;
                }
                add(i, j, block);
            }
        }
    }
}

impl PartialEq for CustomMeasure {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.formula, &other.formula) && self.points == other.points
    }
}

impl fmt::Debug for CustomMeasure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("CustomMeasure")
    }
}
