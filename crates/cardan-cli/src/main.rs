//! The program `cardan`.

mod exam;
mod joints;
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
    /// List the kinds of joints: what each allows, its coordinates, its constraints.
    Joints(joints::Arguments),
    /// Let methods sit the exam: observed orders of q, v, a and multipliers, drift, effort.
    Exam(exam::Arguments),
}

/// Why a command failed, with its exit code: 2 for what a user can mend in the command, 3 for a
/// numerical failure.
struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    fn usage(message: String) -> Self {
        Self { message, code: 2 }
    }
}

impl From<cardan::Error> for Failure {
    fn from(error: cardan::Error) -> Self {
        let code = match error {
            cardan::Error::Step { .. } => 3,
            _ => 2,
        };
        Self { message: error.to_string(), code }
    }
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Methods(arguments) => methods::run(&arguments),
        Command::Joints(arguments) => joints::run(&arguments),
        Command::Exam(arguments) => exam::run(&arguments),
    };
    match result {
        Ok(text) => table::print(&text),
        Err(Failure { message, code }) => {
            eprintln!("error: {message}");
            ExitCode::from(code)
        }
    }
}
