//! Shapes at their places on a body.

use super::colour::Colour;
use super::inertia::{Inertia, InertiaError};
use super::shape::Shape;
use cardan_core::math::{Quaternion, Vector3};

/// A shape on a body or on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyShape {
    /// The shape.
    pub shape: Shape,
    /// The origin of the shape's frame from that of the body, body axes; `None`: its centre of mass is that of the body.
    pub position: Option<Vector3>,
    /// The orientation of the shape's frame on the body.
    pub orientation: Quaternion,
    /// The colour of its picture.
    pub colour: Option<Colour>,
    /// Mass per volume, for a rod per length; without it the shape is drawn only.
    pub density: Option<f64>,
}

/// Why the shapes of a body have no inertia.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeFault {
    /// The index of the shape.
    pub index: usize,
    /// The reason.
    pub reason: InertiaError,
}

impl BodyShape {
    /// A shape at the origin of its body, which is drawn only.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            position: Some(Vector3::zeros()),
            orientation: Quaternion::IDENTITY,
            colour: None,
            density: None,
        }
    }

    /// The origin of the shape's frame from that of the body, body axes.
    pub fn position(mut self, position: impl Into<Vector3>) -> Self {
        self.position = Some(position.into());
        self
    }

    /// The orientation of the shape's frame on the body.
    pub fn orientation(mut self, orientation: Quaternion) -> Self {
        self.orientation = orientation;
        self
    }

    /// The colour of its picture.
    pub fn colour(mut self, colour: Colour) -> Self {
        self.colour = Some(colour);
        self
    }

    /// Mass per volume, for a rod per length: the shape gives mass and inertia.
    pub fn density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }

    /// The origin of the shape's frame from that of the body whose centre of mass is at a place.
    pub fn origin(&self, centre: &Vector3) -> Vector3 {
        self.position.unwrap_or_else(|| {
            let own = Inertia::of(&self.shape, 1.0).map_or(Vector3::zeros(), |x| x.centre);
            centre - self.orientation.rotate(&own)
        })
    }

    /// Mass, centre and inertia of the shapes that have a density, in body axes; `None` if there are none.
    pub fn inertia(shapes: &[Self]) -> Result<Option<Inertia>, ShapeFault> {
        let with_density = |(index, shape): (usize, &Self)| {
            shape.density.map(|density| shape.placed(index, density))
        };
        let mut total: Option<Inertia> = None;
        for part in shapes.iter().enumerate().filter_map(with_density) {
            let part = part?;
            total = Some(total.map_or(part, |sum| sum.plus(&part)));
        }
        Ok(total)
    }

    /// Centre and inertia of all shapes as one homogeneous solid of a mass, in body axes.
    pub fn inertia_with_mass(shapes: &[Self], mass: f64) -> Result<Option<Inertia>, ShapeFault> {
        let is_rod = |shape: &Self| matches!(shape.shape, Shape::Rod { .. });
        let rods = shapes.iter().filter(|shape| is_rod(shape)).count();
        if rods > 0 && rods < shapes.len() {
            let index = shapes.iter().position(is_rod).unwrap_or(0);
            return Err(ShapeFault { index, reason: InertiaError::Mixed });
        }
        let with_unit_density: Vec<Self> =
            shapes.iter().map(|shape| shape.clone().density(1.0)).collect();
        Ok(Self::inertia(&with_unit_density)?.map(|unit| unit.with_mass(mass)))
    }

    fn placed(&self, index: usize, density: f64) -> Result<Inertia, ShapeFault> {
        let own = Inertia::of(&self.shape, density);
        let own = own.map_err(|reason| ShapeFault { index, reason })?;
        Ok(own.placed(&self.position.unwrap_or_default(), self.orientation))
    }
}
