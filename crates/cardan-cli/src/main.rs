//! The program `cardan`.

mod exam;
mod methods;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Flexible multibody dynamics, with every integrator chosen by one word.
#[derive(Parser)]
#[command(name = "cardan", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the integration methods: orders (nominal and measured), stability, parameters.
    Methods(methods::Arguments),
    /// Let methods sit the exam: observed orders of q, v, a and multipliers, drift, effort.
    Exam(exam::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Methods(arguments) => methods::run(&arguments),
        Command::Exam(arguments) => exam::run(&arguments),
    };
    match result {
        Ok(text) => table::print(&text),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
