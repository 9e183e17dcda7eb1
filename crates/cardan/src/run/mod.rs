//! From a model file to results in a folder.

mod execute;
mod monitor;

pub use execute::{RunError, RunProgress, RunRequest, explained, recorder, run, run_on};
