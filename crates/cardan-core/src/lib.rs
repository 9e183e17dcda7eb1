//! Time integration of constrained mechanical systems.
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
