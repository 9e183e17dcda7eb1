//! The driver: consistent start, steps, trial steps, interpolation, saved states.

mod continuation;
mod driver;
mod error;
mod initial;
mod interpolant;
mod kinematics;
mod limit_watch;
mod redundancy;
mod settings;
mod start;
mod state;
mod trial;
mod warning;
mod workspace;

pub use driver::{ConstraintResiduals, Effort, Simulation};
pub use error::{SimulationError, StartError};
pub use initial::{ConsistencyReport, InitialValues};
pub use interpolant::{Interpolant, QuadratureNode};
pub use kinematics::kinematics;
pub use settings::Settings;
pub use state::{ExceededLimit, State, StepOrigin};
pub use trial::Trial;
pub use warning::Warning;
