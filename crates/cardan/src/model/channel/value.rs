//! The quantities that channels of beams, flexible bodies and structures report.

/// A quantity of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BeamValue {
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
pub(super) enum FlexibleValue {
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
pub(super) enum StructureValue {
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
