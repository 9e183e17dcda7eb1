//! The format for people: the reference page of the docs.

use super::schema::{Field, Kind, SECTIONS, Section};
use crate::expression::FUNCTIONS;

/// What stands before the tables.
const HEAD: &str = "\
# Model file reference

<!-- written by `cardan schema --markdown`; a test compares -->

A model file is TOML in SI units and radians. Wherever a *number* is wanted a *formula* in quotes may stand:
`mass = \"2*density\"`. [The user's guide](guide.md) shows how it all goes together; `cardan schema` prints the same as a JSON
Schema for editors.
";

/// What stands after them.
const TAIL: &str = "\
## Values

| | |
| --- | --- |
| number | `2`, `1e-3`, or a formula of parameters: `\"m/2 + 30*deg\"` |
| whole number | `3`, or a formula that gives one: `\"2*n+1\"` |
| function | a number, or a formula of time `t` and parameters: `\"a*sin(2*pi*t)\"` |
| law | a formula of `x` (length, angle or translation) and `v` (its rate): `\"4e3*x^3 + 2*v\"` |
| vector | three numbers; in a planar model two: `[1, 0]` |
| functions | a vector whose entries are functions |
| two vectors | `[[1, 0, 0], [0, 1, 0]]` |
| two names | `[\"ground\", \"crank.tip\"]` |
| points | a table of vectors: `{ tip = [1, 0, 0], hole = [\"L/2\", 0, 0] }` |
| inertia | `0.1` in a planar model; three principal values; or three rows of the tensor, products of inertia being −∫xy dm |
| shape | `{ box = [x, y, z] }`, `{ cylinder = [radius, length] }` (along z), `{ sphere = radius }`, `{ rod = length }` (thin, along x); with a `density` (of a rod per length) unless the body has a `mass` |
| orientation | a quaternion `[w, x, y, z]`; `{ axis = [0, 0, 1], angle = \"30*deg\" }`; `{ euler = \"ZXZ\", angles = [a, b, c] }`; `{ rotation_vector = [x, y, z] }`. An Euler sequence in capitals turns about the axes as the angles before have turned them, in small letters about the fixed axes |
| angular velocity | a vector in body axes; in a planar model one number |
| six | along x, y, z and about x, y, z; or a 6×6 matrix as six rows |
| places | `[\"ground.wall\", [1, 0, 0], \"disk\"]`: vectors, and points of bodies |
| profile | `{ rectangle = [width, height] }` (along axes 2 and 3), `{ circle = radius }`, `{ tube = [outer, inner] }` |
| names | `[\"crank.angle\", \"*.reaction.force\", \"energy.*\"]`; `*` stands for any text |

A name may hold formulas in braces: `\"rod{i+1}\"`, `\"rod{n-1}.tip\"`. With `repeat = \"n\"` an entry is made n times, with
`i` from 0 to n − 1.

## Formulas

From loosest to tightest: `or`, `and`, `not`, comparisons (`< <= > >= == !=`, worth 1 or 0), `+ -`, `* /`, signs, `^`
(to the right: `2^3^2` is 512, and `-3^2` is −9). Constants: `pi`, `e`, `deg` (π/180). Derivatives are exact.
At a kink, such as that of `abs(t)` at 0, the derivative on the right counts: that towards larger `t`, `x` or `v`. A drive
of a position needs a finite value and two finite derivatives, a drive of a speed one; a law needs its derivatives with respect to
`x` and `v`. `max(-x, 0)^1.5` and `v*abs(v)^0.7` have them everywhere; `sqrt(x)` has none at 0 and is refused there. A comparison of what is not
a number is not a number.

| function | gives |
| --- | --- |
";

/// The reference page.
pub fn reference() -> String {
    let mut text = HEAD.to_string();
    for section in SECTIONS.iter() {
        text += &describe(section);
    }
    text += "\n";
    text += TAIL;
    for function in FUNCTIONS {
        let arguments = function.arguments.join(", ");
        text += &format!("| `{}({arguments})` | {} |\n", function.name, function.gives);
    }
    text
}

fn describe(section: &Section) -> String {
    let heading = match (section.is_named(), section.key) {
        (_, "") => "Top".to_string(),
        (true, key) => format!("[{key}.NAME]"),
        (false, key) => format!("[{key}]"),
    };
    let mut text = format!("\n## {heading}\n\n{}\n", section.says);
    text += &table(&section.fields);
    for variant in &section.variants {
        let default =
            if section.default == Some(variant.name) { " (if no `type` is given)" } else { "" };
        text += &format!("\n**`type = \"{}\"`**{default}: {}\n", variant.name, variant.says);
        text += &table(&variant.fields);
    }
    text
}

fn table(fields: &[Field]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut text = "\n| key | value | |\n| --- | --- | --- |\n".to_string();
    for field in fields {
        let needed = if field.is_required { " (required)" } else { "" };
        let says = field.says.replace('|', "\\|");
        text += &format!("| `{}` | {}{needed} | {says} |\n", field.key, called(field.kind));
    }
    text
}

fn called(kind: Kind) -> String {
    match kind {
        Kind::Number => "number",
        Kind::Count => "whole number",
        Kind::Function => "function",
        Kind::Law => "law",
        Kind::Vector => "vector",
        Kind::Functions => "functions",
        Kind::Vectors => "two vectors",
        Kind::Text => "text",
        Kind::Flag => "true, false",
        Kind::Word(_) | Kind::MethodWord(_) => {
            return kind
                .words()
                .iter()
                .flatten()
                .map(|word| format!("`\"{word}\"`"))
                .collect::<Vec<_>>()
                .join(", ");
        }
        Kind::Pair => "two names",
        Kind::Names => "names",
        Kind::Window => "two numbers",
        Kind::Points => "points",
        Kind::Numbers => "table of numbers",
        Kind::Orientation => "orientation",
        Kind::Inertia => "inertia",
        Kind::Shape => "shape",
        Kind::Six => "six",
        Kind::Spin => "angular velocity",
        Kind::Torque => "functions",
        Kind::Newton => "table",
        Kind::Path => "places",
        Kind::Curve => "three formulas",
        Kind::Counts => "whole number, or a list",
        Kind::Profile => "profile",
        Kind::Stiffness => "six; in the plane EA, GA, EJ",
        Kind::Viscosity => "number, or six",
        Kind::Aside => "two numbers; in the plane one",
        Kind::Inertias => "three numbers; in the plane one",
        Kind::File => "path",
        Kind::List => "numbers",
        Kind::NamedFunctions => "table of functions",
        Kind::Interfaces => "table of nodes",
        Kind::Nodes => "table of nodes",
        Kind::Springs => "list of springs",
        Kind::Ties => "list of ties",
    }
    .into()
}
