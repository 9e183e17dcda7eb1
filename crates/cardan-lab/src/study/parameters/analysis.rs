//! What is computed in each case of a study.

use serde::{Deserialize, Serialize};

/// What is computed in each case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseAnalysis {
    /// The motion.
    #[default]
    Run,
    /// The static equilibrium.
    Static,
    /// Natural frequencies about the start.
    Modes,
    /// Natural frequencies about the equilibrium; with `modes.spin.z` and the like, about steady rotation.
    StaticModes,
}

/// The analyses with their words and meanings.
pub const ANALYSES: [(CaseAnalysis, &str, &str); 4] = [
    (CaseAnalysis::Run, "run", "the motion"),
    (CaseAnalysis::Static, "static", "the static equilibrium"),
    (CaseAnalysis::Modes, "modes", "natural frequencies about the start"),
    (
        CaseAnalysis::StaticModes,
        "static-modes",
        "natural frequencies about the equilibrium; with `modes.spin.z` and the like, about steady rotation",
    ),
];

impl CaseAnalysis {
    /// Whether modes are computed.
    pub fn has_modes(self) -> bool {
        matches!(self, Self::Modes | Self::StaticModes)
    }
}
