//! Flexible multibody dynamics, with every integrator chosen by one word.

pub mod error;
pub mod exam;
pub mod linalg;
pub mod math;
pub mod methods;
pub mod simulation;
pub mod spectral;
pub mod stage;
pub mod state;
pub mod system;

pub use error::Error;
pub use linalg::Entries;
pub use simulation::{Initial, Settings, Simulation};
pub use stage::Formulation;
pub use state::{Instant, State};
pub use system::{Derivative, ForceTangent, Point, Space, System};
