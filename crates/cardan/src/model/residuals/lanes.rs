//! Four numbers in the lanes of a vector unit: each operation acts on all lanes, and a choice evaluates
//! both formulas and selects the result for each lane.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_traits::{One, Zero};

use cardan_core::math::Scalar;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lanes(pub [f64; 4]);

impl Lanes {
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

macro_rules! operator {
    ($($trait:ident $name:ident $assign:ident $assign_name:ident $op:tt;)*) => {$(
        impl $trait for Lanes {
            type Output = Self;
            fn $name(self, other: Self) -> Self {
                self.zip(other, |a, b| a $op b)
            }
        }
        impl $assign for Lanes {
            fn $assign_name(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )*};
}

operator! {
    Add add AddAssign add_assign +;
    Sub sub SubAssign sub_assign -;
    Mul mul MulAssign mul_assign *;
    Div div DivAssign div_assign /;
}

impl Neg for Lanes {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

impl Zero for Lanes {
    fn zero() -> Self {
        Self::constant(0.0)
    }
    fn is_zero(&self) -> bool {
        self.vanishes()
    }
}

impl One for Lanes {
    fn one() -> Self {
        Self::constant(1.0)
    }
}

impl Sum for Lanes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        // the neutral element of the standard library's sum of `f64`
        iter.fold(Self::constant(-0.0), Add::add)
    }
}

impl Scalar for Lanes {
    fn constant(value: f64) -> Self {
        Self([value; 4])
    }

    fn vanishes(self) -> bool {
        self.0.iter().all(|x| *x == 0.0)
    }

    fn below<const N: usize>(
        self,
        limit: f64,
        then: impl FnOnce() -> [Self; N],
        otherwise: impl FnOnce() -> [Self; N],
    ) -> [Self; N] {
        let (yes, no) = (then(), otherwise());
        let lane = |k: usize, i: usize| if self.0[i] < limit { yes[k].0[i] } else { no[k].0[i] };
        std::array::from_fn(|k| Self(std::array::from_fn(|i| lane(k, i))))
    }

    fn lift(self, function: impl Fn(f64) -> [f64; 3]) -> Self {
        Self(self.0.map(|x| function(x)[0]))
    }

    fn lift2(self, other: Self, function: impl Fn(f64, f64) -> [f64; 6]) -> Self {
        self.zip(other, |x, y| function(x, y)[0])
    }
}
