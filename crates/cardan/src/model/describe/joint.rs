//! Joints as users describe them, and the table of all joint kinds.

use super::{Anchor, VectorInput};
use crate::model::measure::{CustomMeasure, MeasureFormula};
use crate::model::values::Function;
use cardan_core::math::Vector3;

/// A kind of joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Rotation about an axis.
    Revolute,
    /// A common point of both bodies; free rotation.
    Spherical,
    /// Sliding along an axis.
    Prismatic,
    /// Sliding along an axis and rotation about it.
    Cylindrical,
    /// Rotation about two pins at right angles, joined by a cross.
    Universal,
    /// Sliding in a plane and rotation about its normal.
    Planar,
    /// No relative motion.
    Fixed,
    /// A prescribed distance between two points.
    Distance,
    /// A point of body 2 on a line of body 1.
    PointOnLine,
    /// A point of body 2 in a plane of body 1.
    PointInPlane,
}

/// The kind of a joint coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateKind {
    /// An angle.
    Angle,
    /// A displacement.
    Translation,
}

/// An entry of the table of joint kinds.
#[derive(Debug)]
pub struct JointInfo {
    /// The kind.
    pub kind: JointKind,
    /// Its name.
    pub name: &'static str,
    /// The relative motion it allows.
    pub allows: &'static str,
    /// The meaning of its axis; `None` if it has none.
    pub axis: Option<&'static str>,
    /// The coordinates it reports, by name.
    pub coordinates: &'static [(&'static str, CoordinateKind)],
    /// Number of constraints in space.
    pub rows: usize,
    /// Number of constraints in the plane; or, if it does not apply there, the alternative.
    pub planar_rows: Result<usize, &'static str>,
}

const ANGLE: (&str, CoordinateKind) = ("angle", CoordinateKind::Angle);
const TRANSLATION: (&str, CoordinateKind) = ("translation", CoordinateKind::Translation);

/// Every kind of joint.
pub const JOINTS: &[JointInfo] = &[
    JointInfo {
        kind: JointKind::Revolute,
        name: "revolute",
        allows: "turning about an axis",
        axis: Some("the axis of turning"),
        coordinates: &[ANGLE],
        rows: 5,
        planar_rows: Ok(2),
    },
    JointInfo {
        kind: JointKind::Spherical,
        name: "spherical",
        allows: "turning about a point",
        axis: None,
        coordinates: &[],
        rows: 3,
        planar_rows: Ok(2),
    },
    JointInfo {
        kind: JointKind::Prismatic,
        name: "prismatic",
        allows: "sliding along an axis",
        axis: Some("the axis of sliding"),
        coordinates: &[TRANSLATION],
        rows: 5,
        planar_rows: Ok(2),
    },
    JointInfo {
        kind: JointKind::Cylindrical,
        name: "cylindrical",
        allows: "sliding along an axis and turning about it",
        axis: Some("the axis of sliding and turning"),
        coordinates: &[TRANSLATION, ANGLE],
        rows: 4,
        planar_rows: Err("use a prismatic joint"),
    },
    JointInfo {
        kind: JointKind::Universal,
        name: "universal",
        allows: "turning about two pins at right angles",
        axis: Some("the pin on body 1 and the pin on body 2"),
        coordinates: &[("angle_1", CoordinateKind::Angle), ("angle_2", CoordinateKind::Angle)],
        rows: 4,
        planar_rows: Err("use a revolute joint"),
    },
    JointInfo {
        kind: JointKind::Planar,
        name: "planar",
        allows: "sliding in a plane and turning about its normal",
        axis: Some("the normal of the plane"),
        coordinates: &[
            ("x", CoordinateKind::Translation),
            ("y", CoordinateKind::Translation),
            ANGLE,
        ],
        rows: 3,
        planar_rows: Err("planar bodies move in their plane only"),
    },
    JointInfo {
        kind: JointKind::Fixed,
        name: "fixed",
        allows: "nothing",
        axis: None,
        coordinates: &[],
        rows: 6,
        planar_rows: Ok(3),
    },
    JointInfo {
        kind: JointKind::Distance,
        name: "distance",
        allows: "everything that keeps two points at a distance",
        axis: None,
        coordinates: &[],
        rows: 1,
        planar_rows: Ok(1),
    },
    JointInfo {
        kind: JointKind::PointOnLine,
        name: "point-on-line",
        allows: "turning, and sliding along a line of body 1",
        axis: Some("the direction of the line"),
        coordinates: &[TRANSLATION],
        rows: 2,
        planar_rows: Ok(1),
    },
    JointInfo {
        kind: JointKind::PointInPlane,
        name: "point-in-plane",
        allows: "turning, and sliding in a plane of body 1",
        axis: Some("the normal of the plane"),
        coordinates: &[("x", CoordinateKind::Translation), ("y", CoordinateKind::Translation)],
        rows: 1,
        planar_rows: Err("use a point-on-line joint"),
    },
];

impl JointKind {
    /// The table entry of this kind.
    pub fn info(self) -> &'static JointInfo {
        // the table contains every kind, in the order of the enumeration
        &JOINTS[self as usize]
    }
}

/// The axis of a joint as given by the user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::model) enum JointAxis {
    /// Not given.
    Absent,
    /// In world axes, in the described positions of the bodies.
    World(Vector3),
    /// The pins of a universal joint in world axes, in the described positions of the bodies.
    Pins(Vector3, Vector3),
    /// In the axes of body 1 and of body 2.
    Bodies(Vector3, Vector3),
}

/// A joint between two bodies.
#[derive(Clone, Debug)]
pub struct Joint {
    pub(in crate::model) name: String,
    pub(in crate::model) kind: JointKind,
    pub(in crate::model) ends: [Anchor; 2],
    pub(in crate::model) at: Option<Vector3>,
    pub(in crate::model) axis: JointAxis,
    pub(in crate::model) length: Option<Function>,
    pub(in crate::model) offset: f64,
    /// Known rates: of a coordinate by name, or of the first one.
    pub(in crate::model) rates: Vec<(Option<String>, f64)>,
}

impl Joint {
    /// A joint of any kind. An end without a point has the position of the other end, or that of
    /// [`Joint::at`]; the ends of a distance joint are the origins of their bodies.
    pub fn new(
        kind: JointKind,
        name: &str,
        one: impl Into<Anchor>,
        two: impl Into<Anchor>,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            ends: [one.into(), two.into()],
            at: None,
            axis: JointAxis::Absent,
            length: None,
            offset: 0.0,
            rates: Vec::new(),
        }
    }

    /// The position of the joint, world axes, in the described positions of the bodies.
    pub fn at(mut self, place: impl Into<VectorInput>) -> Self {
        self.at = Some(place.into().0);
        self
    }

    /// The axis of the joint, world axes, in the described positions of the bodies.
    pub fn axis(mut self, axis: impl Into<VectorInput>) -> Self {
        self.axis = JointAxis::World(axis.into().0);
        self
    }

    /// The pins of a universal joint on body 1 and body 2, world axes, in the described positions of the
    /// bodies.
    pub fn pins(mut self, one: [f64; 3], two: [f64; 3]) -> Self {
        self.axis = JointAxis::Pins(one.into(), two.into());
        self
    }

    /// The joint's axis in the axes of each body, for bodies whose orientation is not yet exact.
    pub fn axes_on_bodies(
        mut self,
        one: impl Into<VectorInput>,
        two: impl Into<VectorInput>,
    ) -> Self {
        self.axis = JointAxis::Bodies(one.into().0, two.into().0);
        self
    }

    /// The length of a distance joint; the initial distance of its points if not given.
    pub fn length(mut self, length: impl Into<Function>) -> Self {
        self.length = Some(length.into());
        self
    }

    /// Constant added to the joint's first coordinate. Without it an angle is zero in the described
    /// positions of the bodies, and a translation is zero where the two points coincide.
    pub fn offset(mut self, offset: f64) -> Self {
        self.offset = offset;
        self
    }

    /// The rate of the joint's first coordinate at the start.
    pub fn rate(mut self, rate: f64) -> Self {
        self.rates.push((None, rate));
        self
    }

    /// The rate of one of the joint's coordinates at the start, by its name.
    pub fn rate_of(mut self, coordinate: &str, rate: f64) -> Self {
        self.rates.push((Some(coordinate.into()), rate));
        self
    }
}

macro_rules! constructors {
    ($($name:ident $kind:ident $description:literal;)*) => {
        impl Joint {
            $(#[doc = $description]
            pub fn $name(name: &str, one: impl Into<Anchor>, two: impl Into<Anchor>) -> Self {
                Self::new(JointKind::$kind, name, one, two)
            })*
        }
    };
}

constructors! {
    revolute Revolute "A revolute joint.";
    spherical Spherical "A spherical joint.";
    prismatic Prismatic "A prismatic joint.";
    cylindrical Cylindrical "A cylindrical joint.";
    universal Universal "A universal joint; its pins are given by [`Joint::pins`].";
    planar Planar "A planar joint.";
    fixed Fixed "A fixed joint.";
    distance Distance "A rod: a prescribed distance between two points.";
    point_on_line PointOnLine "A point of body 2 on a line of body 1.";
    point_in_plane PointInPlane "A point of body 2 in a plane of body 1.";
}

/// A user-defined joint: user-defined measures that are constrained to zero, and others that are free
/// coordinates. Drives, springs, motors and gears act on these as on those of any joint.
///
/// ```
/// use cardan::math::Scalar;
/// use cardan::model::{Body, CustomJoint, Frame, MeasureFormula, Mechanism};
/// use cardan::Settings;
///
/// /// Height of the point of body 2 above the parabola z = x² of body 1.
/// struct Parabola;
///
/// impl MeasureFormula for Parabola {
///     fn value<T: Scalar>(&self, one: &Frame<T>, two: &Frame<T>) -> T {
///         let p = one.rotation.tr_mul(&(two.position - one.position));
///         p.z - p.x * p.x
///     }
/// }
///
/// # fn main() -> Result<(), cardan::Error> {
/// let mut bowl = Mechanism::new();
/// bowl.gravity([0.0, 0.0, -9.81]);
/// bowl.add(Body::point_mass("bead", 1.0).position([0.5, 0.0, 0.25]));
/// bowl.add(CustomJoint::new("wall", "ground", "bead").hold("leaving the parabola", Parabola));
/// let mut motion = bowl.assemble()?.simulate(&Settings::new("generalized-alpha", 1e-3))?;
/// motion.run_until(1.0)?;
/// let p = motion.read("bead.position")?;
/// assert!((p[2] - p[0] * p[0]).abs() < 1e-12);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct CustomJoint {
    pub(in crate::model) name: String,
    pub(in crate::model) ends: [Anchor; 2],
    /// The measures constrained to zero, and the motion that each prevents.
    pub(in crate::model) constraints: Vec<(CustomMeasure, String)>,
    /// The free measures, by name.
    pub(in crate::model) coordinates: Vec<(&'static str, CustomMeasure)>,
}

impl CustomJoint {
    /// A joint between points of two bodies, or their origins, without constraints.
    pub fn new(name: &str, one: impl Into<Anchor>, two: impl Into<Anchor>) -> Self {
        let (name, ends) = (name.into(), [one.into(), two.into()]);
        Self { name, ends, constraints: Vec::new(), coordinates: Vec::new() }
    }

    /// Constrains a measure to zero; `prevents` names the prevented motion in messages.
    pub fn hold(mut self, prevents: &str, measure: impl MeasureFormula) -> Self {
        self.constraints.push((CustomMeasure::new(measure), prevents.into()));
        self
    }

    /// Adds a measure as a coordinate: it has a channel, and drives, springs, motors and gears can act on
    /// it.
    pub fn coordinate(mut self, name: &'static str, measure: impl MeasureFormula) -> Self {
        self.coordinates.push((name, CustomMeasure::new(measure)));
        self
    }
}

/// A gear couples two joint coordinates: the change of the second is `ratio` times that of the first.
/// Each is named by its joint (its first coordinate) or as `"joint.coordinate"`. Angles and
/// translations can be coupled: a rack or a screw has a ratio in metres per radian.
#[derive(Clone, Debug, PartialEq)]
pub struct Gear {
    pub(in crate::model) name: String,
    pub(in crate::model) joints: [String; 2],
    pub(in crate::model) ratio: f64,
}

impl Gear {
    /// A gear between two joints.
    pub fn new(name: &str, first: &str, second: &str, ratio: f64) -> Self {
        Self { name: name.into(), joints: [first.into(), second.into()], ratio }
    }
}
