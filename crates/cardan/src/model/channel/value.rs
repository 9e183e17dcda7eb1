//! What a channel of a beam, a flexible body or a structure reads.

/// A quantity of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BeamValue {
    /// Position, velocity, acceleration of the beam's line.
    Place(usize),
    Orientation,
    /// The rotation vector since the description, world axes.
    Rotation,
    /// Section axes, or world axes.
    Spin {
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
    /// The load that holds an end.
    Reaction {
        moment: bool,
    },
    Energy,
    Dissipation,
}

impl BeamValue {
    /// Which of three numbers are not zero in the plane.
    pub fn in_plane(self) -> Option<&'static [usize]> {
        match self {
            Self::Place(_) | Self::Stress { moment: false, .. } => Some(&[0, 1]),
            Self::Strain { curvature: false } | Self::Reaction { moment: false } => Some(&[0, 1]),
            Self::Rotation | Self::Spin { .. } | Self::Stress { .. } => Some(&[2]),
            Self::Strain { .. } | Self::Reaction { .. } => Some(&[2]),
            Self::Orientation | Self::Energy | Self::Dissipation => None,
        }
    }
}

/// A quantity of a flexible body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FlexibleValue {
    /// The amplitude of a mode, its rate and acceleration.
    Mode {
        mode: usize,
        order: usize,
    },
    /// The displacement of a point from its place in the frame, axes of the frame.
    Deflection {
        point: usize,
    },
    /// The rotation vector of a point against the frame.
    Turn {
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
    /// Which of three numbers are not zero in the plane.
    pub fn in_plane(self) -> Option<&'static [usize]> {
        match self {
            Self::Deflection { .. } | Self::Stress { moment: false, .. } => Some(&[0, 1]),
            Self::Turn { .. } | Self::Stress { .. } => Some(&[2]),
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
    /// The same of the exact solution.
    Exact {
        node: usize,
        order: usize,
    },
    Elastic,
    Kinetic,
    Dissipation,
}
