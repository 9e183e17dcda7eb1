//! Prescribed motions and rolling, as users describe them.

use super::{Anchor, CoordinateKind, VectorInput};
use crate::model::values::Function;
use cardan_core::math::Vector3;

/// The quantity that a drive prescribes.
#[derive(Clone, Debug)]
pub(in crate::model) enum DriveKind {
    /// A joint's coordinate: the named one, or the first one of this kind.
    Coordinate { joint: String, kind: CoordinateKind, motion: Function },
    /// The rate of a joint's coordinate.
    Rate { joint: String, kind: CoordinateKind, rate: Function },
    /// The position of a point in space.
    Point { anchor: Anchor, motion: [Option<Function>; 3] },
}

/// A prescribed motion.
#[derive(Clone, Debug)]
pub struct Drive {
    pub(in crate::model) name: String,
    pub(in crate::model) kind: DriveKind,
}

impl Drive {
    fn new(name: &str, kind: DriveKind) -> Self {
        Self { name: name.into(), kind }
    }

    /// A joint's angle: `"joint"` for its first angle, or `"joint.angle_2"`.
    pub fn angle(name: &str, joint: &str, angle: impl Into<Function>) -> Self {
        let (joint, motion) = (joint.into(), angle.into());
        Self::new(name, DriveKind::Coordinate { joint, kind: CoordinateKind::Angle, motion })
    }

    /// A joint's translation.
    pub fn translation(name: &str, joint: &str, translation: impl Into<Function>) -> Self {
        let (joint, motion) = (joint.into(), translation.into());
        Self::new(name, DriveKind::Coordinate { joint, kind: CoordinateKind::Translation, motion })
    }

    /// The rate of a joint's angle.
    pub fn angular_velocity(name: &str, joint: &str, rate: impl Into<Function>) -> Self {
        let (joint, rate) = (joint.into(), rate.into());
        Self::new(name, DriveKind::Rate { joint, kind: CoordinateKind::Angle, rate })
    }

    /// The rate of a joint's translation.
    pub fn speed(name: &str, joint: &str, rate: impl Into<Function>) -> Self {
        let (joint, rate) = (joint.into(), rate.into());
        Self::new(name, DriveKind::Rate { joint, kind: CoordinateKind::Translation, rate })
    }

    /// The position of a point of a body in the world.
    pub fn point(name: &str, point: impl Into<Anchor>, position: [Function; 3]) -> Self {
        let (anchor, motion) = (point.into(), position.map(Some));
        Self::new(name, DriveKind::Point { anchor, motion })
    }

    /// Some coordinates of a point of a body in the world; `None` leaves one free.
    pub fn point_along(
        name: &str,
        point: impl Into<Anchor>,
        position: [Option<Function>; 3],
    ) -> Self {
        Self::new(name, DriveKind::Point { anchor: point.into(), motion: position })
    }
}

/// A disc that rolls without slipping on a plane fixed to the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Rolling {
    pub(in crate::model) name: String,
    pub(in crate::model) centre: Anchor,
    pub(in crate::model) radius: f64,
    pub(in crate::model) axis: Vector3,
    pub(in crate::model) plane: [Vector3; 2],
}

impl Rolling {
    /// A disc about a point of a body, on the plane z = 0 (for planar bodies on the line y = 0).
    pub fn new(name: &str, centre: impl Into<Anchor>, radius: f64) -> Self {
        Self {
            name: name.into(),
            centre: centre.into(),
            radius,
            axis: Vector3::zeros(),
            plane: [Vector3::zeros(); 2],
        }
    }

    /// The disc's axis, in world axes at the start; not needed for planar bodies.
    pub fn axis(mut self, axis: impl Into<VectorInput>) -> Self {
        self.axis = axis.into().0;
        self
    }

    /// The plane, by a point and its normal, which points to the disc's side.
    pub fn plane(mut self, point: impl Into<VectorInput>, normal: impl Into<VectorInput>) -> Self {
        self.plane = [point.into().0, normal.into().0];
        self
    }
}

/// A skate (knife-edge constraint): a point of a body does not move sideways.
#[derive(Clone, Debug, PartialEq)]
pub struct Skate {
    pub(in crate::model) name: String,
    pub(in crate::model) point: Anchor,
    pub(in crate::model) across: Vector3,
}

impl Skate {
    /// A skate at a point of a body that does not move along `across`: a direction fixed to the body,
    /// given in world axes in the described position of the body.
    pub fn new(name: &str, point: impl Into<Anchor>, across: impl Into<VectorInput>) -> Self {
        Self { name: name.into(), point: point.into(), across: across.into().0 }
    }
}
