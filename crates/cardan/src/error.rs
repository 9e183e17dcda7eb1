//! Any failure of the library, as data.

use cardan_core::methods::SettingsError;
use cardan_core::simulation::SimulationError;
use cardan_core::stage::StageError;
use cardan_core::suggestion::remedy_line;
use cardan_core::system::{InstantError, SystemError};

use crate::model::{ModelError, SpinError};
use crate::modes::{ModesError, StateSpaceError};

/// Any failure of the library.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A motion cannot begin or continue.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// The mechanism cannot be built or assembled.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There are no modes.
    #[error(transparent)]
    Modes(ModesError),
    /// There is no linear system.
    #[error(transparent)]
    StateSpace(StateSpaceError),
    /// No equilibrium was found.
    #[error(
        "no equilibrium found at {} of the load, t = {time}: {cause}{}",
        percent(*load),
        remedy_line(Some(cause.static_remedy()))
    )]
    Static {
        /// The part of the load.
        load: f64,
        /// The time.
        time: f64,
        /// The reason.
        #[source]
        cause: StageError,
    },
    /// An angular velocity with which a model cannot rotate as a whole.
    #[error(transparent)]
    Spin(#[from] SpinError),
}

impl Error {
    /// A remedy, if one is known.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Simulation(cause) => cause.remedy(),
            Self::Model(cause) => cause.remedy(),
            Self::Static { cause, .. } => Some(cause.static_remedy().into()),
            Self::Spin(cause) => Some(cause.remedy().into()),
            Self::Modes(_) | Self::StateSpace(_) => None,
        }
    }
}

macro_rules! from_parts_of_a_simulation {
    ($($cause:ty)*) => {
        $(impl From<$cause> for Error {
            fn from(cause: $cause) -> Self {
                Self::Simulation(cause.into())
            }
        })*
    };
}

from_parts_of_a_simulation!(SystemError SettingsError InstantError);

impl From<ModesError> for Error {
    fn from(cause: ModesError) -> Self {
        match cause {
            ModesError::Simulation(cause) => Self::Simulation(*cause),
            cause => Self::Modes(cause),
        }
    }
}

impl From<StateSpaceError> for Error {
    fn from(cause: StateSpaceError) -> Self {
        match cause {
            StateSpaceError::Modes(cause) => cause.into(),
            cause => Self::StateSpace(cause),
        }
    }
}

fn percent(part: f64) -> String {
    format!("{} %", 100.0 * part)
}
