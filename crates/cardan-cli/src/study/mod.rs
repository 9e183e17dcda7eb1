//! What studies have in common: runs that are kept as they come, and stopped by Ctrl-C.

mod outcome_store;

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cardan::file::{ModelFile, file_sha256};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use crate::VERSION;
pub use outcome_store::OutcomeStore;

/// A flag that Ctrl-C raises.
pub fn interruption() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    // without a handler Ctrl-C still ends the program, only less cleanly
    let _ = ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed));
    stop
}

/// A bar on a terminal, nothing elsewhere.
pub fn progress(cases: u64, is_quiet: bool) -> ProgressBar {
    let target = match is_quiet || !std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr(),
    };
    let bar = ProgressBar::with_draw_target(Some(cases), target);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} cases  {msg}  {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The program itself, by its bytes: outcomes of another one are not taken for its own.
pub fn program() -> String {
    let path = std::env::current_exe();
    path.and_then(|path| file_sha256(&path)).unwrap_or_else(|_| VERSION.to_string())
}

/// What outcomes depend on of a model: its text, the files it reads, the values of its parameters, and
/// how Newton's iterations end.
pub fn identity(file: &ModelFile) -> Value {
    let parameters: serde_json::Map<String, Value> =
        file.parameters.iter().map(|(name, x)| (name.clone(), json!(format!("{x:?}")))).collect();
    json!({
        "model": file.source.name,
        "text": file.source.text,
        "files": file.files,
        "parameters": parameters,
        "start": format!("{:?}", file.plan.start),
        "newton": format!("{:?}", file.plan.newton.value),
    })
}
