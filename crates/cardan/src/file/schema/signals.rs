//! The keys of signals, states and inputs.

use super::field::{SchemaField, SchemaVariant, ValueKind, optional, required};

const INPUT: SchemaField = required(
    "input",
    ValueKind::Signal,
    "its input: a formula of time, channels, signals, states and inputs",
);
const START: SchemaField =
    optional("start", ValueKind::Number, "the value at the start of the motion; 0");
const TIME_CONSTANT: SchemaField =
    required("time_constant", ValueKind::Number, "the time constant T");

/// The kinds of states: equations, and ready-made blocks.
pub(super) fn states() -> Vec<SchemaVariant> {
    let variant = |name, description: &str, fields| SchemaVariant {
        name,
        description: description.into(),
        fields,
    };
    let limit = |key, description| optional(key, ValueKind::Number, description);
    vec![
        variant(
            "equation",
            "A first-order state z with its own equation: its rate, or a residual that is zero.",
            vec![
                optional("rate", ValueKind::Signal, "ż"),
                optional(
                    "residual",
                    ValueKind::Signal,
                    "instead: a formula of z and `NAME.rate` that is zero",
                ),
                START,
            ],
        ),
        variant(
            "low-pass",
            "T ẏ = u − y. The output is the state.",
            vec![INPUT, TIME_CONSTANT, START],
        ),
        variant(
            "pid",
            "u = kp e + ki ∫ e + kd ė, with limits and anti-windup. Its parts are `NAME.error`, `NAME.integral`, \
             `NAME.derivative`, `NAME.unlimited`.",
            vec![
                required(
                    "error",
                    ValueKind::Signal,
                    "the error e, such as `\"target - arm.angle\"`",
                ),
                optional(
                    "error_rate",
                    ValueKind::Signal,
                    "the rate of the error; instead of `filter`",
                ),
                limit("kp", "the proportional gain; 0"),
                limit("ki", "the integral gain; 0"),
                limit("kd", "the derivative gain; 0"),
                limit("filter", "the time constant of the filter of the derivative"),
                limit("lower", "the least output"),
                limit("upper", "the largest output"),
                limit(
                    "tracking",
                    "the time in which the integral follows a limited output; √(kd/ki), or kp/ki without `kd`",
                ),
                limit("start", "the integral at the start; 0"),
            ],
        ),
        variant(
            "transfer-function",
            "A quotient of polynomials in s, with zero states at the start.",
            vec![
                INPUT,
                required("numerator", ValueKind::List, "its coefficients by falling powers of s"),
                required("denominator", ValueKind::List, "its coefficients by falling powers of s"),
            ],
        ),
        variant(
            "state-space",
            "ẋ = A x + B u, y = C x + D u. Its states are `NAME.x1`, …, its outputs `NAME.y1`, …; `NAME` is the first one.",
            vec![
                required("inputs", ValueKind::Signals, "one formula for each input"),
                required(
                    "file",
                    ValueKind::File,
                    "a file with A, B, C, D as `cardan linearize` writes it: `.mat` or `.json`",
                ),
            ],
        ),
        variant(
            "delay",
            "A delay by a Padé approximation of e^(−Ts).",
            vec![
                INPUT,
                required("delay", ValueKind::Number, "the delay T"),
                optional("order", ValueKind::Count, "the order of the approximation, 1 to 10; 3"),
            ],
        ),
        variant(
            "saturation",
            "The input, limited to a range.",
            vec![
                INPUT,
                required("lower", ValueKind::Number, "the least output"),
                required("upper", ValueKind::Number, "the largest output"),
            ],
        ),
        variant(
            "dead-band",
            "Zero while the input is within ± `width`, and the rest of it beyond.",
            vec![INPUT, required("width", ValueKind::Number, "half the width of the band")],
        ),
        variant(
            "rate-limit",
            "A state that follows its input with a limited rate: ẏ = (u − y)/T, limited.",
            vec![
                INPUT,
                required("rising", ValueKind::Number, "the largest rate"),
                optional("falling", ValueKind::Number, "the largest rate downwards; `rising`"),
                TIME_CONSTANT,
                START,
            ],
        ),
        variant(
            "hysteresis",
            "A relay: it switches on in the step in which the input reaches `upper`, and off in the step in which it \
             reaches `lower`.",
            vec![
                INPUT,
                required("lower", ValueKind::Number, "the input at which it switches off"),
                required("upper", ValueKind::Number, "the input at which it switches on"),
                optional("off", ValueKind::Number, "the output when it is off; 0"),
                optional("on", ValueKind::Number, "the output when it is on; 1"),
                optional("starts_on", ValueKind::Flag, "true: it is on at the start"),
            ],
        ),
    ]
}

pub(super) fn input() -> Vec<SchemaField> {
    vec![optional(
        "value",
        ValueKind::Number,
        "the value until it is set from outside between steps; 0",
    )]
}
