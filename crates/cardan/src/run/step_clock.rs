//! When the clock is read: reading it takes a few percent of the shortest steps.

use std::time::{Duration, Instant};

/// The clock is read before every step that begins this long after the last reading.
const INTERVAL: Duration = Duration::from_micros(100);
/// The most steps without a reading: the next ones may take much longer.
const MAX_STEPS: u32 = 8;
/// The clock is read before each of this many steps at first: a limit that is exceeded already stops the run at once.
const FIRST_READINGS: u32 = 8;

/// Counts steps between readings of the clock.
pub(super) struct StepClock {
    read: Instant,
    /// Steps since then.
    steps: u32,
    /// Steps between two readings.
    pause: u32,
    /// Readings so far.
    readings: u32,
}

impl StepClock {
    pub fn new() -> Self {
        Self { read: Instant::now(), steps: 0, pause: 1, readings: 0 }
    }

    /// Whether the clock should be read before the next step: call it once per step.
    pub fn is_due(&mut self) -> bool {
        self.steps += 1;
        if self.steps < self.pause {
            return false;
        }
        let now = Instant::now();
        self.readings = self.readings.saturating_add(1);
        self.pause = match now - self.read < INTERVAL && self.readings > FIRST_READINGS {
            true => (2 * self.pause).min(MAX_STEPS),
            false => 1,
        };
        (self.read, self.steps) = (now, 0);
        true
    }
}
