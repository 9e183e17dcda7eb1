//! The limits of a run: computing time, memory, free space on the disk.

use std::time::{Duration, Instant};

use super::request::RunLimits;
use crate::results::{Interruption, ResultsFolder};

/// Memory and free space are looked up after this time.
const INTERVAL: Duration = Duration::from_millis(250);
/// The space for directories and small files, in bytes.
const MARGIN: u64 = 1 << 16;

/// Checks the limits of a run while it is computed.
pub(super) struct LimitCheck {
    limits: RunLimits,
    began: Instant,
    checked: Option<Instant>,
    has_stepped: bool,
}

impl LimitCheck {
    pub fn new(limits: RunLimits, began: Instant) -> Self {
        Self { limits, began, checked: None, has_stepped: false }
    }

    /// Which limit is reached, with a message. `reserve` is the space for states in bytes; memory and space are looked
    /// up now if something `is_written` next.
    pub fn reached(
        &mut self,
        folder: &ResultsFolder<'_>,
        reserve: u64,
        is_written: bool,
    ) -> Option<(Interruption, String)> {
        let now = Instant::now();
        // at least one step is taken: a run that is continued again and again comes to its end
        let is_first = !std::mem::replace(&mut self.has_stepped, true);
        if let Some(limit) =
            self.limits.time.filter(|limit| !is_first && now - self.began >= *limit)
        {
            let message = format!("the limit of the computing time, {limit:?}, is reached");
            return Some((Interruption::Time, message));
        }
        if !is_written && self.checked.is_some_and(|last| now - last < INTERVAL) {
            return None;
        }
        self.checked = Some(now);
        if let Some(message) = memory_message(&self.limits) {
            return Some((Interruption::Memory, message));
        }
        let needed = folder.space_needed_to_finish() + reserve + MARGIN;
        let available = folder.available_space()?;
        (available < needed).then(|| {
            let [needed, available] = [needed, available].map(megabytes);
            let message = format!(
                "the disk is nearly full: {available} MB are free, and {needed} MB are needed to write the \
                 results so far as one file"
            );
            (Interruption::Space, message)
        })
    }
}

/// The message if the program takes more memory than is allowed.
pub(super) fn memory_message(limits: &RunLimits) -> Option<String> {
    let limit = limits.memory?;
    let used = resident_memory().filter(|used| *used > limit)?;
    let [used, limit] = [used, limit].map(megabytes);
    Some(format!("the program takes {used} MB of memory; {limit} MB are allowed"))
}

/// The memory that the program takes, in bytes; `None` if it is unknown.
pub(super) fn resident_memory() -> Option<u64> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem as u64)
}

/// Megabytes with as many digits as are significant.
pub(super) fn megabytes(bytes: u64) -> String {
    let value = bytes as f64 * 1e-6;
    if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}
