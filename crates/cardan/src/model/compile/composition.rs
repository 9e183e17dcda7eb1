//! The constraints of each kind of joint.

use crate::model::checks::direction;
use crate::model::values::Dimension;
use crate::model::{JointKind, Measure};
use cardan_core::math::{Matrix3, Vector3};

/// A measure that is constrained, and the motion that this prevents.
pub(super) type Row = (Measure, String);

/// The constraints of a joint, in the order of their rows.
pub(super) struct Composition {
    /// Whether the two points coincide.
    pub has_coincident_points: bool,
    /// Rows that prevent displacements across the axis.
    pub across: Vec<Row>,
    /// Whether the third axes are parallel.
    pub has_parallel_axes: bool,
    /// A further row.
    pub extra_row: Option<Row>,
    /// Numbers of the axes that must not be opposite.
    aligned: &'static [usize],
}

/// Axes and points of a joint on its bodies.
pub(super) struct Geometry {
    /// The joint's axes on body 1 and body 2.
    pub axes: [Matrix3; 2],
    /// The joint's point on each, from the centre of mass.
    pub points: [Vector3; 2],
    /// The joint's axes in world axes, in the described positions of the bodies.
    world_axes: Matrix3,
    dimension: Dimension,
}

impl Geometry {
    pub fn new(
        axes: [Matrix3; 2],
        points: [Vector3; 2],
        rotation: &Matrix3,
        dimension: Dimension,
    ) -> Self {
        Self { axes, points, world_axes: rotation * axes[0], dimension }
    }

    /// The name of axis k.
    fn axis_name(&self, k: usize) -> String {
        direction(&self.world_axes.column(k).into())
    }

    /// Axis k on body 1 or body 2.
    pub fn axis(&self, body: usize, k: usize) -> Vector3 {
        self.axes[body].column(k).into()
    }

    /// The motions that parallel third axes prevent: rotations about the two other axes.
    pub fn prevented_rotations(&self) -> [String; 2] {
        [1, 0].map(|k| format!("turning about {}", self.axis_name(k)))
    }

    /// A row that prevents displacement along axis k of body 1.
    fn project(&self, k: usize) -> Row {
        let measure = Measure::Project { a: self.axis(0, k), points: self.points };
        (measure, format!("moving along {}", self.axis_name(k)))
    }

    /// A row that keeps axes i and j at right angles: it prevents rotation about the third axis.
    fn dot(&self, i: usize, j: usize) -> Row {
        let about = match self.dimension {
            Dimension::Plane => "z".into(),
            Dimension::Space => self.axis_name(3 - i - j),
        };
        let measure = Measure::Dot { a: self.axis(0, i), b: self.axis(1, j) };
        (measure, format!("turning about {about}"))
    }

    /// The constraints of a kind of joint.
    pub fn compose(&self, kind: JointKind) -> Composition {
        let parts = |has_coincident_points, across, has_parallel_axes, extra_row, aligned| {
            Composition { has_coincident_points, across, has_parallel_axes, extra_row, aligned }
        };
        let project = |k: usize| self.project(k);
        match (kind, self.dimension) {
            (JointKind::Revolute | JointKind::Spherical, Dimension::Plane) => {
                parts(true, vec![], false, None, &[])
            }
            (JointKind::Fixed, Dimension::Plane) => {
                parts(true, vec![], false, Some(self.dot(0, 1)), &[0])
            }
            (JointKind::Prismatic, Dimension::Plane) => {
                parts(false, vec![project(0)], false, Some(self.dot(0, 2)), &[2])
            }
            (JointKind::PointOnLine, Dimension::Plane) => {
                parts(false, vec![project(0)], false, None, &[])
            }
            (JointKind::Spherical, _) => parts(true, vec![], false, None, &[]),
            (JointKind::Revolute, _) => parts(true, vec![], true, None, &[2]),
            (JointKind::Universal, _) => {
                let row = Measure::Dot { a: self.axis(0, 2), b: self.axis(1, 2) };
                let prevents = "turning about the normal of its pins".into();
                parts(true, vec![], false, Some((row, prevents)), &[])
            }
            (JointKind::Fixed, _) => parts(true, vec![], true, Some(self.dot(0, 1)), &[2, 1]),
            (JointKind::Cylindrical, _) => {
                parts(false, vec![project(0), project(1)], true, None, &[2])
            }
            (JointKind::Prismatic, _) => {
                parts(false, vec![project(0), project(1)], true, Some(self.dot(0, 1)), &[2, 1])
            }
            (JointKind::Planar, _) => parts(false, vec![project(2)], true, None, &[2]),
            (JointKind::PointOnLine, _) => {
                parts(false, vec![project(0), project(1)], false, None, &[])
            }
            (JointKind::PointInPlane, _) => parts(false, vec![project(2)], false, None, &[]),
            (JointKind::Distance, _) => {
                let measure = Measure::Distance { points: self.points };
                let row = (measure, "changing the distance".into());
                parts(false, vec![row], false, None, &[])
            }
        }
    }

    /// The axes of a composition that must not be opposite.
    pub fn aligned(&self, composition: &Composition) -> Vec<[Vector3; 2]> {
        composition.aligned.iter().map(|&k| [self.axis(0, k), self.axis(1, k)]).collect()
    }
}
