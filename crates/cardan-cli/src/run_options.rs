//! Options that `run` and `resume` share: when the state is saved, when the run stops, what is printed.

use std::time::Duration;

use bytesize::ByteSize;
use cardan::run::{CheckpointInterval, RunLimits};

#[derive(clap::Args)]
#[group(id = "limits")]
pub struct Arguments {
    /// Save the state of the run at this interval: a time such as 60s or 10min, or a number of steps. `cardan resume`
    /// continues from the last state after a crash. `off` saves the last state only.
    #[arg(long, value_name = "INTERVAL", default_value = "60s", value_parser = parse_interval)]
    checkpoint: CheckpointInterval,
    /// End the run cleanly after this computing time, such as 90s or 1h30min (without a unit: seconds); `cardan
    /// resume` continues it.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    max_time: Option<Duration>,
    /// Refuse a model that needs more memory, and end the run cleanly if the program takes more: 500MB, 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_memory: Option<u64>,
    /// Print warnings and errors only: no progress, no notes, no summary.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the summary as JSON for scripts.
    #[arg(long)]
    pub json: bool,
}

impl Arguments {
    pub fn checkpoints(&self) -> CheckpointInterval {
        self.checkpoint
    }

    pub fn limits(&self) -> RunLimits {
        RunLimits { time: self.max_time, memory: self.max_memory }
    }
}

fn parse_interval(text: &str) -> Result<CheckpointInterval, String> {
    let expected = || "expected a time such as 60s, a number of steps such as 1000, or off".into();
    if text == "off" {
        return Ok(CheckpointInterval::Never);
    }
    let steps = text.strip_suffix("steps").map_or(text, str::trim_end);
    match (steps.parse(), humantime::parse_duration(text)) {
        (Ok(0), _) => Err(expected()),
        (Ok(steps), _) => Ok(CheckpointInterval::Steps(steps)),
        (_, Ok(Duration::ZERO)) => Err(expected()),
        (_, Ok(time)) => Ok(CheckpointInterval::Time(time)),
        _ => Err(expected()),
    }
}

/// A time with a unit, or a number of seconds.
fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|x| Duration::try_from_secs_f64(x).ok());
    seconds
        .or_else(|| humantime::parse_duration(text).ok())
        .ok_or_else(|| "expected a time such as 90s, 10min or 1h30min".into())
}

fn parse_size(text: &str) -> Result<u64, String> {
    let size = text.parse::<ByteSize>().map(|size| size.as_u64());
    size.map_err(|_| "expected a size such as 500MB or 2GiB".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_times_or_numbers_of_steps() {
        let seconds = |x| Ok(CheckpointInterval::Time(Duration::from_secs(x)));
        assert_eq!(parse_interval("60s"), seconds(60));
        assert_eq!(parse_interval("1h30min"), seconds(5400));
        assert_eq!(parse_interval("250"), Ok(CheckpointInterval::Steps(250)));
        assert_eq!(parse_interval("250 steps"), Ok(CheckpointInterval::Steps(250)));
        assert_eq!(parse_interval("off"), Ok(CheckpointInterval::Never));
        for wrong in ["", "0", "0s", "-1", "1.5", "soon", "60 apples", "1e400s"] {
            assert!(parse_interval(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_time("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_time("2h"), Ok(Duration::from_secs(7200)));
        assert!(parse_time("-1").is_err() && parse_time("nan").is_err());
        assert_eq!(parse_size("2MB"), Ok(2_000_000));
        assert_eq!(parse_size("1GiB"), Ok(1 << 30));
        assert!(parse_size("much").is_err());
    }
}
