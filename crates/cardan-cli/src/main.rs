//! The program `cardan`.

mod check;
mod compare;
mod exam;
mod failure;
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
mod version;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use failure::CommandFailure;

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
