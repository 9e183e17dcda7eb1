//! Flexible multibody dynamics.
#![doc(test(attr(deny(warnings))))]

mod eigen;
mod error;
pub mod expression;
#[cfg(feature = "file")]
pub mod file;
pub mod model;
pub mod modes;
pub mod output;
#[cfg(feature = "results")]
pub mod results;
#[cfg(all(feature = "file", feature = "results"))]
pub mod run;
mod wildcard;

// known mechanisms for the unit tests of models
#[cfg(test)]
extern crate self as cardan;
#[cfg(test)]
#[path = "../../cardan-lab/src/gallery.rs"]
mod gallery;

pub use cardan_core::{
    Coupling, Derivative, Failure, ForceTangent, Formulation, InitialValues, Instant, Settings,
    Simulation, SimulationError, Space, SparseMatrix, State, StateView, System,
};
pub use cardan_core::{
    linalg, math, methods, simulation, stability, stage, state, suggestion, system,
};
pub use error::Error;
