//! Progress on a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use cardan_lab::study::CaseProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar on a terminal; hidden elsewhere.
pub fn progress(cases: u64, is_quiet: bool) -> ProgressBar {
    let target = match is_quiet || !std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr(),
    };
    let bar = ProgressBar::with_draw_target(Some(cases), target);
    let style = ProgressStyle::with_template(
        "{bar:40} {pos}/{len} cases  {msg}  {elapsed}, {eta} remaining",
    );
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Shows the progress of a study in a bar.
pub struct CaseBar<'a>(pub &'a ProgressBar);

impl CaseProgress for CaseBar<'_> {
    fn set_total(&self, cases: u64) {
        self.0.set_length(cases);
    }

    fn begin_case(&self, name: String) {
        self.0.set_message(name);
    }

    fn end_case(&self) {
        self.0.inc(1);
    }
}
