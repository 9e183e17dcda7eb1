//! The stage: the nonlinear problem that every implicit method solves at one instant.
//!
//! ```text
//! StageMap   what the method knows: q, v, a as functions of one unknown
//! Layout     which equations are enforced (position, stabilized, acceleration) and where they stand
//! Stage      residual, matrix and correction of those equations
//! Companion  the velocities of the stabilized equations
//! newton     the one Newton loop
//! ```

mod assembly;
mod companion;
mod consistency;
mod equations;
mod formulation;
mod layout;
pub(crate) mod least_squares;
mod map;
mod measure;
mod newton;
mod problem;
mod running;
pub(crate) mod saddle;
mod statics;

pub use companion::Impulses;
pub use consistency::Consistency;
pub use formulation::Formulation;
pub use map::{Balance, Link, StageMap};
pub use newton::{KeepJacobian, NewtonOptions};
pub use problem::Stage;
pub use statics::{Iteration, Search, Statics};
