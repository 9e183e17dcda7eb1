//! Sites, where an element acts: points of bodies and coordinates of joints.

use crate::model::node_measure::NodeMeasure;
use cardan_core::math::Vector3;

/// A site by its name: a body, `"body.point"`, `"beam.end"`, a joint, or `"joint.coordinate"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site(pub(in crate::model) String);

impl From<&str> for Site {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl From<String> for Site {
    fn from(name: String) -> Self {
        Self(name)
    }
}

/// A site of a compiled model.
#[derive(Clone, Debug)]
pub(in crate::model) enum CompiledSite {
    /// A point of a node: its position from the centre of mass, body axes.
    Point { node: usize, point: Vector3 },
    /// A coordinate of a joint.
    Coordinate(NodeMeasure),
}

impl CompiledSite {
    /// The nodes on which the site depends.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        let (one, two) = match self {
            Self::Point { node, .. } => (*node, None),
            Self::Coordinate(measure) => (measure.sides[0], Some(measure.sides[1])),
        };
        std::iter::once(one).chain(two)
    }
}
