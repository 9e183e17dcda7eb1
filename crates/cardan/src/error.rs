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
    /// The mechanism cannot be built or put together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There are no modes.
    #[error("no modes: {0}")]
    Modes(#[from] ModesError),
    /// There is no linear system.
    #[error("cannot linearize: {0}")]
    StateSpace(#[from] StateSpaceError),
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
    /// What is worth trying.
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

fn percent(part: f64) -> String {
    format!("{} %", 100.0 * part)
}
