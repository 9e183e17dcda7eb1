//! Warnings about jumps in time that lie inside a step.

use crate::file::Schedule;
use crate::model::{Model, TimeJump};

/// More jumps than this are not listed.
const MAX_LISTED: usize = 4;
/// A jump this close to an instant of the run, relative to the step, is at the instant.
const ON_INSTANT: f64 = 1e-6;

/// Warnings about jumps between two instants of a run whose method cannot end a step there. A jump of the value of a force makes the error
/// of the velocities proportional to the step, whatever the order of the method.
pub fn jump_warnings(model: &Model, schedule: &Schedule) -> Vec<String> {
    let (start, h) = (schedule.start, schedule.settings.step_size);
    let is_landed_on = schedule.settings.method().is_ok_and(|(info, _)| info.variable_step);
    if is_landed_on {
        return Vec::new();
    }
    let is_inside = |jump: &TimeJump| {
        let steps = (jump.time - start) / h;
        (steps - steps.round()).abs() > ON_INSTANT
    };
    let inside: Vec<TimeJump> = (model.time_jumps(start, schedule.end).into_iter())
        .filter(|jump| is_inside(jump) && jump.matters())
        .collect();
    let mut warnings: Vec<String> = inside
        .iter()
        .take(MAX_LISTED)
        .map(|TimeJump { owner, time, derivative, .. }| {
            let what = ["value", "slope", "curvature"][(*derivative).min(2)];
            format!(
                "the {what} of {owner} jumps at t = {time} s, inside a step: there the error is proportional to the step, \
                 whatever the order of the method; try: a step that divides this time, or a method with variable steps"
            )
        })
        .collect();
    if let Some(more) = inside.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        warnings.push(format!("{more} more jumps lie inside steps"));
    }
    warnings
}
