//! Keys of what acts between bodies: joints, gears, drives, discs, blades, forces.

use super::field::{SchemaField, SchemaVariant, ValueKind, optional, required};
use crate::model::{JOINTS, JointInfo, JointKind};

/// The key of the two bodies.
pub(super) const BETWEEN: SchemaField = required(
    "between",
    ValueKind::Pair,
    "body 1 and body 2, each `\"body\"` or `\"body.point\"`; `\"ground\"` is the world",
);
const AT: SchemaField =
    optional("at", ValueKind::Vector, "the place in the world, with the bodies as described");
const JOINT: SchemaField = required(
    "joint",
    ValueKind::Text,
    "the joint; `\"joint.coordinate\"` for a coordinate other than its first",
);
const STIFFNESS: SchemaField =
    optional("stiffness", ValueKind::Number, "force per length (torque per angle); 0");
const DAMPING: SchemaField = optional("damping", ValueKind::Number, "force per speed; 0");
const LAW: SchemaField = optional(
    "law",
    ValueKind::Law,
    "instead of a linear law: the force that pulls back, of `x` (the length or coordinate) and `v` \
     (its rate)",
);

/// The kinds of joints; their keys follow from the registry of joints.
pub(super) fn joints() -> Vec<SchemaVariant> {
    JOINTS
        .iter()
        .map(|info| SchemaVariant {
            name: info.name,
            description: format!("Allows {}.", info.allows),
            fields: joint(info),
        })
        .collect()
}

pub(super) fn joint(info: &JointInfo) -> Vec<SchemaField> {
    let mut fields = vec![AT];
    if info.kind == JointKind::Universal {
        let description = "the directions of the pins on body 1 and body 2, in world axes";
        fields.push(optional("pins", ValueKind::Vectors, description));
    } else if info.axis.is_some() {
        let description = "its direction in world axes, with the bodies as described";
        fields.push(optional("axis", ValueKind::Vector, description));
    }
    if info.axis.is_some() {
        let description = "instead: its direction in the axes of each body, for orientations that are only \
                    known roughly";
        fields.push(optional("axes_on_bodies", ValueKind::Vectors, description));
    }
    if info.kind == JointKind::Distance {
        let description = "the distance, which may depend on time; as described";
        fields.push(optional("length", ValueKind::Function, description));
    }
    if !info.coordinates.is_empty() {
        let description = "added to its first coordinate; without it an angle is 0 as described, and a \
                    translation where the two points meet";
        fields.push(optional("offset", ValueKind::Number, description));
        let description = "the rate of its first coordinate at the start, if known";
        fields.push(optional("rate", ValueKind::Number, description));
    }
    if info.coordinates.len() > 1 {
        let description = "rates of its coordinates at the start, by name";
        fields.push(optional("rates", ValueKind::Numbers, description));
    }
    fields
}

pub(super) fn gear() -> Vec<SchemaField> {
    vec![
        required(
            "joints",
            ValueKind::Pair,
            "two joints, each `\"joint\"` or `\"joint.coordinate\"`",
        ),
        required(
            "ratio",
            ValueKind::Number,
            "how far the second moves when the first moves by one",
        ),
    ]
}

pub(super) fn drives() -> Vec<SchemaVariant> {
    let value = |description| vec![JOINT, required("value", ValueKind::Function, description)];
    let along =
        |key| optional(key, ValueKind::Function, "this coordinate of it; free if not given");
    let anchor =
        required("point", ValueKind::Text, "the point, `\"body.point\"`, or the body's origin");
    let variant = |name, description: &str, fields| SchemaVariant {
        name,
        description: description.into(),
        fields,
    };
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

pub(super) fn rolling() -> Vec<SchemaField> {
    vec![
        required(
            "centre",
            ValueKind::Text,
            "the body, or `\"body.point\"`, about which the disc is",
        ),
        required("radius", ValueKind::Number, "the radius"),
        optional(
            "axis",
            ValueKind::Vector,
            "the disc's axis in world axes at the start; z in the plane",
        ),
        optional("plane_point", ValueKind::Vector, "a point of the plane it rolls on; the origin"),
        optional("plane_normal", ValueKind::Vector, "the plane's normal; z, for planar bodies y"),
    ]
}

pub(super) fn skate() -> Vec<SchemaField> {
    vec![
        required("point", ValueKind::Text, "the point, `\"body.point\"`, or the body's origin"),
        required(
            "across",
            ValueKind::Vector,
            "the direction in which it does not move, at the start",
        ),
    ]
}

pub(super) fn forces() -> Vec<SchemaVariant> {
    let variant = |name, description: &str, fields| SchemaVariant {
        name,
        description: description.into(),
        fields,
    };
    let follows =
        optional("following", ValueKind::Flag, "true: in body axes instead of world axes");
    let rest = |description| optional("rest", ValueKind::Number, description);
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
            vec![JOINT, required("value", ValueKind::Function, "the torque or force on body 2")],
        ),
        variant(
            "bushing",
            "Six springs and dampers between two bodies, relaxed as described.",
            vec![
                BETWEEN,
                AT,
                optional("stiffness", ValueKind::Six, "along x, y, z and about x, y, z of body 1"),
                optional("damping", ValueKind::Six, "along x, y, z and about x, y, z of body 1"),
                optional("damping_factor", ValueKind::Function, "multiplies the damping; 1"),
            ],
        ),
        variant(
            "load",
            "A force at a point of a body.",
            vec![
                required(
                    "point",
                    ValueKind::Text,
                    "where it acts, `\"body.point\"`, or the origin",
                ),
                required("force", ValueKind::Functions, "its components"),
                follows,
            ],
        ),
        variant(
            "distributed",
            "A force per length of a beam.",
            vec![
                required("beam", ValueKind::Text, "the beam"),
                required("force", ValueKind::Functions, "its components per length"),
                optional(
                    "following",
                    ValueKind::Flag,
                    "true: in section axes instead of world axes",
                ),
            ],
        ),
        variant(
            "torque",
            "A torque on a body.",
            vec![
                required("body", ValueKind::Text, "the body"),
                required("torque", ValueKind::Torque, "its components; in the plane one function"),
                follows,
            ],
        ),
        variant(
            "friction",
            "Dry friction in a revolute or prismatic joint, from its own reaction.",
            vec![
                JOINT,
                required("coefficient", ValueKind::Number, "the coefficient of friction"),
                optional("radius", ValueKind::Number, "the radius of a revolute joint's bearing"),
                optional(
                    "transition_speed",
                    ValueKind::Number,
                    "the sliding speed v₀ of the friction force μ N tanh(v/v₀); 1e-3",
                ),
            ],
        ),
        variant(
            "cable",
            "A cable between two points: it pulls while it is longer than `length`, and does not push.",
            vec![
                BETWEEN,
                required("stiffness", ValueKind::Number, "the stiffness k"),
                DAMPING,
                required("length", ValueKind::Number, "the length without tension"),
            ],
        ),
        variant(
            "drag",
            "Drag −c |u| u at a point, with its velocity u relative to the flow.",
            vec![
                required(
                    "point",
                    ValueKind::Text,
                    "where it acts, `\"body.point\"`, or the origin",
                ),
                required("coefficient", ValueKind::Number, "c = ½ ρ c_d A"),
                optional(
                    "flow",
                    ValueKind::Signals,
                    "the velocity of the flow, one formula per axis; 0",
                ),
            ],
        ),
        variant(
            "clutch",
            "A clutch or brake along a joint's coordinate: N tanh(v/v₀) against its rate v.",
            vec![
                JOINT,
                required("capacity", ValueKind::Signal, "the largest torque or force N"),
                optional("slip_speed", ValueKind::Number, "v₀; 1e-3"),
            ],
        ),
        variant(
            "dc-motor",
            "A direct-current motor with a gearbox: L di/dt = u − R i − k n ω, torque η k n i. Its current is the state \
             `NAME.current`.",
            vec![
                JOINT,
                required("voltage", ValueKind::Signal, "the voltage u"),
                required("resistance", ValueKind::Number, "R in Ω"),
                required("inductance", ValueKind::Number, "L in H"),
                required("constant", ValueKind::Number, "k in N·m/A"),
                optional(
                    "ratio",
                    ValueKind::Number,
                    "n: turns of the motor per turn of the joint; 1",
                ),
                optional("efficiency", ValueKind::Number, "η of the gearbox; 1"),
            ],
        ),
        variant(
            "cylinder",
            "A hydraulic or pneumatic cylinder between two points. Its pressures are the states `NAME.p1`, `NAME.p2`.",
            vec![
                BETWEEN,
                required(
                    "area_1",
                    ValueKind::Number,
                    "the area whose pressure pushes the points apart",
                ),
                optional("area_2", ValueKind::Number, "the area on the other side; 0"),
                required(
                    "closed_length",
                    ValueKind::Number,
                    "the length at which chamber 1 is smallest",
                ),
                required("stroke", ValueKind::Number, "the stroke"),
                required(
                    "dead_volume",
                    ValueKind::Number,
                    "the volume of a chamber at its end, lines included",
                ),
                optional("bulk_modulus", ValueKind::Number, "β of a liquid in Pa"),
                optional(
                    "exponent",
                    ValueKind::Number,
                    "instead: the polytropic exponent of a gas",
                ),
                optional("leakage", ValueKind::Number, "between the chambers, in m³/(s·Pa); 0"),
                optional("damping", ValueKind::Number, "viscous friction; 0"),
                optional(
                    "stop_stiffness",
                    ValueKind::Number,
                    "stiffness of the stops at both ends of the stroke; 0: none",
                ),
                optional("flow_1", ValueKind::Signal, "the flow into chamber 1, in m³/s; 0"),
                optional("flow_2", ValueKind::Signal, "the flow into chamber 2; 0"),
                optional(
                    "pressure_1",
                    ValueKind::Number,
                    "the pressure at the start (of a liquid above the surroundings, of a gas absolute); 0",
                ),
                optional("pressure_2", ValueKind::Number, "the pressure at the start; 0"),
            ],
        ),
    ]
}
