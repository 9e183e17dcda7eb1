//! The summary of a run, for people and for scripts.

use serde::{Deserialize, Serialize};

use crate::model::AssemblyReport;
use cardan_core::methods::ParameterValue;
use cardan_core::simulation::StepCounts;

/// The largest number of events in a summary and in the table of events.
pub const MAX_LISTED_EVENTS: usize = 100_000;

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventEntry {
    /// The time, in seconds.
    pub time: f64,
    /// The name of the event.
    pub name: String,
    /// The messages of its actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// The change of the energy by all events of this instant, in joules, on the last of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy_change: Option<f64>,
    /// The impulses of joints on their second bodies, world axes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impulses: Vec<JointImpulse>,
    /// Constraints that became redundant, and are not active from here on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redundant: Vec<String>,
}

/// The impulse of a joint on its second body, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointImpulse {
    /// The joint.
    pub joint: String,
    /// The impulse in N·s.
    pub force: [f64; 3],
    /// The angular impulse in N·m·s.
    pub moment: [f64; 3],
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// It is running, or was killed.
    Running,
    /// It reached its end.
    Completed,
    /// It was stopped from outside.
    Interrupted,
    /// A step could not be computed.
    Failed,
}

/// What interrupted a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Interruption {
    /// A signal, or the function that watches the run.
    Request,
    /// The limit of the computing time.
    Time,
    /// The limit of the memory.
    Memory,
    /// The free space on the disk.
    Space,
}

/// The summary of a run; `summary.json` in the folder of its results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunSummary {
    /// How it ended.
    pub status: RunStatus,
    /// Why it failed, or was interrupted by a limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
    /// What interrupted it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interruption: Option<Interruption>,
    /// Warnings about the choice of method and constraints, and about the results.
    pub warnings: Vec<String>,
    /// Values in the model that are allowed and may be mistakes.
    #[serde(default)]
    pub hints: Vec<String>,
    /// Changes and findings of the assembly: gaps, redundant constraints, uncertain friction.
    #[serde(default)]
    pub assembly: AssemblyReport,
    /// The program and its version.
    pub version: String,
    /// The model's file.
    pub model: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// SHA-256 of the model's text and, if it reads files, of their contents.
    pub model_sha256: String,
    /// The files it reads, with the SHA-256 of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<crate::output::FileDigest>,
    /// The values of the model's parameters.
    pub parameters: serde_json::Map<String, serde_json::Value>,
    /// Method, step, constraints, Newton.
    pub settings: serde_json::Value,
    /// The time at which the motion started.
    pub start: f64,
    /// The requested end time.
    pub end: f64,
    /// The time that was reached.
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// Accepted, rejected and failed steps, if a tolerance determined them, rescued steps, and jumps on which steps ended.
    #[serde(default)]
    pub step_counts: StepCounts,
    /// The smallest and the largest step, in seconds; the last one, which ends at the end, does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_range: Option<[f64; 2]>,
    /// Why the method was chosen, if it was not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method_choice: Option<String>,
    /// The event that ended the run before its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// The events that happened, in order; at most [`MAX_LISTED_EVENTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventEntry>,
    /// The number of events that happened.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub event_count: u64,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Factorizations of the stage's matrix.
    pub factorizations: u64,
    /// Seconds it took.
    pub wall_seconds: f64,
    /// The largest |energy − initial energy − work + losses| of any step, in joules.
    pub energy_drift: f64,
    /// The largest |Φ| of any step.
    pub max_position_residual: f64,
    /// The largest |G v + b| of any step.
    pub max_velocity_residual: f64,
    /// Rows written.
    pub rows: u64,
    /// The file of the results, in the folder of this summary. In what a run returns it is within the
    /// requested folder: `failed-1/results.parquet` if complete results stay in that folder.
    pub results: String,
    /// The columns with their units.
    pub columns: Vec<super::Column>,
}

impl RunSummary {
    /// The method with its parameters: "generalized-alpha (rho = 0.8)".
    pub fn method(&self) -> String {
        let method = self.settings["method"].as_str().unwrap_or_default().to_string();
        let pairs = self.settings["parameters"].as_array().into_iter().flatten();
        let name = |pair: &serde_json::Value| pair[0].as_str().unwrap_or_default().to_string();
        let value = |pair: &serde_json::Value| match &pair[1] {
            serde_json::Value::Number(number) => {
                number.as_f64().map_or_else(String::new, |x| ParameterValue::Number(x).to_string())
            }
            other => other.as_str().unwrap_or_default().to_string(),
        };
        let parameters: Vec<String> =
            pairs.map(|pair| format!("{} = {}", name(pair), value(pair))).collect();
        match parameters.is_empty() {
            true => method,
            false => format!("{method} ({})", parameters.join(", ")),
        }
    }

    /// The relative tolerance, if one determined the steps.
    pub fn tolerance(&self) -> Option<f64> {
        self.settings["control"]["relative"].as_f64()
    }

    /// The step.
    pub fn step_size(&self) -> f64 {
        self.settings["step_size"].as_f64().unwrap_or_default()
    }
}
