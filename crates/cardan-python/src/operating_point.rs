//! The state about which a model is linearized: its start, an equilibrium, steady rotation, or a later time.

use std::sync::Arc;

use cardan::math::Vector3;
use cardan::model::AssembledMechanism;
use cardan::modes::{RotatingObserver, StabilityVerdict};
use cardan::statics::{Equilibrium, StaticOptions};
use cardan::{InitialValues, Instant, Settings, Simulation};
use pyo3::prelude::*;

use crate::callbacks::clear_raised;
use crate::compiled::Compiled;
use crate::errors::{library_error, other_error};
use crate::settings::of_simulation;

/// A model and the state about which it is linearized.
pub struct OperatingPoint {
    pub start: AssembledMechanism,
    pub at: Instant,
    pub observer: RotatingObserver,
    /// The origin of the state, in words.
    pub description: String,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// How the state is chosen.
pub struct PointChoice {
    pub is_static: bool,
    pub spin: Option<[f64; 3]>,
    pub time: Option<f64>,
}

/// A note about first-order states that an equilibrium does not determine.
pub fn held_states(found: &Equilibrium) -> Option<String> {
    let names = found.held_states.join(", ");
    (!names.is_empty()).then(|| {
        format!("the equilibrium does not determine {names}, with no effect on it: start values are kept")
    })
}

/// The state with accelerations and multipliers of this instant, not those of a method.
fn consistent(
    start: &AssembledMechanism,
    initial: &InitialValues,
) -> Result<Instant, cardan::Error> {
    let settings = Settings::new("generalized-alpha", 1e-3);
    Ok(Simulation::new(&start.model, &settings, initial)?.now().clone())
}

impl Compiled {
    /// The state about which the model is linearized.
    pub fn operating_point(
        &self,
        py: Python<'_>,
        choice: &PointChoice,
    ) -> PyResult<OperatingPoint> {
        let start: Arc<AssembledMechanism> = self.start(py)?;
        let settings = match choice.time {
            Some(time) if !(time.is_finite() && time >= start.initial.t) => {
                let message =
                    format!("time={time}: the motion begins at t = {} s", start.initial.t);
                return Err(other_error(py, "SettingsError", &message, None));
            }
            Some(_) => Some(of_simulation(py, &self.file, self.origin)?),
            None => None,
        };
        clear_raised();
        let found = py.detach(|| point(&start, settings.as_ref(), choice));
        found.map_err(|error| library_error(py, &error))
    }
}

fn point(
    start: &Arc<AssembledMechanism>,
    settings: Option<&Settings>,
    choice: &PointChoice,
) -> Result<OperatingPoint, cardan::Error> {
    let mut notes = Vec::new();
    let spin = choice.spin.map(Vector3::from).unwrap_or_default();
    let is_spinning = spin != Vector3::zeros();
    let (at, description) = if choice.is_static || is_spinning {
        let found = start.equilibrium(&StaticOptions { spin, ..StaticOptions::default() })?;
        if let Some(found) = &found.stability
            && matches!(found.verdict, StabilityVerdict::Unstable | StabilityVerdict::Undecided)
        {
            notes.push(format!("equilibrium: {found}"));
        }
        notes.extend(held_states(&found));
        let description = match is_spinning {
            false => "about the equilibrium".to_string(),
            true => {
                format!("about steady rotation with ({}, {}, {}) rad/s", spin.x, spin.y, spin.z)
            }
        };
        let last = found.last().cloned();
        (last.map_or_else(|| consistent(start, &start.initial), Ok)?, description)
    } else if let (Some(time), Some(settings)) = (choice.time, settings) {
        let mut motion = Simulation::new(&start.model, settings, &start.initial)?;
        motion.run_until(time)?;
        let at = consistent(start, &InitialValues::from(motion.now()))?;
        if (at.t - time).abs() > 1e-9 * settings.step_size {
            notes.push(format!("t = {time} s is between two steps: the earlier one is used"));
        }
        let description = format!("about t = {} s", at.t);
        (at, description)
    } else {
        (consistent(start, &start.initial)?, "about the start".to_string())
    };
    let speed = at.a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let is_moving = at.v.iter().any(|x| *x != 0.0);
    let is_linear = cardan::System::has_constant_tangents(&start.model);
    if !is_spinning && !is_moving && speed > 1e-6 && !is_linear {
        notes.push(format!(
            "this state is not an equilibrium (accelerations up to {speed:.1e}): unbalanced loads change its \
             stiffness; try: static=True, which computes the equilibrium first"
        ));
    }
    if !is_spinning && is_moving {
        notes.push(
            "velocities are not zero: the coefficients are those of this instant, in the fixed frame; try: spin, for \
             steady rotation"
                .into(),
        );
    }
    if is_spinning && !start.model.gravity_is_along(&spin) {
        notes.push(
            "gravity is not along the rotation axis: steady rotation is not a solution".into(),
        );
    }
    if is_spinning && start.model.has_floating_frames() {
        notes.push(
            "flexible bodies with modes have no centrifugal stiffening; try: beams, which have it"
                .into(),
        );
    }
    let observer = start.model.observer(spin);
    let mut start = AssembledMechanism::clone(start);
    start.model = start.model.with_rotating_ground(spin).into();
    Ok(OperatingPoint { start, at, observer, description, notes })
}
