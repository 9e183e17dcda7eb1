//! The scene of a model: what a picture shows, and which values move it.
//!
//! ```text
//!   Model, Instant ── Scene: bodies, joints, forces, beams on numbered nodes
//!                └─── SceneTracks: the channels of all nodes and values, evaluated at any instant to one row
//! ```

mod attach;
mod build;
mod data;
mod derive;
mod forces;
mod tracks;

pub use data::{
    Scene, SceneBeam, SceneBody, SceneEnd, SceneFlexible, SceneForce, SceneJoint, ScenePoint,
    SceneShape, SceneSolid, SceneStructure,
};
pub use tracks::{NODE_WIDTH, SceneTracks, SceneValue};
