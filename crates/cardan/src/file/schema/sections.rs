//! Every table of the file with its keys.

use std::sync::LazyLock;

use super::bodies::{beam, bodies, body, flexible, flexibles, structure, structures, truss};
use super::connections::{BETWEEN, drives, forces, gear, joints, rolling, skate};
use super::events::event;
use super::field::{SchemaField, SchemaSection, ValueKind, optional, required};
use super::signals::{input, states};
use crate::file::auto_method::AUTO;
use crate::model::PartKind;
use crate::table::{Interpolation, MapInterpolation, Outside};
use cardan_core::methods::{self, ParameterDomain};
use cardan_core::stage::Formulation;

/// Present in all named entries.
const REPEAT: SchemaField = optional(
    "repeat",
    ValueKind::Count,
    "makes this many of it; formulas may use `i` = 0, 1, …, and names `{i}`, `{i+1}`, …",
);
/// Every section, in the order in which people write them.
pub static SECTIONS: LazyLock<Vec<SchemaSection>> = LazyLock::new(|| {
    let table = |key, description, fields| SchemaSection {
        key,
        has_names: false,
        part: None,
        description,
        fields,
        variants: Vec::new(),
        default: None,
    };
    let named = |part: PartKind, description, mut fields: Vec<SchemaField>, variants| {
        fields.push(REPEAT);
        SchemaSection {
            key: part.key(),
            has_names: true,
            part: Some(part),
            description,
            fields,
            variants,
            default: None,
        }
    };
    vec![
        table("", "Before all tables.", top()),
        table(
            "parameters",
            "Names for numbers, each a number or a formula of those above it; `--set name=value` \
             changes them.",
            Vec::new(),
        ),
        SchemaSection {
            has_names: true,
            ..table(
                "table",
                "Values between given points: a function `NAME(x)` of formulas, or `NAME(x, y)` for a map of two \
                 variables. The numbers are columns of a file, or lists.",
                table_fields(),
            )
        },
        table("points", "Named points on the ground: `name = [x, y, z]`.", Vec::new()),
        table(
            "ground",
            "The ground: what is drawn of it.",
            vec![optional(
                "shapes",
                ValueKind::Shapes,
                "solids at places in world axes; they have no density",
            )],
        ),
        SchemaSection {
            default: Some("rigid"),
            ..named(PartKind::Body, "A body.", body(), bodies())
        },
        named(
            PartKind::Beam,
            "A flexible beam along a path, free of stress as described.",
            beam(),
            Vec::new(),
        ),
        SchemaSection {
            default: Some("beam"),
            ..named(
                PartKind::Flexible,
                "A flexible body in a floating frame: it moves far and bends a little. Joints and forces act on \
                 its points.",
                flexible(),
                flexibles(),
            )
        },
        named(
            PartKind::Structure,
            "A linear structure M q̈ + C q̇ + K q = R(t), with one displacement per node. Nodes are counted from 0.",
            structure(),
            structures(),
        ),
        named(
            PartKind::Truss,
            "A straight bar with an axial force only, of Green's strain.",
            truss(),
            Vec::new(),
        ),
        named(PartKind::Joint, "A joint between two bodies.", vec![BETWEEN], joints()),
        named(PartKind::Gear, "Two joint coordinates that move in proportion.", gear(), Vec::new()),
        named(PartKind::Drive, "A prescribed motion.", Vec::new(), drives()),
        named(PartKind::Rolling, "A disc that rolls without slipping.", rolling(), Vec::new()),
        named(
            PartKind::Skate,
            "A blade: a point that does not move sideways.",
            skate(),
            Vec::new(),
        ),
        named(PartKind::Force, "A force or torque.", Vec::new(), forces()),
        table(
            "signal",
            "Named formulas of time, parameters, channels (`arm.angle`), other signals, states and inputs: \
             `error = \"target - arm.angle\"`. Forces, states and outputs use them by name.",
            Vec::new(),
        ),
        SchemaSection {
            default: Some("equation"),
            ..named(
                PartKind::State,
                "A first-order state, or a controller or filter.",
                Vec::new(),
                states(),
            )
        },
        named(
            PartKind::Input,
            "A value that is set from outside between steps.",
            input(),
            Vec::new(),
        ),
        named(PartKind::Event, "An event: when it happens, and what it does.", event(), Vec::new()),
        table("simulation", "How the motion is computed.", simulation()),
        table("output", "The results that are written.", output()),
    ]
});

/// The section with a key.
pub fn section(key: &str) -> Option<&'static SchemaSection> {
    SECTIONS.iter().find(|section| section.key == key)
}

fn top() -> Vec<SchemaField> {
    vec![
        required("format", ValueKind::Count, "the version of this file format: 2"),
        optional("title", ValueKind::Text, "what the model is, for plots and summaries"),
        optional("planar", ValueKind::Flag, "true: all bodies move in the x–y plane"),
        optional("gravity", ValueKind::Functions, "the acceleration of gravity; none if not given"),
    ]
}

fn table_fields() -> Vec<SchemaField> {
    fn names<T>(all: &[(&'static str, T)]) -> Vec<&'static str> {
        all.iter().map(|(name, _)| *name).collect()
    }
    let interpolations = || [names(&Interpolation::ALL), names(&MapInterpolation::ALL)].concat();
    vec![
        optional(
            "file",
            ValueKind::File,
            "a CSV or Parquet file; CSV begins with a line of names, and separates by commas, semicolons or tabs. The path begins \
             in the folder of the model",
        ),
        required("x", ValueKind::TableAxis, "the variable, in strictly rising order"),
        optional(
            "y",
            ValueKind::TableAxis,
            "for a map: the second variable. In a file, each combination of x and y has one row",
        ),
        required(
            "value",
            ValueKind::TableValues,
            "the values; for a map without a file one row for each x, with one number for each y",
        ),
        optional(
            "interpolation",
            ValueKind::Word(interpolations),
            "linear; for maps bilinear. `pchip` is cubic and rises and falls only where the values do; `spline` and \
             `bicubic` are natural cubic splines",
        ),
        optional(
            "outside",
            ValueKind::Word(|| names(&Outside::ALL)),
            "outside the range: no value (refuse), the last value (hold), or the last tangent (extend); refuse",
        ),
    ]
}

fn simulation() -> Vec<SchemaField> {
    let methods = || {
        let names = |info: &methods::MethodInfo| [&[info.name], info.aliases].concat();
        std::iter::once(AUTO).chain(methods::all().flat_map(names)).collect()
    };
    let formulations = || Formulation::ALL.map(Formulation::name).to_vec();
    let mut fields = vec![
        optional(
            "method",
            ValueKind::Word(methods),
            "the integration method; generalized-alpha, and auto if there is a `tolerance`: the method is then chosen by \
             the parts of the model and the tolerance",
        ),
        optional("step", ValueKind::Number, "the time step"),
        optional("substep", ValueKind::Number, "instead: the time step over the method's stages"),
        optional(
            "tolerance",
            ValueKind::Number,
            "instead of a step: the error of the motion, relative to the size of the mechanism, one radian, and the \
             largest speeds and states so far; steps are chosen accordingly",
        ),
        optional("rtol", ValueKind::Number, "another name of `tolerance`"),
        optional(
            "atol",
            ValueKind::Tolerances,
            "errors that are allowed in addition to `tolerance`: one number, or numbers for `length` (m), `angle` (rad), \
             `speed` (m/s), `angular_speed` (rad/s) and `state`. With `acceleration` (m/s²) or `angular_acceleration` \
             (rad/s²) in the table, errors of accelerations are compared too: steps then resolve undamped vibrations",
        ),
        optional("first_step", ValueKind::Number, "the first step under a `tolerance`"),
        optional("min_step", ValueKind::Number, "the smallest step under a `tolerance`"),
        optional("max_step", ValueKind::Number, "the largest step under a `tolerance`"),
        optional(
            "rescue",
            ValueKind::Flag,
            "true: a step of fixed size that cannot be computed is replaced by shorter ones, and reported",
        ),
        optional("start", ValueKind::Number, "the time at which the motion starts; 0"),
        optional(
            "from",
            ValueKind::Text,
            "`\"static\"`: start at rest in the equilibrium under the loads at the start. Otherwise the folder of the \
             results of another run: start from its last state. The motion begins at the time of that state, and `start` \
             remains the time at which the description holds",
        ),
        optional("end", ValueKind::Number, "the time at which it ends"),
        optional(
            "constraints",
            ValueKind::Word(formulations),
            "which constraints a step enforces; position",
        ),
        optional(
            "newton",
            ValueKind::Newton,
            "options of Newton's method: `tolerance` (1e-10), `iterations` (20), `keep_jacobian` (`\"across-steps\"`, \
             `\"within-stage\"`, or `\"never\"`: a new matrix in every iteration, as the papers print it), `early_end` (true: \
             it ends where its error is negligible beside that of the method), `retry` (true: a stage that has no solution \
             from its prediction is tried from other starts)",
        ),
    ];
    for parameter in methods::all().flat_map(|info| info.parameters) {
        if fields.iter().all(|field| field.key != parameter.name) {
            let kind = match parameter.domain {
                ParameterDomain::Number { .. } => ValueKind::Number,
                ParameterDomain::Count { .. } => ValueKind::Count,
                ParameterDomain::Word(_) => ValueKind::MethodWord(parameter.name),
            };
            fields.push(optional(parameter.name, kind, parameter.meaning));
            if let Some(alias) = parameter.alias() {
                let meaning: &'static str = "another name of the key before";
                fields.push(optional(alias, kind, meaning));
            }
        }
    }
    fields
}

fn output() -> Vec<SchemaField> {
    let channels = "the channels, such as `\"crank.position\"`, `\"A.reaction.force.x\"`, \
                    `\"*.angle\"`; positions, angles, joint coordinates and energies if not given";
    vec![
        optional("channels", ValueKind::Names, channels),
        optional(
            "every",
            ValueKind::RowTimes,
            "the times of rows: an interval in seconds, a list of times, or \"step\" for every step; between steps values \
             are interpolated; \"step\" if not given",
        ),
        optional("stride", ValueKind::Count, "every how many steps a row is written; 1"),
        optional("window", ValueKind::Window, "only rows within these times"),
        optional(
            "snapshots",
            ValueKind::List,
            "times at which all nodes of structures are written, in `snapshots/`",
        ),
    ]
}
