//! Errors of studies, charts and reproductions.

use cardan::Error;
use cardan::file::Diagnostics;
use cardan::output::OutputError;
use cardan::results::ReadError;
use cardan::run::RunError;
use cardan::simulation::SimulationError;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabErrorKind {
    /// The input cannot be used: a model, a manifest, an option, a file.
    Input,
    /// A computation failed, or its result differs from what was expected.
    Numerical,
    /// The work was interrupted.
    Interrupted,
    /// The disk is full.
    Storage,
}

/// A failed study, chart or reproduction.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct LabError {
    /// The message.
    pub message: String,
    /// The kind of failure.
    pub kind: LabErrorKind,
    /// The diagnostics of a model file, with their places.
    pub diagnostics: Option<Box<Diagnostics>>,
    /// Text of the results computed before the failure.
    pub text: String,
}

impl LabError {
    /// An error in the input.
    pub fn input(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            kind: LabErrorKind::Input,
            diagnostics: None,
            text: String::new(),
        }
    }

    /// This failure with another kind.
    #[must_use]
    pub fn of_kind(self, kind: LabErrorKind) -> Self {
        Self { kind, ..self }
    }
}

impl From<Error> for LabError {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Simulation(SimulationError::Step { .. } | SimulationError::Start { .. })
            | Error::Static { .. }
            | Error::Modes(_) => LabErrorKind::Numerical,
            _ => LabErrorKind::Input,
        };
        Self::input(error.to_string()).of_kind(kind)
    }
}

impl From<SimulationError> for LabError {
    fn from(error: SimulationError) -> Self {
        Error::from(error).into()
    }
}

impl From<Diagnostics> for LabError {
    fn from(diagnostics: Diagnostics) -> Self {
        let message = diagnostics.to_string();
        Self { diagnostics: Some(Box::new(diagnostics)), ..Self::input(message) }
    }
}

impl From<RunError> for LabError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Diagnostics(diagnostics) => diagnostics.into(),
            RunError::Start(error) => error.into(),
            other => Self::input(other.to_string()),
        }
    }
}

impl From<ReadError> for LabError {
    fn from(error: ReadError) -> Self {
        Self::input(error.to_string())
    }
}

impl From<OutputError> for LabError {
    fn from(error: OutputError) -> Self {
        Self::input(error.to_string())
    }
}
