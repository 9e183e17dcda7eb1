//! The shapes of homogeneous solids.

use std::f64::consts::PI;
use std::sync::Arc;

use super::inertia::{Inertia, InertiaError};
use super::outline::OutlineMoments;
use super::surface::SurfaceMesh;
use cardan_core::math::{Matrix3, Vector3};

/// A homogeneous solid in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box about its centre.
    Box {
        /// Lengths of the edges along x, y, z.
        edges: [f64; 3],
    },
    /// A cylinder along z about its centre.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length.
        length: f64,
    },
    /// A cylinder along z with hemispheres at its ends, about its centre.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centres of the hemispheres.
        length: f64,
    },
    /// A cone along z, pointed or truncated; its origin is halfway between its ends.
    Cone {
        /// Radius of the end at negative z.
        radius: f64,
        /// Radius of the end at positive z; 0 for a point.
        top: f64,
        /// Length.
        length: f64,
    },
    /// A sphere about its centre.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A thin rod along x; its density is mass per length, and it has no inertia about its axis.
    Rod {
        /// Length.
        length: f64,
    },
    /// A plane outline moved along z; its origin is halfway between the ends.
    Extrusion {
        /// The corners of the outline in order, x and y; the last is joined with the first.
        outline: Vec<[f64; 2]>,
        /// Length.
        length: f64,
    },
    /// A surface of triangles. It has a volume if it is closed.
    Mesh {
        /// The surface.
        surface: Arc<SurfaceMesh>,
    },
}

impl Shape {
    /// Checks sizes and outlines; a surface need not be closed.
    pub fn check(&self) -> Result<(), InertiaError> {
        match self {
            Self::Mesh { .. } => Ok(()),
            _ => Inertia::of(self, 1.0).map(drop),
        }
    }

    /// The radius of a sphere about the origin of the shape that contains it.
    pub fn extent(&self) -> f64 {
        match self {
            Self::Box { edges } => 0.5 * Vector3::from(*edges).norm(),
            Self::Cylinder { radius, length } => radius.hypot(0.5 * length),
            Self::Capsule { radius, length } => radius + 0.5 * length,
            Self::Cone { radius, top, length } => radius.max(*top).hypot(0.5 * length),
            Self::Sphere { radius } => *radius,
            Self::Rod { length } => 0.5 * length,
            Self::Extrusion { outline, length } => {
                let far = outline.iter().map(|[x, y]| x.hypot(*y)).fold(0.0, f64::max);
                far.hypot(0.5 * length)
            }
            Self::Mesh { surface } => {
                surface.vertices().iter().map(Vector3::norm).fold(0.0, f64::max)
            }
        }
    }
}

fn positive(what: &'static str, value: f64) -> Result<f64, InertiaError> {
    match value > 1e-100 && value < 1e100 {
        true => Ok(value),
        false => Err(InertiaError::Shape { what, value }),
    }
}

impl Inertia {
    /// The inertia of a homogeneous solid in the frame of its shape. The density is mass per volume, for a rod mass per length.
    pub fn of(shape: &Shape, density: f64) -> Result<Self, InertiaError> {
        positive("density", density)?;
        let about_origin = |mass: f64, squares: [f64; 3]| Self {
            mass,
            centre: Vector3::zeros(),
            tensor: Matrix3::from_diagonal(&(mass * Vector3::from(squares))),
        };
        Ok(match shape {
            Shape::Box { edges } => {
                for edge in edges {
                    positive("edge", *edge)?;
                }
                let [x, y, z] = edges.map(|e| e * e / 12.0);
                about_origin(density * edges.iter().product::<f64>(), [y + z, x + z, x + y])
            }
            Shape::Cylinder { radius, length } => {
                let square = positive("radius", *radius)?.powi(2);
                let across = square / 4.0 + positive("length", *length)?.powi(2) / 12.0;
                about_origin(density * PI * square * length, [across, across, square / 2.0])
            }
            Shape::Capsule { radius, length } => {
                let (r, l) = (positive("radius", *radius)?, positive("length", *length)?);
                let middle = density * PI * r * r * l;
                let ends = density * 4.0 / 3.0 * PI * r.powi(3);
                // a hemisphere has its centre of mass 3r/8 from its flat side
                let across = middle * (r * r / 4.0 + l * l / 12.0)
                    + ends * (0.4 * r * r + l * l / 4.0 + 0.375 * r * l);
                let along = middle * r * r / 2.0 + ends * 0.4 * r * r;
                Self {
                    mass: middle + ends,
                    centre: Vector3::zeros(),
                    tensor: Matrix3::from_diagonal(&Vector3::new(across, across, along)),
                }
            }
            Shape::Cone { radius, top, length } => cone(*radius, *top, *length, density)?,
            Shape::Sphere { radius } => {
                let square = positive("radius", *radius)?.powi(2);
                about_origin(density * 4.0 / 3.0 * PI * square * radius, [0.4 * square; 3])
            }
            Shape::Rod { length } => {
                let across = positive("length", *length)?.powi(2) / 12.0;
                about_origin(density * length, [0.0, across, across])
            }
            Shape::Extrusion { outline, length } => {
                positive("length", *length)?;
                let area = OutlineMoments::of(outline).map_err(InertiaError::Outline)?;
                let mass = density * area.area * length;
                let per_length = density * length;
                let along = mass * length * length / 12.0;
                let [xx, yy, xy] = area.second.map(|moment| per_length * moment);
                let mut tensor = Matrix3::from_diagonal(&Vector3::new(yy, xx, xx + yy));
                tensor[(0, 0)] += along;
                tensor[(1, 1)] += along;
                (tensor[(0, 1)], tensor[(1, 0)]) = (-xy, -xy);
                let [x, y] = area.centroid;
                Self { mass, centre: Vector3::new(x, y, 0.0), tensor }
            }
            Shape::Mesh { surface } => {
                let unit = surface.properties().map_err(InertiaError::Surface)?;
                unit.with_mass(density * unit.mass)
            }
        })
    }
}

/// The integrals over a truncated cone, first from its end at negative z.
fn cone(radius: f64, top: f64, length: f64, density: f64) -> Result<Inertia, InertiaError> {
    let (r, l) = (positive("radius", radius)?, positive("length", length)?);
    if !(0.0..1e100).contains(&top) {
        return Err(InertiaError::Shape { what: "top radius", value: top });
    }
    let t = top;
    let squares = r * r + r * t + t * t;
    let mass = density * PI * l / 3.0 * squares;
    let centroid = 0.25 * l * (r * r + 2.0 * r * t + 3.0 * t * t) / squares;
    let fourth = r.powi(4) + r.powi(3) * t + r * r * t * t + r * t.powi(3) + t.powi(4);
    let along = density * PI * l / 10.0 * fourth;
    let from_end =
        density * PI * l.powi(3) * (r * r / 30.0 + r * t / 10.0 + t * t / 5.0) + along / 2.0;
    let across = from_end - mass * centroid * centroid;
    Ok(Inertia {
        mass,
        centre: Vector3::new(0.0, 0.0, centroid - 0.5 * l),
        tensor: Matrix3::from_diagonal(&Vector3::new(across, across, along)),
    })
}
