//! Small motions about a state: natural frequencies, damping ratios, mode shapes, and the linear
//! state-space system.
//!
//! ```text
//! System at an instant ── linearize ──▶ M ξ̈ + D ξ̇ + K ξ + Gᵀ μ + F ζ = 0,  G ξ = 0
//!                                       R_ż ζ̇ + R_z ζ + R_v ξ̇ + R_q ξ = 0 of first-order states
//!                                            │ small: a basis of the motions that G allows, dense
//!                                            │ large: shift and invert, a Krylov space
//!                                            ▼
//!                                       Modes, and with inputs and outputs a StateSpace
//! ```

mod damped;
mod dense;
mod error;
mod full_matrix;
mod linearization;
mod matlab;
mod rigid;
mod shift;
mod solve;
mod stability;
mod state_scale;
mod state_space;
mod states;
mod undamped;

pub use crate::model::RotatingObserver;
pub use error::ModesError;
pub use linearization::Linearization;
pub use solve::{Mode, Modes, ModesOptions};
pub use stability::{StabilityTest, StabilityVerdict, StaticStability};
pub use state_space::{StateSpace, StateSpaceError};
pub use states::StateEquations;
