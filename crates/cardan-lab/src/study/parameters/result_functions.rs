//! The functions of results that quantities may use: of channels over time, of modes, of events.

/// A function of results.
pub struct ResultFunction {
    /// The name.
    pub name: &'static str,
    /// The names of its arguments.
    pub arguments: &'static [&'static str],
    /// Its meaning.
    pub description: &'static str,
    pub(super) kind: ResultFunctionKind,
}

/// What a function of results is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultFunctionKind {
    /// The values of a formula over time.
    Reduction(Reduction),
    /// A mode by its number.
    Mode(ModeQuantity),
    /// An event by its name.
    Event(EventQuantity),
}

/// A reduction of a channel over time to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    Max,
    Min,
    Mean,
    Rms,
    Integral,
    Initial,
    Final,
    At,
}

/// A quantity of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModeQuantity {
    Frequency,
    Damping,
}

/// A quantity of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventQuantity {
    /// The time at which it happens first.
    Time,
    /// How often it happens.
    Count,
}

use EventQuantity::{Count, Time};
use ModeQuantity::{Damping, Frequency};
use ResultFunctionKind::{Event, Mode, Reduction as Reduced};

const fn function(
    name: &'static str,
    arguments: &'static [&'static str],
    kind: ResultFunctionKind,
    description: &'static str,
) -> ResultFunction {
    ResultFunction { name, arguments, description, kind }
}

/// All functions of results.
pub const RESULT_FUNCTIONS: [ResultFunction; 12] = [
    function("max", &["x"], Reduced(Reduction::Max), "the largest value"),
    function("min", &["x"], Reduced(Reduction::Min), "the smallest value"),
    function(
        "mean",
        &["x"],
        Reduced(Reduction::Mean),
        "the mean over time, by the trapezoidal rule",
    ),
    function("rms", &["x"], Reduced(Reduction::Rms), "the root of the mean square over time"),
    function(
        "integral",
        &["x"],
        Reduced(Reduction::Integral),
        "the integral over time, by the trapezoidal rule",
    ),
    function("initial", &["x"], Reduced(Reduction::Initial), "the first value"),
    function("final", &["x"], Reduced(Reduction::Final), "the last value"),
    function(
        "at",
        &["t", "x"],
        Reduced(Reduction::At),
        "the value at a time, linear between rows; NaN outside of them",
    ),
    function(
        "event_time",
        &["name"],
        Event(Time),
        "the time in s at which an event happens first; NaN if it does not happen",
    ),
    function("event_count", &["name"], Event(Count), "how often an event happens"),
    function(
        "frequency",
        &["k"],
        Mode(Frequency),
        "the frequency of mode k in Hz; NaN if there are fewer modes",
    ),
    function("damping", &["k"], Mode(Damping), "the damping ratio of mode k"),
];

/// Numbers of a run that formulas may contain, with their meaning.
pub const RUN_NUMBERS: [(&str, &str); 4] = [
    ("drift", "the largest error of the energy balance in J"),
    ("wall_time", "the computing time of the run in s"),
    ("steps", "the number of steps"),
    ("newton_iterations", "the number of Newton iterations"),
];

impl Reduction {
    /// The number; NaN where a value is NaN or there are none.
    pub fn of(self, time: &[f64], values: &[f64], at: Option<f64>) -> f64 {
        let extreme = |pick: fn(f64, f64) -> f64| {
            let larger =
                |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { pick(a, b) };
            values.iter().copied().reduce(larger).unwrap_or(f64::NAN)
        };
        let duration = match (time.first(), time.last()) {
            (Some(first), Some(last)) => last - first,
            _ => f64::NAN,
        };
        let average = |of: &dyn Fn(f64) -> f64| match values {
            [only] => of(*only),
            _ => trapezoid(time, values, of) / duration,
        };
        match self {
            Self::Max => extreme(f64::max),
            Self::Min => extreme(f64::min),
            Self::Mean => average(&|x| x),
            Self::Rms => average(&|x| x * x).sqrt(),
            Self::Integral => trapezoid(time, values, &|x| x),
            Self::Initial => values.first().copied().unwrap_or(f64::NAN),
            Self::Final => values.last().copied().unwrap_or(f64::NAN),
            Self::At => interpolated(time, values, at.unwrap_or(f64::NAN)),
        }
    }
}

impl ModeQuantity {
    /// The quantity of a mode, counted from one; NaN if there is no such mode.
    pub fn of(self, modes: &[[f64; 2]], number: f64) -> f64 {
        let mode = modes.get((number - 1.0).max(0.0) as usize).filter(|_| number >= 1.0);
        mode.map_or(f64::NAN, |mode| mode[self as usize])
    }
}

impl EventQuantity {
    /// The quantity of an event. It is NaN if it depends on events that are not listed.
    pub fn of(self, listed: &[(f64, String)], has_more: bool, name: &str) -> f64 {
        let mut times = listed.iter().filter(|(_, known)| known == name).map(|(time, _)| *time);
        match self {
            Self::Time => times.next().unwrap_or(f64::NAN),
            Self::Count if has_more => f64::NAN,
            Self::Count => times.count() as f64,
        }
    }
}

/// The integral over time by the trapezoidal rule.
fn trapezoid(time: &[f64], values: &[f64], of: &dyn Fn(f64) -> f64) -> f64 {
    let pairs = time.windows(2).zip(values.windows(2));
    pairs.map(|(t, x)| 0.5 * (t[1] - t[0]) * (of(x[0]) + of(x[1]))).sum()
}

/// The value at a time, linear between rows; NaN outside of them. Round-off of the times of rows has no effect.
fn interpolated(time: &[f64], values: &[f64], at: f64) -> f64 {
    let next = time.partition_point(|t| *t < at);
    let tolerance = 1e-12 * time.iter().fold(0.0_f64, |most, t| most.max(t.abs()));
    let near = [next.checked_sub(1), Some(next)].into_iter().flatten();
    let mut exact = near.filter(|k| time.get(*k).is_some_and(|t| (t - at).abs() <= tolerance));
    if let Some(k) = exact.next() {
        return values[k];
    }
    match next.checked_sub(1) {
        Some(k) if next < time.len() => {
            let part = (at - time[k]) / (time[next] - time[k]);
            values[k] + part * (values[next] - values[k])
        }
        _ => f64::NAN,
    }
}
