//! A measure from outside: its formula is written once over any scalar, and its gradient and curvature
//! follow from dual numbers.

use std::fmt;
use std::sync::Arc;

use nalgebra::{Const, U1};
use num_dual::{Derivative, Dual2SVec64, DualSVec64};

use super::PairVelocity;
use crate::model::Frame;
use cardan_core::math::generic::{Matrix3, Vector3};
use cardan_core::math::{Scalar, constants, hat};

/// A measure of your own: one number between two frames, each at the joint's point of its body and turned with
/// it. Write it with the arithmetic and the functions of [`Scalar`], and choose between two formulas by
/// [`Scalar::below`].
///
/// ```
/// use cardan::math::Scalar;
/// use cardan::model::{Frame, MeasureFormula};
///
/// /// How far the point of body 2 is above the parabola z = c x² of body 1.
/// struct Parabola(f64);
///
/// impl MeasureFormula for Parabola {
///     fn value<T: Scalar>(&self, one: &Frame<T>, two: &Frame<T>) -> T {
///         let p = one.rotation.tr_mul(&(two.position - one.position));
///         p.z - T::constant(self.0) * p.x * p.x
///     }
/// }
///
/// let parabola = cardan::model::OwnMeasure::new(Parabola(1.0));
/// assert!(!parabola.is_angle());
/// ```
pub trait MeasureFormula: Send + Sync + 'static {
    /// The number.
    fn value<T: Scalar>(&self, one: &Frame<T>, two: &Frame<T>) -> T;

    /// Whether it is an angle; a length otherwise.
    fn is_angle(&self) -> bool {
        false
    }
}

/// First derivatives over the twelve columns x₁, θ₁, x₂, θ₂.
type First = DualSVec64<12>;
/// Second derivatives over the same.
type Second = Dual2SVec64<12>;

/// The scalars a formula is needed for.
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

/// A measure from outside between two points.
#[derive(Clone)]
pub struct CustomMeasure {
    formula: Arc<dyn AnyFormula>,
    /// The points on the bodies, from their nodes.
    points: [Vector3; 2],
}

impl CustomMeasure {
    /// A formula between the origins of two frames.
    pub fn new(formula: impl MeasureFormula) -> Self {
        Self { formula: Arc::new(formula), points: [Vector3::zeros(); 2] }
    }

    /// The same between points of the bodies, from their nodes.
    pub(in crate::model) fn between(&self, points: [Vector3; 2]) -> Self {
        Self { formula: self.formula.clone(), points }
    }

    /// Whether it is an angle.
    pub fn is_angle(&self) -> bool {
        self.formula.is_angle()
    }

    /// The frame at point k, moved by increments over its columns.
    fn frame<T: Scalar>(&self, k: usize, at: &Frame<f64>, moved: impl Fn(usize) -> T) -> Frame<T> {
        let part = |first: usize| {
            Vector3::new(moved(6 * k + first), moved(6 * k + first + 1), moved(6 * k + first + 2))
        };
        // exp to second order: the increments are zero, only their derivatives count
        let turn = hat(&part(3));
        let half = T::constant(0.5);
        let rotation: Matrix3<T> =
            at.rotation.map(T::constant) * (Matrix3::identity() + turn + turn * turn * half);
        let position = constants(&at.position) + part(0) + rotation * constants(&self.points[k]);
        Frame { position, rotation }
    }

    /// s.
    pub(in crate::model) fn value(&self, one: &Frame<f64>, two: &Frame<f64>) -> f64 {
        let shifted = |frame: &Frame<f64>, k: usize| Frame {
            position: frame.point(&self.points[k]),
            ..*frame
        };
        self.formula.plain(&shifted(one, 0), &shifted(two, 1))
    }

    /// G.
    pub(in crate::model) fn gradient(&self, one: &Frame<f64>, two: &Frame<f64>) -> PairVelocity {
        let moved = |i| First::new(0.0, Derivative::derivative_generic(Const, U1, i));
        let value = self.formula.first(&self.frame(0, one, moved), &self.frame(1, two, moved));
        let slope = value.eps.unwrap_generic(Const::<12>, U1);
        std::array::from_fn(|k| slope.fixed_rows::<3>(3 * k).into_owned())
    }

    /// K: the second derivatives, and half of what turning axes add to them.
    pub(in crate::model) fn curvature(
        &self,
        one: &Frame<f64>,
        two: &Frame<f64>,
        mut add: impl FnMut(usize, usize, Matrix3),
    ) {
        let moved =
            |i| Second::new(0.0, Derivative::derivative_generic(U1, Const, i), Derivative::none());
        let value = self.formula.second(&self.frame(0, one, moved), &self.frame(1, two, moved));
        let slope = value.v1.unwrap_generic(U1, Const::<12>);
        let second = value.v2.unwrap_generic(Const::<12>, Const::<12>);
        for i in 0..4 {
            for j in 0..4 {
                let mut block: Matrix3 = second.fixed_view::<3, 3>(3 * i, 3 * j).into_owned();
                if i == j && i % 2 == 1 {
                    let turned = Vector3::new(slope[3 * i], slope[3 * i + 1], slope[3 * i + 2]);
                    block += hat(&turned) * 0.5;
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
        out.write_str("OwnMeasure")
    }
}
