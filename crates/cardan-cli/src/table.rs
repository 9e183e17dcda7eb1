//! Printing, and tables as text.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

pub use cardan_lab::table::{decimal, duration, render, short};

/// Prints a line to standard error. A failure to write there is ignored.
pub fn print_note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints to standard output. A closed pipe is no failure.
pub fn print(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            print_note(&format!("error: cannot write the output: {error}"));
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}
