//! The functions a formula may use.

/// A function of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arguments: usize,
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

const fn of(name: &'static str, arguments: usize, gives: &'static str, kind: Kind) -> FunctionInfo {
    FunctionInfo { name, arguments, gives, kind }
}

/// Every function.
pub const FUNCTIONS: &[FunctionInfo] = &[
    of("sin", 1, "sine of an angle in radians", Kind::Sin),
    of("cos", 1, "cosine", Kind::Cos),
    of("tan", 1, "tangent", Kind::Tan),
    of("asin", 1, "inverse sine", Kind::Asin),
    of("acos", 1, "inverse cosine", Kind::Acos),
    of("atan", 1, "inverse tangent", Kind::Atan),
    of("atan2", 2, "angle of the point (x, y), given as y, x", Kind::Atan2),
    of("sinh", 1, "hyperbolic sine", Kind::Sinh),
    of("cosh", 1, "hyperbolic cosine", Kind::Cosh),
    of("tanh", 1, "hyperbolic tangent", Kind::Tanh),
    of("exp", 1, "exponential", Kind::Exp),
    of("ln", 1, "natural logarithm", Kind::Ln),
    of("log10", 1, "decimal logarithm", Kind::Log10),
    of("sqrt", 1, "square root", Kind::Sqrt),
    of("cbrt", 1, "cube root", Kind::Cbrt),
    of("hypot", 2, "√(x² + y²)", Kind::Hypot),
    of("abs", 1, "absolute value", Kind::Abs),
    of("sign", 1, "−1, 0 or 1", Kind::Sign),
    of("floor", 1, "largest integer below", Kind::Floor),
    of("ceil", 1, "smallest integer above", Kind::Ceil),
    of("round", 1, "nearest integer", Kind::Round),
    of("mod", 2, "x − y floor(x/y)", Kind::Mod),
    of("min", 2, "the smaller", Kind::Min),
    of("max", 2, "the larger", Kind::Max),
    of("clamp", 3, "x kept between a and b, given as x, a, b", Kind::Clamp),
    of("if", 3, "the second if the first is not zero, else the third", Kind::If),
    of("deg", 1, "degrees to radians", Kind::Deg),
    of("rad", 1, "radians to degrees", Kind::Rad),
];
