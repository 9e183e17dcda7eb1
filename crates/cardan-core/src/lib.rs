#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! - [`system`]: the trait [`System`] and its evaluation; [`system::verify`] compares written tangents with differences.
//! - [`simulation`]: [`Simulation`], its [`Settings`], trial steps, interpolation, kinematic analysis.
//! - [`methods`]: the registry of methods, and what a new method needs ([`methods::Method`], [`methods::Step`]).
//! - [`stage`]: the nonlinear equations that implicit methods solve, consistent accelerations, static equilibrium.
//! - [`stability`]: stability limits and spectral radii of methods on the linear oscillator.
//! - [`state`]: the [`Instant`] and the history of a method as plain data.
//! - [`linalg`], [`math`]: sparse matrices and their factorization; rotations, charts, automatic differentiation.
//! - [`suggestion`]: helpers for messages.
#![doc(test(attr(deny(warnings))))]

pub mod linalg;
pub mod math;
pub mod methods;
pub mod simulation;
pub mod stability;
pub mod stage;
pub mod state;
pub mod suggestion;
pub mod system;

pub use linalg::SparseMatrix;
pub use simulation::{InitialValues, Settings, Simulation, SimulationError, State};
pub use stage::Formulation;
pub use state::Instant;
pub use system::{Coupling, Derivative, Failure, ForceTangent, Space, StateView, System};
