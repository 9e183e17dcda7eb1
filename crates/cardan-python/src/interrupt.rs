//! Ctrl-C and progress while a run computes without holding the interpreter.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Signals are looked up after this time: a run stops within a tenth of a second, or one step.
const INTERVAL: Duration = Duration::from_millis(40);

/// Looks for signals and reports progress from time to time.
pub struct Watch {
    has_begun: bool,
    checked: Instant,
    progress: Option<Py<PyAny>>,
    /// The exception that stops the run: `KeyboardInterrupt`, or one of the function that reports progress.
    pub stop: Option<PyErr>,
}

impl Watch {
    /// Reports progress to a Python function of the part that is done, from 0 to 1.
    pub fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { has_begun: false, checked: Instant::now(), progress, stop: None }
    }

    /// Whether this is the first call.
    pub fn is_first(&mut self) -> bool {
        !std::mem::replace(&mut self.has_begun, true)
    }

    /// Whether the run may continue; called before every step.
    #[inline]
    pub fn go_on(&mut self, done: impl Fn() -> f64) -> bool {
        if self.checked.elapsed() < INTERVAL {
            return true;
        }
        self.look(done())
    }

    fn look(&mut self, done: f64) -> bool {
        self.checked = Instant::now();
        let looked = Python::attach(|py| {
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                progress.call1(py, (done,))?;
            }
            Ok(())
        });
        match looked {
            Ok(()) => true,
            Err(error) => {
                self.stop = Some(error);
                false
            }
        }
    }
}
