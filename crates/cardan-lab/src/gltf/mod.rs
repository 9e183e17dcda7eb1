//! Animated glTF 2.0 files of a model and its motion, for Blender, CAD and slides.
//!
//! ```text
//!   Scene ── triangulation: triangles of shapes and sections ─┐
//!   MotionRecord ── nodes with positions and rotations ───────┴─ document: JSON and bytes ── .glb
//! ```

mod animation;
mod buffer;
mod document;
mod polygon;
mod sections;
mod triangulation;

pub(crate) use document::TONES;
pub use document::{glb, is_glb};
pub(crate) use sections::tube;
pub(crate) use triangulation::{Detail, Triangulation};
