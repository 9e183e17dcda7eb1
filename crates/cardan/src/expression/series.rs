//! Numbers that carry two derivatives in each of N directions, by rules that hold where the functions are
//! smooth and at plain kinks; elsewhere a derivative is not finite, and [`super::expansion`] finds it.

use super::function::FunctionKind;
use super::noise::BandNoise;
use super::rules::{Rule, equal, modulo, power_rule, quotient, rule, value};
use super::scalar::FormulaScalar;
use crate::table::{MapJet, Side, Table};

/// A value, and derivatives towards larger values of N variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series<const N: usize> {
    pub value: f64,
    pub slopes: [Slope; N],
}

/// First and second derivative with respect to one variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slope {
    pub first: f64,
    pub second: f64,
    /// Whether the variable has an influence here; without one, infinite factors have none either.
    varies: bool,
}

impl Slope {
    const NONE: Self = Self { first: 0.0, second: 0.0, varies: false };

    /// c times this slope.
    fn times(self, c: f64) -> Self {
        match self.varies {
            true => Self { first: c * self.first, second: c * self.second, ..self },
            false => self,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            first: self.first + other.first,
            second: self.second + other.second,
            varies: self.varies || other.varies,
        }
    }

    /// The second derivative raised by a product of two first ones.
    fn bent(self, by: f64) -> Self {
        Self { second: self.second + by, ..self }
    }

    /// A function with these derivatives of this argument.
    fn chained(self, [_, first, second]: Rule) -> Self {
        match self.varies {
            true => self.times(first).bent(second * self.first * self.first),
            false => self,
        }
    }

    /// c x′ y′ where both vary.
    fn cross(self, other: Self, c: f64) -> f64 {
        if self.varies && other.varies { c * self.first * other.first } else { 0.0 }
    }

    /// The side on which the argument is just to the right of here; `None` if it is not known.
    fn side(self) -> Option<Side> {
        match () {
            () if self.first.is_nan() || self.first == 0.0 && self.second.is_nan() => None,
            () if self.first < 0.0 || self.first == 0.0 && self.second < 0.0 => Some(Side::Left),
            () => Some(Side::Right),
        }
    }

    /// The slope of the larger one of two equal values, just to their right.
    fn larger(self, other: Self) -> Self {
        let is_equal = self.first == other.first && self.second == other.second;
        let is_less =
            self.first < other.first || self.first == other.first && self.second < other.second;
        match () {
            () if self.first.is_nan() || other.first.is_nan() => {
                Self { first: f64::NAN, second: f64::NAN, varies: true }
            }
            () if is_equal => Self { varies: self.varies || other.varies, ..self },
            () if is_less => other,
            () => self,
        }
    }
}

impl<const N: usize> Series<N> {
    /// One of the variables.
    pub fn variable(value: f64, direction: usize) -> Self {
        let mut slopes = [Slope::NONE; N];
        slopes[direction] = Slope { first: 1.0, second: 0.0, varies: true };
        Self { value, slopes }
    }

    fn each(self, other: Self, value: f64, combine: impl Fn(Slope, Slope) -> Slope) -> Self {
        let slopes = std::array::from_fn(|k| combine(self.slopes[k], other.slopes[k]));
        Self { value, slopes }
    }

    fn chained(self, rule: Rule) -> Self {
        Self { value: rule[0], slopes: self.slopes.map(|slope| slope.chained(rule)) }
    }

    fn is_constant(&self) -> bool {
        self.slopes.iter().all(|slope| !slope.varies)
    }
}

/// y p/b without overflow on the way.
fn ratio(y: f64, p: f64, b: f64) -> f64 {
    let first = y * (p / b);
    if first.is_finite() && first != 0.0 { first } else { y * p / b }
}

impl<const N: usize> FormulaScalar for Series<N> {
    fn constant(value: f64) -> Self {
        Self { value, slopes: [Slope::NONE; N] }
    }

    fn value(self) -> f64 {
        self.value
    }

    fn negated(self) -> Self {
        Self { value: -self.value, slopes: self.slopes.map(|slope| slope.times(-1.0)) }
    }

    fn plus(self, other: Self) -> Self {
        self.each(other, self.value + other.value, Slope::plus)
    }

    fn minus(self, other: Self) -> Self {
        self.each(other, self.value - other.value, |x, y| x.plus(y.times(-1.0)))
    }

    fn times(self, other: Self) -> Self {
        let (a, b) = (self.value, other.value);
        self.each(other, a * b, |x, y| x.times(b).plus(y.times(a)).bent(x.cross(y, 2.0)))
    }

    fn over(self, other: Self) -> Self {
        // y b = a, differentiated twice
        let (b, y) = (other.value, self.value / other.value);
        self.each(other, y, |a, d| {
            let divided = |x: f64| if a.varies { x / b } else { 0.0 };
            let share = |y: f64, x: f64| if d.varies { ratio(y, x, b) } else { 0.0 };
            let first = divided(a.first) - share(y, d.first);
            let second = divided(a.second) - 2.0 * share(first, d.first) - share(y, d.second);
            Slope { first, second, varies: a.varies || d.varies }
        })
    }

    fn power(self, other: Self) -> Self {
        let (x, n) = (self.value, other.value);
        let by_base = power_rule(x, n);
        if other.is_constant() {
            return self.chained(by_base);
        }
        let [value, slope, bend] = by_base;
        let (log, of_zero) = (x.ln(), x == 0.0 && n > 0.0);
        let by_exponent = if of_zero { [0.0; 3] } else { [value, value * log, value * log * log] };
        let mixed = match () {
            () if of_zero && n > 1.0 => 0.0,
            // x^(n−1) (1 + n ln x)
            () if n == 0.0 => value / x,
            () => slope / n + slope * log,
        };
        self.each(other, value, |a, b| {
            let apart = a.chained([value, slope, bend]).plus(b.chained(by_exponent));
            apart.bent(a.cross(b, 2.0 * mixed))
        })
    }

    fn function(self, kind: FunctionKind) -> Self {
        self.chained(rule(kind, self.value))
    }

    fn step(self, kind: FunctionKind) -> Self {
        let here = value(kind, self.value);
        let neighbours = [self.value.next_up(), self.value.next_down()].map(|x| value(kind, x));
        let is_plain = neighbours == [here; 2] || here.is_nan();
        // at a jump of this function or of its argument the neighbouring values decide
        let slopes = self.slopes.map(|slope| match is_plain && !slope.first.is_nan() {
            true => Slope::NONE,
            false => slope.times(f64::NAN),
        });
        Self { value: here, slopes }
    }

    fn larger(self, other: Self) -> Self {
        match () {
            () if self.value > other.value => self,
            () if self.value < other.value => other,
            () => self.each(other, equal(self.value, other.value), Slope::larger),
        }
    }

    fn hypot(self, other: Self) -> Self {
        let (x, y) = (self.value, other.value);
        let length = x.hypot(y);
        if length == 0.0 {
            // straight from the origin: √((x′ + x″ε/2)² + (y′ + y″ε/2)²) ε
            return self.each(other, length, |a, b| {
                let first = a.first.hypot(b.first);
                let second = match first == 0.0 {
                    true => a.second.hypot(b.second),
                    false => a.first / first * a.second + b.first / first * b.second,
                };
                Slope { first, second, varies: a.varies || b.varies }
            });
        }
        let [cosine, sine] = [x / length, y / length];
        self.each(other, length, |a, b| {
            let across = a.times(sine).plus(b.times(-cosine)).first;
            a.times(cosine).plus(b.times(sine)).bent(across / length * across)
        })
    }

    fn angle(self, other: Self) -> Self {
        let (y, x) = (self.value, other.value);
        // the angle does not depend on the unit of length
        let size = x.abs().max(y.abs());
        let unit = match () {
            () if size > 1e300 => 2_f64.powi(-64),
            () if size < 1e-290 => 2_f64.powi(64),
            () => 1.0,
        };
        let length = (x * unit).hypot(y * unit);
        let [cosine, sine] = [x * unit / length, y * unit / length];
        self.each(other, y.atan2(x), |dy, dx| {
            let (dy, dx) = (dy.times(unit), dx.times(unit));
            let across = dy.times(cosine).plus(dx.times(-sine));
            let along = dx.times(cosine).plus(dy.times(sine));
            let turn = across.times(1.0 / length);
            match turn.varies {
                true => turn.bent(-2.0 * (along.first / length) * turn.first),
                false => turn,
            }
        })
    }

    fn modulo(self, other: Self) -> Self {
        let (x, y) = (self.value, other.value);
        let times = quotient(x, y);
        self.each(other, modulo(x, y), |a, b| a.plus(b.times(-times)))
    }

    fn lookup(self, table: &Table) -> Self {
        let right = table.jet(self.value);
        if !table.is_point(0, self.value) {
            return self.chained(right);
        }
        // at a point of the table each direction has its own side
        let slopes = self.slopes.map(|slope| match slope.side() {
            Some(side) => slope.chained(table.jet_towards(self.value, side)),
            None => slope.chained([f64::NAN; 3]),
        });
        Self { value: right[0], slopes }
    }

    fn lookup_map(self, other: Self, table: &Table) -> Self {
        let at = [self.value, other.value];
        let value = table.map_value(at[0], at[1]);
        let right = table.map_jet(at[0], at[1]);
        let is_plain = !table.is_point(0, at[0]) && !table.is_point(1, at[1]);
        self.each(other, value, |x, y| {
            let jet = match (x.side(), y.side()) {
                _ if is_plain => right,
                (Some(a), Some(b)) => table.map_jet_towards(at, [a, b]),
                _ => return Slope { first: f64::NAN, second: f64::NAN, varies: true },
            };
            let MapJet { first: [fx, fy], second: [fxx, fxy, fyy], .. } = jet;
            let apart = x.chained([value, fx, fxx]).plus(y.chained([value, fy, fyy]));
            apart.bent(x.cross(y, 2.0 * fxy))
        })
    }

    fn noise(self, noise: &BandNoise) -> Self {
        self.chained(noise.rule(self.value))
    }
}
