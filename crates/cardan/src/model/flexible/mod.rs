//! Modes of flexible bodies in a floating frame: from analytic shapes of beams, or from finite elements.

mod beam;
mod finite_elements;
mod modal;
mod reduction;

pub use beam::{BeamModes, Support};
pub use finite_elements::{FiniteElements, ReductionError, ReductionInput};
pub use modal::{MassPoint, ModalBasis, ModalPoint};
pub use reduction::Interface;
