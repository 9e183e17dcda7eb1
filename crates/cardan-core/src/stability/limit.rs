//! The largest step of a method at which an oscillation does not grow.

use super::amplification::spectral_radius;
use crate::methods::{Method, MethodInfo};
use crate::simulation::SimulationError;

/// The largest ωh that [`stability_limit`] tests.
pub const MAX_FREQUENCY: f64 = 1e4;

/// The largest ωh up to which no root leaves the unit circle by more than 1e-7; infinite if none does up
/// to [`MAX_FREQUENCY`], and zero if one does at 1e-3 already.
pub fn stability_limit(
    info: &MethodInfo,
    method: &dyn Method,
    damping: f64,
) -> Result<f64, SimulationError> {
    const PER_DECADE: i32 = 40;
    let is_stable = |frequency: f64| -> Result<bool, SimulationError> {
        Ok(spectral_radius(info, method, frequency, damping)? <= 1.0 + 1e-7)
    };
    let mut stable = 0.0;
    let last = MAX_FREQUENCY.log10().round() as i32 * PER_DECADE;
    for k in -3 * PER_DECADE..=last {
        let mut beyond = 10.0_f64.powf(f64::from(k) / f64::from(PER_DECADE));
        if is_stable(beyond)? {
            stable = beyond;
            continue;
        }
        while stable > 0.0 && beyond - stable > 1e-9 * beyond {
            let middle = 0.5 * (stable + beyond);
            match is_stable(middle)? {
                true => stable = middle,
                false => beyond = middle,
            }
        }
        return Ok(stable);
    }
    Ok(f64::INFINITY)
}
