//! Reasons why a system has no linear equations or no modes.

use cardan_core::simulation::SimulationError;
use cardan_core::system::{InstantError, SystemError};

/// Reasons why there are no modes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModesError {
    /// The instant or the system cannot be evaluated.
    #[error(transparent)]
    Simulation(Box<SimulationError>),
    /// A motion without mass.
    #[error("no modes: a motion that the constraints allow has no mass: it has no frequency")]
    Massless,
    /// A first-order state whose rate does not follow from the equations.
    #[error(
        "no modes: the first-order equations do not determine the rate of {state}: ∂r/∂ż is singular"
    )]
    AlgebraicState {
        /// The state.
        state: String,
    },
    /// The shifted matrix is singular, or the space does not converge.
    #[error("no modes: the modes do not converge; ask for fewer, or for a smaller model")]
    Diverged,
    /// The eigenvalues of a full matrix could not be computed.
    #[error("no modes: the eigenvalues of the reduced matrices could not be computed")]
    Eigenvalues,
    /// A matrix has an entry that is not a number.
    #[error("no modes: the mass, damping or stiffness matrix has an entry that is not finite")]
    NotFinite,
    /// An observer with places that the system does not have, or a spin that is not finite.
    #[error("no modes: the observer belongs to another model, or its spin is not finite")]
    Observer,
    /// Matrices whose sizes do not fit each other.
    #[error("no modes: the matrices of the linear equations do not fit each other")]
    Sizes,
}

impl From<SimulationError> for ModesError {
    fn from(cause: SimulationError) -> Self {
        Self::Simulation(Box::new(cause))
    }
}

impl From<InstantError> for ModesError {
    fn from(cause: InstantError) -> Self {
        SimulationError::from(cause).into()
    }
}

impl From<SystemError> for ModesError {
    fn from(cause: SystemError) -> Self {
        SimulationError::from(cause).into()
    }
}
