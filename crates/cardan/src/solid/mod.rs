//! Solids: their shapes, surfaces from files, mass and inertia.
//!
//! ```text
//!   STL, OBJ ── SurfaceMesh ─┐
//!   sizes, outlines ─────────┴─ Shape ── BodyShape: placed on a body ── Inertia: mass, centre, tensor
//! ```

mod body_shape;
mod colour;
mod edges;
mod inertia;
mod kinds;
mod obj;
mod outline;
mod properties;
mod shape;
mod stl;
mod surface;
mod triangles;

pub use body_shape::{BodyShape, ShapeFault};
pub use colour::Colour;
pub use inertia::{Inertia, InertiaError};
pub use kinds::{SHAPE_KINDS, ShapeInfo, ShapeInput, ShapeKey, ShapeValue};
pub use shape::Shape;
pub use surface::{MAX_SURFACE_BYTES, SurfaceError, SurfaceMesh};
