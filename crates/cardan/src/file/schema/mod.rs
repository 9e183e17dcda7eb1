//! What may stand in a model file, as tables: they read it, check it, describe it to editors (a JSON
//! Schema) and to people (the reference in the docs).

mod bodies;
mod connections;

use std::sync::LazyLock;

use crate::model::PartKind;
use bodies::{beam, bodies, body, flexible, flexibles, structure, structures, truss};
use cardan_core::methods::{self, ParameterDomain};
use cardan_core::stage::Formulation;
use connections::{BETWEEN, drives, forces, gear, joints, rolling, skate};

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// A number, or a formula of parameters.
    Number,
    /// A whole number, or a formula that gives one.
    Count,
    /// A number, or a formula of time and parameters.
    Function,
    /// A force law: a formula of `x` and `v`.
    Law,
    /// Three numbers, in the plane two.
    Vector,
    /// Three functions of time, in the plane two.
    Functions,
    /// Two vectors.
    Vectors,
    /// Text.
    Text,
    /// Yes or no.
    Flag,
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    /// One of the words that a parameter of the methods can be.
    MethodWord(&'static str),
    /// Two names.
    Pair,
    /// Names, possibly with `*`.
    Names,
    /// Two times, from and to.
    Window,
    /// Named points.
    Points,
    /// A number for each name.
    Numbers,
    /// A rotation.
    Orientation,
    /// Inertia about the centre of mass.
    Inertia,
    /// A solid.
    Shape,
    /// Six numbers, or a 6×6 matrix.
    Six,
    /// An angular velocity: three numbers, in the plane one.
    Spin,
    /// Three functions of time, in the plane one.
    Torque,
    /// Newton's tolerance and limit.
    Newton,
    /// Places from which to which a beam runs.
    Path,
    /// Three formulas of `s`.
    Curve,
    /// A whole number, or one for each part of a path.
    Counts,
    /// The outline of a section.
    Profile,
    /// Six stiffnesses or a 6×6 matrix, in the plane three.
    Stiffness,
    /// A number, or a 6×6 matrix.
    Viscosity,
    /// Two numbers across a beam, in the plane one.
    Aside,
    /// Three moments of inertia per length, in the plane one.
    Inertias,
    /// A path to a file.
    File,
    /// Numbers.
    List,
    /// A function of time for each name.
    NamedFunctions,
    /// A node, or several, for each name.
    Interfaces,
    /// A node by its number or place, for each name.
    Nodes,
    /// Springs: two names, a stiffness, a damping.
    Springs,
    /// Linear constraints: factors of nodes, and what their sum is.
    Ties,
}

impl ValueKind {
    /// The words it can be, if it is one of some.
    pub fn words(self) -> Option<Vec<&'static str>> {
        match self {
            Self::Word(words) => Some(words()),
            Self::MethodWord(parameter) => Some(methods::words(parameter)),
            _ => None,
        }
    }
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct SchemaField {
    /// What is written before the equals sign.
    pub key: &'static str,
    /// What stands after it.
    pub kind: ValueKind,
    /// Whether it must be there.
    pub is_required: bool,
    /// What it means.
    pub description: &'static str,
}

/// One kind of joint, drive or force.
#[derive(Clone, Debug)]
pub struct SchemaVariant {
    /// The word after `type =`.
    pub name: &'static str,
    /// What it is.
    pub description: String,
    /// The keys it takes, besides those of its section.
    pub fields: Vec<SchemaField>,
}

/// A table of the file.
#[derive(Clone, Debug)]
pub struct SchemaSection {
    /// Its name in the file; empty for the keys before all tables.
    pub key: &'static str,
    /// The kind of its named entries, `[body.crank]`; `None` if it is one table.
    pub part: Option<PartKind>,
    /// What it is.
    pub description: &'static str,
    /// The keys it takes.
    pub fields: Vec<SchemaField>,
    /// Its kinds, chosen by `type`.
    pub variants: Vec<SchemaVariant>,
    /// The kind if no `type` is given.
    pub default: Option<&'static str>,
}

pub(super) const fn optional(
    key: &'static str,
    kind: ValueKind,
    says: &'static str,
) -> SchemaField {
    SchemaField { key, kind, is_required: false, description: says }
}

pub(super) const fn required(
    key: &'static str,
    kind: ValueKind,
    says: &'static str,
) -> SchemaField {
    SchemaField { key, kind, is_required: true, description: says }
}

/// Present in all named entries.
const REPEAT: SchemaField = optional(
    "repeat",
    ValueKind::Count,
    "makes this many of it; formulas may use `i` = 0, 1, …, and names `{i}`, `{i+1}`, …",
);
/// Every section, in the order in which people write them.
pub static SECTIONS: LazyLock<Vec<SchemaSection>> = LazyLock::new(|| {
    let table = |key, says, fields| SchemaSection {
        key,
        part: None,
        description: says,
        fields,
        variants: Vec::new(),
        default: None,
    };
    let named = |part: PartKind, says, mut fields: Vec<SchemaField>, variants| {
        fields.push(REPEAT);
        SchemaSection {
            key: part.key(),
            part: Some(part),
            description: says,
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
        table("points", "Named points on the ground: `name = [x, y, z]`.", Vec::new()),
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
            "A linear structure M q̈ + C q̇ + K q = R(t) of its own, with one displacement a node. Nodes are counted from 0.",
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
        table("simulation", "How the motion is computed.", simulation()),
        table("output", "What is written.", output()),
    ]
});

/// The section with a key.
pub fn section(key: &str) -> Option<&'static SchemaSection> {
    SECTIONS.iter().find(|section| section.key == key)
}

impl SchemaSection {
    /// Whether it holds named entries, `[body.crank]`, or is one table.
    pub fn is_named(&self) -> bool {
        self.part.is_some()
    }

    /// The kind with a name.
    pub fn variant(&self, name: &str) -> Option<&SchemaVariant> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}

fn top() -> Vec<SchemaField> {
    vec![
        required("format", ValueKind::Count, "the version of this file format: 1"),
        optional("title", ValueKind::Text, "what the model is, for plots and summaries"),
        optional("planar", ValueKind::Flag, "true: all bodies move in the x–y plane"),
        optional("gravity", ValueKind::Functions, "the acceleration of gravity; none if not given"),
    ]
}

fn simulation() -> Vec<SchemaField> {
    let methods = || {
        let names = |info: &methods::MethodInfo| [&[info.name], info.aliases].concat();
        methods::all().flat_map(names).collect()
    };
    let formulations = || Formulation::ALL.map(Formulation::name).to_vec();
    let mut fields = vec![
        optional("method", ValueKind::Word(methods), "the integration method; generalized-alpha"),
        optional("step", ValueKind::Number, "the time step"),
        optional("substep", ValueKind::Number, "instead: the time step over the method's stages"),
        optional("start", ValueKind::Number, "the time at which the motion starts; 0"),
        optional("end", ValueKind::Number, "the time at which it ends"),
        optional(
            "constraints",
            ValueKind::Word(formulations),
            "which constraints a step enforces; position",
        ),
        optional("newton", ValueKind::Newton, "Newton's `tolerance` (1e-10) and `iterations` (20)"),
    ];
    for parameter in methods::all().flat_map(|info| info.parameters) {
        if fields.iter().all(|field| field.key != parameter.name) {
            let kind = match parameter.domain {
                ParameterDomain::Number { .. } => ValueKind::Number,
                ParameterDomain::Count { .. } => ValueKind::Count,
                ParameterDomain::Word(_) => ValueKind::MethodWord(parameter.name),
            };
            fields.push(optional(parameter.name, kind, parameter.meaning));
        }
    }
    fields
}

fn output() -> Vec<SchemaField> {
    let channels = "the channels, such as `\"crank.position\"`, `\"A.reaction.force.x\"`, \
                    `\"*.angle\"`; positions, angles, joint coordinates and energies if not given";
    vec![
        optional("channels", ValueKind::Names, channels),
        optional("stride", ValueKind::Count, "every how many steps a row is written; 1"),
        optional("window", ValueKind::Window, "only rows within these times"),
        optional(
            "snapshots",
            ValueKind::List,
            "times at which all nodes of structures are written, in `snapshots/`",
        ),
    ]
}
