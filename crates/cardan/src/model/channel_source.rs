//! The sources of channels: quantities of bodies, joints, forces, beams, flexible bodies and structures.

use cardan_core::math::{Quaternion, Vector3};

/// The source of a quantity in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) enum ChannelSource {
    /// A point of a body, from its centre of mass in body axes. `order` is 0 for the position, 1 for the
    /// velocity, 2 for the acceleration.
    Point {
        node: usize,
        at: Vector3,
        order: usize,
    },
    Orientation(usize),
    PlanarAngle(usize),
    AngularVelocity {
        node: usize,
        world: bool,
        order: usize,
    },
    Coordinate {
        joint: usize,
        index: usize,
        order: usize,
    },
    Reaction {
        joint: usize,
        moment: bool,
        local: bool,
    },
    /// The force of a gear.
    GearForce(usize),
    DriveForce(usize),
    DrivePower(usize),
    /// Output k of a force.
    Force {
        force: usize,
        output: usize,
        width: usize,
    },
    /// The load per length of a beam at one of its nodes: the index of the load.
    LineLoad(usize),
    /// A first-order state.
    State(usize),
    /// The rate of a first-order state.
    StateRate(usize),
    /// A formula of the model.
    Signal(usize),
    /// An input: its index in q.
    Input(usize),
    Beam {
        beam: usize,
        station: Station,
        value: BeamValue,
    },
    Flexible {
        body: usize,
        value: FlexibleValue,
    },
    Structure {
        structure: usize,
        value: StructureValue,
    },
    Energy(usize),
    Power(usize),
    Momentum {
        angular: bool,
    },
}

impl ChannelSource {
    /// Whether it depends on accelerations.
    pub fn needs_accelerations(self) -> bool {
        match self {
            Self::Point { order, .. }
            | Self::AngularVelocity { order, .. }
            | Self::Coordinate { order, .. } => order == 2,
            Self::Beam { value, .. } => {
                matches!(value, BeamValue::Position(2) | BeamValue::Reaction { .. })
            }
            Self::Flexible { value, .. } => matches!(value, FlexibleValue::Mode { order: 2, .. }),
            Self::Structure { value, .. } => {
                matches!(value, StructureValue::Node { order: 2, .. })
            }
            _ => false,
        }
    }
}

/// A cross-section of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) struct Station {
    /// The element, counted along the beam.
    pub element: usize,
    /// The position in the element, −1…1.
    pub xi: f64,
    /// The described orientation of the section.
    pub initial: Quaternion,
}

impl Station {
    /// The placeholder for channels of the whole beam.
    pub const WHOLE: Self = Self { element: 0, xi: 0.0, initial: Quaternion::IDENTITY };
}

/// A quantity of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) enum BeamValue {
    /// Position (0), velocity (1) or acceleration (2) of a point of the beam's line.
    Position(usize),
    Orientation,
    /// The rotation vector from the described orientation to the present one, world axes.
    Rotation,
    /// The angular velocity, in section or world axes.
    AngularVelocity {
        world: bool,
    },
    /// Force or moment, in section or world axes.
    Stress {
        moment: bool,
        world: bool,
    },
    /// Strain or curvature.
    Strain {
        curvature: bool,
    },
    /// The external load on an end of the beam.
    Reaction {
        moment: bool,
    },
    Energy,
    Dissipation,
}

impl BeamValue {
    /// The components that are not zero in the plane.
    pub fn in_plane(self) -> Option<&'static [usize]> {
        match self {
            Self::Position(_) | Self::Stress { moment: false, .. } => Some(&[0, 1]),
            Self::Strain { curvature: false } | Self::Reaction { moment: false } => Some(&[0, 1]),
            Self::Rotation | Self::AngularVelocity { .. } | Self::Stress { .. } => Some(&[2]),
            Self::Strain { .. } | Self::Reaction { .. } => Some(&[2]),
            Self::Orientation | Self::Energy | Self::Dissipation => None,
        }
    }
}

/// A quantity of a flexible body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) enum FlexibleValue {
    /// The amplitude of a mode, its rate or its acceleration.
    Mode {
        mode: usize,
        order: usize,
    },
    /// The displacement of a point by the modes, axes of the floating frame.
    Deflection {
        point: usize,
    },
    /// The rotation vector of a point relative to the floating frame.
    Rotation {
        point: usize,
    },
    /// Force or moment of the section at a point.
    Stress {
        point: usize,
        moment: bool,
    },
    Elastic,
    Kinetic,
    Dissipation,
}

impl FlexibleValue {
    /// The components that are not zero in the plane.
    pub fn in_plane(self) -> Option<&'static [usize]> {
        match self {
            Self::Deflection { .. } | Self::Stress { moment: false, .. } => Some(&[0, 1]),
            Self::Rotation { .. } | Self::Stress { .. } => Some(&[2]),
            _ => None,
        }
    }
}

/// A quantity of a linear structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) enum StructureValue {
    /// Displacement, velocity or acceleration of a node.
    Node {
        node: usize,
        order: usize,
    },
    /// Displacement or velocity of a node in the analytic solution.
    Exact {
        node: usize,
        order: usize,
    },
    Elastic,
    Kinetic,
    Dissipation,
}
