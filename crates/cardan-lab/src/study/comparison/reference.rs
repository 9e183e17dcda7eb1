//! What the cases of a comparison are compared with.

use std::path::PathBuf;

use crate::study::history::TimeHistory;
use cardan::methods::{MethodChoice, Permission, Registry, SettingsError};
use cardan::simulation::Settings;
use cardan::stage::Formulation;

/// The reference of a comparison.
#[derive(Clone, Debug)]
pub enum ComparisonReference {
    /// A fine run.
    Run(Box<Settings>),
    /// A file or folder of results, whose columns have the names of the signals.
    File(PathBuf),
    /// The signals over time, as from a closed form.
    Known {
        /// The name in the table.
        name: String,
        /// The signals.
        history: TimeHistory,
    },
}

impl ComparisonReference {
    /// A run of a method. It imposes constraints on accelerations, which keep the order of every method, if the
    /// method supports them.
    pub fn run(
        registry: &Registry,
        choice: &MethodChoice,
        step: f64,
    ) -> Result<Self, SettingsError> {
        let (info, _) = registry.build(choice)?;
        let constraints = match info.permission(Formulation::Acceleration) {
            Permission::Allowed => Formulation::Acceleration,
            Permission::Refused(_) => info.default_formulation(),
        };
        let settings = Settings::with_registry(registry, choice, step).constraints(constraints);
        Ok(Self::Run(Box::new(settings)))
    }

    /// The name in the table.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Known { name, .. } => name.clone(),
            Self::Run(settings) => {
                let step = crate::table::short(settings.step_size);
                format!("{} with steps of {step} s ({})", settings.choice(), settings.constraints)
            }
        }
    }
}
