//! Keys of bodies: rigid ones, beams, trusses, flexible bodies, structures.

use super::field::{SchemaField, SchemaVariant, ValueKind, optional, required};
use crate::model::{BeamForm, Support};

pub(super) fn body() -> Vec<SchemaField> {
    vec![
        optional("position", ValueKind::Vector, "where the body's origin is at the start; zero"),
        optional("velocity", ValueKind::Vector, "velocity of the origin at the start, if known"),
        optional("points", ValueKind::Points, "named points, from the origin in body axes"),
        optional(
            "assembly_weight",
            ValueKind::Number,
            "weight in the least-squares assembly: a body with a larger weight moves less when joints are closed; 1",
        ),
    ]
}

pub(super) fn bodies() -> Vec<SchemaVariant> {
    let rigid = vec![
        optional("mass", ValueKind::Number, "the mass; 0"),
        optional("inertia", ValueKind::Inertia, "about the centre of mass, in body axes; 0"),
        optional(
            "centre",
            ValueKind::Vector,
            "the centre of mass from the origin, body axes; zero",
        ),
        optional(
            "shape",
            ValueKind::Shape,
            "instead of an inertia: a solid, whose centre of mass is that of the body; with `centre` it is moved there",
        ),
        optional(
            "shapes",
            ValueKind::Shapes,
            "several solids from the origin in body axes. Those with a density give mass, centre and inertia together; without \
             any density, the `mass` of a body without `inertia` is divided by volume. With `inertia` or `shape` they are \
             only drawn",
        ),
        optional("angle", ValueKind::Number, "how a planar body is turned at the start; 0"),
        optional("orientation", ValueKind::Orientation, "how a body is turned at the start"),
        optional("angular_velocity", ValueKind::Spin, "at the start, body axes, if known"),
    ];
    let point = vec![
        required("mass", ValueKind::Number, "the mass"),
        optional("shapes", ValueKind::Shapes, "solids with which it is drawn, in world axes"),
    ];
    vec![
        SchemaVariant { name: "rigid", description: "Has an orientation.".into(), fields: rigid },
        SchemaVariant {
            name: "point-mass",
            description: "Has no orientation.".into(),
            fields: point,
        },
    ]
}

pub(super) fn beam() -> Vec<SchemaField> {
    let forms = || BeamForm::ALL.map(|(name, _)| name).to_vec();
    vec![
        optional(
            "path",
            ValueKind::Path,
            "places it runs through, straight in between: a vector, or `\"body.point\"`, to which it is \
             fixed there",
        ),
        optional("curve", ValueKind::Curve, "instead of a path: three formulas of `s` from 0 to 1"),
        optional("start", ValueKind::Text, "the body to which the start of a curve is fixed"),
        optional("end", ValueKind::Text, "the body to which the end of a curve is fixed"),
        optional(
            "elements",
            ValueKind::Counts,
            "how many elements between each place and the next; 1",
        ),
        optional("nodes", ValueKind::Count, "nodes of an element, 2 or 3; 3"),
        optional("form", ValueKind::Word(forms), "how stresses act on nodes; galerkin"),
        optional(
            "rotations",
            ValueKind::Word(|| vec!["rotation-vector", "cayley"]),
            "how rotations are interpolated, cayley in the finite-volume form only; rotation-vector",
        ),
        optional(
            "stiffness",
            ValueKind::Stiffness,
            "EA, GA along axis 2, GA along axis 3, GJ, EJ about axis 2, EJ about axis 3, or a matrix",
        ),
        optional("mass", ValueKind::Number, "mass per length"),
        optional(
            "inertia",
            ValueKind::Inertias,
            "moments of inertia per length about axes 1, 2, 3",
        ),
        optional(
            "profile",
            ValueKind::Profile,
            "instead of these: the outline of the section, with `young`, `poisson`, `density`",
        ),
        optional("young", ValueKind::Number, "Young's modulus"),
        optional("poisson", ValueKind::Number, "Poisson's ratio"),
        optional("density", ValueKind::Number, "mass per volume"),
        optional(
            "damping",
            ValueKind::Viscosity,
            "viscosity of the section: a time that multiplies the stiffness, or a matrix; 0",
        ),
        optional("centre", ValueKind::Aside, "the section's centre of mass, along axes 2 and 3; 0"),
        optional(
            "axis_2",
            ValueKind::Vector,
            "the direction of axis 2 in world axes, made perpendicular to the beam; by default axis 3 is as near to \
             z as possible, and for a beam along z, axis 2 is y",
        ),
        optional("offset", ValueKind::Aside, "of the beam from its path, along axes 2 and 3; 0"),
        optional("points", ValueKind::Numbers, "named points, from 0 at the start to 1 at the end"),
        optional(
            "velocity",
            ValueKind::Vector,
            "velocity of its first point at the start, if known",
        ),
        optional(
            "angular_velocity",
            ValueKind::Spin,
            "of the whole beam at the start, world axes, if known",
        ),
        optional(
            "residual_flexibility",
            ValueKind::Flag,
            "two nodes only: softer in shear, so that the deflection of an element under an end load is exact",
        ),
        optional(
            "lumping",
            ValueKind::Word(|| vec!["points", "volumes"]),
            "two nodes only: where the masses are; points",
        ),
    ]
}

pub(super) fn flexible() -> Vec<SchemaField> {
    vec![
        optional("position", ValueKind::Vector, "where the frame's origin is at the start; zero"),
        optional(
            "angle",
            ValueKind::Number,
            "how the frame of a planar body is turned at the start; 0",
        ),
        optional(
            "orientation",
            ValueKind::Orientation,
            "how the frame of a body is turned at the start",
        ),
        optional(
            "velocity",
            ValueKind::Vector,
            "velocity of the frame's origin at the start, if known",
        ),
        optional(
            "angular_velocity",
            ValueKind::Spin,
            "of the frame at the start, its own axes, if known",
        ),
        optional(
            "assembly_weight",
            ValueKind::Number,
            "weight in the least-squares assembly: a body with a larger weight moves less when joints are closed; 1",
        ),
        optional("amplitudes", ValueKind::List, "of the modes at the start; zero"),
        optional("rates", ValueKind::List, "of these amplitudes at the start; zero"),
    ]
}

pub(super) fn flexibles() -> Vec<SchemaVariant> {
    let supports = || Support::ALL.map(|(word, _)| word).to_vec();
    let wanted =
        ["stiffness", "mass", "inertia", "profile", "young", "poisson", "density", "centre"];
    let mut of_beam = vec![
        required("length", ValueKind::Number, "its length, from the frame's origin along x"),
        required(
            "modes",
            ValueKind::Count,
            "how many modes bend it; in space along y and as many along z",
        ),
        optional("axial", ValueKind::Count, "how many modes stretch it; 0"),
        optional("torsion", ValueKind::Count, "how many modes twist it; 0"),
        optional(
            "support",
            ValueKind::Word(supports),
            "which modes: pinned has both ends on the x axis, clamped has its start fixed in the frame, free \
             has the mean frame of the body; pinned",
        ),
        optional(
            "points",
            ValueKind::Numbers,
            "named points from 0 to 1 along it, in addition to start, mid and end",
        ),
        optional("damping", ValueKind::Number, "damping ratio of its modes; 0"),
    ];
    of_beam.extend(beam().into_iter().filter(|field| wanted.contains(&field.key)));
    let of_elements = vec![
        required("mass_matrix", ValueKind::File, "Matrix Market file, in the folder of this file"),
        required(
            "stiffness_matrix",
            ValueKind::File,
            "Matrix Market file of the free body, in the folder of this file",
        ),
        required(
            "nodes",
            ValueKind::File,
            "Matrix Market file: the place of each node in a row. Its coordinates in the matrices are x, y (and a \
             rotation) in the plane, x, y, z (and three rotations) in space",
        ),
        required(
            "interfaces",
            ValueKind::Interfaces,
            "named points: a node counted from 0, or several nodes whose mean motion is used",
        ),
        optional("modes", ValueKind::Count, "how many modes with the interfaces held; 0"),
        optional("damping", ValueKind::Number, "damping ratio of its modes; 0"),
    ];
    vec![
        SchemaVariant { name: "beam", description: "A straight uniform beam with analytic modes.".into(), fields: of_beam },
        SchemaVariant {
            name: "finite-elements",
            description: "A finite element model, reduced to the motions of its interfaces and some modes (Craig and \
                   Bampton)."
                .into(),
            fields: of_elements,
        },
    ]
}

pub(super) fn structure() -> Vec<SchemaField> {
    vec![
        optional(
            "points",
            ValueKind::Nodes,
            "named nodes: a number, on a bar x, on a membrane [x, y]",
        ),
        optional(
            "fixed",
            ValueKind::Names,
            "nodes that do not move; edges of a membrane: left, right, bottom, top",
        ),
        optional("loads", ValueKind::NamedFunctions, "loads on nodes"),
        optional("drives", ValueKind::NamedFunctions, "prescribed displacements of nodes"),
        optional(
            "ties",
            ValueKind::Ties,
            "linear constraints: `{ factors = { a = 1, b = -2 }, value = 0 }` is a = 2 b; the value may depend \
             on time",
        ),
        optional("displacements", ValueKind::Numbers, "of nodes at the start; 0"),
        optional("velocities", ValueKind::Numbers, "of nodes at the start, if known"),
        optional(
            "proportional_damping",
            ValueKind::Window,
            "two factors: of the mass and of the stiffness matrix; 0",
        ),
    ]
}

pub(super) fn structures() -> Vec<SchemaVariant> {
    let lumping = || {
        optional(
            "lumping",
            ValueKind::Word(|| vec!["consistent", "lumped"]),
            "how elements share their mass among nodes; consistent",
        )
    };
    let exact = |description| optional("exact", ValueKind::Flag, description);
    let bar = vec![
        required("length", ValueKind::Number, "its length"),
        required("elements", ValueKind::Count, "number of two-node elements"),
        required("stiffness", ValueKind::Number, "EA"),
        required("mass", ValueKind::Number, "mass per length"),
        lumping(),
        exact(
            "true: also writes the exact solution; for a bar fixed at its start, loaded at its end",
        ),
    ];
    let membrane = vec![
        required("sides", ValueKind::Window, "its sides along x and y"),
        required(
            "elements",
            ValueKind::Counts,
            "number of four-node elements along a side, or along x and y",
        ),
        required("tension", ValueKind::Number, "force per length"),
        required("mass", ValueKind::Number, "mass per area"),
        lumping(),
        exact(
            "true: also writes the exact solution; for a quarter of an unbounded membrane with a quarter of \
             the load at the origin",
        ),
    ];
    let masses = vec![
        required("masses", ValueKind::Numbers, "named masses"),
        optional(
            "springs",
            ValueKind::Springs,
            "two ends (a mass or `\"ground\"`), a stiffness, a damping if any",
        ),
    ];
    let matrices = vec![
        required("mass_matrix", ValueKind::File, "Matrix Market file, in the folder of this file"),
        required("stiffness_matrix", ValueKind::File, "Matrix Market file"),
        optional("damping_matrix", ValueKind::File, "Matrix Market file"),
    ];
    vec![
        SchemaVariant {
            name: "bar",
            description: "A straight bar with axial displacements; its points are start, mid and end.".into(),
            fields: bar,
        },
        SchemaVariant {
            name: "membrane",
            description: "A stretched rectangle with displacements normal to its plane; its points are the corners origin, right, \
                   top and corner."
                .into(),
            fields: membrane,
        },
        SchemaVariant { name: "masses", description: "Masses with springs between them.".into(), fields: masses },
        SchemaVariant { name: "matrices", description: "Matrices from files.".into(), fields: matrices },
    ]
}

pub(super) fn truss() -> Vec<SchemaField> {
    vec![
        required("between", ValueKind::Pair, "its ends, each `\"body\"` or `\"body.point\"`"),
        required("stiffness", ValueKind::Number, "EA"),
        optional("mass", ValueKind::Number, "mass per length; 0"),
        optional("length", ValueKind::Number, "the relaxed length; that at the start"),
        optional(
            "mass_matrix",
            ValueKind::Word(|| vec!["lumped", "consistent"]),
            "half the mass at each end, or that of linear interpolation (between point masses); lumped",
        ),
    ]
}
