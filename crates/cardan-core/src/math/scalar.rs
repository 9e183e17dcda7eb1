//! The scalar type that the kernels of elements are written over: plain numbers, dual numbers, and
//! vectors of lanes.
//!
//! A kernel decides between two formulas by [`Scalar::below`], never by `if`: a plain number or a
//! dual number evaluates one of them, a vector of lanes both. A function that is known only as a
//! closure over plain numbers enters by [`Scalar::lift`] with its derivatives.

use std::iter::Sum;
use std::ops::Neg;

use nalgebra::{ClosedAddAssign, ClosedDivAssign, ClosedMulAssign, ClosedSubAssign};
use num_dual::{Dual2_64, Dual2SVec64, Dual64, DualSVec64};
use num_traits::{One, Zero};

/// A number that kernels compute with.
///
/// Required are constants, the choice between two formulas, and the chain rule. All functions follow
/// from the chain rule; a type with a more accurate form overrides them.
pub trait Scalar:
    nalgebra::Scalar
    + Copy
    + Zero
    + One
    + Neg<Output = Self>
    + ClosedAddAssign
    + ClosedSubAssign
    + ClosedMulAssign
    + ClosedDivAssign
    + Sum
{
    /// A constant.
    fn constant(value: f64) -> Self;

    /// Whether it is zero in every lane, with all its derivatives, so that a term with this factor may
    /// be omitted.
    fn vanishes(self) -> bool;

    /// `then` where the number is below a limit, `otherwise` elsewhere, also where it is not a number.
    fn below<const N: usize>(
        self,
        limit: f64,
        then: impl FnOnce() -> [Self; N],
        otherwise: impl FnOnce() -> [Self; N],
    ) -> [Self; N];

    /// A function f(x) given as [f, f′, f″]; NaN for a derivative that is not known.
    fn lift(self, function: impl Fn(f64) -> [f64; 3]) -> Self;

    /// A function f(x, y) given as [f, f_x, f_y, f_xx, f_xy, f_yy]; NaN for a derivative that is not
    /// known.
    fn lift2(self, other: Self, function: impl Fn(f64, f64) -> [f64; 6]) -> Self;

    /// √x.
    #[inline]
    fn sqrt(self) -> Self {
        self.lift(|x| {
            let root = x.sqrt();
            [root, 0.5 / root, -0.25 / (x * root)]
        })
    }

    /// sin x.
    #[inline]
    fn sin(self) -> Self {
        self.sin_cos().0
    }

    /// cos x.
    #[inline]
    fn cos(self) -> Self {
        self.sin_cos().1
    }

    /// sin x and cos x.
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let both = |x: f64| x.sin_cos();
        let sine = self.lift(|x| {
            let (sine, cosine) = both(x);
            [sine, cosine, -sine]
        });
        let cosine = self.lift(|x| {
            let (sine, cosine) = both(x);
            [cosine, -sine, -cosine]
        });
        (sine, cosine)
    }

    /// tan x.
    #[inline]
    fn tan(self) -> Self {
        self.lift(|x| {
            let tangent = x.tan();
            let slope = 1.0 + tangent * tangent;
            [tangent, slope, 2.0 * tangent * slope]
        })
    }

    /// asin x.
    #[inline]
    fn asin(self) -> Self {
        self.lift(|x| {
            let square = 1.0 - x * x;
            let slope = 1.0 / square.sqrt();
            [x.asin(), slope, x * slope / square]
        })
    }

    /// acos x.
    #[inline]
    fn acos(self) -> Self {
        self.lift(|x| {
            let square = 1.0 - x * x;
            let slope = -1.0 / square.sqrt();
            [x.acos(), slope, x * slope / square]
        })
    }

    /// The angle of the point (x, y) = (other, self), between −π and π.
    #[inline]
    fn atan2(self, other: Self) -> Self {
        self.lift2(other, |y, x| {
            let square = x * x + y * y;
            let (along_y, along_x) = (x / square, -y / square);
            let mixed = (y * y - x * x) / (square * square);
            let twice = 2.0 * x * y / (square * square);
            [y.atan2(x), along_y, along_x, -twice, mixed, twice]
        })
    }

    /// eˣ.
    #[inline]
    fn exp(self) -> Self {
        self.lift(|x| [x.exp(); 3])
    }

    /// ln x.
    #[inline]
    fn ln(self) -> Self {
        self.lift(|x| [x.ln(), 1.0 / x, -1.0 / (x * x)])
    }

    /// tanh x, finite for every finite x.
    #[inline]
    fn tanh(self) -> Self {
        self.lift(|x| {
            let tanh = x.tanh();
            let slope = 1.0 - tanh * tanh;
            [tanh, slope, -2.0 * tanh * slope]
        })
    }

    /// xⁿ for a whole n.
    #[inline]
    fn powi(self, n: i32) -> Self {
        // a derivative of a power that is constant is zero also at x = 0
        let term =
            |factor: f64, x: f64, n: i32| if factor == 0.0 { 0.0 } else { factor * x.powi(n) };
        let power = f64::from(n);
        self.lift(|x| [x.powi(n), term(power, x, n - 1), term(power * (power - 1.0), x, n - 2)])
    }

    /// xⁿ for any n.
    #[inline]
    fn powf(self, n: f64) -> Self {
        let term =
            |factor: f64, x: f64, n: f64| if factor == 0.0 { 0.0 } else { factor * x.powf(n) };
        self.lift(|x| [x.powf(n), term(n, x, n - 1.0), term(n * (n - 1.0), x, n - 2.0)])
    }

    /// |x|.
    #[inline]
    fn abs(self) -> Self {
        self.lift(|x| [x.abs(), x.signum(), 0.0])
    }

    /// The nearest whole number, of slope zero.
    #[inline]
    fn round(self) -> Self {
        self.lift(|x| [x.round(), 0.0, 0.0])
    }
}

/// Functions of the standard library.
macro_rules! standard {
    ($($name:ident($($arg:ident: $kind:ty),*) -> $out:ty;)*) => {$(
        #[inline]
        fn $name(self, $($arg: $kind),*) -> $out {
            f64::$name(self, $($arg),*)
        }
    )*};
}

impl Scalar for f64 {
    #[inline]
    fn constant(value: f64) -> Self {
        value
    }

    #[inline]
    fn vanishes(self) -> bool {
        self == 0.0
    }

    #[inline]
    fn below<const N: usize>(
        self,
        limit: f64,
        then: impl FnOnce() -> [Self; N],
        otherwise: impl FnOnce() -> [Self; N],
    ) -> [Self; N] {
        if self < limit { then() } else { otherwise() }
    }

    #[inline]
    fn lift(self, function: impl Fn(f64) -> [f64; 3]) -> Self {
        function(self)[0]
    }

    #[inline]
    fn lift2(self, other: Self, function: impl Fn(f64, f64) -> [f64; 6]) -> Self {
        function(self, other)[0]
    }

    standard! {
        sqrt() -> f64;
        sin() -> f64;
        cos() -> f64;
        sin_cos() -> (f64, f64);
        tan() -> f64;
        asin() -> f64;
        acos() -> f64;
        atan2(other: f64) -> f64;
        exp() -> f64;
        ln() -> f64;
        tanh() -> f64;
        powi(n: i32) -> f64;
        powf(n: f64) -> f64;
        abs() -> f64;
        round() -> f64;
    }
}

/// The functions that all dual numbers share: comparisons use the value, not the derivatives.
macro_rules! dual {
    () => {
        #[inline]
        fn constant(value: f64) -> Self {
            Self::from_re(value)
        }

        #[inline]
        fn below<const K: usize>(
            self,
            limit: f64,
            then: impl FnOnce() -> [Self; K],
            otherwise: impl FnOnce() -> [Self; K],
        ) -> [Self; K] {
            if self.re < limit { then() } else { otherwise() }
        }
    };
}

impl Scalar for Dual64 {
    dual!();

    #[inline]
    fn vanishes(self) -> bool {
        self.re == 0.0 && self.eps == 0.0
    }

    #[inline]
    fn lift(self, function: impl Fn(f64) -> [f64; 3]) -> Self {
        let [value, slope, _] = function(self.re);
        Self::new(value, along(slope, self.eps))
    }

    #[inline]
    fn lift2(self, other: Self, function: impl Fn(f64, f64) -> [f64; 6]) -> Self {
        let [value, first, second, ..] = function(self.re, other.re);
        Self::new(value, along(first, self.eps) + along(second, other.eps))
    }
}

impl<const N: usize> Scalar for DualSVec64<N> {
    dual!();

    #[inline]
    fn vanishes(self) -> bool {
        let slope = self.eps.unwrap_generic(nalgebra::Const::<N>, nalgebra::U1);
        self.re == 0.0 && slope.iter().all(|x| *x == 0.0)
    }

    #[inline]
    fn lift(self, function: impl Fn(f64) -> [f64; 3]) -> Self {
        let [value, slope, _] = function(self.re);
        Self::new(value, self.eps * slope)
    }

    #[inline]
    fn lift2(self, other: Self, function: impl Fn(f64, f64) -> [f64; 6]) -> Self {
        let [value, first, second, ..] = function(self.re, other.re);
        Self::new(value, self.eps * first + other.eps * second)
    }
}

impl Scalar for Dual2_64 {
    dual!();

    #[inline]
    fn vanishes(self) -> bool {
        self.re == 0.0 && self.v1 == 0.0 && self.v2 == 0.0
    }

    #[inline]
    fn lift(self, function: impl Fn(f64) -> [f64; 3]) -> Self {
        let [value, slope, bend] = function(self.re);
        let second = along(slope, self.v2) + along(bend, self.v1 * self.v1);
        Self::new(value, along(slope, self.v1), second)
    }

    #[inline]
    fn lift2(self, other: Self, function: impl Fn(f64, f64) -> [f64; 6]) -> Self {
        let [value, x, y, xx, xy, yy] = function(self.re, other.re);
        let (a, b) = (self.v1, other.v1);
        let bent = along(xx, a * a) + along(2.0 * xy, a * b) + along(yy, b * b);
        let second = along(x, self.v2) + along(y, other.v2) + bent;
        Self::new(value, along(x, a) + along(y, b), second)
    }
}

impl<const N: usize> Scalar for Dual2SVec64<N> {
    dual!();

    #[inline]
    fn vanishes(self) -> bool {
        let (row, size) = (nalgebra::U1, nalgebra::Const::<N>);
        let (slope, bend) = (self.v1.unwrap_generic(row, size), self.v2.unwrap_generic(size, size));
        self.re == 0.0 && slope.iter().chain(bend.iter()).all(|x| *x == 0.0)
    }

    #[inline]
    fn lift(self, function: impl Fn(f64) -> [f64; 3]) -> Self {
        let [value, slope, bend] = function(self.re);
        let second = self.v2 * slope + self.v1.tr_mul(&self.v1) * bend;
        Self::new(value, self.v1 * slope, second)
    }

    #[inline]
    fn lift2(self, other: Self, function: impl Fn(f64, f64) -> [f64; 6]) -> Self {
        let [value, x, y, xx, xy, yy] = function(self.re, other.re);
        let (a, b) = (&self.v1, &other.v1);
        let mixed = (a.tr_mul(b) + b.tr_mul(a)) * xy;
        let second = self.v2 * x + other.v2 * y + a.tr_mul(a) * xx + mixed + b.tr_mul(b) * yy;
        Self::new(value, self.v1 * x + other.v1 * y, second)
    }
}

/// A derivative times a direction; a direction that is zero needs no derivative.
#[inline]
fn along(derivative: f64, direction: f64) -> f64 {
    if direction == 0.0 { 0.0 } else { derivative * direction }
}
