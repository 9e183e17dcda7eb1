//! The program `cardan`: each command reads its options, calls a function of a library and prints the result.
//!
//! ```text
//!   command line           library function                            output
//!   ─────────────────      ─────────────────────────────────────       ─────────────────────────────
//!   run                    cardan::run::run                            summary, results folder
//!   resume                 cardan::run::SavedRun                       summary, results folder
//!   results                cardan::results::{inspect, join}            report, joined file
//!   check                  cardan::file::ModelFile::assemble           report, channels
//!   static                 AssembledMechanism::follow_equilibrium      iterations, channels
//!   modes, linearize       cardan::modes::{Modes, StateSpace}          tables, JSON, MAT file
//!   plot                   cardan::results, cardan_lab::chart          SVG, PNG
//!   view                   cardan_lab::viewer                          HTML
//!   export                 cardan_lab::gltf                            glTF
//!   gallery                cardan_lab::live_models                     HTML
//!   new                    cardan_lab::examples                        model file
//!   methods, joints        the registries of cardan                    tables
//!   schema                 cardan::file::json_schema                   JSON Schema
//!   spectrum, exam         cardan_lab::{spectral, exam}                tables, pictures, record
//!   compare, accuracy      cardan_lab::study                           tables, pictures, record
//!   study                  cardan_lab::study::parameters               Parquet table, pictures
//!   reproduce              cardan_lab::reproduce                       tables, pictures, web pages
//! ```
//! Every command has a file with its `Arguments` and a function `command`, which returns the text for standard output
//! or a `CommandFailure`. `main` prints the text and sets the exit code.

mod accuracy;
mod check;
mod compare;
mod exam;
mod export;
mod failure;
mod gallery;
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
mod results;
mod resume;
mod run;
mod run_options;
mod run_outcome;
mod schema;
mod signals;
mod spectrum;
mod statics;
mod study;
mod table;
mod version;
mod view;

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
    /// Simulate a model and write the results.
    Run(run::Arguments),
    /// Continue a run that was killed or interrupted, or extend a complete one.
    Resume(resume::Arguments),
    /// List the runs in a folder, verify their checksums, and join the rows of a run that died.
    Results(results::Arguments),
    /// Compute the static equilibrium of a model under its loads.
    Static(statics::Arguments),
    /// Compute natural frequencies, damping ratios and mode shapes of a model about a state.
    Modes(modes::Arguments),
    /// Linearize a model about a state: matrices A, B, C, D for named inputs and outputs.
    Linearize(linearize::Arguments),
    /// Check a model without running it: degrees of freedom, redundant constraints, assembly, size.
    Check(check::Arguments),
    /// Draw runs and studies as SVG or PNG, several in one picture.
    Plot(plot::Arguments),
    /// Write a page that shows a model or its runs in motion: one HTML file, without a network.
    View(view::Arguments),
    /// Write the motion of a run for other programs: animated glTF.
    Export(export::Arguments),
    /// Write a page with pictures of the example models that become live on click.
    Gallery(gallery::Arguments),
    /// List the example models, or write one to a file.
    New(new::Arguments),
    /// List the integration methods with orders and stability, or show one in detail.
    Methods(methods::Arguments),
    /// List the joint types: allowed motion, coordinates, number of constraints.
    Joints(joints::Arguments),
    /// Analyse methods on the linear oscillator: spectral radius, decay, period, stability, overshoot.
    Spectrum(spectrum::Arguments),
    /// Compare methods on a model: errors against a reference, orders, iterations, computing time.
    Compare(compare::Arguments),
    /// Compare methods under tolerances on the example models: errors, work, and the choice of `method = "auto"`.
    Accuracy(accuracy::Arguments),
    /// Compute many cases of a model from a study file: parameters vary, quantities are written as a table.
    Study(study::Arguments),
    /// Reproduce figures, tables and claims of papers as web pages, with the printed numbers for comparison.
    Reproduce(reproduce::Arguments),
    /// Run the verification problems: observed orders of q, v, a and multipliers, drift, effort.
    Exam(exam::Arguments),
    /// Print the JSON Schema of model files or study files, for editors.
    Schema(schema::Arguments),
    /// Print the completion script of a shell: cardan completions bash > ~/.local/share/bash-completion/completions/cardan
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
            run::command(&arguments).map_err(|failure| failure.in_json(arguments.options.json))
        }
        Command::Resume(arguments) => {
            resume::command(&arguments).map_err(|failure| failure.in_json(arguments.options.json))
        }
        Command::Results(arguments) => {
            results::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
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
        Command::Plot(arguments) => {
            plot::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::View(arguments) => view::command(&arguments),
        Command::Export(arguments) => export::command(&arguments),
        Command::Gallery(arguments) => gallery::command(&arguments),
        Command::New(arguments) => new::command(&arguments),
        Command::Accuracy(arguments) => accuracy::command(&arguments),
        Command::Methods(arguments) => methods::command(&arguments),
        Command::Joints(arguments) => joints::command(&arguments),
        Command::Spectrum(arguments) => spectrum::command(&arguments),
        Command::Compare(arguments) => {
            compare::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
        }
        Command::Study(arguments) => {
            study::command(&arguments).map_err(|failure| failure.in_json(arguments.json))
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
