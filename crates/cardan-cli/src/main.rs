//! The program `cardan`.

mod check;
mod compare;
mod exam;
mod joints;
mod linearize;
mod methods;
mod model;
mod modes;
mod new;
mod operating_point;
mod overwrite_option;
mod plot;
mod progress;
mod reproduce;
mod run;
mod schema;
mod spectrum;
mod statics;
mod table;

use std::io::IsTerminal;
use std::process::ExitCode;

use cardan::file::Diagnostics;
use cardan::run::RunError;
use cardan::simulation::SimulationError;
use cardan_lab::{LabError, LabErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

/// The version, with the commit it was built from.
const VERSION: &str = concat!("cardan ", env!("CARDAN_VERSION"));

/// Flexible multibody dynamics, with every integrator chosen by one word.
#[derive(Parser)]
#[command(name = "cardan", version = env!("CARDAN_VERSION"))]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compute the motion of a model and write the results.
    Run(run::Arguments),
    /// Find the equilibrium of a model under its loads.
    Static(statics::Arguments),
    /// Find natural frequencies, damping ratios and mode shapes of a model about a state.
    Modes(modes::Arguments),
    /// Write the linear system of small motions about a state: A, B, C, D for named inputs and outputs.
    Linearize(linearize::Arguments),
    /// Check a model: degrees of freedom, redundant constraints, what had to be moved, sizes.
    Check(check::Arguments),
    /// Draw results as SVG or PNG.
    Plot(plot::Arguments),
    /// List the examples, or write one out to begin with.
    New(new::Arguments),
    /// List the integration methods: orders (nominal and measured), stability, parameters.
    Methods(methods::Arguments),
    /// List the kinds of joints: what each allows, its coordinates, its constraints.
    Joints(joints::Arguments),
    /// Analyse methods on the oscillator: radius, decay, period, roots, stability, overshoot.
    Spectrum(spectrum::Arguments),
    /// Compare methods on a model: errors against a reference, orders, iterations, time.
    Compare(compare::Arguments),
    /// Reproduce figures, tables and claims of papers as a site of pages, printed numbers beside ours.
    Reproduce(reproduce::Arguments),
    /// Let methods sit the exam: observed orders of q, v, a and multipliers, drift, effort.
    Exam(exam::Arguments),
    /// Print the model format as a JSON Schema for editors.
    Schema(schema::Arguments),
    /// Print completions for a shell: cardan completions bash > ~/.local/share/bash-completion/completions/cardan
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Why a command failed, with its exit code: 2 for what a user can mend in the command or the model,
/// 3 for a numerical failure, 130 when interrupted.
struct CommandFailure {
    message: String,
    /// Whether the message has its heading and its place already.
    is_rendered: bool,
    /// What is printed all the same.
    text: String,
    code: u8,
    /// The mistakes in a model, for scripts.
    mistakes: Option<serde_json::Value>,
}

impl CommandFailure {
    fn usage(message: String) -> Self {
        Self { message, is_rendered: false, text: String::new(), code: 2, mistakes: None }
    }

    /// The same failure with its mistakes on standard output, if that is what was asked for.
    fn in_json(mut self, wanted: bool) -> Self {
        if let (true, Some(mistakes)) = (wanted, &self.mistakes) {
            self.text = format!("{:#}\n", serde_json::json!({ "mistakes": mistakes }));
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
            _ => 2,
        };
        let failure = match error.diagnostics {
            // the message is that of the model file alone
            Some(diagnostics) if diagnostics.to_string() == error.message => diagnostics.into(),
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

fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "cardan", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => {
            run::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::Check(arguments) => {
            check::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::Static(arguments) => {
            statics::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::Modes(arguments) => {
            modes::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::Linearize(arguments) => {
            linearize::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::Plot(arguments) => plot::command(&arguments),
        Command::New(arguments) => new::command(&arguments),
        Command::Methods(arguments) => methods::command(&arguments),
        Command::Joints(arguments) => joints::command(&arguments),
        Command::Spectrum(arguments) => spectrum::command(&arguments),
        Command::Compare(arguments) => {
            compare::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::Reproduce(arguments) => {
            reproduce::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::Exam(arguments) => exam::command(&arguments),
        Command::Schema(arguments) => schema::command(&arguments),
        Command::Completions { shell } => Ok(completions(shell)),
    };
    match result {
        Ok(text) => table::print(&text),
        Err(CommandFailure { message, is_rendered, text, code, .. }) => {
            table::print(&text);
            match is_rendered {
                true => table::print_note(message.trim_end()),
                false => table::print_note(&format!("error: {message}")),
            }
            ExitCode::from(code)
        }
    }
}
