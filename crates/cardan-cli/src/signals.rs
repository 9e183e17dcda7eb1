//! Signals that stop a computation at its next step. A second Ctrl-C ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

#[cfg(unix)]
const STOPPING: [i32; 4] =
    [SIGINT, SIGTERM, signal_hook::consts::SIGHUP, signal_hook::consts::SIGUSR1];
#[cfg(not(unix))]
const STOPPING: [i32; 2] = [SIGINT, SIGTERM];

/// The signal that has arrived, if any.
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Takes over the signals. Where that is not possible they end the program at once.
    pub fn new() -> Self {
        let arrived = Arc::new(AtomicUsize::new(0));
        let again = Arc::new(AtomicBool::new(false));
        // a second Ctrl-C finds the flag of the first
        let _ = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&again));
        let _ = flag::register(SIGINT, again);
        for signal in STOPPING {
            let number = usize::try_from(signal).unwrap_or_default();
            let _ = flag::register_usize(signal, Arc::clone(&arrived), number);
        }
        Self(arrived)
    }

    /// Whether none has arrived.
    pub fn is_quiet(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// The name of the signal and the exit code for it.
    pub fn name_and_code(&self) -> (&'static str, u8) {
        let number = self.0.load(Ordering::Relaxed);
        let is = |signal: i32| usize::try_from(signal) == Ok(number);
        let name = match () {
            () if is(SIGTERM) => "SIGTERM",
            #[cfg(unix)]
            () if is(signal_hook::consts::SIGHUP) => "SIGHUP",
            #[cfg(unix)]
            () if is(signal_hook::consts::SIGUSR1) => "SIGUSR1",
            () => return ("Ctrl-C", 130),
        };
        (name, u8::try_from(128 + number).unwrap_or(130))
    }
}

/// A flag that Ctrl-C and other signals set.
pub fn interruption() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in STOPPING {
        let _ = flag::register(signal, Arc::clone(&stop));
    }
    stop
}
