//! Animated glTF 2.0 files of a model and its motion, for Blender, CAD and slides.
//!
//! ```text
//!   Scene ── triangulation, sections, coil: triangles ─────────────┐
//!   MotionRecord ── animation: positions and rotations of nodes ───┴─ document: nodes and meshes ── draft: .glb
//! ```

mod animation;
mod buffer;
mod coil;
mod document;
mod draft;
mod flexible;
mod polygon;
mod sections;
mod structures;
mod symbols;
mod triangulation;

pub(crate) use document::TONES;
pub use document::glb;
pub use draft::is_glb;
pub(crate) use sections::tube;
pub(crate) use triangulation::{Detail, Triangulation};
