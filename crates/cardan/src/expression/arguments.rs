//! Checks of constant arguments: values for which a function is never a number.

use super::function::FunctionKind;

/// Checks the arguments of a function that are constants; `Err` is what is wrong.
pub(super) fn check(kind: FunctionKind, arguments: &[Option<f64>]) -> Result<(), String> {
    match (kind, arguments) {
        (FunctionKind::Smoothstep, &[_, Some(a), Some(b)])
        | (FunctionKind::Haversine, &[_, Some(a), _, Some(b), _])
            if !is_less(a, b) =>
        {
            Err(format!("the ramp begins at {a} and ends at {b}: it must end after it begins"))
        }
        (FunctionKind::Pulse, &[.., Some(period)])
        | (FunctionKind::Sawtooth, &[_, Some(period)])
            if !is_less(0.0, period) =>
        {
            Err(format!("the period is {period}; it must be positive"))
        }
        (FunctionKind::Pulse, &[_, _, Some(width), _])
        | (FunctionKind::DeadBand, &[_, Some(width)])
            if width.is_nan() || width < 0.0 =>
        {
            Err(format!("the width is {width}; it cannot be negative"))
        }
        (FunctionKind::Pulse, &[_, _, Some(width), Some(period)]) if width > period => {
            Err(format!("the width {width} is larger than the period {period}"))
        }
        (FunctionKind::Chirp, &[.., Some(duration)]) if !is_less(0.0, duration) => {
            Err(format!("the duration is {duration}; it must be positive"))
        }
        (FunctionKind::Noise, &[_, _, Some(bandwidth)])
            if !is_less(0.0, bandwidth) || bandwidth.is_infinite() =>
        {
            Err(format!("the bandwidth is {bandwidth}; it must be a positive frequency in Hz"))
        }
        (FunctionKind::Noise, &[Some(seed), ..]) if !seed.is_finite() => {
            Err(format!("the seed is {seed}; it must be a number"))
        }
        _ => Ok(()),
    }
}

/// Whether x is less than y; false if one is NaN.
fn is_less(x: f64, y: f64) -> bool {
    x < y
}
