//! The equations of motion of a mechanical system.
//!
//! ```text
//! M(q) v̇ + G(t,q)ᵀ λ = f(t, q, v, λ, z)      dynamics
//! Φ(t, q) = 0                                holonomic constraints,  G = ∂Φ/∂q
//! G(t,q) v + b(t,q) = 0                      their rates, and the nonholonomic constraints
//! r(t, q, v, z, ż) = 0                       first-order states
//! ```
//! q lives on a product of vector spaces and rotations ([`Space`]), v in its tangent space; `∂/∂q`
//! always means the derivative with respect to the tangent increment d in `q ⊕ d`.

mod coupling;
pub mod difference;
mod equations;
mod error;
mod evaluator;
mod event;
mod failure;
mod force;
mod handle;
mod identity;
mod inactive_rows;
mod instant;
mod kinetic_energy;
mod limit;
mod quantity;
mod recording;
mod scratch;
mod shared;
mod space;
mod system_matrix;
mod tangent;
mod tangents;
mod verify;
mod view;
mod view_source;

pub use coupling::Coupling;
pub use equations::System;
pub use error::SystemError;
pub use evaluator::Evaluator;
pub use event::{CrossingDirection, EventInfo, EventSet, EventState, EventTrigger};
pub use failure::Failure;
pub use handle::SystemHandle;
pub use identity::Identity;
pub use instant::{InstantError, check_instant};
pub use kinetic_energy::kinetic_energy;
pub use limit::ValidityLimit;
pub use quantity::Quantity;
pub use scratch::Scratch;
pub use space::{CoordinateBlock, RotationIndex, Space};
pub use system_matrix::SystemMatrix;
pub use tangent::{Derivative, ForceTangent, StateTangent};
pub use verify::{DifferencedSystem, Discrepancy, verify};
pub use view::StateView;
pub use view_source::SystemSizes;
