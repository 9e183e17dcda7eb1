//! The requested accuracy: tolerances by kind of quantity, and the limits of the step size.

use serde::{Deserialize, Serialize};

use crate::methods::SettingsError;

/// Absolute tolerances by kind of quantity; one that is `None` follows from the relative tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AbsoluteTolerances {
    /// Of positions, in metres.
    pub length: Option<f64>,
    /// Of rotations, in radians.
    pub angle: Option<f64>,
    /// Of velocities, in metres per second.
    pub speed: Option<f64>,
    /// Of angular velocities, in radians per second.
    pub angular_speed: Option<f64>,
    /// Of first-order states and of coordinates without a unit, in their units.
    pub state: Option<f64>,
    /// Of accelerations, in metres per second squared. The errors of accelerations are compared only if it is given.
    #[serde(default)]
    pub acceleration: Option<f64>,
    /// Of angular accelerations, in radians per second squared. Their errors are compared only if it is given.
    #[serde(default)]
    pub angular_acceleration: Option<f64>,
}

impl AbsoluteTolerances {
    /// The same number for positions, velocities and states. Accelerations remain without a tolerance of their own: it would
    /// make steps resolve the fastest vibrations.
    pub fn all(value: f64) -> Self {
        let value = Some(value);
        Self {
            length: value,
            angle: value,
            speed: value,
            angular_speed: value,
            state: value,
            acceleration: None,
            angular_acceleration: None,
        }
    }

    /// Whether errors of accelerations are compared.
    pub(crate) fn has_accelerations(&self) -> bool {
        self.acceleration.is_some() || self.angular_acceleration.is_some()
    }

    /// The names of the kinds with their values, in a fixed order.
    pub fn by_name(&mut self) -> [(&'static str, &mut Option<f64>); 7] {
        [
            ("length", &mut self.length),
            ("angle", &mut self.angle),
            ("speed", &mut self.speed),
            ("angular_speed", &mut self.angular_speed),
            ("state", &mut self.state),
            ("acceleration", &mut self.acceleration),
            ("angular_acceleration", &mut self.angular_acceleration),
        ]
    }
}

/// Steps chosen by an estimate of the error: the error of the motion is about proportional to the tolerance.
///
/// Lengths are compared with the size of the mechanism, angles with one radian, speeds and states with the largest
/// value so far. The absolute tolerances are added. Errors of accelerations are compared with the largest acceleration so far
/// if an absolute tolerance of accelerations is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorControl {
    /// The relative tolerance.
    pub relative: f64,
    /// The absolute tolerances.
    #[serde(default)]
    pub absolute: AbsoluteTolerances,
    /// The first step, in seconds; chosen from the initial accelerations if it is not given.
    #[serde(default)]
    pub first_step: Option<f64>,
    /// The smallest step, in seconds; by default a thousand times the round-off of time.
    #[serde(default)]
    pub min_step: Option<f64>,
    /// The largest step, in seconds.
    #[serde(default)]
    pub max_step: Option<f64>,
}

/// The range of the relative tolerance: below it round-off decides, above it an error is no estimate.
pub const TOLERANCES: [f64; 2] = [1e-13, 0.1];

impl ErrorControl {
    /// A relative tolerance; everything else by default.
    pub fn new(relative: f64) -> Self {
        Self {
            relative,
            absolute: AbsoluteTolerances::default(),
            first_step: None,
            min_step: None,
            max_step: None,
        }
    }

    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let [least, most] = TOLERANCES;
        if !(least..=most).contains(&self.relative) {
            return Err(SettingsError::Tolerance { value: self.relative });
        }
        let mut absolute = self.absolute;
        let mut given: Vec<(&'static str, f64)> = absolute
            .by_name()
            .into_iter()
            .filter_map(|(name, value)| Some((name, (*value)?)))
            .collect();
        let steps = [
            ("first step", self.first_step),
            ("smallest step", self.min_step),
            ("largest step", self.max_step),
        ];
        given.extend(steps.into_iter().filter_map(|(name, value)| Some((name, value?))));
        if let Some(&(what, value)) =
            given.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0))
        {
            return Err(SettingsError::StepControl { what, value });
        }
        match (self.min_step, self.max_step) {
            (Some(least), Some(most)) if least > most => {
                Err(SettingsError::StepControl { what: "smallest step", value: least })
            }
            _ => Ok(()),
        }
    }
}
