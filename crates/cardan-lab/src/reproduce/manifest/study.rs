//! Studies of a manifest: one motion with its methods, steps and reference.

use std::collections::BTreeMap;

use cardan::Formulation;
use cardan::stage::{KeepJacobian, NewtonOptions};
use serde::Deserialize;

use super::amount::Amount;

/// Rows that may be kept of a run.
const MAX_ROWS: usize = 1_000_000;

/// One motion, computed in many ways.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestStudy {
    /// An example (`cardan new`) or a model file.
    pub model: Option<String>,
    /// Equations written by hand ([`crate::papers::PROBLEMS`]).
    pub problem: Option<String>,
    /// Parameters of the model or the problem.
    #[serde(default)]
    pub set: BTreeMap<String, Amount>,
    pub end: Amount,
    /// The time from which signals are compared.
    pub from: Option<Amount>,
    /// Signals of a model: channels, or formulas of channels in backquotes.
    #[serde(default)]
    pub signals: BTreeMap<String, String>,
    pub runs: Vec<ManifestRuns>,
    /// What steps are multiples of.
    pub unit: Option<Amount>,
    /// METHOD@STEP, or `exact` where the exact motion is known.
    pub reference: Option<String>,
    /// Words of parameters for every method that takes them, unless it is given others.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// Options of Newton; a number is its tolerance.
    #[serde(default)]
    pub newton: ManifestNewton,
    /// Whether a stage that cannot be solved from its prediction is tried again. Other programs do not.
    #[serde(default = "yes")]
    pub newton_retry: bool,
    /// The earlier key of `newton_retry`, inverted.
    #[serde(default)]
    gives_up: bool,
    /// Number of steps omitted at the end.
    #[serde(default, alias = "fewer")]
    pub omit_last_steps: u32,
    /// Rows kept of each run.
    #[serde(default = "default_rows")]
    pub rows: usize,
    /// Runs of each case, of which the fastest counts.
    #[serde(default = "once")]
    pub repeat: u32,
    /// Whether the last state of a structure is kept.
    #[serde(default)]
    pub snapshot: bool,
    #[serde(default)]
    pub quick: Quick,
}

impl ManifestStudy {
    /// Whether a stage that cannot be solved from its prediction is tried again.
    pub fn retries_newton(&self) -> bool {
        self.newton_retry && !self.gives_up
    }
}

/// Options of Newton as a manifest gives them: a tolerance, or a table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "NewtonValue")]
pub struct ManifestNewton {
    tolerance: Option<f64>,
    iterations: Option<usize>,
    keep_jacobian: Option<KeepJacobian>,
    early_end: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum NewtonValue {
    Tolerance(f64),
    Options(NewtonTable),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewtonTable {
    tolerance: Option<f64>,
    iterations: Option<usize>,
    keep_jacobian: Option<KeepJacobian>,
    early_end: Option<bool>,
}

impl From<NewtonValue> for ManifestNewton {
    fn from(value: NewtonValue) -> Self {
        match value {
            NewtonValue::Tolerance(tolerance) => {
                Self { tolerance: Some(tolerance), ..Self::default() }
            }
            NewtonValue::Options(NewtonTable {
                tolerance,
                iterations,
                keep_jacobian,
                early_end,
            }) => Self { tolerance, iterations, keep_jacobian, early_end },
        }
    }
}

impl ManifestNewton {
    /// The options with those that are given.
    pub fn applied_to(&self, options: NewtonOptions) -> NewtonOptions {
        NewtonOptions {
            tolerance: self.tolerance.unwrap_or(options.tolerance),
            iterations: self.iterations.unwrap_or(options.iterations),
            keep_jacobian: self.keep_jacobian.unwrap_or(options.keep_jacobian),
            early_end: self.early_end.unwrap_or(options.early_end),
            ..options
        }
    }
}

/// What differs in the quick form.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quick {
    pub end: Option<Amount>,
    pub set: BTreeMap<String, Amount>,
    pub reference: Option<String>,
    /// Cases of more steps are omitted.
    pub steps: f64,
    /// Whether the whole study is omitted.
    pub skip: bool,
}

impl Default for Quick {
    fn default() -> Self {
        Self { end: None, set: BTreeMap::new(), reference: None, steps: 2500.0, skip: false }
    }
}

fn yes() -> bool {
    true
}

fn default_rows() -> usize {
    2000
}

fn once() -> u32 {
    1
}

/// Methods with their steps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestRuns {
    pub methods: Vec<String>,
    #[serde(default)]
    pub steps: Vec<Amount>,
    /// Steps over the number of stages.
    #[serde(default)]
    pub substeps: Vec<Amount>,
    pub constraints: Option<Formulation>,
}

impl ManifestStudy {
    /// The first error in its content.
    pub fn mistake(&self) -> Option<String> {
        if self.runs.is_empty() {
            return Some("it has no runs".into());
        }
        for (k, runs) in self.runs.iter().enumerate() {
            let what = match () {
                () if runs.methods.is_empty() => "methods",
                () if runs.steps.is_empty() && runs.substeps.is_empty() => "steps or substeps",
                () => continue,
            };
            return Some(format!("runs {} have no {what}", k + 1));
        }
        if self.newton.tolerance.is_some_and(|x| !(x.is_finite() && x > 0.0)) {
            return Some("Newton's tolerance is not positive".into());
        }
        if self.newton.iterations == Some(0) {
            return Some("Newton has no iterations".into());
        }
        (self.rows > MAX_ROWS)
            .then(|| format!("{} rows are too many to keep; the maximum is {MAX_ROWS}", self.rows))
    }
}
