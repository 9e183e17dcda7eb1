//! The functions a formula may use.

/// A function of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name.
    pub name: &'static str,
    /// The arguments it takes.
    pub arguments: &'static [&'static str],
    /// What it gives.
    pub gives: &'static str,
    pub(super) kind: Kind,
}

/// Which function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Log10,
    Sqrt,
    Cbrt,
    Hypot,
    Abs,
    Sign,
    Floor,
    Ceil,
    Round,
    Mod,
    Min,
    Max,
    Clamp,
    If,
    Deg,
    Rad,
}

const fn of(
    name: &'static str,
    arguments: &'static [&'static str],
    gives: &'static str,
    kind: Kind,
) -> FunctionInfo {
    FunctionInfo { name, arguments, gives, kind }
}

const X: &[&str] = &["x"];

/// Every function.
pub const FUNCTIONS: &[FunctionInfo] = &[
    of("sin", X, "sine of an angle in radians", Kind::Sin),
    of("cos", X, "cosine", Kind::Cos),
    of("tan", X, "tangent", Kind::Tan),
    of("asin", X, "inverse sine", Kind::Asin),
    of("acos", X, "inverse cosine", Kind::Acos),
    of("atan", X, "inverse tangent", Kind::Atan),
    of("atan2", &["y", "x"], "angle of the point (x, y), from −π to π", Kind::Atan2),
    of("sinh", X, "hyperbolic sine", Kind::Sinh),
    of("cosh", X, "hyperbolic cosine", Kind::Cosh),
    of("tanh", X, "hyperbolic tangent", Kind::Tanh),
    of("exp", X, "exponential", Kind::Exp),
    of("ln", X, "natural logarithm", Kind::Ln),
    of("log10", X, "decimal logarithm", Kind::Log10),
    of("sqrt", X, "square root", Kind::Sqrt),
    of("cbrt", X, "cube root", Kind::Cbrt),
    of("hypot", &["x", "y"], "√(x² + y²)", Kind::Hypot),
    of(
        "abs",
        X,
        "absolute value; at 0 the derivative on the right counts, as at every kink",
        Kind::Abs,
    ),
    of("sign", X, "−1, 0 or 1; the derivative is 0", Kind::Sign),
    of("floor", X, "the largest integer that is at most x; the derivative is 0", Kind::Floor),
    of("ceil", X, "the smallest integer that is at least x; the derivative is 0", Kind::Ceil),
    of("round", X, "the nearest integer, halves away from zero; the derivative is 0", Kind::Round),
    of("mod", &["x", "y"], "the remainder x − y floor(x/y), which has the sign of y", Kind::Mod),
    of("min", &["x", "y"], "the smaller", Kind::Min),
    of("max", &["x", "y"], "the larger", Kind::Max),
    of(
        "clamp",
        &["x", "a", "b"],
        "x kept between a and b; not a number if a is larger than b",
        Kind::Clamp,
    ),
    of(
        "if",
        &["c", "a", "b"],
        "a if c is not zero, else b; the derivatives are those of the one chosen",
        Kind::If,
    ),
    of("deg", X, "degrees to radians", Kind::Deg),
    of("rad", X, "radians to degrees", Kind::Rad),
];
