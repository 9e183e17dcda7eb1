//! A rigid body as a user describes it.

use super::VectorInput;
use crate::model::values::BodyKind;
use crate::solid::{BodyShape, Inertia, InertiaError, Shape};
use cardan_core::math::{Matrix3, Quaternion, Vector3, exponential};

/// A rigid body: mass and inertia, initial position and velocity, and named points.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub(in crate::model) name: String,
    pub(in crate::model) kind: BodyKind,
    pub(in crate::model) inertia: Result<Inertia, InertiaError>,
    pub(in crate::model) position: Vector3,
    pub(in crate::model) orientation: Quaternion,
    /// The planar angle; it may exceed one turn.
    pub(in crate::model) angle: f64,
    pub(in crate::model) velocity: Option<Vector3>,
    pub(in crate::model) angular_velocity: Option<Vector3>,
    pub(in crate::model) points: Vec<(String, Vector3)>,
    pub(in crate::model) assembly_weight: f64,
    pub(in crate::model) shapes: Vec<BodyShape>,
}

impl Body {
    fn new(name: &str, kind: BodyKind) -> Self {
        Self {
            name: name.into(),
            kind,
            inertia: Ok(Inertia::default()),
            position: Vector3::zeros(),
            orientation: Quaternion::IDENTITY,
            angle: 0.0,
            velocity: None,
            angular_velocity: None,
            points: Vec::new(),
            assembly_weight: 1.0,
            shapes: Vec::new(),
        }
    }

    /// A body in space.
    pub fn spatial(name: &str) -> Self {
        Self::new(name, BodyKind::Spatial)
    }

    /// A body in the x–y plane.
    pub fn planar(name: &str) -> Self {
        Self::new(name, BodyKind::Planar)
    }

    /// A point mass in space: it has no orientation.
    pub fn point_mass(name: &str, mass: f64) -> Self {
        Self::new(name, BodyKind::SpatialPoint).mass(mass)
    }

    /// A point mass in the x–y plane.
    pub fn planar_point_mass(name: &str, mass: f64) -> Self {
        Self::new(name, BodyKind::PlanarPoint).mass(mass)
    }

    /// The name of the body.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn with_inertia(mut self, change: impl FnOnce(&mut Inertia)) -> Self {
        if let Ok(inertia) = &mut self.inertia {
            change(inertia);
        }
        self
    }

    /// The mass.
    pub fn mass(self, mass: f64) -> Self {
        self.with_inertia(|inertia| inertia.mass = mass)
    }

    /// The inertias about the centre of mass: one for a planar body, three principal ones along the
    /// body axes, or the whole tensor.
    pub fn inertia(self, about_centre: impl Into<Tensor>) -> Self {
        let tensor = about_centre.into().0;
        self.with_inertia(|inertia| inertia.tensor = tensor)
    }

    /// The centre of mass from the body's origin, body axes.
    pub fn centre(self, centre: impl Into<VectorInput>) -> Self {
        let centre = centre.into().0;
        self.with_inertia(|inertia| inertia.centre = centre)
    }

    /// Mass and inertia of a homogeneous solid whose centre of mass is that of the body. The density is mass
    /// per volume, for a rod mass per length.
    pub fn shape(mut self, shape: Shape, density: f64) -> Self {
        let centre = self.inertia.as_ref().map_or(Vector3::zeros(), |inertia| inertia.centre);
        self.inertia = Inertia::of(&shape, density).map(|inertia| Inertia { centre, ..inertia });
        self.shapes = vec![BodyShape { position: None, ..BodyShape::new(shape) }];
        self
    }

    /// Shapes at places on the body. Those with a density give its mass, centre of mass and inertia together; if none
    /// has one, the shapes are only drawn.
    pub fn shapes(mut self, shapes: impl IntoIterator<Item = BodyShape>) -> Self {
        self.shapes.extend(shapes);
        match BodyShape::inertia(&self.shapes) {
            Ok(None) => self,
            Ok(Some(inertia)) => self.with_mass_properties(inertia),
            Err(fault) => Self { inertia: Err(fault.reason), ..self },
        }
    }

    /// Shapes at places on the body, which together are a homogeneous solid of a mass.
    pub fn shapes_with_mass(
        mut self,
        shapes: impl IntoIterator<Item = BodyShape>,
        mass: f64,
    ) -> Self {
        self.shapes.extend(shapes);
        match BodyShape::inertia_with_mass(&self.shapes, mass) {
            Ok(None) => self.mass(mass),
            Ok(Some(inertia)) => self.with_mass_properties(inertia),
            Err(fault) => Self { inertia: Err(fault.reason), ..self },
        }
    }

    /// Shapes at places on the body, which are only drawn.
    pub fn drawn_with(mut self, shapes: impl IntoIterator<Item = BodyShape>) -> Self {
        self.shapes.extend(shapes);
        self
    }

    fn with_mass_properties(self, mut inertia: Inertia) -> Self {
        if self.kind.is_in_plane() {
            // a planar body moves in z = 0, whatever the depth of its shapes; a given centre outside is an error
            inertia.centre.z = self.inertia.as_ref().map_or(0.0, |known| known.centre.z);
        }
        Self { inertia: Ok(inertia), ..self }
    }

    /// The position of the body's origin at the start.
    pub fn position(mut self, position: impl Into<VectorInput>) -> Self {
        self.position = position.into().0;
        self
    }

    /// The orientation of the body at the start.
    pub fn orientation(mut self, orientation: Quaternion) -> Self {
        self.orientation = orientation;
        self
    }

    /// The orientation of the body at the start, as a rotation vector (axis times angle).
    pub fn rotated(self, rotation: impl Into<VectorInput>) -> Self {
        self.orientation(exponential::retract(&rotation.into().0))
    }

    /// The angle of a planar body at the start.
    pub fn angle(mut self, angle: f64) -> Self {
        self.angle = angle;
        self
    }

    /// The velocity of the body's origin at the start, world axes. A velocity that is not given follows
    /// from the constraints.
    pub fn velocity(mut self, velocity: impl Into<VectorInput>) -> Self {
        self.velocity = Some(velocity.into().0);
        self
    }

    /// The angular velocity at the start, body axes.
    pub fn angular_velocity(mut self, omega: [f64; 3]) -> Self {
        self.angular_velocity = Some(omega.into());
        self
    }

    /// The angular velocity of a planar body at the start.
    pub fn spin(self, omega: f64) -> Self {
        self.angular_velocity([0.0, 0.0, omega])
    }

    /// A named point, from the body's origin, body axes.
    pub fn point(mut self, name: &str, at: impl Into<VectorInput>) -> Self {
        self.points.push((name.into(), at.into().0));
        self
    }

    /// Weight of the body's position in the least-squares assembly; 1 by default.
    pub fn assembly_weight(mut self, weight: f64) -> Self {
        self.assembly_weight = weight;
        self
    }
}

/// An inertia tensor about the centre of mass, body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tensor(pub Matrix3);

impl From<f64> for Tensor {
    fn from(about_z: f64) -> Self {
        Self(Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, about_z)))
    }
}

impl From<[f64; 3]> for Tensor {
    fn from(principal: [f64; 3]) -> Self {
        Self(Matrix3::from_diagonal(&principal.into()))
    }
}

impl From<Matrix3> for Tensor {
    fn from(tensor: Matrix3) -> Self {
        Self(tensor)
    }
}
