//! The stage: the nonlinear problem that every implicit method solves at one instant.
//!
//! ```text
//! StageMap   what the method knows: q, v, a as functions of one unknown
//! Layout     which equations are enforced (position, stabilized, acceleration) and where they stand
//! Stage      residual, matrix and correction of those equations
//! newton     the one Newton loop
//! ```

mod assembly;
mod consistency;
mod equations;
mod formulation;
pub(crate) mod layout;
mod map;
mod measure;
mod newton;
mod problem;
mod running;

pub use consistency::Consistency;
pub use formulation::Formulation;
pub use map::{Link, StageMap};
pub use newton::{KeepJacobian, NewtonOptions};
pub use problem::Stage;
