//! The stage: the nonlinear problem that every implicit method solves at one instant.
//!
//! ```text
//! StageMap    what the method knows: q, v, a as functions of one unknown
//! Stage       its unknowns; residual, matrix and correction of the equations that are enforced
//! Reaction    how constraints act: by multipliers, stabilized, or in a method's own way
//! Velocities  velocities with unknowns of their own
//! newton      the one Newton loop
//! ```

mod assembly;
mod consistency;
mod context;
mod diagnosis;
mod equations;
mod formulation;
mod iterate;
mod layout;
pub(crate) mod least_squares;
mod linear;
mod map;
mod measure;
mod newton;
mod problem;
mod reaction;
pub(crate) mod saddle;
mod statics;
mod unknowns;
mod velocities;

pub use consistency::Consistency;
pub(crate) use context::Context;
pub use formulation::Formulation;
pub use linear::Linear;
pub use map::{Balance, Link, StageMap};
pub use newton::{KeepJacobian, NewtonOptions};
pub use problem::Stage;
pub use reaction::{Iterate, Reaction};
pub use statics::{Iteration, Search, Statics};
pub use unknowns::Unknowns;
pub use velocities::Velocities;
