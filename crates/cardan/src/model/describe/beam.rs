//! A beam as a user describes it: a path, a section, and how finely it is divided.

use super::{Anchor, VectorInput};
use crate::model::values::BeamForm;
use crate::model::values::Dimension;
use crate::model::values::{Function, Matrix6, Section};
use cardan_core::math::{Chart, Vector3};

/// A place on a beam's path.
#[derive(Clone, Debug, PartialEq)]
pub enum PathPoint {
    /// A place in the world.
    At(Vector3),
    /// A point of a body, to which the beam is fixed there.
    On(Anchor),
}

impl From<[f64; 3]> for PathPoint {
    fn from(place: [f64; 3]) -> Self {
        Self::At(place.into())
    }
}

impl From<[f64; 2]> for PathPoint {
    fn from(place: [f64; 2]) -> Self {
        Self::At(VectorInput::from(place).0)
    }
}

impl From<Vector3> for PathPoint {
    fn from(place: Vector3) -> Self {
        Self::At(place)
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
    /// Straight from place to place.
    Places(Vec<PathPoint>),
    /// A curve over s = 0…1, each end fixed to a body or free.
    Curve { shape: Box<[Function; 3]>, ends: [Option<String>; 2] },
}

/// A flexible beam along a path, stress-free as it is described.
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

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next place on its path; straight in between. A name fixes the beam to that point.
    pub fn through(mut self, place: impl Into<PathPoint>) -> Self {
        match &mut self.path {
            Path::Places(places) => places.push(place.into()),
            Path::Curve { .. } => self.path = Path::Places(vec![place.into()]),
        }
        self
    }

    /// Instead of places: a curve of three functions of s = 0…1 (their argument is not time then),
    /// each end fixed to a body or free.
    pub fn curve(mut self, shape: [Function; 3], start: Option<&str>, end: Option<&str>) -> Self {
        let ends = [start, end].map(|end| end.map(str::to_string));
        self.path = Path::Curve { shape: Box::new(shape), ends };
        self
    }

    /// How many elements between each place and the next.
    pub fn elements(mut self, elements: usize) -> Self {
        self.elements = vec![elements];
        self
    }

    /// How many elements between each place and the next, one by one.
    pub fn elements_each(mut self, elements: &[usize]) -> Self {
        self.elements = elements.to_vec();
        self
    }

    /// How many nodes an element has: 2 or 3.
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }

    /// How stresses act on the nodes.
    pub fn form(mut self, form: BeamForm) -> Self {
        self.form = form;
        self
    }

    /// How rotations are interpolated: Cayley's chart only for finite volumes.
    pub fn chart(mut self, chart: Chart) -> Self {
        self.chart = chart;
        self
    }

    /// A direction, world axes: the section's second axis lies across the beam as near to it as it can.
    /// Without it the third axis is as near to z as it can, or the second is y.
    pub fn across(mut self, direction: impl Into<VectorInput>) -> Self {
        self.across = Some(direction.into().0);
        self
    }

    /// How far the beam's line lies from its path, along the section's second and third axes.
    pub fn offset(mut self, offset: [f64; 2]) -> Self {
        self.offset = offset;
        self
    }

    /// A named station, from 0 at the start to 1 at the end.
    pub fn station(mut self, name: &str, at: f64) -> Self {
        self.stations.push((name.into(), at));
        self
    }

    /// The velocity of its start at the beginning, world axes.
    pub fn velocity(mut self, velocity: impl Into<VectorInput>) -> Self {
        self.velocity = Some(velocity.into().0);
        self
    }

    /// The angular velocity with which it turns as a whole at the beginning, world axes.
    pub fn angular_velocity(mut self, omega: [f64; 3]) -> Self {
        self.angular_velocity = Some(omega.into());
        self
    }

    /// Two nodes: softens shear so that end loads bend the element as far as they should.
    pub fn residual_flexibility(mut self) -> Self {
        self.residual_flexibility = true;
        self
    }

    /// Two nodes: masses of the halves about their own centres instead of at the nodes.
    pub fn volumes(mut self) -> Self {
        self.volumes = true;
        self
    }
}

/// A straight bar with an axial force only, of Green's strain.
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

    /// EA.
    pub fn stiffness(mut self, stiffness: f64) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// Mass per length.
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = mass;
        self
    }

    /// The mass matrix of linear interpolation instead of half the mass at each end; between point
    /// masses and the ground only.
    pub fn consistent(mut self) -> Self {
        self.is_consistent = true;
        self
    }

    /// The relaxed length; what it is as described if not given.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }
}

/// A stiffness with shear softened by what an element of a length cannot bend itself.
pub(in crate::model) fn with_residual_flexibility(stiffness: &Matrix6, length: f64) -> Matrix6 {
    let mut softened = *stiffness;
    // shear along 2 goes with bending about 3, and the other way round
    for (shear, bending) in [(1, 5), (2, 4)] {
        let (ga, ej) = (stiffness[(shear, shear)], stiffness[(bending, bending)]);
        let soft = 1.0 / (1.0 / ga + length * length / (12.0 * ej));
        // coupled sections keep their couplings in proportion
        let scale = (soft / ga).sqrt();
        for k in 0..6 {
            softened[(shear, k)] *= scale;
            softened[(k, shear)] *= scale;
        }
    }
    softened
}
