//! Kinds of bodies, beams and node layouts.

/// Whether a mechanism moves in the plane or in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// In the x–y plane, rotating about z.
    Plane,
    /// In space.
    Space,
}

impl Dimension {
    /// Number of displacements of a point: two or three.
    pub fn axes(self) -> usize {
        match self {
            Self::Plane => 2,
            Self::Space => 3,
        }
    }
}

/// How a body can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// In space, with rotation.
    Spatial,
    /// In the x–y plane, with rotation.
    Planar,
    /// In space, without orientation: a point mass.
    SpatialPoint,
    /// In the x–y plane, without orientation.
    PlanarPoint,
}

impl BodyKind {
    /// Whether the body moves in the plane or in space.
    pub fn dimension(self) -> Dimension {
        match self {
            Self::Planar | Self::PlanarPoint => Dimension::Plane,
            Self::Spatial | Self::SpatialPoint => Dimension::Space,
        }
    }

    /// Whether the body moves in the plane.
    pub fn is_in_plane(self) -> bool {
        self.dimension() == Dimension::Plane
    }

    /// Whether the body has an orientation.
    pub fn has_orientation(self) -> bool {
        matches!(self, Self::Spatial | Self::Planar)
    }
}

/// How internal forces act on the nodes of a beam. Both forms have the same kinematics; each has its
/// own lumping of masses and loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BeamForm {
    /// Forces are the gradient of the elastic energy; masses are lumped by Simpson's rule.
    #[default]
    Galerkin,
    /// Forces are the section forces at cuts between the nodes; each node has the mass between two cuts.
    /// Forces are not the gradient of an energy.
    FiniteVolume,
}

impl BeamForm {
    /// All forms, by name.
    pub const ALL: [(&'static str, Self); 2] =
        [("galerkin", Self::Galerkin), ("finite-volume", Self::FiniteVolume)];
}

/// The positions of the nodes of a structure, if they form a line or a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeLayout {
    /// No positions are known.
    Scattered,
    /// Along a line, equally spaced.
    Line {
        /// Its length.
        length: f64,
        /// Number of intervals.
        elements: usize,
    },
    /// On a rectangle, row after row along x, equally spaced.
    Grid {
        /// Its sides along x and y.
        sides: [f64; 2],
        /// Number of intervals along x and y.
        elements: [usize; 2],
    },
}

impl NodeLayout {
    /// The position of a node.
    pub fn place(&self, node: usize) -> Option<[f64; 2]> {
        match *self {
            Self::Scattered => None,
            Self::Line { length, elements } => Some([length * node as f64 / elements as f64, 0.0]),
            Self::Grid { sides, elements } => {
                let row = elements[0].saturating_add(1);
                let at = [node % row, node / row];
                Some([0, 1].map(|k| sides[k] * at[k] as f64 / elements[k] as f64))
            }
        }
    }

    /// The node at a position, if one is within a millionth of an interval.
    pub fn node_at(&self, place: [f64; 2]) -> Option<usize> {
        let near = |x: f64, length: f64, elements: usize| {
            let k = x / length * elements as f64;
            let found = (k - k.round()).abs() < 1e-6 && (-0.5..=elements as f64 + 0.5).contains(&k);
            found.then_some(k.round().max(0.0) as usize)
        };
        match *self {
            Self::Scattered => None,
            Self::Line { length, elements } => near(place[0], length, elements),
            Self::Grid { sides, elements } => {
                let [x, y] = [0, 1].map(|k| near(place[k], sides[k], elements[k]));
                elements[0].checked_add(1)?.checked_mul(y?)?.checked_add(x?)
            }
        }
    }
}
