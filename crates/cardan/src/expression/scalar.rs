//! The numbers over which a formula is evaluated: the operations that each kind provides, and plain numbers.

use super::function::FunctionKind;
use super::noise::BandNoise;
use super::rules;
use crate::table::Table;

/// A number a formula can be evaluated over. Values are the same, bit by bit, over all of them.
pub(super) trait FormulaScalar: Copy {
    fn constant(value: f64) -> Self;
    fn value(self) -> f64;
    fn negated(self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    fn power(self, other: Self) -> Self;
    /// A smooth function of one argument.
    fn function(self, kind: FunctionKind) -> Self;
    /// A function of one argument that is constant between jumps.
    fn step(self, kind: FunctionKind) -> Self;
    /// The larger one; the other one may be not a number.
    fn larger(self, other: Self) -> Self;
    fn hypot(self, other: Self) -> Self;
    /// The angle of the point (`other`, `self`).
    fn angle(self, other: Self) -> Self;
    fn modulo(self, other: Self) -> Self;
    /// The value of a table of one variable.
    fn lookup(self, table: &Table) -> Self;
    /// The value of a map of two variables.
    fn lookup_map(self, other: Self, table: &Table) -> Self;
    /// The value of a noise at this time.
    fn noise(self, noise: &BandNoise) -> Self;
}

impl FormulaScalar for f64 {
    fn constant(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn negated(self) -> Self {
        -self
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn over(self, other: Self) -> Self {
        self / other
    }

    fn power(self, other: Self) -> Self {
        rules::power_value(self, other)
    }

    fn function(self, kind: FunctionKind) -> Self {
        rules::value(kind, self)
    }

    fn step(self, kind: FunctionKind) -> Self {
        rules::value(kind, self)
    }

    fn larger(self, other: Self) -> Self {
        match () {
            () if self < other => other,
            () if self > other => self,
            () => rules::equal(self, other),
        }
    }

    fn hypot(self, other: Self) -> Self {
        f64::hypot(self, other)
    }

    fn angle(self, other: Self) -> Self {
        self.atan2(other)
    }

    fn modulo(self, other: Self) -> Self {
        rules::modulo(self, other)
    }

    fn lookup(self, table: &Table) -> Self {
        table.value(self)
    }

    fn lookup_map(self, other: Self, table: &Table) -> Self {
        table.map_value(self, other)
    }

    fn noise(self, noise: &BandNoise) -> Self {
        noise.value(self)
    }
}
