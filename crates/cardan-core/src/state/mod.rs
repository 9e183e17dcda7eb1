//! The evolving data: an instant of the motion, and the history that a method keeps.
//!
//! The whole state of a run is [`State`](crate::simulation::State).

mod history;
mod instant;

pub use history::{AuxiliaryVector, MethodHistory};
pub use instant::Instant;
