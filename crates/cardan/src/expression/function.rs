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
    Step,
    Smoothstep,
    Haversine,
    Pulse,
    Sawtooth,
    Chirp,
    Noise,
    DeadBand,
}

/// The number of kinds.
const KINDS: usize = FunctionKind::DeadBand as usize + 1;

/// How many arguments each kind takes, from [`FUNCTIONS`].
const ARITY: [usize; KINDS] = {
    let mut arity = [0; KINDS];
    let mut k = 0;
    while k < FUNCTIONS.len() {
        arity[FUNCTIONS[k].kind as usize] = FUNCTIONS[k].arguments.len();
        k += 1;
    }
    arity
};

/// How many arguments a function takes.
#[inline]
pub(super) fn arity(kind: FunctionKind) -> usize {
    ARITY[kind as usize]
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
    of(
        "saturation",
        &["x", "lower", "upper"],
        "x kept between two bounds, as `clamp`",
        FunctionKind::Clamp,
    ),
    of(
        "dead_band",
        &["x", "width"],
        "0 while abs(x) is at most the width; outside, the distance from that band with the sign of x",
        FunctionKind::DeadBand,
    ),
    of("step", &["x", "a"], "0 before a, 1 from a on; the derivative is 0", FunctionKind::Step),
    of(
        "smoothstep",
        &["x", "a", "b"],
        "0 before a, 1 after b, between them the cubic u²(3 − 2u) of u = (x − a)/(b − a)",
        FunctionKind::Smoothstep,
    ),
    of(
        "haversine",
        &["x", "a", "ya", "b", "yb"],
        "ya before a, yb after b, between them half a wave of a cosine",
        FunctionKind::Haversine,
    ),
    of(
        "pulse",
        &["x", "start", "width", "period"],
        "1 for a width from the start on, repeated with the period; else 0; the derivative is 0",
        FunctionKind::Pulse,
    ),
    of(
        "sawtooth",
        &["x", "period"],
        "rises from 0 to 1 in each period, and begins at 0 again",
        FunctionKind::Sawtooth,
    ),
    of(
        "chirp",
        &["x", "f0", "f1", "duration"],
        "a sine whose frequency changes from f0 at x = 0 linearly to f1 at x = duration, in Hz; before and after it stays",
        FunctionKind::Chirp,
    ),
    of(
        "noise",
        &["seed", "rms", "bandwidth"],
        "noise over time `t` with this root mean square and frequencies up to the bandwidth in Hz; the same for the same \
         seed. It is smooth: a sum of 64 sines. Seed and bandwidth are constants",
        FunctionKind::Noise,
    ),
    of("deg", X, "degrees to radians", FunctionKind::Deg),
    of("rad", X, "radians to degrees", FunctionKind::Rad),
];
