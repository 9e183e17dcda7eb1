//! The functions of one argument and powers: value, first and second derivative, each in a form that is
//! accurate on the whole domain and does not overflow before the result does.

use super::function::FunctionKind;

/// A value with its first and second derivative.
pub(super) type Rule = [f64; 3];

/// Above this 1 + x² is x².
const ONE_VANISHES: f64 = 1e8;

/// The value of a function of one argument.
pub(super) fn value(kind: FunctionKind, x: f64) -> f64 {
    match kind {
        FunctionKind::Sin => x.sin(),
        FunctionKind::Cos => x.cos(),
        FunctionKind::Tan => x.tan(),
        FunctionKind::Asin => x.asin(),
        FunctionKind::Acos => x.acos(),
        FunctionKind::Atan => x.atan(),
        FunctionKind::Sinh => x.sinh(),
        FunctionKind::Cosh => x.cosh(),
        FunctionKind::Tanh => x.tanh(),
        FunctionKind::Exp => x.exp(),
        FunctionKind::Ln => x.ln(),
        FunctionKind::Log10 => x.log10(),
        FunctionKind::Sqrt => x.sqrt(),
        FunctionKind::Cbrt => x.cbrt(),
        FunctionKind::Abs => x.abs(),
        FunctionKind::Sign if x == 0.0 => 0.0,
        FunctionKind::Sign => x.signum(),
        FunctionKind::Floor => x.floor(),
        FunctionKind::Ceil => x.ceil(),
        FunctionKind::Round => x.round(),
        // of the distance from the place of the step
        FunctionKind::Step if x.is_nan() => x,
        FunctionKind::Step => f64::from(u8::from(x >= 0.0)),
        FunctionKind::Deg => x.to_radians(),
        FunctionKind::Rad => x.to_degrees(),
        _ => f64::NAN,
    }
}

/// Whether a function is constant between jumps: its derivatives are zero, at the jumps too.
pub(super) fn is_step(kind: FunctionKind) -> bool {
    matches!(
        kind,
        FunctionKind::Sign
            | FunctionKind::Floor
            | FunctionKind::Ceil
            | FunctionKind::Round
            | FunctionKind::Step
    )
}

/// Value and derivatives of a function of one argument; `abs` has a separate rule.
pub(super) fn rule(kind: FunctionKind, x: f64) -> Rule {
    let f = value(kind, x);
    let [first, second] = match kind {
        FunctionKind::Sin => [x.cos(), -f],
        FunctionKind::Cos => [-x.sin(), -f],
        FunctionKind::Tan => {
            let slope = 1.0 + f * f;
            [slope, 2.0 * f * slope]
        }
        FunctionKind::Asin => inverse_sine(x),
        FunctionKind::Acos => inverse_sine(x).map(|x| -x),
        FunctionKind::Atan => {
            let slope = match x.abs() < ONE_VANISHES {
                true => 1.0 / (1.0 + x * x),
                false => 1.0 / x / x,
            };
            [slope, -2.0 * (x * slope) * slope]
        }
        FunctionKind::Sinh => [x.cosh(), f],
        FunctionKind::Cosh => [x.sinh(), f],
        FunctionKind::Tanh => {
            // 1/cosh x = 2 e^-|x| / (1 + e^-2|x|), which is small where cosh x is larger than any f64
            let decay = (-x.abs()).exp();
            let secant = 2.0 * decay / (1.0 + decay * decay);
            [secant * secant, -2.0 * f * secant * secant]
        }
        FunctionKind::Exp => [f, f],
        FunctionKind::Ln => [1.0 / x, -1.0 / x / x],
        FunctionKind::Log10 => {
            let slope = std::f64::consts::LOG10_E / x;
            [slope, -slope / x]
        }
        FunctionKind::Sqrt => {
            let slope = 0.5 / f;
            [slope, -0.5 * slope / x]
        }
        FunctionKind::Cbrt => {
            let slope = 1.0 / (3.0 * f * f);
            [slope, -2.0 * slope / (3.0 * x)]
        }
        FunctionKind::Deg => [1_f64.to_radians(), 0.0],
        FunctionKind::Rad => [1_f64.to_degrees(), 0.0],
        kind if is_step(kind) => [0.0, 0.0],
        _ => [f64::NAN, f64::NAN],
    };
    [f, first, second]
}

fn inverse_sine(x: f64) -> [f64; 2] {
    let slope = 1.0 / ((1.0 - x) * (1.0 + x)).sqrt();
    [slope, x * slope * slope * slope]
}

/// x^n: whole powers of any base, others of a base that is not negative.
pub(super) fn power_value(x: f64, n: f64) -> f64 {
    match n {
        // frequent powers are exact where possible
        1.0 => x,
        2.0 => x * x,
        3.0 => x * x * x,
        _ => x.powf(n),
    }
}

/// x^n with n x^(n−1) and n (n−1) x^(n−2).
pub(super) fn power_rule(x: f64, n: f64) -> Rule {
    let value = power_value(x, n);
    if value.is_nan() {
        return [value; 3];
    }
    // the sign of an odd power is that of its base
    let is_odd = n % 2.0 != 0.0;
    let (even, odd) = if x < 0.0 { (1.0, -1.0) } else { (1.0, 1.0) };
    let [sign, other] = if is_odd { [odd, even] } else { [even, odd] };
    let first = other * lowered(n, x.abs(), n, 1.0);
    let second = sign * lowered(n * (n - 1.0), x.abs(), n, 2.0);
    [value, first, second]
}

/// c x^(n−k) for a base that is not negative.
fn lowered(c: f64, x: f64, n: f64, k: f64) -> f64 {
    if c == 0.0 {
        return 0.0;
    }
    let m = n - k;
    let power = power_value(x, m);
    // where the power alone is out of range the product need not be
    let product = match power.is_normal() {
        true => c * power,
        false => {
            let half = x.powf(0.5 * m);
            c * half * half
        }
    };
    // what rounding took from the exponent, x^(m+s) = x^m (1 + s ln x)
    let back = m - n;
    let slip = (n - (m - back)) + (-k - back);
    match slip != 0.0 && x > 0.0 {
        true => product * (1.0 + slip * x.ln()),
        false => product,
    }
}

/// The remainder of x/y with the sign of y.
pub(super) fn modulo(x: f64, y: f64) -> f64 {
    let rest = x % y;
    match rest != 0.0 && (rest < 0.0) != (y < 0.0) {
        true => rest + y,
        false => rest,
    }
}

/// The multiple of y that [`modulo`] subtracts from x.
pub(super) fn quotient(x: f64, y: f64) -> f64 {
    ((x - modulo(x, y)) / y).round()
}

/// The larger of two numbers that `<` does not distinguish: of two zeros the positive one.
pub(super) fn equal(x: f64, y: f64) -> f64 {
    if x == 0.0 { x + y } else { x }
}
