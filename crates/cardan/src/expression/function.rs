//! The functions a formula may use.

/// A function of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name.
    pub name: &'static str,
    /// The arguments it takes.
    pub arguments: &'static [&'static str],
    /// Its value.
    pub description: &'static str,
    pub(super) kind: FunctionKind,
}

/// The kinds of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionKind {
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
    description: &'static str,
    kind: FunctionKind,
) -> FunctionInfo {
    FunctionInfo { name, arguments, description, kind }
}

const X: &[&str] = &["x"];

/// Every function.
pub const FUNCTIONS: &[FunctionInfo] = &[
    of("sin", X, "sine of an angle in radians", FunctionKind::Sin),
    of("cos", X, "cosine", FunctionKind::Cos),
    of("tan", X, "tangent", FunctionKind::Tan),
    of("asin", X, "inverse sine", FunctionKind::Asin),
    of("acos", X, "inverse cosine", FunctionKind::Acos),
    of("atan", X, "inverse tangent", FunctionKind::Atan),
    of("atan2", &["y", "x"], "angle of the point (x, y), from −π to π", FunctionKind::Atan2),
    of("sinh", X, "hyperbolic sine", FunctionKind::Sinh),
    of("cosh", X, "hyperbolic cosine", FunctionKind::Cosh),
    of("tanh", X, "hyperbolic tangent", FunctionKind::Tanh),
    of("exp", X, "exponential", FunctionKind::Exp),
    of("ln", X, "natural logarithm", FunctionKind::Ln),
    of("log10", X, "decimal logarithm", FunctionKind::Log10),
    of("sqrt", X, "square root", FunctionKind::Sqrt),
    of("cbrt", X, "cube root", FunctionKind::Cbrt),
    of("hypot", &["x", "y"], "√(x² + y²)", FunctionKind::Hypot),
    of(
        "abs",
        X,
        "absolute value; at 0 the derivative on the right counts, as at every kink",
        FunctionKind::Abs,
    ),
    of("sign", X, "−1, 0 or 1; the derivative is 0", FunctionKind::Sign),
    of(
        "floor",
        X,
        "the largest integer that is at most x; the derivative is 0",
        FunctionKind::Floor,
    ),
    of(
        "ceil",
        X,
        "the smallest integer that is at least x; the derivative is 0",
        FunctionKind::Ceil,
    ),
    of(
        "round",
        X,
        "the nearest integer, halves away from zero; the derivative is 0",
        FunctionKind::Round,
    ),
    of(
        "mod",
        &["x", "y"],
        "the remainder x − y floor(x/y), which has the sign of y",
        FunctionKind::Mod,
    ),
    of("min", &["x", "y"], "the smaller", FunctionKind::Min),
    of("max", &["x", "y"], "the larger", FunctionKind::Max),
    of(
        "clamp",
        &["x", "a", "b"],
        "x kept between a and b; not a number if a is larger than b",
        FunctionKind::Clamp,
    ),
    of(
        "if",
        &["c", "a", "b"],
        "a if c is not zero, else b; the derivatives are those of the one chosen",
        FunctionKind::If,
    ),
    of("deg", X, "degrees to radians", FunctionKind::Deg),
    of("rad", X, "radians to degrees", FunctionKind::Rad),
];
