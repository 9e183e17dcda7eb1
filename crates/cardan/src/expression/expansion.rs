//! One-sided expansions Σ c ε^α at singular points, where products such as 0·∞ hide a derivative: with
//! fractional exponents `v*abs(v)^0.7` is ε^1.7 at rest, and its derivative 0.
//!
//! The expansion is that of the formula for t = t₀ + ε with a small positive ε. It is used where the rules
//! of [`super::series`] do not end in a finite number; it is NaN where it does not determine a derivative.

use std::f64::consts::{FRAC_PI_2, PI};

use super::function::FunctionKind;
use super::noise::BandNoise;
use super::rules;
use super::scalar::FormulaScalar;
use crate::table::{Side, Table};

/// The most terms that are kept.
const TERMS: usize = 10;
/// Terms of this order and above are dropped: two derivatives, and what roots and quotients take away.
const MAX_ORDER: f64 = 6.0;
/// Exponents that differ by less than this are equal.
const NEAR: f64 = 1e-9;
/// A sum this much smaller than its parts is zero.
const CANCELLED: f64 = 1e-14;
/// The most terms of a binomial series.
const MAX_BINOMIAL_TERMS: i32 = 12;

/// c ε^α.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Term {
    exponent: f64,
    factor: f64,
}

/// A value, and the expansion of its change for larger values of the variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion {
    value: f64,
    /// By rising exponents.
    terms: [Term; TERMS],
    count: usize,
    /// Terms from this exponent on are unknown.
    unknown: f64,
}

impl Expansion {
    /// The variable ε is added to.
    pub fn variable(value: f64) -> Self {
        let mut variable = Self::constant(value);
        variable.add(1.0, 1.0);
        variable
    }

    fn zero() -> Self {
        Self { value: 0.0, terms: Default::default(), count: 0, unknown: f64::INFINITY }
    }

    /// An expansion with a known value and unknown terms.
    fn lost(value: f64) -> Self {
        Self { value, unknown: f64::NEG_INFINITY, ..Self::zero() }
    }

    fn is_lost(&self) -> bool {
        self.unknown == f64::NEG_INFINITY
    }

    fn with_value(self, value: f64) -> Self {
        Self { value, ..self }
    }

    fn terms(&self) -> &[Term] {
        &self.terms[..self.count]
    }

    /// The exponent of the first term, or of what is unknown.
    fn lead(&self) -> f64 {
        self.terms().first().map_or(self.unknown, |term| term.exponent)
    }

    fn factor(&self, exponent: f64) -> f64 {
        let found = self.terms().iter().find(|term| (term.exponent - exponent).abs() < NEAR);
        found.map_or(0.0, |term| term.factor)
    }

    /// Adds a term; one of too high an order makes that order unknown.
    fn add(&mut self, exponent: f64, factor: f64) {
        let whole = exponent.round();
        let exponent = if (exponent - whole).abs() < NEAR { whole } else { exponent };
        if factor == 0.0 || self.is_lost() || exponent >= self.unknown - NEAR {
            return;
        }
        if factor.is_nan() || exponent.is_nan() {
            return *self = Self::lost(self.value);
        }
        if exponent >= MAX_ORDER {
            self.unknown = exponent;
            return;
        }
        let at = self.terms().partition_point(|term| term.exponent < exponent - NEAR);
        if at < self.count && (self.terms[at].exponent - exponent).abs() < NEAR {
            let sum = self.terms[at].factor + factor;
            if sum.is_nan() {
                return *self = Self::lost(self.value);
            }
            if sum.is_finite() && sum.abs() <= CANCELLED * factor.abs() {
                self.terms.copy_within(at + 1..self.count, at);
                self.count -= 1;
            } else {
                self.terms[at].factor = sum;
            }
            return;
        }
        if self.count == TERMS {
            // the highest order is dropped
            let last = self.terms[TERMS - 1].exponent.max(exponent);
            self.unknown = self.unknown.min(last);
            if at == TERMS {
                return;
            }
            self.count -= 1;
        }
        self.terms.copy_within(at..self.count, at + 1);
        self.terms[at] = Term { exponent, factor };
        self.count += 1;
    }

    /// Drops terms from an exponent on.
    fn cut(&mut self, unknown: f64) {
        self.unknown = self.unknown.min(unknown);
        let limit = self.unknown - NEAR;
        self.count = self.terms().partition_point(|term| term.exponent < limit);
    }

    fn scaled(self, factor: f64) -> Self {
        let mut scaled = self;
        scaled.terms[..self.count].iter_mut().for_each(|term| term.factor *= factor);
        scaled
    }

    /// Times ε^α.
    fn shifted(self, by: f64) -> Self {
        let mut shifted = Self { count: 0, unknown: self.unknown + by, ..self };
        self.terms().iter().for_each(|term| shifted.add(term.exponent + by, term.factor));
        shifted
    }

    fn sum(self, other: Self) -> Self {
        let mut sum = self;
        sum.cut(other.unknown);
        other.terms().iter().for_each(|term| sum.add(term.exponent, term.factor));
        sum
    }

    fn product(self, other: Self) -> Self {
        if self.is_lost() || other.is_lost() {
            return Self::lost(f64::NAN);
        }
        let mut product = Self::zero();
        product.unknown = (self.lead() + other.unknown).min(other.lead() + self.unknown);
        for one in self.terms() {
            for two in other.terms() {
                product.add(one.exponent + two.exponent, one.factor * two.factor);
            }
        }
        product
    }

    /// The expansion to a power that does not change.
    fn raised(self, p: f64) -> Self {
        let Some(&Term { exponent, factor }) = self.terms().first() else {
            return match () {
                () if p == 0.0 => Self::constant(1.0),
                () if p < 0.0 || self.is_lost() => Self::lost(f64::NAN),
                () => Self { unknown: p * self.unknown, ..Self::zero() },
            };
        };
        let leading = factor.powf(p);
        if leading.is_nan() || (factor.is_infinite() && p > 0.0) {
            return Self::lost(f64::NAN);
        }
        // what is larger than any number has a reciprocal smaller than any
        if factor.is_infinite() {
            return Self::zero();
        }
        // c^p ε^(αp) (1 + w)^p
        let mut rest = self.shifted(-exponent).scaled(1.0 / factor);
        rest.add(0.0, -1.0);
        let (mut sum, mut power, mut binomial) = (Self::constant(1.0), Self::constant(1.0), 1.0);
        for k in (1..=MAX_BINOMIAL_TERMS).take_while(|_| rest.lead() < f64::INFINITY) {
            binomial *= (p - f64::from(k - 1)) / f64::from(k);
            if binomial == 0.0 {
                break;
            }
            power = power.product(rest);
            sum = sum.sum(power.scaled(binomial));
            if k == MAX_BINOMIAL_TERMS {
                sum.cut(f64::from(MAX_BINOMIAL_TERMS + 1) * rest.lead());
            }
        }
        sum.scaled(leading).shifted(exponent * p)
    }

    /// f(u₀ + w) = f + f′ w + f″ w²/2; higher terms are unknown.
    fn chained(self, [value, first, second]: rules::Rule) -> Self {
        let mut rest = self;
        rest.add(0.0, -self.factor(0.0));
        let mut result = Self::constant(value);
        if rest.count > 0 || rest.unknown < f64::INFINITY {
            result = result.sum(rest.scaled(first));
            result = result.sum(rest.product(rest).scaled(0.5 * second));
            result.cut(3.0 * rest.lead());
        }
        result
    }

    /// The change from the value, and the side of the value on which it is.
    fn change(self) -> (Self, Side) {
        let mut rest = self;
        rest.add(0.0, -self.factor(0.0));
        let falls = rest.terms().first().is_some_and(|term| term.factor < 0.0);
        (rest, if falls { Side::Left } else { Side::Right })
    }

    /// c − x.
    fn taken_from(self, c: f64) -> Self {
        let mut result = self.scaled(-1.0);
        result.add(0.0, c);
        result
    }

    /// acos(1 − δ) = √(2δ) (1 + δ/12 + 3δ²/160 + …).
    fn arc(self) -> Self {
        let mut series = Self::constant(1.0).sum(self.scaled(1.0 / 12.0));
        series = series.sum(self.product(self).scaled(3.0 / 160.0));
        series.cut(3.0 * self.lead());
        self.scaled(2.0).raised(0.5).product(series)
    }

    /// A function where its argument grows without bound.
    fn at_infinity(self, kind: FunctionKind) -> Self {
        let sign = self.terms[0].factor.signum();
        match kind {
            FunctionKind::Atan => {
                self.raised(-1.0).elementary(FunctionKind::Atan).taken_from(sign * FRAC_PI_2)
            }
            FunctionKind::Tanh => Self::constant(sign),
            // smaller than any power
            FunctionKind::Exp if sign < 0.0 => Self::zero(),
            _ => Self::lost(f64::NAN),
        }
    }

    fn elementary(self, kind: FunctionKind) -> Self {
        let at = self.factor(0.0);
        match kind {
            _ if self.is_lost() => self,
            FunctionKind::Sqrt => self.raised(0.5),
            FunctionKind::Cbrt if self.terms().first().is_some_and(|term| term.factor < 0.0) => {
                self.scaled(-1.0).raised(1.0 / 3.0).scaled(-1.0)
            }
            FunctionKind::Cbrt => self.raised(1.0 / 3.0),
            _ if self.lead() < 0.0 => self.at_infinity(kind),
            FunctionKind::Asin if at == 1.0 => self.taken_from(1.0).arc().taken_from(FRAC_PI_2),
            FunctionKind::Asin if at == -1.0 => {
                self.scaled(-1.0).elementary(FunctionKind::Asin).scaled(-1.0)
            }
            FunctionKind::Acos if at == 1.0 => self.taken_from(1.0).arc(),
            FunctionKind::Acos if at == -1.0 => {
                self.scaled(-1.0).taken_from(1.0).arc().taken_from(PI)
            }
            FunctionKind::Exp | FunctionKind::Cosh | FunctionKind::Sinh
                if rules::value(kind, at).is_infinite() =>
            {
                Self::constant(rules::value(kind, at))
            }
            FunctionKind::Ln | FunctionKind::Log10 if at == 0.0 => Self::lost(f64::NAN),
            kind => self.chained(rules::rule(kind, at)),
        }
    }

    /// First and second derivative, as far as they are known.
    pub fn derivatives(self) -> [f64; 2] {
        if self.lead() < 0.0 {
            return [f64::NAN; 2];
        }
        // a fractional order below the derivative's makes it infinite
        let derivative = |order: f64, factor: f64| {
            let is_rough = |term: &&Term| term.exponent < order && term.exponent.fract() != 0.0;
            match self.terms().iter().find(is_rough) {
                Some(Term { exponent, factor }) if *exponent > 1.0 || order == 1.0 => {
                    factor * f64::INFINITY
                }
                Some(Term { factor, .. }) => -factor * f64::INFINITY,
                None if self.unknown <= order + NEAR => f64::NAN,
                None => factor * self.factor(order),
            }
        };
        [derivative(1.0, 1.0), derivative(2.0, 2.0)]
    }
}

impl FormulaScalar for Expansion {
    fn constant(value: f64) -> Self {
        let mut constant = Self::zero();
        constant.add(0.0, value);
        constant.with_value(value)
    }

    fn value(self) -> f64 {
        self.value
    }

    fn negated(self) -> Self {
        self.scaled(-1.0).with_value(-self.value)
    }

    fn plus(self, other: Self) -> Self {
        self.sum(other).with_value(self.value + other.value)
    }

    fn minus(self, other: Self) -> Self {
        self.sum(other.scaled(-1.0)).with_value(self.value - other.value)
    }

    fn times(self, other: Self) -> Self {
        self.product(other).with_value(self.value * other.value)
    }

    fn over(self, other: Self) -> Self {
        self.product(other.raised(-1.0)).with_value(self.value / other.value)
    }

    fn power(self, other: Self) -> Self {
        let value = rules::power_value(self.value, other.value);
        let is_constant = other.count == 0 || other.lead() == 0.0 && other.count == 1;
        match is_constant && other.unknown == f64::INFINITY {
            true => self.raised(other.factor(0.0)).with_value(value),
            // x^y = e^(y ln x)
            false => {
                let exponent = self.elementary(FunctionKind::Ln).product(other);
                exponent.elementary(FunctionKind::Exp).with_value(value)
            }
        }
    }

    fn function(self, kind: FunctionKind) -> Self {
        let value = rules::value(kind, self.value);
        let result = self.elementary(kind);
        // on the other side of a pole the sign may differ
        match self.lead() < 0.0 && (result.factor(0.0) - value).abs() > 1e-9 {
            true => Self::lost(value),
            false => result.with_value(value),
        }
    }

    fn step(self, kind: FunctionKind) -> Self {
        // the value just to the right
        let at = self.factor(0.0);
        let mut rest = self;
        rest.add(0.0, -at);
        let right_value = match rest.terms().first() {
            Some(first) if first.factor > 0.0 => at.next_up(),
            Some(_) => at.next_down(),
            None => at,
        };
        match self.is_lost() {
            true => self,
            false => Self::constant(rules::value(kind, right_value)),
        }
        .with_value(rules::value(kind, self.value))
    }

    fn larger(self, other: Self) -> Self {
        let difference = self.sum(other.scaled(-1.0));
        let value = FormulaScalar::larger(self.value, other.value);
        let chosen = match difference.terms().first() {
            Some(first) if first.factor < 0.0 => other,
            Some(_) => self,
            None => {
                // equal as far as they are known
                let mut both = self;
                both.cut(difference.unknown);
                both
            }
        };
        chosen.with_value(value)
    }

    fn hypot(self, other: Self) -> Self {
        let squares = self.product(self).sum(other.product(other));
        squares.raised(0.5).with_value(self.value.hypot(other.value))
    }

    fn angle(self, other: Self) -> Self {
        let value = self.value.atan2(other.value);
        let (y, x) = (self, other);
        if y.lead() > 0.0 && x.lead() > 0.0 {
            // at the origin there is no angle
            return Self::lost(value);
        }
        let sign = |of: Self| of.terms().first().map_or(0.0, |term| term.factor.signum());
        let angle = match y.lead() > x.lead() {
            true if sign(x) == 0.0 => Self::lost(value),
            true if sign(x) > 0.0 => y.product(x.raised(-1.0)).elementary(FunctionKind::Atan),
            true => {
                let turn = if value < 0.0 { PI } else { -PI };
                y.product(x.raised(-1.0))
                    .elementary(FunctionKind::Atan)
                    .taken_from(turn)
                    .scaled(-1.0)
            }
            false => {
                let side = x.product(y.raised(-1.0)).elementary(FunctionKind::Atan);
                side.taken_from(sign(y) * FRAC_PI_2)
            }
        };
        angle.with_value(value)
    }

    fn modulo(self, other: Self) -> Self {
        let times = rules::quotient(self.value, other.value);
        let value = rules::modulo(self.value, other.value);
        self.sum(other.scaled(-times)).with_value(value)
    }

    fn lookup(self, table: &Table) -> Self {
        let value = table.value(self.value);
        match self.is_lost() || self.lead() < 0.0 {
            true => Self::lost(value),
            false => {
                let (_, side) = self.change();
                self.chained(table.jet_towards(self.factor(0.0), side)).with_value(value)
            }
        }
    }

    fn lookup_map(self, other: Self, table: &Table) -> Self {
        let value = table.map_value(self.value, other.value);
        if self.is_lost() || other.is_lost() || self.lead() < 0.0 || other.lead() < 0.0 {
            return Self::lost(value);
        }
        let ((x, side_x), (y, side_y)) = (self.change(), other.change());
        let at = [self.factor(0.0), other.factor(0.0)];
        let jet = table.map_jet_towards(at, [side_x, side_y]);
        // the terms of a Taylor series; those of third order are unknown
        let [xx, xy, yy] = jet.second;
        let mut result = Self::constant(jet.value)
            .sum(x.scaled(jet.first[0]))
            .sum(y.scaled(jet.first[1]))
            .sum(x.product(x).scaled(0.5 * xx))
            .sum(x.product(y).scaled(xy))
            .sum(y.product(y).scaled(0.5 * yy));
        result.cut(3.0 * x.lead().min(y.lead()));
        result.with_value(value)
    }

    fn noise(self, noise: &BandNoise) -> Self {
        let value = noise.value(self.value);
        match self.is_lost() || self.lead() < 0.0 {
            true => Self::lost(value),
            false => self.chained(noise.rule(self.factor(0.0))).with_value(value),
        }
    }
}
