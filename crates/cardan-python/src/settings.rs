//! Settings from the section `[simulation]` of a model.

use cardan::Settings;
use cardan::file::{Located, ModelFile};
use pyo3::prelude::*;

use crate::errors::{TextOrigin, model_error};

/// The settings of a step-by-step simulation, which needs no end.
pub fn of_simulation(py: Python<'_>, file: &ModelFile, origin: TextOrigin) -> PyResult<Settings> {
    let schedule = match file.plan.end {
        Some(_) => file.schedule(),
        None => {
            // the schedule asks for an end: any one that is some steps later
            let mut file = file.clone();
            let step = file.plan.step.as_ref().or(file.plan.substep.as_ref());
            let step = step.map_or(1.0, |given| given.value);
            file.plan.end = Some(Located::outside(file.plan.motion_start() + 1e3 * step));
            file.schedule()
        }
    };
    schedule
        .map(|schedule| schedule.settings)
        .map_err(|problems| model_error(py, &problems, origin))
}
