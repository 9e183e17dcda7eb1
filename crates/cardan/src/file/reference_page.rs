//! The format for people: the reference page of the docs.

use super::schema::{SECTIONS, SchemaField, SchemaSection, ValueKind};
use crate::expression::FUNCTIONS;
use crate::solid::{Colour, SHAPE_KINDS};

/// The text before the tables.
const HEAD: &str = "\
# Model file reference

<!-- written by `cardan schema --markdown`; a test compares -->

A model file is TOML in SI units and radians. Instead of a *number* a *formula* in quotes is possible:
`mass = \"2*density\"`. [The user's guide](guide.md) explains the format by examples; `cardan schema` prints the format as a JSON
Schema for editors.
";

/// The text before the table of shapes.
const SHAPES: &str = "\
## Shapes

A shape is written `{ sphere = 0.1 }`, with these keys where they are needed: `density` (mass per volume), `position` (vector; of the shape's origin
from that of the body, in body axes; in a planar model a third number is the depth), `orientation` (of the shape's axes on the body), `colour`. [Shapes](viewer.md#shapes) has examples.

| shape | |
| --- | --- |
";

/// The text after the tables.
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
| shape | one of the table [shapes](#shapes); with a `density` unless the body has a `mass` |
| orientation | a quaternion `[w, x, y, z]`; `{ axis = [0, 0, 1], angle = \"30*deg\" }`; `{ euler = \"ZXZ\", angles = [a, b, c] }`; `{ rotation_vector = [x, y, z] }`. An Euler sequence in capitals turns about the axes as the angles before have turned them, in small letters about the fixed axes |
| angular velocity | a vector in body axes; in a planar model one number |
| six | along x, y, z and about x, y, z; or a 6×6 matrix as six rows |
| places | `[\"ground.wall\", [1, 0, 0], \"disk\"]`: vectors, and points of bodies |
| profile | `{ rectangle = [width, height] }` (along axes 2 and 3), `{ circle = radius }`, `{ tube = [outer, inner] }` |
| names | `[\"crank.angle\", \"*.reaction.force\", \"energy.*\"]`; `*` stands for any text |

A name may contain formulas in braces: `\"rod{i+1}\"`, `\"rod{n-1}.tip\"`. With `repeat = \"n\"` an entry is made n times, with
`i` from 0 to n − 1.

## Formulas

From loosest to tightest: `or`, `and`, `not`, comparisons (`< <= > >= == !=`, with the value 1 or 0), `+ -`, `* /`, signs, `^`
(to the right: `2^3^2` is 512, and `-3^2` is −9). Constants: `pi`, `e`, `deg` (π/180). Derivatives are exact.
At a kink, such as that of `abs(t)` at 0, the derivative on the right counts: that towards larger `t`, `x` or `v`. A drive
of a position needs a finite value and two finite derivatives, a drive of a speed one; a law needs its derivatives with respect to
`x` and `v`. `max(-x, 0)^1.5` and `v*abs(v)^0.7` have them everywhere; `sqrt(x)` has none at 0 and is refused there. A comparison of what is not
a number is not a number.

A table `[table.road]` is the function `road(x)`. Without a section, `table(\"road.csv\", \"x\", \"height\", x)` is the linear table of two columns of a file, and
`table(\"motor.csv\", \"speed\", \"current\", \"torque\", x, y)` a bilinear map; single quotes are possible too. [Tables and time functions](tables.md) describes both.

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
    text += &shapes();
    text += TAIL;
    for function in FUNCTIONS {
        let arguments = function.arguments.join(", ");
        text += &format!("| `{}({arguments})` | {} |\n", function.name, function.description);
    }
    text
}

fn shapes() -> String {
    let mut text = SHAPES.to_string();
    for kind in &SHAPE_KINDS {
        text += &format!("| `{{ {} }}` | {} |\n", kind.written(), kind.description);
    }
    let colours: Vec<String> =
        Colour::NAMED.iter().map(|(name, colour)| format!("`{name}` ({colour})")).collect();
    text + &format!("\nA `colour` is `\"#rrggbb\"` or one of {}.\n\n", colours.join(", "))
}

fn describe(section: &SchemaSection) -> String {
    let heading = match (section.is_named(), section.key) {
        (_, "") => "Top".to_string(),
        (true, key) => format!("[{key}.NAME]"),
        (false, key) => format!("[{key}]"),
    };
    let mut text = format!("\n## {heading}\n\n{}\n", section.description);
    text += &table(&section.fields);
    for variant in &section.variants {
        let default =
            if section.default == Some(variant.name) { " (if no `type` is given)" } else { "" };
        text += &format!("\n**`type = \"{}\"`**{default}: {}\n", variant.name, variant.description);
        text += &table(&variant.fields);
    }
    text
}

fn table(fields: &[SchemaField]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut text = "\n| key | value | |\n| --- | --- | --- |\n".to_string();
    for field in fields {
        let needed = if field.is_required { " (required)" } else { "" };
        let description = field.description.replace('|', "\\|");
        text += &format!("| `{}` | {}{needed} | {description} |\n", field.key, called(field.kind));
    }
    text
}

fn called(kind: ValueKind) -> String {
    match kind {
        ValueKind::Number => "number",
        ValueKind::Count => "whole number",
        ValueKind::Function => "function",
        ValueKind::Signal => "formula",
        ValueKind::Signals => "list of formulas",
        ValueKind::Law => "law",
        ValueKind::Vector => "vector",
        ValueKind::Functions => "functions",
        ValueKind::Vectors => "two vectors",
        ValueKind::Text => "text",
        ValueKind::Flag => "true, false",
        ValueKind::Word(_) | ValueKind::MethodWord(_) => {
            return kind
                .words()
                .iter()
                .flatten()
                .map(|word| format!("`\"{word}\"`"))
                .collect::<Vec<_>>()
                .join(", ");
        }
        ValueKind::Pair => "two names",
        ValueKind::Names => "names",
        ValueKind::Window => "two numbers",
        ValueKind::Points => "points",
        ValueKind::Numbers => "table of numbers",
        ValueKind::Orientation => "orientation",
        ValueKind::Inertia => "inertia",
        ValueKind::Shape => "shape",
        ValueKind::Shapes => "list of shapes",
        ValueKind::Six => "six",
        ValueKind::Spin => "angular velocity",
        ValueKind::Torque => "functions",
        ValueKind::Newton => "table",
        ValueKind::Tolerances => "number, or a table of numbers",
        ValueKind::RowTimes => "number, list of times, or `step`",
        ValueKind::Path => "places",
        ValueKind::Curve => "three formulas",
        ValueKind::Counts => "whole number, or a list",
        ValueKind::Profile => "profile",
        ValueKind::Stiffness => "six; in the plane EA, GA, EJ",
        ValueKind::Viscosity => "number, or six",
        ValueKind::Aside => "two numbers; in the plane one",
        ValueKind::Inertias => "three numbers; in the plane one",
        ValueKind::TableAxis => "name of a column, or numbers",
        ValueKind::TableValues => "name of a column, numbers, or rows of numbers",
        ValueKind::File => "path",
        ValueKind::List => "numbers",
        ValueKind::NamedFunctions => "table of functions",
        ValueKind::Interfaces => "table of nodes",
        ValueKind::Nodes => "table of nodes",
        ValueKind::Springs => "list of springs",
        ValueKind::Ties => "list of ties",
        ValueKind::Times => "number, or a list",
        ValueKind::OneOrMoreNames => "name, or a list of names",
        ValueKind::Impulse => "table: `body`, `force`, `moment`",
        ValueKind::Bounce => "table: `channel`, `restitution`",
        ValueKind::Actions => "list of tables",
    }
    .into()
}
