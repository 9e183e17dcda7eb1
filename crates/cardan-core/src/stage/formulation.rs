//! Which constraints a stage enforces, independent of the method.

use serde::{Deserialize, Serialize};

/// The level at which holonomic constraints are imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formulation {
    /// Φ = 0 in the stage (index 3).
    Position,
    /// Φ = 0 and Φ̇ = 0 in the stage, with multipliers μ that move q (stabilized index 2).
    Stabilized,
    /// Φ̈ = 0 in the stage (index 1), then projection of q and v.
    Acceleration,
}

impl Formulation {
    /// Every formulation.
    pub const ALL: [Self; 3] = [Self::Position, Self::Stabilized, Self::Acceleration];

    /// The name in settings and model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Stabilized => "stabilized",
            Self::Acceleration => "acceleration",
        }
    }
}

impl std::fmt::Display for Formulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Formulation {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| {
            format!("constraints = \"{name}\" is not one of position, stabilized, acceleration")
        })
    }
}
