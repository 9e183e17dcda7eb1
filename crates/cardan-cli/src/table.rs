//! Printing, and tables as text.

use std::io::{ErrorKind, Write};
use std::path::Path;
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

/// A path as one word of a command line.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    let is_plain = |c: char| c.is_alphanumeric() || "_./+=:,@%-".contains(c);
    match text.chars().all(is_plain) && !text.is_empty() {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}
