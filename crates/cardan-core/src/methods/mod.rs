//! Time integration methods: each family has one formula and a table of members.

mod bdf2;
mod choice;
mod conditionally_explicit;
pub mod conditions;
mod error;
mod explicit;
mod generalized_alpha;
mod hht_add;
mod info;
mod local_error;
mod method;
mod multistep;
mod parameters;
mod predictor;
mod registry;
mod runge_kutta;
mod single_step;
mod stage_record;
mod step;
mod step_end;
mod trbdf2;

pub use choice::MethodChoice;
pub use error::SettingsError;
pub use info::{MethodInfo, Permission, Stability, SystemFeature};
pub use method::{
    AuxiliaryKind, EarlierValues, Estimate, Method, MethodStart, MethodStorage, StageNodes,
};
pub use multistep::in_chart;
pub use parameters::{Parameter, ParameterDomain, ParameterError, ParameterValue, ParameterValues};
pub use predictor::ExtrapolationWeights;
pub use registry::{Registry, all, find, words};
pub use stage_record::StageRecord;
pub use step::Step;
pub use step_end::{AccelerationSource, MotionSource, Projection, StepEnd};
