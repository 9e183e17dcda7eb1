//! The memory that a model may take: a number of parts follows from it.

/// The memory of a part in a run, in bytes: half of that of a spatial body and its revolute joint in a chain whose motion is
/// recorded, measured (`benches/README.md`).
const BYTES_PER_PART: u64 = 8_000;

/// The memory that is assumed where the system does not tell it.
const ASSUMED: u64 = 4 << 30;

/// The limits of memory that Linux sets for a group of processes, such as a container.
const GROUP_LIMITS: [&str; 2] =
    ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/// A limit of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryLimit {
    /// The given number of bytes.
    Given(u64),
    /// The number of bytes that the system has available.
    Available(u64),
    /// None: the parts were counted before.
    Unlimited,
}

impl MemoryLimit {
    /// The given limit, or else the memory that is available now.
    pub fn new(given: Option<u64>) -> Self {
        given.map_or_else(|| Self::Available(available().unwrap_or(ASSUMED)), Self::Given)
    }

    /// The message and the remedy if this number of parts takes more memory.
    pub fn exceeded_by(self, parts: u64) -> Option<(String, &'static str)> {
        let needed = parts.saturating_mul(BYTES_PER_PART);
        let (limit, is, remedy) = match self {
            Self::Given(limit) => {
                (limit, "allowed", "a smaller number, or a larger limit (--max-memory)")
            }
            Self::Available(limit) => (
                limit,
                "available",
                "a smaller number, a computer with more memory, or --max-memory if the estimate is too high",
            ),
            Self::Unlimited => return None,
        };
        let [needed_text, limit_text] = [needed, limit].map(size);
        (needed > limit).then(|| {
            let message = format!(
                "this makes {parts} parts, which take about {needed_text} of memory; {limit_text} are {is}"
            );
            (message, remedy)
        })
    }
}

/// The memory that is available to the program, in bytes; `None` if the system does not tell it.
fn available() -> Option<u64> {
    let lines = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = lines.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let machine = 1024 * line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    let groups = GROUP_LIMITS.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let limits = groups.filter_map(|text| text.trim().parse::<u64>().ok());
    Some(limits.fold(machine, u64::min))
}

/// A number of bytes with a unit, to two digits or more.
fn size(bytes: u64) -> String {
    let value = bytes as f64;
    let (value, unit) = match value {
        x if x < 1e9 => (x * 1e-6, "MB"),
        x if x < 1e12 => (x * 1e-9, "GB"),
        x => (x * 1e-12, "TB"),
    };
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_parts_follows_from_the_memory() {
        let limit = MemoryLimit::Given(300_000 * BYTES_PER_PART);
        assert_eq!(limit.exceeded_by(300_000), None);
        let (message, _) = limit.exceeded_by(300_001).unwrap();
        assert_eq!(
            message,
            "this makes 300001 parts, which take about 2.4 GB of memory; 2.4 GB are allowed"
        );
        assert!(limit.exceeded_by(u64::MAX).is_some());
        assert_eq!(MemoryLimit::Unlimited.exceeded_by(u64::MAX), None);
    }
}
