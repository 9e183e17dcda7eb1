//! What each kind of joint is composed of.

use crate::model::checks::direction;
use crate::model::values::Dimension;
use crate::model::{JointKind, Measure};
use cardan_core::math::{Matrix3, Vector3};

/// A measure to hold, and what holding it prevents.
pub(super) type Row = (Measure, String);

/// The parts of a joint, in the order of their rows.
pub(super) struct Composition {
    /// Whether the two points are together.
    pub coincide: bool,
    /// Rows across the axis.
    pub across: Vec<Row>,
    /// Whether the third axes are parallel.
    pub parallel: bool,
    /// A row besides.
    pub besides: Option<Row>,
    /// Axes that must not be opposite, by their number.
    aligned: &'static [usize],
}

/// Where a joint sits on its bodies.
pub(super) struct Geometry {
    /// The joint's axes on body 1 and body 2.
    pub axes: [Matrix3; 2],
    /// The joint's point on each, from the centre of mass.
    pub points: [Vector3; 2],
    /// The joint's axes in words, with the bodies where the description puts them.
    words: [String; 3],
    dimension: Dimension,
}

impl Geometry {
    pub fn new(
        axes: [Matrix3; 2],
        points: [Vector3; 2],
        rotation: &Matrix3,
        dimension: Dimension,
    ) -> Self {
        let words = [0, 1, 2].map(|k| direction(&(rotation * axes[0].column(k))));
        Self { axes, points, words, dimension }
    }

    /// Axis k on body 1 or body 2.
    pub fn axis(&self, body: usize, k: usize) -> Vector3 {
        self.axes[body].column(k).into()
    }

    /// What parallel axes prevent: turning about each of the others.
    pub fn tilts(&self) -> [String; 2] {
        [1, 0].map(|k| format!("turning about {}", self.words[k]))
    }

    fn project(&self, k: usize) -> Row {
        let measure = Measure::Project { a: self.axis(0, k), points: self.points };
        (measure, format!("moving along {}", self.words[k]))
    }

    /// Axes i and j at right angles prevent turning about the third one.
    fn dot(&self, i: usize, j: usize) -> Row {
        let about = if self.dimension == Dimension::Plane { "z" } else { &self.words[3 - i - j] };
        let measure = Measure::Dot { a: self.axis(0, i), b: self.axis(1, j) };
        (measure, format!("turning about {about}"))
    }

    /// The parts of a kind of joint.
    pub fn compose(&self, kind: JointKind) -> Composition {
        let parts = |coincide, across, parallel, besides, aligned| Composition {
            coincide,
            across,
            parallel,
            besides,
            aligned,
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
