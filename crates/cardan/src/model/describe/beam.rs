//! A beam as a user describes it: a path, a section, and how finely it is divided.

use super::{Anchor, VectorInput};
use crate::model::values::BeamForm;
use crate::model::values::Dimension;
use crate::model::values::{Function, Matrix6, Section};
use cardan_core::math::{Chart, Vector3};

/// A point on a beam's path.
#[derive(Clone, Debug, PartialEq)]
pub enum PathPoint {
    /// A position in the world.
    At(Vector3),
    /// A point of a body, to which the beam is fixed there.
    On(Anchor),
}

impl From<[f64; 3]> for PathPoint {
    fn from(position: [f64; 3]) -> Self {
        Self::At(position.into())
    }
}

impl From<[f64; 2]> for PathPoint {
    fn from(position: [f64; 2]) -> Self {
        Self::At(VectorInput::from(position).0)
    }
}

impl From<Vector3> for PathPoint {
    fn from(position: Vector3) -> Self {
        Self::At(position)
    }
}

impl From<&str> for PathPoint {
    fn from(anchor: &str) -> Self {
        Self::On(anchor.into())
    }
}

/// The line a beam follows.
#[derive(Clone, Debug)]
pub(in crate::model) enum Path {
    /// Straight segments between points.
    Places(Vec<PathPoint>),
    /// A curve over s = 0…1; each end is fixed to a body or free.
    Curve { shape: Box<[Function; 3]>, ends: [Option<String>; 2] },
}

/// A flexible beam along a path; it is stress-free in its described shape.
///
/// ```
/// use cardan::model::{Beam, Mechanism, Section};
///
/// # fn main() -> Result<(), cardan::Error> {
/// let section = Section::new([1e6, 5e5, 5e5, 80.0, 100.0, 100.0]).mass(1.0).inertia([2e-4, 1e-4, 1e-4]);
/// let mut cantilever = Mechanism::new();
/// cantilever.gravity([0.0, 0.0, -9.81]);
/// cantilever.point("wall", [0.0, 0.0, 0.0]);
/// cantilever.add(Beam::new("beam", section).through("ground.wall").through([1.0, 0.0, 0.0]).elements(4));
/// let start = cantilever.assemble()?;
/// let hanging = start.equilibrium(&Default::default())?;
/// let tip = hanging.last().map(|at| start.model.read("beam.end.z", at)).transpose()?;
/// # assert!((tip.unwrap()[0] + 9.81 / 800.0).abs() < 1e-4);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Beam {
    pub(in crate::model) name: String,
    pub(in crate::model) dimension: Dimension,
    pub(in crate::model) path: Path,
    pub(in crate::model) elements: Vec<usize>,
    pub(in crate::model) nodes: usize,
    pub(in crate::model) form: BeamForm,
    pub(in crate::model) chart: Chart,
    pub(in crate::model) section: Section,
    pub(in crate::model) across: Option<Vector3>,
    pub(in crate::model) offset: [f64; 2],
    pub(in crate::model) stations: Vec<(String, f64)>,
    pub(in crate::model) velocity: Option<Vector3>,
    pub(in crate::model) angular_velocity: Option<Vector3>,
    pub(in crate::model) residual_flexibility: bool,
    pub(in crate::model) volumes: bool,
}

impl Beam {
    /// A beam in space.
    pub fn new(name: &str, section: Section) -> Self {
        Self {
            name: name.into(),
            dimension: Dimension::Space,
            path: Path::Places(Vec::new()),
            elements: vec![1],
            nodes: 3,
            form: BeamForm::default(),
            chart: Chart::Exponential,
            section,
            across: None,
            offset: [0.0; 2],
            stations: Vec::new(),
            velocity: None,
            angular_velocity: None,
            residual_flexibility: false,
            volumes: false,
        }
    }

    /// A beam in the x–y plane.
    pub fn planar(name: &str, section: Section) -> Self {
        Self { dimension: Dimension::Plane, ..Self::new(name, section) }
    }

    /// The name of the beam.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next point on its path; the beam is straight between points. A name fixes the beam to that
    /// point of a body.
    pub fn through(mut self, place: impl Into<PathPoint>) -> Self {
        match &mut self.path {
            Path::Places(places) => places.push(place.into()),
            Path::Curve { .. } => self.path = Path::Places(vec![place.into()]),
        }
        self
    }

    /// A curve instead of points: three functions of s = 0…1 (here the argument is not time). Each end is
    /// fixed to a body or free.
    pub fn curve(mut self, shape: [Function; 3], start: Option<&str>, end: Option<&str>) -> Self {
        let ends = [start, end].map(|end| end.map(str::to_string));
        self.path = Path::Curve { shape: Box::new(shape), ends };
        self
    }

    /// Number of elements between each point of the path and the next.
    pub fn elements(mut self, elements: usize) -> Self {
        self.elements = vec![elements];
        self
    }

    /// Number of elements of each part of the path.
    pub fn elements_each(mut self, elements: &[usize]) -> Self {
        self.elements = elements.to_vec();
        self
    }

    /// Number of nodes per element: 2 or 3.
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }

    /// How internal forces act on the nodes.
    pub fn form(mut self, form: BeamForm) -> Self {
        self.form = form;
        self
    }

    /// The chart that interpolates rotations; Cayley's chart is for the finite-volume form only.
    pub fn chart(mut self, chart: Chart) -> Self {
        self.chart = chart;
        self
    }

    /// The direction of the section's second axis, world axes; its component along the beam is ignored.
    /// Without it the third axis is the direction closest to z, or, for a beam along z, the second is y.
    pub fn axis_2(mut self, direction: impl Into<VectorInput>) -> Self {
        self.across = Some(direction.into().0);
        self
    }

    /// Offset of the beam's line from its path, along the section's second and third axes.
    pub fn offset(mut self, offset: [f64; 2]) -> Self {
        self.offset = offset;
        self
    }

    /// A named station: 0 is the start, 1 is the end.
    pub fn station(mut self, name: &str, at: f64) -> Self {
        self.stations.push((name.into(), at));
        self
    }

    /// The initial velocity of the start of the beam, world axes.
    pub fn velocity(mut self, velocity: impl Into<VectorInput>) -> Self {
        self.velocity = Some(velocity.into().0);
        self
    }

    /// The initial angular velocity of the whole beam, world axes.
    pub fn angular_velocity(mut self, omega: [f64; 3]) -> Self {
        self.angular_velocity = Some(omega.into());
        self
    }

    /// For elements with two nodes: reduces the shear stiffness so that the deflection under end loads is
    /// exact.
    pub fn residual_flexibility(mut self) -> Self {
        self.residual_flexibility = true;
        self
    }

    /// For elements with two nodes: the masses of the halves are at their centres instead of at the nodes.
    pub fn volumes(mut self) -> Self {
        self.volumes = true;
        self
    }
}

/// A straight bar with an axial force only, with Green's strain.
#[derive(Clone, Debug, PartialEq)]
pub struct Truss {
    pub(in crate::model) name: String,
    pub(in crate::model) ends: [Anchor; 2],
    pub(in crate::model) stiffness: f64,
    pub(in crate::model) mass: f64,
    pub(in crate::model) is_consistent: bool,
    pub(in crate::model) length: Option<f64>,
}

impl Truss {
    /// A bar between two points with stiffness EA and mass per length.
    pub fn new(name: &str, one: impl Into<Anchor>, two: impl Into<Anchor>) -> Self {
        let ends = [one.into(), two.into()];
        Self {
            name: name.into(),
            ends,
            stiffness: 0.0,
            mass: 0.0,
            is_consistent: false,
            length: None,
        }
    }

    /// Axial stiffness EA.
    pub fn stiffness(mut self, stiffness: f64) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// Mass per length.
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = mass;
        self
    }

    /// Uses the consistent mass matrix instead of half the mass at each end; only between point masses
    /// and the ground.
    pub fn consistent(mut self) -> Self {
        self.is_consistent = true;
        self
    }

    /// The relaxed length; the described length if not given.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }
}

/// A section stiffness with the shear flexibility increased by the bending flexibility that a two-node
/// element of this length does not represent.
pub(in crate::model) fn with_residual_flexibility(stiffness: &Matrix6, length: f64) -> Matrix6 {
    let mut softened = *stiffness;
    // shear along 2 is coupled with bending about 3, and shear along 3 with bending about 2
    for (shear, bending) in [(1, 5), (2, 4)] {
        let (ga, ej) = (stiffness[(shear, shear)], stiffness[(bending, bending)]);
        let soft = 1.0 / (1.0 / ga + length * length / (12.0 * ej));
        // coupling terms are scaled in proportion
        let scale = (soft / ga).sqrt();
        for k in 0..6 {
            softened[(shear, k)] *= scale;
            softened[(k, shear)] *= scale;
        }
    }
    softened
}
