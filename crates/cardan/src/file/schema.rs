//! What may stand in a model file, as tables: they read it, check it, describe it to editors (a JSON
//! Schema) and to people (the reference in the docs).

use std::sync::LazyLock;

use crate::methods::{self, Domain};
use crate::model::{BeamForm, JOINTS, JointInfo, JointKind, Support};
use crate::stage::Formulation;

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
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
}

impl Kind {
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
pub struct Field {
    /// What is written before the equals sign.
    pub key: &'static str,
    /// What stands after it.
    pub kind: Kind,
    /// Whether it must be there.
    pub is_required: bool,
    /// What it means.
    pub says: &'static str,
}

/// One kind of joint, drive or force.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The word after `type =`.
    pub name: &'static str,
    /// What it is.
    pub says: String,
    /// The keys it takes, besides those of its section.
    pub fields: Vec<Field>,
}

/// A table of the file.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name in the file; empty for the keys before all tables.
    pub key: &'static str,
    /// Whether it holds named entries, `[body.crank]`, or is one table.
    pub is_named: bool,
    /// What it is.
    pub says: &'static str,
    /// The keys it takes.
    pub fields: Vec<Field>,
    /// Its kinds, chosen by `type`.
    pub variants: Vec<Variant>,
    /// The kind if no `type` is given.
    pub default: Option<&'static str>,
}

const fn optional(key: &'static str, kind: Kind, says: &'static str) -> Field {
    Field { key, kind, is_required: false, says }
}

const fn required(key: &'static str, kind: Kind, says: &'static str) -> Field {
    Field { key, kind, is_required: true, says }
}

/// Present in all named entries.
const REPEAT: Field = optional(
    "repeat",
    Kind::Count,
    "makes this many of it; formulas may use `i` = 0, 1, …, and names `{i}`, `{i+1}`, …",
);
/// The plane's own keys, said once.
const BETWEEN: Field = required(
    "between",
    Kind::Pair,
    "body 1 and body 2, each `\"body\"` or `\"body.point\"`; `\"ground\"` is the world",
);
const AT: Field =
    optional("at", Kind::Vector, "the place in the world, with the bodies as described");
const JOINT: Field = required(
    "joint",
    Kind::Text,
    "the joint; `\"joint.coordinate\"` for another coordinate than its first",
);
const STIFFNESS: Field =
    optional("stiffness", Kind::Number, "force per length (torque per angle); 0");
const DAMPING: Field = optional("damping", Kind::Number, "force per speed; 0");
const LAW: Field = optional(
    "law",
    Kind::Law,
    "instead of a linear law: the force that pulls back, of `x` (the length or coordinate) and `v` \
     (its rate)",
);

/// Every section, in the order in which people write them.
pub static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let table = |key, says, fields| Section {
        key,
        is_named: false,
        says,
        fields,
        variants: Vec::new(),
        default: None,
    };
    let named = |key, says, mut fields: Vec<Field>, variants| {
        fields.push(REPEAT);
        Section { key, is_named: true, says, fields, variants, default: None }
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
        Section { default: Some("rigid"), ..named("body", "A body.", body(), bodies()) },
        named(
            "beam",
            "A flexible beam along a path, free of stress as described.",
            beam(),
            Vec::new(),
        ),
        Section {
            default: Some("beam"),
            ..named(
                "flexible",
                "A flexible body in a floating frame: it moves far and bends a little. Joints and forces act on \
                 its points.",
                flexible(),
                flexibles(),
            )
        },
        named(
            "structure",
            "A linear structure M q̈ + C q̇ + K q = R(t) of its own, with one displacement a node. Nodes are counted from 0.",
            structure(),
            structures(),
        ),
        named(
            "truss",
            "A straight bar with an axial force only, of Green's strain.",
            truss(),
            Vec::new(),
        ),
        named("joint", "A joint between two bodies.", vec![BETWEEN], joints()),
        named("gear", "Two joint coordinates that move in proportion.", gear(), Vec::new()),
        named("drive", "A prescribed motion.", Vec::new(), drives()),
        named("rolling", "A disc that rolls without slipping.", rolling(), Vec::new()),
        named("skate", "A blade: a point that does not move sideways.", skate(), Vec::new()),
        named("force", "A force or torque.", Vec::new(), forces()),
        table("simulation", "How the motion is computed.", simulation()),
        table("output", "What is written.", output()),
    ]
});

/// The section with a key.
pub fn section(key: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.key == key)
}

impl Section {
    /// The kind with a name.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}

fn top() -> Vec<Field> {
    vec![
        required("format", Kind::Count, "the version of this file format: 1"),
        optional("title", Kind::Text, "what the model is, for plots and summaries"),
        optional("planar", Kind::Flag, "true: all bodies move in the x–y plane"),
        optional("gravity", Kind::Functions, "the acceleration of gravity; none if not given"),
    ]
}

fn body() -> Vec<Field> {
    vec![
        optional("position", Kind::Vector, "where the body's origin is at the start; zero"),
        optional("velocity", Kind::Vector, "velocity of the origin at the start, if known"),
        optional("points", Kind::Points, "named points, from the origin in body axes"),
        optional("weight", Kind::Number, "how firmly it stays in place when joints are closed; 1"),
    ]
}

fn bodies() -> Vec<Variant> {
    let rigid = vec![
        optional("mass", Kind::Number, "the mass; 0"),
        optional("inertia", Kind::Inertia, "about the centre of mass, in body axes; 0"),
        optional("centre", Kind::Vector, "the centre of mass from the origin, body axes; zero"),
        optional("shape", Kind::Shape, "instead of an inertia: a solid about the centre of mass"),
        optional("angle", Kind::Number, "how a planar body is turned at the start; 0"),
        optional("orientation", Kind::Orientation, "how a body is turned at the start"),
        optional("angular_velocity", Kind::Spin, "at the start, body axes, if known"),
    ];
    let point = vec![required("mass", Kind::Number, "the mass")];
    vec![
        Variant { name: "rigid", says: "Has an orientation.".into(), fields: rigid },
        Variant { name: "point-mass", says: "Has no orientation.".into(), fields: point },
    ]
}

fn beam() -> Vec<Field> {
    let forms = || BeamForm::ALL.map(|(name, _)| name).to_vec();
    vec![
        optional(
            "path",
            Kind::Path,
            "places it runs through, straight in between: a vector, or `\"body.point\"`, to which it is \
             fixed there",
        ),
        optional("curve", Kind::Curve, "instead of a path: three formulas of `s` from 0 to 1"),
        optional("start", Kind::Text, "the body to which the start of a curve is fixed"),
        optional("end", Kind::Text, "the body to which the end of a curve is fixed"),
        optional("elements", Kind::Counts, "how many elements between each place and the next; 1"),
        optional("nodes", Kind::Count, "nodes of an element, 2 or 3; 3"),
        optional("form", Kind::Word(forms), "how stresses act on nodes; galerkin"),
        optional(
            "rotations",
            Kind::Word(|| vec!["rotation-vector", "cayley"]),
            "how rotations are interpolated, cayley in the finite-volume form only; rotation-vector",
        ),
        optional(
            "stiffness",
            Kind::Stiffness,
            "EA, GA along axis 2, GA along axis 3, GJ, EJ about axis 2, EJ about axis 3, or a matrix",
        ),
        optional("mass", Kind::Number, "mass per length"),
        optional("inertia", Kind::Inertias, "moments of inertia per length about axes 1, 2, 3"),
        optional(
            "profile",
            Kind::Profile,
            "instead of these: the outline of the section, with `young`, `poisson`, `density`",
        ),
        optional("young", Kind::Number, "Young's modulus"),
        optional("poisson", Kind::Number, "Poisson's ratio"),
        optional("density", Kind::Number, "mass per volume"),
        optional(
            "damping",
            Kind::Viscosity,
            "viscosity of the section: a time that multiplies the stiffness, or a matrix; 0",
        ),
        optional("centre", Kind::Aside, "the section's centre of mass, along axes 2 and 3; 0"),
        optional(
            "across",
            Kind::Vector,
            "a direction in world axes to which axis 2 is as near as it can; without it axis 3 is as near \
             to z as it can, and of a beam along z axis 2 is y",
        ),
        optional("offset", Kind::Aside, "of the beam from its path, along axes 2 and 3; 0"),
        optional("points", Kind::Numbers, "named points, from 0 at the start to 1 at the end"),
        optional("velocity", Kind::Vector, "velocity of its start at the beginning, if known"),
        optional("angular_velocity", Kind::Spin, "of the whole beam then, world axes, if known"),
        optional(
            "residual_flexibility",
            Kind::Flag,
            "two nodes only: softer in shear, so that an end load bends an element as far as it should",
        ),
        optional(
            "lumping",
            Kind::Word(|| vec!["points", "volumes"]),
            "two nodes only: where the masses are; points",
        ),
    ]
}

fn flexible() -> Vec<Field> {
    vec![
        optional("position", Kind::Vector, "where the frame's origin is at the start; zero"),
        optional("angle", Kind::Number, "how the frame of a planar body is turned at the start; 0"),
        optional(
            "orientation",
            Kind::Orientation,
            "how the frame of a body is turned at the start",
        ),
        optional("velocity", Kind::Vector, "velocity of the frame's origin at the start, if known"),
        optional(
            "angular_velocity",
            Kind::Spin,
            "of the frame at the start, its own axes, if known",
        ),
        optional("weight", Kind::Number, "how firmly it stays in place when joints are closed; 1"),
        optional("amplitudes", Kind::List, "of the modes at the start; zero"),
        optional("rates", Kind::List, "of these amplitudes at the start; zero"),
    ]
}

fn flexibles() -> Vec<Variant> {
    let supports = || Support::ALL.map(|(word, _)| word).to_vec();
    let wanted =
        ["stiffness", "mass", "inertia", "profile", "young", "poisson", "density", "centre"];
    let mut of_beam = vec![
        required("length", Kind::Number, "its length, from the frame's origin along x"),
        required(
            "modes",
            Kind::Count,
            "how many modes bend it; in space along y and as many along z",
        ),
        optional("axial", Kind::Count, "how many modes stretch it; 0"),
        optional("torsion", Kind::Count, "how many modes twist it; 0"),
        optional(
            "support",
            Kind::Word(supports),
            "which modes: pinned has both ends on the x axis, clamped has its start fixed in the frame, free \
             has the mean frame of the body; pinned",
        ),
        optional(
            "points",
            Kind::Numbers,
            "named points from 0 to 1 along it, besides start, mid and end",
        ),
        optional("damping", Kind::Number, "damping ratio of its modes; 0"),
    ];
    of_beam.extend(beam().into_iter().filter(|field| wanted.contains(&field.key)));
    let of_elements = vec![
        required("mass_matrix", Kind::File, "Matrix Market file, beside this one"),
        required("stiffness_matrix", Kind::File, "likewise, of the free body"),
        required(
            "nodes",
            Kind::File,
            "likewise: the place of each node in a row. Its coordinates in the matrices are x, y (and a \
             rotation) in the plane, x, y, z (and three rotations) in space",
        ),
        required(
            "interfaces",
            Kind::Interfaces,
            "named points: a node counted from 0, or several that count as one on average",
        ),
        optional("modes", Kind::Count, "how many modes with the interfaces held; 0"),
        optional("damping", Kind::Number, "damping ratio of its modes; 0"),
    ];
    vec![
        Variant { name: "beam", says: "A straight uniform beam with analytic modes.".into(), fields: of_beam },
        Variant {
            name: "finite-elements",
            says: "A finite element model, reduced to the motions of its interfaces and some modes (Craig and \
                   Bampton)."
                .into(),
            fields: of_elements,
        },
    ]
}

fn structure() -> Vec<Field> {
    vec![
        optional("points", Kind::Nodes, "named nodes: a number, on a bar x, on a membrane [x, y]"),
        optional(
            "fixed",
            Kind::Names,
            "nodes that do not move; edges of a membrane: left, right, bottom, top",
        ),
        optional("loads", Kind::NamedFunctions, "loads on nodes"),
        optional("drives", Kind::NamedFunctions, "prescribed displacements of nodes"),
        optional("displacements", Kind::Numbers, "of nodes at the start; 0"),
        optional("velocities", Kind::Numbers, "of nodes at the start; 0"),
        optional(
            "proportional_damping",
            Kind::Window,
            "two factors: of the mass and of the stiffness matrix; 0",
        ),
    ]
}

fn structures() -> Vec<Variant> {
    let lumping = || {
        optional(
            "lumping",
            Kind::Word(|| vec!["consistent", "lumped"]),
            "how elements share their mass among nodes; consistent",
        )
    };
    let exact = |says| optional("exact", Kind::Flag, says);
    let bar = vec![
        required("length", Kind::Number, "its length"),
        required("elements", Kind::Count, "number of two-node elements"),
        required("stiffness", Kind::Number, "EA"),
        required("mass", Kind::Number, "mass per length"),
        lumping(),
        exact(
            "true: writes the exact solution beside; for a bar fixed at its start, loaded at its end",
        ),
    ];
    let membrane = vec![
        required("sides", Kind::Window, "its sides along x and y"),
        required(
            "elements",
            Kind::Counts,
            "number of four-node elements along a side, or along x and y",
        ),
        required("tension", Kind::Number, "force per length"),
        required("mass", Kind::Number, "mass per area"),
        lumping(),
        exact(
            "true: writes the exact solution beside; for a quarter of an unbounded membrane with a quarter of \
             the load at the origin",
        ),
    ];
    let masses = vec![
        required("masses", Kind::Numbers, "named masses"),
        optional(
            "springs",
            Kind::Springs,
            "two ends (a mass or `\"ground\"`), a stiffness, a damping if any",
        ),
    ];
    let matrices = vec![
        required("mass_matrix", Kind::File, "Matrix Market file, beside this one"),
        required("stiffness_matrix", Kind::File, "likewise"),
        optional("damping_matrix", Kind::File, "likewise"),
    ];
    vec![
        Variant {
            name: "bar",
            says: "A straight bar that moves along itself; its points are start, mid and end.".into(),
            fields: bar,
        },
        Variant {
            name: "membrane",
            says: "A stretched rectangle that moves across itself; its points are the corners origin, right, \
                   top and corner."
                .into(),
            fields: membrane,
        },
        Variant { name: "masses", says: "Masses with springs between them.".into(), fields: masses },
        Variant { name: "matrices", says: "Matrices from files.".into(), fields: matrices },
    ]
}

fn truss() -> Vec<Field> {
    vec![
        required("between", Kind::Pair, "its ends, each `\"body\"` or `\"body.point\"`"),
        required("stiffness", Kind::Number, "EA"),
        optional("mass", Kind::Number, "mass per length; 0"),
        optional("length", Kind::Number, "the relaxed length; that at the start"),
        optional(
            "mass_matrix",
            Kind::Word(|| vec!["lumped", "consistent"]),
            "half the mass at each end, or that of linear interpolation (between point masses); lumped",
        ),
    ]
}

/// The keys of a kind of joint follow from what the registry says of it.
fn joints() -> Vec<Variant> {
    JOINTS
        .iter()
        .map(|info| Variant {
            name: info.name,
            says: format!("Allows {}.", info.allows),
            fields: joint(info),
        })
        .collect()
}

fn joint(info: &JointInfo) -> Vec<Field> {
    let mut fields = vec![AT];
    if info.kind == JointKind::Universal {
        let says = "the directions of the pins on body 1 and body 2, in world axes";
        fields.push(optional("pins", Kind::Vectors, says));
    } else if info.axis.is_some() {
        let says = "its direction in world axes, with the bodies as described";
        fields.push(optional("axis", Kind::Vector, says));
    }
    if info.axis.is_some() {
        let says = "instead: its direction in the axes of each body, for orientations that are only \
                    known roughly";
        fields.push(optional("axes_on_bodies", Kind::Vectors, says));
    }
    if info.kind == JointKind::Distance {
        let says = "the distance, which may depend on time; as described";
        fields.push(optional("length", Kind::Function, says));
    }
    if !info.coordinates.is_empty() {
        let says = "added to its first coordinate; without it an angle is 0 as described, and a \
                    translation where the two points meet";
        fields.push(optional("offset", Kind::Number, says));
        let says = "the rate of its first coordinate at the start, if known";
        fields.push(optional("rate", Kind::Number, says));
    }
    if info.coordinates.len() > 1 {
        let says = "rates of its coordinates at the start, by name";
        fields.push(optional("rates", Kind::Numbers, says));
    }
    fields
}

fn gear() -> Vec<Field> {
    vec![
        required("joints", Kind::Pair, "two joints, each `\"joint\"` or `\"joint.coordinate\"`"),
        required("ratio", Kind::Number, "how far the second moves when the first moves by one"),
    ]
}

fn drives() -> Vec<Variant> {
    let value = |says| vec![JOINT, required("value", Kind::Function, says)];
    let along = |key| optional(key, Kind::Function, "this coordinate of it; free if not given");
    let anchor = required("point", Kind::Text, "the point, `\"body.point\"`, or the body's origin");
    let variant = |name, says: &str, fields| Variant { name, says: says.into(), fields };
    vec![
        variant("angle", "A joint's angle as a function of time.", value("the angle")),
        variant("translation", "A joint's translation.", value("the translation")),
        variant("angular-velocity", "The rate of a joint's angle.", value("the rate")),
        variant("speed", "The rate of a joint's translation.", value("the rate")),
        variant(
            "point",
            "The position of a point in the world.",
            vec![anchor, along("x"), along("y"), along("z")],
        ),
    ]
}

fn rolling() -> Vec<Field> {
    vec![
        required("centre", Kind::Text, "the body, or `\"body.point\"`, about which the disc is"),
        required("radius", Kind::Number, "the radius"),
        optional(
            "axis",
            Kind::Vector,
            "the disc's axis in world axes at the start; z in the plane",
        ),
        optional("plane_point", Kind::Vector, "a point of the plane it rolls on; the origin"),
        optional("plane_normal", Kind::Vector, "the plane's normal; z, for planar bodies y"),
    ]
}

fn skate() -> Vec<Field> {
    vec![
        required("point", Kind::Text, "the point, `\"body.point\"`, or the body's origin"),
        required("across", Kind::Vector, "the direction in which it does not move, at the start"),
    ]
}

fn forces() -> Vec<Variant> {
    let variant = |name, says: &str, fields| Variant { name, says: says.into(), fields };
    let follows = optional("following", Kind::Flag, "true: in body axes instead of world axes");
    let rest = |says| optional("rest", Kind::Number, says);
    vec![
        variant(
            "spring",
            "A spring and damper between two points.",
            vec![BETWEEN, STIFFNESS, DAMPING, rest("the relaxed length; that at the start"), LAW],
        ),
        variant(
            "joint-spring",
            "A spring and damper along a joint's coordinate.",
            vec![JOINT, STIFFNESS, DAMPING, rest("where it is relaxed; 0"), LAW],
        ),
        variant(
            "motor",
            "A torque or force along a joint's coordinate.",
            vec![JOINT, required("value", Kind::Function, "the torque or force on body 2")],
        ),
        variant(
            "bushing",
            "Six springs and dampers between two bodies, relaxed as described.",
            vec![
                BETWEEN,
                AT,
                optional("stiffness", Kind::Six, "along x, y, z and about x, y, z of body 1"),
                optional("damping", Kind::Six, "likewise"),
                optional("damping_factor", Kind::Function, "multiplies the damping; 1"),
            ],
        ),
        variant(
            "load",
            "A force at a point of a body.",
            vec![
                required("point", Kind::Text, "where it acts, `\"body.point\"`, or the origin"),
                required("force", Kind::Functions, "its components"),
                follows,
            ],
        ),
        variant(
            "distributed",
            "A force per length of a beam.",
            vec![
                required("beam", Kind::Text, "the beam"),
                required("force", Kind::Functions, "its components per length"),
                optional("following", Kind::Flag, "true: in section axes instead of world axes"),
            ],
        ),
        variant(
            "torque",
            "A torque on a body.",
            vec![
                required("body", Kind::Text, "the body"),
                required("torque", Kind::Torque, "its components; in the plane one function"),
                follows,
            ],
        ),
        variant(
            "friction",
            "Dry friction in a revolute or prismatic joint, from its own reaction.",
            vec![
                JOINT,
                required("coefficient", Kind::Number, "the coefficient of friction"),
                optional("radius", Kind::Number, "the radius of a revolute joint's bearing"),
                optional("speed", Kind::Number, "the sliding speed at which it builds up; 1e-3"),
            ],
        ),
    ]
}

fn simulation() -> Vec<Field> {
    let methods = || {
        let names = |info: &methods::MethodInfo| [&[info.name], info.aliases].concat();
        methods::all().flat_map(names).collect()
    };
    let formulations = || Formulation::ALL.map(Formulation::name).to_vec();
    let mut fields = vec![
        optional("method", Kind::Word(methods), "the integration method; generalized-alpha"),
        optional("step", Kind::Number, "the time step"),
        optional("substep", Kind::Number, "instead: the time step over the method's stages"),
        optional("start", Kind::Number, "the time at which the motion starts; 0"),
        optional("end", Kind::Number, "the time at which it ends"),
        optional(
            "constraints",
            Kind::Word(formulations),
            "which constraints a step enforces; position",
        ),
        optional("newton", Kind::Newton, "Newton's `tolerance` (1e-10) and `iterations` (20)"),
    ];
    for parameter in methods::all().flat_map(|info| info.parameters) {
        if fields.iter().all(|field| field.key != parameter.name) {
            let kind = match parameter.domain {
                Domain::Number { .. } => Kind::Number,
                Domain::Count { .. } => Kind::Count,
                Domain::Word(_) => Kind::MethodWord(parameter.name),
            };
            fields.push(optional(parameter.name, kind, parameter.meaning));
        }
    }
    fields
}

fn output() -> Vec<Field> {
    let channels = "the channels, such as `\"crank.position\"`, `\"A.reaction.force.x\"`, \
                    `\"*.angle\"`; positions, angles, joint coordinates and energies if not given";
    vec![
        optional("channels", Kind::Names, channels),
        optional("stride", Kind::Count, "every how many steps a row is written; 1"),
        optional("window", Kind::Window, "only rows within these times"),
        optional(
            "snapshots",
            Kind::List,
            "times at which all nodes of structures are written, in `snapshots/`",
        ),
    ]
}
