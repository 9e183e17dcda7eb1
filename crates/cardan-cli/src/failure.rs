//! Failures of commands: message, exit code and data for scripts.

use std::io::IsTerminal;

use cardan::file::Diagnostics;
use cardan::run::RunError;
use cardan::simulation::SimulationError;
use cardan_lab::{LabError, LabErrorKind};

/// A failed command. Exit codes: 2 for an error in the command or the model, 3 for a numerical failure, 4 for a run
/// that a limit of memory or disk space stopped, 128 plus the number of a signal for an interruption (Ctrl-C: 130).
pub struct CommandFailure {
    /// The message.
    pub message: String,
    /// Whether the message is complete: with its heading and its place in the file.
    pub is_rendered: bool,
    /// Output that is printed in spite of the failure.
    pub text: String,
    /// The exit code.
    pub code: u8,
    /// The diagnostics of a model file as JSON.
    pub mistakes: Option<serde_json::Value>,
}

impl CommandFailure {
    /// A failure of the input, with exit code 2.
    pub fn usage(message: String) -> Self {
        Self { message, is_rendered: false, text: String::new(), code: 2, mistakes: None }
    }

    /// This failure, with the diagnostics or the message as JSON on standard output if `--json` was given.
    pub fn in_json(mut self, is_json: bool) -> Self {
        if !is_json {
            return self;
        }
        if let Some(mistakes) = &self.mistakes {
            self.text = format!("{:#}\n", serde_json::json!({ "mistakes": mistakes }));
        } else if self.text.is_empty() {
            self.text = format!("{:#}\n", serde_json::json!({ "error": self.message }));
        }
        self
    }
}

impl From<cardan::Error> for CommandFailure {
    fn from(error: cardan::Error) -> Self {
        let code = match error {
            cardan::Error::Simulation(
                SimulationError::Step { .. } | SimulationError::Start { .. },
            )
            | cardan::Error::Static { .. }
            | cardan::Error::Modes(_) => 3,
            _ => 2,
        };
        Self { code, ..Self::usage(error.to_string()) }
    }
}

impl From<SimulationError> for CommandFailure {
    fn from(error: SimulationError) -> Self {
        cardan::Error::from(error).into()
    }
}

impl From<LabError> for CommandFailure {
    fn from(error: LabError) -> Self {
        let code = match error.kind {
            LabErrorKind::Numerical => 3,
            LabErrorKind::Interrupted => 130,
            LabErrorKind::Storage => 4,
            _ => 2,
        };
        let failure = match error.diagnostics {
            // the message has nothing but the diagnostics
            Some(diagnostics) if diagnostics.to_string() == error.message => (*diagnostics).into(),
            Some(diagnostics) => {
                Self { mistakes: Some(diagnostics.to_json()), ..Self::usage(error.message) }
            }
            None => Self::usage(error.message),
        };
        Self { code, text: error.text, ..failure }
    }
}

impl From<Diagnostics> for CommandFailure {
    fn from(mistakes: Diagnostics) -> Self {
        let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let (json, message) = (mistakes.to_json(), mistakes.render(colours));
        Self { is_rendered: true, mistakes: Some(json), ..Self::usage(message) }
    }
}

impl From<RunError> for CommandFailure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Diagnostics(mistakes) => mistakes.into(),
            RunError::Start(error) => error.into(),
            RunError::Write(error) if error.is_full => {
                Self { code: 4, ..Self::usage(error.to_string()) }
            }
            other => Self::usage(other.to_string()),
        }
    }
}

impl From<cardan::results::ReadError> for CommandFailure {
    fn from(error: cardan::results::ReadError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<cardan::output::OutputError> for CommandFailure {
    fn from(error: cardan::output::OutputError) -> Self {
        Self::usage(error.to_string())
    }
}
