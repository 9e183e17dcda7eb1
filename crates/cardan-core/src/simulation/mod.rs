//! The driver: consistent start, steps, trial steps, interpolation, saved states.

mod advance;
mod continuation;
mod detour;
mod driver;
mod error;
mod error_norm;
mod event_actions;
mod event_memory;
mod event_search;
mod initial;
mod interpolant;
mod kinematics;
mod limit_watch;
mod redundancy;
mod settings;
mod start;
mod state;
mod step_controller;
mod tolerance;
mod trial;
mod warning;
mod workspace;

pub use advance::Advance;
pub use driver::{ConstraintResiduals, Effort, Simulation};
pub use error::{SimulationError, StartError, StepLimit};
pub use event_memory::{EventMemory, LoggedEvent};
pub use initial::{ConsistencyReport, InitialValues};
pub use interpolant::{Interpolant, QuadratureNode};
pub use kinematics::kinematics;
pub use settings::Settings;
pub use state::{ExceededLimit, State, StepOrigin};
pub use step_controller::StepCounts;
pub use tolerance::{AbsoluteTolerances, ErrorControl, TOLERANCES};
pub use trial::Trial;
pub use warning::Warning;
